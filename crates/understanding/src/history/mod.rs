//! Decides what a question takes from the turns before it.
//!
//! We read each user turn alone and merge it with the state that the turns before it left.

use adagent_domain::Network;

mod follow;
mod fresh;
mod merge;

pub(crate) use self::follow::{
    every_network, goes_on_changing, lists_elsewhere, order_instead, sees_elsewhere, starts_fresh,
};
use self::follow::{follow, names_another};
use self::fresh::{THE_GROUP, fresh, lone_floor};
use crate::route::reading::{NounMention, Reading};
use crate::route::signals::{self, Refusal};
use crate::slots::RawSlots;
use crate::types::Capability;
use crate::vocab::metrics::METRICS;
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// What a turn is about, with what it takes from the turns before it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub kind: Kind,
    pub services: Vec<Network>,
    pub capability: Capability,
    pub noun: Option<&'static str>,
    pub write: Option<Write>,
    pub analysis: bool,
    pub slots: RawSlots,
    pub text: String,
    pub named: Named,
    pub certain: bool,
    pub inherited: bool,
}

/// The names in a turn, as the person wrote them. A turn that names nothing may take the names of the turn before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// Known things, IDs and names in quotes.
    pub things: Vec<String>,
    /// Networks, also those that are named as the source of a line.
    pub networks: Vec<String>,
}

impl Named {
    fn of(reading: &Reading) -> Self {
        let written = |mention: &crate::route::reading::Mention| {
            let (from, to) = (reading.tokens.get(mention.at)?, reading.tokens.get(mention.end.checked_sub(1)?)?);
            reading.text.get(from.start..to.end).map(str::to_owned)
        };
        Self { things: reading.things.clone(), networks: reading.mentions.iter().filter_map(written).collect() }
    }

    /// Fills each empty list with the names of the turn before.
    fn or(self, before: &Self) -> Self {
        let or = |own: Vec<String>, before: &Vec<String>| if own.is_empty() { before.clone() } else { own };
        Self { things: or(self.things, &before.things), networks: or(self.networks, &before.networks) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Task,
    Chat,
    Refuse(Refusal),
    Docs,
}

/// The longest text, in bytes, that we take for small talk if we recognize nothing in it.
const MOST_SMALL_TALK: usize = 120;

const MARKERS: &[&str] = &[
    "and",
    "also",
    "now",
    "then",
    "same",
    "only",
    "just",
    "but",
    "instead",
    "without",
    "versus",
    "vs",
    "yes",
    "both",
    "by",
    "per",
    "again",
    "undo",
    "reset",
    "plus",
    "or",
    "add",
    "split",
    "break",
    "group",
    "sort",
    "excluding",
    "except",
    "keep",
    "exclude",
    "ok",
    "okay",
    "make",
    "rather",
    "show",
];
const POINTERS: &[&str] = &["it", "its", "that", "those", "them", "these", "both", "one", "there", "this"];

fn is_network_subset(reading: &Reading) -> bool {
    !reading.mentions.is_empty()
        && reading.tokens.len() <= reading.mentions.iter().map(|m| m.end - m.at).sum::<usize>() + 4
}

/// Checks whether the text depends on what was said before.
fn leans(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    let first = tokens.iter().find(|t| !matches!(t.kind, crate::text::Kind::Punct(_)));
    let opens = first.is_some_and(|t| {
        t.any(MARKERS) && !(t.is("show") && (is_whole(reading) || lists_named(reading))) || t.number().is_some()
    }) || tokens.first().is_some_and(|t| t.any(&["what", "how"]))
        && tokens.get(1).is_some_and(|t| t.is("about"));
    opens
        || points(reading)
        || reading.has(&["instead", "too", "else", "again"])
        || says_same(reading)
        || reading.has(&["previous"]) && !compares(reading)
        // "AdMob revenue yesterday" is short but complete, so it does not depend on the turn before.
        || is_network_subset(reading) && !is_whole(reading)
}

/// Checks whether the text names numbers and a period, so that it needs nothing from an earlier turn.
fn is_whole(reading: &Reading) -> bool {
    reading.figures() && reading.slots.period.is_some()
}

/// Checks whether the text names a kind of thing and where to look for it: "show all ad units of Puzzle Game".
fn lists_named(reading: &Reading) -> bool {
    reading.noun.is_some_and(|noun| noun.plural || noun.has_id || is_every(reading, &noun))
        && !reading.things.is_empty()
}

/// Checks whether the text means every thing of the kind: "every ad unit", "all placements".
fn is_every(reading: &Reading, noun: &NounMention) -> bool {
    noun.at > 0 && reading.tokens[noun.at - 1].any(&["every", "each", "all", "any"])
}

/// Checks whether "same" points at the turn before, as in "same for last week". In "yesterday compared with the same day last week" it does
/// not.
fn says_same(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    let of_a_time = |at: usize| compares(reading) && tokens.get(at + 1).is_some_and(crate::dates::unit_word);
    tokens.iter().enumerate().any(|(at, token)| token.is("same") && !of_a_time(at))
}

/// Checks whether the text compares a period that it names with another one: "yesterday vs the day before".
fn compares(reading: &Reading) -> bool {
    reading.slots.compare.is_some() && is_whole(reading)
}

/// Checks whether a word points at something said before. "This week", "before lunch" and "a quick one" point at nothing.
fn points(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    let last = |at: usize| tokens.get(at + 1).is_none_or(|next| matches!(next.kind, crate::text::Kind::Punct(_)));
    tokens.iter().enumerate().any(|(at, token)| match token.norm.as_str() {
        "this" => !tokens.get(at + 1).is_some_and(crate::dates::unit_word),
        "one" => !at.checked_sub(1).is_some_and(|i| tokens[i].any(&["quick", "last"])),
        "before" if compares(reading) => false,
        "before" => last(at) || tokens.get(at + 1).is_some_and(|next| next.any(POINTERS)),
        _ => token.any(POINTERS) && !within(reading, at),
    })
}

/// Checks whether the word at `at` points at something that the same text named earlier: "AppLovin revenue in October, and how did it
/// compare". A pronoun after a preposition ("revenue for it") points at an earlier turn.
fn within(reading: &Reading, at: usize) -> bool {
    const DOES: &[&str] =
        &["do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "will", "would", "compare"];
    const OF: &[&str] = &["for", "of", "in", "on", "by", "from", "with", "to", "at"];
    let (tokens, before) = (&reading.tokens, &reading.tokens[..at]);
    let Some(lead) = before.last() else { return false };
    // "every ad unit of Puzzle Game with its floor": the text itself says whose floor.
    if matches!(tokens[at].norm.as_str(), "its" | "their") && owned_here(reading, at) {
        return true;
    }
    let figure = |i: usize| METRICS.at(before, i).is_some() || before[i].any(&["earn", "made", "bring"]);
    let named = reading.slots.period.is_some() || !reading.services.is_empty();
    let figures = reading.figures() && named && (0..at).any(figure);
    match tokens[at].norm.as_str() {
        "it" | "that" | "they" | "them" | "these" | "those" => figures && lead.any(DOES) && !lead.any(OF),
        "there" => figures && reading.slots.filters.iter().any(|filter| filter.field == "country"),
        _ => false,
    }
}

/// Checks whether the text names whose thing it is before "its" or "their": things of a kind ("all placements"), or a known name.
fn owned_here(reading: &Reading, at: usize) -> bool {
    let listed = |noun: &NounMention| is_every(reading, noun) || noun.plural || noun.has_id;
    let kinds = reading.nouns.iter().any(|noun| noun.end <= at && listed(noun));
    let pointed = reading.tokens[..at].iter().any(|token| token.any(&["that", "this", "those", "these", "them", "it"]));
    !pointed && (kinds || reading.named.iter().any(|(_, end)| *end <= at))
}

/// Checks whether the text holds nothing that the desk could answer and nothing that points back. Such a text takes nothing from numbers
/// shown before.
fn says_nothing(reading: &Reading) -> bool {
    let slots = &reading.slots;
    let bare = slots.metrics.is_empty()
        && slots.dimensions.is_empty()
        && slots.filters.is_empty()
        && slots.period.is_none()
        && slots.compare.is_none()
        && slots.limit.is_none()
        && slots.descending.is_none()
        && !slots.money_verb;
    let nothing_named = reading.mentions.is_empty()
        && reading.nouns.is_empty()
        && reading.named.is_empty()
        && reading.ids.is_empty()
        && reading.write.is_none();
    let words = reading.tokens.iter().filter(|token| matches!(token.kind, crate::text::Kind::Word)).count();
    // "open the second of the two" is about what was shown.
    let picks = reading.has(&["first", "second", "third", "last", "latter", "former", "other"]);
    let points = picks || reading.analysis || leans(reading);
    words >= 5 && bare && nothing_named && !points && !signals::has_domain(&reading.tokens)
}

/// Checks whether a question is complete: it names numbers and a period, and nothing in it points back.
pub(crate) fn stands_alone(reading: &Reading) -> bool {
    is_whole(reading) && !leans(reading)
}

/// Checks whether a text such as "how was the weekend" asks about the numbers: it names a period and does not speak to the assistant.
fn asks_after(reading: &Reading) -> bool {
    let opens = reading.tokens.iter().take(4).any(|t| t.any(&["how", "what"]));
    opens && reading.slots.period.is_some() && !reading.has(&["you", "your", "name"])
}

/// Checks whether the text asks how something is set up, as in "which groups use them", although its words could also name a split.
fn asks_setup(reading: &Reading) -> bool {
    reading.noun.is_some_and(|n| nouns::capability(n.noun) == Capability::Mediation)
        && reading.has(&["use", "uses", "using", "contain", "contains", "include", "includes", "has", "have"])
        && reading.has(&["which", "what", "do", "does", "is"])
        && !reading.figures()
        && reading.slots.period.is_none()
}

/// Checks whether the noun only names a split or a filter of the numbers. Such a noun does not change the subject.
fn noun_is_slot(reading: &Reading) -> bool {
    let Some(noun) = reading.noun else { return true };
    let as_dimension = match noun.noun {
        "ad_slot" => "ad_unit",
        "operating_system" => "platform",
        "audience_segment" | "company" => "advertiser",
        "device_category" => "device_category",
        "geo_target" => "country",
        "bidder" => "ad_source",
        other => other,
    };
    // "same but banners" means a format, although people also call ad units banners.
    let format = noun.noun == "ad_unit"
        && crate::vocab::dimensions::FORMATS.at(&reading.tokens, noun.at).is_some()
        && reading.slots.filters.iter().any(|f| f.field == "format");
    let listed = format
        || reading.slots.dimensions.contains(&as_dimension)
        || reading.slots.filters.iter().any(|f| f.field == as_dimension || f.field == "bidding");
    listed && reading.nouns.iter().all(|n| nouns::capability(n.noun) != Capability::Experiments)
}

fn capability_of(reading: &Reading, noun: Option<&'static str>) -> Capability {
    let Some(noun) = noun else { return Capability::Reporting };
    let mut capability = nouns::capability(noun);
    // A change to a MAX ad unit, such as its bid floor, waterfall or refresh, belongs to mediation. Creating one does not.
    if noun == "ad_unit"
        && reading.services == [Network::AppLovin]
        && reading.write_like()
        && !matches!(reading.write, Some(Write::Create))
    {
        capability = Capability::Mediation;
    }
    if noun == "live_stream" {
        capability = Capability::Content;
    }
    capability
}

impl Reading {
    fn write_like(&self) -> bool {
        self.write.is_some() || self.assigns
    }
}

/// Returns a state that holds only the text and what the caller passes.
fn blank(reading: &Reading, kind: Kind, capability: Capability, services: Vec<Network>) -> State {
    State {
        kind,
        services,
        capability,
        noun: None,
        write: None,
        analysis: false,
        slots: RawSlots::default(),
        text: reading.text.clone(),
        named: Named::of(reading),
        certain: true,
        inherited: false,
    }
}

/// Builds the state for a question about how something works, and picks the networks it is about.
fn documentation(reading: &Reading, before: Option<&State>) -> State {
    // "how does Mintegral bidding work": if the text names only one network, the question is about it, even if it is named as a demand
    // source.
    let only = reading.mentions.first().filter(|m| reading.mentions.iter().all(|n| n.network == m.network));
    let services = if reading.services.is_empty() && !reading.sources.is_empty() {
        only.map(|m| m.network).into_iter().collect()
    } else {
        reading.services.clone()
    };
    let mut state = blank(reading, Kind::Docs, Capability::Docs, services);
    if state.services.is_empty()
        && let Some(b) = before
        && (reading.has(POINTERS)
            || leans(reading)
            || b.capability == Capability::Docs
            || reading.capability() == Some(b.capability))
    {
        state.services.clone_from(&b.services);
        state.inherited = true;
    }
    if state.services.is_empty()
        && reading.noun.is_some_and(|n| {
            nouns::implies_ad_manager(n.noun)
                && matches!(nouns::capability(n.noun), Capability::Deals | Capability::Orders)
        })
    {
        state.services.push(Network::AdManager);
    }
    state
}

/// Returns the state after one user turn. Usually it merges what the turn says with the state before it; a refusal or small talk starts
/// from a blank state.
pub(crate) fn step(reading: &Reading, before: Option<&State>) -> State {
    let tokens = &reading.tokens;
    let before = before.filter(|b| b.capability != Capability::Reporting || !says_nothing(reading));
    // An app can have a name that reads like an instruction, so we look for a refusal outside of known names only.
    let unnamed: Vec<_> = tokens
        .iter()
        .enumerate()
        .filter(|(at, _)| !reading.named.iter().any(|(from, to)| (*from..*to).contains(at)))
        .map(|(_, token)| token.clone())
        .collect();
    if let Some(why) = signals::refusal(&unnamed, before.is_some()) {
        return blank(reading, Kind::Refuse(why), Capability::Assistant, Vec::new());
    }
    if signals::small_talk(tokens) && !asks_after(reading) {
        return blank(reading, Kind::Chat, Capability::Assistant, Vec::new());
    }
    let concrete = reading.slots.period.is_some() || !reading.ids.is_empty() || reading.slots.limit.is_some();
    let mine = reading.mine && !reading.has(&["we", "i"]);
    // No manual answers a question about a change to a person's own things.
    let own =
        reading.supposed.is_some() && (!reading.named.is_empty() || reading.mine || reading.has(&["$", "€", "£"]));
    if !reading.analysis_task() && !own && signals::documentation(tokens, concrete, mine) {
        return documentation(reading, before);
    }
    let state = match before {
        Some(b)
            if b.capability == Capability::Reporting
                && b.noun.is_none()
                && reading.write_like()
                && lone_floor(reading) =>
        {
            let noun = Some(NounMention { noun: "floor", ..THE_GROUP });
            State { services: b.services.clone(), ..fresh(&Reading { noun, ..reading.clone() }) }
        }
        // An order for another thing, by its name, takes nothing from the turn before here.
        Some(b) if reading.noun.is_none() && names_another(reading, b) => {
            let noun = lone_floor(reading).then_some(NounMention { noun: "floor", ..THE_GROUP });
            fresh(&Reading { noun, ..reading.clone() })
        }
        Some(b) => follow(reading, b),
        None if lone_floor(reading) => fresh(&Reading { noun: Some(THE_GROUP), ..reading.clone() }),
        None => fresh(reading),
    };
    if before.is_none()
        && !state.certain
        && reading.mentions.is_empty()
        && !signals::has_domain(tokens)
        && reading.slots.period.is_none()
    {
        if reading.names_app && reading.has(&["approved", "approval", "rejected"]) {
            let noun = Some("app");
            return State { noun, certain: false, ..blank(reading, Kind::Task, Capability::Inventory, Vec::new()) };
        }
        if reading.names_app && reading.has(&["delete", "remove", "erase"]) {
            let (noun, write) = (Some("app"), Some(Write::Delete));
            return State {
                noun,
                write,
                certain: false,
                ..blank(reading, Kind::Task, Capability::Inventory, Vec::new())
            };
        }
        // "anything unusual?" asks about all numbers.
        if reading.odd {
            let slots = reading.slots.clone();
            return State { slots, analysis: true, ..blank(reading, Kind::Task, Capability::Reporting, Vec::new()) };
        }
        let part = reading.has(&["share", "percentage", "percent", "portion", "proportion"])
            || reading.analysis && reading.write.is_none();
        if part && !reading.slots.filters.is_empty() {
            let slots = reading.slots.clone();
            let analysis = reading.analysis;
            return State {
                slots,
                analysis,
                certain: false,
                ..blank(reading, Kind::Task, Capability::Reporting, Vec::new())
            };
        }
        // "what ids do I have to enter for Chartboost" names a demand source and nothing else.
        if !reading.sources.is_empty() {
            let keys =
                reading.has(&["id", "ids", "key", "field", "enter", "config", "configure", "parameter", "credentials"]);
            let noun = Some(if keys { "ad_source_adapter" } else { "ad_source" });
            return State { noun, certain: false, ..blank(reading, Kind::Task, Capability::Mediation, Vec::new()) };
        }
        // We recognized nothing, so the kind is a guess, and `certain` says so.
        let kind = if tokens.len() <= 4 && reading.text.len() <= MOST_SMALL_TALK {
            Kind::Chat
        } else {
            Kind::Refuse(Refusal::OffTopic)
        };
        return State { certain: false, ..blank(reading, kind, Capability::Assistant, Vec::new()) };
    }
    state
}

impl Reading {
    fn analysis_task(&self) -> bool {
        if signals::general(&self.tokens) && self.slots.period.is_none() && !self.mine && !self.figures() {
            return false;
        }
        let explains_first = self
            .tokens
            .first()
            .is_some_and(|t| t.is("explain") && self.tokens.get(1).is_none_or(|n| !n.any(&["why", "the"])));
        let explains_change =
            self.mine || self.slots.period.is_some() || self.has(&["drop", "fall", "fell", "why", "find"]);
        let concrete = self.slots.period.is_some() || self.mine || self.figures() || self.reads;
        self.analysis && concrete && !explains_first && (explains_change || !self.has(&["explain"]))
    }
}
