//! Asks which reading the person means if none is likely enough, with a chip for each reading. This must offer only readings that we can
//! answer without another question.

use adagent_domain::Network;

use super::{
    Answer, analyse,
    format::{and, or, plain, spoken},
    read::Turn,
    report::metric::{Dim, Metric},
    talk, things,
};
use crate::route::reading::asks_state;
use crate::text::Kind;
use crate::types::{Act, Doubt, Meant};
use crate::vocab::nouns;
use crate::{Outcome, Question, Understood, chosen, understand};

/// Asks what the person means, or says what we can do if no reading fits.
pub(super) fn ask(turn: &Turn<'_>) -> Answer {
    let Some(Doubt::Unsure { readings }) = &turn.understood.doubt else {
        return Answer::text("Do you want to change it, or see it?").following(chosen::chips(turn.question()));
    };
    let mut offers: Vec<Offer> = states(turn);
    // A question for a state is not about numbers, and there is nothing to change or to explain.
    let others = if offers.is_empty() { readings.as_slice() } else { &[] };
    for meant in others {
        if let Some(offer) = offer(turn, meant).filter(|offer| !offers.iter().any(|other| other.words == offer.words)) {
            offers.push(offer);
        }
    }
    // Almost anything could be explained, so that reading alone says nothing about what the person means.
    let only_explained = !others.is_empty() && others.iter().all(|meant| meant.act == Act::Explain);
    if offers.is_empty() || only_explained {
        return talk::nothing_fits(turn);
    }
    let words: Vec<String> = offers.iter().map(|offer| offer.words.clone()).collect();
    let ask = match words.as_slice() {
        [one] => format!("Do you mean {one}?"),
        several => format!("Do you mean {}?", or(several)),
    };
    Answer::text(format!("{} {ask}", chosen::NOT_SURE)).following(offers.into_iter().map(|offer| offer.chip))
}

/// For "is Network fill paused?", if nothing has that name: returns the same question for each kind of thing that it may be.
fn states(turn: &Turn<'_>) -> Vec<Offer> {
    const KINDS: [&str; 4] = ["line_item", "mediation_group", "placement", "ad_unit"];
    let question = turn.question().trim();
    let Some((verb, rest)) = question.split_once(' ').filter(|_| asks_state(&crate::text::tokens(question))) else {
        return Vec::new();
    };
    let usable = usable(turn);
    let owned = |noun: &&&str| nouns::owners(noun, "read").iter().any(|network| usable.contains(network));
    let offers = KINDS.iter().filter(owned).filter_map(|noun| {
        let word = noun.replace('_', " ");
        let chip = format!("{verb} the {word} {rest}");
        let read = read(turn, &chip);
        let answered = read.doubt.is_none()
            && read.outcome == Outcome::Answer
            && read.capability == nouns::capability(noun)
            && rest.to_lowercase().find(word.as_str()).is_none();
        answered.then(|| Offer { words: format!("the {word}"), chip })
    });
    offers.take(3).collect()
}

/// A reading that the person can choose.
struct Offer {
    /// The words for our question.
    words: String,
    chip: String,
}

fn usable(turn: &Turn<'_>) -> Vec<Network> {
    let context = &turn.request.planner;
    context.connected.iter().copied().filter(|network| !context.disabled.contains(network)).collect()
}

/// Returns "Pangle" or "AdMob and Unity". `None` for all networks.
fn whose(networks: &[Network], every: bool) -> Option<String> {
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    (!every && !names.is_empty()).then(|| and(&names))
}

fn offer(turn: &Turn<'_>, meant: &Meant) -> Option<Offer> {
    let usable = usable(turn);
    let every = usable.len() > 1 && usable.iter().all(|network| meant.services.contains(network));
    let whose = whose(&meant.services, every);
    let place = |before: &str| whose.as_ref().map_or_else(String::new, |whose| format!(" {before} {whose}"));
    let asked = format!("“{}”", plain(turn.question().trim()));
    let (words, sentence) = match meant.act {
        // "pause it" as the first message of a chat: there is nothing to change.
        Act::Change if meant.noun.is_none() && !names_thing(turn) && turn.request.planner.history.is_empty() => {
            return None;
        }
        Act::Change => (format!("to change something{}", place("in")), None),
        Act::Explain => ("how it works".to_owned(), None),
        Act::Show => (format!("a look{}", place("in")), None),
        Act::Numbers => match numbers(turn, whose.as_deref()) {
            Some(sentence) => (format!("*{sentence}*"), Some(sentence)),
            None => (format!("numbers{}", place("from")), None),
        },
        Act::Details => {
            let what = things::plural(meant.noun.as_deref()?);
            let owned = nouns::owners(meant.noun.as_deref()?, "read");
            let sentence = match meant.services.as_slice() {
                [one] if owned.contains(one) => format!("List my {} {what}", one.display_name()),
                _ => format!("List my {what}"),
            };
            (format!("the {what}{}", place("in")), (!names_something(turn)).then_some(sentence))
        }
    };
    let fits = |text: &String| answered(turn, text, meant, every);
    let chip = sentence.filter(fits).or_else(|| {
        let chip = chosen::of(meant, every, turn.question());
        Some(chip).filter(fits)
    })?;
    // Promise only what the chip says.
    let words = if chip.ends_with(turn.question().trim()) && words.starts_with('*') {
        format!("numbers{} for {asked}", place("from"))
    } else {
        words
    };
    Some(Offer { words, chip })
}

/// Checks whether we understand a chip as its reading, and without another question.
fn answered(turn: &Turn<'_>, chip: &str, meant: &Meant, every: bool) -> bool {
    let read = read(turn, chip);
    let act = match meant.act {
        Act::Change => matches!(read.outcome, Outcome::Approval | Outcome::Clarify),
        _ => read.outcome == Outcome::Answer,
    };
    let same = |networks: &[Network]| networks.iter().all(|network| meant.services.contains(network));
    let places = meant.services.is_empty() || every || same(&read.services);
    read.doubt.is_none() && act && places && (meant.act == Act::Change || read.capability == meant.capability)
}

/// Returns how we would understand a chip that the person presses now.
fn read(turn: &Turn<'_>, chip: &str) -> Understood {
    let context = &turn.request.planner;
    understand(&Question {
        text: chip.to_owned(),
        history: context.history.clone(),
        connected: context.connected.clone(),
        disabled: context.disabled.clone(),
        today: context.today.clone(),
        entities: context.entities.clone(),
        connections: context.connections.clone(),
        own_tools: Vec::new(),
        colleagues: Vec::new(),
    })
}

/// Checks whether the question holds something that our sentence would lose: a name, an ID, a number.
fn names_something(turn: &Turn<'_>) -> bool {
    let tokens = crate::text::tokens(turn.question());
    names_thing(turn) || tokens.iter().any(|token| matches!(token.kind, Kind::Number(_)))
}

/// Checks whether the question names one thing, by its name or its ID.
fn names_thing(turn: &Turn<'_>) -> bool {
    let tokens = crate::text::tokens(turn.question());
    let literal = tokens
        .iter()
        .any(|token| matches!(token.kind, Kind::Literal | Kind::Id) || crate::route::reading::is_id(token));
    let known = turn
        .entities
        .iter()
        .any(|item| item.name.len() > 2 && super::names::holds(&turn.lower, &item.name.to_lowercase()));
    literal || known
}

/// Returns the requested numbers in one sentence: "Pangle revenue yesterday by app". `None` if the question restricts them, because our
/// sentence would lose that.
fn numbers(turn: &Turn<'_>, whose: Option<&str>) -> Option<String> {
    let slots = turn.understood.slots.clone().unwrap_or_default();
    let tokens = crate::text::tokens(turn.question());
    let moved = crate::slots::moved(&tokens).is_some() || analyse::asks_why(turn) || analyse::asks_advice(turn);
    if moved || !slots.filters.is_empty() || slots.compare_to.is_some() || slots.rank.is_some() || names_something(turn)
    {
        return None;
    }
    let metrics: Vec<String> =
        slots.metrics.iter().filter_map(|slot| Metric::parse_any(slot)).map(Metric::word).collect();
    let metrics = if metrics.is_empty() { Metric::Revenue.word() } else { and(&metrics) };
    let dims: Vec<String> = slots.dimensions.iter().filter_map(|slot| Dim::parse_any(slot)).map(Dim::word).collect();
    let by = if dims.is_empty() { String::new() } else { format!(" by {}", and(&dims)) };
    let (period, assumed) = super::report::spec::period(&slots, turn.today);
    let when = if assumed { "last 7 days".to_owned() } else { spoken(period.from, period.to, turn.today) };
    let lowest = slots.sort.as_ref().is_some_and(|sort| !sort.starts_with('-')) && !dims.is_empty();
    let order = if lowest { ", lowest first" } else { "" };
    let top = slots.limit.map_or_else(String::new, |limit| format!(", top {limit}"));
    let first = whose.map_or_else(|| "Total".to_owned(), str::to_owned);
    Some(format!("{first} {metrics} {when}{by}{top}{order}"))
}
