//! Which agent a call asks, and whether this run may ask it.

use adagent_contract::{MOST_DEPTH, TaskArgs, handle_of};
use adagent_run_core::{AgentTask, Fault, FaultKind};
use adagent_store::{Agent, EngineStore, Run, StoreError};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::authority::{above, unusable};

/// Returns the task from these arguments, with the agent in its current version.
pub(super) async fn task_of(store: &dyn EngineStore, run: &Run, args: &Json) -> Result<AgentTask, Fault> {
    let unfit = |error: serde_json::Error| refused("INVALID_ARGUMENT", format!("The arguments do not fit: {error}."));
    let TaskArgs { agent, task } = TaskArgs::deserialize(args).map_err(unfit)?;
    if run.depth >= MOST_DEPTH {
        let told = format!("A task is handed on {MOST_DEPTH} times at most. Nothing was asked.");
        return Err(refused("TOO_DEEP", told));
    }
    let handle = handle_of(&agent);
    let user = run.principal.user;
    let found = store.find_agents_by_handle(run.workspace, user, &handle).await.map_err(unread)?;
    let Some(found) = found.first() else {
        return Err(refused("NO_SUCH_AGENT", format!("There is no agent named @{handle} anymore.")));
    };
    if let Some(why) = unusable(found, user) {
        return Err(refused("AGENT_OFF", why));
    }
    let Agent { id: agent, body, .. } = found;
    let before = above(store, run).await.map_err(unread)?;
    let asks = std::iter::once(run).chain(&before).any(|one| one.principal.agent == Some(*agent));
    if asks {
        return Err(refused("ASKED_BEFORE", format!("@{handle} is at work on this already, so it isn't asked again.")));
    }
    let stored = store.find_context(run.workspace, user).await.map_err(unread)?;
    let settings = stored.of_run(body.model.clone(), run.context.as_ref());
    let model = settings.model.clone().unwrap_or_else(|| run.model.clone());
    Ok(AgentTask { agent: *agent, mark: body.mark(), task, model, settings })
}

fn refused(code: &str, message: String) -> Fault {
    Fault::new(FaultKind::Deterministic, code, message)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` takes it")]
fn unread(error: StoreError) -> Fault {
    tracing::warn!(%error, "an agent to be asked could not be read");
    Fault::new(FaultKind::Retryable, "UNAVAILABLE", "The agents couldn't be read. Nothing was asked.")
}
