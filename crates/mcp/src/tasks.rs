//! Tasks are runs: stored, resumed by any server, looked at on the desk. The run's id is the task's.

use std::sync::Arc;

use adagent_contract::{RunStatus, RunView};
use adagent_domain::{Actor, RunId};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
    },
    service::RequestContext,
};

use crate::{Shared, answers, call::inputs, who};

const POLL_MS: u64 = 1_000;

/// Whether the client takes a task instead of an answer. What it said at the beginning of a session does not count: by the extension's
/// specification each request says it for itself, and clients that never do would not know what to do with a task.
pub(crate) fn wanted(context: &RequestContext<RoleServer>) -> bool {
    context.meta.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

pub(crate) async fn created(shared: &Arc<Shared>, actor: &Actor, run: RunId) -> Result<CallToolResponse, ErrorData> {
    let run = shared.service.run(actor, run).await.map_err(|error| who::failed(&error))?;
    Ok(CreateTaskResult::new(task(&run, TaskStatus::Working)).into())
}

pub(crate) async fn get(shared: &Arc<Shared>, actor: &Actor, id: &str) -> Result<GetTaskResult, ErrorData> {
    let id = parse(id)?;
    let run = shared.service.run(actor, id).await.map_err(|error| who::failed(&error))?;
    let turn = shared.service.turn(actor, id).await.map_err(|error| who::failed(&error))?;
    let payload = match turn.status {
        RunStatus::Queued | RunStatus::Running => TaskPayload::Working,
        RunStatus::AwaitingApproval => {
            let input_requests = inputs(shared, &turn);
            if input_requests.is_empty() { TaskPayload::Working } else { TaskPayload::InputRequired { input_requests } }
        }
        RunStatus::Cancelled => TaskPayload::Cancelled,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Stopped => {
            let answer = serde_json::to_value(answers::run(shared, &turn));
            let result: JsonObject = answer.ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
            TaskPayload::Completed { result }
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(&run, payload.status()), payload)))
}

pub(crate) async fn cancel(shared: &Arc<Shared>, actor: &Actor, id: &str) -> Result<(), ErrorData> {
    shared.service.cancel_run(actor, parse(id)?).await.map_err(|error| who::failed(&error))
}

fn parse(id: &str) -> Result<RunId, ErrorData> {
    id.parse().map_err(|_| ErrorData::invalid_params(format!("There is no task {}.", who::quoted(id)), None))
}

fn task(run: &RunView, status: TaskStatus) -> Task {
    let updated = run.finished_at.or(run.started_at).unwrap_or(run.created_at);
    Task::new(run.id.to_string(), status, run.created_at.to_string(), updated.to_string())
        .with_poll_interval_ms(POLL_MS)
        .with_status_message(run.status.as_str())
}
