//! Tasks are runs: stored, continued by any server, shown on our pages. A task has the ID of its run.

use std::{collections::BTreeSet, sync::Arc};

use adagent_contract::{RunStatus, RunView, TurnView};
use adagent_domain::{AccessTokenId, Actor, RunId};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
    },
    service::RequestContext,
};

use crate::{
    Shared, answers,
    call::{inputs, key_of},
    who,
};

const POLL_MS: u64 = 1_000;

/// Checks whether the client accepts a task instead of an answer. What it said at the start of a session does not count: by the extension's
/// specification, each request says it for itself, and a client that never does would not know what to do with a task.
pub(crate) fn wanted(context: &RequestContext<RoleServer>) -> bool {
    context.meta.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

pub(crate) async fn created(shared: &Arc<Shared>, actor: &Actor, run: RunId) -> Result<CallToolResponse, ErrorData> {
    let run = shared.service.run(actor, run).await.map_err(|error| who::failed(&error))?;
    Ok(CreateTaskResult::new(task(&run, TaskStatus::Working)).into())
}

pub(crate) async fn get(
    shared: &Arc<Shared>,
    actor: &Actor,
    token: AccessTokenId,
    id: &str,
) -> Result<GetTaskResult, ErrorData> {
    let id = parse(id)?;
    let run = shared.service.run(actor, id).await.map_err(|error| who::failed(&error))?;
    let turn = shared.service.turn_with_agents(actor, id).await.map_err(|error| who::failed(&error))?;
    let payload = match turn.status {
        RunStatus::Queued | RunStatus::Running => TaskPayload::Working,
        RunStatus::AwaitingApproval => {
            let mut input_requests = inputs(shared, &turn);
            let told = answered(shared, token, id).await?;
            input_requests.retain(|key, _| !told.contains(key));
            // The client has done its part; now a person must decide.
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

/// Notes for which questions the client has led its person to the page, so that we do not ask them again. This answers none of them: the
/// run says what happened to an approval.
pub(crate) async fn update(
    shared: &Arc<Shared>,
    actor: &Actor,
    token: AccessTokenId,
    id: &str,
    keys: impl Iterator<Item = String>,
) -> Result<(), ErrorData> {
    let id = parse(id)?;
    let turn = shared.service.turn_with_agents(actor, id).await.map_err(|error| who::failed(&error))?;
    let before = answered(shared, token, id).await?;
    let now = outstanding(&turn, &before, keys);
    if now.len() == before.len() {
        return Ok(());
    }
    let data = serde_json::to_string(&now).unwrap_or_default();
    let kept = shared.service.keep_program_session(token, &noted(id), data).await;
    kept.map_err(|error| who::failed(&error))
}

/// Returns the keys that were answered before, and those of `keys` that the run waits for.
fn outstanding(turn: &TurnView, before: &BTreeSet<String>, keys: impl Iterator<Item = String>) -> BTreeSet<String> {
    let asked: BTreeSet<String> = answers::pending(turn).map(key_of).collect();
    before.iter().cloned().chain(keys.filter(|key| asked.contains(key))).collect()
}

/// Returns the keys that this token's client has answered, at any server.
async fn answered(shared: &Shared, token: AccessTokenId, run: RunId) -> Result<BTreeSet<String>, ErrorData> {
    let kept = shared.service.program_session(token, &noted(run)).await.map_err(|error| who::failed(&error))?;
    Ok(kept.and_then(|data| serde_json::from_str(&data).ok()).unwrap_or_default())
}

/// Returns the key of a task's note in the table of sessions. The IDs of sessions contain no slash.
fn noted(run: RunId) -> String {
    format!("tasks/{run}")
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

#[cfg(test)]
mod tests {
    use adagent_contract::TurnApproval;
    use serde_json::json;

    use super::*;

    fn approval(n: u8, status: &str) -> TurnApproval {
        let id = |kind: u8| format!("019aa000-0000-7000-8000-0000000000{kind}{n}");
        serde_json::from_value(json!({
            "approval_id": id(1), "tool_call_id": id(2), "tool_name": "admob_create_app", "network": "admob",
            "title": "Create an app", "tool_input": {}, "parameter_schema": {}, "ui_hints": {"fields": [], "options": {}}, "risk": "write",
            "warnings": [], "preview": {"kind": "create", "changes": []}, "asked_at": "2026-11-19T08:00:00Z",
            "status": status, "edits": [], "made": false
        }))
        .unwrap()
    }

    #[test]
    fn a_question_that_was_answered_leaves_and_the_other_one_stays() {
        let mut turn = TurnView::new("019aa000-0000-7000-8000-000000000001".parse().unwrap());
        turn.approvals = vec![approval(1, "pending"), approval(2, "pending"), approval(3, "denied")];
        let [first, second, third] = [0, 1, 2].map(|at| key_of(&turn.approvals[at]));
        assert_ne!(first, second, "each has a key of its own");
        let none = BTreeSet::new();
        let told = outstanding(&turn, &none, [first.clone(), "approval".to_owned(), third].into_iter());
        assert_eq!(told, BTreeSet::from([first.clone()]), "what was not asked is not noted");
        assert!(!told.contains(&second));
        let both = outstanding(&turn, &told, [second.clone()].into_iter());
        assert_eq!(both, BTreeSet::from([first, second]));
    }
}
