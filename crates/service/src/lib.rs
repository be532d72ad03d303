//! Use cases: the one layer that pages, HTTP and MCP call.
//!
//! Every use case takes an [`adagent_domain::Actor`], so that no call can forget the workspace. The rules are here: what a field may hold,
//! who may do what, what belongs in one transaction. This crate must not know HTTP, HTML or a database engine.

// People and networks write the texts that this crate reads: a position inside a character must not cause a panic.
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod account;
mod accounts;
mod activity;
mod agents;
mod answer;
mod approvals;
mod audit;
mod calls;
mod checkpoints;
pub mod connections;
mod context;
mod control;
pub mod cursor;
mod documents;
mod error;
#[cfg(test)]
mod fence;
mod find_runs;
mod follow;
mod home;
mod hub;
mod idempotency;
mod journal;
mod limits;
mod mail;
mod messages;
mod organizations;
mod plans;
mod privacy;
mod program_sessions;
mod queue;
mod reporting;
mod results;
mod retention;
mod rights;
mod rotation;
mod runs;
mod sandbox;
mod saved;
mod send;
mod service;
mod sessions;

mod todos;
mod tokens;
mod tool_servers;
mod usage;
mod validate;
mod whereabouts;

pub use adagent_runtime::Given;

pub use account::{Arrival, GoogleTrip, Proof, SignInStep, SignedInAt};
pub use accounts::{ClientInfo, CurrentUser, KeptFields, SessionHash, SignedUp};
pub use answer::Answered;
pub use audit::{AuditCsv, verify_audit};
pub use calls::{CallRefused, NoProgress};
pub use error::{ServiceError, ServiceResult};
pub use find_runs::RunSearch;
pub use follow::Pass;
pub use hub::Seat;
pub use limits::LimitSettings;
pub use mail::{Kept, Mail, MailError, Mailer, Mailing, Outbox, resend_mails};
pub use privacy::{Export, RetentionBounds};
pub use queue::WorkedOff;
pub use reporting::spoken_zone;
pub use results::Results;
pub use retention::{Forgotten, RetentionPolicy};
pub use rotation::{Rotation, missing_keys, rotate_keys};
pub use send::Started;
pub use service::{Parts, Service, SignInParts};
pub use tokens::TokenGrant;
pub use tool_servers::{SentBack, parts::ToolServerParts};
pub use whereabouts::Thing;
