//! Tools: what a run, a program or a playbook may call, from any source.
//!
//! A tool has one description and one life (checked, looked up, shown, approved, sent, probed), and comes from a source: an ad network,
//! this program or a tool server. This crate holds the types and the ports. It must do no I/O, and know no provider and no database.

mod call;
mod connection;
mod digest;
mod error;
mod gateway;
mod info;
mod provider;
mod registry;
pub mod schema;

pub use call::{CallScope, JOURNAL, ProgressSink, ToolOutput, WriteTicket};
pub use connection::{connection_of, place_of, with_connection};
pub use digest::digest;
pub use error::{OUT_OF_TIME, ToolError, ToolErrorClass};
pub use gateway::{EntityFilter, Gateway};
pub use info::{Confidence, ToolInfo};
pub use provider::{ApprovalSketch, GroundingIssue, ProbeOutcome, Provider};
pub use registry::{DoubleName, Registry};
