//! The basic types of everything else: IDs, time, money, networks, roles, rights, the actor.
//!
//! This crate must stay pure and wasm-safe: no I/O, no clock, no randomness, and no dependency on our other crates.

mod actor;
mod cut;
mod days;
mod ids;
mod money;
mod network;
mod permission;
mod role;
mod source;
pub mod text;
mod time;

pub use actor::{Actor, Granted};
pub use cut::Cut;
pub use days::days_between;
pub use ids::{
    AccessTokenId, AgentId, ApprovalId, BrowserSessionId, ChatSessionId, CheckpointId, ConnectionId, DefinitionId,
    DocumentId, IdError, Ids, InvitationId, InviteLinkId, JobId, LaneId, MailId, MessageId, RunId, SavedQuestionId,
    SequentialIds, TodoId, ToolCallId, ToolServerId, TriggerId, UserId, WorkspaceId,
};
pub use money::{Currency, Money, MoneyError, plain_number};
pub use network::{Network, UnknownNetwork};
pub use permission::{Denied, Permission, Right, Standing, rights};
pub use role::Role;
pub use source::Source;
pub use time::{Clock, ManualClock, Timestamp, TimestampError};
