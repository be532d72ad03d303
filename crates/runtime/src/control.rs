//! Stopping a run, and a new message over a pending approval.

use adagent_contract::{ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{Actor, ChatSessionId, RunId};
use adagent_store::{CallStatus, StoreError, UnitOfWork, Wake};

use crate::{approvals::withdrawn, deps::RuntimeDeps};

/// Why a run could not be controlled.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("there is no such run")]
    NotFound,
    /// The sentence says what would make it possible.
    #[error("{0}")]
    NotPossible(String),
    #[error("the arguments cannot be sent")]
    Invalid(Vec<adagent_contract::FieldError>),
    #[error(transparent)]
    State(#[from] adagent_run_core::StateError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Asks a run to stop at its next safe point; `false` when it is over already.
pub async fn cancel(deps: &RuntimeDeps, actor: &Actor, run: RunId) -> Result<bool, ControlError> {
    deps.store.find_run(actor.workspace, actor.user, run).await?.ok_or(ControlError::NotFound)?;
    let mut work = deps.store.begin().await?;
    let asked = work.request_cancel(run).await?;
    if asked {
        work.ready_run(run, deps.clock.now()).await?;
        work.wake(Wake::Work);
        // Told that it stops, a person relies on it: an approved write may be next.
        work.durable();
    }
    work.commit().await?;
    Ok(asked)
}

/// Within the transaction of a new message: withdraws what the conversation's runs still ask, and ends those runs.
/// A run that a worker holds just now is told to stop instead. Gives the runs concerned.
pub async fn supersede_pending(
    deps: &RuntimeDeps,
    work: &mut dyn UnitOfWork,
    actor: &Actor,
    session: ChatSessionId,
    by_name: &str,
) -> Result<Vec<RunId>, StoreError> {
    const REASON: &str = "A new message was sent instead of an answer.";
    let now = deps.clock.now();
    let mut concerned = Vec::new();
    for run in deps.store.list_open_runs(actor.workspace, session).await? {
        if run.status != RunStatus::AwaitingApproval {
            continue;
        }
        let pending: Vec<_> = deps
            .store
            .list_approvals_of_run(run.id)
            .await?
            .into_iter()
            .filter(|record| record.view.status == ApprovalStatus::Pending)
            .collect();
        if pending.is_empty() {
            // An answer is already on its way; the run goes on by itself.
            continue;
        }
        // The run's row first, as a worker does, so that the two never wait for each other.
        let ended =
            work.set_run_status(run.id, &[RunStatus::AwaitingApproval], RunStatus::Cancelled, Some(now)).await?;
        let mut events = Vec::new();
        for record in &pending {
            let answer = withdrawn(record, ApprovalStatus::Cancelled, actor.user, by_name, REASON, now);
            if !work.answer_approval(record.workspace, record.view.id, &answer).await? {
                continue;
            }
            events.push(EventBody::ToolApprovalAnswered {
                approval_id: record.view.id,
                tool_call_id: record.view.tool_call_id,
                status: ApprovalStatus::Cancelled,
                by: by_name.to_owned(),
                edited_args: None,
                edits: Vec::new(),
                reason: Some(REASON.into()),
            });
            if ended {
                let from = [CallStatus::Prepared, CallStatus::Approved];
                let call = record.view.tool_call_id;
                work.move_call(None, run.id, call, &from, CallStatus::Denied, None, None, now).await?;
                events.push(EventBody::ToolDenied {
                    tool_call_id: call,
                    tool_name: record.view.tool_name.clone(),
                    reason: REASON.into(),
                });
            }
        }
        if ended {
            events.push(EventBody::Done { status: RunStatus::Cancelled });
        } else {
            work.request_cancel(run.id).await?;
            work.ready_run(run.id, now).await?;
            work.wake(Wake::Work);
        }
        work.append_events_unleased(run.id, now, &events).await?;
        work.wake(Wake::Events(run.id));
        concerned.push(run.id);
    }
    Ok(concerned)
}
