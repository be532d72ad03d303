//! This program's own tools: a question in plain words, pending approvals, the status of a run.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use adagent_contract::{ApprovalStatus, ChatRequest, TurnApproval};
use adagent_domain::{Actor, ChatSessionId, RunId};
use adagent_service::ServiceError;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, Tool, ToolAnnotations},
    service::RequestContext,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::{
    Shared, answers,
    call::{Told, settled},
    tasks, tools,
};

const ASK: &str = "adagent_ask";
const APPROVALS: &str = "adagent_list_approvals";
const STATUS: &str = "adagent_run_status";

/// An answer takes seconds. After this time, the client must ask for it again.
const ANSWERING: Duration = Duration::from_mins(2);

/// Returns the tools as the list shows them.
pub(crate) fn listed() -> Vec<Tool> {
    let closed = |title: &str, read_only| {
        ToolAnnotations::with_title(title)
            .read_only(read_only)
            .destructive(false)
            .idempotent(read_only)
            .open_world(!read_only)
    };
    vec![
        tool(
            ASK,
            "Ask ADAgentAI",
            "Ask a plain-language question across all connected networks: numbers, comparisons, lists, or a change to draft. Answers with the data it read. Changes nothing by itself: changes need a person's approval in ADAgentAI. Pass session_id to continue a chat.",
            json!({
                "type": "object", "required": ["question"], "additionalProperties": false,
                "properties": {
                    "question": {"type": "string", "minLength": 1, "maxLength": 20000},
                    "session_id": {"type": "string", "format": "uuid", "description": "A chat of this workspace"}
                }
            }),
            &answers::run_schema(),
            closed("Ask ADAgentAI", false),
        ),
        tool(
            APPROVALS,
            "List approvals",
            "Changes that need a person's approval, newest first, with what will be sent and where to approve it.",
            json!({
                "type": "object", "additionalProperties": false,
                "properties": {
                    "status": {"type": "string", "enum": ["pending", "approved", "denied", "cancelled", "expired"], "default": "pending"},
                    "cursor": {"type": "string", "description": "next_cursor from the previous page"}
                }
            }),
            &json!({
                "type": "object", "required": ["items", "next_cursor"],
                "properties": {
                    "items": {"type": "array", "items": answers::approval_schema()},
                    "next_cursor": {"type": ["string", "null"]}
                }
            }),
            closed("List approvals", true),
        ),
        tool(
            STATUS,
            "Run status",
            "A run's progress: its answer, what it read and changed, what it is waiting for.",
            json!({
                "type": "object", "required": ["run_id"], "additionalProperties": false,
                "properties": {"run_id": {"type": "string", "format": "uuid"}}
            }),
            &answers::run_schema(),
            closed("Run status", true),
        ),
    ]
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the schema in place")]
fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input: Json,
    output: &Json,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, tools::schema(&input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(tools::schema(output)))
        .with_annotations(annotations)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    #[serde(default)]
    session_id: Option<ChatSessionId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Approvals {
    #[serde(default)]
    status: Option<ApprovalStatus>,
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Status {
    run_id: RunId,
}

/// Makes the call. Returns `None` if the name is not one of ours.
pub(crate) async fn call(
    shared: &Arc<Shared>,
    actor: &Actor,
    name: &str,
    args: &Json,
    (context, begun): (&RequestContext<RoleServer>, &OnceLock<RunId>),
) -> Option<Result<CallToolResponse, ErrorData>> {
    let answer = match name {
        ASK => ask(shared, actor, args, (context, begun)).await,
        APPROVALS => approvals(shared, actor, args).await,
        STATUS => status(shared, actor, args).await,
        _ => return None,
    };
    Some(match answer {
        Ok(answer) => answer,
        Err(error) => Ok(answers::failed(&error).into()),
    })
}

fn parse<T: DeserializeOwned>(args: &Json) -> Result<T, ServiceError> {
    T::deserialize(args)
        .map_err(|error| ServiceError::field("/arguments", format!("The arguments aren't valid: {error}.")))
}

type Answer = Result<Result<CallToolResponse, ErrorData>, ServiceError>;

async fn ask(
    shared: &Arc<Shared>,
    actor: &Actor,
    args: &Json,
    (context, begun): (&RequestContext<RoleServer>, &OnceLock<RunId>),
) -> Answer {
    let Ask { question, session_id } = parse(args)?;
    let request = ChatRequest { session_id, message: question, agent: None, context: None };
    let started = shared.service.send(&actor.grant()?, request, None).await?;
    if tasks::wanted(context) {
        return Ok(tasks::created(shared, actor, started.run_id).await);
    }
    let _ = begun.set(started.run_id);
    let turn = settled(shared, actor, started.run_id, ANSWERING, &mut Told::new(context)).await?;
    Ok(Ok(answers::run(shared, &turn).into()))
}

async fn approvals(shared: &Shared, actor: &Actor, args: &Json) -> Answer {
    let Approvals { status, cursor } = parse(args)?;
    let status = status.unwrap_or(ApprovalStatus::Pending);
    let page = shared.service.list_approvals(actor, Some(status), cursor, None).await?;
    let mut items = Vec::with_capacity(page.items.len());
    let mut words = Vec::new();
    for view in page.items {
        let run = view.run_id;
        let approval = TurnApproval::from(view);
        words.push(format!("{} ({})", approval.title, answers::approve_at(shared, &approval)));
        items.push(answers::approval_of(shared, run, &approval));
    }
    let told = if words.is_empty() { "Nothing found.".to_owned() } else { words.join("\n") };
    Ok(Ok(answers::told(told, json!({"items": items, "next_cursor": page.next_cursor})).into()))
}

async fn status(shared: &Shared, actor: &Actor, args: &Json) -> Answer {
    let Status { run_id } = parse(args)?;
    let turn = shared.service.turn_with_agents(actor, run_id).await?;
    Ok(Ok(answers::run(shared, &turn).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_is_no_reader_and_what_reads_says_so() {
        for tool in listed() {
            let hints = tool.annotations.unwrap();
            assert_eq!(hints.read_only_hint, Some(tool.name != ASK), "{}", tool.name);
            assert_eq!(hints.destructive_hint, Some(false), "{}", tool.name);
            assert_eq!(tool.input_schema["type"], "object");
            assert_eq!(tool.output_schema.unwrap()["type"], "object");
        }
    }

    #[test]
    fn arguments_that_nobody_knows_are_refused() {
        assert!(parse::<Ask>(&json!({"question": "x", "workspace": "other"})).is_err());
        assert!(parse::<Ask>(&json!({})).is_err());
        assert!(parse::<Status>(&json!({"run_id": "../../etc"})).is_err());
        assert!(parse::<Approvals>(&json!({})).is_ok());
    }
}
