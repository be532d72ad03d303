//! From a question to its route, outcome and slots. Pure: same question, same answer.

use std::fmt::Write as _;

use adagent_contract::Path;
use adagent_domain::Network;
use jiff::civil::Date;

use crate::history::{self, Kind, State};
use crate::outcome;
use crate::route::reading::Reading;
use crate::slots::{RawSlots, set_filter};
use crate::types::{Capability, Comparison, Filter, FilterValue, Outcome, Question, Slots, Understood};
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// How many user turns back are read.
const TURNS: usize = 8;

/// Understands a question in its history.
pub fn understand(question: &Question) -> Understood {
    let today: Date = question.today.parse().unwrap_or(Date::constant(1970, 1, 1));
    let turns: Vec<&str> = question.history.iter().filter(|h| h.role == "user").map(|h| h.content.as_str()).collect();
    let mut before: Option<State> = None;
    let mut said: Vec<State> = Vec::new();
    for text in turns.iter().skip(turns.len().saturating_sub(TURNS)) {
        let reading = Reading::new(text, today, &question.entities);
        let mut state = history::step(&reading, before.as_ref());
        inside_admob(question, &reading, &mut state);
        named_group(question, &reading, &mut state);
        said.push(state.clone());
        if matches!(state.kind, Kind::Task | Kind::Docs) {
            before = Some(state);
        }
    }
    let reading = Reading::new(&question.text, today, &question.entities);
    let mut state = history::step(&reading, before.as_ref());
    named_group(question, &reading, &mut state);
    offered(question, &reading, &mut state);
    shown(question, &reading, &said, &mut state);
    pointed(question, &reading, before.as_ref(), &mut state);
    // "banner slots" where Pangle, which calls its units so, isn't connected.
    if state.noun == Some("ad_slot")
        && state.services.is_empty()
        && !question.connected.contains(&Network::Pangle)
        && !reading.tokens.windows(2).any(|w| w[0].is("ad") && w[1].is("slot"))
    {
        state.noun = Some("ad_unit");
    }
    let floor = reading.has(&["floor", "price", "cpm"]);
    // "lower all floors": of whatever has some, when no thing is named.
    let any_floor = reading.nouns.is_empty() && reading.has(&["floor"]) && state.noun == Some("mediation_group");
    if any_floor && before.is_none() && question.connected.iter().any(|n| *n != Network::AdMob) {
        state.noun = Some("floor");
    }
    let (mut outcome, mut services) = outcome::decide(&state, &question.connected, &question.disabled, floor);
    if matches!(outcome, Outcome::Connect | Outcome::Enable)
        && reading.services.is_empty()
        && !state.services.is_empty()
        && history::stands_alone(&reading)
    {
        // A new question after one to a network that cannot answer: it is not about that network any more.
        state.services.clear();
        (outcome, services) = outcome::decide(&state, &question.connected, &question.disabled, floor);
    }
    if outcome == Outcome::Connect
        && (inside_admob(question, &reading, &mut state)
            || line_of_admob(question, &reading, &mut state)
            || part_of_admob(question, &reading, &mut state))
    {
        (outcome, services) = outcome::decide(&state, &question.connected, &question.disabled, floor);
    }
    services.sort_by_key(|n| n.id());
    services.dedup();
    let capability =
        if matches!(state.kind, Kind::Chat | Kind::Refuse(_)) { Capability::Assistant } else { state.capability };
    let path = if state.kind == Kind::Task && (state.write.is_some() || state.analysis) {
        Path::Workflow
    } else {
        Path::Reactive
    };
    let slots = (capability == Capability::Reporting).then(|| finish(&state.slots, &services));
    let standalone = standalone(&state, slots.as_ref(), &services);
    let confidence = match (state.kind, state.certain, state.inherited) {
        (Kind::Refuse(_) | Kind::Chat, true, _) => 0.9,
        (Kind::Refuse(_) | Kind::Chat, false, _) => 0.5,
        (_, true, false) => 0.95,
        (_, true, true) => 0.85,
        (_, false, true) => 0.7,
        (_, false, false) => 0.4,
    };
    Understood {
        thinking: thinking(&state, &services),
        services,
        capability,
        path,
        outcome,
        confidence,
        slots,
        standalone,
        verb: outcome::verb_class(state.write).to_owned(),
        noun: state.noun.map(str::to_owned),
    }
}

/// "AppLovin bidding revenue", "revenue without Unity" where only `AdMob` is connected: a source of its mediation is meant.
fn inside_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let alone = question.connected == [Network::AdMob] && question.disabled.is_empty();
    let figures = state.kind == Kind::Task && state.capability == Capability::Reporting && reading.write.is_none();
    let said = reading.has(&["bidding", "bidder", "waterfall", "source", "mediation", "line", "instance", "entry"]);
    let mentioned: Vec<usize> = reading.mentions.iter().filter(|m| m.network != Network::AdMob).map(|m| m.at).collect();
    let out = !mentioned.is_empty()
        && mentioned.iter().all(|at| crate::slots::network_taken_out(&reading.text, &reading.tokens, *at));
    if !(alone && figures && (said || out)) || state.services.is_empty() || state.services.contains(&Network::AdMob) {
        return false;
    }
    let names: Vec<String> = state.services.iter().map(|n| n.display_name().to_owned()).collect();
    state.slots.filters.retain(|filter| filter.field != "ad_source" && filter.field != "bidding");
    let value = if out { FilterValue::Not { not: names } } else { FilterValue::In(names) };
    state.slots.filters.push(Filter { field: "ad_source".to_owned(), value });
    state.slots.dimensions.retain(|dim| *dim != "network");
    state.services = vec![Network::AdMob];
    true
}

/// "is Mintegral active in our groups", "ad source id of Pangle": a network that has no such thing itself, or that stands
/// before the place it is looked for in, is a part of what `AdMob` has.
fn part_of_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let usable = |n: &Network| question.connected.contains(n) && !question.disabled.contains(n);
    let inside = matches!(state.capability, Capability::Mediation | Capability::Experiments);
    let Some(noun) = state.noun.filter(|_| inside && usable(&Network::AdMob)) else { return false };
    let owners = nouns::owners(noun, outcome::verb_class(state.write));
    let named = |n: &Network| state.services.contains(n);
    if state.kind != Kind::Task || !owners.contains(&Network::AdMob) || named(&Network::AdMob) {
        return false;
    }
    let foreign = state.services.iter().all(|n| !owners.contains(n));
    let place = reading.noun.map_or(0, |n| n.at);
    let before_place = question.connected == [Network::AdMob]
        && !reading.mentions.is_empty()
        && reading.mentions.iter().all(|m| {
            m.end < place
                && reading.tokens[m.end..place]
                    .iter()
                    .any(|t| t.any(&["in", "into", "from", "to", "of", "on", "inside", "within", "out"]))
        });
    if !(foreign || before_place) {
        return false;
    }
    state.services = vec![Network::AdMob];
    true
}

/// "remove the AppLovin line" where only `AdMob` is connected: a line of one of its groups is meant.
fn line_of_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let alone = question.connected == [Network::AdMob] && question.disabled.is_empty();
    let line = reading.has(&["line", "bidder", "bidding", "floor", "waterfall", "source"]);
    let about = state.noun.is_none_or(|noun| matches!(noun, "bidder" | "ad_source" | "waterfall" | "mediation_group"));
    if !alone || !line || !about || state.kind != Kind::Task || reading.write.is_none() || state.analysis {
        return false;
    }
    state.services = vec![Network::AdMob];
    state.capability = Capability::Mediation;
    state.noun = Some("mediation_group");
    state.write = reading.write.map(|write| if write == Write::Delete { Write::Update } else { write });
    true
}

/// "the waterfall of RV Main" where nobody has groups: what was named with a word is meant, not a group of that name.
fn named_group(question: &Question, reading: &Reading, state: &mut State) {
    let verb = outcome::verb_class(state.write);
    let has = |noun: &str| nouns::owners(noun, verb).iter().any(|n| question.connected.contains(n));
    if !reading.implied || state.noun != Some("mediation_group") || has("mediation_group") {
        return;
    }
    if let Some(named) = reading.nouns.iter().find(|n| has(n.noun)) {
        state.noun = Some(named.noun);
        state.capability = nouns::capability(named.noun);
    }
}

/// "did impressions on it start today?": the thing spoken of restricts the figures.
fn pointed(question: &Question, reading: &Reading, before: Option<&State>, state: &mut State) {
    const FIELDS: [&str; 6] = ["ad_unit", "app", "placement", "line_item", "order", "mediation_group"];
    let Some(before) = before else { return };
    let figures = state.capability == Capability::Reporting && state.inherited && state.slots.filters.is_empty();
    let earlier = before.capability == Capability::Reporting && before.noun.is_none();
    if !figures || earlier || !reading.has(&["it", "its", "that"]) {
        return;
    }
    let field = before.noun.map(|noun| if noun == "ad_slot" { "ad_unit" } else { noun });
    let Some(field) = field.filter(|field| FIELDS.contains(field)) else { return };
    let ids = |text: &str| -> Vec<String> {
        crate::text::tokens(text).iter().filter(|t| crate::route::reading::is_id(t)).map(|t| t.norm.clone()).collect()
    };
    // What the question before named, or the only thing its answer showed.
    let reply = question.history.iter().rev().find(|h| h.role == "assistant").map(|h| ids(&h.content));
    let only = reply.filter(|ids| ids.len() == 1).unwrap_or_default();
    if let Some(id) = ids(&before.text).pop().or_else(|| only.into_iter().next()) {
        set_filter(&mut state.slots.filters, field, id, false);
    }
}

/// "turn 60aa12 off": an id that an earlier answer showed belongs to the network and the kind of thing asked for there.
fn shown(question: &Question, reading: &Reading, said: &[State], state: &mut State) {
    let [id] = &reading.ids[..] else { return };
    if state.kind != Kind::Task || !reading.services.is_empty() || !state.inherited {
        return;
    }
    let answers = question.history.iter().rev().filter(|h| h.role == "assistant");
    let holds = |text: &str| crate::text::tokens(text).iter().any(|t| t.norm == *id);
    let back = answers.take(said.len()).position(|h| holds(&h.content));
    let Some(turn) = back.and_then(|back| said.len().checked_sub(back + 1)).and_then(|at| said.get(at)) else { return };
    if turn.kind == Kind::Task && !turn.services.is_empty() {
        state.services.clone_from(&turn.services);
        if reading.noun.is_none()
            && turn.noun.is_some()
            && turn.capability != Capability::Reporting
            && !reading.figures()
        {
            state.noun = turn.noun;
            state.capability = turn.capability;
        }
    }
}

/// "the other one": the network the assistant offered last.
fn offered(question: &Question, reading: &Reading, state: &mut State) {
    if state.kind != Kind::Task
        || !reading.has(&["other", "rest", "remaining"])
        || !reading.services.is_empty()
        || question.history.is_empty()
    {
        return;
    }
    let Some(last) = question.history.iter().rev().find(|h| h.role == "assistant") else { return };
    let tail = last.content.rsplit(['.', '!']).find(|s| s.trim().len() > 3).unwrap_or("");
    let tokens = crate::text::tokens(tail);
    let named: Vec<Network> = crate::vocab::networks::NETWORKS.all(&tokens).into_iter().map(|f| f.what).collect();
    if !named.is_empty() {
        state.services = named;
        if state.services.len() == 1 {
            state.slots.dimensions.retain(|d| *d != "network");
        }
    }
}

fn finish(raw: &RawSlots, services: &[Network]) -> Slots {
    let mut metrics: Vec<String> = Vec::new();
    for metric in &raw.metrics {
        // AdMob has no fill rate of its own; its match rate answers that question.
        let name = if *metric == "fill_rate" && services == [Network::AdMob] { "match_rate" } else { metric };
        if !metrics.iter().any(|m| m == name) {
            metrics.push(name.to_owned());
        }
    }
    if metrics.is_empty() && !raw.fixed {
        metrics.push("revenue".to_owned());
    }
    let mut filters = raw.filters.clone();
    for filter in filters.iter_mut().filter(|f| f.field == "fill_rate" && services == [Network::AdMob]) {
        "match_rate".clone_into(&mut filter.field);
    }
    let sort_metric = metrics.first().cloned().unwrap_or_default();
    let sort = match raw.descending.filter(|_| !metrics.is_empty()) {
        Some(true) => Some(format!("-{sort_metric}")),
        Some(false) => Some(sort_metric),
        None => None,
    };
    let span = raw.period.map(|p| p.span);
    let compare_to = raw.compare.zip(span).map(|(r, main)| {
        let other = r.resolve(main);
        Comparison { kind: r.kind(main).to_owned(), date_from: other.from.to_string(), date_to: other.to.to_string() }
    });
    Slots {
        metrics,
        dimensions: raw.dimensions.iter().map(|d| (*d).to_owned()).collect(),
        date_from: span.map(|s| s.from.to_string()),
        date_to: span.map(|s| s.to.to_string()),
        limit: raw.limit,
        rank: raw.rank,
        sort,
        filters,
        compare_to,
    }
}

fn names(services: &[Network]) -> String {
    services.iter().map(|n| n.display_name()).collect::<Vec<_>>().join(", ")
}

fn standalone(state: &State, slots: Option<&Slots>, services: &[Network]) -> String {
    let Some(slots) = slots.filter(|_| state.inherited) else {
        return if state.inherited && !services.is_empty() && state.kind == Kind::Task {
            format!("{}: {}", names(services), state.text)
        } else {
            state.text.clone()
        };
    };
    let mut out = format!("{} {}", names(services), slots.metrics.join(", "));
    if let (Some(a), Some(b)) = (&slots.date_from, &slots.date_to) {
        let _ = write!(out, " from {a} to {b}");
    }
    if !slots.dimensions.is_empty() {
        let _ = write!(out, " by {}", slots.dimensions.join(", "));
    }
    for filter in &slots.filters {
        let value = match &filter.value {
            crate::types::FilterValue::In(v) => v.join(", "),
            crate::types::FilterValue::Not { not } => format!("not {}", not.join(", ")),
            crate::types::FilterValue::Compare(map) => {
                map.iter().map(|(k, v)| format!("{k} {v}")).collect::<Vec<_>>().join(", ")
            }
        };
        let _ = write!(out, ", {}: {value}", filter.field);
    }
    if let Some(c) = &slots.compare_to {
        let _ = write!(out, ", compared with {} to {}", c.date_from, c.date_to);
    }
    if let Some(n) = slots.rank {
        let _ = write!(out, ", place {n} of the order");
    } else if let Some(n) = slots.limit {
        let _ = write!(out, ", top {n}");
    }
    out
}

fn thinking(state: &State, services: &[Network]) -> String {
    match state.kind {
        Kind::Refuse(why) => why.why().to_owned(),
        Kind::Chat => "small talk".to_owned(),
        Kind::Docs => "asks how something works".to_owned(),
        Kind::Task => {
            let what = state.noun.map_or_else(|| "figures".to_owned(), |n| n.replace('_', " "));
            let how = if state.analysis { "analyse" } else { outcome::verb_class(state.write) };
            let whom = if services.is_empty() { "no network".to_owned() } else { names(services) };
            let from = if state.inherited { ", rest from the turn before" } else { "" };
            format!("{how} {what} of {whom}{from}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(text: &str) -> (Vec<Network>, Capability, Path, Outcome) {
        let understood = understand(&Question {
            text: text.into(),
            history: Vec::new(),
            connected: vec![Network::AdMob],
            disabled: Vec::new(),
            today: "2026-11-21".into(),
            entities: Vec::new(),
        });
        (understood.services, understood.capability, understood.path, understood.outcome)
    }

    #[test]
    fn a_network_without_such_a_thing_of_its_own_is_a_part_of_admob() {
        let parts = [
            ("is Mintegral in one of our mediation groups?", Capability::Mediation),
            ("what is the ad source id of Liftoff", Capability::Mediation),
            ("use Pangle for a third of the traffic of mediation group 4411223355, as a try", Capability::Experiments),
        ];
        for (text, capability) in parts {
            let (services, got, ..) = route(text);
            assert_eq!((services, got), (vec![Network::AdMob], capability), "{text}");
        }
        assert_eq!(route("show my AppLovin waterfall").3, Outcome::Connect);
    }

    #[test]
    fn wishes_and_trials_are_changes_and_rules_of_a_network_are_documentation() {
        for text in [
            "we'd like Unity to be in every banner group",
            "the group 'Nordics' should just bid in SE and NO",
            "rename 'Old one' to 'New one'",
            "serve 10% of the users in 'Android Banner' without Meta",
            "we need two more ad units in Word Quest",
        ] {
            let (.., path, outcome) = route(text);
            assert_eq!((path, outcome), (Path::Workflow, Outcome::Approval), "{text}");
        }
        for text in [
            "when does AdMob pay us out",
            "can AdMob run in kids apps",
            "how do waterfalls work",
            "why would one need a mapping",
        ] {
            assert_eq!(route(text).1, Capability::Docs, "{text}");
        }
    }

    #[test]
    fn the_weekend_is_a_period_and_two_neighbouring_days_a_range() {
        let dates = |text: &str| {
            let slots = understand(&Question {
                text: text.into(),
                history: Vec::new(),
                connected: vec![Network::AdMob],
                disabled: Vec::new(),
                today: "2026-11-21".into(),
                entities: Vec::new(),
            })
            .slots;
            slots.and_then(|s| s.date_from.zip(s.date_to))
        };
        let range = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(dates("how was the weekend"), range("2026-11-14", "2026-11-15"));
        assert_eq!(dates("revenue on 12 and 13 november"), range("2026-11-12", "2026-11-13"));
        assert_eq!(dates("revenue of the 3 biggest apps and 13 november"), range("2026-11-13", "2026-11-13"));
    }

    #[test]
    fn an_ordinary_word_is_not_repaired_into_a_term() {
        for word in ["serve", "weak", "issue", "charge", "currently"] {
            assert_eq!(Reading::new(word, Date::constant(2026, 11, 21), &[]).tokens[0].norm, word);
        }
    }
}
