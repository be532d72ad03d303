//! Chats.

use std::{fmt, marker::PhantomData};

use adagent_domain::{ApprovalId, ChatSessionId, MessageId, RunId, Timestamp, WorkspaceId};
use serde::{
    Deserialize, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{ContextOverlay, TurnView};

#[expect(clippy::struct_excessive_bools, reason = "each is a field of the wire")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    pub id: ChatSessionId,
    pub title: String,
    pub workspace_id: WorkspaceId,
    pub chat_only: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// A run of the chat is working or waits for a person.
    pub busy: bool,
    pub awaiting_approval: bool,
    /// The chat stays, whatever the retention policy says.
    #[serde(default)]
    pub kept: bool,
    /// Every member of the workspace can read the chat.
    #[serde(default)]
    pub shared: bool,
    /// The owner of the chat, if it is not the reader's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateSessionRequest {
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub chat_only: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionPatch {
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub chat_only: Option<bool>,
    /// Keep the chat, whatever the retention policy says.
    #[serde(default)]
    pub kept: Option<bool>,
    /// Let every member of the workspace read the chat, or stop sharing it.
    #[serde(default)]
    pub shared: Option<bool>,
}

/// The body of POST `/chat/stream`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<ChatSessionId>,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextOverlay>,
}

/// Accepts an object or `null`. serde would also read a list as a struct, field by field, but nobody should depend on the order of our
/// fields.
fn object_or_null<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_map(self)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }

    deserializer.deserialize_option(Object(PhantomData))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    Up,
    Down,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    pub rating: Rating,
    #[serde(default)]
    pub comment: Option<String>,
}

/// Feedback about an answer, for the people who run the workspace. It does not contain the chat, which belongs to the person who asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackView {
    pub by: String,
    pub rating: Rating,
    pub comment: Option<String>,
    /// When the person asked the question.
    pub created_at: Timestamp,
    /// The chat, if it is the reader's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<ChatSessionId>,
}

/// A question and everything the assistant did about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageView {
    pub id: MessageId,
    pub run_id: RunId,
    pub content: String,
    pub author: String,
    pub created_at: Timestamp,
    pub rating: Option<Rating>,
    /// The approval whose change this message asks to undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<ApprovalId>,
    pub turn: TurnView,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionMessages {
    pub session: SessionView,
    pub items: Vec<MessageView>,
    pub next_cursor: Option<String>,
}

/// Ends every answer to a wish for a change that led to no change: it asks for something, or says why there is none.
pub const UNCHANGED: &str = "Nothing has been changed.";

/// The text in a history for a message without an answer, because its run failed or was stopped.
pub const UNANSWERED: &str = "No answer: the run failed or was stopped.";

/// The start of what a history says about a run whose changes wait for a person.
pub const DRAFTED: &str = "Drafted, needs approval, not sent yet: ";

/// What earlier turns said; follow-up questions need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    pub role: String,
    pub content: String,
}
