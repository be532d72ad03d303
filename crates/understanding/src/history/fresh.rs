//! The state of a text that stands alone: its capability, what it changes, and its networks.
//!
//! This module never looks at the turns before the text.

use adagent_domain::Network;

use super::{Kind, Named, State, capability_of, noun_is_slot};
use crate::route::about::asks_setting;
use crate::route::reading::{NounMention, Reading};
use crate::types::Capability;
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// A mediation group that a text mentions only by the price of its lines.
pub(super) const THE_GROUP: NounMention =
    NounMention { noun: "mediation_group", at: 0, end: 0, has_id: false, plural: false };

/// Checks whether the text is about a floor and does not say what the floor belongs to: "raise the floor to $5". We take it for the floor
/// of a mediation group.
pub(super) fn lone_floor(reading: &Reading) -> bool {
    let mine = reading.mentions.iter().all(|m| m.network == Network::AdMob);
    let asked = !reading.figures() && reading.slots.period.is_none() && !reading.analysis;
    reading.noun.is_none()
        && (reading.write_like() && reading.mentions.is_empty() && reading.has(&["floor", "bidder"])
            || asked && mine && reading.has(&["floor"]))
}

/// Checks whether the text asks for numbers of a period. Such a text asks for no account setting.
fn timed_figures(reading: &Reading) -> bool {
    reading.slots.period.is_some() && !reading.slots.metrics.is_empty()
}

/// Checks whether the period belongs to the things and not to numbers: "line items that end this month".
fn lifecycle(reading: &Reading) -> bool {
    let said = [
        "end", "ends", "ending", "ended", "expire", "expires", "expiring", "expired", "created", "booked", "starting",
        "begin",
    ];
    !reading.figures() && reading.noun.is_some_and(|n| n.plural) && reading.has(&said)
}

/// Checks whether "CPM" is the price at which a thing was sold, as in "priority and CPM of line item 12", and not a metric of a report.
fn price_of(reading: &Reading) -> bool {
    let sold = ["line_item", "order", "private_auction_deal", "private_auction", "instance"];
    reading.noun.is_some_and(|n| n.has_id && sold.contains(&n.noun))
        && reading.slots.period.is_none()
        && reading.slots.metrics == ["ecpm"]
        && reading.tokens.iter().any(|t| t.norm == "cpm")
}

/// Returns the state of a text that stands alone.
pub(super) fn fresh(reading: &Reading) -> State {
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
        named: Named::of(reading),
        certain,
        inherited: false,
    }
}

/// Checks whether the text adds to an existing thing: "add Meta bidding to mediation group 5566778899".
fn added_to(reading: &Reading) -> bool {
    let Some(noun) = reading.noun else { return false };
    let tokens = &reading.tokens;
    // "group 12: add Unity bidding" names the group before it says what should happen to it.
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
    // "add France to the countries of group 4411" adds to a list of the group.
    let listed = noun.noun == "mediation_group" && tokens[..i].iter().any(|t| t.any(&["to", "into"]));
    (before || listed)
        && noun.has_id
        && tokens.iter().any(|t| t.any(&["add", "put", "insert"]))
        && reading.nouns.iter().filter(|n| n.at < noun.at && n.noun != "bidder").count() == 0
}

fn effective_write(reading: &Reading, capability: Capability) -> Option<Write> {
    let report_object = reading.noun.is_some_and(|n| matches!(n.noun, "report" | "operation" | "report_run"));
    // "start saved report 12" runs an existing report and creates nothing.
    if reading.noun.is_some_and(|n| n.noun == "report" && n.has_id)
        && reading.has(&["start", "launch", "trigger", "execute", "rerun"])
    {
        return None;
    }
    if capability == Capability::Reporting && !report_object {
        return None;
    }
    // "add the country column to saved report 12" changes the report.
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
