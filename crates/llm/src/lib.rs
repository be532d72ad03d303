//! The model port: one question with tools in, text and proposed calls out. Hosted providers implement it here, the local
//! planner in `understanding`.
//!
//! A model only proposes: nothing in this crate may call a network's operation or decide that something is approved.

mod config;
mod hosted;
mod models;
mod port;
mod price;
mod prompt;

pub use config::{ModelChoice, ModelsConfig, Provider, ProviderConfig, UnknownModel};
pub use hosted::HostedModel;
pub use models::ConfiguredModels;
pub use port::{
    Delta, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, PlannerContext, ProposedCall, Quote,
    StopReason, TextSink, ToolSpec, Usage,
};
pub use price::{Price, Prices};
pub use prompt::system_prompt;
