//! A person answers an approval: checked with the schema that drew the form, bound to the digest, first answer wins.

use std::time::Duration;

use adagent_contract::{
    AnswerRequest, ApprovalStatus, CONNECTION, EntityOption, EventBody, FieldError, FieldHint, NOTHING_TO_SEND,
    PreviewKind, RunStatus, SentChange, UiHints, Widget, edits,
};
use adagent_domain::{Actor, ApprovalId, ConnectionId, Denied, Network, RunId, Source, UserId, rights};
use adagent_store::{ApprovalAnswer, ApprovalRecord, AuditEntry, CallStatus, StoreError, Wake};
use adagent_tools::{CallScope, ToolError};
use serde_json::{Value as Json, json};

use crate::{authority::Authority, deps::RuntimeDeps, overrides::waits_its_turn, receipt::Receipt, work::ungrounded};

/// Why an answer was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("this approval doesn't exist")]
    NotFound,
    #[error("the approval was already answered")]
    AlreadyAnswered(ApprovalStatus),
    #[error("the approval expired before it was answered")]
    Expired,
    #[error("the run has ended, so the answer changes nothing")]
    RunOver,
    #[error("the run is stopping, so nothing more is sent")]
    Stopping,
    #[error(transparent)]
    Forbidden(#[from] Denied),
    #[error("the edited arguments cannot be sent")]
    Invalid(Vec<FieldError>),
    #[error("the network could not be asked about the arguments: {0}")]
    Network(#[source] ToolError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What may be sent after an approval.
struct Approved {
    args: Json,
    digest: String,
    /// What they do, in words, when they were edited.
    edited: Option<SentChange>,
}

/// Takes an answer. Decision, call, event and wake commit together; a second answer finds nothing pending.
pub async fn answer(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    request: AnswerRequest,
) -> Result<RunId, AnswerError> {
    answer_once(deps, actor, by_name, request, None).await
}

/// As [`answer`], and keeps in the same transaction what the request is answered, so that its repetition is too.
pub async fn answer_once(
    deps: &RuntimeDeps,
    actor: &Actor,
    by_name: &str,
    request: AnswerRequest,
    kept: Option<(&Receipt, &Json)>,
) -> Result<RunId, AnswerError> {
    actor.grant::<rights::ApproveWrites>()?;
    let record = deps
        .store
        .find_approval(actor.workspace, actor.user, request.approval_id)
        .await?
        .ok_or(AnswerError::NotFound)?;
    match record.view.status {
        ApprovalStatus::Pending => {}
        ApprovalStatus::Expired => return Err(AnswerError::Expired),
        answered => return Err(AnswerError::AlreadyAnswered(answered)),
    }
    let now = deps.clock.now();
    if record.view.expires_at.is_some_and(|at| at <= now) {
        close(deps, &record, expired(&record, now), None, None).await?;
        return Err(AnswerError::Expired);
    }
    let approved =
        if request.approved { Some(approve(deps, actor, &record, request.edited_args).await?) } else { None };
    let late = match &approved {
        Some(approved) => already_there(deps, actor, &record, &approved.args).await?,
        None => false,
    };
    let approved = approved.filter(|_| !late);
    let reason =
        request.reason.map(|text| text.trim().chars().take(1000).collect::<String>()).filter(|text| !text.is_empty());
    let answer = ApprovalAnswer {
        status: if approved.is_some() { ApprovalStatus::Approved } else { ApprovalStatus::Denied },
        by: actor.user,
        by_name: by_name.to_owned(),
        at: now,
        edited_args: approved.as_ref().filter(|a| a.edited.is_some()).map(|a| a.args.clone()),
        sent: approved.as_ref().and_then(|a| a.edited.clone()),
        digest: approved.as_ref().map_or_else(|| record.digest.clone(), |a| a.digest.clone()),
        reason,
    };
    let answer = if late {
        withdrawn(&record, ApprovalStatus::Cancelled, actor.user, by_name, NOTHING_TO_SEND, now)
    } else {
        answer
    };
    let kept = kept.map(|(receipt, answer)| Kept { receipt, actor, answer });
    let closed = close(deps, &record, answer, approved.as_ref(), kept).await?;
    if closed == Closed::Done {
        return Ok(record.view.run_id);
    }
    let now_is = deps.store.find_approval(actor.workspace, actor.user, request.approval_id).await?;
    Err(match (now_is.map(|record| record.view.status), closed) {
        (None, _) => AnswerError::NotFound,
        (Some(ApprovalStatus::Pending), Closed::RunOver) => AnswerError::RunOver,
        (Some(ApprovalStatus::Pending), Closed::Stopping) => AnswerError::Stopping,
        (Some(status), _) => AnswerError::AlreadyAnswered(status),
    })
}

/// What the form of a waiting approval may offer with these arguments: another account has apps of its own. Nothing is decided, and
/// the arguments need not be complete yet.
pub async fn form_choices(
    deps: &RuntimeDeps,
    actor: &Actor,
    approval: ApprovalId,
    args: &Json,
) -> Result<Choices, AnswerError> {
    actor.grant::<rights::ApproveWrites>()?;
    let record = deps.store.find_approval(actor.workspace, actor.user, approval).await?.ok_or(AnswerError::NotFound)?;
    let view = &record.view;
    if view.status != ApprovalStatus::Pending {
        return Err(AnswerError::AlreadyAnswered(view.status));
    }
    if !args.is_object() {
        return Err(AnswerError::Invalid(vec![FieldError::new("/edited_args", "Expected an object.")]));
    }
    let tool = deps.tools.tool(&view.tool_name).ok_or(AnswerError::NotFound)?;
    let scope = scope_of(deps, actor, &record).await?;
    // Whatever the arguments say, it is drawn for the connection it was asked for.
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

/// Choices of a form by kind.
pub type Choices = std::collections::BTreeMap<String, Vec<EntityOption>>;

/// In which scope the call of an approval is looked at: the one its run began under, through the connection it was asked for.
async fn scope_of(deps: &RuntimeDeps, actor: &Actor, record: &ApprovalRecord) -> Result<CallScope, AnswerError> {
    let view = &record.view;
    let run = deps.store.find_run_unscoped(view.run_id).await?.ok_or(AnswerError::NotFound)?;
    let Authority { settings, grants, .. } = Authority::of(&*deps.store, &run).await?;
    let (call, connection) = (view.tool_call_id, view.ui_hints.goes_to);
    // The change belongs to the person who asked, not to the one who approves.
    Ok(CallScope { workspace: actor.workspace, user: record.user, call, settings, grants, connection })
}

/// How long the network may take to say what it has now. Without an answer the change is looked at again before it is sent.
const LOOK_TIME: Duration = Duration::from_secs(10);

/// Whether what was asked has been set since, by another change: approving it sends nothing, and it must not stand as approved.
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

/// The arguments that would be sent, checked as strictly as the model's own.
async fn approve(
    deps: &RuntimeDeps,
    actor: &Actor,
    record: &ApprovalRecord,
    edited: Option<Json>,
) -> Result<Approved, AnswerError> {
    let view = &record.view;
    let unedited = || Approved { args: view.tool_input.clone(), digest: record.digest.clone(), edited: None };
    let Some(args) = edited.filter(|args| *args != view.tool_input) else { return Ok(unedited()) };
    let tool = deps.tools.tool(&view.tool_name).ok_or(AnswerError::NotFound)?;
    // What follows from other fields follows from the edited ones now.
    let args = deps.tools.normalise_args(&tool, &args);
    if args == view.tool_input {
        return Ok(unedited());
    }
    if !args.is_object() {
        return Err(AnswerError::Invalid(vec![FieldError::new("/edited_args", "Expected an object.")]));
    }
    let prefixed = |pointer: &str| format!("/edited_args{pointer}");
    let moved: Vec<_> = fixed(&view.ui_hints)
        .filter(|hint| args.pointer(&hint.pointer) != view.tool_input.pointer(&hint.pointer))
        .map(|hint| {
            let why = format!("{} can't be changed here. Ask for that change in the chat instead.", hint.label);
            FieldError::new(prefixed(&hint.pointer), why)
        })
        .collect();
    let moved: Vec<_> = moved.into_iter().chain(strange_rows(&view.ui_hints.fields, &view.tool_input, &args)).collect();
    if !moved.is_empty() {
        return Err(AnswerError::Invalid(moved));
    }
    // It is sent through the connection it was asked for: arguments that name another would say what does not happen.
    if args.get(CONNECTION) != view.tool_input.get(CONNECTION) {
        let why = "The account this goes to can't be changed here. Ask for that change in the chat instead.";
        return Err(AnswerError::Invalid(vec![FieldError::new(prefixed(&format!("/{CONNECTION}")), why)]));
    }
    let errors = deps.tools.check(&tool, &args);
    if !errors.is_empty() {
        let errors = errors.into_iter().map(|e| FieldError::new(prefixed(&e.pointer), e.message));
        return Err(AnswerError::Invalid(errors.collect()));
    }
    let scope = scope_of(deps, actor, record).await?;
    let issues = deps.tools.ground(&scope, &tool, &args).await.map_err(AnswerError::Network)?;
    if !issues.is_empty() {
        let fault = ungrounded(issues);
        let errors = fault.issues.into_iter().map(|issue| FieldError::new(prefixed(&issue.pointer), issue.message));
        return Err(AnswerError::Invalid(errors.collect()));
    }
    // The words of the card are about what was proposed; the record tells what is sent.
    let sketch = deps.tools.sketch(&scope, &tool, &args).await.map_err(AnswerError::Network)?;
    let digest = deps.tools.digest(&tool, &args);
    Ok(Approved { args, digest, edited: Some(SentChange { title: sketch.title, preview: sketch.preview }) })
}

/// Fields that the form shows and nobody edits: what the change is about. The mask is among them only for show; it follows from
/// the body.
fn fixed(hints: &UiHints) -> impl Iterator<Item = &FieldHint> {
    hints.fields.iter().filter(|hint| hint.widget == Widget::ReadOnly && hint.pointer != "/updateMask")
}

/// Rows that are about something the question was not about: what the form shows of a row as read-only is that of a row that was
/// asked for, and where rows say what is changed each is there once.
fn strange_rows(fields: &[FieldHint], was: &Json, is: &Json) -> Vec<FieldError> {
    let mut found = Vec::new();
    for hint in fields.iter().filter(|hint| !hint.fields.is_empty()) {
        let rows = |args: &Json| args.pointer(&hint.pointer).map(keyed).unwrap_or_default();
        let (old, new) = (rows(was), rows(is));
        let about: Vec<&FieldHint> = hint.fields.iter().filter(|field| field.widget == Widget::ReadOnly).collect();
        let told = |row: &Json| about.iter().map(|field| row.pointer(&field.pointer).cloned()).collect::<Vec<_>>();
        let mut used = Vec::new();
        for (key, row) in &new {
            let same = |(_, (other_key, other)): &(usize, &(String, Json))| {
                if about.is_empty() { other_key == key } else { told(other) == told(row) }
            };
            let match_of = old.iter().enumerate().filter(|(at, _)| !hint.fixed || !used.contains(at)).find(same);
            let place = format!("/edited_args{}/{key}", hint.pointer);
            match match_of {
                Some((at, (_, before))) => {
                    used.push(at);
                    let inner = strange_rows(&hint.fields, before, row);
                    found.extend(inner.into_iter().map(|error| {
                        let inside = error.pointer.strip_prefix("/edited_args").unwrap_or_default();
                        FieldError::new(format!("{place}{inside}"), error.message)
                    }));
                }
                None if !about.is_empty() || hint.fixed => {
                    let why = "This row isn't part of what was asked. Ask for that change in the chat instead.";
                    found.push(FieldError::new(place, why));
                }
                None => {}
            }
        }
    }
    found
}

/// Rows of a list by number, of a map by key.
fn keyed(value: &Json) -> Vec<(String, Json)> {
    match value {
        Json::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item.clone())).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }
}

/// What the request that brought the answer is told, now and whenever it is repeated.
struct Kept<'a> {
    receipt: &'a Receipt,
    actor: &'a Actor,
    answer: &'a Json,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    Done,
    /// Somebody was faster.
    Late,
    RunOver,
    /// An approval after somebody asked to stop.
    Stopping,
}

/// Writes an answer with everything that goes with it, or nothing.
async fn close(
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
    // The lane first, then the run's row, as a worker does, so that the two never wait for each other.
    let lane = deps.store.find_run_unscoped(view.run_id).await?.map(|run| run.lane);
    if let Some(lane) = lane {
        work.lock_lane(lane).await?;
    }
    let Some(run) = work.lock_run(view.run_id).await? else { return Ok(Closed::Late) };
    if run.status.is_final() {
        // Only what nobody can answer any more is still closed, without an event after the last.
        if answer.status == ApprovalStatus::Expired {
            work.answer_approval(record.workspace, view.id, &answer).await?;
            work.commit().await?;
        }
        return Ok(Closed::RunOver);
    }
    if approved.is_some() && run.cancel_requested {
        return Ok(Closed::Stopping);
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
            "edited": answer.edited_args.is_some(), "reason": answer.reason,
        }),
        at: answer.at,
    })
    .await?;
    // It waits for a worker now; what else it asks, that worker says again.
    match work.take_up_run(view.run_id, answer.at).await? {
        Some(false) => {
            work.append_events_unleased(view.run_id, answer.at, &[waits_its_turn()]).await?;
        }
        // The worker that holds the run hears of this answer when it gives the lease back.
        None if run.status != RunStatus::Queued || run.lease_until.is_some() => {
            work.ready_run(view.run_id, answer.at).await?;
        }
        // It has its turn; or another answer came before, and both are heard when its turn comes.
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

fn expired(record: &ApprovalRecord, at: adagent_domain::Timestamp) -> ApprovalAnswer {
    withdrawn(record, ApprovalStatus::Expired, record.user, "nobody", "No one answered in time.", at)
}

/// An answer nobody gave: expired, or overtaken by something else.
pub(crate) fn withdrawn(
    record: &ApprovalRecord,
    status: ApprovalStatus,
    by: UserId,
    by_name: &str,
    reason: &str,
    at: adagent_domain::Timestamp,
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

/// Cancels every pending approval of a workspace that would go through this connection. Their runs continue without it. Returns how many.
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
        // One that was asked for before there could be several says none: it was this one's as much as any other's.
        let of_it = record.view.ui_hints.goes_to.is_none_or(|goes_to| goes_to == connection);
        if record.view.source == Source::Network(network) && of_it {
            let answer = withdrawn(&record, ApprovalStatus::Cancelled, actor.user, by_name, reason, now);
            closed += u64::from(close(deps, &record, answer, None, None).await? == Closed::Done);
        }
    }
    Ok(closed)
}

/// A workspace that has more waiting has other sorrows; what is left is refused when it is to be sent.
const MOST_PENDING: u32 = 1000;

/// Closes approvals whose time is over; their runs go on with a denial. Gives how many.
pub async fn expire_due(deps: &RuntimeDeps) -> Result<u64, StoreError> {
    const AT_ONCE: u32 = 100;
    let now = deps.clock.now();
    let mut closed = 0;
    for record in deps.store.list_expired_approvals(now, AT_ONCE).await? {
        closed += u64::from(close(deps, &record, expired(&record, now), None, None).await? == Closed::Done);
    }
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(pointer: &str, widget: Widget) -> FieldHint {
        FieldHint { pointer: pointer.into(), widget, ..FieldHint::default() }
    }

    fn strange(fixed: bool, was: &Json, is: &Json) -> Vec<String> {
        let inner = vec![field("/id", Widget::ReadOnly), field("/name", Widget::Text)];
        let rows = FieldHint { fields: inner, fixed, ..field("/body", Widget::Objects) };
        strange_rows(&[rows], was, is).into_iter().map(|error| error.pointer).collect()
    }

    #[test]
    fn rows_of_a_change_may_go_and_move_but_none_may_be_about_something_else() {
        let was = json!({"body": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]});
        let none: [&str; 0] = [];
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 2, "name": "c"}]})), none);
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 2}, {"id": 1}]})), none, "in another order");
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 1}, {"id": 3}]})), ["/edited_args/body/1"]);
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 1}, {"id": 1}]})), ["/edited_args/body/1"], "twice");
        assert_eq!(
            strange(false, &was, &json!({"body": [{"id": 1}, {"id": 1}]})),
            none,
            "two of the same place are made"
        );
    }
}
