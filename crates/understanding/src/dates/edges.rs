//! Reads periods that a text names by one end, by their place in a longer one, or by what they leave out: "until 10 November", "the last
//! day of October", "the week before 5 November", "the same day last year". This module must never return the day that only marks an end.

use jiff::civil::{Date, Weekday};

use super::calendar::{self, Span, plus, plus_months};
use super::periods::{Edge, Period, Unit, found, period_at, relative, unit_of, unit_span};
use super::points::{month_of, ordinal, point_at, weekday_of, year_number};
use crate::text::{Kind, Token};

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|t| t.kind != Kind::Literal).map_or("", |t| t.norm.as_str())
}

/// Returns the number of an ordinal: "first", "2nd". For "last" it is 0.
fn nth(tokens: &[Token], at: usize) -> Option<i32> {
    Some(match word(tokens, at) {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "last" | "final" => 0,
        _ => return tokens.get(at).and_then(ordinal).map(i32::from),
    })
}

/// Reads a week, month, quarter or year that contains something: "October 2025", "last month", "the year". Also returns how many tokens
/// name it.
pub(super) fn container(tokens: &[Token], at: usize, today: Date) -> Option<(Span, Unit, usize)> {
    let skip = usize::from(word(tokens, at) == "the");
    let start = at + skip;
    if let Some(month) = tokens.get(start).filter(|t| t.kind == Kind::Word).and_then(|t| month_of(&t.norm)) {
        let comma = usize::from(tokens.get(start + 1).is_some_and(|t| t.is_punct(',') || t.any(&["of", "in"])));
        if let Some(year) = tokens.get(start + 1 + comma).and_then(year_number) {
            let first = Date::new(year, month, 1).ok()?;
            return Some((calendar::month_of(first), Unit::Month, skip + 2 + comma));
        }
        if word(tokens, start + 1) == "last" && word(tokens, start + 2) == "year" {
            let first = Date::new(today.year() - 1, month, 1).ok()?;
            return Some((calendar::month_of(first), Unit::Month, skip + 3));
        }
        let first = calendar::latest_month(month, today)?;
        return Some((calendar::month_of(first), Unit::Month, skip + 1));
    }
    let (back, unit_at) = match word(tokens, start) {
        "this" | "current" => (0, start + 1),
        "last" | "previous" | "past" | "prior" => (1, start + 1),
        _ => (0, start),
    };
    let unit = unit_of(tokens.get(unit_at)?).filter(|u| !matches!(u, Unit::Day | Unit::Weekend))?;
    if tokens.get(unit_at).is_some_and(|t| t.norm != t.stem) {
        return None;
    }
    let this = unit_span(unit, today);
    let span = if back == 0 { this } else { unit_span(unit, plus(this.from, -1)) };
    Some((span, unit, unit_at + 1 - at))
}

/// Reads a period by its place in a longer one: "last day of October", "1st week of November", "second Monday of last month".
pub(super) fn inside(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let n = nth(tokens, at)?;
    let what = tokens.get(at + 1)?;
    if !matches!(word(tokens, at + 2), "of" | "in") {
        return None;
    }
    let day = weekday_of(&what.norm).filter(|_| what.norm == what.stem);
    let (whole, held, len) = container(tokens, at + 3, today)?;
    let end = at + 3 + len;
    if let Some(day) = day {
        let date = nth_weekday(whole, day, n)?;
        return found(Span::day(date), Unit::Day, at, end);
    }
    match unit_of(what).filter(|_| what.norm == what.stem)? {
        Unit::Day => {
            let date = if n == 0 { whole.to } else { plus(whole.from, n - 1) };
            (date <= whole.to).then(|| found(Span::day(date), Unit::Day, at, end)).flatten()
        }
        // The first week of a month is its first seven days, the second week the next seven, and so on.
        Unit::Week if held == Unit::Month && n <= 4 => {
            let span = if n == 0 {
                Span::new(plus(whole.to, -6), whole.to)
            } else {
                Span::new(plus(whole.from, 7 * (n - 1)), plus(whole.from, 7 * n - 1))
            };
            found(started(span, today), Unit::Week, at, end)
        }
        Unit::Weekend if held != Unit::Week => {
            let saturday = nth_weekday(whole, Weekday::Saturday, n)?;
            found(Span::new(saturday, plus(saturday, 1)), Unit::Weekend, at, end)
        }
        Unit::Month if matches!(held, Unit::Quarter | Unit::Year) => {
            let first = if n == 0 { whole.to.first_of_month() } else { plus_months(whole.from, n - 1) };
            let month = calendar::month_of(first);
            (month.to <= whole.to).then(|| found(started(month, today), Unit::Month, at, end)).flatten()
        }
        _ => None,
    }
}

/// Cuts a period that is still in progress, so that it ends today.
fn started(span: Span, today: Date) -> Span {
    if span.from <= today && span.to > today { Span::new(span.from, today) } else { span }
}

fn nth_weekday(whole: Span, day: Weekday, n: i32) -> Option<Date> {
    let target = i32::from(day.to_monday_zero_offset());
    let date = if n == 0 {
        let back = (i32::from(whole.to.weekday().to_monday_zero_offset()) - target).rem_euclid(7);
        plus(whole.to, -back)
    } else {
        let ahead = (target - i32::from(whole.from.weekday().to_monday_zero_offset())).rem_euclid(7);
        plus(whole.from, ahead + 7 * (n - 1))
    };
    (whole.from <= date && date <= whole.to).then_some(date)
}

/// Reads "end of October" or "the end of last month" as the last day of that period. `None` if no period follows "end".
pub(super) fn end_of(tokens: &[Token], at: usize, today: Date) -> Option<(Date, usize)> {
    let start = at + usize::from(word(tokens, at) == "the");
    if !matches!(word(tokens, start), "end" | "ends" | "close") {
        return None;
    }
    let of = start + 1 + usize::from(word(tokens, start + 1) == "of");
    let (span, _, len) = container(tokens, of, today)?;
    Some((span.to, of + len - at))
}

/// Reads the days at `at` that mark one end of a period, and returns how many tokens name them. If `loosely`, "last week" and the like
/// count too.
fn mark(tokens: &[Token], at: usize, today: Date, loosely: bool) -> Option<(Span, Unit, usize)> {
    if let Some((date, len)) = end_of(tokens, at, today) {
        return Some((Span::day(date), Unit::Day, len));
    }
    if matches!(word(tokens, at), "now" | "today") {
        return Some((Span::day(today), Unit::Day, 1));
    }
    if let Some(p) = inside(tokens, at + usize::from(word(tokens, at) == "the"), today) {
        return Some((p.span, p.unit, p.end() - at));
    }
    if let Some((point, len)) = point_at(tokens, at, today, false)
        && let Some(span) = point.span(today)
    {
        return Some((span, if point.day.is_some() { Unit::Day } else { Unit::Month }, len));
    }
    let led = word(tokens, at + usize::from(word(tokens, at) == "the"));
    if !(loosely && matches!(led, "last" | "past" | "previous")) {
        return None;
    }
    relative(tokens, at, today).map(|p| (p.span, p.unit, p.len))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Up to this day, and including it.
    Until,
    Before,
    After,
}

fn side(tokens: &[Token], at: usize) -> Option<(Side, usize)> {
    Some(match (word(tokens, at), word(tokens, at + 1)) {
        ("up", "to" | "until" | "till" | "til") => (Side::Until, 2),
        ("until" | "till" | "til" | "through" | "thru", _) => (Side::Until, 1),
        ("prior", "to") => (Side::Before, 2),
        ("before", _) => (Side::Before, 1),
        ("after", _) => (Side::After, 1),
        _ => return None,
    })
}

/// Reads a period of which the text names one end: "until 10 November", "before yesterday", "after the 5th". We choose the other end, so
/// the answer must say it.
pub(super) fn half_open(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let (side, lead) = side(tokens, at)?;
    let through = matches!(word(tokens, at), "through" | "thru");
    let included = (at + lead..tokens.len()).take_while(|i| matches!(word(tokens, *i), "and" | "including")).count();
    let from = at + lead + if side == Side::Until { included } else { 0 };
    // "after the update on 14 November"
    let from = match mark(tokens, from, today, !through) {
        None if side != Side::Until => {
            let on = (from..tokens.len().min(from + 5))
                .take_while(|i| !tokens[*i].is_stop())
                .find(|i| word(tokens, *i) == "on")?;
            on + 1
        }
        _ => from,
    };
    let (span, unit, len) = mark(tokens, from, today, !through)?;
    if through && unit != Unit::Day {
        return None;
    }
    let end = from + len;
    if side == Side::After {
        let first = plus(span.to, 1);
        let span = if first <= today { Span::new(first, today) } else { Span::day(first) };
        return found(span, Unit::Range, at, end).map(|p| Period { edge: Edge::After, ..p });
    }
    let last = if side == Side::Until { span.to } else { plus(span.from, -1) };
    let last = if last > today && span.from <= today && unit != Unit::Day { today } else { last };
    // If the end is a day, a week or a weekend, the period begins with the month; otherwise it begins with the year.
    let first = if unit == Unit::Day || unit == Unit::Week || unit == Unit::Weekend {
        last.first_of_month()
    } else {
        last.first_of_year()
    };
    found(Span::new(first, last), Unit::Range, at, end).map(|p| Period { edge: Edge::Until, ..p })
}

/// Reads a period next to a day: "the week before 5 November", "the 3 days after Christmas", "last 10 days until 5 November".
pub(super) fn beside(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let mut i = at + usize::from(matches!(word(tokens, at), "last" | "past" | "first"));
    // "by day before 5 November" names a split.
    if at.checked_sub(1).is_some_and(|i| matches!(word(tokens, i), "by" | "per" | "each" | "every")) {
        return None;
    }
    let counted = tokens.get(i).and_then(Token::number);
    let n = match counted {
        Some(n) if n.fract() == 0.0 && (1.0..=366.0).contains(&n) => n,
        Some(_) => return None,
        None => 1.0,
    };
    #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
    let n = n as i32;
    if counted.is_some() {
        i += 1;
    } else if i > at {
        return None;
    }
    if let Some(day) = weekday_of(word(tokens, i)).filter(|_| i == at) {
        let (side, lead) = side(tokens, i + 1).filter(|(side, _)| *side != Side::Until)?;
        let (mark, _, len) = mark(tokens, i + 1 + lead, today, true)?;
        let date = if side == Side::Before {
            nth_weekday(Span::new(plus(mark.from, -7), plus(mark.from, -1)), day, 0)?
        } else {
            nth_weekday(Span::new(plus(mark.to, 1), plus(mark.to, 7)), day, 1)?
        };
        return found(Span::day(date), Unit::Day, at, i + 1 + lead + len);
    }
    let unit = unit_of(tokens.get(i)?)?;
    if word(tokens, i + 1) == "before" && word(tokens, i + 2) == "last" && counted.is_none() {
        // "the week before last", "the week before last week"
        let again = usize::from(tokens.get(i + 3).and_then(unit_of) == Some(unit));
        if again == 0 && unit == Unit::Day {
            return None;
        }
        let span = match unit {
            Unit::Weekend => {
                let monday = calendar::week_of(today).from;
                Span::new(plus(monday, -9), plus(monday, -8))
            }
            unit => unit_span(unit, plus(unit_span(unit, plus(unit_span(unit, today).from, -1)).from, -1)),
        };
        return found(span, unit, at, i + 3 + again);
    }
    // "the week of 9 November", "the week starting 9 November"
    let (of, on) = (word(tokens, i + 1), usize::from(word(tokens, i + 2) == "on"));
    let starts = matches!(of, "starting" | "beginning" | "commencing" | "from");
    if counted.is_none()
        && (of == "of" && matches!(unit, Unit::Week | Unit::Weekend) || starts && unit == Unit::Week)
        && let Some((point, len)) = point_at(tokens, i + 2 + on, today, false)
        && let Some(span) = point.span(today).filter(|_| point.day.is_some())
    {
        let monday = calendar::week_of(span.from).from;
        let span = match unit {
            Unit::Weekend => Span::new(plus(monday, 5), plus(monday, 6)),
            _ if starts => Span::new(span.from, plus(span.from, 6)),
            _ => Span::new(monday, plus(monday, 6)),
        };
        return found(started(span, today), unit, at, i + 2 + on + len);
    }
    let (side, lead) = match word(tokens, i + 1) {
        "to" if counted.is_some() || unit == Unit::Week => (Side::Until, 1),
        "ending" | "that" if matches!(word(tokens, i + 2), "on" | "ends" | "ended") => (Side::Until, 2),
        "ending" => (Side::Until, 1),
        _ => side(tokens, i + 1).filter(|(side, _)| counted.is_some() || *side != Side::Until)?,
    };
    let (mark, _, len) = mark(tokens, i + 1 + lead, today, true)?;
    let days = match unit {
        Unit::Day => n,
        Unit::Week => 7 * n,
        // Months and longer units next to a day have no fixed length.
        _ => return None,
    };
    let span = match side {
        Side::Until => Span::new(plus(mark.to, 1 - days), mark.to),
        Side::Before => Span::new(plus(mark.from, -days), plus(mark.from, -1)),
        Side::After => started(Span::new(plus(mark.to, 1), plus(mark.to, days)), today),
    };
    found(span, if days == 1 { Unit::Day } else { Unit::Range }, at, i + 1 + lead + len)
}

/// Reads a unit that is moved back in time: "same day last year", "same week last month", "one year ago today".
pub(super) fn same(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let (unit, next) = match word(tokens, at) {
        "same" | "equivalent" | "corresponding" | "this" => {
            let token = tokens.get(at + 1).filter(|t| t.norm == t.stem)?;
            let unit = if token.any(&["date", "weekday"]) { Unit::Day } else { unit_of(token)? };
            (unit, at + 2)
        }
        "today" => (Unit::Day, at + 1),
        _ => (Unit::Day, at),
    };
    let plain = next == at;
    let mut i = next;
    while !plain && tokens.get(i).is_some_and(|t| t.any(&["of", "in", "from", "the"])) {
        i += 1;
    }
    let last = matches!(word(tokens, i), "last" | "previous" | "prior" | "past");
    let counted = matches!(word(tokens, i), "one" | "a" | "1");
    if !(last || counted) || plain && last || word(tokens, at) == "this" && i > next {
        return None;
    }
    let by = unit_of(tokens.get(i + 1).filter(|t| t.norm == t.stem)?)?;
    let mut end = i + 2;
    if counted {
        if !matches!(word(tokens, end), "ago" | "earlier" | "back") {
            return None;
        }
        end += 1;
        if plain {
            if word(tokens, end) != "today" {
                return None;
            }
            end += 1;
        }
    }
    let date = match (unit, by) {
        // The same week of last year is the one 52 weeks ago, because months and years do not hold whole weeks.
        (Unit::Week, Unit::Year) => plus(today, -364),
        (Unit::Day, Unit::Week) => plus(today, -7),
        (Unit::Day | Unit::Week, Unit::Month) => plus_months(today, -1),
        (Unit::Day | Unit::Week | Unit::Month, Unit::Quarter) => plus_months(today, -3),
        (Unit::Day | Unit::Month | Unit::Quarter, Unit::Year) => plus_months(today, -12),
        (Unit::Day, Unit::Day) => plus(today, -1),
        _ => return None,
    };
    found(unit_span(unit, date), unit, at, end)
}

/// Reads the days that a period leaves out: "excluding yesterday", "without 5 November", "except today".
pub(super) fn left_out(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let lead = match (word(tokens, at), word(tokens, at + 1)) {
        ("not", "including" | "counting") | ("leaving", "out") | ("apart", "from") => 2,
        ("excluding" | "except" | "without" | "excl" | "omitting" | "exclude" | "ignoring", _) => 1,
        _ => return None,
    };
    let lead = lead + usize::from(word(tokens, at + lead) == "for");
    let inner = period_at(tokens, at + lead, today)?;
    Some(Period { at, len: inner.end() - at, edge: Edge::Without, ..inner })
}

/// Combines each half-open period or exclusion with the nearest whole period.
pub(super) fn join(tokens: &[Token], found: &mut [Period]) {
    let apart = |a: &Period, b: &Period| {
        let (from, to) = if a.at < b.at { (a.end(), b.at) } else { (b.end(), a.at) };
        tokens.get(from..to).is_some_and(|between| {
            between.iter().any(|t| t.any(&["vs", "versus", "compared", "against", "than", "with", "and", "to"]))
        })
    };
    for at in 0..found.len() {
        let edge = found[at];
        if edge.edge == Edge::Whole {
            continue;
        }
        let other = (0..found.len())
            .filter(|i| *i != at && found[*i].edge == Edge::Whole && !apart(&edge, &found[*i]))
            .min_by_key(|i| found[*i].at.abs_diff(edge.at));
        let Some(other) = other else { continue };
        let whole = found[other].span;
        let Some(rest) = rest(whole, edge) else {
            found[at].edge = Edge::Apart;
            continue;
        };
        found[other].span = rest;
        found[other].unit = Unit::Range;
        found[at] = Period { span: rest, unit: Unit::Range, edge: Edge::Whole, ..edge };
    }
}

/// Joins adjacent periods that the text names one by one into one range: "Monday and Tuesday", "September, October and November".
pub(super) fn list(tokens: &[Token], found: &mut Vec<Period>) {
    let mut at = 1;
    while at < found.len() {
        let (a, b) = (found[at - 1], found[at]);
        let between = tokens.get(a.end()..b.at).unwrap_or_default();
        let joined = !between.is_empty()
            && between
                .iter()
                .all(|t| t.is_punct(',') || t.is_punct('&') || t.is_punct('+') || t.any(&["and", "plus", "on", "in"]))
            && !tokens
                .iter()
                .any(|t| t.any(&["compare", "comparing", "comparison", "compared", "vs", "versus", "between"]));
        let whole = a.edge == Edge::Whole && b.edge == Edge::Whole;
        let beside = plus(a.span.to, 1) == b.span.from || plus(b.span.to, 1) == a.span.from;
        if joined && whole && beside {
            let span = Span::new(a.span.from.min(b.span.from), a.span.to.max(b.span.to));
            found[at - 1] = Period { span, unit: Unit::Range, edge: Edge::Whole, at: a.at, len: b.end() - a.at };
            found.remove(at);
        } else {
            at += 1;
        }
    }
}

fn rest(whole: Span, edge: Period) -> Option<Span> {
    let (from, to) = (whole.from, whole.to);
    let (from, to) = match edge.edge {
        Edge::Until => (from, to.min(edge.span.to)),
        Edge::After => (from.max(edge.span.from), to),
        _ if edge.span.from <= from && edge.span.to >= from => (plus(edge.span.to, 1), to),
        _ if edge.span.to >= to && edge.span.from <= to => (from, plus(edge.span.from, -1)),
        _ => return None,
    };
    (from <= to).then(|| Span::new(from, to))
}

#[cfg(test)]
mod tests {
    use super::super::{comparison, periods};
    use jiff::civil::date;

    fn read(text: &str) -> String {
        let today = date(2026, 11, 21);
        let tokens = crate::text::tokens(text);
        let found = periods(&tokens, today);
        let (main, compare) = comparison(&tokens, &found, today);
        let Some(main) = main else { return "nothing".to_owned() };
        let other = compare.map(|c| c.resolve(main.span));
        let days = |s: super::Span| if s.from == s.to { s.from.to_string() } else { format!("{}…{}", s.from, s.to) };
        other.map_or_else(|| days(main.span), |other| format!("{} vs {}", days(main.span), days(other)))
    }

    #[test]
    fn an_end_a_place_or_a_shift_stands_for_the_days_it_names() {
        let mut wrong = Vec::new();
        for (text, days) in [
            ("revenue on the last day of October", "2026-10-31"),
            ("revenue on the last day of February", "2026-02-28"),
            ("revenue on the first day of last month", "2026-10-01"),
            ("revenue on the last day of last year", "2025-12-31"),
            ("revenue on the second Monday of October", "2026-10-12"),
            ("revenue on the last Friday of October 2025", "2025-10-31"),
            ("revenue in the 1st week of november", "2026-11-01…2026-11-07"),
            ("revenue in the last week of october", "2026-10-25…2026-10-31"),
            ("revenue in the first month of this year", "2026-01-01…2026-01-31"),
            ("revenue until 10 November", "2026-11-01…2026-11-10"),
            ("revenue through 10 November", "2026-11-01…2026-11-10"),
            ("revenue up to 10 November", "2026-11-01…2026-11-10"),
            ("revenue up to and including 10 November", "2026-11-01…2026-11-10"),
            ("revenue before 5 November", "2026-11-01…2026-11-04"),
            ("revenue before 1 November", "2026-10-01…2026-10-31"),
            ("revenue after 5 November", "2026-11-06…2026-11-21"),
            ("revenue since 5 November", "2026-11-05…2026-11-21"),
            ("revenue since 5 November until yesterday", "2026-11-05…2026-11-20"),
            ("revenue until the end of October", "2026-10-01…2026-10-31"),
            ("revenue until October", "2026-01-01…2026-10-31"),
            ("revenue until yesterday this month", "2026-11-01…2026-11-20"),
            ("revenue this month until yesterday", "2026-11-01…2026-11-20"),
            ("revenue this year until the end of June", "2026-01-01…2026-06-30"),
            ("revenue last month after the 20th of October", "2026-10-21…2026-10-31"),
            ("revenue excluding yesterday last 7 days", "2026-11-14…2026-11-19"),
            ("revenue last 7 days without yesterday", "2026-11-14…2026-11-19"),
            ("revenue this month except today", "2026-11-01…2026-11-20"),
            ("revenue the week before 5 November", "2026-10-29…2026-11-04"),
            ("revenue in the 3 days after 5 November", "2026-11-06…2026-11-08"),
            ("revenue last 10 days before 5 November", "2026-10-26…2026-11-04"),
            ("revenue the 7 days ending yesterday", "2026-11-14…2026-11-20"),
            ("revenue the week before last", "2026-11-02…2026-11-08"),
            ("revenue the weekend before last", "2026-11-07…2026-11-08"),
            ("revenue same day last year", "2025-11-21"),
            ("revenue same week last year", "2025-11-17…2025-11-23"),
            ("revenue same month last year", "2025-11-01…2025-11-30"),
            ("revenue one year ago today", "2025-11-21"),
            ("revenue same day last week", "2026-11-14"),
            ("revenue today last year", "2025-11-21"),
            ("revenue since second week of october", "2026-10-08…2026-11-21"),
            ("revenue for second of november", "2026-11-02"),
            ("revenue 1st half 2025", "2025-01-01…2025-06-30"),
            ("revenue after the update on 14 November", "2026-11-15…2026-11-21"),
            ("revenue from Monday until Friday last week", "2026-11-09…2026-11-13"),
            ("revenue on Friday last week", "2026-11-13"),
            ("7 days to 15 november revenue", "2026-11-09…2026-11-15"),
            ("revenue in the week of 4 november", "2026-11-02…2026-11-08"),
            ("revenue weekend of 7 november", "2026-11-07…2026-11-08"),
            ("revenue week starting 9 november", "2026-11-09…2026-11-15"),
            ("revenue in the week to sunday", "2026-11-09…2026-11-15"),
            ("revenue this week vs last week", "2026-11-16…2026-11-21 vs 2026-11-09…2026-11-15"),
            ("revenue on monday and tuesday", "2026-11-16…2026-11-17"),
            ("revenue for today and yesterday", "2026-11-20…2026-11-21"),
            ("revenue in september, october and november", "2026-09-01…2026-11-21"),
            ("compare october and september", "2026-10-01…2026-10-31 vs 2026-09-01…2026-09-30"),
            ("revenue in the last two weeks of october", "2026-10-18…2026-10-31"),
            ("revenue in the first two weeks of october", "2026-10-01…2026-10-14"),
            ("revenue on november first", "2026-11-01"),
            ("revenue last 7 days including today", "2026-11-15…2026-11-21"),
            ("revenue this day last year", "2025-11-21"),
            ("revenue this month last year", "2025-11-01…2025-11-30"),
            ("revenue this month vs last year", "2026-11-01…2026-11-21 vs 2025-01-01…2025-12-31"),
            ("revenue a week ago", "2026-11-09…2026-11-15"),
            ("revenue this month vs a year ago", "2026-11-01…2026-11-21 vs 2025-11-01…2025-11-21"),
            ("revenue by day until 10 Nov", "2026-11-01…2026-11-10"),
            ("revenue first 10 days of last month", "2026-10-01…2026-10-10"),
            ("revenue in the first 5 days this month", "2026-11-01…2026-11-05"),
            ("revenue from friday to monday", "2026-11-13…2026-11-16"),
            ("revenue between Monday and Wednesday", "2026-11-16…2026-11-18"),
            ("revenue yesterday vs the same day last week", "2026-11-20 vs 2026-11-13"),
            ("revenue yesterday vs the week before 5 November", "2026-11-20 vs 2026-10-29…2026-11-04"),
            ("revenue between christmas and new year", "2025-12-25…2026-01-01"),
            ("revenue last Friday 13th", "2026-11-13"),
            ("revenue on Monday the 9th", "2026-11-09"),
            ("revenue on Friday the 13th of March", "2026-03-13"),
            ("revenue of the 3rd best app last week", "2026-11-09…2026-11-15"),
            ("5th biggest app last 30 days", "2026-10-22…2026-11-20"),
            ("revenue since the 3rd", "2026-11-03…2026-11-21"),
            ("revenue on the 3rd", "2026-11-03"),
            ("revenue on the Friday before 5 November", "2026-10-30"),
            ("revenue on the Monday after 5 November", "2026-11-09"),
            ("day before yesterday", "2026-11-19"),
            ("last 7 days vs the 7 days before", "2026-11-14…2026-11-20 vs 2026-11-07…2026-11-13"),
        ] {
            let got = read(text);
            if got != days {
                wrong.push(format!("{text}: {got}, not {days}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
