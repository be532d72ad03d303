//! Turns probabilities into a route. Which networks are connected or turned off decides the outcome by rules; none of that is
//! learned.

use adagent_contract::Path;
use adagent_domain::Network;

use crate::facts::Facts;
use crate::scene::Scene;
use crate::types::{Capability, LIKELY, Outcome, Scores, largest};

/// The most likely route.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub networks: Vec<Network>,
    pub capability: Capability,
    pub path: Path,
    pub outcome: Outcome,
    /// The probability that the whole decision is right, 0 to 1.
    pub confidence: f32,
}

pub fn decide(facts: &Facts, scene: &Scene<'_>, scores: &Scores) -> Decision {
    let most = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
    // Two heads recognize talk and explanations, so use their mean.
    let talk = f32::midpoint(scores.capability[10], scores.act[3] + scores.act[4]);
    let explained = f32::midpoint(scores.capability[9], scores.act[2]);
    let wish = 1.0 - talk - explained;
    if talk > wish && talk > explained {
        let outcome = if scores.act[4] > scores.act[3] { Outcome::Refuse } else { Outcome::Chat };
        let confidence = talk * scores.act[3].max(scores.act[4]) / (scores.act[3] + scores.act[4]).max(1e-6);
        return Decision {
            networks: Vec::new(),
            capability: Capability::Assistant,
            path: Path::Reactive,
            outcome,
            confidence,
        };
    }
    let path = scores.path();
    let mut meant: Vec<Network> = Network::ALL
        .into_iter()
        .zip(scores.networks)
        .filter(|(_, p)| *p > LIKELY)
        .map(|(network, _)| network)
        .collect();
    meant.sort_by_key(|network| network.id());
    let named = scene.now.networks();
    if explained > wish {
        if named.is_empty() {
            let carried = scene.carried(facts);
            meant.retain(|network| carried.contains(network));
        } else {
            meant = Network::ALL
                .into_iter()
                .filter(|n| named.contains(n) && (named.len() == 1 || scores.network(*n) > 0.3))
                .collect();
            meant.sort_by_key(|network| network.id());
        }
        return Decision {
            networks: meant,
            capability: Capability::Docs,
            path: Path::Reactive,
            outcome: Outcome::Answer,
            confidence: explained,
        };
    }
    let capability = Capability::ALL[largest(&scores.capability[..9])];
    let changes = scores.act[1] > scores.act[0];
    let sure = most(&scores.capability[..9]) * scores.act[0].max(scores.act[1]);
    let confidence = scores.networks.iter().fold(sure, |all, p| all * p.max(1.0 - p));
    let (connected, disabled) = (scene.question.connected, scene.question.disabled);
    // If nothing is connected, any network would do, so keep only those that the question names.
    if connected.is_empty() {
        meant.retain(|network| named.contains(network));
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
    } else if changes {
        let open = meant.len() > 1 && named.is_empty() && scene.carried(facts).is_empty();
        (if open { Outcome::Clarify } else { Outcome::Approval }, meant, Path::Workflow)
    } else {
        (Outcome::Answer, meant, path)
    };
    Decision { networks, capability, path, outcome, confidence }
}
