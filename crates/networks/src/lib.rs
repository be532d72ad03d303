//! Ad networks: the catalogue of operations, the execution pipeline, adapters, the entity registry, OAuth towards networks.
//!
//! Everything that leaves for a network leaves through here. This crate must not know the database (credentials come through
//! a port) nor decide about approvals: it refuses to send a write without a [`WriteTicket`].

mod gateway;

pub use gateway::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, ToolError, ToolErrorClass, ToolInfo,
    ToolOutput, WriteTicket,
};
