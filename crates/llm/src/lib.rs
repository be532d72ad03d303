//! The model port: one question with tools in, text and proposed calls out. Hosted providers implement it here, the local
//! planner in `understanding`.
//!
//! A model only proposes: nothing in this crate may call a network's operation or decide that something is approved.

mod port;

pub use port::{
    Delta, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, PlannerContext, ProposedCall, StopReason,
    TextSink, ToolSpec, Usage,
};
