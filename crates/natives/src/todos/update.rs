//! Changes a to-do, marks it as done, or opens it again.

use adagent_contract::{ChangeRow, FieldHint, Preview, PreviewKind, Widget};
use adagent_domain::{Source, TodoId};
use adagent_store::{Member, Todo, TodoBody};
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    NO_DAY, assignee_of, done_at, due_in_words, due_of, fields, find, fixed, known, members, name_of, past, properties,
    shown, today, wire_of,
};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, issue, object, output, typed},
};

/// How often we try a change again after another person's change came first.
const TRIES: usize = 5;

pub(crate) struct UpdateTodo;

#[derive(Deserialize)]
struct Change {
    id: TodoId,
    text: Option<String>,
    due: Option<String>,
    assignee: Option<String>,
    done: Option<bool>,
}

impl Change {
    /// Returns the to-do after the change.
    fn of(&self, todo: &Todo, desk: &Desk, scope: &CallScope, members: &[Member]) -> Result<TodoBody, GroundingIssue> {
        let mut body = todo.body.clone();
        if let Some(text) = &self.text {
            text.trim().clone_into(&mut body.text);
        }
        if let Some(due) = &self.due {
            body.due = due_of(due)?.map(|day| day.to_string());
        }
        if let Some(assignee) = &self.assignee {
            body.assignee = assignee_of(assignee, scope, members)?;
        }
        if let Some(done) = self.done {
            body.done_at = done_at(done, body.done_at, desk.clock.now());
        }
        Ok(body)
    }

    fn is_empty(&self) -> bool {
        self.text.is_none() && self.due.is_none() && self.assignee.is_none() && self.done.is_none()
    }
}

const fn state(body: &TodoBody) -> &'static str {
    if body.done_at.is_some() { "Done" } else { "Open" }
}

/// Returns what a person reads about a change: a row for each property that the call names.
fn rows(change: &Change, before: &TodoBody, after: &TodoBody, names: [Option<String>; 2]) -> Vec<ChangeRow> {
    let row = |label: &str, before, after| ChangeRow { label: label.into(), before, after };
    let [was_for, is_for] = names;
    let mut rows = Vec::new();
    if change.text.is_some() {
        rows.push(row("To-do", Some(before.text.clone()), Some(after.text.clone())));
    }
    if change.due.is_some() {
        rows.push(row("Due", due_in_words(before.due.as_deref()), due_in_words(after.due.as_deref())));
    }
    if change.assignee.is_some() {
        rows.push(row("For", was_for, is_for));
    }
    if change.done.is_some() {
        rows.push(row("State", Some(state(before).into()), Some(state(after).into())));
    }
    rows
}

fn summary(change: &Change, todo: &Todo) -> String {
    let text = &todo.body.text;
    match change.done {
        Some(true) => format!("marked “{text}” as done"),
        Some(false) => format!("opened “{text}” again"),
        None => format!("changed “{text}”"),
    }
}

#[async_trait]
impl NativeTool for UpdateTodo {
    fn info(&self) -> ToolInfo {
        let mut properties = properties();
        properties["id"] =
            json!({"type": "string", "format": "uuid", "description": "The to-do; list_todos gives its ID."});
        properties["done"] = json!({"type": "boolean", "description": "true marks it as done, false opens it again."});
        ToolInfo {
            title: "Change to-do".into(),
            description: "Changes a to-do of this workspace: its text, the day it is due, who is to do it, or whether it is done. \
                          What is left out stays as it is."
                .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": properties,
            }).into(),
            ..ToolInfo::named("update_todo", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let change: Change = typed(args)?;
        let mut issues = known(desk, scope, change.id).await?;
        if change.is_empty() {
            let told = "Nothing is to be changed: name the text, the day, the person, or whether it is done.";
            issues.push(issue("/id", told));
        }
        issues.extend(change.due.as_deref().and_then(|due| due_of(due).err()));
        if let Some(assignee) = &change.assignee {
            issues.extend(assignee_of(assignee, scope, &members(desk, scope).await?).err());
        }
        Ok(issues)
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let change: Change = typed(args)?;
        let (todo, members) = (find(desk, scope, change.id).await?, members(desk, scope).await?);
        let wrong = |issue: GroundingIssue| ToolError::invalid(issue.message, Vec::new());
        let after = change.of(&todo, desk, scope, &members).map_err(wrong)?;
        let before = &todo.body;
        let names = [before.assignee, after.assignee].map(|user| name_of(user, &members, scope));
        let rows = rows(&change, before, &after, names);
        let text = &before.text;
        let title = match (change.done, rows.len()) {
            (Some(true), 1) => format!("Mark the to-do “{text}” as done"),
            (Some(false), 1) => format!("Open the to-do “{text}” again"),
            _ => format!("Change the to-do “{text}”"),
        };
        let due = after.due.as_deref().filter(|_| change.due.is_some()).and_then(|due| due.parse().ok());
        // An undo restores only the properties that this call names.
        let mut back = json!({"id": todo.id});
        if change.text.is_some() {
            back["text"] = json!(before.text);
        }
        if change.due.is_some() {
            back["due"] = json!(before.due.as_deref().unwrap_or(NO_DAY));
        }
        if change.assignee.is_some() {
            back["assignee"] = json!(wire_of(before.assignee, scope));
        }
        if change.done.is_some() {
            back["done"] = json!(before.done_at.is_some());
        }
        let (id, options) = fixed(&todo);
        let is_asked = |hint: &FieldHint| args.pointer(&hint.pointer).is_some();
        let done = FieldHint {
            pointer: "/done".into(),
            label: "Done".into(),
            widget: Widget::Checkbox,
            ..FieldHint::default()
        };
        // The form shows only the properties that the call changes. If a person clears a field, the call leaves that property out and does
        // not change it.
        let others = fields(&members, scope).into_iter().chain([done]).filter(is_asked);
        Ok(Sketch {
            title,
            warnings: past(due, today(desk, scope).await?),
            preview: Preview { back: Some(Box::new(back)), ..Preview::new(PreviewKind::Update, rows) },
            fields: std::iter::once(id).chain(others).collect(),
            options,
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let change: Change = typed(args)?;
        let members = members(desk, scope).await?;
        for _ in 0..TRIES {
            let todo = find(desk, scope, change.id).await?;
            let wrong = |issue: GroundingIssue| ToolError::invalid(issue.message, Vec::new());
            let body = change.of(&todo, desk, scope, &members).map_err(wrong)?;
            let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
            let now = desk.clock.now();
            if work.update_todo(scope.workspace, todo.id, todo.version, &body, now).await.map_err(unreadable)? {
                work.commit().await.map_err(unreadable)?;
                let kept = find(desk, scope, change.id).await?;
                let item = shown(&kept, scope, today(desk, scope).await?);
                return Ok(output(object(&item), summary(&change, &kept)));
            }
        }
        let message = "Other people keep changing this to-do. Nothing was changed.";
        Err(ToolError::new(ToolErrorClass::Retryable, "CONFLICT", message).guide("Try again in a moment."))
    }

    /// Reports success if the to-do already is as the call wants it, because another attempt would change nothing.
    async fn probe(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ProbeOutcome, ToolError> {
        let change: Change = typed(args)?;
        let looked_at = || "the to-do as it is now".to_owned();
        let Ok(todo) = find(desk, scope, change.id).await else {
            return Ok(ProbeOutcome::DidNotHappen { looked_at: looked_at() });
        };
        let is_so = change.of(&todo, desk, scope, &members(desk, scope).await?).is_ok_and(|body| body == todo.body);
        if !is_so {
            return Ok(ProbeOutcome::DidNotHappen { looked_at: looked_at() });
        }
        let item = shown(&todo, scope, today(desk, scope).await?);
        Ok(ProbeOutcome::Happened { result: object(&item), summary: summary(&change, &todo) })
    }
}
