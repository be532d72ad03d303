//! Adds a to-do.

use adagent_contract::{ChangeRow, MOST_TODOS, Preview, PreviewKind};
use adagent_domain::{Source, TodoId};
use adagent_store::{Todo, TodoBody};
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    DELETE, NOBODY, assignee_of, day_in_words, due_of, fields, find, members, name_of, past, properties, shown, today,
};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

pub(crate) struct CreateTodo;

#[derive(Deserialize)]
struct New {
    text: String,
    due: Option<String>,
    assignee: Option<String>,
}

impl New {
    fn due(&self) -> Result<Option<Date>, GroundingIssue> {
        self.due.as_deref().map_or(Ok(None), due_of)
    }

    fn assignee(&self) -> &str {
        self.assignee.as_deref().unwrap_or(NOBODY)
    }
}

/// Returns the ID of the to-do that a call adds. It is the call's ID, so that a repeated call adds the to-do once.
fn key(scope: &CallScope) -> TodoId {
    TodoId(scope.call.0)
}

fn wrong(issue: &GroundingIssue) -> ToolError {
    ToolError::invalid(issue.message.clone(), Vec::new())
}

#[async_trait]
impl NativeTool for CreateTodo {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Add to-do".into(),
            description:
                "Adds a to-do to the list of this workspace, which everybody in it sees: what is to be done, by which \
                          day, and by whom."
                    .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["text"],
                "properties": properties(),
            })
            .into(),
            ..ToolInfo::named("create_todo", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let new: New = typed(args)?;
        let due = new.due().err();
        let assignee = assignee_of(new.assignee(), scope, &members(desk, scope).await?).err();
        Ok(due.into_iter().chain(assignee).collect())
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let new: New = typed(args)?;
        let members = members(desk, scope).await?;
        let due = new.due().map_err(|issue| wrong(&issue))?;
        let assignee = assignee_of(new.assignee(), scope, &members).map_err(|issue| wrong(&issue))?;
        let row = |label: &str, after: Option<String>| ChangeRow { label: label.into(), before: None, after };
        let mut changes = vec![row("To-do", Some(new.text.trim().to_owned()))];
        changes.extend(due.map(|due| row("Due", Some(day_in_words(due)))));
        changes.extend(name_of(assignee, &members, scope).map(|name| row("For", Some(name))));
        Ok(Sketch {
            title: format!("Add the to-do “{}”", new.text.trim()),
            warnings: past(due, today(desk, scope).await?),
            preview: Preview { unmade_by: Some(DELETE.into()), ..Preview::new(PreviewKind::Create, changes) },
            fields: fields(&members, scope),
            options: Vec::new(),
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let new: New = typed(args)?;
        if let ProbeOutcome::Happened { result, summary } = self.probe(desk, scope, args).await? {
            return Ok(output(result, summary));
        }
        let members = members(desk, scope).await?;
        let due = new.due().map_err(|issue| wrong(&issue))?;
        let assignee = assignee_of(new.assignee(), scope, &members).map_err(|issue| wrong(&issue))?;
        let now = desk.clock.now();
        let todo = Todo {
            id: key(scope),
            workspace: scope.workspace,
            body: TodoBody {
                text: new.text.trim().to_owned(),
                due: due.map(|day| day.to_string()),
                assignee,
                done_at: None,
            },
            assignee_name: None,
            by: Some(scope.user),
            by_name: None,
            run: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        if !work.insert_todo(&todo, MOST_TODOS).await.map_err(unreadable)? {
            let message = format!("This workspace has {MOST_TODOS} to-dos, which is the limit.");
            return Err(
                ToolError::new(ToolErrorClass::Deterministic, "LIMIT_REACHED", message).guide("Delete some first.")
            );
        }
        work.commit().await.map_err(unreadable)?;
        let kept = find(desk, scope, key(scope)).await?;
        let item = shown(&kept, scope, today(desk, scope).await?);
        Ok(output(object(&item), format!("added “{}”", kept.body.text)))
    }

    async fn probe(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        let found = desk.store.find_todo(scope.workspace, key(scope)).await.map_err(unreadable)?;
        let today = today(desk, scope).await?;
        Ok(match found {
            Some(todo) => ProbeOutcome::Happened {
                result: object(&shown(&todo, scope, today)),
                summary: format!("added “{}”", todo.body.text),
            },
            None => ProbeOutcome::DidNotHappen { looked_at: "the to-dos of this workspace".into() },
        })
    }

    fn unmade(&self, result: &Json) -> Option<(String, Json)> {
        Some((DELETE.to_owned(), json!({"id": result.pointer("/item/id")?.as_str()?})))
    }
}
