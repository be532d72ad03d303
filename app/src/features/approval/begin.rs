//! How a card begins after its form was posted without script: with everything that was typed, and what was said against it.

use std::collections::BTreeMap;

use adagent_contract::{EntityOption, Problem};
use adagent_domain::ApprovalId;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::rules::Typed;

/// Which part of a card is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Open {
    #[default]
    Nothing,
    /// The form that edits the change.
    Form,
    /// The question why not.
    Reason,
}

/// Choices of a form by kind.
pub type Choices = BTreeMap<String, Vec<EntityOption>>;

/// The server hands it to the page it answers a posted form with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    pub approval: ApprovalId,
    pub open: Open,
    pub args: Json,
    pub typed: Typed,
    /// Choices for what is in the form now; nothing where those of the approval still hold.
    pub options: Option<Choices>,
    pub reason: String,
    /// What was typed to confirm.
    pub confirm: String,
    /// The page to go back to once it is answered.
    pub back: String,
    pub problem: Option<Problem>,
}
