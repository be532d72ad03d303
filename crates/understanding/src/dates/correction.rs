//! Drops the period that a person takes back: "last week, no wait, the week before", "not last week, the whole of last month".

use jiff::civil::Date;

use super::calendar::Span;
use super::compare::leaning;
use super::periods::{Edge, Period};
use crate::text::Token;

/// Words that take back what was said before them, at the beginning of a clause.
const TAKES_BACK: [&str; 7] = ["sorry", "oops", "rather", "actually", "scratch", "correction", "wait"];
/// Words between such a word and what is meant.
const FILLERS: [&str; 14] =
    ["no", "wait", "i", "mean", "meant", "actually", "sorry", "for", "that", "it", "rather", "make", "scratch", "not"];
/// Words that set two periods against each other, so that both count.
const COMPARES: [&str; 7] = ["vs", "versus", "compared", "against", "than", "with", "v"];

/// Checks whether these tokens, which stand between two periods, take the first one back.
fn takes_back(between: &[Token]) -> bool {
    if between.iter().any(|token| token.any(&COMPARES)) {
        return false;
    }
    between.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1).map(|at| &between[at]);
        let opens = before.is_none_or(|token| token.is_stop() || token.any(&["no", "oh", "or"]));
        let filled = between.get(at + 1).is_none_or(|next| next.is_stop() || next.any(&FILLERS) || next.is("the"));
        let meant = token.any(&["mean", "meant"]) && before.is_some_and(|token| token.is("i"));
        meant || opens && token.any(&TAKES_BACK) || opens && filled && token.any(&["no", "nope", "nah"])
    })
}

/// Checks whether "not" stands before a period: "not last week", "not for last week".
fn is_denied(tokens: &[Token], period: &Period) -> bool {
    (1..=2).any(|back| period.at.checked_sub(back).is_some_and(|at| tokens[at].is("not")))
}

/// Reads "the week before" after a correction, which leans on the period that was taken back.
fn leans(tokens: &[Token], period: &Period, today: Date) -> Option<Period> {
    let end = tokens.len().min(period.end() + 10);
    let cue = (period.end()..end).find(|at| takes_back(tokens.get(period.end()..=*at).unwrap_or_default()))?;
    let at = (cue + 1..end).find(|at| !tokens[*at].any(&FILLERS) && !tokens[*at].is_stop())?;
    let (reference, len) = leaning(tokens, at, today)?;
    Some(Period { span: reference.resolve(period.span), edge: Edge::Whole, at, len, ..*period })
}

/// Drops periods that the text takes back, also where it names them again to say why.
pub(super) fn settle(tokens: &[Token], found: &mut Vec<Period>, today: Date) {
    let leaning = found.iter().find_map(|period| Some((period.span, leans(tokens, period, today)?)));
    if let Some((dropped, meant)) = leaning {
        found.retain(|period| !(meant.at..meant.end()).contains(&period.at));
        drop_span(found, dropped, meant.at);
        found.push(meant);
        found.sort_by_key(|period| period.at);
        return;
    }
    let mut at = 0;
    while at + 1 < found.len() {
        let (first, second) = (found[at], found[at + 1]);
        let between = tokens.get(first.end()..second.at).unwrap_or_default();
        if takes_back(between) || is_denied(tokens, &first) && first.span != second.span {
            drop_span(found, first.span, second.at);
        }
        at += 1;
    }
}

/// Marks every naming of these days as taken back, except the one at `kept`.
fn drop_span(found: &mut [Period], span: Span, kept: usize) {
    for period in found.iter_mut().filter(|period| period.span == span && period.at != kept) {
        period.edge = Edge::TakenBack;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{comparison, periods};

    fn days(text: &str) -> (String, String) {
        let today = "2026-11-21".parse().expect("a day");
        let tokens = crate::text::tokens(text);
        let found = periods(&tokens, today);
        let period = comparison(&tokens, &found, today).0.expect(text);
        (period.span.from.to_string(), period.span.to.to_string())
    }

    #[test]
    fn the_period_after_a_correction_counts() {
        for (text, from, to) in [
            (
                "ecpm for last week, no wait, the week before, because last week had an outage",
                "2026-11-02",
                "2026-11-08",
            ),
            (
                "clicks for tuesday by ad slot, sorry no i mean wednesday, tuesday was a holiday",
                "2026-11-18",
                "2026-11-18",
            ),
            ("for this month, no it's not finished is it, for last month", "2026-10-01", "2026-10-31"),
            ("by game for last week, no scratch that, for the last full month", "2026-10-01", "2026-10-31"),
            ("oh no, not last week, the whole of last month", "2026-10-01", "2026-10-31"),
        ] {
            assert_eq!(days(text), (from.to_owned(), to.to_owned()), "{text}");
        }
    }

    #[test]
    fn two_periods_without_a_correction_stay() {
        for (text, from) in [
            ("no data for yesterday, last week was fine", "2026-11-20"),
            ("mean eCPM yesterday vs mean eCPM last week", "2026-11-20"),
            ("ad units with impressions last week, no impressions yesterday", "2026-11-09"),
            ("yesterday compared with what we actually made last week", "2026-11-20"),
        ] {
            assert_eq!(days(text).0, from, "{text}");
        }
    }

    #[test]
    fn weeks_have_numbers_and_windows_need_no_unit() {
        for (text, from, to) in [
            ("revenue in week 46", "2026-11-09", "2026-11-15"),
            ("ecpm kw46 by format", "2026-11-09", "2026-11-15"),
            ("ecpm week 50", "2025-12-08", "2025-12-14"),
            ("worst 5 countries by fill on MAX last 7, min 10k requests", "2026-11-14", "2026-11-20"),
            ("clicks by campaign, admob, last 30", "2026-10-22", "2026-11-20"),
            ("mintegral impressions 2026-11-10 → 2026-11-12", "2026-11-10", "2026-11-12"),
            ("halloween wk (10/26-11/1) ecpm", "2026-10-26", "2026-11-01"),
            ("revenue by month 2026 so far", "2026-01-01", "2026-11-21"),
            ("money per game, quarter by quarter, 2026", "2026-01-01", "2026-11-21"),
            ("compare october to september", "2026-10-01", "2026-10-31"),
        ] {
            assert_eq!(days(text), (from.to_owned(), to.to_owned()), "{text}");
        }
    }
}
