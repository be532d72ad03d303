//! The state in which a card opens after a browser without JavaScript posted its form. The state holds everything the person
//! typed and the problem the server found.

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
    /// The question why the person denies the change.
    Reason,
}

/// Choices of a form, by kind.
pub type Choices = BTreeMap<String, Vec<EntityOption>>;

/// The opening state of one card. The server passes it to the page that answers a posted form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    pub approval: ApprovalId,
    pub open: Open,
    pub args: Json,
    pub typed: Typed,
    /// Choices for the current values of the form; `None` while the approval's own choices still fit.
    pub options: Option<Choices>,
    pub reason: String,
    /// What the person typed to confirm.
    pub confirm: String,
    /// The page to return to once the card is answered.
    pub back: String,
    pub problem: Option<Problem>,
}
