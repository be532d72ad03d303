//! What the router and the slot filler say, in the vocabulary of the evaluation sets.

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

/// What is set against the average of all that is asked for, where no number is the limit.
pub(crate) const BELOW_AVERAGE: &str = "below_average";
pub(crate) const ABOVE_AVERAGE: &str = "above_average";

/// A restriction on a dimension (`country`, `app`, `platform` …) or on a metric (`ecpm` …).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    pub field: String,
    pub value: FilterValue,
}

/// The period compared with; dates are civil dates.
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
    /// Which place of the order is asked ("the 3rd best app"): that row alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// `-metric` largest first, `metric` smallest first.
    pub sort: Option<String>,
    pub filters: Vec<Filter>,
    pub compare_to: Option<Comparison>,
}

/// Readings of one question that may each be meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// It asks for a change, with this probability, or to see something.
    ChangeOrShow { change: f64 },
    /// No reading is likely enough: these are offered, best first.
    Unsure { readings: Vec<Meant> },
}

/// What is to be done in a reading that a person may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Change,
    /// Anything but a change.
    Show,
    /// Figures of a report.
    Numbers,
    /// What a network has or how it is set up.
    Details,
    /// How something works.
    Explain,
}

/// A reading that a person may choose where none is likely enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meant {
    pub act: Act,
    pub services: Vec<Network>,
    pub capability: Capability,
    /// As in the tools' names, where the words or the operations name a thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noun: Option<String>,
}

/// What was understood: route, outcome and slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    pub services: Vec<Network>,
    pub capability: Capability,
    pub path: Path,
    pub outcome: Outcome,
    /// 0–1; below the router's threshold a hosted model is asked, where one is configured.
    pub confidence: f64,
    /// Why, in a few words, for the routing step.
    pub thinking: String,
    /// Reporting only.
    pub slots: Option<Slots>,
    /// The question written out with what it took from the history ("and by country?" → "AdMob revenue last 7 days by country").
    pub standalone: String,
    /// `read`, `create`, `update`, `delete` or `stop`.
    #[serde(default)]
    pub verb: String,
    /// What it is about, as in the tools' names (`ad_unit`, `mediation_group` …).
    #[serde(default)]
    pub noun: Option<String>,
    /// The operations that fit best by the learned scores, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<String>,
    /// What the person should be asked before anything is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// The connections it names, of networks that have several.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub accounts: Named,
    /// A change is asked about, not asked for: its order, in the words of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supposed: Option<String>,
    /// The first of several orders of the message, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Every part of a message that wants several things, in their order; empty where it wants one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// What other agents are asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
}

/// What one agent is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// As it was written, without the `@`.
    pub agent: String,
    /// May be empty: then nobody said what is to be done.
    pub text: String,
}

/// One thing that a message wants besides others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// As it was written.
    pub text: String,
    pub understood: Understood,
    /// It says whose it is by itself: nothing that was said before is a part of it.
    #[serde(default)]
    pub whole: bool,
}

impl Understood {
    /// Whether it asks for a change.
    pub fn changes(&self) -> bool {
        matches!(self.outcome, Outcome::Approval | Outcome::Clarify) && self.verb != "read"
    }
}
