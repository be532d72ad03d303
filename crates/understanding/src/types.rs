//! The results of the router and the slot filler, in the vocabulary of the evaluation sets.

use adagent_contract::Path;
use adagent_domain::Network;
pub use adagent_llm::Question;
pub use adagent_scorer::{Capability, Outcome};
use serde::{Deserialize, Serialize};

use crate::accounts::Named;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FilterValue {
    In(Vec<String>),
    Not {
        not: Vec<String>,
    },
    /// `lt`, `lte`, `gt`, `gte` → number (rates in percent, money in currency units); `below_average`, `above_average` → 1.
    Compare(std::collections::BTreeMap<String, f64>),
}

/// Filters that compare with the average of everything in the report instead of with a number.
pub(crate) const BELOW_AVERAGE: &str = "below_average";
pub(crate) const ABOVE_AVERAGE: &str = "above_average";

/// A restriction on a dimension (`country`, `app`, `platform` …) or on a metric (`ecpm` …).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    pub field: String,
    pub value: FilterValue,
}

/// The period to compare with; the dates are civil dates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    pub kind: String,
    pub date_from: String,
    pub date_to: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slots {
    pub metrics: Vec<String>,
    pub dimensions: Vec<String>,
    pub date_from: Option<String>,
    pub date_to: Option<String>,
    pub limit: Option<u32>,
    /// The place in the order, as in "the 3rd best app": the answer shows only that row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// `-metric` for largest first, `metric` for smallest first.
    pub sort: Option<String>,
    pub filters: Vec<Filter>,
    pub compare_to: Option<Comparison>,
}

/// Readings of one question, of which the person may mean any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The question asks for a change, with this probability, or wants to see something.
    ChangeOrShow { change: f64 },
    /// No reading is likely enough. We offer these, best first.
    Unsure { readings: Vec<Meant> },
}

/// What to do, in a reading that a person may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Change,
    /// Anything but a change.
    Show,
    /// Numbers of a report.
    Numbers,
    /// What a network has, or how it is set up.
    Details,
    /// How something works.
    Explain,
}

/// A reading that we offer a person if none is likely enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meant {
    pub act: Act,
    pub services: Vec<Network>,
    pub capability: Capability,
    /// The thing, as in tool names, if the words or the operations name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noun: Option<String>,
}

/// What we understood: route, outcome and slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    pub services: Vec<Network>,
    pub capability: Capability,
    pub path: Path,
    pub outcome: Outcome,
    /// From 0 to 1. Below the router's threshold, we ask a hosted model if one is configured.
    pub confidence: f64,
    /// The reason in a few words, for the routing step.
    pub thinking: String,
    /// Only for reports.
    pub slots: Option<Slots>,
    /// The question with everything it took from the history ("and by country?" becomes "AdMob revenue last 7 days by country").
    pub standalone: String,
    /// `read`, `create`, `update`, `delete` or `stop`.
    #[serde(default)]
    pub verb: String,
    /// The thing it is about, as in tool names (`ad_unit`, `mediation_group` …).
    #[serde(default)]
    pub noun: Option<String>,
    /// The operations that fit best according to the learned scores, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<String>,
    /// What we should ask the person before we do anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// The connections that the question names, for networks that have several.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub accounts: Named,
    /// The order, in the words of the question, if the person only asks about a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supposed: Option<String>,
    /// The first of several orders in the message, as the person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Every part of a message that asks for several things, in order. Empty if it asks for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The tasks for other agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
    /// The question has its own numbers and its own period and names no network, so it continues nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}

/// The task of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The agent, as the person wrote it, without the `@`.
    pub agent: String,
    /// The task. Empty if the message names none.
    pub text: String,
}

/// One of several things that a message asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The text, as the person wrote it.
    pub text: String,
    pub understood: Understood,
    /// The part names its own network, so it takes nothing from earlier turns.
    #[serde(default)]
    pub whole: bool,
}

impl Understood {
    /// Checks whether the question asks for a change.
    pub fn changes(&self) -> bool {
        matches!(self.outcome, Outcome::Approval | Outcome::Clarify) && self.verb != "read"
    }
}
