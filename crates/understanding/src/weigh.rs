//! Weighs what the rules read against what was learned: the rules' reading is evidence, and the scores decide.

use std::sync::LazyLock;

use adagent_domain::Network;
use adagent_scorer::{Act, Opinion, Scorer, Scores};

use crate::retrieve::canonical;
use crate::types::{Capability, Outcome, Question, Understood};

/// By how much the rules' reading raises the odds of the same reading, as a power of e.
pub(crate) const RULES: f32 = 1.0;
/// Operations whose order is kept for retrieval.
const KEPT: usize = 15;

static BUNDLED: LazyLock<Scorer> = LazyLock::new(Scorer::bundled);

/// With the weights of this program.
pub(crate) fn bundled() -> &'static Scorer {
    &BUNDLED
}

fn opinion(rules: &Understood) -> Opinion {
    let act = match rules.outcome {
        Outcome::Answer if rules.capability == Capability::Docs => Some(Act::Explain),
        Outcome::Answer => Some(Act::Answer),
        Outcome::Approval | Outcome::Clarify => Some(Act::Change),
        Outcome::Chat => Some(Act::Chat),
        Outcome::Refuse => Some(Act::Refuse),
        Outcome::Connect | Outcome::Enable if rules.verb == "read" => Some(Act::Answer),
        Outcome::Connect | Outcome::Enable => Some(Act::Change),
    };
    // Of a question that is talk, the rules say nothing about networks.
    let talks = matches!(rules.outcome, Outcome::Chat | Outcome::Refuse) || rules.services.is_empty();
    Opinion { capability: rules.capability, act, path: rules.path, networks: (!talks).then(|| rules.services.clone()) }
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
pub(crate) fn weighed(question: &Question, rules: Understood, scorer: &Scorer) -> (Understood, Scores) {
    let asked = adagent_scorer::Question {
        text: &question.text,
        history: &question.history,
        connected: &question.connected,
        disabled: &question.disabled,
    };
    let (scores, ranked) = scorer.score(asked);
    let leaning = scores.toward(&opinion(&rules), RULES);
    let decision = scorer.decide(asked, &leaning);
    let changes = matches!(decision.outcome, Outcome::Approval | Outcome::Clarify);
    let of_meant = |name: &str| {
        let network = Network::ALL.into_iter().find(|network| name.starts_with(&format!("{}_", network.id())));
        network.filter(|network| decision.networks.is_empty() || decision.networks.contains(network))
    };
    let mut out = rules;
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
    (out, leaning)
}
