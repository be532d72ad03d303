//! What a run has sent, or may have: what must not be made once more without a word. Never guesses: a row knows the last attempt
//! of its call, the saved state those before that nobody could find out about.

use adagent_domain::{RunId, ToolCallId};
use adagent_run_core::{Call, Sent, State, StateError};
use adagent_store::{CallRecord, CallStatus, Run, StoreError};

use crate::deps::RuntimeDeps;

/// A write that left, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    call: ToolCallId,
    name: String,
    digest: String,
    /// It worked.
    made: bool,
    /// By a run this one comes from; otherwise by another one forked from the same.
    ancestor: bool,
}

/// More forks of one run are not looked through.
const FORKS: u32 = 100;

impl Left {
    pub fn sent(&self) -> Sent {
        Sent { call: self.call, digest: self.digest.clone(), made: self.made }
    }
}

/// Of one run, by its calls as they are now.
pub(crate) async fn by_run<E>(deps: &RuntimeDeps, run: RunId, rows: &[CallRecord]) -> Result<Vec<Left>, E>
where
    E: From<StoreError> + From<StateError>,
{
    let approved = rows.iter().filter(|row| was_approved(row)).map(|row| Left {
        call: row.id,
        name: row.name.clone(),
        digest: row.digest.clone(),
        made: row.status == CallStatus::Succeeded,
        ancestor: true,
    });
    let mut left: Vec<_> = approved.collect();
    if rows.iter().all(|row| row.read_only) {
        return Ok(left);
    }
    let Some(saved) = deps.store.find_latest_checkpoint(run).await? else { return Ok(left) };
    let state = State::load(&saved.state)?;
    for call in &state.calls {
        let doubted = call.doubt.iter().flat_map(|doubt| doubt.digests.clone());
        let (id, name) = (call.id, &call.name);
        left.extend(doubted.map(|digest| Left { call: id, name: name.clone(), digest, made: false, ancestor: true }));
    }
    Ok(left)
}

/// By the runs a fork is related to: those it comes from, and what else was forked from them. They are over when it begins: it
/// waited for its turn.
pub(crate) async fn by_family<E>(deps: &RuntimeDeps, run: &Run) -> Result<Vec<Left>, E>
where
    E: From<StoreError> + From<StateError>,
{
    let mut line = Vec::new();
    while let Some(origin) = deps.store.find_origin(line.last().copied().unwrap_or(run.id)).await? {
        line.push(origin.parent);
    }
    let (mut left, mut next) = (Vec::new(), Vec::from_iter(line.last().copied()));
    while let Some(at) = next.pop() {
        let rows = deps.store.list_calls(at).await?;
        let ancestor = line.contains(&at);
        left.extend(by_run::<E>(deps, at, &rows).await?.into_iter().map(|left| Left { ancestor, ..left }));
        let forks = deps.store.list_forks(run.workspace, run.user, at, FORKS).await?;
        next.extend(forks.into_iter().map(|fork| fork.run).filter(|fork| *fork != run.id));
    }
    Ok(left)
}

/// A write that a person approved, and that was sent, or is, or may have been.
fn was_approved(row: &CallRecord) -> bool {
    use CallStatus as Is;
    !row.read_only && matches!(row.status, Is::Approved | Is::Sending | Is::Succeeded | Is::Unknown)
}

/// What a person must know who is asked for a change that a run before made, or may have made.
pub(crate) fn repeats(call: &Call, left: &[Left]) -> Option<String> {
    let same = || left.iter().filter(|left| left.name == call.name && left.digest == call.digest);
    if let Some(left) = same().find(|left| left.made).or_else(|| same().next()) {
        let who =
            if left.ancestor { "The run this one comes from" } else { "Another run that was forked from the same one" };
        return Some(if left.made {
            format!("{who} already made exactly this change. Approving makes it once more.")
        } else {
            format!(
                "{who} sent exactly this change, and whether it went through is not known. Check it at the network; \
                 approving sends it again."
            )
        });
    }
    let other = left.iter().any(|left| Some(left.call) == call.instead_of);
    other.then(|| {
        "The run this one was forked from sent this change with other arguments. Approving makes another one.".into()
    })
}
