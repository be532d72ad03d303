//! To-dos of the workspace: list, add, change and delete them. Everyone in the workspace sees them.

mod create;
mod delete;
mod list;
mod update;

use adagent_contract::{EntityOption, FieldHint, MOST_TODO, Widget};
use adagent_domain::{Timestamp, TodoId, UserId};
use adagent_store::{Member, Todo};
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolErrorClass};
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    tool::issue,
};

pub(crate) use self::{create::CreateTodo, delete::DeleteTodo, list::ListTodos, update::UpdateTodo};

const DELETE: &str = "delete_todo";
/// Means the person who asks, in place of a member's ID.
const ME: &str = "me";
const NOBODY: &str = "nobody";
/// Means no day, in place of a date.
const NO_DAY: &str = "none";
/// The most candidates that the answer to a wrong ID offers.
const MOST_CANDIDATES: u32 = 50;
/// The most members that a form offers.
const MOST_MEMBERS: u32 = 200;
/// The key of the options that name to-dos in a form.
const NAMED: &str = "todo";

#[derive(Deserialize)]
struct Which {
    id: TodoId,
}

async fn find(desk: &Desk, scope: &CallScope, id: TodoId) -> Result<Todo, ToolError> {
    desk.store.find_todo(scope.workspace, id).await.map_err(unreadable)?.ok_or_else(gone)
}

async fn members(desk: &Desk, scope: &CallScope) -> Result<Vec<Member>, ToolError> {
    desk.store.list_members(scope.workspace, MOST_MEMBERS).await.map_err(unreadable)
}

/// Returns the current day in the workspace's time zone.
async fn today(desk: &Desk, scope: &CallScope) -> Result<Date, ToolError> {
    let (zone, _) = desk.zone(scope.workspace).await?;
    Ok(desk.clock.now().to_jiff().to_zoned(zone).date())
}

/// Returns a to-do as results show it.
fn shown(todo: &Todo, scope: &CallScope, today: Date) -> Json {
    let mut item = json!({
        "id": todo.id,
        "text": todo.body.text,
        "done": todo.body.done_at.is_some(),
        "mine": todo.body.assignee == Some(scope.user),
        "by": todo.by_name,
    });
    if let Some(due) = &todo.body.due {
        item["due"] = json!(due);
        item["overdue"] = json!(is_overdue(todo, today));
    }
    if let Some(name) = &todo.assignee_name {
        item["for"] = json!(name);
    }
    if let Some((run, _)) = todo.run.filter(|(_, user)| *user == scope.user) {
        item["run_id"] = json!(run);
    }
    item
}

fn is_overdue(todo: &Todo, today: Date) -> bool {
    let due = todo.body.due.as_deref().and_then(|day| day.parse::<Date>().ok());
    todo.body.done_at.is_none() && due.is_some_and(|due| due < today)
}

/// Reads `me`, `nobody` or a member's ID.
fn assignee_of(text: &str, scope: &CallScope, members: &[Member]) -> Result<Option<UserId>, GroundingIssue> {
    match text {
        ME => Ok(Some(scope.user)),
        NOBODY => Ok(None),
        id => {
            let known = members.iter().find(|member| member.user.to_string() == id);
            known.map(|member| Some(member.user)).ok_or_else(|| GroundingIssue {
                pointer: "/assignee".into(),
                message: "This workspace has no such member.".into(),
                candidates: members.iter().map(|one| (one.user.to_string(), one.name.clone())).collect(),
            })
        }
    }
}

/// Reads `none` or a day.
fn due_of(text: &str) -> Result<Option<Date>, GroundingIssue> {
    if text == NO_DAY {
        return Ok(None);
    }
    text.parse::<Date>().map(Some).map_err(|_| issue("/due", format!("There is no day {text}.")))
}

/// Returns the assignee as forms and calls write it.
fn wire_of(assignee: Option<UserId>, scope: &CallScope) -> String {
    match assignee {
        Some(user) if user == scope.user => ME.into(),
        Some(user) => user.to_string(),
        None => NOBODY.into(),
    }
}

fn name_of(assignee: Option<UserId>, members: &[Member], scope: &CallScope) -> Option<String> {
    let user = assignee?;
    let name = members.iter().find(|one| one.user == user).map_or("Someone who left", |one| one.name.as_str());
    Some(if user == scope.user { "You".into() } else { name.into() })
}

/// Writes a day like `Fri, Nov 27, 2026`.
fn day_in_words(day: Date) -> String {
    day.strftime("%a, %b %-d, %Y").to_string()
}

fn due_in_words(due: Option<&str>) -> Option<String> {
    due.map(|day| day.parse::<Date>().map_or_else(|_| day.to_owned(), day_in_words))
}

fn past(due: Option<Date>, today: Date) -> Vec<String> {
    let over = due.filter(|due| *due < today);
    over.map(|due| format!("{} is already over.", day_in_words(due))).into_iter().collect()
}

/// Returns the schema of the properties that adding and changing share.
fn properties() -> Json {
    json!({
        "text": {
            "type": "string", "minLength": 1, "maxLength": MOST_TODO, "pattern": r"\S", "description": "What is to be done.",
        },
        "due": {
            "type": "string", "pattern": r"^(\d{4}-\d{2}-\d{2}|none)$",
            "description": "The day it is due, such as 2026-11-27; `none` for no day.",
        },
        "assignee": {
            "type": "string", "maxLength": 36,
            "description": "Who is to do it: `me`, `nobody`, or the ID of a member, which list_members gives.",
        },
    })
}

/// Returns the fields that both forms have.
fn fields(members: &[Member], scope: &CallScope) -> Vec<FieldHint> {
    let field = |pointer: &str, label: &str, widget| FieldHint {
        pointer: pointer.into(),
        label: label.into(),
        widget,
        ..FieldHint::default()
    };
    let others =
        members.iter().filter(|one| one.user != scope.user).map(|one| (one.user.to_string(), one.name.clone()));
    let choices = [(ME.to_owned(), "You".to_owned()), (NOBODY.to_owned(), "Nobody".to_owned())];
    vec![
        FieldHint { required: true, max_length: Some(MOST_TODO as u64), ..field("/text", "To-do", Widget::Text) },
        FieldHint { help: Some("A day such as 2026-11-27, or none.".into()), ..field("/due", "Due", Widget::Text) },
        FieldHint { choices: choices.into_iter().chain(others).collect(), ..field("/assignee", "For", Widget::Select) },
    ]
}

/// Returns the read-only field that shows which to-do a form is about.
fn fixed(todo: &Todo) -> (FieldHint, Vec<(String, Vec<EntityOption>)>) {
    let named = EntityOption {
        id: todo.id.to_string(),
        name: todo.body.text.clone(),
        parent: None,
        detail: None,
        network: None,
    };
    let hint = FieldHint {
        pointer: "/id".into(),
        label: "To-do".into(),
        widget: Widget::ReadOnly,
        options: Some(NAMED.into()),
        ..FieldHint::default()
    };
    (hint, vec![(NAMED.into(), vec![named])])
}

/// Returns what is wrong with an ID, with the open to-dos as candidates.
async fn known(desk: &Desk, scope: &CallScope, id: TodoId) -> Result<Vec<GroundingIssue>, ToolError> {
    if desk.store.find_todo(scope.workspace, id).await.map_err(unreadable)?.is_some() {
        return Ok(Vec::new());
    }
    let open = desk.store.list_open_todos(scope.workspace, MOST_CANDIDATES).await.map_err(unreadable)?;
    Ok(vec![GroundingIssue {
        pointer: "/id".into(),
        message: "This workspace has no to-do with this ID.".into(),
        candidates: open.into_iter().map(|todo| (todo.id.to_string(), todo.body.text)).collect(),
    }])
}

fn gone() -> ToolError {
    ToolError::new(ToolErrorClass::Deterministic, "NOT_FOUND", "This workspace has no to-do with this ID.")
        .guide("list_todos gives the IDs.")
}

/// Returns when a to-do was done: the time it already has, otherwise now. `None` if it is not done.
fn done_at(done: bool, since: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    done.then(|| since.unwrap_or(now))
}
