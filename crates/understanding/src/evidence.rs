//! Sets how strongly each kind of finding supports the reading of the rules against the learned scores.
//!
//! A weight belongs to a kind of evidence, never to a single sentence. The weights are rounded from those that fit strangers' questions
//! best. The scores that judged each question had not learned from its writer (`docs/understanding.md`).

use adagent_contract::Path;
use adagent_domain::Network;
use adagent_scorer::{Act, Evidence, Scores};

use crate::history::{Kind, State};
use crate::route::reading::Reading;
use crate::route::signals::Refusal;
use crate::types::{Capability, Outcome, Understood};
use crate::vocab::nouns::NOUNS;
use crate::vocab::verbs::Write;

/// The words say it outright, so no score outweighs it.
const CERTAIN: f32 = 8.0;
/// Almost always right. Only scores that are just as sure outweigh it.
const SURE: f32 = 4.0;
const LIKELY: f32 = 3.0;
const FAIR: f32 = 1.5;
const SLIGHT: f32 = 0.5;
/// The rules read something here, but are no better than chance.
const NONE: f32 = 0.0;

/// What the rules found, besides their reading.
#[expect(clippy::struct_excessive_bools, reason = "independent findings of one text")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The networks follow from what is connected, from an ID or offer in an earlier answer, or from the words themselves.
    pub settled: bool,
    /// The question is a new one after numbers of one network and names no network, or it goes on from such a question.
    pub fresh: bool,
    /// The question goes on with a change, and names another value or another place for it.
    pub change_goes_on: bool,
    /// The text names a thing of the workspace or an ID.
    pub thing: bool,
    /// The text names a thing and says nothing about it.
    pub bare: bool,
    /// The question goes on with numbers shown before, and names another period, split, order or part of them.
    pub figures_go_on: bool,
    /// The question asks what a demand source costs in an ad unit that the text names in full.
    pub line: bool,
}

/// Checks whether everything in the text only names something: "Ad Manager order House campaigns".
pub(crate) fn is_bare(reading: &Reading) -> bool {
    let nouns = reading.nouns.iter().map(|noun| (noun.at, noun.end));
    let mentions = reading.mentions.iter().map(|mention| (mention.at, mention.end));
    let spans: Vec<(usize, usize)> = nouns.chain(mentions).chain(reading.named.iter().copied()).collect();
    let named = |at: usize| spans.iter().any(|(from, to)| (*from..*to).contains(&at));
    let filler = ["the", "my", "our", "of", "in", "on", "at", "for", "all"];
    // A capitalized word after the first one is a part of a name. So is a word for a kind of thing that the reading took for no thing.
    let name = |at: usize| at > 0 && reading.tokens[at].capital || NOUNS.at(&reading.tokens, at).is_some();
    let nothing_else = (0..reading.tokens.len()).all(|at| named(at) || name(at) || reading.tokens[at].any(&filler));
    reading.write.is_none() && !reading.assigns && !spans.is_empty() && nothing_else
}

/// Checks whether the text is only a kind of thing and the full name of a known one: "the waterfall of Level End Banner". No word is left
/// that could order a change.
fn is_bare_name(reading: &Reading) -> bool {
    let nouns = reading.nouns.iter().map(|noun| (noun.at, noun.end));
    let mentions = reading.mentions.iter().map(|mention| (mention.at, mention.end));
    let spans: Vec<(usize, usize)> = nouns.chain(mentions).chain(reading.named.iter().copied()).collect();
    let named = |at: usize| spans.iter().any(|(from, to)| (*from..*to).contains(&at));
    let filler = ["the", "my", "our", "of", "in", "on", "at", "for"];
    let whole = (0..reading.tokens.len()).all(|at| named(at) || reading.tokens[at].any(&filler));
    whole && reading.write.is_none() && !reading.assigns && !reading.nouns.is_empty() && !reading.named.is_empty()
}

/// Checks whether the text is one long run of characters. The scores know nothing about a text without words.
pub(crate) fn wordless(text: &str) -> bool {
    const MANY: usize = 60;
    text.len() > MANY && text.is_ascii() && !text.trim().contains(char::is_whitespace)
}

fn networks(rules: &Understood, (reading, state): (&Reading, &State), found: Found) -> f32 {
    let by_network = state.slots.dimensions.contains(&"network") && rules.capability == Capability::Reporting;
    match state.kind {
        _ if found.settled => CERTAIN,
        // Nothing in the text points back at the network before.
        Kind::Task if found.fresh && rules.capability == Capability::Reporting => CERTAIN,
        Kind::Docs => FAIR,
        // "by network" with no network named means all of them.
        _ if state.services.is_empty() && reading.mentions.is_empty() && by_network => CERTAIN,
        _ if !reading.services.is_empty() => SURE,
        // The text names networks only as demand, so the rules guess whose mediation it is.
        _ if !reading.mentions.is_empty() && state.services.is_empty() => SLIGHT,
        _ if !reading.mentions.is_empty() || state.inherited && !state.services.is_empty() => SURE,
        _ if !state.services.is_empty() => SLIGHT,
        // The rules take the networks that have such a thing; numbers with no network are of all networks.
        _ => FAIR,
    }
}

/// Checks whether the question asks for a report: numbers of a period, or numbers shown before with another period or part.
fn report(rules: &Understood, (reading, state): (&Reading, &State), found: Found) -> bool {
    let timed = reading.slots.period.is_some() && (reading.figures() || state.inherited);
    // "worst ad source" gives an order and the things to sort.
    let ordered = reading.slots.descending.is_some() && !reading.slots.dimensions.is_empty();
    // "what share comes from the US" can only be about numbers.
    let share = reading.has(&["share", "percentage", "percent"]) && !reading.slots.filters.is_empty();
    let asked = timed || ordered || share || reading.odd || found.figures_go_on;
    rules.capability == Capability::Reporting && asked
}

fn capability(rules: &Understood, read: (&Reading, &State), found: Found) -> f32 {
    let (reading, state) = read;
    let id = reading.noun.is_some_and(|noun| noun.has_id);
    match state.kind {
        Kind::Refuse(Refusal::OffTopic) => FAIR,
        Kind::Refuse(_) => CERTAIN,
        Kind::Docs => SURE,
        Kind::Chat if state.certain => FAIR,
        Kind::Task if reading.trial => CERTAIN,
        Kind::Task if found.change_goes_on || found.line => SURE,
        Kind::Task if report(rules, read, found) && !id => SURE,
        Kind::Task if rules.capability == Capability::Reporting && !reading.figures() => NONE,
        Kind::Task if rules.capability == Capability::Reporting => SLIGHT,
        Kind::Task if reading.noun.is_none() || id && reading.slots.period.is_none() => FAIR,
        Kind::Chat | Kind::Task => SLIGHT,
    }
}

fn act(rules: &Understood, read: (&Reading, &State), found: Found) -> Option<(Act, f32)> {
    let changes = match rules.outcome {
        Outcome::Approval | Outcome::Clarify => true,
        Outcome::Connect | Outcome::Enable => rules.verb != "read",
        _ => false,
    };
    let (reading, state) = read;
    match state.kind {
        Kind::Refuse(Refusal::OffTopic) => Some((Act::Refuse, FAIR)),
        Kind::Refuse(_) => Some((Act::Refuse, CERTAIN)),
        Kind::Chat => Some((Act::Chat, if state.certain { FAIR } else { SLIGHT })),
        Kind::Docs => Some((Act::Explain, SURE)),
        Kind::Task if rules.supposed.is_some() => Some((Act::Answer, CERTAIN)),
        Kind::Task if reading.state => Some((Act::Answer, CERTAIN)),
        Kind::Task if found.line => Some((Act::Answer, SURE)),
        Kind::Task if !changes && is_bare_name(reading) => Some((Act::Answer, CERTAIN)),
        // A question about a change may or may not want it, so the rules say nothing.
        Kind::Task if changes && reading.asks => None,
        Kind::Task if changes && found.change_goes_on => Some((Act::Change, SURE)),
        Kind::Task if changes => Some((Act::Change, order(reading))),
        Kind::Task if lists_by_floor(reading) => Some((Act::Answer, SURE)),
        Kind::Task if found.bare || found.figures_go_on || report(rules, read, found) => Some((Act::Answer, SURE)),
        Kind::Task if reading.asks && reading.write.is_none() && !reading.assigns => Some((Act::Answer, LIKELY)),
        // A text without a verb that the rules know looks like a question to them. They say the same of the changes they miss, so this is
        // no evidence.
        Kind::Task => None,
    }
}

/// Checks whether the text lists things by their floor: "placements with a floor above $1".
fn lists_by_floor(reading: &Reading) -> bool {
    let listed = reading.noun.is_some_and(|noun| noun.plural);
    listed && reading.write.is_none() && !reading.assigns && crate::slots::floor_limit(&reading.tokens).is_some()
}

/// Returns how sure it is that the text orders a change, by where its verb is and which verb it is. We know least about "update", because
/// it also covers all verbs that have no kind of their own.
fn order(reading: &Reading) -> f32 {
    match reading.write {
        Some(_) if reading.orders || reading.trial => SURE,
        Some(Write::Create | Write::Stop | Write::Activate | Write::Deactivate | Write::Archive) => LIKELY,
        _ => FAIR,
    }
}

/// Returns how much the reading of the rules counts against the scores.
pub(crate) fn evidence(rules: &Understood, read: (&Reading, &State), found: Found) -> Evidence {
    let named = !rules.services.is_empty() && matches!(read.1.kind, Kind::Task | Kind::Docs);
    let task = found.thing || found.figures_go_on || rules.supposed.is_some() || read.0.orders;
    Evidence {
        capability: Some((rules.capability, capability(rules, read, found))),
        act: act(rules, read, found),
        workflow: if rules.path == Path::Workflow { SLIGHT } else { NONE },
        networks: named.then(|| (rules.services.clone(), networks(rules, read, found))),
        task: if task && read.1.kind == Kind::Task { SURE } else { NONE },
    }
}

/// Returns the evidence of a person's choice after we asked, for the networks they chose.
pub(crate) fn chosen(act: crate::types::Act, networks: Option<Vec<Network>>, scores: &Scores) -> Evidence {
    use crate::types::Act as Chosen;
    let capability = match act {
        Chosen::Change | Chosen::Show => scores.best_task(),
        Chosen::Numbers => Capability::Reporting,
        Chosen::Details => scores.best_of(|capability| capability != Capability::Reporting),
        Chosen::Explain => Capability::Docs,
    };
    let what = match act {
        Chosen::Change => Act::Change,
        Chosen::Explain => Act::Explain,
        Chosen::Show | Chosen::Numbers | Chosen::Details => Act::Answer,
    };
    let task = act != Chosen::Explain;
    Evidence {
        capability: Some((capability, CERTAIN + SURE)),
        act: Some((what, CERTAIN + SURE)),
        workflow: if act == Chosen::Change { CERTAIN } else { -CERTAIN },
        networks: networks.map(|networks| (networks, CERTAIN + SURE)),
        task: if task { CERTAIN } else { NONE },
    }
}
