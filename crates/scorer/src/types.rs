//! The labels of a question, and the scorer's input and output.

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

/// The kind of message, whatever is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Asks for data.
    Answer,
    /// Asks for a change.
    Change,
    /// Asks how something works.
    Explain,
    Chat,
    Refuse,
}

impl Act {
    pub const ALL: [Self; 5] = [Self::Answer, Self::Change, Self::Explain, Self::Chat, Self::Refuse];
}

/// Everything that the scorer looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    pub text: &'a str,
    /// Alternates between user and assistant, and ends with the assistant.
    pub history: &'a [HistoryEntry],
    pub connected: &'a [Network],
    /// The part of `connected` that is turned off in the context settings.
    pub disabled: &'a [Network],
}

/// A network counts as meant above this probability.
pub(crate) const LIKELY: f32 = 0.5;

/// How likely each reading is, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// In the order of [`Capability::ALL`].
    pub capability: [f32; 11],
    /// The probability that the question asks for several steps or a change.
    pub workflow: f32,
    /// In the order of [`Act::ALL`].
    pub act: [f32; 5],
    /// In the order of [`Network::ALL`]; each is independent of the others.
    pub networks: [f32; Network::ALL.len()],
}

/// Returns the position of the largest value; the first of equal ones.
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
    /// Returns the probability that the question asks for a change.
    pub fn change(&self) -> f32 {
        self.act[1]
    }

    pub fn best_capability(&self) -> Capability {
        Capability::ALL[largest(&self.capability)]
    }

    /// Returns the best capability that is neither talk nor explanation.
    pub fn best_task(&self) -> Capability {
        Capability::ALL[largest(&self.capability[..9])]
    }

    /// Returns the best of the capabilities that `passes` accepts.
    pub fn best_of(&self, passes: impl Fn(Capability) -> bool) -> Capability {
        let mut best = self.capability;
        for (value, capability) in best.iter_mut().zip(Capability::ALL) {
            if !passes(capability) {
                *value = 0.0;
            }
        }
        Capability::ALL[largest(&best[..9])]
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

/// Other evidence for a reading, with a weight for each part: the odds of that reading grow by e to the power of the weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    pub capability: Option<(Capability, f32)>,
    pub act: Option<(Act, f32)>,
    /// The weight for several steps or a change.
    pub workflow: f32,
    /// The weight for exactly these networks. If no network is likely afterwards, these are chosen.
    pub networks: Option<(Vec<Network>, f32)>,
    /// The weight for any task, as opposed to talk and explanation.
    pub task: f32,
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

fn place<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter().position(|other| other == one).unwrap_or_default()
}

/// Raises all values except the last `others`.
fn lean_first(values: &mut [f32], others: usize, by: f32) {
    let first = values.len() - others;
    let (low, high) = (values[first..].iter().sum::<f32>(), values[..first].iter().sum::<f32>());
    let raised = lean_one(high, true, by);
    for (at, value) in values.iter_mut().enumerate() {
        let (share, of) = if at < first { (raised, high) } else { (1.0 - raised, low) };
        *value *= share / of.max(1e-12);
    }
}

impl Scores {
    /// Returns the scores adjusted by other evidence.
    #[must_use]
    pub fn with(&self, evidence: &Evidence) -> Self {
        let mut out = self.clone();
        if evidence.task > 0.0 {
            lean_first(&mut out.capability, 2, evidence.task);
            lean_first(&mut out.act, 3, evidence.task);
        }
        if let Some((capability, by)) = evidence.capability {
            lean(&mut out.capability, place(&Capability::ALL, &capability), by);
        }
        if let Some((act, by)) = evidence.act {
            lean(&mut out.act, place(&Act::ALL, &act), by);
        }
        out.workflow = lean_one(out.workflow, true, evidence.workflow);
        if let Some((networks, by)) = &evidence.networks {
            let among = Network::ALL.map(|network| networks.contains(&network));
            for (p, among) in out.networks.iter_mut().zip(among) {
                *p = lean_one(*p, among, *by);
            }
            if out.networks.iter().all(|p| *p <= LIKELY) {
                for (p, _) in out.networks.iter_mut().zip(among).filter(|(_, among)| *among) {
                    *p = LIKELY + 0.01;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_moves_what_it_speaks_for_and_nothing_else() {
        let even = Scores { capability: [1.0 / 11.0; 11], workflow: 0.5, act: [0.2; 5], networks: [0.5; 9] };
        assert_eq!(even.with(&Evidence::default()), even);
        let sure = Evidence {
            act: Some((Act::Change, 4.0)),
            networks: Some((vec![Network::Unity], 4.0)),
            ..Evidence::default()
        };
        let moved = even.with(&sure);
        assert!(moved.change() > 0.9 && moved.network(Network::Unity) > 0.9 && moved.network(Network::AdMob) < 0.1);
        assert_eq!((moved.capability, moved.workflow), (even.capability, even.workflow));
        let none = Scores { networks: [0.01; 9], ..even.clone() };
        let few = Evidence { networks: Some((vec![Network::Unity], 0.1)), ..Evidence::default() };
        assert!(none.with(&few).network(Network::Unity) > LIKELY);
        let task = even.with(&Evidence { task: 4.0, ..Evidence::default() });
        assert!(task.act[2..].iter().sum::<f32>() < 0.05 && (task.act.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((task.act[0] - task.act[1]).abs() < 1e-6, "which task it is stays open: {task:?}");
    }
}
