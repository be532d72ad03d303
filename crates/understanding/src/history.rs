//! What a question takes from the turns before it.
//!
//! Each user turn is read by itself and laid over the state the turns before it left behind.

use adagent_domain::Network;
use jiff::civil::Date;

use crate::dates::{CompareRef, Period, Unit};
use crate::route::reading::{NounMention, Reading};
use crate::route::signals::{self, Refusal};
use crate::slots::{RawSlots, set_filter};
use crate::types::{Capability, FilterValue};
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// What a turn was about, after everything before it.
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
    pub certain: bool,
    pub inherited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Task,
    Chat,
    Refuse(Refusal),
    Docs,
}

/// Bytes of a greeting at most.
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

/// Whether the text leans on what was said before.
fn leans(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    let first = tokens.iter().find(|t| !matches!(t.kind, crate::text::Kind::Punct(_)));
    let opens = first.is_some_and(|t| t.any(MARKERS) || t.number().is_some())
        || tokens.first().is_some_and(|t| t.any(&["what", "how"])) && tokens.get(1).is_some_and(|t| t.is("about"));
    opens
        || reading.has(POINTERS)
        || reading.has(&["same", "instead", "too", "else", "again", "previous", "before"])
        || is_network_subset(reading)
}

/// A question that is complete by itself: figures and a period, and nothing that points back.
pub(crate) fn stands_alone(reading: &Reading) -> bool {
    reading.figures() && reading.slots.period.is_some() && !leans(reading)
}

/// "which groups use them": how something is set up, though the words would also do for a split.
fn asks_setup(reading: &Reading) -> bool {
    reading.noun.is_some_and(|n| nouns::capability(n.noun) == Capability::Mediation)
        && reading.has(&["use", "uses", "using", "contain", "contains", "include", "includes", "has", "have"])
        && reading.has(&["which", "what", "do", "does", "is"])
        && !reading.figures()
        && reading.slots.period.is_none()
}

/// Things named as a split or a restriction of figures don't change the subject.
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
    // "same but banners": a format, though banners are also what units are called.
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
    // A bid floor or a waterfall of a MAX ad unit belongs to mediation; so does its refresh when it is changed.
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

/// Lays one text over the state before it.
pub(crate) fn step(reading: &Reading, before: Option<&State>) -> State {
    let tokens = &reading.tokens;
    let blank = |kind: Kind, capability: Capability, services: Vec<Network>| State {
        kind,
        services,
        capability,
        noun: None,
        write: None,
        analysis: false,
        slots: RawSlots::default(),
        text: reading.text.clone(),
        certain: true,
        inherited: false,
    };
    // An app may be called like an instruction: its name is a name.
    let unnamed: Vec<_> = tokens
        .iter()
        .enumerate()
        .filter(|(at, _)| !reading.named.iter().any(|(from, to)| (*from..*to).contains(at)))
        .map(|(_, token)| token.clone())
        .collect();
    if let Some(why) = signals::refusal(&unnamed, before.is_some()) {
        return blank(Kind::Refuse(why), Capability::Assistant, Vec::new());
    }
    if signals::small_talk(tokens) {
        return blank(Kind::Chat, Capability::Assistant, Vec::new());
    }
    let concrete = reading.slots.period.is_some() || !reading.ids.is_empty() || reading.slots.limit.is_some();
    let mine = reading.mine && !reading.has(&["we", "i"]);
    if !reading.analysis_task() && signals::documentation(tokens, concrete, mine) {
        let services = if reading.services.is_empty() && !reading.sources.is_empty() {
            Vec::new()
        } else {
            reading.services.clone()
        };
        let mut state = blank(Kind::Docs, Capability::Docs, services);
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
        return state;
    }
    let state = match before {
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
            return State { noun, certain: false, ..blank(Kind::Task, Capability::Inventory, Vec::new()) };
        }
        if reading.names_app && reading.has(&["delete", "remove", "erase"]) {
            let (noun, write) = (Some("app"), Some(Write::Delete));
            return State { noun, write, certain: false, ..blank(Kind::Task, Capability::Inventory, Vec::new()) };
        }
        let part = reading.has(&["share", "percentage", "percent", "portion", "proportion"])
            || reading.analysis && reading.write.is_none();
        if part && !reading.slots.filters.is_empty() {
            let slots = reading.slots.clone();
            let analysis = reading.analysis;
            return State { slots, analysis, certain: false, ..blank(Kind::Task, Capability::Reporting, Vec::new()) };
        }
        // Nothing was recognised: a guess, and said to be one.
        let kind = if tokens.len() <= 4 && reading.text.len() <= MOST_SMALL_TALK {
            Kind::Chat
        } else {
            Kind::Refuse(Refusal::OffTopic)
        };
        return State { certain: false, ..blank(kind, Capability::Assistant, Vec::new()) };
    }
    state
}

impl Reading {
    fn analysis_task(&self) -> bool {
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

/// A group that is spoken of only through the price of its lines.
const THE_GROUP: NounMention = NounMention { noun: "mediation_group", at: 0, end: 0, has_id: false, plural: false };

/// "raise the floor to $5", and nothing says of what: floors are of mediation groups.
fn lone_floor(reading: &Reading) -> bool {
    reading.noun.is_none() && reading.mentions.is_empty() && reading.write_like() && reading.has(&["floor", "bidder"])
}

/// A text that stands by itself.
fn fresh(reading: &Reading) -> State {
    let mut slots = reading.slots.clone();
    let figures = reading.figures();
    let write_like = reading.write_like();
    let report_noun =
        reading.noun.is_some_and(|n| matches!(n.noun, "report" | "report_run" | "report_row" | "operation"));
    let noun_capability = capability_of(reading, reading.noun.map(|n| n.noun));
    let timed = slots.period.is_some() || slots.compare.is_some();
    let reporting = report_noun
        || (reading.nouns.iter().any(|n| n.noun == "report")
            && reading.tokens.iter().all(|t| !(t.is("report") && reading.tokens.last().is_some_and(|l| l.is("in"))))
            && !write_like
            && reading.noun.is_none_or(|n| {
                n.noun != "creative_template"
                    && (n.noun != "account" || !reading.has(&["timezone", "zone", "currency"]))
            })
            && !reading.services.contains(&Network::AdManager))
        || (figures
            && !write_like
            && !(reading.analysis && noun_capability == Capability::Mediation && !noun_is_slot(reading))
            && (noun_is_slot(reading)
                || !matches!(noun_capability, Capability::Experiments | Capability::Deals)
                || timed))
        || reading.noun.is_none()
        || (timed && !write_like && noun_is_slot(reading))
        || (reading.analysis
            && figures
            && !matches!(noun_capability, Capability::Mediation | Capability::Deals | Capability::Experiments))
        || (write_like && figures && !reading.analysis && reading.noun.is_some_and(|n| n.noun == "campaign"));
    let capability = if reporting { Capability::Reporting } else { noun_capability };
    let write = if reading.analysis { None } else { effective_write(reading, capability) };
    if capability == Capability::Reporting && slots.metrics.is_empty() {
        slots.metrics.push("revenue");
    }
    let mut services = reading.services.clone();
    if services.is_empty()
        && capability != Capability::Reporting
        && reading.noun.is_some_and(|n| nouns::implies_ad_manager(n.noun))
    {
        services.push(Network::AdManager);
    }
    let certain = figures || reading.noun.is_some() || !slots.dimensions.is_empty() || slots.period.is_some();
    State {
        kind: Kind::Task,
        services,
        capability,
        noun: reading.noun.map(|n| n.noun).filter(|_| capability != Capability::Reporting || report_noun),
        write,
        analysis: reading.analysis,
        slots,
        text: reading.text.clone(),
        certain,
        inherited: false,
    }
}

/// "add Meta bidding to mediation group 5566778899": what exists is changed.
fn added_to(reading: &Reading) -> bool {
    let Some(noun) = reading.noun else { return false };
    let tokens = &reading.tokens;
    let mut i = noun.at;
    while i > 0
        && (tokens[i - 1].any(&["the", "our", "my", "existing", "sizes", "of", "gam", "group"])
            || reading.mentions.iter().any(|m| (m.at..m.end).contains(&(i - 1))))
    {
        i -= 1;
    }
    let before = tokens[..i].iter().rev().take(2).any(|t| t.any(&["to", "into"]));
    before
        && noun.has_id
        && tokens.iter().any(|t| t.any(&["add", "put", "insert"]))
        && reading.nouns.iter().filter(|n| n.at < noun.at && n.noun != "bidder").count() == 0
}

fn effective_write(reading: &Reading, capability: Capability) -> Option<Write> {
    let report_object = reading.noun.is_some_and(|n| matches!(n.noun, "report" | "operation" | "report_run"));
    if capability == Capability::Reporting && !report_object {
        return None;
    }
    if capability == Capability::Reporting
        && reading.noun.is_some_and(|n| n.noun == "report")
        && matches!(reading.write, Some(Write::Create))
        && !reading.has(&["save", "saved", "store", "named", "called", "new", "schedule"])
    {
        return None;
    }
    let made = reading.has(&["make", "set"])
        && reading
            .noun
            .is_some_and(|n| n.has_id && reading.tokens.get(n.end).is_some_and(crate::route::reading::is_id));
    match reading.write {
        Some(Write::Create) if made || added_to(reading) => Some(Write::Update),
        other => other.or(reading.assigns.then_some(Write::Update)),
    }
}

fn follow(reading: &Reading, before: &State) -> State {
    let tokens = &reading.tokens;
    let own = fresh(reading);
    let all = tokens.iter().enumerate().any(|(i, t)| {
        t.any(&["all", "every"]) && tokens[i + 1..].iter().take(2).any(|n| n.any(&["my", "our", "network"]))
    }) || reading.tokens.windows(2).any(|w| w[0].any(&["two", "three", "both"]) && w[1].is("network"));
    let inside = matches!(before.capability, Capability::Mediation | Capability::Experiments)
        && reading.noun.is_none_or(|n| Some(n.noun) == before.noun);
    let demand =
        inside && before.noun.is_some_and(|n| reading.services.iter().all(|s| !nouns::owners(n, "read").contains(s)));
    let both = reading.has(&["both"]) && reading.services.len() < 2;
    let mut services =
        if !reading.services.is_empty() && !both && !demand { reading.services.clone() } else { Vec::new() };
    let inherit_services =
        services.is_empty() && !all && !reading.noun.is_some_and(|n| nouns::implies_ad_manager(n.noun));
    if inherit_services {
        services.clone_from(&before.services);
        if both {
            services.extend(&reading.services);
            services.sort_by_key(|n| n.id());
            services.dedup();
        }
    }
    let before_reports =
        before.capability == Capability::Reporting && before.kind == Kind::Task && before.noun.is_none();
    let bare = reading.noun.is_none() || noun_is_slot(reading) && !asks_setup(reading);
    let ids = !reading.ids.is_empty();
    let standing =
        reading.figures() && (reading.slots.period.is_some() || !reading.services.is_empty()) && !leans(reading);
    // Figures, changed: "and by country?", "make it 30 days", "add clicks".
    if before_reports && bare && !standing && !(reading.write_like() && ids && !reading.figures()) {
        let mut state = before.clone();
        state.services = services;
        state.slots = merge(reading, &before.slots);
        state.analysis = reading.analysis;
        state.inherited = true;
        state.text.clone_from(&reading.text);
        adapt(&mut state, before, reading);
        return state;
    }
    // The same thing again, with a new value, another network, or an answer to a question back.
    if reading.noun.is_none() && !reading.figures() && before.kind == Kind::Task && !before_reports {
        let mut state = before.clone();
        state.services = services;
        state.inherited = true;
        state.analysis = reading.analysis;
        state.text = format!("{} – {}", before.text, reading.text);
        if reading.analysis {
            state.write = None;
        } else if reading.write.is_some() || reading.assigns || value_counts(reading, before) {
            let value_only = has_value(reading) && reading.write.is_none();
            let create = matches!(before.write, Some(Write::Create)) || reading.has(&["another"]);
            state.write = match reading.write {
                Some(w) if !(create && w == Write::Update) => {
                    Some(w).map(|w| if create && reading.has(&["make"]) { Write::Create } else { w })
                }
                _ if value_only && before.write.is_some() => before.write,
                _ if reading.has(&["another"]) => Some(Write::Create),
                _ => Some(if create { Write::Create } else { Write::Update }),
            };
            // "make it 60 seconds instead" of something only looked at changes it.
            if before.write.is_none() && reading.has(&["make"]) && !reading.has(&["another"]) {
                state.write = Some(Write::Update);
            }
        } else if reading.reads
            && !reading.has(&["yes", "go", "approve"])
            && reading.tokens.len() > 1
            && reading.has(&["show", "list", "which", "what", "how", "is"])
        {
            state.write = None;
        }
        return state;
    }
    let mut state = own;
    // "do the same in …": the change of the turn before, elsewhere.
    if let Some(write) = before.write
        && reading.write.is_none()
        && reading.has(&["same"])
        && !reading.figures()
        && reading.noun.map(|n| n.noun) == before.noun
    {
        state.write = Some(write);
    }
    if services.is_empty() && !all {
        services.clone_from(&state.services);
    }
    if state.capability == Capability::Reporting
        && all
        && services.is_empty()
        && reading.tokens.windows(2).any(|w| w[0].any(&["two", "three", "both"]) && w[1].is("network"))
        && !state.slots.dimensions.contains(&"network")
    {
        state.slots.dimensions.push("network");
    }
    state.services = services;
    state.inherited = inherit_services && !before.services.is_empty();
    if state.capability == Capability::Reporting
        && state.inherited
        && state.slots.filters.is_empty()
        && reading.has(&["it", "that"])
        && !before_reports
    {
        // "did impressions on it start today?": the thing spoken of restricts the figures.
        if let (Some(noun), Some(id)) = (before.noun, last_id(&before.text)) {
            let field = if noun == "ad_slot" { "ad_unit" } else { noun };
            if matches!(field, "ad_unit" | "app" | "placement" | "line_item" | "order" | "mediation_group") {
                set_filter(&mut state.slots.filters, field, id, false);
            }
        }
    }
    if state.inherited && (reading.has(POINTERS) || leans(reading)) {
        state.text = format!("{} – {}", before.text, reading.text);
    }
    state
}

fn last_id(text: &str) -> Option<String> {
    crate::text::tokens(text).iter().rev().find(|t| crate::route::reading::is_id(t)).map(|t| t.norm.clone())
}

/// A number or a name is a new value after a write, or where the words hand it over; an id never is.
fn value_counts(reading: &Reading, before: &State) -> bool {
    has_value(reading)
        && (before.write.is_some() || reading.has(&["to", "make", "instead"]))
        && !reading.tokens.iter().any(|t| t.is_punct('?'))
}

fn has_value(reading: &Reading) -> bool {
    reading.tokens.iter().any(|t| {
        matches!(t.kind, crate::text::Kind::Literal)
            || matches!(t.kind, crate::text::Kind::Number(_)) && t.norm.len() < 5
    })
}

/// After the networks changed, splits and metrics that no longer fit go.
fn adapt(state: &mut State, before: &State, reading: &Reading) {
    if state.services.len() == 1 && !reading.services.is_empty() {
        state.slots.dimensions.retain(|d| *d != "network");
    }
    let counted =
        reading.has(&["both"]) || reading.tokens.windows(2).any(|w| w[0].any(&["two", "three"]) && w[1].is("network"));
    let several = reading.services.len() >= 2 || counted && state.services.len() >= 2;
    if several && !state.slots.dimensions.contains(&"network") {
        state.slots.dimensions.push("network");
    }
    if state.services != before.services && !reading.services.is_empty() {
        state
            .slots
            .filters
            .retain(|f| f.field != "ad_source" || reading.slots.filters.iter().any(|g| g.field == "ad_source"));
    }
}

/// The slots of a follow-up over those of the turn before.
fn merge(reading: &Reading, before: &RawSlots) -> RawSlots {
    let new = &reading.slots;
    let mut out = before.clone();
    let first_word = |words: &[&str]| reading.tokens.first().is_some_and(|t| t.any(words));
    let adding = reading.has(&["add", "also", "plus", "include", "too", "additionally", "well", "with"])
        || first_word(&["and", "plus", "with"]);
    let removing =
        reading.has(&["remove", "drop", "undo", "without", "clear", "reset", "no", "forget", "lose", "hide"]);
    if removing && reading.has(&["filter", "filters", "restriction", "limit"]) {
        if reading.has(&["filter", "filters", "restriction"]) {
            out.filters.clear();
        } else {
            out.limit = None;
        }
        return out;
    }
    let removed: Vec<&str> = if removing { removed_dimensions(reading) } else { Vec::new() };
    if !removed.is_empty() {
        out.dimensions.retain(|d| !removed.contains(d));
        return out;
    }
    let sorting = reading.has(&["sort", "sorted", "rank", "ranked", "ordered"]);
    if sorting && let Some(metric) = new.metrics.first() {
        out.metrics.retain(|m| m != metric);
        out.metrics.insert(0, metric);
        out.descending = Some(!reading.has(&["ascending", "lowest", "smallest"]));
    } else if !new.metrics.is_empty() {
        if removing && new.metrics.iter().all(|m| out.metrics.contains(m)) && out.metrics.len() > new.metrics.len() {
            out.metrics.retain(|m| !new.metrics.contains(m));
        } else if adding && !reading.has(&["instead"]) {
            for m in &new.metrics {
                if !out.metrics.contains(m) {
                    out.metrics.push(m);
                }
            }
        } else {
            out.metrics.clone_from(&new.metrics);
        }
    }
    if !new.dimensions.is_empty() {
        // "and by country?" looks from another side; "also by country" and "split it" go deeper.
        let instead = first_word(&["and"]) && reading.tokens.get(1).is_some_and(|t| t.any(&["by", "per"]));
        let splitting =
            adding && !instead || reading.has(&["split", "break", "breakdown", "further", "drill", "down", "now"]);
        if splitting && !reading.has(&["instead", "rather"]) {
            for d in &new.dimensions {
                if !out.dimensions.contains(d) {
                    out.dimensions.push(d);
                }
            }
        } else {
            out.dimensions.clone_from(&new.dimensions);
        }
    }
    if !new.dimensions.is_empty() && !reading.services.is_empty() && new.compare.is_none() {
        out.compare = None;
    }
    merge_period(reading, before, &mut out);
    for filter in &new.filters {
        if let FilterValue::Compare(_) = filter.value {
            out.filters.retain(|f| f.field != filter.field);
            out.filters.push(filter.clone());
            continue;
        }
        let everything = reading.has(&["also", "too", "plus"]) && !reading.has(&["only"]);
        if let (FilterValue::In(values), true) = (&filter.value, everything) {
            for v in values {
                set_filter(&mut out.filters, &filter.field, v.clone(), false);
            }
        } else {
            out.filters.retain(|f| f.field != filter.field);
            out.filters.push(filter.clone());
        }
    }
    if new.limit.is_some() {
        out.limit = new.limit;
        out.descending = new.descending.or(Some(true));
    } else if new.descending.is_some() {
        out.descending = new.descending;
    }
    out
}

fn removed_dimensions(reading: &Reading) -> Vec<&'static str> {
    crate::vocab::dimensions::DIMENSIONS
        .all(&reading.tokens)
        .into_iter()
        .filter(|f| {
            reading.tokens.get(f.end()).is_some_and(|t| t.any(&["split", "breakdown", "dimension", "column"]))
                || reading.tokens[..f.at].iter().any(|t| t.any(&["drop", "remove", "without"]))
        })
        .map(|f| f.what)
        .collect()
}

fn merge_period(reading: &Reading, before: &RawSlots, out: &mut RawSlots) {
    let new = &reading.slots;
    if let Some(r) = new.compare {
        out.compare = Some(r);
        // "Versus September?" names only the other period; the main one stays.
        let own = new.period.is_some_and(|p| crate::dates::periods(&reading.tokens, p.span.to).len() > 1)
            || !matches!(r, CompareRef::Named(_));
        if new.period.is_some() && own {
            out.period = new.period;
        }
        return;
    }
    // "what about the week before?" moves the period itself.
    let today = before.period.map_or(Date::ZERO, |p| p.span.to);
    let leaning = (0..reading.tokens.len()).find_map(|at| crate::dates::leaning(&reading.tokens, at, today));
    if let (Some((r, _)), Some(main)) = (leaning, before.period)
        && new.period.is_none_or(|p| p.unit != Unit::Day)
    {
        let span = r.resolve(main.span);
        out.period = Some(Period { span, ..main });
        out.compare = None;
        return;
    }
    if new.period.is_some() {
        out.period = new.period;
        out.compare = None;
    }
}
