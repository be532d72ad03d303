//! What a run has sent, or may have: what must not be made once more without a word. Never guesses: a row knows the last attempt
//! of its call, the saved state those before that nobody could find out about.

use adagent_domain::{RunId, ToolCallId};
use adagent_run_core::{Call, Sent, State, StateError};
use adagent_store::{CallRecord, CallStatus, StoreError};

use crate::deps::RuntimeDeps;

/// A write that left, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    call: ToolCallId,
    name: String,
    digest: String,
    /// It worked.
    made: bool,
}

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
    });
    let mut left: Vec<_> = approved.collect();
    if rows.iter().all(|row| row.read_only) {
        return Ok(left);
    }
    let Some(saved) = deps.store.find_latest_checkpoint(run).await? else { return Ok(left) };
    let state = State::load(&saved.state)?;
    for call in &state.calls {
        let doubted = call.doubt.iter().flat_map(|doubt| &doubt.digests);
        let doubted =
            doubted.map(|digest| Left { call: call.id, name: call.name.clone(), digest: digest.clone(), made: false });
        left.extend(doubted);
    }
    Ok(left)
}

/// By the runs a run comes from. They are over when it begins: it waited for its turn.
pub(crate) async fn before<E>(deps: &RuntimeDeps, run: RunId) -> Result<Vec<Left>, E>
where
    E: From<StoreError> + From<StateError>,
{
    let (mut at, mut left) = (run, Vec::new());
    while let Some(origin) = deps.store.find_origin(at).await? {
        at = origin.parent;
        let rows = deps.store.list_calls(at).await?;
        left.extend(by_run::<E>(deps, at, &rows).await?);
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
    if same().any(|left| left.made) {
        return Some(
            "The run this one comes from already made exactly this change. Approving makes it once more.".into(),
        );
    }
    if same().next().is_some() {
        return Some(
            "The run this one comes from sent exactly this change, and whether it went through is not known. Check it at \
             the network; approving sends it again."
                .into(),
        );
    }
    let other = left.iter().any(|left| Some(left.call) == call.instead_of);
    other.then(|| {
        "The run this one was forked from sent this change with other arguments. Approving makes another one.".into()
    })
}
