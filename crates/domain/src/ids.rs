//! IDs are UUIDv7 newtypes, so that the compiler rejects a run where an approval is expected.

use std::{fmt, str::FromStr, sync::Mutex};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The error for a text that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a valid {kind} id; ids are UUIDs such as 019aa5c4-9a3e-7000-8000-000000000000")]
pub struct IdError {
    pub kind: &'static str,
    pub text: String,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Makes a new ID from the given source.
            pub fn new(ids: &dyn Ids) -> Self {
                Self(ids.next_uuid())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Uuid::parse_str(text).map(Self).map_err(|_| IdError { kind: $kind, text: text.chars().take(64).collect() })
            }
        }
    };
}

id!(/// A person with an account.
    UserId, "user");
id!(/// A personal workspace or an organisation; everything stored belongs to one.
    WorkspaceId, "workspace");
id!(/// Credentials of a workspace for one network.
    ConnectionId, "connection");
id!(/// A conversation.
    ChatSessionId, "chat session");
id!(/// A message of a conversation.
    MessageId, "message");
id!(/// One execution of the agent: of a message, or of a flow.
    RunId, "run");
id!(/// What runs one at a time: a conversation, a flow with its concurrency key.
    LaneId, "lane");
id!(/// A server of others whose tools a workspace uses.
    ToolServerId, "tool server");
id!(/// An agent that runs act as.
    AgentId, "agent");
id!(/// What starts runs by itself: a schedule, a webhook, a monitor.
    TriggerId, "trigger");
id!(/// What a flow runs.
    DefinitionId, "definition");
id!(/// A saved state of a run.
    CheckpointId, "checkpoint");
id!(/// One call of a tool within a run; also the idempotency key towards the network.
    ToolCallId, "tool call");
id!(/// A question to a person whether a call may be sent.
    ApprovalId, "approval");
id!(/// A personal access token; tells nothing about its secret.
    AccessTokenId, "access token");
id!(/// A question that somebody wants to ask again.
    SavedQuestionId, "saved question");
id!(/// Something a workspace wants to get done.
    TodoId, "to-do");
id!(/// A text that a workspace keeps.
    DocumentId, "document");
id!(/// An e-mailed invitation into an organisation.
    InvitationId, "invitation");
id!(/// A shareable link into an organisation; tells nothing about its secret.
    InviteLinkId, "invite link");
id!(/// A mail that is to be sent.
    MailId, "mail");
id!(/// A place where somebody is signed in; tells nothing about its cookie.
    BrowserSessionId, "session");
id!(/// A unit of background work.
    JobId, "job");

impl From<ChatSessionId> for LaneId {
    /// Returns the lane of the chat: a chat answers its messages one at a time.
    fn from(chat: ChatSessionId) -> Self {
        Self(chat.0)
    }
}

impl From<RunId> for LaneId {
    /// Gives the run a lane of its own, so that it waits for no other run.
    fn from(run: RunId) -> Self {
        Self(run.0)
    }
}

/// The source of new IDs. The server makes UUIDv7 from the clock and random bits; tests use [`SequentialIds`].
pub trait Ids: Send + Sync {
    fn next_uuid(&self) -> Uuid;
}

/// Predictable IDs for tests: 1, 2, 3 …
#[derive(Debug, Default)]
pub struct SequentialIds(Mutex<u128>);

impl Ids for SequentialIds {
    fn next_uuid(&self) -> Uuid {
        let mut last = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *last += 1;
        // Sets the bits of version 7 and the variant, so that validators accept the IDs.
        Uuid::from_u128((*last) | (0x7000_u128 << 64) | (0x8000_u128 << 48))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_parse_what_they_print_and_refuse_other_text() {
        let ids = SequentialIds::default();
        let run = RunId::new(&ids);
        assert_eq!(run.to_string().parse::<RunId>(), Ok(run));
        let error = "../../etc/passwd".parse::<RunId>().expect_err("not a UUID");
        assert!(error.to_string().contains("run id"));
        assert_ne!(run, RunId::new(&ids));
    }
}
