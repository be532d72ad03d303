//! Writes an answer together with everything that belongs to it: decision, call, event, audit entry and wake. If one part fails, writes
//! nothing.

use adagent_contract::{ApprovalStatus, EventBody, RunStatus, edits};
use adagent_domain::Actor;
use adagent_store::{ApprovalAnswer, ApprovalRecord, AuditEntry, CallStatus, StoreError, Wake};
use serde_json::{Value as Json, json};

use super::decide::{Approved, RunRefuses, takes};
use crate::{deps::RuntimeDeps, overrides::waits_its_turn, receipt::Receipt};

/// The reply to the request that brought the answer. If the request is repeated, it gets the same reply.
pub(super) struct Kept<'a> {
    pub receipt: &'a Receipt,
    pub actor: &'a Actor,
    pub answer: &'a Json,
}

/// What happened to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    Done,
    /// Another answer came first.
    Late,
    Refused(RunRefuses),
}

/// Writes an answer with everything that belongs to it, or nothing.
pub(super) async fn close(
    deps: &RuntimeDeps,
    record: &ApprovalRecord,
    answer: ApprovalAnswer,
    approved: Option<&Approved>,
    kept: Option<Kept<'_>>,
) -> Result<Closed, StoreError> {
    let view = &record.view;
    let mut work = deps.store.engine_unit_in(record.workspace).await?;
    let event = EventBody::ToolApprovalAnswered {
        approval_id: view.id,
        tool_call_id: view.tool_call_id,
        status: answer.status,
        by: answer.by_name.clone(),
        edited_args: answer.edited_args.clone(),
        edits: answer
            .edited_args
            .as_ref()
            .map(|args| edits(&view.tool_input, args, &view.ui_hints))
            .unwrap_or_default(),
        sent: answer.sent.clone().map(Box::new),
        reason: answer.reason.clone(),
    };
    // Lock the lane first, then the run's row, in the same order as a worker, so that the two never wait for each other.
    let asked = deps.store.find_run_unscoped(view.run_id).await?;
    let agent = match asked.as_ref().and_then(|run| run.principal.agent) {
        Some(id) => deps.store.find_agent(record.workspace, id).await?.map(|agent| format!("@{}", agent.body.handle)),
        None => None,
    };
    if let Some(lane) = asked.map(|run| run.lane) {
        work.lock_lane(lane).await?;
    }
    let Some(run) = work.lock_run(view.run_id).await? else { return Ok(Closed::Late) };
    if let Err(why) = takes(&run, answer.status) {
        // The run has ended. Write only an expiry, and no event after the last one.
        if why == RunRefuses::Over && answer.status == ApprovalStatus::Expired {
            work.answer_approval(record.workspace, view.id, &answer).await?;
            work.commit().await?;
        }
        return Ok(Closed::Refused(why));
    }
    if !work.answer_approval(record.workspace, view.id, &answer).await? {
        return Ok(Closed::Late);
    }
    if let Some(Kept { receipt, actor, answer: told }) = kept
        && !receipt.keep(&mut *work, actor, told, answer.at).await?
    {
        return Ok(Closed::Late);
    }
    work.append_events_unleased(view.run_id, answer.at, &[event]).await?;
    if let Some(approved) = approved {
        let args = Some((&approved.args, approved.digest.as_str()));
        let from = [CallStatus::Prepared];
        let moved = work
            .move_call(None, view.run_id, view.tool_call_id, &from, CallStatus::Approved, args, None, answer.at)
            .await?;
        if !moved {
            return Ok(Closed::Late);
        }
    }
    work.insert_audit(&AuditEntry {
        workspace: record.workspace,
        user: answer.by,
        action: format!("approval.{}", word(answer.status)),
        target: view.id.to_string(),
        detail: json!({
            "tool": view.tool_name, "title": answer.sent.as_ref().map_or(&view.title, |sent| &sent.title), "run": view.run_id, "digest": answer.digest,
            "edited": answer.edited_args.is_some(), "reason": answer.reason, "agent": agent,
        }),
        at: answer.at,
    })
    .await?;
    // The run now waits for a worker. That worker shows the status again if the run asks for more.
    match work.take_up_run(view.run_id, answer.at).await? {
        Some(false) => {
            work.append_events_unleased(view.run_id, answer.at, &[waits_its_turn()]).await?;
        }
        // The worker that holds the run reads this answer when it gives the lease back.
        None if run.status != RunStatus::Queued || run.lease_until.is_some() => {
            work.ready_run(view.run_id, answer.at).await?;
        }
        // Either the run can continue now, or an earlier answer already queued it. In the second case, the run reads both answers when its
        // turn comes.
        Some(true) | None => {}
    }
    work.wake(Wake::Events(view.run_id));
    work.wake(Wake::Work);
    work.wake(Wake::Activity(record.user));
    work.durable();
    work.commit().await?;
    Ok(Closed::Done)
}

const fn word(status: ApprovalStatus) -> &'static str {
    match status {
        ApprovalStatus::Pending => "pending",
        ApprovalStatus::Approved => "approved",
        ApprovalStatus::Denied => "denied",
        ApprovalStatus::Cancelled => "cancelled",
        ApprovalStatus::Expired => "expired",
    }
}
