//! The nouns everything else is made of: ids, time, money, networks, roles, the actor.
//!
//! Must stay pure and wasm-safe: no I/O, no clock of its own, no randomness of its own, no dependency on our other crates.

mod actor;
mod ids;
mod money;
mod network;
mod role;
pub mod text;
mod time;

pub use actor::Actor;
pub use ids::{
    AccessTokenId, ApprovalId, ChatSessionId, CheckpointId, ConnectionId, IdError, Ids, JobId, MessageId, RunId,
    SequentialIds, ToolCallId, UserId, WorkspaceId,
};
pub use money::{Currency, Money, MoneyError};
pub use network::{Network, UnknownNetwork};
pub use role::{Permission, Role};
pub use time::{Clock, ManualClock, Timestamp, TimestampError};
