//! Lists the people in the workspace, so that a run can assign something to them.

use adagent_domain::Source;
use adagent_tools::{CallScope, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, list, output},
};

const MOST_SHOWN: u32 = 200;

pub(crate) struct ListMembers;

#[async_trait]
impl NativeTool for ListMembers {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List members".into(),
            description: "Lists the people in this workspace with their names, IDs and roles, and says which of them is the person \
                          who asks."
                .into(),
            capability: "assistant".into(),
            ..ToolInfo::named("list_members", Source::Native)
        }
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ToolOutput, ToolError> {
        let all = desk.store.list_members(scope.workspace, MOST_SHOWN).await.map_err(unreadable)?;
        let rows: Vec<Json> = all
            .iter()
            .map(|one| json!({"id": one.user, "name": one.name, "role": one.role.as_str(), "you": one.user == scope.user}))
            .collect();
        let summary = if rows.len() == 1 { "1 member".to_owned() } else { format!("{} members", rows.len()) };
        Ok(output(list(&rows), summary))
    }
}
