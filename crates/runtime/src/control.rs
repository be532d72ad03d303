//! Stops runs, and withdraws what they ask.

use adagent_contract::{ApprovalStatus, CallResult, EventBody, RunStatus};
use adagent_domain::{Actor, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{ApprovalRecord, CallRecord, CallStatus, EngineUnit, Lease, Run, StoreError, Wake};
use serde_json::json;

use crate::{approvals::withdrawn, deps::RuntimeDeps, telemetry};

/// Why a run could not be controlled.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("there is no such run")]
    NotFound,
    /// The sentence says what would make it possible.
    #[error("{0}")]
    NotPossible(String),
    /// The same request came twice at the same time, and the other one was first.
    #[error("another request with the same key was faster")]
    Repeated,
    /// A run with the same key is still open.
    #[error("a run for this is still open")]
    AlreadyOpen,
    #[error("the arguments cannot be sent")]
    Invalid(Vec<adagent_contract::FieldError>),
    #[error(transparent)]
    State(#[from] adagent_run_core::StateError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Asks a run to stop at its next safe point. Returns `false` if the run has already ended.
pub async fn cancel(deps: &RuntimeDeps, actor: &Actor, run: RunId) -> Result<bool, ControlError> {
    deps.store.find_run(actor.workspace, actor.user, run).await?.ok_or(ControlError::NotFound)?;
    let mut work = deps.store.engine_unit_in(actor.workspace).await?;
    let now = deps.clock.now();
    let asked = work.request_cancel(run, now).await?;
    if asked {
        work.ready_run(run, now).await?;
        work.wake(Wake::Work);
        // We tell the person that the run stops, so this must not be lost: an approved write may be next.
        work.durable();
    }
    work.commit().await?;
    Ok(asked)
}

/// Withdraws what the open runs of a person, or of everyone in a workspace, still ask, and stops those runs at their next safe point. Runs
/// within the transaction that removes these people from the workspace.
pub async fn stop_open_runs(
    deps: &RuntimeDeps,
    work: &mut dyn EngineUnit,
    workspace: WorkspaceId,
    user: Option<UserId>,
    by: UserId,
    by_name: &str,
    reason: &str,
) -> Result<Vec<RunId>, StoreError> {
    let now = deps.clock.now();
    let mut concerned = Vec::new();
    for run in work.lock_open_runs_of(workspace, user).await? {
        let events = withdraw_pending(work, &run, by, by_name, reason, now).await?;
        stop_locked(work, &run, events, reason, now).await?;
        concerned.push(run.id);
    }
    Ok(concerned)
}

/// Ends a locked run if it waits for a person, and asks any other run to stop. `events` say what was withdrawn.
async fn stop_locked(
    work: &mut dyn EngineUnit,
    run: &Run,
    mut events: Vec<EventBody>,
    reason: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let asked = !events.is_empty();
    let waits = matches!(run.status, RunStatus::AwaitingApproval | RunStatus::Queued);
    let approvals = work.approvals_of(run.id).await?;
    let left = work.calls_of(run.id).await?.iter().any(|call| may_have_left(call, &approvals));
    // If a write may have left, the machine ends it, because only the machine knows what the looks at the network found.
    let ends = asked && waits && run.lease_until.is_none() && !left;
    if ends {
        events.extend(end_calls(work, None, run.id, reason, now).await?);
        events.push(EventBody::Done { status: RunStatus::Cancelled });
    } else {
        work.request_cancel(run.id, now).await?;
        work.ready_run(run.id, now).await?;
        work.wake(Wake::Work);
    }
    if !events.is_empty() {
        work.append_events_unleased(run.id, now, &events).await?;
    }
    if ends {
        // The end of one below it may have queued it since it was looked at.
        let open = [RunStatus::Queued, RunStatus::AwaitingApproval];
        if !work.set_run_status(run.id, &open, RunStatus::Cancelled, Some(now)).await? {
            return Err(StoreError::RowsAffected { what: "run that waited", expected: 1, actual: 0 });
        }
        telemetry::ended(run, RunStatus::Cancelled, &telemetry::spent_of(run), true, now);
        // Runs that were queued behind it can continue.
        work.wake(Wake::Work);
    }
    work.wake(Wake::Events(run.id));
    work.wake(Wake::Activity(run.principal.user));
    Ok(())
}

/// Closes every pending approval of a locked run. Returns the events that say so.
pub(crate) async fn withdraw_pending(
    work: &mut dyn EngineUnit,
    run: &Run,
    by: UserId,
    by_name: &str,
    reason: &str,
    now: Timestamp,
) -> Result<Vec<EventBody>, StoreError> {
    let mut events = Vec::new();
    for record in work.approvals_of(run.id).await? {
        if record.view.status != ApprovalStatus::Pending {
            continue;
        }
        let answer = withdrawn(&record, ApprovalStatus::Cancelled, by, by_name, reason, now);
        if work.answer_approval(record.workspace, record.view.id, &answer).await? {
            events.push(EventBody::ToolApprovalAnswered {
                approval_id: record.view.id,
                tool_call_id: record.view.tool_call_id,
                status: ApprovalStatus::Cancelled,
                by: by_name.to_owned(),
                edited_args: None,
                edits: Vec::new(),
                sent: None,
                reason: Some(reason.to_owned()),
            });
        }
    }
    Ok(events)
}

/// Checks whether a write may have left, from its row and its approvals. A write that waits again, or was approved twice, was approved
/// before.
fn may_have_left(call: &CallRecord, approvals: &[ApprovalRecord]) -> bool {
    let of_it = approvals.iter().filter(|record| record.view.tool_call_id == call.id);
    let approved = of_it.filter(|record| record.view.status == ApprovalStatus::Approved).count();
    match call.status {
        CallStatus::Prepared => approved > 0 && !call.read_only,
        CallStatus::Approved => approved > 1,
        CallStatus::Sending => true,
        CallStatus::Succeeded | CallStatus::Failed | CallStatus::Unknown | CallStatus::Denied => false,
    }
}

/// Ends the open calls of a locked run. Returns the events that say what happened to each.
pub(crate) async fn end_calls(
    work: &mut dyn EngineUnit,
    lease: Option<&Lease>,
    run: RunId,
    reason: &str,
    now: Timestamp,
) -> Result<Vec<EventBody>, StoreError> {
    let mut events = Vec::new();
    let approvals = work.approvals_of(run).await?;
    for call in work.calls_of(run).await? {
        let (to, why) = match call.status {
            CallStatus::Prepared | CallStatus::Approved if may_have_left(&call, &approvals) => {
                let why = "It was approved earlier, and we don't know whether it went through. Check the network before you send it again.";
                (CallStatus::Unknown, why.to_owned())
            }
            CallStatus::Prepared if call.read_only => (CallStatus::Failed, reason.to_owned()),
            CallStatus::Prepared => (CallStatus::Denied, reason.to_owned()),
            CallStatus::Approved => (CallStatus::Denied, format!("It was approved, but not sent: {reason}")),
            CallStatus::Sending => {
                let why = "It was already being sent, and we don't know whether it went through. Check the network before you send it again.";
                (CallStatus::Unknown, why.to_owned())
            }
            CallStatus::Succeeded | CallStatus::Failed | CallStatus::Unknown | CallStatus::Denied => continue,
        };
        let result = (to != CallStatus::Denied).then(|| CallResult::of(json!({ "error": { "message": why } })));
        if !work.move_call(lease, run, call.id, &[call.status], to, None, result.as_ref(), now).await? {
            continue;
        }
        events.push(if to == CallStatus::Denied {
            EventBody::ToolDenied { tool_call_id: call.id, tool_name: call.name, reason: why, unknown: false }
        } else {
            EventBody::ToolResult {
                tool_call_id: call.id,
                name: call.name,
                ok: false,
                result: json!({ "error": { "message": why } }),
                summary: why,
                artifact: None,
                duration_ms: 0,
                cached: false,
            }
        });
    }
    Ok(events)
}
