//! To-dos of a workspace.

use adagent_domain::{RunId, Timestamp, TodoId, UserId};
use serde::{Deserialize, Serialize};

/// How many to-dos one workspace can have, open and done together.
pub const MOST_TODOS: u32 = 5_000;
/// The longest text of a to-do, in characters.
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
    /// A day such as `2026-11-27`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<PersonRef>,
    /// The to-do is assigned to the reader.
    pub mine: bool,
    /// The person who made the to-do.
    pub by: String,
    /// The run that made the to-do, if it is the reader's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub version: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The fields of a to-do that people set.
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

/// The new fields of a to-do, and the version that the person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodoUpdate {
    pub version: i64,
    pub todo: TodoDraft,
}
