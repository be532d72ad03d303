//! Lists to-dos.

use adagent_contract::{Artifact, ColumnKind, MOST_TODOS, Value};
use adagent_domain::{Source, ToolCallId};
use adagent_store::Todo;
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{assignee_of, is_overdue, members, shown, today};
use crate::{
    desk::{Desk, unreadable},
    table::{or_missing, table, text},
    tool::{NativeTool, list, output, turned, typed},
};

const MOST_SHOWN: usize = 200;

pub(crate) struct ListTodos;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    #[default]
    Open,
    Done,
    All,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    status: Status,
    due_from: Option<Date>,
    due_to: Option<Date>,
    assignee: Option<String>,
    text: Option<String>,
    limit: Option<usize>,
}

impl Asked {
    fn is_dated(&self) -> bool {
        self.due_from.is_some() || self.due_to.is_some()
    }

    fn days(&self) -> Option<GroundingIssue> {
        let turned = turned(self.due_from, self.due_to);
        turned.map(|issue| GroundingIssue { pointer: "/due_to".into(), ..issue })
    }

    /// Checks whether a to-do is due within the days that the call names.
    fn is_in(&self, todo: &Todo) -> bool {
        let due = todo.body.due.as_deref().and_then(|day| day.parse::<Date>().ok());
        due.is_some_and(|due| self.due_from.is_none_or(|from| from <= due) && self.due_to.is_none_or(|to| due <= to))
    }
}

#[async_trait]
impl NativeTool for ListTodos {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List to-dos".into(),
            description:
                "Lists the to-dos of this workspace: the open ones by the day they are due, those without a day last; \
                          the done ones newest first."
                    .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "status": {"enum": ["open", "done", "all"], "default": "open"},
                    "due_from": {"type": "string", "format": "date", "description": "Only those due on this day or later."},
                    "due_to": {"type": "string", "format": "date", "description": "Only those due on this day or earlier, also those that are overdue."},
                    "assignee": {
                        "type": "string", "maxLength": 36,
                        "description": "Only those of one person: `me`, `nobody`, or the ID of a member, which list_members gives.",
                    },
                    "text": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Only those with this in their text."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_SHOWN, "default": 100},
                },
            }).into(),
            ..ToolInfo::named("list_todos", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let asked: Asked = typed(args)?;
        let mut issues: Vec<_> = asked.days().into_iter().collect();
        if let Some(assignee) = &asked.assignee {
            issues.extend(assignee_of(assignee, scope, &members(desk, scope).await?).err());
        }
        Ok(issues)
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let asked: Asked = typed(args)?;
        let today = today(desk, scope).await?;
        let of = match &asked.assignee {
            Some(assignee) => Some(assignee_of(assignee, scope, &members(desk, scope).await?)),
            None => None,
        };
        let of = of.transpose().map_err(|issue| ToolError::invalid(issue.message, Vec::new()))?;
        let words = asked.text.as_deref().map(|text| text.trim().to_lowercase());
        let fits = |todo: &Todo| {
            of.is_none_or(|of| todo.body.assignee == of)
                && words.as_ref().is_none_or(|words| todo.body.text.to_lowercase().contains(words))
        };
        let all: Vec<Todo> = read(desk, scope, asked.status).await?.into_iter().filter(fits).collect();
        let undated = all.iter().filter(|todo| todo.body.due.is_none()).count();
        let found: Vec<&Todo> = all.iter().filter(|todo| !asked.is_dated() || asked.is_in(todo)).collect();
        let count = found.len();
        let overdue = found.iter().filter(|todo| is_overdue(todo, today)).count();
        let rows: Vec<&Todo> = found.into_iter().take(asked.limit.unwrap_or(100)).collect();
        let mut result = list(&rows.iter().map(|todo| shown(todo, scope, today)).collect::<Vec<_>>());
        result["count"] = json!(count);
        result["overdue"] = json!(overdue);
        // If the call names days, the items leave out to-dos without a day. Say how many there are.
        result["without_day"] = json!(undated);
        result["today"] = json!(today.to_string());
        result["complete"] = json!(rows.len() == count);
        let kind = if asked.status == Status::Open { "open " } else { "" };
        let summary = match count {
            0 => format!("no {kind}to-dos"),
            1 => format!("1 {kind}to-do"),
            more => format!("{more} {kind}to-dos"),
        };
        let artifact = (count > 0).then(|| drawn(&rows, count, scope.call));
        Ok(ToolOutput { artifact, ..output(result, summary) })
    }
}

async fn read(desk: &Desk, scope: &CallScope, status: Status) -> Result<Vec<Todo>, ToolError> {
    let mut all = Vec::new();
    if status != Status::Done {
        all = desk.store.list_open_todos(scope.workspace, MOST_TODOS).await.map_err(unreadable)?;
    }
    if status != Status::Open {
        all.extend(desk.store.list_done_todos(scope.workspace, MOST_TODOS).await.map_err(unreadable)?);
    }
    Ok(all)
}

fn drawn(rows: &[&Todo], count: usize, call: ToolCallId) -> Artifact {
    const COLUMNS: [(&str, &str, ColumnKind); 5] = [
        ("text", "To-do", ColumnKind::Text),
        ("due", "Due", ColumnKind::Date),
        ("for", "For", ColumnKind::Text),
        ("state", "State", ColumnKind::Text),
        ("by", "Added by", ColumnKind::Text),
    ];
    let cells = rows.iter().map(|todo| {
        vec![
            text(&todo.body.text),
            todo.body.due.as_ref().map_or(Value::Missing, |day| Value::Date { value: day.clone() }),
            or_missing(todo.assignee_name.as_ref()),
            text(if todo.body.done_at.is_some() { "Done" } else { "Open" }),
            or_missing(todo.by_name.as_ref()),
        ]
    });
    table(("To-dos", "Of this workspace".into()), &COLUMNS, cells, count, call)
}
