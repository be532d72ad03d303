//! Weighs the reading of the rules against the learned scores: the reading is evidence, and the scores decide.

use adagent_domain::Network;
use adagent_scorer::{Evidence, Fit, Scorer, Scores};

use crate::chosen::{Choice, Place};
use crate::evidence;
use crate::retrieve::canonical;
use crate::types::{Capability, Doubt, Outcome, Question, Understood};
use crate::unsure;

/// Between these values the scores don't know whether the person wants a change, so we ask. A higher value needs no question, because we
/// show a change before we send anything.
const DOUBTFUL: std::ops::Range<f32> = 0.25..0.6;
/// Outside of these values the scores are sure, and operations of the other kind no longer fit.
const OPEN: std::ops::Range<f32> = 0.1..0.9;
/// How many operations keep their order for retrieval.
const KEPT: usize = 15;

/// Returns how likely it is that the person wants to change something and not to see it.
fn share(scores: &Scores) -> f32 {
    scores.act[1] / (scores.act[0] + scores.act[1]).max(1e-6)
}

/// Returns a doubt if it is open whether the person wants a change. The scores already include what the rules are certain about.
fn doubt(rules: &Understood, scores: &Scores) -> Option<Doubt> {
    let share = share(scores);
    let open = rules.supposed.is_none() && scores.act[0] + scores.act[1] > 0.5;
    (open && DOUBTFUL.contains(&share)).then(|| Doubt::ChangeOrShow { change: f64::from(share) })
}

/// Returns the class of an operation ("update", "create", "delete" or "stop") and the thing it is about.
pub(crate) fn deed(name: &str, network: Network) -> (&'static str, String) {
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

/// Returns the reading of the rules, corrected where the scores read something else. `choice`: the reading that the person chose when we
/// asked. `goes_on`: the question continues the one before, or names numbers and a period and needs nothing more.
pub(crate) fn weighed(
    question: &Question,
    (rules, evidence, goes_on): (Understood, &Evidence, bool),
    scorer: &Scorer,
    choice: Option<&Choice>,
) -> Understood {
    let asked = adagent_scorer::Question {
        text: &question.text,
        history: &question.history,
        connected: &question.connected,
        disabled: &question.disabled,
    };
    let (found, ranked) = scorer.score(asked);
    let mut weighed = found.with(evidence);
    if let Some(choice) = choice {
        let usable = || question.connected.iter().copied().filter(|network| !question.disabled.contains(network));
        let networks = match &choice.place {
            Place::Open => None,
            Place::All => Some(usable().collect()),
            Place::Named(networks) => Some(networks.clone()),
        };
        weighed = weighed.with(&evidence::chosen(choice.act, networks, &weighed));
    }
    let decision = scorer.decide(asked, &weighed);
    let changes = matches!(decision.outcome, Outcome::Approval | Outcome::Clarify);
    let meant = |fit: &Fit<'_>| decision.networks.is_empty() || decision.networks.contains(&fit.network);
    let open = choice.is_none() && matches!(decision.outcome, Outcome::Answer | Outcome::Approval);
    let doubt = open.then(|| doubt(&rules, &weighed)).flatten().filter(|_| decision.capability != Capability::Docs);
    let unsure = || unsure::readings(question, &rules, (&weighed, &decision), &ranked, goes_on);
    let doubt = doubt.or_else(|| open.then(unsure).flatten());
    let mut out = rules;
    // While it is open whether this is a change, the verb of the rules stays until the person has chosen.
    let undecided = matches!(doubt, Some(Doubt::ChangeOrShow { .. }));
    out.doubt = doubt;
    if changes && out.verb == "read" && !undecided {
        if let Some(write) = ranked.iter().find(|fit| fit.writes && meant(fit)) {
            let (verb, noun) = deed(write.name, write.network);
            verb.clone_into(&mut out.verb);
            out.noun = Some(noun);
        }
    } else if decision.outcome == Outcome::Answer && out.verb != "read" {
        "read".clone_into(&mut out.verb);
    }
    // If the scores are sure, only operations of the same kind fit: changes or reads. Each of several networks keeps its best operations.
    let each = (KEPT / decision.networks.len().max(1)).max(2);
    let mut kept = [0; Network::ALL.len()];
    let sure = !OPEN.contains(&share(&weighed)) && (changes || decision.outcome == Outcome::Answer);
    let fitting = ranked.iter().filter(|fit| meant(fit) && (!sure || changes == fit.writes)).filter(|fit| {
        let place = Network::ALL.iter().position(|other| *other == fit.network);
        place.is_some_and(|place| {
            kept[place] += 1;
            kept[place] <= each
        })
    });
    out.fits = fitting.map(|fit| fit.name.to_owned()).collect();
    // The scores did not learn whether the person has to name one of several networks. If the networks are the same, the rules decide that.
    let same = changes && out.services == decision.networks && out.outcome == Outcome::Clarify;
    out.services = decision.networks;
    out.capability = decision.capability;
    out.path = decision.path;
    out.outcome = if same { Outcome::Clarify } else { decision.outcome };
    out.confidence = f64::from(decision.confidence);
    out
}
