//! Answers that no person gave, because the approval expired or the connection was removed.

use adagent_contract::ApprovalStatus;
use adagent_domain::{Actor, ConnectionId, Network, Source, Timestamp, UserId};
use adagent_store::{ApprovalAnswer, ApprovalRecord, StoreError};

use super::close::{Closed, close};
use crate::deps::RuntimeDeps;

pub(super) fn expired(record: &ApprovalRecord, at: Timestamp) -> ApprovalAnswer {
    withdrawn(record, ApprovalStatus::Expired, record.user, "nobody", "No one answered in time.", at)
}

/// Returns an answer that no person gave, because the approval expired or no longer mattered.
pub(crate) fn withdrawn(
    record: &ApprovalRecord,
    status: ApprovalStatus,
    by: UserId,
    by_name: &str,
    reason: &str,
    at: Timestamp,
) -> ApprovalAnswer {
    ApprovalAnswer {
        status,
        by,
        by_name: by_name.into(),
        at,
        edited_args: None,
        sent: None,
        digest: record.digest.clone(),
        reason: Some(reason.into()),
    }
}

/// Cancels every pending approval of a workspace that would go through this connection. Their runs continue without it. Returns how many it
/// canceled.
pub async fn withdraw_of_connection(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    (network, connection): (Network, ConnectionId),
    reason: &str,
) -> Result<u64, StoreError> {
    let now = deps.clock.now();
    let mut closed = 0;
    for record in deps.store.list_pending_approvals(actor.workspace, MOST_PENDING).await? {
        // An old card names no connection, because a network could have only one then. It may belong to this one.
        let of_it = record.view.ui_hints.goes_to.is_none_or(|goes_to| goes_to == connection);
        if record.view.source == Source::Network(network) && of_it {
            let answer = withdrawn(&record, ApprovalStatus::Cancelled, actor.user, by_name, reason, now);
            closed += u64::from(close(deps, &record, answer, None, None).await? == Closed::Done);
        }
    }
    Ok(closed)
}

/// Cancels a pending approval because a newer draft takes its place. Its run continues without it.
pub async fn withdraw_replaced(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    record: &ApprovalRecord,
) -> Result<(), StoreError> {
    const REASON: &str = "A newer draft takes its place.";
    let answer = withdrawn(record, ApprovalStatus::Cancelled, actor.user, by_name, REASON, deps.clock.now());
    close(deps, record, answer, None, None).await.map(|_| ())
}

/// The most pending approvals of a workspace that we look through. If more are left, we refuse them when they are about to be sent.
const MOST_PENDING: u32 = 1000;

/// Closes approvals that have expired. Their runs continue as after a denial. Returns how many it closed.
pub async fn expire_due(deps: &RuntimeDeps) -> Result<u64, StoreError> {
    const AT_ONCE: u32 = 100;
    let now = deps.clock.now();
    let mut closed = 0;
    for record in deps.store.list_expired_approvals(now, AT_ONCE).await? {
        closed += u64::from(close(deps, &record, expired(&record, now), None, None).await? == Closed::Done);
    }
    Ok(closed)
}
