//! From probabilities to a route: what is connected and turned off decides the outcome, nothing of it is learned.

use adagent_contract::Path;
use adagent_domain::Network;

use crate::facts::Facts;
use crate::scene::Scene;
use crate::types::{Act, Capability, Outcome, Scores};

/// The likeliest route.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub networks: Vec<Network>,
    pub capability: Capability,
    pub path: Path,
    pub outcome: Outcome,
    /// That all of it is right, 0 to 1.
    pub confidence: f32,
}

pub fn decide(facts: &Facts, scene: &Scene<'_>, scores: &Scores) -> Decision {
    let (act, capability) = (scores.best_act(), scores.best_capability());
    let most = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
    let confidence = most(&scores.capability) * most(&scores.act);
    if matches!(act, Act::Chat | Act::Refuse) || capability == Capability::Assistant {
        let outcome = if scores.act[4] > scores.act[3] { Outcome::Refuse } else { Outcome::Chat };
        return Decision { networks: Vec::new(), capability: Capability::Assistant, path: Path::Reactive, outcome, confidence };
    }
    let path = scores.path();
    let mut meant: Vec<Network> =
        Network::ALL.into_iter().zip(scores.networks).filter(|(_, p)| *p > 0.5).map(|(network, _)| network).collect();
    meant.sort_by_key(|network| network.id());
    let named = scene.now.networks();
    if act == Act::Explain || capability == Capability::Docs {
        meant.retain(|network| named.contains(network));
        return Decision { networks: meant, capability: Capability::Docs, path, outcome: Outcome::Answer, confidence };
    }
    let confidence = scores.networks.iter().fold(confidence, |all, p| all * p.max(1.0 - p));
    let (connected, disabled) = (scene.question.connected, scene.question.disabled);
    if connected.is_empty() {
        meant.clear();
    }
    if meant.is_empty() {
        meant = scene.usable();
        meant.sort_by_key(|network| network.id());
    }
    let missing: Vec<Network> = meant.iter().copied().filter(|network| !connected.contains(network)).collect();
    let off: Vec<Network> = meant.iter().copied().filter(|network| disabled.contains(network)).collect();
    let (outcome, networks, path) = if !missing.is_empty() || connected.is_empty() {
        (Outcome::Connect, missing, path)
    } else if !off.is_empty() {
        (Outcome::Enable, off, path)
    } else if act == Act::Change {
        let open = meant.len() > 1 && named.is_empty() && scene.carried(facts).is_empty();
        (if open { Outcome::Clarify } else { Outcome::Approval }, meant, Path::Workflow)
    } else {
        (Outcome::Answer, meant, path)
    };
    Decision { networks, capability, path, outcome, confidence }
}
