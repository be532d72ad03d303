//! What a question takes from the turns before it.
//!
//! Each user turn is read by itself and laid over the state the turns before it left behind.

use adagent_domain::Network;

mod follow;
mod merge;

use self::follow::follow;
use crate::route::about::asks_setting;
use crate::route::reading::{NounMention, Reading};
use crate::route::signals::{self, Refusal};
use crate::slots::RawSlots;
use crate::types::Capability;
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

/// "how was the weekend": of the figures, when a time is named and nobody is addressed.
fn asks_after(reading: &Reading) -> bool {
    let opens = reading.tokens.iter().take(4).any(|t| t.any(&["how", "what"]));
    opens && reading.slots.period.is_some() && !reading.has(&["you", "your", "name"])
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
    if signals::small_talk(tokens) && !asks_after(reading) {
        return blank(Kind::Chat, Capability::Assistant, Vec::new());
    }
    let concrete = reading.slots.period.is_some() || !reading.ids.is_empty() || reading.slots.limit.is_some();
    let mine = reading.mine && !reading.has(&["we", "i"]);
    if !reading.analysis_task() && signals::documentation(tokens, concrete, mine) {
        // "how does Mintegral bidding work": the only one named, in whatever role.
        let only = reading.mentions.first().filter(|m| reading.mentions.iter().all(|n| n.network == m.network));
        let services = if reading.services.is_empty() && !reading.sources.is_empty() {
            only.map(|m| m.network).into_iter().collect()
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
        // "what ids do I have to enter for Chartboost": a demand source is named, and nothing else.
        if !reading.sources.is_empty() {
            let keys =
                reading.has(&["id", "ids", "key", "field", "enter", "config", "configure", "parameter", "credentials"]);
            let noun = Some(if keys { "ad_source_adapter" } else { "ad_source" });
            return State { noun, certain: false, ..blank(Kind::Task, Capability::Mediation, Vec::new()) };
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

/// A group that is spoken of only through the price of its lines.
const THE_GROUP: NounMention = NounMention { noun: "mediation_group", at: 0, end: 0, has_id: false, plural: false };

/// "raise the floor to $5", and nothing says of what: floors are of mediation groups.
fn lone_floor(reading: &Reading) -> bool {
    let mine = reading.mentions.iter().all(|m| m.network == Network::AdMob);
    let asked = !reading.figures() && reading.slots.period.is_none() && !reading.analysis;
    reading.noun.is_none()
        && (reading.write_like() && reading.mentions.is_empty() && reading.has(&["floor", "bidder"])
            || asked && mine && reading.has(&["floor"]))
}

/// Figures of a named time: no setting of the account is asked for.
fn timed_figures(reading: &Reading) -> bool {
    reading.slots.period.is_some() && !reading.slots.metrics.is_empty()
}

/// "line items that end this month": the time is one of the things, not of figures.
fn lifecycle(reading: &Reading) -> bool {
    let said = [
        "end", "ends", "ending", "ended", "expire", "expires", "expiring", "expired", "created", "booked", "starting",
        "begin",
    ];
    !reading.figures() && reading.noun.is_some_and(|n| n.plural) && reading.has(&said)
}

/// "priority and CPM of line item 12": the price it was sold at, no figure of a report.
fn price_of(reading: &Reading) -> bool {
    let sold = ["line_item", "order", "private_auction_deal", "private_auction", "instance"];
    reading.noun.is_some_and(|n| n.has_id && sold.contains(&n.noun))
        && reading.slots.period.is_none()
        && reading.slots.metrics == ["ecpm"]
        && reading.tokens.iter().any(|t| t.norm == "cpm")
}

/// A text that stands by itself.
fn fresh(reading: &Reading) -> State {
    let mut slots = reading.slots.clone();
    let figures = reading.figures() && !price_of(reading);
    let write_like = reading.write_like();
    let setting =
        reading.noun.is_some_and(|n| n.noun == "account") && !timed_figures(reading) && asks_setting(&reading.tokens);
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
        || (timed && !write_like && noun_is_slot(reading) && !lifecycle(reading))
        || (reading.analysis
            && figures
            && !matches!(noun_capability, Capability::Mediation | Capability::Deals | Capability::Experiments))
        || (write_like && figures && !reading.analysis && reading.noun.is_some_and(|n| n.noun == "campaign"));
    let capability = if reporting && !setting { Capability::Reporting } else { noun_capability };
    let write = if reading.analysis { None } else { effective_write(reading, capability) };
    if capability == Capability::Reporting && slots.metrics.is_empty() && !slots.fixed {
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
    // "group 12: add Unity bidding": the group stands before what is done to it.
    let adds = |t: &crate::text::Token| t.any(&["add", "put", "insert", "include"]);
    if noun.noun == "mediation_group"
        && noun.has_id
        && tokens[noun.end..].iter().any(adds)
        && !tokens[..noun.at].iter().any(adds)
        && tokens[..noun.at].len() <= 3
        && !reading.has(&["create", "new", "make"])
    {
        return true;
    }
    let mut i = noun.at;
    while i > 0
        && (tokens[i - 1].any(&["the", "our", "my", "existing", "sizes", "of", "gam", "group"])
            || reading.mentions.iter().any(|m| (m.at..m.end).contains(&(i - 1))))
    {
        i -= 1;
    }
    let before = tokens[..i].iter().rev().take(2).any(|t| t.any(&["to", "into"]));
    // "add France to the countries of group 4411": the list of a group grows.
    let listed = noun.noun == "mediation_group" && tokens[..i].iter().any(|t| t.any(&["to", "into"]));
    (before || listed)
        && noun.has_id
        && tokens.iter().any(|t| t.any(&["add", "put", "insert"]))
        && reading.nouns.iter().filter(|n| n.at < noun.at && n.noun != "bidder").count() == 0
}

fn effective_write(reading: &Reading, capability: Capability) -> Option<Write> {
    let report_object = reading.noun.is_some_and(|n| matches!(n.noun, "report" | "operation" | "report_run"));
    // "start saved report 12": a report that exists is run, and nothing is made.
    if reading.noun.is_some_and(|n| n.noun == "report" && n.has_id)
        && reading.has(&["start", "launch", "trigger", "execute", "rerun"])
    {
        return None;
    }
    if capability == Capability::Reporting && !report_object {
        return None;
    }
    // "add the country column to saved report 12": it is changed.
    let kept = reading.noun.is_some_and(|n| n.noun == "report" && n.has_id);
    if kept && reading.write == Some(Write::Create) && reading.has(&["add", "put", "include"]) {
        return Some(Write::Update);
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
