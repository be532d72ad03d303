//! What a run has sent or may have sent, and so must not repeat without a warning. This never guesses: a row knows the last attempt of its
//! call, and the saved state knows earlier attempts whose outcome we could not find out.

use adagent_contract::ApprovalStatus;
use adagent_domain::{RunId, ToolCallId};
use adagent_run_core::{Call, Sent, Turn, from_text};
use adagent_store::{ApprovalRecord, CallRecord, CallStatus, Run, StoreError};

use crate::deps::RuntimeDeps;

/// A write that was sent, or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    call: ToolCallId,
    name: String,
    digest: String,
    /// Whether it worked.
    made: bool,
    /// Whether a run that this one was forked from sent it. Otherwise, another fork of the same run did.
    ancestor: bool,
}

/// The most forks of one run that we look through.
const FORKS: u32 = 100;

impl Left {
    pub fn sent(&self) -> Sent {
        Sent { call: self.call, digest: self.digest.clone(), made: self.made }
    }
}

/// Returns what one run sent, from its calls as they are now.
pub(crate) async fn by_run(deps: &RuntimeDeps, run: RunId, rows: &[CallRecord]) -> Result<Vec<Left>, StoreError> {
    // A person approved the writes that a fork took over in the run it was forked from. We look through that run separately.
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
            // A newer version of the program, no longer in use, wrote this state. The rows still show the last attempts.
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

/// Returns what the related runs sent: those that this run was forked from, and all other forks of them. None of them works while this run
/// does. If one waits for a person, its rows show what it sent.
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

/// Checks whether a person approved this write, so that it was sent or may have been.
fn was_approved(row: &CallRecord) -> bool {
    use CallStatus as Is;
    !row.read_only && matches!(row.status, Is::Approved | Is::Sending | Is::Succeeded | Is::Unknown)
}

/// Returns the warning for a person who is asked about a change that an earlier run made or may have made.
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
