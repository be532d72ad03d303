//! What a run has sent, or may have: what must not be made once more without a word. Never guesses: a row knows the last attempt
//! of its call, the saved state those before that nobody could find out about.

use adagent_contract::ApprovalStatus;
use adagent_domain::{RunId, ToolCallId};
use adagent_run_core::{Call, Sent, Turn, from_text};
use adagent_store::{ApprovalRecord, CallRecord, CallStatus, Run, StoreError};

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
pub(crate) async fn by_run(deps: &RuntimeDeps, run: RunId, rows: &[CallRecord]) -> Result<Vec<Left>, StoreError> {
    // What a fork took over was somebody's yes to the run it comes from, which is looked through itself.
    let approvals = deps.store.list_approvals_of_run(run).await?;
    let own = |call: ToolCallId| {
        let of_it = |record: &&ApprovalRecord| record.view.tool_call_id == call;
        approvals.iter().filter(of_it).any(|record| record.view.status == ApprovalStatus::Approved)
    };
    let approved = rows.iter().filter(|row| was_approved(row) && own(row.id)).map(|row| Left {
        call: row.id,
        name: row.name.clone(),
        digest: row.digest.clone(),
        made: row.status == CallStatus::Succeeded,
        ancestor: true,
    });
    let mut left: Vec<_> = approved.collect();
    if !rows.iter().any(|row| own(row.id)) {
        return Ok(left);
    }
    let Some(saved) = deps.store.find_latest_checkpoint(run).await? else { return Ok(left) };
    let state = match from_text::<Turn>(&saved.state) {
        Ok(state) => state,
        Err(error) => {
            // Of a newer program that is gone again: its rows still tell the last attempts.
            tracing::warn!(%run, %error, "the saved state of a related run cannot be read");
            return Ok(left);
        }
    };
    for call in state.ledger.calls.iter().filter(|call| own(call.id)) {
        let doubted = call.doubt.iter().flat_map(|doubt| doubt.digests.clone());
        let (id, name) = (call.id, &call.name);
        left.extend(doubted.map(|digest| Left { call: id, name: name.clone(), digest, made: false, ancestor: true }));
    }
    Ok(left)
}

/// By the runs a run is related to: those it comes from, and what was forked from it or from them. None of them works while it
/// does; one that waits for a person has sent what its rows say.
pub(crate) async fn by_family(deps: &RuntimeDeps, run: &Run) -> Result<Vec<Left>, StoreError> {
    let mut line = Vec::new();
    while let Some(origin) = deps.store.find_origin(line.last().copied().unwrap_or(run.id)).await? {
        line.push(origin.parent);
    }
    let (mut left, mut next) = (Vec::new(), vec![line.last().copied().unwrap_or(run.id)]);
    while let Some(at) = next.pop() {
        if at != run.id {
            let rows = deps.store.list_calls(at).await?;
            let ancestor = line.contains(&at);
            left.extend(by_run(deps, at, &rows).await?.into_iter().map(|left| Left { ancestor, ..left }));
        }
        let forks = deps.store.list_forks(run.workspace, run.principal.user, at, FORKS).await?;
        next.extend(forks.into_iter().map(|fork| fork.run));
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
            format!("{who} already made this exact change. Approving makes it again.")
        } else {
            format!(
                "{who} sent this exact change, and we don't know whether it went through. Check the network: approving sends it again."
            )
        });
    }
    let other = left.iter().any(|left| Some(left.call) == call.instead_of);
    other.then(|| {
        "The run this one was forked from already sent this change with different values. Approving sends a second change.".into()
    })
}
