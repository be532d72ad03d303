//! The slots of a follow-up over those of the turn before: what it names changes, the rest stays.

use jiff::civil::Date;

use crate::dates::{CompareRef, Period, Unit};
use crate::route::reading::Reading;
use crate::slots::{RawSlots, set_filter};
use crate::types::FilterValue;

/// The slots of a follow-up over those of the turn before.
pub(super) fn merge(reading: &Reading, before: &RawSlots) -> RawSlots {
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
        out.rank = new.rank;
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
