//! A person answers an approval. We check the arguments with the schema that drew the form and bind the answer to their digest. The first
//! answer counts.

mod close;
mod decide;
mod edit;
mod error;
mod withdraw;

use std::time::Duration;

use adagent_contract::{AnswerRequest, ApprovalStatus, CONNECTION, EntityOption, FieldError, PreviewKind};
use adagent_domain::{Actor, ApprovalId, RunId, rights};
use adagent_store::ApprovalRecord;
use adagent_tools::CallScope;
use serde_json::Value as Json;

pub(crate) use self::withdraw::withdrawn;
use self::{
    close::{Closed, Kept, close},
    decide::{RunRefuses, Said, decide, is_open},
    edit::approve,
    withdraw::expired,
};
pub use self::{
    decide::may_answer,
    error::AnswerError,
    withdraw::{expire_due, withdraw_of_connection, withdraw_replaced},
};
use crate::{authority::Authority, deps::RuntimeDeps, receipt::Receipt};

/// Records an answer. Decision, call, event and wake commit together. A second answer finds no pending approval.
pub async fn answer(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    request: AnswerRequest,
) -> Result<RunId, AnswerError> {
    answer_once(deps, actor, by_name, request, None).await
}

/// Does the same as [`answer`], and stores the reply to the request in the same transaction, so that a repeated request gets the same
/// reply.
pub async fn answer_once(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    request: AnswerRequest,
    kept: Option<(&Receipt, &Json)>,
) -> Result<RunId, AnswerError> {
    actor.grant::<rights::ApproveWrites>()?;
    let record = find(deps, actor, request.approval_id).await?;
    let now = deps.clock.now();
    if let Err(closed) = is_open(&record, now) {
        if record.view.status == ApprovalStatus::Pending {
            close(deps, &record, expired(&record, now), None, None).await?;
        }
        return Err(closed);
    }
    let said = if request.approved {
        let approved = approve(deps, actor, &record, request.edited_args).await?;
        let in_vain = already_there(deps, actor, &record, &approved.args).await?;
        if in_vain { Said::ApproveInVain } else { Said::Approve(approved) }
    } else {
        Said::Deny { reason: request.reason }
    };
    let answer = decide(&record, (actor, by_name), &said, now)?;
    let approved = if let Said::Approve(approved) = &said { Some(approved) } else { None };
    let kept = kept.map(|(receipt, answer)| Kept { receipt, actor, answer });
    let closed = close(deps, &record, answer, approved, kept).await?;
    if closed == Closed::Done {
        return Ok(record.view.run_id);
    }
    let now_is = find(deps, actor, request.approval_id).await?.view.status;
    Err(match (now_is, closed) {
        (ApprovalStatus::Pending, Closed::Refused(RunRefuses::Over)) => AnswerError::RunOver,
        (ApprovalStatus::Pending, Closed::Refused(RunRefuses::Stopping)) => AnswerError::Stopping,
        (status, _) => AnswerError::AlreadyAnswered(status),
    })
}

/// Returns an approval that the actor may answer. Reports any other as not found.
async fn find(deps: &RuntimeDeps, actor: &Actor, id: ApprovalId) -> Result<ApprovalRecord, AnswerError> {
    let found = deps.store.find_approval(actor.workspace, id).await?;
    found.filter(|record| may_answer(actor, record)).ok_or(AnswerError::NotFound)
}

/// Returns the choices that the form of a pending approval offers for these arguments. For example, a different account has different apps.
/// This decides nothing, and the arguments may be incomplete.
pub async fn form_choices(
    deps: &RuntimeDeps,
    actor: &Actor,
    approval: ApprovalId,
    args: &Json,
) -> Result<Choices, AnswerError> {
    actor.grant::<rights::ApproveWrites>()?;
    let record = find(deps, actor, approval).await?;
    let view = &record.view;
    if view.status != ApprovalStatus::Pending {
        return Err(AnswerError::AlreadyAnswered(view.status));
    }
    if !args.is_object() {
        return Err(AnswerError::Invalid(vec![FieldError::new("/edited_args", "Expected an object.")]));
    }
    let found = deps.tools.find(actor.workspace, &view.tool_name).await.map_err(AnswerError::Network)?;
    let tool = found.ok_or(AnswerError::NotFound)?;
    let scope = scope_of(deps, actor, &record).await?;
    // Whatever the arguments say, draw the form for the connection that the card was drawn for.
    let mut args = args.clone();
    if let Some(args) = args.as_object_mut() {
        match view.tool_input.get(CONNECTION) {
            Some(connection) => args.insert(CONNECTION.to_owned(), connection.clone()),
            None => args.shift_remove(CONNECTION),
        };
    }
    let sketch = deps.tools.sketch(&scope, &tool, &args).await.map_err(AnswerError::Network)?;
    Ok(sketch.ui_hints.options)
}

/// The choices of a form, by kind.
pub type Choices = std::collections::BTreeMap<String, Vec<EntityOption>>;

/// Returns the scope of an approval's call: what its run may do now, through the connection that the card was drawn for.
async fn scope_of(deps: &RuntimeDeps, actor: &Actor, record: &ApprovalRecord) -> Result<CallScope, AnswerError> {
    let view = &record.view;
    let run = deps.store.find_run_unscoped(view.run_id).await?.ok_or(AnswerError::NotFound)?;
    let Authority { settings, grants, .. } = Authority::of(&*deps.store, &run).await?;
    let (call, connection) = (view.tool_call_id, view.ui_hints.goes_to);
    // The change belongs to the person who asked for it, not to the person who approves it.
    Ok(CallScope { workspace: actor.workspace, user: record.user, call, settings, grants, connection })
}

/// How long we wait for the network's current values. Without them, we check the change again before we send it.
const LOOK_TIME: Duration = Duration::from_secs(10);

/// Checks whether another change has already set these values. If so, an approval sends nothing, and we must not record it as approved.
async fn already_there(
    deps: &RuntimeDeps,
    actor: &Actor,
    record: &ApprovalRecord,
    args: &Json,
) -> Result<bool, AnswerError> {
    let view = &record.view;
    if view.preview.kind != PreviewKind::Update || view.preview.changes_nothing() {
        return Ok(false);
    }
    let Some(tool) = deps.tools.tool(&view.tool_name) else { return Ok(false) };
    let scope = scope_of(deps, actor, record).await?;
    let looked = tokio::time::timeout(LOOK_TIME, deps.tools.sketch(&scope, &tool, args)).await;
    Ok(matches!(looked, Ok(Ok(sketch)) if sketch.preview.changes_nothing()))
}
