//! Asks another agent. The call begins a run (`run-core/src/ledger/children.rs`), so this tool itself executes nothing.

use adagent_contract::{ASK_AGENT, DEFAULT_AGENT, MOST_TASK, TaskArgs, handle_of};
use adagent_domain::Source;
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::{
    desk::Desk,
    journal::no_agent,
    tool::{NativeTool, issue, typed},
};

pub(crate) struct AskAgent;

#[async_trait]
impl NativeTool for AskAgent {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Ask an agent".into(),
            description: "Gives a task to another agent of this workspace and waits for its answer. The agent works in a run of its own, \
                          with what it was granted and no more than you. Write the task so that it can be understood without \
                          this conversation."
                .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["agent", "task"],
                "properties": {
                    "agent": {"type": "string", "minLength": 1, "maxLength": 31, "description": "The agent's handle, such as reporter."},
                    "task": {"type": "string", "minLength": 1, "maxLength": MOST_TASK, "description": "What it is to do or find out."},
                },
            })
            .into(),
            ..ToolInfo::named(ASK_AGENT, Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let TaskArgs { agent, task } = typed(args)?;
        let handle = handle_of(&agent);
        if task.trim().is_empty() {
            return Ok(vec![issue("/task", format!("Say what @{handle} is to do."))]);
        }
        if handle == DEFAULT_AGENT {
            let message = format!("@{DEFAULT_AGENT} hands tasks on and takes none.");
            return Ok(vec![issue("/agent", message)]);
        }
        Ok(no_agent(desk, scope, &agent).await?.into_iter().collect())
    }

    async fn execute(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<ToolOutput, ToolError> {
        let message = "An agent is asked in a chat. Nothing was asked.";
        Err(ToolError::new(ToolErrorClass::Deterministic, "ONLY_IN_A_RUN", message))
    }
}
