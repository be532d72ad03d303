//! Picks the readings that we offer a person if no reading of a question is likely enough for an answer.

use adagent_domain::Network;
use adagent_scorer::{Decision, Fit, Scores};

use crate::text::{Kind, tokens};
use crate::types::{Act, Capability, Doubt, Meant, Outcome, Question, Understood};
use crate::vocab::nouns;
use crate::weigh::deed;

/// Below this, a reading is more often wrong than right. Of strangers' questions, judged by weights that had not learned from their writer,
/// 38 percent between 0.3 and 0.4 and 54 percent between 0.4 and 0.5 were right (`docs/understanding.md`).
const UNSURE: f32 = 0.4;
/// The most readings that we offer.
const MOST: usize = 3;
/// We don't offer a reading that is less likely than this.
const LEAST: f32 = 0.1;
/// We don't offer more networks than this, unless it is all of them, because a chip can't name them in plain words.
const FEW: usize = 2;

fn most(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// Returns how likely it is that the person means exactly these networks.
fn meant(scores: &Scores, networks: &[Network]) -> f32 {
    let one = |network: &Network| {
        let p = scores.network(*network);
        if networks.contains(network) { p } else { 1.0 - p }
    };
    Network::ALL.iter().map(one).product()
}

fn usable(question: &Question) -> Vec<Network> {
    question.connected.iter().copied().filter(|network| !question.disabled.contains(network)).collect()
}

fn every(question: &Question, networks: &[Network]) -> bool {
    let usable = usable(question);
    usable.len() > 1 && usable.len() == networks.len() && usable.iter().all(|network| networks.contains(network))
}

/// Checks whether we ask every network that could answer. The answer then holds what any of them shows.
fn widest(question: &Question, rules: &Understood, networks: &[Network]) -> bool {
    if every(question, networks) {
        return true;
    }
    let Some(noun) = &rules.noun else { return false };
    let owners = nouns::owners(noun, "read");
    let able: Vec<Network> = usable(question).into_iter().filter(|network| owners.contains(network)).collect();
    able.len() > 1 && able.iter().all(|network| networks.contains(network))
}

/// Returns how sure the decision is, as far as it matters. If we ask every network that could answer, the score of the networks does not
/// count.
fn sure(question: &Question, rules: &Understood, scores: &Scores, decision: &Decision) -> f32 {
    if decision.outcome == Outcome::Answer && widest(question, rules, &decision.networks) {
        most(&scores.capability[..9]) * most(&scores.act[..2])
    } else {
        decision.confidence
    }
}

/// Returns the sets of networks that the person may mean, and how likely each is.
fn places(question: &Question, scores: &Scores, decision: &Decision) -> Vec<(Vec<Network>, f32)> {
    let mut usable = usable(question);
    usable.sort_by_key(|network| network.id());
    let mut out: Vec<(Vec<Network>, f32)> = Vec::new();
    let single = usable.iter().map(|network| vec![*network]);
    for networks in [decision.networks.clone(), usable.clone()].into_iter().chain(single) {
        let plain = networks.len() <= FEW || every(question, &networks);
        if !networks.is_empty() && plain && !out.iter().any(|(other, _)| *other == networks) {
            let p = meant(scores, &networks);
            out.push((networks, p));
        }
    }
    // Each single set out of nine networks is unlikely, so we compare the sets with each other.
    let sum: f32 = out.iter().map(|(_, p)| p).sum();
    for (_, p) in &mut out {
        *p /= sum.max(1e-9);
    }
    out
}

/// Returns the thing that the best fitting operation of these networks is about.
fn thing(fits: &[Fit<'_>], networks: &[Network], capability: Capability) -> Option<String> {
    let found = fits.iter().filter(|fit| !fit.writes && networks.contains(&fit.network));
    found.map(|fit| deed(fit.name, fit.network).1).find(|noun| nouns::capability(noun) == capability)
}

/// Checks whether the text has only words that mean nothing alone: "and?", "so what now".
fn says_nothing(text: &str) -> bool {
    let small =
        ["and", "so", "then", "now", "what", "well", "ok", "okay", "hmm", "hm", "eh", "huh", "but", "or", "also"];
    tokens(text).iter().all(|token| matches!(token.kind, Kind::Punct(_)) || token.any(&small))
}

/// Returns the readings to choose from if the decision is not likely enough. `goes_on`: the question continues the one before, or names
/// numbers and a period and needs nothing more.
pub(crate) fn readings(
    question: &Question,
    rules: &Understood,
    (scores, decision): (&Scores, &Decision),
    fits: &[Fit<'_>],
    goes_on: bool,
) -> Option<Doubt> {
    // A short text about numbers ("only Android", "same for last week") goes on from the question before, so we don't ask.
    let fragment = goes_on && rules.capability == Capability::Reporting && rules.outcome == Outcome::Answer;
    if fragment && !says_nothing(&question.text) {
        return None;
    }
    if rules.supposed.is_some() || sure(question, rules, scores, decision) >= UNSURE {
        return None;
    }
    if says_nothing(&question.text) {
        return Some(Doubt::Unsure { readings: Vec::new() });
    }
    let mut found: Vec<(Meant, f32)> = Vec::new();
    for (networks, place) in places(question, scores, decision) {
        for (capability, p) in Capability::ALL.into_iter().zip(scores.capability).take(9) {
            let read = p * scores.act[0] * place;
            let act = if capability == Capability::Reporting { Act::Numbers } else { Act::Details };
            let noun = match &rules.noun {
                _ if act == Act::Numbers => None,
                Some(noun) if nouns::capability(noun) == capability => Some(noun.clone()),
                _ => thing(fits, &networks, capability),
            };
            if act == Act::Numbers || noun.is_some() {
                found.push((Meant { act, services: networks.clone(), capability, noun }, read));
            }
        }
        let capability = scores.best_task();
        let change = scores.act[1] * place;
        let noun = rules.noun.clone();
        found.push((Meant { act: Act::Change, services: networks.clone(), capability, noun }, change));
    }
    let explained = f32::midpoint(scores.capability[9], scores.act[2]);
    let explain = Meant { act: Act::Explain, services: Vec::new(), capability: Capability::Docs, noun: None };
    found.push((explain, explained));
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let readings = found.into_iter().filter(|(_, p)| *p >= LEAST).map(|(meant, _)| meant).take(MOST).collect();
    Some(Doubt::Unsure { readings })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::{chosen, understand};

    /// Returns the strangers' questions without a history that we ask about, and the readings we offer for each.
    fn doubted() -> Vec<(Question, Vec<Meant>)> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../evals/writers");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let sets = files.filter(|file| file.extension().is_some_and(|of| of == "jsonl"));
        let lines = sets.flat_map(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()).collect::<Vec<_>>()
        });
        let questions = lines.filter(|line| line["query"].is_string() && line["context"]["history"] == json!([]));
        let asked = questions.filter_map(|line| {
            let networks = |of: &str| serde_json::from_value(line["context"][of].clone()).unwrap();
            let question = Question {
                text: line["query"].as_str().unwrap().to_owned(),
                connected: networks("connected"),
                disabled: networks("disabled"),
                today: "2026-11-21".into(),
                ..Question::default()
            };
            match understand(&question).doubt {
                Some(Doubt::Unsure { readings }) => Some((question, readings)),
                _ => None,
            }
        });
        asked.collect()
    }

    #[test]
    fn a_reading_that_was_chosen_is_not_asked_about_again() {
        let doubted = doubted();
        assert!(doubted.len() > 20, "{}", doubted.len());
        for (question, readings) in doubted {
            for meant in readings {
                let text = chosen::of(&meant, every(&question, &meant.services), &question.text);
                let read = understand(&Question { text: text.clone(), ..question.clone() });
                assert_eq!(read.doubt, None, "{text}");
                let changes = matches!(read.outcome, Outcome::Approval | Outcome::Clarify);
                assert_eq!(changes, meant.act == Act::Change, "{text}: {read:?}");
                if meant.act != Act::Explain {
                    assert_eq!(read.services, meant.services, "{text}");
                }
            }
        }
    }

    fn asks(text: &str) -> Option<Vec<Meant>> {
        let question = Question {
            text: text.into(),
            connected: Network::ALL.to_vec(),
            today: "2026-11-21".into(),
            ..Question::default()
        };
        match understand(&question).doubt {
            Some(Doubt::Unsure { readings }) => Some(readings),
            _ => None,
        }
    }

    #[test]
    fn what_says_nothing_offers_nothing_and_what_says_enough_is_answered() {
        for text in ["and?", "?", "hmm"] {
            assert_eq!(asks(text), Some(vec![]), "{text}");
        }
        for text in ["revenue by country last week", "total revenue yesterday", "list my mediation groups"] {
            assert_eq!(asks(text), None, "{text}");
        }
    }
}
