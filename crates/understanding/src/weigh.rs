//! Weighs what the rules read against what was learned: the rules' reading is evidence, and the scores decide.

use adagent_contract::Path;
use adagent_domain::Network;
use adagent_scorer::{Act, Opinion, Scorer, Scores};

use crate::retrieve::canonical;
use crate::types::{Capability, Doubt, Outcome, Question, Understood};

/// By how much the rules' reading raises the odds of the same reading, as a power of e; found with each writer left out.
const RULES: f32 = 1.0;
/// Of networks, where the rules are sure.
const SURE_NETWORKS: f32 = 2.0;
/// Where they guess.
const GUESS: f32 = 0.3;
/// Where they are sure that it must be refused.
const REFUSAL: f32 = 3.0;
/// The same for what the person chose.
const CHOSEN: f32 = 12.0;
/// Nearer to one or the other the scores are sure.
const UNSURE: f32 = 0.2;
/// Operations whose order is kept for retrieval.
const KEPT: usize = 15;

/// How much the rules' reading counts: of labels, and of networks.
fn strength(rules: &Understood) -> (f32, f32) {
    match rules.confidence {
        sure if sure > 0.8 && rules.outcome == Outcome::Refuse => (REFUSAL, REFUSAL),
        sure if sure > 0.9 => (RULES, SURE_NETWORKS),
        sure if sure > 0.6 => (RULES, RULES),
        _ => (GUESS, GUESS),
    }
}

fn opinion(rules: &Understood) -> Opinion {
    let act = match rules.outcome {
        Outcome::Chat => Some(Act::Chat),
        Outcome::Refuse => Some(Act::Refuse),
        Outcome::Answer if rules.capability == Capability::Docs => Some(Act::Explain),
        Outcome::Approval | Outcome::Clarify => Some(Act::Change),
        Outcome::Connect | Outcome::Enable if rules.verb != "read" => Some(Act::Change),
        // What holds no verb they know is a question to the rules: of the changes they miss, they say the same.
        Outcome::Answer | Outcome::Connect | Outcome::Enable => None,
    };
    // Of a question that is talk, the rules say nothing about networks.
    let talks = matches!(rules.outcome, Outcome::Chat | Outcome::Refuse) || rules.services.is_empty();
    Opinion {
        capability: rules.capability,
        act,
        path: (rules.path == Path::Workflow).then_some(Path::Workflow),
        networks: (!talks).then(|| rules.services.clone()),
    }
}

/// Rules and scores disagree whether something is to be changed, and the scores are not sure.
fn doubt(rules: &Understood, scores: &Scores) -> Option<Doubt> {
    let (show, change) = (scores.act[0], scores.act[1]);
    let share = change / (show + change).max(1e-6);
    let by_rules = match rules.outcome {
        Outcome::Approval | Outcome::Clarify => true,
        Outcome::Answer if rules.capability != Capability::Docs && rules.supposed.is_none() => false,
        _ => return None,
    };
    let unsure = (UNSURE..1.0 - UNSURE).contains(&share) && show + change > 0.5;
    (unsure && by_rules != (share > 0.5)).then(|| Doubt::ChangeOrShow { change: f64::from(share) })
}

/// "update", "create", "delete" or "stop", and the thing, of an operation.
fn deed(name: &str, network: Network) -> (&'static str, String) {
    let rest = name.strip_prefix(network.id()).unwrap_or(name).trim_start_matches('_').trim_start_matches("batch_");
    let (verb, noun) = rest.split_once('_').unwrap_or((rest, ""));
    let class = match verb {
        "create" | "add" | "link" | "map" | "register" => "create",
        "delete" | "remove" => "delete",
        "stop" | "end" => "stop",
        _ => "update",
    };
    (class, canonical(noun))
}

/// What is left of the rules' reading where the scores read something else.
/// `choice`: the person was asked, and wants a change or not.
pub(crate) fn weighed(question: &Question, rules: Understood, scorer: &Scorer, choice: Option<bool>) -> Understood {
    let asked = adagent_scorer::Question {
        text: &question.text,
        history: &question.history,
        connected: &question.connected,
        disabled: &question.disabled,
    };
    let (found, ranked) = scorer.score(asked);
    let (by, networks_by) = strength(&rules);
    let mut leaning = found.toward(&opinion(&rules), by, networks_by);
    if let Some(change) = choice {
        let (act, path) = if change { (Act::Change, Path::Workflow) } else { (Act::Answer, Path::Reactive) };
        let chosen = Opinion { capability: leaning.best_task(), act: Some(act), path: Some(path), networks: None };
        leaning = leaning.toward(&chosen, CHOSEN, 0.0);
    }
    let decision = scorer.decide(asked, &leaning);
    let changes = matches!(decision.outcome, Outcome::Approval | Outcome::Clarify);
    let of_meant = |name: &str| {
        let network = Network::ALL.into_iter().find(|network| name.starts_with(&format!("{}_", network.id())));
        network.filter(|network| decision.networks.is_empty() || decision.networks.contains(network))
    };
    let open = choice.is_none() && matches!(decision.outcome, Outcome::Answer | Outcome::Approval);
    let doubt = open.then(|| doubt(&rules, &found)).flatten();
    let mut out = rules;
    out.doubt = doubt.filter(|_| decision.capability != Capability::Docs);
    if changes && out.verb == "read" {
        let write = ranked.iter().find_map(|(name, _)| Some((name, of_meant(name)?)).filter(|_| scorer.writes(name)));
        if let Some((name, network)) = write {
            let (verb, noun) = deed(name, network);
            verb.clone_into(&mut out.verb);
            out.noun = Some(noun);
        }
    } else if decision.outcome == Outcome::Answer && out.verb != "read" {
        "read".clone_into(&mut out.verb);
    }
    // Of several networks each keeps its best.
    let each = (KEPT / decision.networks.len().max(1)).max(2);
    let mut kept = [0; Network::ALL.len()];
    let fitting = ranked.iter().filter(|(name, _)| {
        let place = of_meant(name).and_then(|network| Network::ALL.iter().position(|other| *other == network));
        place.is_some_and(|place| {
            kept[place] += 1;
            kept[place] <= each
        })
    });
    out.fits = fitting.map(|(name, _)| (*name).to_owned()).collect();
    out.services = decision.networks;
    out.capability = decision.capability;
    out.path = decision.path;
    out.outcome = decision.outcome;
    out.confidence = f64::from(decision.confidence);
    out
}
