//! What a question is filed under, and what the scorer is asked and says.

use adagent_contract::{HistoryEntry, Path};
use adagent_domain::Network;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    Reporting,
    Inventory,
    Accounts,
    Mediation,
    Experiments,
    Orders,
    Deals,
    Targeting,
    Content,
    Docs,
    Assistant,
}

impl Capability {
    pub const ALL: [Self; 11] = [
        Self::Reporting,
        Self::Inventory,
        Self::Accounts,
        Self::Mediation,
        Self::Experiments,
        Self::Orders,
        Self::Deals,
        Self::Targeting,
        Self::Content,
        Self::Docs,
        Self::Assistant,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Answer,
    Approval,
    Connect,
    Enable,
    Clarify,
    Refuse,
    Chat,
}

/// What kind of message it is, whatever is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// It asks for data.
    Answer,
    /// It asks for a change.
    Change,
    /// It asks how something works.
    Explain,
    Chat,
    Refuse,
}

impl Act {
    pub const ALL: [Self; 5] = [Self::Answer, Self::Change, Self::Explain, Self::Chat, Self::Refuse];
}

/// Everything the scorer looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    pub text: &'a str,
    /// User and assistant in turn, ends with the assistant.
    pub history: &'a [HistoryEntry],
    pub connected: &'a [Network],
    /// A part of `connected`: turned off in the context settings.
    pub disabled: &'a [Network],
}

/// How likely each reading is, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// In the order of [`Capability::ALL`].
    pub capability: [f32; 11],
    /// That several steps or a change are asked for.
    pub workflow: f32,
    /// In the order of [`Act::ALL`].
    pub act: [f32; 5],
    /// In the order of [`Network::ALL`]; each on its own.
    pub networks: [f32; Network::ALL.len()],
}

/// The place of the largest value; of equal ones the first.
pub(crate) fn largest(values: &[f32]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

impl Scores {
    /// That a change is asked for.
    pub fn change(&self) -> f32 {
        self.act[1]
    }

    pub fn best_capability(&self) -> Capability {
        Capability::ALL[largest(&self.capability)]
    }

    /// The best one that is no talk and no explanation.
    pub fn best_task(&self) -> Capability {
        Capability::ALL[largest(&self.capability[..9])]
    }

    pub fn best_act(&self) -> Act {
        Act::ALL[largest(&self.act)]
    }

    pub fn path(&self) -> Path {
        if self.workflow > 0.5 { Path::Workflow } else { Path::Reactive }
    }

    pub fn network(&self, network: Network) -> f32 {
        Network::ALL.iter().position(|other| *other == network).map_or(0.0, |at| self.networks[at])
    }
}

/// What somebody else reads in the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    pub capability: Capability,
    /// `None` where it says nothing about it.
    pub act: Option<Act>,
    pub path: Option<Path>,
    pub networks: Option<Vec<Network>>,
}

#[expect(clippy::cast_possible_truncation, reason = "a factor of a few digits")]
fn lean(values: &mut [f32], toward: usize, by: f32) {
    values[toward] *= crate::math::exp(f64::from(by)) as f32;
    let sum: f32 = values.iter().sum();
    for value in values {
        *value /= sum.max(1e-12);
    }
}

fn lean_one(p: f32, yes: bool, by: f32) -> f32 {
    let mut both = [1.0 - p, p];
    lean(&mut both, usize::from(yes), by);
    both[1]
}

impl Scores {
    /// The scores with another opinion taken for evidence: its odds grow by e to the power of `by`, those of its networks by `networks_by`.
    #[must_use]
    pub fn toward(&self, opinion: &Opinion, by: f32, networks_by: f32) -> Self {
        let mut out = self.clone();
        let place = |capability| Capability::ALL.iter().position(|other| *other == capability).unwrap_or_default();
        lean(&mut out.capability, place(opinion.capability), by);
        if let Some(act) = opinion.act.and_then(|act| Act::ALL.iter().position(|other| *other == act)) {
            lean(&mut out.act, act, by);
        }
        if let Some(path) = opinion.path {
            out.workflow = lean_one(out.workflow, path == Path::Workflow, by);
        }
        if let Some(networks) = &opinion.networks {
            for (p, network) in out.networks.iter_mut().zip(Network::ALL) {
                *p = lean_one(*p, networks.contains(&network), networks_by);
            }
        }
        out
    }
}
