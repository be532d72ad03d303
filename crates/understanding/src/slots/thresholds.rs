//! Reads limits on metrics: "eCPM under $1", "more than 100k requests".

use std::collections::BTreeMap;

use super::Scope;
use super::comparing::{COMPARATORS, RATES};
use crate::text::{Kind, Token};
use crate::types::{ABOVE_AVERAGE, BELOW_AVERAGE};
use crate::vocab::dimensions::DIMENSIONS;
use crate::vocab::metrics::{METRICS, NOT_METRICS};

type Thresholds = Vec<(&'static str, BTreeMap<String, f64>)>;

fn metric_before(tokens: &[Token], at: usize) -> Option<&'static str> {
    let from = at.saturating_sub(6);
    (from..at).rev().find_map(|i| {
        let (m, n) = METRICS.at(tokens, i)?;
        // The phrase must end before the comparator, and no longer phrase may include it.
        if i + n > at
            || NOT_METRICS.at(tokens, i).is_some()
            || (i > 0 && METRICS.at(tokens, i - 1).is_some_and(|(_, k)| k > 1) && i > from)
        {
            return METRICS
                .at(tokens, i.saturating_sub(1))
                .filter(|(_, k)| *k > 1 && i > 0)
                .map(|(m, _)| m)
                .filter(|_| i + n <= at);
        }
        Some(m)
    })
}

/// Reads a limit of zero: "with zero clicks", "had no impressions", "apps without revenue". Returns the metric, and how many tokens say so.
fn none_of(tokens: &[Token], at: usize) -> Option<(&'static str, usize)> {
    let without = tokens[at].is("without")
        && at.checked_sub(1).is_some_and(|i| tokens[i].norm != tokens[i].stem && DIMENSIONS.at(tokens, i).is_some());
    if without {
        return METRICS.at(tokens, at + 1).map(|(metric, len)| (metric, len + 1));
    }
    let led = at.checked_sub(1).is_some_and(|i| {
        tokens[i]
            .any(&["with", "had", "have", "has", "got", "get", "gets", "having", "brought", "bring", "made", "make"])
    });
    if !led || !tokens[at].any(&["zero", "no"]) && tokens[at].norm != "0" {
        return None;
    }
    METRICS.at(tokens, at + 1).map(|(metric, len)| (metric, len + 1))
}

/// Reads a limit at the average: "below average", "less than the average eCPM". Returns the metric, and where the words end. `at`: where
/// they begin.
fn average(tokens: &[Token], at: usize, mut end: usize) -> Option<(&'static str, usize)> {
    while tokens.get(end).is_some_and(|t| t.is_punct('-') || t.any(&["the", "our", "my", "overall", "a", "their"])) {
        end += 1;
    }
    tokens.get(end).filter(|t| t.any(&["average", "avg", "mean"]))?;
    // "by how much was it below the average" asks for the distance and sets no limit.
    let far =
        tokens[at.saturating_sub(5)..at].windows(2).any(|pair| pair[0].is("how") && pair[1].any(&["much", "far"]));
    if far {
        return None;
    }
    end += 1;
    let after = METRICS.at(tokens, end);
    let metric = after.map(|(metric, _)| metric).or_else(|| metric_before(tokens, at));
    let metric = metric.or_else(|| METRICS.all(tokens).first().map(|found| found.what)).unwrap_or("revenue");
    Some((metric, end + after.map_or(0, |(_, len)| len)))
}

/// Returns the dimension that a limit applies to: "country with revenue below …".
pub(super) fn limited(tokens: &[Token]) -> Option<&'static str> {
    (0..tokens.len()).find_map(|at| {
        let (dim, len) = DIMENSIONS.at(tokens, at)?;
        let led = tokens.get(at + len).is_some_and(|t| t.any(&["with", "whose", "having", "where"]));
        let figure = (at + len + 1..tokens.len().min(at + len + 4)).any(|i| METRICS.at(tokens, i).is_some());
        (led && figure).then_some(dim)
    })
}

/// Returns the comparison for the rows that stay when the text drops the others.
fn opposite(op: &'static str) -> &'static str {
    match op {
        "lt" => "gte",
        "lte" => "gt",
        "gt" => "lte",
        _ => "lt",
    }
}

/// Reads "$5 or more" and "50 cents or less". Returns the metric, the comparison, the limit, and the tokens that say so.
fn or_more(
    tokens: &[Token],
    at: usize,
    taken: &dyn Fn(usize) -> bool,
) -> Option<(&'static str, &'static str, f64, usize, usize)> {
    let Kind::Number(n) = tokens[at].kind else { return None };
    let sign = |t: &Token| matches!(t.kind, Kind::Punct('$' | '€' | '£'));
    let from = at - usize::from(at > 0 && sign(&tokens[at - 1]));
    let mut end = at + 1;
    let unit = |t: &Token| sign(t) || t.is_punct('%') || t.any(&["percent", "dollar", "usd", "eur", "cent", "euro"]);
    while tokens.get(end).is_some_and(unit) {
        end += 1;
    }
    let units = &tokens[at + 1..end];
    let money = from < at || units.iter().any(|t| !t.is_punct('%') && !t.is("percent"));
    let named = METRICS.at(tokens, end).map(|(metric, len)| (metric, end + len));
    let or = named.map_or(end, |(_, to)| to);
    let op = match tokens.get(or + 1)? {
        t if t.any(&["more", "above", "over", "higher", "better"]) => "gte",
        t if t.any(&["less", "fewer", "below", "under", "lower", "worse"]) => "lte",
        _ => return None,
    };
    if taken(at) || !tokens[or].is("or") || tokens.get(or + 2).is_some_and(|t| t.any(&["than", "then"])) {
        return None;
    }
    let after = METRICS.at(tokens, or + 2).map(|(metric, _)| metric);
    let metric = named
        .map(|(metric, _)| metric)
        .or(after)
        .or_else(|| metric_before(tokens, from))
        .or(money.then_some("revenue"))?;
    let limit = if units.iter().any(|t| t.is("cent")) { n / 100.0 } else { n };
    Some((metric, op, limit, from, or + 2))
}

pub(super) fn read(scope: &Scope<'_>, taken: &dyn Fn(usize) -> bool) -> (Thresholds, Vec<usize>) {
    let tokens = scope.tokens;
    let mut out: Thresholds = Vec::new();
    let mut used = Vec::new();
    for at in 0..tokens.len() {
        if taken(at) {
            continue;
        }
        if let Some((metric, len)) = none_of(tokens, at) {
            used.extend(at..at + len);
            if !out.iter().any(|(m, _)| *m == metric) {
                out.push((metric, BTreeMap::from([("lte".to_owned(), 0.0)])));
            }
            continue;
        }
        if let Some((metric, op, limit, from, end)) = or_more(tokens, at, taken) {
            used.extend(from..end);
            if !out.iter().any(|(m, _)| *m == metric) {
                out.push((metric, BTreeMap::from([(op.to_owned(), limit)])));
            }
            continue;
        }
        let (op, mut len) = match tokens[at].kind {
            Kind::Punct('<') => ("lt", 1),
            Kind::Punct('>') => ("gt", 1),
            _ => match COMPARATORS.at(tokens, at) {
                Some(found) => found,
                None => continue,
            },
        };
        let op = match (op, tokens.get(at + 1).map(|t| t.is_punct('='))) {
            ("lt", Some(true)) => "lte",
            ("gt", Some(true)) => "gte",
            (op, _) => op,
        };
        let mut money = false;
        while let Some(t) = tokens.get(at + len) {
            if matches!(t.kind, Kind::Punct('$' | '€' | '£' | '=')) || t.any(&["usd", "eur", "us"]) {
                money |= !t.is_punct('=');
                len += 1;
            } else {
                break;
            }
        }
        if let Some((metric, end)) = average(tokens, at, at + len) {
            let op = if matches!(op, "lt" | "lte") { BELOW_AVERAGE } else { ABOVE_AVERAGE };
            used.extend(at..end);
            if !out.iter().any(|(m, _)| *m == metric) {
                out.push((metric, BTreeMap::from([(op.to_owned(), 1.0)])));
            }
            continue;
        }
        let Some(Kind::Number(n)) = tokens.get(at + len).map(|t| t.kind) else { continue };
        let end = at + len + 1;
        if taken(at + len)
            || tokens
                .get(end)
                .is_some_and(|t| t.any(&["day", "week", "month", "hour", "minute", "year", "second", "user"]))
        {
            continue;
        }
        let mut next = end;
        while tokens.get(next).is_some_and(|t| {
            matches!(t.kind, Kind::Punct('%' | '$' | '€' | '£'))
                || t.any(&["percent", "dollar", "usd", "eur", "cent", "euro", "million", "thousand", "in", "of"])
        }) {
            money |= tokens[next].any(&["dollar", "usd", "eur", "euro", "cent"])
                || matches!(tokens[next].kind, Kind::Punct('$' | '€' | '£'));
            next += 1;
        }
        let factor = if tokens.get(end).is_some_and(|t| t.is("million")) {
            1e6
        } else if tokens.get(end).is_some_and(|t| t.is("thousand")) {
            1e3
        } else {
            1.0
        };
        let factor = if tokens[end..next].iter().any(|t| t.is("cent")) { factor / 100.0 } else { factor };
        let after = METRICS.at(tokens, next).map(|(m, _)| m);
        let out_of = super::taken_out::limit_taken_out(tokens, at);
        let only = || METRICS.all(tokens).first().filter(|_| out_of).map(|found| found.what);
        let metric = after.or_else(|| metric_before(tokens, at)).or(money.then_some("revenue")).or_else(only);
        let Some(metric) = metric else { continue };
        used.extend(at..next);
        // "dropped by more than 20%" is about the change and does not limit the metric itself.
        let percent = tokens[end..next].iter().any(|t| t.is_punct('%') || t.is("percent"));
        let by = at.checked_sub(1).is_some_and(|i| tokens[i].is("by"));
        if percent && by && !RATES.contains(&metric) {
            continue;
        }
        let op = if out_of { opposite(op) } else { op }.to_owned();
        match out.iter_mut().find(|(m, _)| *m == metric) {
            Some((_, map)) => {
                map.insert(op, n * factor);
            }
            None => out.push((metric, BTreeMap::from([(op, n * factor)]))),
        }
    }
    (out, used)
}
