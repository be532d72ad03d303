//! The ports to language models and to the understanding. A model gets one question with tools and returns text and proposed calls. This
//! crate implements hosted providers; `understanding` implements the local planner. The understanding decides what a question asks for, and
//! whether an answer is correct.
//!
//! A model only proposes: nothing in this crate may call a tool or decide that something is approved.

mod aside;
mod config;
mod entities;
mod hosted;
mod models;
mod port;
mod price;
mod prompt;
mod understanding;

pub use aside::aside;
pub use config::{LOCAL_MODEL, ModelChoice, ModelsConfig, Provider, ProviderConfig, UnknownModel};
pub use entities::Entities;
pub use hosted::HostedModel;
pub use models::ConfiguredModels;
pub use port::{
    Colleague, Delta, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, NetworkDay, OwnTool, Persona,
    PlanDraft, PlanDraftStep, PlannerContext, ProposedCall, Quote, StopReason, TextSink, ToolSpec, Usage,
};
pub use price::{Price, Prices};
pub use prompt::system_prompt;
pub use understanding::{Checked, CheckedCall, FigureCheck, Judgment, Question, Routing, Understanding};
