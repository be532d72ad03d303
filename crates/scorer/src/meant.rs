//! Which networks a question means: one row of numbers per network, and the same trees for all, so that a tenth network needs no
//! training.

use adagent_domain::Network;

use crate::facts::{Facts, place};
use crate::math::softmax;
use crate::scene::Scene;

/// The number of routing heads in one vector: capability, path, act, and the owner of the thing if no network is named.
pub const ROUTES: usize = 28;
/// The last of these heads: one for each network, and one for a thing that no network or several networks have.
pub const OWNER: std::ops::Range<usize> = 18..ROUTES;

/// Turns the scores of [`OWNER`] into probabilities. Without a name, only usable networks can be meant.
pub fn owner(scores: &mut [f32], usable: &[Network]) {
    for (score, network) in scores.iter_mut().zip(Network::ALL) {
        if !usable.is_empty() && !usable.contains(&network) {
            *score = -30.0;
        }
    }
    softmax(scores);
}

const CUES: &[&str] = &[
    "bidder",
    "source",
    "bidding",
    "adapter",
    "instance",
    "waterfall",
    "mapping",
    "demand",
    "line",
    "partner",
    "mediation",
];
const EVERY: &[&str] = &["all", "every", "each", "network", "everything", "overall", "total"];

fn number(fact: bool) -> f32 {
    f32::from(u8::from(fact))
}

#[expect(clippy::cast_precision_loss, reason = "at most nine networks, tens of words")]
fn count(n: usize) -> f32 {
    n as f32
}

/// Checks whether a network can do what is asked with a named thing: read it or change it.
fn has(facts: &Facts, scene: &Scene<'_>, network: Network, changes: bool) -> bool {
    scene.now.nouns().any(|noun| {
        facts.of[place(network)]
            .iter()
            .map(|at| &facts.operations[*at])
            .any(|o| o.noun == noun && o.read_only != changes)
    })
}

/// Returns a row for each of [`Network::ALL`]. `fit` is how well the best operation of each network fits the question.
pub fn rows(facts: &Facts, scene: &Scene<'_>, routes: &[f32; ROUTES], fit: &[f32]) -> Vec<Vec<f32>> {
    let (connected, disabled) = (scene.question.connected, scene.question.disabled);
    let usable = scene.usable();
    let words = &scene.now.words;
    let said: Vec<Network> = scene.now.mentions.iter().filter_map(|mention| mention.network).collect();
    let state = scene.carried(facts);
    let own = Scene::implied(facts, &scene.now);
    let cue = words.iter().any(|word| CUES.contains(&word.as_str()));
    let every = words.iter().any(|word| EVERY.contains(&word.as_str()));
    let alone = said.is_empty();
    let named_is_connected = said.iter().any(|network| connected.contains(network));
    let best = usable.iter().map(|network| fit[place(*network)]).fold(f32::MIN, f32::max);
    let replied = scene.reply.as_ref().map(crate::lexicon::Reading::networks).unwrap_or_default();
    let able = usable.iter().filter(|network| has(facts, scene, **network, routes[14] > 0.5)).count();
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let row = |(at, network): (usize, &Network)| {
        let places: Vec<usize> =
            scene.now.mentions.iter().filter(|m| m.network == Some(*network)).map(|m| m.at).collect();
        let named = !places.is_empty();
        let (is_connected, is_off) = (connected.contains(network), disabled.contains(network));
        let is_usable = is_connected && !is_off;
        let others = said.iter().any(|other| other != network);
        let before = places.first().filter(|at| **at > 0).map_or("", |at| word(at - 1));
        let after = places.first().map_or("", |at| word(at + 1));
        let carried = state.contains(network);
        let answers: f32 = (0..11).filter(|c| facts.owns[at][*c]).map(|c| routes[c]).sum();
        // The owner heads are learned from questions without network names, so they say nothing about questions with names.
        let owned = if alone { &routes[OWNER] } else { &[0.0; 10][..] };
        let rival = (0..9).filter(|other| *other != at).map(|other| owned[other]).fold(0.0, f32::max);
        let can = has(facts, scene, *network, routes[14] > 0.5);
        let behind = if usable.is_empty() { 0.0 } else { fit[at] - best };
        let mut row = vec![
            number(named),
            number(others),
            number(named && others),
            number(said.first() == Some(network)),
            number(said.last() == Some(network)),
            number(is_connected),
            number(is_off),
            number(is_usable),
            count(usable.len()),
            count(connected.len()),
            number(alone),
            number(alone && is_usable),
            number(said.len() > 1),
            number(!scene.users.is_empty()),
            scene.follow,
            number(carried),
            number(alone && carried),
            scene.follow * number(carried),
            count(state.len()),
            number(scene.reply.as_ref().is_some_and(|reply| reply.names(*network))),
            number(cue && named && others),
            number(named && cue && !is_connected),
            number(named && !is_connected && named_is_connected),
            number(CUES.contains(&after)),
            number(["in", "on", "for", "from", "at", "of"].contains(&before)),
            number(["as", "add", "with", "and", "to"].contains(&before)),
            number(own.contains(network)),
            number(usable == [*network]),
            number(every),
            count(words.iter().filter(|word| *word == "src").count()),
            answers,
            behind,
            fit[at],
            owned[at],
            owned[9],
            rival,
            number(!own.is_empty() && !own.contains(network)),
            number(!state.is_empty() && !carried),
            number(replied.iter().any(|other| other != network)),
            routes[0],
            routes[3],
            routes[9],
            number(can),
            count(able),
            number(*network == Network::AdManager),
            number(*network == Network::AdMob),
        ];
        row.extend_from_slice(&routes[12..OWNER.start]);
        row
    };
    Network::ALL.iter().enumerate().map(row).collect()
}
