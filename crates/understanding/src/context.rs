//! Adjusts what a text says by itself to what is connected and to what earlier answers showed.
//!
//! This module looks only at the question and its history. It must never add a network that the person neither named nor connected.

use adagent_contract::{EntityKind, without_method};
use adagent_domain::Network;

use crate::history::{Kind, State};
use crate::outcome;
use crate::route::reading::Reading;
use crate::slots::set_filter;
use crate::types::{Capability, Filter, FilterValue, Question};
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// Checks whether a network in the text is only an ad source in AdMob's mediation, and if so, asks AdMob and filters by that source:
/// "AppLovin bidding revenue" or "revenue without Unity", if only `AdMob` is connected.
pub(crate) fn inside_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
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

/// Checks whether a network in the text is a part of what `AdMob` has, and if so, asks `AdMob`: "is Mintegral active in our groups", "ad
/// source id of Pangle". A network is a part if it has no such thing itself. If only `AdMob` is connected, it is also a part if it comes
/// before the place to look in.
pub(crate) fn part_of_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
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

/// Checks whether the text changes a line of an AdMob group, as in "remove the AppLovin line" if only `AdMob` is connected. If so, the
/// change goes to AdMob.
pub(crate) fn line_of_admob(question: &Question, reading: &Reading, state: &mut State) -> bool {
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

/// Picks the owner of a thing whose text names only demand sources: "a mediation group with AppLovin and Unity bidding". A demand source
/// does not own the thing. Returns whether exactly one other network can.
pub(crate) fn beside_demand(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let inside = matches!(state.capability, Capability::Mediation | Capability::Experiments);
    let Some(noun) = state.noun.filter(|_| inside && state.kind == Kind::Task && state.write.is_some()) else {
        return false;
    };
    if !state.services.is_empty() || reading.sources.is_empty() {
        return false;
    }
    let able = nouns::owners(noun, outcome::verb_class(state.write)).iter().copied();
    let able: Vec<Network> = able
        .filter(|network| question.connected.contains(network) && !question.disabled.contains(network))
        .filter(|network| !reading.sources.contains(&network.id()))
        .collect();
    let one = able.len() == 1;
    if one {
        state.services = able;
    }
    one
}

/// Sets every connected network for "every ad unit, across all networks", whatever each one calls its ad units. Returns whether the text
/// asks for that.
pub(crate) fn everywhere(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let lists = state.kind == Kind::Task && state.write.is_none() && state.noun == Some("ad_unit");
    if !lists || !reading.services.is_empty() || !crate::history::every_network(reading) {
        return false;
    }
    let usable = question.connected.iter().copied().filter(|network| !question.disabled.contains(network));
    state.services = usable.collect();
    !state.services.is_empty()
}

/// Reads "set Fyber there to 12,5" as a change to a line of the waterfall that was shown or changed before, whatever network the line is
/// named after. Returns whether the text is such a change.
pub(crate) fn line_there(reading: &Reading, before: Option<&State>, state: &mut State) -> bool {
    let Some(before) = before.filter(|before| before.kind == Kind::Task) else { return false };
    let spoken = Reading::new(&before.text, jiff::civil::Date::ZERO, &[]);
    let waterfall = before.noun == Some("waterfall") || spoken.has(&["waterfall", "waterfalls"]);
    let [place] = before.services[..] else { return false };
    let sets = matches!(state.write, Some(Write::Update)) || reading.assigns;
    let valued = reading.tokens.iter().any(|t| t.number().is_some());
    let others = crate::vocab::networks::OTHER_SOURCES.all(&reading.tokens).len();
    let sources = reading.mentions.iter().filter(|m| m.network != place).count() + others;
    let placed = reading.mediated.is_some_and(|found| found.place.is_some());
    let elsewhere = !reading.named.is_empty() || placed || reading.implied;
    let settled = waterfall && crate::route::mediated::mediates(place) && sources == 1 && sets && valued;
    if !settled || elsewhere || before.named.things.is_empty() {
        return false;
    }
    state.kind = Kind::Task;
    state.services = vec![place];
    state.noun = Some("waterfall");
    state.capability = Capability::Mediation;
    state.write = Some(Write::Update);
    state.named.clone_from(&before.named);
    let things = before.named.things.join(" ");
    state.text = format!("{}, in the waterfall of {things} in {}", reading.text.trim(), place.display_name());
    true
}

/// Reads "which CPM does Chartboost have in Level End Banner?" as a question about the waterfall of that ad unit, whose one network holds it.
/// A report of a period would be another price: what the source paid, not what its line is set to. Returns whether it is such a question.
pub(crate) fn line_price(reading: &Reading, state: &mut State) -> bool {
    let [holder] = reading.holders[..] else { return false };
    let priced = reading.slots.metrics == ["ecpm"] || reading.slots.metrics.is_empty();
    let asked = reading.write.is_none() && !reading.assigns && !reading.analysis && reading.supposed.is_none();
    let price = reading.has(&["cpm", "price", "floor", "bid"]);
    let others = crate::vocab::networks::OTHER_SOURCES.all(&reading.tokens).len();
    let sources = reading.mentions.iter().filter(|m| m.network != holder).count() + others;
    let whole = reading.slots.period.is_none() && reading.slots.dimensions.is_empty();
    let mediates = crate::route::mediated::mediates(holder) && holder != Network::AdMob;
    if state.kind != Kind::Task || !(mediates && asked && priced && price && whole && sources == 1) {
        return false;
    }
    state.services = vec![holder];
    state.noun = Some("waterfall");
    state.capability = Capability::Mediation;
    state.text.clone_from(&reading.text);
    state.inherited = false;
    true
}

/// Reads "and by country for the best one" after a ranking as a question about the row that the answer named. It must only use rows that an
/// answer showed. Returns whether the row settles the network.
pub(crate) fn ranked(question: &Question, reading: &Reading, before: Option<&State>, state: &mut State) -> bool {
    let goes_on = state.inherited && state.kind == Kind::Task && state.capability == Capability::Reporting;
    let Some(ranked) = before.filter(|_| goes_on).and_then(|before| before.slots.dimensions.first().copied()) else {
        return false;
    };
    let split = reading.slots.dimensions.iter().any(|dim| *dim != ranked);
    let Some(place) = crate::slots::one_of_those(&reading.tokens, ranked).filter(|_| split) else { return false };
    let answer = question.history.iter().rev().find(|entry| entry.role == "assistant");
    let rows = answer.map(|entry| told_rows(without_method(&entry.content))).unwrap_or_default();
    let Some(name) = place.of(&rows) else { return false };
    let own = Reading::new(&format!("revenue in {name}"), jiff::civil::Date::ZERO, &question.entities).slots.filters;
    let (limit, rank) = (None, None);
    state.slots = crate::slots::RawSlots { limit, rank, descending: None, ..state.slots.clone() };
    state.slots.dimensions = reading.slots.dimensions.iter().copied().filter(|dim| *dim != ranked).collect();
    let known = own.iter().any(|filter| filter.field == ranked);
    state.slots.filters.retain(|filter| filter.field != ranked);
    if ranked == "network"
        && let Some((network, source)) = row_of_networks(name)
    {
        state.services = vec![network];
        if let Some(source) = source {
            set_filter(&mut state.slots.filters, "ad_source", source, false);
        }
        return true;
    }
    if known {
        let part = |filter: &Filter| filter.field == ranked || ranked == "app" && filter.field == "platform";
        state.slots.filters.extend(own.into_iter().filter(part));
    } else {
        set_filter(&mut state.slots.filters, ranked, name.clone(), false);
    }
    false
}

/// Returns whose numbers a row of networks has: a network's own, or those of a source in its mediation ("Meta via AdMob mediation").
fn row_of_networks(name: &str) -> Option<(Network, Option<String>)> {
    let named = |text: &str| {
        let tokens = crate::text::tokens(text);
        crate::vocab::networks::NETWORKS.at(&tokens, 0).map(|(network, _)| network)
    };
    if let Some((source, place)) = name.split_once(" via ") {
        return Some((named(place.strip_suffix(" mediation").unwrap_or(place))?, Some(source.to_owned())));
    }
    // "AdMob Network" is what Google itself sells there.
    if name == "AdMob Network" {
        return Some((Network::AdMob, Some(name.to_owned())));
    }
    named(name).map(|network| (network, None))
}

/// Reads "what share of revenue is Unity?" as a question to all networks, split by network, so that the answer can show Unity's share.
/// Returns whether it is one.
pub(crate) fn share_of_one(question: &Question, reading: &Reading, state: &mut State) -> bool {
    const SHARE: [&str; 7] = ["share", "percent", "percentage", "proportion", "portion", "fraction", "slice"];
    let asked =
        reading.has(&SHARE) || reading.tokens.windows(3).any(|w| w[0].is("how") && w[1].is("much") && w[2].is("of"));
    let [network] = reading.services[..] else { return false };
    let plain = state.kind == Kind::Task && state.capability == Capability::Reporting && state.write.is_none();
    let alone = reading.slots.filters.is_empty() && reading.slots.dimensions.is_empty() && reading.noun.is_none();
    let figures = reading.slots.metrics.is_empty() && reading.slots.money_verb
        || reading.slots.metrics.iter().all(|metric| !crate::slots::is_rate(metric))
            && !reading.slots.metrics.is_empty();
    let usable: Vec<Network> =
        question.connected.iter().copied().filter(|network| !question.disabled.contains(network)).collect();
    if !asked || !plain || !alone || !figures || usable.len() < 2 || !usable.contains(&network) {
        return false;
    }
    state.services = usable;
    state.slots.dimensions = vec!["network"];
    true
}

/// Returns the rows that an answer names in its first paragraph with a number after each: "**Puzzle Game** $10,280.93".
fn told_rows(answer: &str) -> Vec<String> {
    let first = answer.lines().find(|line| line.contains("**")).unwrap_or_default();
    let parts: Vec<&str> = first.split("**").collect();
    let figure = |after: &str| after.trim_start().starts_with(|c: char| c.is_ascii_digit() || "$€£¥-−".contains(c));
    let named =
        parts.windows(2).enumerate().filter(|(at, pair)| at % 2 == 1 && pair[1].starts_with(' ') && figure(pair[1]));
    named.map(|(_, pair)| pair[0].to_owned()).collect()
}

/// Sets the network of the thing whose ID is in the text: "raise the floor of 1126843483561 to 0.65". Returns whether the IDs are of one
/// network.
pub(crate) fn by_id(question: &Question, reading: &Reading, state: &mut State) -> bool {
    let [(network, kind), rest @ ..] = reading.by_id.as_slice() else { return false };
    let one = rest.iter().all(|(other, _)| other == network);
    let usable = question.connected.contains(network) && !question.disabled.contains(network);
    if state.kind != Kind::Task || !one || !usable || !reading.mentions.is_empty() {
        return false;
    }
    state.services = vec![*network];
    // The app of a thing says where it is, and not what it is.
    let kind = rest.iter().map(|(_, kind)| kind).find(|kind| **kind != EntityKind::App).unwrap_or(kind);
    if reading.noun.is_none() && *kind != EntityKind::App && state.slots.metrics.is_empty() {
        state.noun = Some(kind.as_str());
        state.capability = nouns::capability(kind.as_str());
    }
    true
}

/// Sets the one network that has an ad unit with the full name in the text, whatever the chat was about before: "delete the ad unit Level
/// Up Bonus". Returns whether there is one.
pub(crate) fn holding(question: &Question, reading: &Reading, state: &mut State) -> bool {
    // A waterfall belongs to its ad unit, so it is shown where that ad unit is.
    let changed = state.write.is_some_and(|write| !matches!(write, Write::Create | Write::Link))
        || state.write.is_none() && state.noun == Some("waterfall");
    let [holder] = reading.holders[..] else { return false };
    let usable = question.connected.contains(&holder) && !question.disabled.contains(&holder);
    // The name that looks like a group's is the ad unit's. Only where ad units hold no sources could a source mean that it is a group's.
    let inside = crate::route::mediated::mediates(holder) && holder != Network::AdMob;
    let other = reading.implied && !reading.sources.is_empty() && !inside
        || matches!(state.capability, Capability::Reporting | Capability::Experiments);
    if state.kind != Kind::Task || !changed || !usable || other || !reading.services.is_empty() {
        return false;
    }
    state.services = vec![holder];
    if holder == Network::AppLovin && reading.implied && !reading.sources.is_empty() {
        state.noun = Some("waterfall");
    }
    true
}

/// For "the waterfall of RV Main" when no connected network has groups, picks the thing that the text names, not a group of that name.
pub(crate) fn named_group(question: &Question, reading: &Reading, state: &mut State) {
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

/// Filters the numbers by the thing that the chat is about, for "did impressions on it start today?".
pub(crate) fn pointed(question: &Question, reading: &Reading, before: Option<&State>, state: &mut State) {
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
    // The ID comes from the question before, or is the only one that its answer showed.
    let reply = question.history.iter().rev().find(|h| h.role == "assistant").map(|h| ids(without_method(&h.content)));
    let only = reply.filter(|ids| ids.len() == 1).unwrap_or_default();
    if let Some(id) = ids(&before.text).pop().or_else(|| only.into_iter().next()) {
        set_filter(&mut state.slots.filters, field, id, false);
    }
}

/// Takes the network and the kind of thing from the earlier turn whose answer showed an ID: "turn 60aa12 off". Returns whether that settles
/// which networks the person means.
pub(crate) fn shown(question: &Question, reading: &Reading, said: &[State], state: &mut State) -> bool {
    let [id] = &reading.ids[..] else { return false };
    if state.kind != Kind::Task || !reading.services.is_empty() || !state.inherited {
        return false;
    }
    let answers = question.history.iter().rev().filter(|h| h.role == "assistant");
    let holds = |text: &str| crate::text::tokens(text).iter().any(|t| t.norm == *id);
    let back = answers.take(said.len()).position(|h| holds(&h.content));
    let Some(turn) = back.and_then(|back| said.len().checked_sub(back + 1)).and_then(|at| said.get(at)) else {
        return false;
    };
    if turn.kind != Kind::Task || turn.services.is_empty() {
        return false;
    }
    state.services.clone_from(&turn.services);
    if reading.noun.is_none() && turn.noun.is_some() && turn.capability != Capability::Reporting && !reading.figures() {
        state.noun = turn.noun;
        state.capability = turn.capability;
    }
    true
}

/// Sets the network that the assistant offered last, for "the other one". Returns whether there is one.
pub(crate) fn offered(question: &Question, reading: &Reading, state: &mut State) -> bool {
    if state.kind != Kind::Task
        || !reading.has(&["other", "rest", "remaining"])
        || !reading.services.is_empty()
        || question.history.is_empty()
    {
        return false;
    }
    let Some(last) = question.history.iter().rev().find(|h| h.role == "assistant") else { return false };
    let tail = without_method(&last.content).rsplit(['.', '!']).find(|s| s.trim().len() > 3).unwrap_or("");
    let tokens = crate::text::tokens(tail);
    let named: Vec<Network> = crate::vocab::networks::NETWORKS.all(&tokens).into_iter().map(|f| f.what).collect();
    if named.is_empty() {
        return false;
    }
    state.services = named;
    if state.services.len() == 1 {
        state.slots.dimensions.retain(|d| *d != "network");
    }
    true
}

#[cfg(test)]
mod tests {
    use adagent_contract::{HistoryEntry, Path};

    use super::*;
    use crate::types::{Outcome, Understood};

    #[test]
    fn the_best_one_is_the_first_row_of_the_answer_before() {
        let answer = "Top 5 of 9 apps by revenue, Nov 19–25, 2026 (without Google Ad Manager): **Puzzle Game** $10,280.93, **Word \
                      Quest** $6,573.18 and **My Game** $3,583.95, of **$28,349.89** across all 9 apps.";
        let app = |text: &str| -> Option<FilterValue> {
            let slots = asked(&[Network::AdMob], &["top 5 apps by revenue last 7 days", answer, text]).slots?;
            assert_eq!(slots.dimensions, ["country"], "{text}");
            slots.filters.into_iter().find(|filter| filter.field == "app").map(|filter| filter.value)
        };
        for text in ["and by country for the best one", "by country for the top app", "the first one by country?"] {
            assert_eq!(app(text), Some(FilterValue::In(vec!["Puzzle Game".to_owned()])), "{text}");
        }
        let second = FilterValue::In(vec!["Word Quest".to_owned()]);
        assert_eq!(app("and by country for the second one"), Some(second));
        let last = FilterValue::In(vec!["My Game".to_owned()]);
        assert_eq!(app("split the last one by country"), Some(last));
        assert_eq!(app("and by country?"), None);
    }

    fn asked(connected: &[Network], turns: &[&str]) -> Understood {
        let (last, before) = turns.split_last().unwrap();
        let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
        let history = before.iter().enumerate();
        crate::understand(&Question {
            text: (*last).into(),
            history: history
                .map(|(at, text)| HistoryEntry { role: role(at).into(), content: (*text).into() })
                .collect(),
            connected: connected.to_vec(),
            today: "2026-11-21".into(),
            ..Question::default()
        })
    }

    #[test]
    fn an_id_belongs_to_the_network_whose_answer_showed_it() {
        let both = [Network::InMobi, Network::Liftoff];
        let turns = ["Vungle placements", "60aa11, 60aa12.", "and InMobi's", "1690012.", "turn 60aa12 off"];
        let understood = asked(&both, &turns);
        assert_eq!((understood.services, understood.outcome), (vec![Network::Liftoff], Outcome::Approval));
    }

    #[test]
    fn the_answer_to_which_network_keeps_the_change() {
        let both = [Network::InMobi, Network::Liftoff];
        let turns = ["create a banner placement b1 for Word Rush", "On InMobi or on Liftoff?", "on Liftoff"];
        let understood = asked(&both, &turns);
        assert_eq!(understood.services, [Network::Liftoff]);
        assert_eq!((understood.path, understood.verb.as_str()), (Path::Workflow, "create"));
    }

    #[test]
    fn a_demand_source_stays_one_in_a_follow_up() {
        let turns = ["show the waterfall of RV Main", "AdMob 12.00, Unity 9.00", "put Unity at 10 dollars there"];
        let understood = asked(&[Network::AppLovin], &turns);
        assert_eq!((understood.services, understood.outcome), (vec![Network::AppLovin], Outcome::Approval));
    }

    #[test]
    fn a_thing_only_one_network_has_names_it() {
        let understood = asked(&[Network::Unity], &["any test devices?"]);
        assert_eq!((understood.services, understood.outcome), (vec![Network::AppLovin], Outcome::Connect));
    }

    #[test]
    fn whoever_asks_is_not_what_is_asked_for() {
        let understood = asked(&[Network::AdManager], &["my agency wants all line items that end this month"]);
        assert_eq!((understood.capability, understood.noun.as_deref()), (Capability::Orders, Some("line_item")));
    }
}
