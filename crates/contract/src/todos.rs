//! To-dos of a workspace.

use adagent_domain::{RunId, Timestamp, TodoId, UserId};
use serde::{Deserialize, Serialize};

/// To-dos of one workspace, open and done.
pub const MOST_TODOS: u32 = 5_000;
/// Characters of the text of a to-do.
pub const MOST_TODO: usize = 500;

/// A person in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRef {
    pub id: UserId,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoView {
    pub id: TodoId,
    pub text: String,
    pub done: bool,
    /// A day as `2026-11-27`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<PersonRef>,
    /// It is the reader's to do.
    pub mine: bool,
    /// Who made it.
    pub by: String,
    /// The run that made it, where it is the reader's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub version: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What people set of a to-do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodoDraft {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<UserId>,
    #[serde(default)]
    pub done: bool,
}

/// A to-do as it is to be, in place of the version that the person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodoUpdate {
    pub version: i64,
    pub todo: TodoDraft,
}
