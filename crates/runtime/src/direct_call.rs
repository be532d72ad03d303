//! Ready-made calls that come in place of a question, from a program that speaks the tools' protocol.
//!
//! We check a read like a read of a run, and make it at once. We never make a write here: it begins a run that asks for approval like any
//! other.

use adagent_domain::{Actor, ChatSessionId, RunId, ToolCallId};
use adagent_run_core::{Fault, FaultKind, Ledger, Turn, given_call};
use adagent_store::ChatSession;
use adagent_tools::{CallScope, ProgressSink, ToolInfo, ToolOutput};
use serde_json::Value as Json;

use crate::{
    ControlError,
    deps::RuntimeDeps,
    overrides::{Place, prepared, seed},
    telemetry,
    work::{fault_of, permitted},
};

/// A run that began with a ready-made call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    pub run_id: RunId,
    pub session_id: ChatSessionId,
}

/// Checks and makes a read. The arguments are in the form that the gateway gives them ([`adagent_tools::Gateway::normalise_args`]).
pub async fn read_given(
    deps: &RuntimeDeps,
    scope: &CallScope,
    tool: &ToolInfo,
    args: &Json,
    progress: &mut dyn ProgressSink,
) -> Result<ToolOutput, Fault> {
    if !tool.read_only {
        let told = "This tool changes something and needs an approval.";
        return Err(Fault::new(FaultKind::Deterministic, "NEEDS_APPROVAL", told));
    }
    permitted(&*deps.tools, scope, tool, args).await?;
    telemetry::execute(deps, scope, None, tool, args, None, progress).await.map_err(fault_of)
}

/// Makes all checks of a call without making it, so that a call that would fail later begins no run.
pub async fn check_given(deps: &RuntimeDeps, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<(), Fault> {
    permitted(&*deps.tools, scope, tool, args).await
}

/// Stores a new chat with one message and one run that begins with this call. Each `asked` can have only one open run.
pub async fn begin_call(
    deps: &RuntimeDeps,
    actor: &Actor,
    chat: &ChatSession,
    model: String,
    (tool, args): (&ToolInfo, &Json),
    content: &str,
    asked: Option<&str>,
) -> Result<Given, ControlError> {
    let args = deps.tools.normalise_args(tool, args);
    let (now, id) = (deps.clock.now(), ToolCallId::new(&*deps.ids));
    let digest = deps.tools.digest(tool, &args);
    let state = Turn::new(Ledger::new(format!("/chat/{}", chat.id), deps.config.limits, now));
    let state = given_call(state, (id, tool.name.as_str(), tool.source, tool.read_only), digest.clone());
    // The run does not exist yet and gets its own ID later.
    let (row, shown) = prepared((actor, RunId(id.0)), id, tool, args, digest, now);
    let place = Place { session: chat.id, fresh: Some(chat), model, context: None, agent: None, from: None, asked };
    let run_id = seed(deps, actor, place, content, state, vec![row], vec![shown], None).await?;
    Ok(Given { run_id, session_id: chat.id })
}
