//! Merges the slots of a follow-up with those of the turn before: what the follow-up names replaces the old value, and everything else
//! stays.

use jiff::civil::Date;

use crate::dates::{CompareRef, Period, Unit};
use crate::route::reading::Reading;
use crate::slots::{RawSlots, set_filter, split_taken_out, takes_out};
use crate::text::Token;
use crate::types::FilterValue;

/// Merges the slots of a follow-up with those of the turn before.
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
        // "ad units without clicks" filters by clicks; "without clicks" drops the column.
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
        // "and by country?" replaces the split; "also by country" and "split it" add to it.
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
        // "drop Austria" after "Germany and Austria" keeps Germany. After "drop Germany", it leaves out both.
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

/// Returns the dimensions that the text wants whole, as in "all platforms" or "every country", so that the caller drops their filters.
fn of_all(tokens: &[Token]) -> Vec<&'static str> {
    let whole = |at: usize| at > 0 && tokens[at - 1].any(&["all", "every", "each", "any"]);
    let named = crate::vocab::dimensions::DIMENSIONS.all(tokens);
    named.into_iter().filter(|found| whole(found.at)).map(|found| found.what).collect()
}

/// Merges the number of rows and the sort order.
fn merge_order(new: &RawSlots, out: &mut RawSlots) {
    // "worst first" needs rows to sort, so we split a total by app.
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

/// Checks whether the text takes something away. "why did clicks drop" and "why are there no clicks" only ask about it.
fn removing(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let first = at.checked_sub(1).is_none_or(|i| tokens[i].is_stop() || tokens[i].any(&["and", "but", "just"]));
        token.any(&["undo", "clear", "reset", "forget"])
            || token.is("no") && first
            || token.any(&["without", "remove", "drop", "lose", "cut", "hide", "skip", "out"]) && takes_out(tokens, at)
    })
}

/// Returns the splits that the text takes out: "drop the app split".
pub(super) fn removed_dimensions(reading: &Reading) -> Vec<&'static str> {
    let tokens = &reading.tokens;
    let removing = removing(tokens);
    crate::vocab::dimensions::DIMENSIONS
        .all(tokens)
        .into_iter()
        .filter(|f| {
            let named = tokens.get(f.end()).is_some_and(|t| t.any(&["split", "breakdown", "dimension", "column"]));
            // In "drop the app Puzzle Game" a value follows, so the split stays.
            removing && (named || split_taken_out(tokens, f.at) && tokens.get(f.end()).is_none_or(|t| !t.capital))
        })
        .map(|f| f.what)
        .collect()
}

/// Checks whether we read the period only from "so far" or "right now".
pub(super) fn names_no_time(reading: &Reading) -> bool {
    reading.slots.period.is_some_and(|p| crate::dates::periods(&reading.tokens, p.span.to).is_empty())
}

fn merge_period(reading: &Reading, before: &RawSlots, out: &mut RawSlots) {
    let new = &reading.slots;
    if let Some(r) = new.compare {
        out.compare = Some(r);
        // "Versus September?" names only the other period, so the main period stays.
        let own = new.period.is_some_and(|p| crate::dates::periods(&reading.tokens, p.span.to).len() > 1)
            || !matches!(r, CompareRef::Named(_));
        if new.period.is_some() && own {
            out.period = new.period;
        }
        return;
    }
    // "what about the week before?" moves the main period.
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
    // "clicks so far" and "add clicks right now" keep the period of the turn before.
    let filler = names_no_time(reading) && (reading.has(&["far"]) || reading.has(&["add", "also", "include"]));
    if new.period.is_some() && !(filler && before.period.is_some()) {
        out.period = new.period;
        out.compare = None;
    }
}
