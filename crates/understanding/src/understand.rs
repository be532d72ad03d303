//! Turns a question into its route, outcome and slots. Pure: the same question gets the same result.

use std::borrow::Cow;
use std::fmt::Write as _;

use adagent_contract::Path;
use adagent_domain::Network;
use adagent_scorer::{Evidence, Scorer};
use jiff::civil::Date;

use crate::accounts;
use crate::chosen::{self, Choice};
use crate::conditions;
use crate::context::{
    beside_demand, by_id, everywhere, holding, inside_admob, line_of_admob, line_price, line_there, named_group,
    offered, part_of_admob, pointed, ranked, share_of_one, shown,
};
use crate::courtesy;
use crate::delegation;
use crate::desk;
use crate::evidence::{Found, evidence, is_bare, wordless};
use crate::history::{self, Kind, State};
use crate::longest;
use crate::orders;
use crate::outcome;
use crate::route::reading::Reading;
use crate::route::services::inside_group;
use crate::servers;
use crate::slots::RawSlots;
use crate::todos;
use crate::types::{Capability, Comparison, Outcome, Part, Question, Slots, Understood};
use crate::unanswered;
use crate::vocab::languages::to_english;
use crate::vocab::networks::NETWORKS;
use crate::vocab::verbs::Write;
use crate::weigh;
use crate::wish::{self, Wish};

/// How many earlier user turns we read.
const TURNS: usize = 8;

/// Understands a question with its history: weighs the reading of the rules against this program's learned scores.
pub fn understand(question: &Question) -> Understood {
    reading(question, Some(Scorer::shared()))
}

/// Loads the scores, so that no question has to wait for them.
pub fn prepare() {
    let _ = Scorer::shared();
}

/// Does the same as [`understand`] with other scores; `docs/understanding.md` compares them.
pub fn understand_with(question: &Question, scorer: &Scorer) -> Understood {
    reading(question, Some(scorer))
}

/// Returns the reading of the rules alone, to measure what the scores add.
pub fn understand_by_rules(question: &Question) -> Understood {
    reading(question, None)
}

fn reading(question: &Question, scorer: Option<&Scorer>) -> Understood {
    let bounded = longest::bounded(question);
    let tasks = delegation::meant(&bounded.text, &bounded.colleagues)
        .or_else(|| delegation::answered(&bounded.text, &bounded.history, &bounded.colleagues));
    if let Some(tasks) = tasks {
        let apart = delegation::apart(&bounded.text, &bounded.colleagues);
        return apart
            .and_then(|(asks, own)| with_own_step(&bounded, asks, own, scorer))
            .unwrap_or_else(|| delegation::understood(&bounded.text, tasks));
    }
    if todos::are_meant(&bounded.text, &bounded.today) {
        return Understood { thinking: "the to-dos of this workspace".into(), ..desk::understood(&bounded.text) };
    }
    if crate::planner::is_of_documents(chosen::plain(&bounded.text)) {
        return Understood { thinking: "the documents of this workspace".into(), ..desk::understood(&bounded.text) };
    }
    if servers::are_meant(&bounded.text, &bounded.own_tools) {
        return servers::understood(&bounded.text);
    }
    let bounded = todos::left_out(bounded);
    let (settled, choice) = chosen::settled(bounded.as_ref());
    let settled = with_answers(settled.as_ref());
    let settled = courtesy::without(settled.as_ref());
    let question = settled.as_ref();
    // Only the question after this lead counts, not what the person connected or turned on.
    if let Some(text) = resumed(&question.text) {
        return reading(&Question { text: text.to_owned(), ..question.clone() }, scorer);
    }
    let other = |text: &str| is_other(text, question);
    let split = |text: &str| orders::several(text, &question.entities, &other);
    // The condition that an order waits for is not a part of its change.
    if choice.is_none()
        && let Some(order) = conditions::taken_off(&question.text)
    {
        let read = reading(&Question { text: order.text, ..question.clone() }, scorer);
        if read.changes() && read.doubt.is_none() {
            return read;
        }
    }
    if choice.is_none()
        && let Some(wish) = wish::answered(&question.history, &question.text, &split)
    {
        return answering(question, wish, scorer);
    }
    if choice.is_none()
        && let Some(wish) = wish::revalued(&question.history, &question.text, &split)
    {
        let read = answering(question, wish, scorer);
        if read.changes() {
            return read;
        }
    }
    if choice.is_none()
        && let Some(orders) = split(&question.text)
    {
        let first = part(question, &orders.first, scorer);
        let all = parts(question, first, &orders.later, scorer);
        let other = |part: &Part| is_other(&part.text, question);
        if all.iter().any(|part| part.understood.changes() || other(part)) {
            return together(all);
        }
    }
    let today: Date = question.today.parse().unwrap_or(Date::constant(1970, 1, 1));
    if choice.is_none()
        && let Some(orders) = orders::reads(&question.text, &question.entities, today)
    {
        let first = part(question, &orders.first, scorer);
        let all = parts(question, first, &orders.later, scorer);
        let reads = |one: &Understood| one.capability == Capability::Reporting && one.outcome == Outcome::Answer;
        if all.iter().all(|part| reads(&part.understood)) {
            return together(all);
        }
    }
    let known = accounts::known(&question.connections);
    if known.is_empty() {
        return read(question, scorer, choice.as_ref()).0;
    }
    // The name of a connection only says which account to use. We understand the rest without it.
    let (text, mut named) = accounts::read(&question.text, &known);
    let mut plain = Question { text, ..question.clone() };
    let mut before = Vec::new();
    for entry in plain.history.iter_mut().filter(|entry| entry.role == "user") {
        let (text, said) = accounts::read(&entry.content, &known);
        entry.content = text;
        before.push(said);
    }
    let (mut understood, inherited) = read(&plain, scorer, choice.as_ref());
    // "and by country?" goes on with the account of the question before.
    for (network, labels) in before.into_iter().rev().flatten().filter(|_| inherited) {
        named.entry(network).or_insert(labels);
    }
    understood.accounts = named;
    understood
}

/// Returns tasks for agents and what the person wants after them as the parts of one message. `None` if the rest orders nothing.
fn with_own_step(question: &Question, asks: &str, own: &str, scorer: Option<&Scorer>) -> Option<Understood> {
    let tasks = delegation::meant(asks, &question.colleagues)?;
    let own = part(question, own, scorer);
    if !own.understood.changes() && !is_other(&own.text, question) {
        return None;
    }
    let first = Part { text: asks.to_owned(), understood: delegation::understood(asks, tasks), whole: true };
    let rest = if own.understood.parts.is_empty() { vec![own] } else { own.understood.parts };
    Some(together(std::iter::once(first).chain(rest).collect()))
}

/// Understands a wish and the answers about it as one question. The result has no doubt, because the person chose.
fn answering(question: &Question, wish: Wish, scorer: Option<&Scorer>) -> Understood {
    let mut asked = question.clone();
    asked.text = wish.plain;
    asked.history.truncate(wish.before);
    // Like every written-out question, it is in English, whatever language the wish and its answers have.
    let standalone = to_english(&wish.text);
    let first = Understood { doubt: None, standalone, order: wish.order, ..reading(&asked, scorer) };
    if wish.later.is_empty() {
        return first;
    }
    together(parts(&asked, Part { text: question.text.clone(), understood: first, whole: false }, &wish.later, scorer))
}

/// Understands one part of a message. A part that names a network takes nothing from the history.
fn part(question: &Question, text: &str, scorer: Option<&Scorer>) -> Part {
    let tokens = crate::text::tokens(text);
    let whole = (0..tokens.len()).any(|at| NETWORKS.at(&tokens, at).is_some());
    let mut own = Question { text: text.to_owned(), ..question.clone() };
    if whole {
        own.history.clear();
    }
    Part { text: text.to_owned(), understood: reading(&own, scorer), whole }
}

/// Understands each part of a message alone.
fn parts(question: &Question, first: Part, later: &[String], scorer: Option<&Scorer>) -> Vec<Part> {
    std::iter::once(first).chain(later.iter().map(|text| part(question, text, scorer))).collect()
}

/// Joins the parts of a message: the first change, or else the first part, with all networks that any part asks.
fn together(parts: Vec<Part>) -> Understood {
    let first = parts.first().map(|part| part.understood.clone());
    let mut services: Vec<Network> = parts.iter().flat_map(|part| part.understood.services.iter().copied()).collect();
    services.sort_by_key(|network| network.id());
    services.dedup();
    let changes = parts.iter().find(|part| part.understood.changes()).map(|part| part.understood.clone());
    let whole = changes.or(first).expect("a message of several parts has a first one");
    let path = if parts.iter().any(|part| part.understood.changes()) { Path::Workflow } else { whole.path };
    Understood { services, path, parts, ..whole }
}

/// Checks whether a text is a to-do, an undo or a call of a tool server, and so no question about networks.
fn is_other(text: &str, question: &Question) -> bool {
    let text = text.trim_end_matches(['.', '!', '?']);
    todos::are_meant(text, &question.today)
        || servers::are_meant(text, &question.own_tools)
        || crate::planner::asks_undo(text)
}

/// Returns the question, and in its history only the turns that had a result.
fn with_answers(question: &Question) -> Cow<'_, Question> {
    let fresh = || history::starts_fresh(&Reading::new(&question.text, Date::constant(2026, 1, 1), &[]));
    match unanswered::left_out(&question.history, &question.text, fresh) {
        Cow::Borrowed(_) => Cow::Borrowed(question),
        Cow::Owned(history) => Cow::Owned(Question { history, ..question.clone() }),
    }
}

/// The words that a page writes between the news and the question. Older chats hold the second form.
const RESUMES: [&str; 2] = [" now. Continue with:", " now, go on with:"];

/// Returns the question in "AdMob is connected now. Continue with: …".
fn resumed(text: &str) -> Option<&str> {
    let (lead, rest) = RESUMES.iter().find_map(|mark| text.split_once(mark))?;
    let network = Network::ALL.iter().any(|network| {
        let said = lead.strip_prefix(network.display_name()).map(str::trim);
        said.is_some_and(|said| matches!(said, "is connected" | "is switched on" | "is enabled"))
    });
    network.then(|| rest.trim()).filter(|rest| !rest.is_empty())
}

/// Returns the reading of the rules, weighed against the scores if there are any, and whether it goes on from an earlier question.
fn read(question: &Question, scorer: Option<&Scorer>, choice: Option<&Choice>) -> (Understood, bool) {
    let (rules, state, evidence, whole) = by_rules(question);
    let Some(scorer) = scorer.filter(|_| !wordless(&question.text)) else { return (rules, state.inherited) };
    let mut out = weigh::weighed(question, (rules, &evidence, state.inherited || whole), scorer, choice);
    let reports = out.capability == Capability::Reporting;
    out.slots = reports.then(|| finish(&state.slots, &out.services));
    out.standalone = standalone(&state, out.slots.as_ref(), &out.services);
    (out, state.inherited)
}

/// What the turns before left.
struct Earlier {
    before: Option<State>,
    said: Vec<State>,
    /// The numbers are of every network, although an earlier turn named a network.
    open: bool,
}

fn earlier(question: &Question, today: Date) -> Earlier {
    let turns: Vec<&str> = question.history.iter().filter(|h| h.role == "user").map(|h| h.content.as_str()).collect();
    let mut before: Option<State> = None;
    let mut said: Vec<State> = Vec::new();
    let mut open = false;
    for text in turns.iter().skip(turns.len().saturating_sub(TURNS)) {
        // Of a message with several parts, the last part is what a follow-up is about.
        let orders = orders::several(text, &question.entities, &|text| is_other(text, question));
        let orders = orders.or_else(|| orders::reads(text, &question.entities, today));
        let last = orders.and_then(|mut orders| orders.later.pop());
        let reading = Reading::new(last.as_deref().unwrap_or(text), today, &question.entities);
        let mut state = history::step(&reading, before.as_ref());
        open = state.services.is_empty() && (open || left(&reading, before.as_ref()));
        inside_admob(question, &reading, &mut state);
        named_group(question, &reading, &mut state);
        line_there(&reading, before.as_ref(), &mut state);
        said.push(state.clone());
        if matches!(state.kind, Kind::Task | Kind::Docs) {
            before = Some(state);
        }
    }
    Earlier { before, said, open }
}

/// Reads "banner slots" as ad units, when Pangle, which calls its ad units slots, isn't connected.
fn names_slots_for_units(question: &Question, reading: &Reading, state: &State) -> bool {
    state.noun == Some("ad_slot")
        && state.services.is_empty()
        && !question.connected.contains(&Network::Pangle)
        && !reading.tokens.windows(2).any(|w| w[0].is("ad") && w[1].is("slot"))
}

/// Returns the reading of the rules, the state behind it, the evidence for it, and whether the question is complete: it names numbers and a
/// period.
fn by_rules(question: &Question) -> (Understood, State, Evidence, bool) {
    let today: Date = question.today.parse().unwrap_or(Date::constant(1970, 1, 1));
    let Earlier { before, said, open } = earlier(question, today);
    let reading = Reading::new(&question.text, today, &question.entities);
    let mut state = history::step(&reading, before.as_ref());
    if reading.supposed.is_some() {
        state.write = None;
    }
    named_group(question, &reading, &mut state);
    let offered = offered(question, &reading, &mut state);
    let shown = shown(question, &reading, &said, &mut state);
    pointed(question, &reading, before.as_ref(), &mut state);
    let one = ranked(question, &reading, before.as_ref(), &mut state) | share_of_one(question, &reading, &mut state);
    let there = line_there(&reading, before.as_ref(), &mut state);
    let line = line_price(&reading, &mut state);
    let demand = beside_demand(question, &reading, &mut state) || there || line;
    let held = by_id(question, &reading, &mut state)
        || holding(question, &reading, &mut state)
        || everywhere(question, &reading, &mut state);
    if names_slots_for_units(question, &reading, &state) {
        state.noun = Some("ad_unit");
    }
    let floor = reading.has(&["floor", "price", "cpm"]);
    // "lower all floors" names no thing, so it means every kind of thing that has a floor.
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
        // This is a new question after one to a network that can't answer, so it is no longer about that network.
        state.services.clear();
        (outcome, services) = outcome::decide(&state, &question.connected, &question.disabled, floor);
    }
    let part = outcome == Outcome::Connect
        && (inside_admob(question, &reading, &mut state)
            || line_of_admob(question, &reading, &mut state)
            || part_of_admob(question, &reading, &mut state));
    if part {
        (outcome, services) = outcome::decide(&state, &question.connected, &question.disabled, floor);
    }
    services.sort_by_key(|n| n.id());
    services.dedup();
    // Floors, refresh and waterfalls of MAX ad units belong to its mediation, also if the text does not name AppLovin.
    let changed = state.write.is_some_and(|write| write != Write::Create);
    if services == [Network::AppLovin] && state.noun == Some("ad_unit") && changed {
        state.capability = Capability::Mediation;
    }
    let capability =
        if matches!(state.kind, Kind::Chat | Kind::Refuse(_)) { Capability::Assistant } else { state.capability };
    let path = if state.kind == Kind::Task && (state.write.is_some() || state.analysis) {
        Path::Workflow
    } else {
        Path::Reactive
    };
    let slots = (capability == Capability::Reporting).then(|| finish(&state.slots, &services));
    let standalone = standalone(&state, slots.as_ref(), &services);
    let understood = Understood {
        thinking: thinking(&state, &services),
        services,
        capability,
        path,
        outcome,
        confidence: confidence(&state),
        slots,
        standalone,
        verb: outcome::verb_class(state.write).to_owned(),
        noun: state.noun.map(str::to_owned),
        fits: Vec::new(),
        doubt: None,
        accounts: accounts::Named::new(),
        supposed: reading.supposed.clone().filter(|_| state.kind == Kind::Task && !state.analysis),
        order: None,
        parts: Vec::new(),
        tasks: Vec::new(),
        fresh: history::starts_fresh(&reading),
    };
    // A network that the text names as a source inside a group is not the one we ask.
    let inside = inside_group(&reading) || reading.mediated.is_some_and(|found| found.line);
    // "and the day before?" gives a period only together with the one before.
    let moved = before.as_ref().is_some_and(|before| before.slots.period != state.slots.period);
    let figures_go_on = (reshapes(&reading) || moved) && goes_on(&state);
    let list = before.as_ref().is_some_and(|before| history::lists_elsewhere(&reading, before));
    let found = Found {
        settled: offered || shown || part || inside || demand || held || one || list,
        fresh: left(&reading, before.as_ref())
            || open && figures_go_on && reading.services.is_empty() && reading.mentions.is_empty()
            || of_every(&reading, &state, figures_go_on || starts(&reading, before.as_ref())),
        bare: is_bare(&reading),
        thing: !reading.named.is_empty() || reading.names_app || !reading.ids.is_empty(),
        figures_go_on,
        change_goes_on: there || history::goes_on_changing(&reading, before.as_ref()),
        line,
    };
    let evidence = evidence(&understood, (&reading, &state), found);
    let whole = state.kind == Kind::Task && is_whole(&reading);
    // The scores may take for numbers what the rules took for talk. The filters that the text names must still apply.
    if state.kind != Kind::Task && state.slots.is_empty() {
        state.slots = reading.slots.clone();
    }
    (understood, state, evidence, whole)
}

/// Checks whether the text is a complete question: it names numbers and a period, and changes nothing.
fn is_whole(reading: &Reading) -> bool {
    let figures = !reading.slots.metrics.is_empty() && reading.slots.period.is_some();
    figures && reading.write.is_none() && !reading.assigns
}

/// Checks whether the numbers are of every network because nobody named one. If the scores picked networks here, the total would be another
/// one, and nobody would see it. For a split by ad source, only networks that mediate count.
fn of_every(reading: &Reading, state: &State, after_figures: bool) -> bool {
    let mediated = |of: &str| matches!(of, "ad_source" | "instance" | "mediation_group");
    let slots = &state.slots;
    after_figures
        && state.kind == Kind::Task
        && state.capability == Capability::Reporting
        && state.noun.is_none()
        && state.services.is_empty()
        && reading.services.is_empty()
        && reading.mentions.is_empty()
        && !slots.dimensions.iter().any(|dim| mediated(dim))
        && !slots.filters.iter().any(|filter| mediated(&filter.field))
}

/// Checks whether a complete question about numbers follows other numbers.
fn starts(reading: &Reading, before: Option<&State>) -> bool {
    before.is_some_and(|before| before.capability == Capability::Reporting) && history::starts_fresh(reading)
}

/// Checks whether the question goes on from numbers of the question before.
fn goes_on(state: &State) -> bool {
    let figures = state.kind == Kind::Task && state.noun.is_none() && state.write.is_none();
    figures && state.inherited && state.capability == Capability::Reporting
}

/// Checks whether the text names another period, split, order or part of the numbers.
fn reshapes(reading: &Reading) -> bool {
    let slots = &reading.slots;
    let ordered = slots.descending.is_some() || slots.limit.is_some();
    // "and Android" asks for a part of the numbers shown before, if the text names no other thing.
    let part = !slots.filters.is_empty() && reading.noun.is_none();
    slots.period.is_some() || !slots.dimensions.is_empty() || ordered || part
}

/// Checks whether a complete question that names no network follows a question about numbers of certain networks.
fn left(reading: &Reading, before: Option<&State>) -> bool {
    let of_one = |b: &State| b.capability == Capability::Reporting && !b.services.is_empty();
    let leaves = |b: &State| of_one(b) && (history::starts_fresh(reading) || history::every_network(reading));
    before.is_some_and(|b| leaves(b) || history::sees_elsewhere(reading, b))
}

/// Returns how sure the rules are.
fn confidence(state: &State) -> f64 {
    match (state.kind, state.certain, state.inherited) {
        (Kind::Refuse(_) | Kind::Chat, true, _) => 0.9,
        (Kind::Refuse(_) | Kind::Chat, false, _) => 0.5,
        (_, true, false) => 0.95,
        (_, true, true) => 0.85,
        (_, false, true) => 0.7,
        (_, false, false) => 0.4,
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
mod tests;
