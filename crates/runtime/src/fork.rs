//! Continues from a saved state in a new run: unchanged, with another message, or with other arguments of one call.
//!
//! A fork never repeats what the old run has sent, and denies what the old run may still send. A change that the fork proposes needs its
//! own approval, which says so if the old run sent the same change.

use adagent_contract::{CallResult, EventBody, FieldError, ForkRequest};
use adagent_domain::{Actor, CheckpointId, RunId, ToolCallId, WorkspaceId};
use adagent_run_core::{Call, CallState, ForkError, ForkWith, Turn, fork, from_text};
use adagent_store::{CallStatus, Run};
use serde_json::{Value as Json, json};

use crate::{
    ControlError,
    attempts::{self, Left},
    deps::RuntimeDeps,
    overrides::{Place, seed},
    receipt::Receipt,
};

/// Continues from a saved state without a change.
pub async fn fork_run(
    deps: &RuntimeDeps,
    actor: &Actor,
    run: RunId,
    checkpoint: CheckpointId,
) -> Result<RunId, ControlError> {
    fork_run_with(deps, actor, run, checkpoint, &ForkRequest::default(), None).await
}

/// Begins the fork, at most once per receipt.
pub async fn fork_run_with(
    deps: &RuntimeDeps,
    actor: &Actor,
    run: RunId,
    checkpoint: CheckpointId,
    request: &ForkRequest,
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let old = deps.store.find_run(actor.workspace, actor.user, run).await?.ok_or(ControlError::NotFound)?;
    if old.parent.is_some() || !deps.store.list_children(run).await?.is_empty() {
        // The runs below have their own lanes. A copy of them would work at the same time and ask for the same changes.
        return Err(ControlError::NotPossible(DELEGATED.into()));
    }
    let saved = deps.store.find_checkpoint(run, checkpoint).await?.ok_or(ControlError::NotFound)?;
    let turn = old.turn().ok_or(ControlError::NotFound)?;
    let message = deps.store.find_message(actor.workspace, actor.user, turn.message).await?;
    let message = message.ok_or(ControlError::NotFound)?;
    let from = from_text::<Turn>(&saved.state)?;
    let changed = changed_call(deps, actor.workspace, &from, request).await?;
    let with = match (&request.message, &changed) {
        (Some(_), _) => ForkWith::Question,
        (None, Some(changed)) => ForkWith::Args { call: changed.id, digest: changed.digest.clone() },
        (None, None) => ForkWith::Nothing,
    };
    let old_rows = deps.store.list_calls(run).await?;
    let left = attempts::by_run(deps, run, &old_rows).await?;
    let sent: Vec<_> = left.iter().map(Left::sent).collect();
    let forked = fork(&from, &with, &sent, deps.clock.now(), &deps.config.limits, &*deps.ids);
    let (state, pairs) = forked.map_err(|error| refused(error, request))?;
    let new_id = |old: ToolCallId| pairs.iter().find(|(from, _)| *from == old).map(|(_, to)| *to);
    let changed_id = changed.as_ref().and_then(|changed| new_id(changed.id));

    let mut rows = Vec::new();
    for mut row in old_rows {
        let Some(id) = new_id(row.id) else { continue };
        let settled = from.call(row.id).is_some_and(Call::is_settled);
        row.status = state.call(id).map_or(CallStatus::Denied, row_status);
        // The fork does not know a result that came after this state, unless it is the result of a write that the old run sent.
        if !settled && row.status != CallStatus::Succeeded {
            row.outcome = CallResult::default();
        }
        row.id = id;
        if let (Some(changed), true) = (&changed, Some(id) == changed_id) {
            row.args.clone_from(&changed.args);
            row.digest.clone_from(&changed.digest);
        }
        rows.push(row);
    }
    let mut events = inherited(deps, &old, saved.seq, &new_id, request.message.is_none()).await?;
    if let (Some(changed), Some(id)) = (&changed, changed_id) {
        events.retain(|event| result_of(event) != Some(id));
        for event in &mut events {
            if let EventBody::Tool { tool_call_id, params, approved, .. } = event
                && *tool_call_id == id
            {
                params.clone_from(&changed.args);
                *approved = None;
            }
        }
    }
    for call in &state.ledger.calls {
        if !events.iter().any(|event| result_of(event) == Some(call.id)) {
            let result = rows
                .iter()
                .find(|row| row.id == call.id)
                .map(|row| row.outcome.brief())
                .filter(|result| !result.is_null());
            events.extend(left_behind(call, result));
        }
    }
    let content = request.message.as_ref().unwrap_or(&message.content);
    seed(deps, actor, Place::beside(&old, saved.step)?, content, state, rows, events, receipt).await
}

/// Returns the event for a write that the old run keeps for itself or has made since.
fn left_behind(call: &Call, result: Option<Json>) -> Option<EventBody> {
    let (tool_call_id, name) = (call.id, call.name.clone());
    let (ok, summary, result) = match &call.state {
        CallState::Denied { reason, .. } => {
            return Some(EventBody::ToolDenied {
                tool_call_id,
                tool_name: name,
                reason: reason.clone(),
                unknown: false,
            });
        }
        CallState::Unknown { why, .. } => (false, why.clone(), json!({ "error": { "message": why } })),
        CallState::Succeeded => {
            (true, call.summary.clone().unwrap_or_default(), result.unwrap_or_else(|| json!({ "done": true })))
        }
        _ => return None,
    };
    Some(EventBody::ToolResult {
        tool_call_id,
        name,
        ok,
        summary,
        result,
        artifact: None,
        duration_ms: 0,
        cached: false,
    })
}

const DELEGATED: &str =
    "Agents were asked in this run, and a copy of it would ask them again. Send a new message instead.";

/// A call with the arguments it gets in the fork.
struct Changed {
    id: ToolCallId,
    args: Json,
    digest: String,
}

/// Returns the call that gets other arguments, after their form and schema were checked like a model's. The run checks IDs in them when it
/// continues.
async fn changed_call(
    deps: &RuntimeDeps,
    workspace: WorkspaceId,
    from: &Turn,
    request: &ForkRequest,
) -> Result<Option<Changed>, ControlError> {
    let Some(args) = &request.args else { return Ok(None) };
    let call = match request.tool_call_id {
        Some(id) => from.call(id),
        None => from.ledger.calls.iter().rfind(|call| !call.is_settled()),
    };
    let call = call.ok_or_else(|| {
        let named = "Name a call of this saved state; none of them is open.";
        ControlError::Invalid(vec![FieldError::new("/tool_call_id", named)])
    })?;
    let tool = deps
        .tools
        .find(workspace, &call.name)
        .await
        .map_err(|error| ControlError::NotPossible(error.message))?
        .ok_or_else(|| ControlError::NotPossible(format!("The tool {} no longer exists.", call.name)))?;
    let args = deps.tools.normalise_args(&tool, args);
    let errors = deps.tools.check(&tool, &args);
    if !errors.is_empty() {
        let errors = errors.into_iter().map(|e| FieldError::new(format!("/args{}", e.pointer), e.message));
        return Err(ControlError::Invalid(errors.collect()));
    }
    let digest = deps.tools.digest(&tool, &args);
    Ok(Some(Changed { id: call.id, args, digest }))
}

fn refused(error: ForkError, request: &ForkRequest) -> ControlError {
    match error {
        ForkError::NoSuchCall => {
            let pointer = if request.tool_call_id.is_some() { "/tool_call_id" } else { "/args" };
            ControlError::Invalid(vec![FieldError::new(pointer, error.to_string())])
        }
        ForkError::AlreadySent => ControlError::NotPossible(error.to_string()),
    }
}

/// Returns the old run's events until then, in the form that the fork's own record needs.
async fn inherited(
    deps: &RuntimeDeps,
    old: &Run,
    until: u64,
    new_id: &(dyn Fn(ToolCallId) -> Option<ToolCallId> + Sync),
    with_thoughts: bool,
) -> Result<Vec<EventBody>, ControlError> {
    let mut events = Vec::new();
    let mut after = 0;
    loop {
        let page = deps.store.list_events(old.id, after, 500).await?;
        let Some(last) = page.last() else { return Ok(events) };
        after = last.seq;
        for event in page {
            if event.seq > until {
                return Ok(events);
            }
            events.extend(copied(event.body, new_id, with_thoughts));
        }
    }
}

const fn row_status(call: &Call) -> CallStatus {
    match call.state {
        CallState::Succeeded => CallStatus::Succeeded,
        CallState::Failed { .. } => CallStatus::Failed,
        CallState::Unknown { .. } => CallStatus::Unknown,
        CallState::Proposed | CallState::Ready => CallStatus::Prepared,
        _ => CallStatus::Denied,
    }
}

const fn result_of(event: &EventBody) -> Option<ToolCallId> {
    match event {
        EventBody::ToolResult { tool_call_id, .. } | EventBody::ToolDenied { tool_call_id, .. } => Some(*tool_call_id),
        _ => None,
    }
}

/// Returns the fork's copy of an event. Leaves out questions to people, endings and the times of nodes. With another question, also leaves
/// out thoughts about the old one.
fn copied(
    event: EventBody,
    new_id: &(dyn Fn(ToolCallId) -> Option<ToolCallId> + Sync),
    with_thoughts: bool,
) -> Option<EventBody> {
    match event {
        EventBody::Tool { tool_call_id, name, source, params, read_only, approved } => {
            Some(EventBody::Tool { tool_call_id: new_id(tool_call_id)?, name, source, params, read_only, approved })
        }
        EventBody::ToolResult { tool_call_id, name, ok, summary, result, artifact, duration_ms, cached } => {
            let tool_call_id = new_id(tool_call_id)?;
            Some(EventBody::ToolResult { tool_call_id, name, ok, summary, result, artifact, duration_ms, cached })
        }
        EventBody::ToolDenied { tool_call_id, tool_name, reason, unknown } => {
            Some(EventBody::ToolDenied { tool_call_id: new_id(tool_call_id)?, tool_name, reason, unknown })
        }
        EventBody::Plan { mut plan } => with_thoughts.then(|| {
            for step in &mut plan.steps {
                step.tool_call_id = step.tool_call_id.and_then(new_id);
                step.calls = step.calls.iter().filter_map(|id| new_id(*id)).collect();
            }
            EventBody::Plan { plan }
        }),
        kept @ (EventBody::Routing { .. } | EventBody::Agent { task: Some(_), .. } | EventBody::Thinking { .. }) => {
            with_thoughts.then_some(kept)
        }
        _ => None,
    }
}
