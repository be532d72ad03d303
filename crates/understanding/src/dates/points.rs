//! Reads single days, months and years as people write them.

use jiff::civil::{Date, Weekday};

use super::calendar::{self, Span, plus};
use crate::text::{Kind, Token};

/// Returns the number of a month, by its English name or a short form of it.
pub fn month_of(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" | "january's" => 1,
        "february" | "feb" | "febr" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sep" | "sept" => 9,
        "october" | "oct" | "octo" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

pub(super) fn weekday_of(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" | "mondays" => Weekday::Monday,
        "tuesday" | "tue" | "tues" | "tuesdays" => Weekday::Tuesday,
        "wednesday" | "wed" | "weds" | "wednesdays" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" | "thursdays" => Weekday::Thursday,
        "friday" | "fri" | "fridays" => Weekday::Friday,
        "saturday" | "sat" | "saturdays" => Weekday::Saturday,
        "sunday" | "sun" | "sundays" => Weekday::Sunday,
        _ => return None,
    })
}

/// Reads `9th`, `1st` or `22nd` as a day of the month.
pub(super) fn ordinal(token: &Token) -> Option<i8> {
    let word = token.norm.as_str();
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|s| word.strip_suffix(s))?;
    digits.parse::<i8>().ok().filter(|d| (1..=31).contains(d))
}

pub(super) fn day_number(token: &Token) -> Option<i8> {
    ordinal(token).or_else(|| match token.kind {
        Kind::Number(n) if n.fract() == 0.0 && (1.0..=31.0).contains(&n) && token.norm.len() <= 2 => {
            token.norm.parse().ok()
        }
        _ => None,
    })
}

pub(super) fn year_number(token: &Token) -> Option<i16> {
    if !matches!(token.kind, Kind::Number(_)) || token.norm.len() != 4 {
        return None;
    }
    token.norm.parse::<i16>().ok().filter(|y| (2015..=2035).contains(y))
}

/// A point in time, with what we know of it so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Point {
    pub year: Option<i16>,
    pub month: Option<i8>,
    pub day: Option<i8>,
    pub fixed: Option<Date>,
}

impl Point {
    fn fixed(date: Date) -> Self {
        Self { year: Some(date.year()), month: Some(date.month()), day: Some(date.day()), fixed: Some(date) }
    }

    /// Returns the days of this point. If the year or the month is missing, the latest one counts in which the days are not in the future.
    pub fn span(self, today: Date) -> Option<Span> {
        if let Some(date) = self.fixed {
            return Some(Span::day(date));
        }
        match (self.year, self.month, self.day) {
            (Some(y), Some(m), Some(d)) => Date::new(y, m, d).ok().map(Span::day),
            (None, Some(m), Some(d)) => calendar::latest_day(d, m, today).map(Span::day),
            (Some(y), Some(m), None) => Date::new(y, m, 1).ok().map(calendar::month_of),
            (None, Some(m), None) => calendar::latest_month(m, today).map(calendar::month_of),
            (None, None, Some(d)) => calendar::latest_day_of_month(d, today).map(Span::day),
            _ => None,
        }
    }
}

fn digits(raw: &str) -> Option<Point> {
    let parts: Vec<i16> = raw.split(['-', '/', '.']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let small = |n: i16| i8::try_from(n).ok();
    match parts[..] {
        [y, m, d] if y > 31 => Some(Point { year: Some(y), month: small(m), day: small(d), fixed: None }),
        [first, second, year] => {
            let year = if year < 100 { 2000 + year } else { year };
            let day_first = raw.contains('.') || first > 12;
            let (day, month) = if day_first { (first, second) } else { (second, first) };
            Some(Point { year: Some(year), month: small(month), day: small(day), fixed: None })
        }
        [y, m] if y > 31 => Some(Point { year: Some(y), month: small(m), day: None, fixed: None }),
        [a, b] => {
            let (m, d) = if a > 12 { (b, a) } else { (a, b) };
            Some(Point { year: None, month: small(m), day: small(d), fixed: None })
        }
        _ => None,
    }
}

fn black_friday(year: i16) -> Option<Date> {
    let first = Date::new(year, 11, 1).ok()?;
    let to_thursday = (3 - i32::from(first.weekday().to_monday_zero_offset())).rem_euclid(7);
    Some(plus(first, to_thursday + 22))
}

fn holiday(tokens: &[Token], at: usize, today: Date) -> Option<(Point, usize)> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    let (month, day, mut len) = match (word(0), word(1), word(2)) {
        ("christmas" | "xmas", "eve", _) => (12, 24, 2),
        ("christmas" | "xmas", "day", _) => (12, 25, 2),
        ("christmas" | "xmas", _, _) => (12, 25, 1),
        ("new", "year" | "years", "eve") => (12, 31, 3),
        ("new", "year" | "years", "day") => (1, 1, 3),
        ("new", "year" | "years", _) => (1, 1, 2),
        ("halloween", _, _) => (10, 31, 1),
        ("black", "friday", _) => (0, 0, 2),
        ("cyber", "monday", _) => (0, 3, 2),
        _ => return None,
    };
    let mut year = None;
    if let Some(y) = tokens.get(at + len).and_then(year_number) {
        year = Some(y);
        len += 1;
    } else if word(len) == "last" && word(len + 1) == "year" {
        year = Some(today.year() - 1);
        len += 2;
    }
    if month == 0 {
        let of = |y: i16| black_friday(y).map(|d| plus(d, i32::from(day)));
        let date = match year {
            Some(y) => of(y)?,
            None => of(today.year()).filter(|d| *d <= today).or_else(|| of(today.year() - 1))?,
        };
        return Some((Point::fixed(date), len));
    }
    Some((Point { year, month: Some(month), day: Some(day), fixed: None }, len))
}

/// Checks whether the ordinal at `at` ranks things: "3rd best", "5th biggest", "2nd app by revenue".
pub(super) fn ranks(tokens: &[Token], at: usize) -> bool {
    const SIZES: [&str; 20] = [
        "best",
        "biggest",
        "highest",
        "largest",
        "top",
        "worst",
        "lowest",
        "smallest",
        "strongest",
        "weakest",
        "greatest",
        "poorest",
        "most",
        "least",
        "leading",
        "bottom",
        "richest",
        "earning",
        "performing",
        "ranked",
    ];
    const THINGS: [&str; 12] =
        ["week", "month", "year", "app", "game", "country", "unit", "ad", "source", "network", "format", "group"];
    tokens.get(at + 1).is_some_and(|t| {
        t.any(&SIZES) || t.any(&THINGS) || t.is_punct('-') && tokens.get(at + 2).is_some_and(|t| t.any(&SIZES))
    })
}

/// Reads the point that starts at `at`, and returns how many tokens it takes. If `loose`, plain day numbers count too.
pub(super) fn point_at(tokens: &[Token], at: usize, today: Date, loose: bool) -> Option<(Point, usize)> {
    let token = tokens.get(at)?;
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    if token.kind == Kind::Date {
        return digits(&token.norm).filter(|p| p.span(today).is_some()).map(|p| (p, 1));
    }
    if token.is("the") || token.is("on") {
        return point_at(tokens, at + 1, today, loose || tokens.get(at + 1).and_then(ordinal).is_some())
            .map(|(p, n)| (p, n + 1));
    }
    if let Some(found) = holiday(tokens, at, today) {
        return Some(found);
    }
    match (word(0), word(1), word(2)) {
        ("now", _, _) if !loose => {}
        ("today" | "now" | "tonight", _, _) => return Some((Point::fixed(today), 1)),
        ("day", "before", "yesterday") => return Some((Point::fixed(plus(today, -2)), 3)),
        ("yesterday" | "yday" | "ystd" | "ytd1" | "yest" | "yesterdays" | "ystday" | "yesteday", _, _) => {
            return Some((Point::fixed(plus(today, -1)), 1));
        }
        ("begin" | "beginning" | "start" | "1st" | "first", _, _) => {
            if let Some(found) = beginning(tokens, at, today) {
                return Some(found);
            }
        }
        _ => {}
    }
    // "last November", said in November, is the one of last year.
    if word(0) == "last" && crate::dates::month_of(word(1)).is_some_and(|m| m == today.month()) {
        let (year, month) = (Some(today.year() - 1), Some(today.month()));
        return Some((Point { year, month, day: None, fixed: None }, 2));
    }
    // "last Monday", "on Thursday".
    let (skip, day) = match weekday_of(word(0)) {
        Some(d) if token.kind == Kind::Word => (1, Some(d)),
        _ if matches!(word(0), "last" | "this" | "past") => (2, weekday_of(word(1))),
        _ => (0, None),
    };
    if let Some(day) = day {
        // "Friday last week"
        let week = tokens.get(at + skip).is_some_and(|t| t.any(&["last", "previous"]))
            && tokens.get(at + skip + 1).is_some_and(|t| t.norm == "week");
        if week && skip == 1 {
            let monday = plus(calendar::week_of(today).from, -7);
            return Some((Point::fixed(plus(monday, i32::from(day.to_monday_zero_offset()))), skip + 2));
        }
        // "Monday the 9th" and "Mon, 9 Nov" name the date themselves.
        let mut next = at + skip;
        while tokens.get(next).is_some_and(|t| t.is_punct(',') || t.is_punct('(') || year_number(t).is_some()) {
            next += 1;
        }
        if let Some((p, n)) = dated(tokens, next, today) {
            return Some((p, next - at + n));
        }
        // "Friday the 13th" is the latest past day that is both.
        let number = next + usize::from(tokens.get(next).is_some_and(|t| t.is("the")));
        if let Some((p, n)) = dated(tokens, number, today) {
            return Some((p, number - at + n));
        }
        if let Some(d) = tokens.get(number).filter(|_| !ranks(tokens, number)).and_then(ordinal) {
            let both = (0..60).find_map(|back| {
                let month = calendar::plus_months(today.first_of_month(), -back);
                Date::new(month.year(), month.month(), d).ok().filter(|date| *date < today && date.weekday() == day)
            });
            if let Some(date) = both {
                return Some((Point::fixed(date), number + 1 - at));
            }
        }
        let back = (i32::from(today.weekday().to_monday_zero_offset()) - i32::from(day.to_monday_zero_offset()) + 6)
            .rem_euclid(7)
            + 1;
        return Some((Point::fixed(plus(today, -back)), skip));
    }
    if let Some(found) = dated(tokens, at, today) {
        return Some(found);
    }
    if let Some(d) = ordinal(token).filter(|_| !ranks(tokens, at)) {
        // "9th of this month", "9th of last month".
        if word(1) == "of" {
            let skip = usize::from(word(2) == "the");
            let base = match (word(2 + skip), word(3 + skip)) {
                ("this" | "current", "month") | ("month", _) => Some(today),
                ("last" | "previous", "month") => Some(calendar::plus_months(today.first_of_month(), -1)),
                _ => None,
            };
            if let Some(base) = base {
                let len = if word(2 + skip) == "month" { 3 + skip } else { 4 + skip };
                return Some((
                    Point { year: Some(base.year()), month: Some(base.month()), day: Some(d), fixed: None },
                    len,
                ));
            }
        }
        return Some((Point { day: Some(d), ..Point::default() }, 1));
    }
    if loose {
        return day_number(token).map(|d| (Point { day: Some(d), ..Point::default() }, 1));
    }
    None
}

/// Reads the first day of a unit: "beginning of (this|the) month", "start of the year", "first of October".
fn beginning(tokens: &[Token], at: usize, today: Date) -> Option<(Point, usize)> {
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|t| t.any(&["of", "the", "this", "current", "day", "in"])) {
        next += 1;
    }
    let unit = tokens.get(next)?;
    let date = match unit.stem.as_str() {
        "week" => calendar::week_of(today).from,
        "month" => today.first_of_month(),
        "quarter" => calendar::quarter_of(today).from,
        "year" => today.first_of_year(),
        other => calendar::latest_month(month_of(other)?, today)?,
    };
    (next > at + 1).then_some((Point::fixed(date), next - at + 1))
}

/// Reads a day and a month in either order, or a month with or without its year.
fn dated(tokens: &[Token], at: usize, today: Date) -> Option<(Point, usize)> {
    let token = tokens.get(at)?;
    let month_at = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word).and_then(|t| month_of(&t.norm));
    let year_at = |mut i: usize| {
        let from = i;
        if tokens.get(i).is_some_and(|t| t.is_punct(',') || t.is("of") || t.is("in")) {
            i += 1;
        }
        if let Some(y) = tokens.get(i).and_then(year_number) {
            return (Some(y), i + 1 - from);
        }
        if tokens.get(from).is_some_and(|t| t.is("last")) && tokens.get(from + 1).is_some_and(|t| t.is("year")) {
            return (Some(today.year() - 1), 2);
        }
        if tokens.get(from).is_some_and(|t| t.is("this")) && tokens.get(from + 1).is_some_and(|t| t.is("year")) {
            return (Some(today.year()), 2);
        }
        (None, 0)
    };
    let written = super::place_number(&token.norm).filter(|_| tokens.get(at + 1).is_some_and(|t| t.is("of")));
    if let Some(day) = day_number(token).or(written) {
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|t| t.is("of") || t.is_punct('-') || t.is("de") || t.is_punct('.')) {
            next += 1;
        }
        if let Some(month) = month_at(next) {
            let (year, more) = year_at(next + 1);
            return Some((Point { year, month: Some(month), day: Some(day), fixed: None }, next + 1 + more - at));
        }
        return None;
    }
    let month = month_at(at)?;
    // "may" and "mar" can be other words, so they need a day, a year or a preposition.
    let ambiguous = matches!(token.norm.as_str(), "may" | "mar" | "sun" | "dec") && !token.capital;
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|t| t.is("the") || t.is_punct('-') || t.is_punct('.')) {
        next += 1;
    }
    let place = |i: usize| {
        let n = super::place_number(&tokens.get(i)?.norm)?;
        let unit = tokens.get(i + 1).is_some_and(|t| t.any(&["day", "week", "half", "weekend", "part"]));
        (!unit && !ranks(tokens, i)).then_some(n)
    };
    if let Some(day) = tokens.get(next).and_then(day_number).or_else(|| place(next)) {
        let (year, more) = year_at(next + 1);
        return Some((Point { year, month: Some(month), day: Some(day), fixed: None }, next + 1 + more - at));
    }
    let (year, more) = year_at(at + 1);
    let led = at > 0
        && tokens[at - 1].any(&[
            "in", "of", "for", "during", "since", "from", "to", "until", "till", "last", "vs", "versus", "and",
            "through",
        ]);
    if token.norm == "may" && year.is_none() && !led {
        return None;
    }
    if ambiguous && year.is_none() && !led {
        return None;
    }
    Some((Point { year, month: Some(month), day: None, fixed: None }, 1 + more))
}
