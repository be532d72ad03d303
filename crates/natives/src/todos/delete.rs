//! Deletes a to-do.

use adagent_contract::{ChangeRow, Preview, PreviewKind};
use adagent_domain::Source;
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use super::{DELETE, Which, due_in_words, find, fixed, gone, known, members, name_of};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

pub(crate) struct DeleteTodo;

#[async_trait]
impl NativeTool for DeleteTodo {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Delete to-do".into(),
            description:
                "Deletes a to-do of this workspace; list_todos gives its ID. To keep it as done, use update_todo."
                    .into(),
            capability: "assistant".into(),
            read_only: false,
            destructive: true,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {"id": {"type": "string", "format": "uuid", "description": "The to-do."}},
            })
            .into(),
            ..ToolInfo::named(DELETE, Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let Which { id } = typed(args)?;
        known(desk, scope, id).await
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let Which { id } = typed(args)?;
        let (todo, members) = (find(desk, scope, id).await?, members(desk, scope).await?);
        let row = |label: &str, before: Option<String>| ChangeRow { label: label.into(), before, after: None };
        let mut rows = vec![row("To-do", Some(todo.body.text.clone()))];
        rows.extend(due_in_words(todo.body.due.as_deref()).map(|due| row("Due", Some(due))));
        rows.extend(name_of(todo.body.assignee, &members, scope).map(|name| row("For", Some(name))));
        let (hint, options) = fixed(&todo);
        Ok(Sketch {
            title: format!("Delete the to-do “{}”", todo.body.text),
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Delete, rows),
            fields: vec![hint],
            options,
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let Which { id } = typed(args)?;
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        if !work.delete_todo(scope.workspace, id).await.map_err(unreadable)? {
            return Err(gone());
        }
        work.commit().await.map_err(unreadable)?;
        Ok(output(object(&json!({"id": id})), "deleted the to-do"))
    }

    /// Reports success if the to-do is gone. It does not matter who deleted it.
    async fn probe(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ProbeOutcome, ToolError> {
        let Which { id } = typed(args)?;
        Ok(if desk.store.find_todo(scope.workspace, id).await.map_err(unreadable)?.is_some() {
            ProbeOutcome::DidNotHappen { looked_at: "the to-dos of this workspace".into() }
        } else {
            ProbeOutcome::Happened { result: object(&json!({"id": id})), summary: "the to-do is gone".into() }
        })
    }
}
