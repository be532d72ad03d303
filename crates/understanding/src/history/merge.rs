//! The slots of a follow-up over those of the turn before: what it names changes, the rest stays.

use jiff::civil::Date;

use crate::dates::{CompareRef, Period, Unit};
use crate::route::reading::Reading;
use crate::slots::{RawSlots, set_filter, split_taken_out, takes_out};
use crate::text::Token;
use crate::types::FilterValue;

/// The slots of a follow-up over those of the turn before.
pub(super) fn merge(reading: &Reading, before: &RawSlots) -> RawSlots {
    let new = &reading.slots;
    let mut out = before.clone();
    let first_word = |words: &[&str]| reading.tokens.first().is_some_and(|t| t.any(words));
    let adding = reading.has(&["add", "also", "plus", "include", "too", "additionally", "well", "with"])
        || first_word(&["and", "plus", "with"]);
    let removing = removing(&reading.tokens);
    if removing && reading.has(&["filter", "filters", "restriction", "limit"]) {
        if reading.has(&["filter", "filters", "restriction"]) {
            out.filters.clear();
        } else {
            out.limit = None;
        }
        return out;
    }
    let removed = removed_dimensions(reading);
    if !removed.is_empty() {
        out.dimensions.retain(|d| !removed.contains(d));
        return out;
    }
    let sorting = reading.has(&["sort", "sorted", "rank", "ranked", "ordered"]);
    if sorting && let Some(metric) = new.metrics.first() {
        out.metrics.retain(|m| m != metric);
        out.metrics.insert(0, metric);
        out.descending = new.descending.or(Some(!reading.has(&["ascending", "lowest", "smallest"])));
    } else if !new.metrics.is_empty() {
        // "ad units without clicks" limits the clicks; "without clicks" drops the column.
        let limited = new.filters.iter().any(|f| new.metrics.contains(&f.field.as_str()));
        let shown = new.metrics.iter().all(|m| out.metrics.contains(m)) && out.metrics.len() > new.metrics.len();
        if removing && !limited && shown {
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
    let whole = of_all(&reading.tokens);
    out.filters.retain(|filter| !whole.contains(&filter.field.as_str()));
    for filter in &new.filters {
        if let FilterValue::Compare(_) = filter.value {
            out.filters.retain(|f| f.field != filter.field);
            out.filters.push(filter.clone());
            continue;
        }
        // "drop Austria" after "Germany and Austria": Germany stays; after "drop Germany": both stay away.
        if let FilterValue::Not { not } = &filter.value
            && !reading.has(&["instead", "only"])
            && let Some(old) = out.filters.iter_mut().find(|f| f.field == filter.field)
        {
            match &mut old.value {
                FilterValue::In(list)
                    if list.iter().any(|v| not.contains(v)) && !list.iter().all(|v| not.contains(v)) =>
                {
                    list.retain(|v| !not.contains(v));
                    continue;
                }
                FilterValue::Not { not: old } => {
                    old.extend(not.iter().filter(|v| !old.contains(v)).cloned().collect::<Vec<_>>());
                    old.sort();
                    continue;
                }
                _ => {}
            }
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
    merge_order(new, &mut out);
    out
}

/// "all platforms", "every country": what is asked for whole, and no part of it any more.
fn of_all(tokens: &[Token]) -> Vec<&'static str> {
    let whole = |at: usize| at > 0 && tokens[at - 1].any(&["all", "every", "each", "any"]);
    let named = crate::vocab::dimensions::DIMENSIONS.all(tokens);
    named.into_iter().filter(|found| whole(found.at)).map(|found| found.what).collect()
}

/// How many rows, and which end first.
fn merge_order(new: &RawSlots, out: &mut RawSlots) {
    // "worst first" of a total: of what it is made of.
    if new.descending.is_some() && out.dimensions.is_empty() {
        out.dimensions.push("app");
    }
    if new.limit.is_some() {
        out.limit = new.limit;
        out.rank = new.rank;
        out.descending = new.descending.or(Some(true));
    } else if new.descending.is_some() {
        out.descending = new.descending;
    }
}

/// Whether the text takes something away. "why did clicks drop" and "why are there no clicks" ask about it instead.
fn removing(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let first = at.checked_sub(1).is_none_or(|i| tokens[i].is_stop() || tokens[i].any(&["and", "but", "just"]));
        token.any(&["undo", "clear", "reset", "forget"])
            || token.is("no") && first
            || token.any(&["without", "remove", "drop", "lose", "cut", "hide", "skip", "out"]) && takes_out(tokens, at)
    })
}

/// Splits the text takes out: "drop the app split".
pub(super) fn removed_dimensions(reading: &Reading) -> Vec<&'static str> {
    let tokens = &reading.tokens;
    let removing = removing(tokens);
    crate::vocab::dimensions::DIMENSIONS
        .all(tokens)
        .into_iter()
        .filter(|f| {
            let named = tokens.get(f.end()).is_some_and(|t| t.any(&["split", "breakdown", "dimension", "column"]));
            // "drop the app Puzzle Game": a value follows, so the split stays.
            removing && (named || split_taken_out(tokens, f.at) && tokens.get(f.end()).is_none_or(|t| !t.capital))
        })
        .map(|f| f.what)
        .collect()
}

/// A period that was only read from "so far" or "right now".
pub(super) fn names_no_time(reading: &Reading) -> bool {
    reading.slots.period.is_some_and(|p| crate::dates::periods(&reading.tokens, p.span.to).is_empty())
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
        && (new.period.is_none_or(|p| p.unit != Unit::Day) || reading.has(&["same"]))
    {
        let span = r.resolve(main.span);
        out.period = Some(Period { span, ..main });
        out.compare = None;
        return;
    }
    // "clicks so far", "add clicks right now": no other time than the one spoken of.
    let filler = names_no_time(reading) && (reading.has(&["far"]) || reading.has(&["add", "also", "include"]));
    if new.period.is_some() && !(filler && before.period.is_some()) {
        out.period = new.period;
        out.compare = None;
    }
}
