//! Finds periods in a text that no report can serve: days that do not exist, the future, empty periods, days of one kind. This module only
//! says what it found; it must never put another period in its place.

use adagent_domain::Cut as _;
use jiff::civil::Date;

use super::calendar::Span;
use super::periods::{Edge, Period, unit_word};
use super::points::{day_number, month_of, point_at, year_number};
use crate::text::{Kind, Token};

/// Why we can't serve a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// "31 February", "00/00/0000".
    NoSuchDay,
    /// "2026-11-21T25:61:00Z", "the last 3 hours".
    TimeOfDay,
    Future,
    /// "predict revenue".
    Forecast,
    /// A year before the first one that we read.
    TooEarly,
    /// "last 0 days", "last -5 days".
    NoLength,
    TooLong,
    /// The first day is later than the last one.
    Reversed,
    /// "on weekends", "Mondays".
    DayKind,
    /// "Easter", "the last decade".
    Unknown,
    /// "so far today vs the same time yesterday".
    SameTime,
    /// "the same period last year", if the text names no period that it could be the same as.
    SameAs,
    /// "excluding yesterday", if the text names no period or if the day is in the middle of it.
    LeftOut,
    /// "this month until 5 October": the limit and the period do not overlap.
    NoOverlap,
}

/// The words that we can't serve, as byte offsets in the text, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unserved {
    pub start: usize,
    pub end: usize,
    pub why: Why,
}

const MOST_UNITS: f64 = 3660.0;
const LAST: &[&str] = &["last", "past", "trailing", "previous", "prior", "recent", "latest", "first"];

/// Returns the first period of the text that we can't serve. `found` holds the periods that we could read.
pub fn unserved(text: &str, tokens: &[Token], found: &[Period], today: Date) -> Option<Unserved> {
    if let Some(odd) = found.iter().find(|p| matches!(p.edge, Edge::Without | Edge::Apart)) {
        let words = tokens.get(odd.at)?.start..tokens.get(odd.end() - 1)?.end;
        let out = super::edges::left_out(tokens, odd.at, today).is_some();
        let why = if out { Why::LeftOut } else { Why::NoOverlap };
        return Some(Unserved { start: words.start, end: words.end, why });
    }
    (0..tokens.len()).filter(|at| tokens[*at].kind != Kind::Literal).find_map(|at| {
        let taken = found.iter().any(|p| (p.at..p.end()).contains(&at));
        let (from, len, why) = reversed(tokens, at, today)
            .or_else(|| length(text, tokens, at))
            .or_else(|| no_such_day(tokens, at, taken))
            .or_else(|| same_time(tokens, at, found, today))
            .or_else(|| time_of_day(tokens, at))
            .or_else(|| end_ahead(tokens, at, today))
            .or_else(|| future(tokens, at))
            .or_else(|| day_kind(tokens, at))
            .or_else(|| year(tokens, at, taken, today))
            .or_else(|| unknown(tokens, at, found.is_empty()))
            .or_else(|| place(tokens, at).filter(|_| !taken))
            .or_else(|| part(tokens, at, found, today))?;
        let last = tokens.get(from + len - 1)?;
        Some(Unserved { start: tokens.get(from)?.start, end: last.end, why })
    })
}

type Hit = Option<(usize, usize, Why)>;

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|t| t.kind != Kind::Literal).map_or("", |t| t.norm.as_str())
}

fn before(tokens: &[Token], at: usize) -> &str {
    at.checked_sub(1).map_or("", |i| word(tokens, i))
}

/// Finds a range whose ends both have a year and stand the wrong way around: "from 2026-12-31 to 2020-01-01".
fn reversed(tokens: &[Token], at: usize, today: Date) -> Hit {
    let (a, n) = point_at(tokens, at, today, false)?;
    let joined = tokens.get(at + n).is_some_and(|t| {
        t.any(&["to", "until", "till", "through", "thru"]) || matches!(t.kind, Kind::Punct('-' | '–' | '~'))
    }) || (before(tokens, at) == "between" && word(tokens, at + n) == "and");
    let (b, m) = joined.then(|| point_at(tokens, at + n + 1, today, false)).flatten()?;
    let dated = |from: usize, len: usize| {
        tokens[from..from + len].iter().any(|t| year_number(t).is_some() || (t.kind == Kind::Date && t.norm.len() >= 8))
    };
    let (first, last) = (a.span(today)?, b.span(today)?);
    (dated(at, n) && dated(at + n + 1, m) && first.from > last.to).then_some((at, n + 1 + m, Why::Reversed))
}

/// Finds a length that is zero, negative, fractional or too long: "last 0 days", "last -5 weeks", "last 100000 days".
fn length(text: &str, tokens: &[Token], at: usize) -> Hit {
    let led = tokens[at].any(LAST);
    if tokens[at].is_punct('-')
        && text.cut(..tokens[at].start).ends_with(char::is_whitespace)
        && text.cut(tokens[at].end..).starts_with(|c: char| c.is_ascii_digit())
        && before(tokens, at) != "to"
        && tokens.get(at + 2).is_some_and(unit_word)
        && !tokens
            .get(at.wrapping_sub(1))
            .is_some_and(|t| t.number().is_some() || t.kind == Kind::Date || month_of(&t.norm).is_some())
    {
        return Some((at, 3, Why::NoLength));
    }
    if !led && !tokens[at].any(&["for", "of"]) {
        return None;
    }
    if matches!(word(tokens, at + 1), "zero" | "no") && tokens.get(at + 2).is_some_and(unit_word) {
        return Some((at, 3, Why::NoLength));
    }
    let minus = matches!(word(tokens, at + 1), "minus" | "negative")
        || tokens.get(at + 1).is_some_and(|t| {
            t.is_punct('-')
                && text.cut(..t.start).ends_with(char::is_whitespace)
                && text.cut(t.end..).starts_with(|c: char| c.is_ascii_digit())
        });
    let number = at + 1 + usize::from(minus);
    let n = tokens.get(number).filter(|t| matches!(t.kind, Kind::Number(_)))?.number()?;
    let next = (number + 1..number + 3).find(|i| tokens.get(*i).is_some_and(unit_word))?;
    let why = if minus || n < 1.0 || n.fract() != 0.0 {
        Why::NoLength
    } else if led && n > MOST_UNITS {
        Why::TooLong
    } else {
        return None;
    };
    Some((at, next + 1 - at, why))
}

fn no_such_day(tokens: &[Token], at: usize, understood: bool) -> Hit {
    let token = &tokens[at];
    if token.kind == Kind::Date {
        return (!understood).then_some((at, 1, Why::NoSuchDay));
    }
    let exists = |day: i8, month: i8, after: usize| {
        let skip = usize::from(tokens.get(after).is_some_and(|t| t.is_punct(',') || t.is("of") || t.is("in")));
        let year = tokens.get(after + skip).and_then(year_number);
        // February 29 without a year may mean a leap year.
        let len = if year.is_some() { after + skip + 1 - at } else { after - at };
        (Date::new(year.unwrap_or(2024), month, day).is_ok(), len)
    };
    let month_at = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word).and_then(|t| month_of(&t.norm));
    let two_digits = |t: &Token| {
        day_number(t).or_else(|| match t.kind {
            Kind::Number(n) if t.norm.len() == 2 && !(1.0..=31.0).contains(&n) => t.norm.parse::<i8>().ok(),
            _ => None,
        })
    };
    if let Some(day) = two_digits(token) {
        if tokens.get(at.wrapping_sub(1)).is_some_and(|t| t.any(LAST) || t.any(&["top", "bottom", "under", "over"])) {
            return None;
        }
        let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is("of")));
        let (fits, len) = exists(day, month_at(next)?, next + 1);
        return (!fits).then_some((at, len, Why::NoSuchDay));
    }
    let month = month_at(at)?;
    let next = at + 1 + usize::from(word(tokens, at + 1) == "the");
    let day = tokens.get(next).and_then(day_number)?;
    let (fits, len) = exists(day, month, next + 1);
    (!fits).then_some((at, len, Why::NoSuchDay))
}

/// Finds a comparison that stops at an hour of the day, such as "at the same time yesterday" or "by this time last week".
fn same_time(tokens: &[Token], at: usize, found: &[Period], today: Date) -> Hit {
    if !matches!(word(tokens, at), "same" | "this") {
        return None;
    }
    let time = matches!(word(tokens, at + 1), "time" | "hour" | "moment" | "minute" | "point");
    let past = (at + 2..at + 5).find(|i| {
        matches!(word(tokens, *i), "yesterday" | "last" | "previous" | "before" | "ago" | "day" | "week" | "year")
    });
    if !time {
        // "the same period last year" or "same days last month", if the text names no other period before it.
        let days = matches!(word(tokens, at + 1), "period" | "days" | "dates" | "span" | "range" | "timeframe");
        let last = (at + 2..at + 5).find(|i| matches!(word(tokens, *i), "last" | "previous"));
        let alone = found.len() <= 1 && found.first().is_none_or(|p| p.at > at);
        let unit = last.filter(|i| tokens.get(*i + 1).is_some_and(unit_word));
        return unit.filter(|_| word(tokens, at) == "same" && days && alone).map(|i| (at, i + 2 - at, Why::SameAs));
    }
    let running = found.iter().all(|p| p.at > at || p.span == Span::day(today));
    let day = past.is_some_and(|i| word(tokens, i) == "yesterday");
    let so_far = tokens.windows(2).any(|w| w[0].is("so") && w[1].is("far"));
    let end = past.map_or(at + 2, |i| i + 1 + usize::from(tokens.get(i + 1).is_some_and(unit_word)));
    (past.is_some() && (day || running) || past.is_none() && so_far).then_some((at, end - at, Why::SameTime))
}

/// Finds an end that is still ahead, as in "until the end of the month". No report has numbers for the days between today and that end.
fn end_ahead(tokens: &[Token], at: usize, today: Date) -> Hit {
    let rest = matches!(word(tokens, at), "rest" | "remainder") && word(tokens, at + 1) == "of";
    if rest {
        let unit = (at + 2..at + 5).find(|i| tokens.get(*i).is_some_and(unit_word))?;
        let last = tokens[at..unit].iter().any(|t| t.any(&["last", "previous"]));
        return (!last).then_some((at, unit + 1 - at, Why::Future));
    }
    let (day, len) = super::edges::end_of(tokens, at, today).filter(|_| word(tokens, at) != "the")?;
    (day > today).then_some((at, len, Why::Future))
}

fn time_of_day(tokens: &[Token], at: usize) -> Hit {
    let token = &tokens[at];
    let bare = |t: &Token| matches!(t.kind, Kind::Number(n) if n <= 24.0);
    let half = |i: usize| matches!(word(tokens, i), "am" | "pm" | "oclock" | "noon" | "midnight" | "gmt" | "utc");
    let stuck = |w: &str| {
        w.strip_suffix("am").or_else(|| w.strip_suffix("pm")).is_some_and(|hour| {
            !hour.is_empty() && hour.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
        })
    };
    if stuck(&token.norm) || token.any(&["midnight", "noon"]) || token.is("midday") {
        return Some((at, 1, Why::TimeOfDay));
    }
    if bare(token) && half(at + 1) && !matches!(word(tokens, at + 1), "gmt" | "utc") {
        return Some((at, 2, Why::TimeOfDay));
    }
    // "14:30": hour, colon and minute, with no space between them.
    let minutes =
        |i: usize| tokens.get(i).is_some_and(|t| matches!(t.kind, Kind::Number(n) if n < 60.0) && t.norm.len() == 2);
    if bare(token)
        && token.norm.len() <= 2
        && tokens.get(at + 1).is_some_and(|t| t.is_punct(':') && t.start == token.end)
        && minutes(at + 2)
        && tokens[at + 1].end == tokens[at + 2].start
    {
        return Some((at, 3, Why::TimeOfDay));
    }
    let part = matches!(word(tokens, at), "morning" | "afternoon" | "evening" | "night");
    let day = |w: &str| matches!(w, "this" | "yesterday" | "last" | "yesterdays") || super::is_weekday(w);
    if part && day(before(tokens, at)) {
        return Some((at - 1, 2, Why::TimeOfDay));
    }
    let (lead, of) = (before(tokens, at), word(tokens, at + 1));
    if part
        && (lead == "the" || lead == "at")
        && (matches!(of, "of" | "hours") || at >= 2 && word(tokens, at - 2) == "in")
    {
        return Some((at, 1, Why::TimeOfDay));
    }
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let clock = token.norm.split_once('t').is_some_and(|(day, hour)| digits(day) && digits(hour))
        && at >= 4
        && tokens[at - 1].is_punct('-');
    if clock {
        let run = tokens[at..].windows(2).take_while(|pair| pair[0].end == pair[1].start).count();
        return Some((at - 4, run + 5, Why::TimeOfDay));
    }
    if token.any(LAST) {
        let n = usize::from(tokens.get(at + 1).and_then(Token::number).is_some());
        // We read "the last 24 hours" as the last whole day.
        let day = tokens.get(at + 1).and_then(Token::number).is_some_and(|h| (h - 24.0).abs() < f64::EPSILON);
        if tokens.get(at + 1 + n).is_some_and(|t| t.any(&["hour", "minute", "second"])) && !day {
            return Some((at, n + 2, Why::TimeOfDay));
        }
    }
    None
}

fn future(tokens: &[Token], at: usize) -> Hit {
    match word(tokens, at) {
        "tomorrow" | "tomorrows" => Some((at, 1, Why::Future)),
        "next" | "coming" | "upcoming" | "following" => {
            let n = usize::from(tokens.get(at + 1).and_then(Token::number).is_some());
            let unit = tokens.get(at + 1 + n).is_some_and(|t| unit_word(t) || t.any(&["hour", "minute"]))
                || (word(tokens, at) != "following"
                    && tokens.get(at + 1).is_some_and(|t| super::is_time_word(&t.norm)));
            // "the following week" may refer to a day named before it.
            (unit && (word(tokens, at) != "following" || n == 1)).then_some((at, n + 2, Why::Future))
        }
        "predict" | "prediction" | "predictions" | "forecast" | "forecasts" | "forecasted" | "projection"
        | "projections" | "projected"
        // Networks report what they estimate, but not what somebody expects.
        | "expected" | "anticipated" | "extrapolate" | "extrapolated" | "outlook" => Some((at, 1, Why::Forecast)),
        "expect" if tokens.iter().skip(at + 1).take(3).any(|t| t.any(&["earn", "make", "get", "to"])) => {
            Some((at, 1, Why::Forecast))
        }
        "going" if word(tokens, at + 1) == "to" => {
            let verb = matches!(word(tokens, at + 2), "earn" | "make" | "be" | "reach" | "get" | "end");
            verb.then_some((at, 3, Why::Forecast))
        }
        "run"
            if matches!(word(tokens, at + 1), "rate" | "-") && tokens.iter().skip(at).take(3).any(|t| t.is("rate")) =>
        {
            Some((at, 2, Why::Forecast))
        }
        // "on track for 130k" and "on pace" ask about a result that no network has reported yet.
        "on" if matches!(word(tokens, at + 1), "track" | "pace" | "course") => Some((at, 2, Why::Forecast)),
        "pacing" if matches!(word(tokens, at + 1), "to" | "for" | "towards" | "toward" | "against") => {
            Some((at, 1, Why::Forecast))
        }
        "will" | "gonna" => {
            const VERBS: [&str; 14] = [
                "earn", "make", "reach", "get", "hit", "exceed", "cross", "pass", "beat", "break", "top", "end", "finish",
                "close",
            ];
            let verb = tokens.iter().skip(at + 1).take(4).position(|t| t.any(&VERBS))?;
            Some((at, verb + 2, Why::Forecast))
        }
        _ => None,
    }
}

fn day_kind(tokens: &[Token], at: usize) -> Hit {
    let plural_day = |w: &str| w.ends_with('s') && super::is_weekday(w) && w.len() > 4;
    match word(tokens, at) {
        "every" | "each" if matches!(word(tokens, at + 1), "other" | "second" | "third" | "2nd" | "3rd") => {
            let unit = tokens.get(at + 2).is_some_and(unit_word)
                || tokens.get(at + 2).is_some_and(|t| super::is_weekday(&t.norm));
            unit.then_some((at, 3, Why::DayKind))
        }
        "alternate" | "alternating" if tokens.get(at + 1).is_some_and(unit_word) => Some((at, 2, Why::DayKind)),
        "weekends" | "weekdays" | "workdays" => Some((at, 1, Why::DayKind)),
        "working" | "business" if word(tokens, at + 1) == "day" => Some((at, 2, Why::DayKind)),
        "working" | "business" | "week" | "odd" | "even" if word(tokens, at + 1) == "days" => {
            Some((at, 2, Why::DayKind))
        }
        "weekend" if matches!(before(tokens, at), "every" | "each" | "per" | "by") => Some((at, 1, Why::DayKind)),
        // We can serve "the same weekday" of the week before.
        w if plural_day(w) && w != "tues" && w != "weds" && w != "thurs" => Some((at, 1, Why::DayKind)),
        w if super::is_weekday(w) && matches!(before(tokens, at), "every" | "each") => Some((at, 1, Why::DayKind)),
        _ => None,
    }
}

/// Checks whether a month, or a day of a month, stands right before this number, which makes the number its year.
fn ends_date(tokens: &[Token], at: usize) -> bool {
    let comma = usize::from(at > 0 && tokens[at - 1].is_punct(','));
    let is_month = |back: usize| at.checked_sub(back).is_some_and(|at| month_of(&tokens[at].norm).is_some());
    let day = at.checked_sub(1 + comma).and_then(|at| day_number(&tokens[at])).is_some();
    is_month(1 + comma) || day && is_month(2 + comma)
}

fn year(tokens: &[Token], at: usize, understood: bool, today: Date) -> Hit {
    let token = &tokens[at];
    if understood || !matches!(token.kind, Kind::Number(_)) || !(3..=5).contains(&token.norm.len()) {
        return None;
    }
    let number: i32 = token.norm.parse().ok()?;
    let said = matches!(before(tokens, at), "year" | "ad" | "anno");
    let led = said || matches!(before(tokens, at), "in" | "during" | "since" | "until" | "till" | "for" | "of");
    let alone = tokens.get(at + 1).is_none_or(|t| {
        t.is_stop() || t.any(&["by", "per", "vs", "versus", "and", "to", "compared", "for", "ad", "bc", "across"])
    });
    let of_date = token.norm.len() == 4 && (1900..3000).contains(&number) && ends_date(tokens, at);
    if !(said || of_date || (led && alone && token.norm.len() == 4 && number < 2100)) {
        return None;
    }
    let why = if number > i32::from(today.year()) {
        Why::Future
    } else if number < 2015 {
        Why::TooEarly
    } else {
        return None;
    };
    Some((at, 1, why))
}

/// Finds a part of a period that has no exact days: "mid November", "the end of October", "the last two months of 2025".
fn part(tokens: &[Token], at: usize, found: &[Period], today: Date) -> Hit {
    // These words may be a part of a larger period that we could read: "until the end of October".
    if found.iter().any(|p| p.at < at && at < p.end()) {
        return None;
    }
    let named = |from: usize| {
        super::edges::container(tokens, from, today)
            .map(|(_, _, len)| len)
            .or_else(|| tokens.get(from).and_then(year_number).map(|_| 1))
    };
    if let Some(period) = found.iter().find(|p| p.at == at && p.unit == super::Unit::Days)
        && word(tokens, period.end()) == "of"
        && let Some(len) = named(period.end() + 1)
    {
        return Some((at, period.len + 1 + len, Why::Unknown));
    }
    let now = word(tokens, at);
    let of = usize::from(word(tokens, at + 1) == "of");
    let dash = usize::from(tokens.get(at + 1).is_some_and(|t| t.is_punct('-')));
    let fits = matches!(now, "mid" | "early" | "late") || of == 1 && matches!(now, "middle" | "end" | "ends");
    let len = named(at + 1 + of + dash).filter(|_| fits)?;
    Some((at, 1 + of + dash + len, Why::Unknown))
}

/// Finds a part by its number, if the period is not named ("the first 3 days") or has no such part ("the 13th month").
fn place(tokens: &[Token], at: usize) -> Hit {
    if !(super::is_place(word(tokens, at)) || super::points::ordinal(&tokens[at]).is_some()) {
        return None;
    }
    let n = usize::from(word(tokens, at) == "first" && tokens.get(at + 1).and_then(Token::number).is_some());
    let unit = tokens.get(at + 1 + n).is_some_and(unit_word);
    let out = matches!(before(tokens, at), "without" | "excluding" | "except")
        || before(tokens, at) == "the" && at >= 2 && matches!(word(tokens, at - 2), "without" | "excluding" | "except");
    unit.then_some((at, n + 2, if out { Why::LeftOut } else { Why::Unknown }))
}

/// Finds periods that our calendar does not have, such as holidays. Most of these words count only if we could read no other period.
fn unknown(tokens: &[Token], at: usize, nothing_else: bool) -> Hit {
    let unit = matches!(
        word(tokens, at),
        "decade"
            | "decades"
            | "century"
            | "centuries"
            | "millennium"
            | "easter"
            | "christmas"
            | "xmas"
            | "halloween"
            | "thanksgiving"
            | "ramadan"
            | "diwali"
            | "summer"
            | "winter"
            | "autumn"
            | "holidays"
            | "lifetime"
    );
    let pair = matches!(
        (word(tokens, at), word(tokens, at + 1)),
        ("black", "friday") | ("all", "time") | ("leap", "day" | "year") | ("to", "beginning")
    );
    let (now, then) = (word(tokens, at), word(tokens, at + 1));
    if now == "fiscal" || now == "financial" && tokens.get(at + 1).is_some_and(unit_word) {
        return Some((at, 1 + usize::from(tokens.get(at + 1).is_some_and(unit_word)), Why::Unknown));
    }
    if now == "beginning" && then == "of" && word(tokens, at + 2) == "time" {
        return Some((at, 3, Why::Unknown));
    }
    if nothing_else
        && tokens[at].any(LAST)
        && matches!(
            then,
            "semester" | "trimester" | "season" | "term" | "sprint" | "cycle" | "release" | "era" | "holiday"
        )
    {
        return Some((at, 2, Why::Unknown));
    }
    let start = |i: usize| {
        matches!(
            word(tokens, i),
            "launch"
                | "launched"
                | "release"
                | "released"
                | "inception"
                | "start"
                | "started"
                | "beginning"
                | "began"
                | "install"
                | "update"
                | "creation"
        )
    };
    if nothing_else && now == "since" && (at + 1..at + 5).any(start) {
        let end = (at + 1..at + 5).find(|i| start(*i)).unwrap_or(at + 1);
        return Some((at, end + 1 - at, Why::Unknown));
    }
    let ever = now == "ever" && !matches!(before(tokens, at), "if" | "hardly" | "how" | "what" | "which" | "did");
    if nothing_else && (ever || now == "forever" || now == "so" && then == "ever") {
        return Some((at, 1, Why::Unknown));
    }
    let week = tokens.get(at + 1).filter(|t| word(tokens, at) == "week" && matches!(t.kind, Kind::Number(_)));
    if week.is_some() && (nothing_else || matches!(word(tokens, at + 2), "of" | "in")) {
        return Some((at, 2, Why::Unknown));
    }
    (nothing_else && (unit || pair)).then_some((at, 1 + usize::from(pair), Why::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&str, Why)> {
        let today = jiff::civil::date(2026, 11, 21);
        let tokens = crate::text::tokens(text);
        let found = super::super::periods(&tokens, today);
        unserved(text, &tokens, &found, today).map(|u| (text.cut(u.start..u.end), u.why))
    }

    #[test]
    fn what_cannot_be_served_is_found_with_its_words() {
        let mut wrong = Vec::new();
        for (text, words, why) in [
            ("revenue from 1 Jan 1970 to 31 Dec 2999 by day", "1970", Why::TooEarly),
            ("revenue from March 3, 1999 to yesterday", "1999", Why::TooEarly),
            ("revenue from 1 Oct 2026 to 31 Dec 2999", "2999", Why::Future),
            ("revenue for May 2099 by app", "2099", Why::Future),
            ("revenue in the year 1066", "1066", Why::TooEarly),
            ("revenue in 2050", "2050", Why::Future),
            ("revenue tomorrow", "tomorrow", Why::Future),
            ("revenue next month", "next month", Why::Future),
            ("revenue for the next 3 weeks", "next 3 weeks", Why::Future),
            ("revenue last 0 days", "last 0 days", Why::NoLength),
            ("revenue last -5 days by app", "last -5 days", Why::NoLength),
            ("revenue last minus 5 days", "last minus 5 days", Why::NoLength),
            ("revenue -7 days", "-7 days", Why::NoLength),
            ("revenue for the past zero days", "past zero days", Why::NoLength),
            ("revenue in the next 24 hours", "next 24 hours", Why::Future),
            ("revenue in week 60", "week 60", Why::Unknown),
            ("revenue last 100000 days", "last 100000 days", Why::TooLong),
            ("revenue on 00/00/0000", "00/00/0000", Why::NoSuchDay),
            ("revenue on 2026-02-30", "2026-02-30", Why::NoSuchDay),
            ("revenue 31 February 2026", "31 February 2026", Why::NoSuchDay),
            ("revenue on February 29, 2026", "February 29, 2026", Why::NoSuchDay),
            ("revenue yesterday vs 30 february", "30 february", Why::NoSuchDay),
            ("revenue 2026-11-21T25:61:00Z", "2026-11-21T25:61:00Z", Why::TimeOfDay),
            ("revenue in the last hour", "last hour", Why::TimeOfDay),
            ("revenue from 2026-12-31 to 2020-01-01", "2026-12-31 to 2020-01-01", Why::Reversed),
            ("revenue on weekends in October", "weekends", Why::DayKind),
            ("revenue on Mondays last month", "Mondays", Why::DayKind),
            ("predict revenue for next week", "predict", Why::Forecast),
            ("revenue over the last decade", "decade", Why::Unknown),
            ("revenue this month without the first 3 days", "first 3 days", Why::LeftOut),
            ("revenue for the 13th month", "13th month", Why::Unknown),
            ("revenue in mid november", "mid november", Why::Unknown),
            ("revenue at the end of october", "end of october", Why::Unknown),
            ("revenue in the last two months of 2025", "the last two months of 2025", Why::Unknown),
            ("revenue in week 45 of 2026", "week 45", Why::Unknown),
            ("revenue from the beginning of time", "beginning of time", Why::Unknown),
            ("revenue last semester", "last semester", Why::Unknown),
            ("revenue last business day", "business day", Why::DayKind),
            ("revenue ever", "ever", Why::Unknown),
            ("revenue since launch", "since launch", Why::Unknown),
            ("revenue last fiscal year", "fiscal year", Why::Unknown),
            ("revenue on the last leap day", "leap day", Why::Unknown),
            ("expected revenue this month", "expected", Why::Forecast),
            ("will we hit 130k this month", "will we hit", Why::Forecast),
            ("are we on track for 130k in November", "on track", Why::Forecast),
            ("is revenue on pace this month", "on pace", Why::Forecast),
            ("revenue until end of month", "end of month", Why::Future),
            ("revenue yesterday between 9am and 5pm", "9am", Why::TimeOfDay),
            ("revenue yesterday at midnight", "midnight", Why::TimeOfDay),
            ("revenue yesterday from 14:30", "14:30", Why::TimeOfDay),
            ("revenue every other day last week", "every other day", Why::DayKind),
            ("revenue so far today vs same time yesterday", "same time yesterday", Why::SameTime),
            ("revenue today compared to the same time last week", "same time last week", Why::SameTime),
            ("revenue same period last year", "same period last year", Why::SameAs),
            ("revenue excluding yesterday", "excluding yesterday", Why::LeftOut),
            ("revenue last 7 days excluding 17 november", "excluding 17 november", Why::LeftOut),
            ("revenue this month until 5 October", "until 5 October", Why::NoOverlap),
        ] {
            let got = read(text);
            if got != Some((words, why)) {
                wrong.push(format!("{text}: {got:?}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_served_passes() {
        for text in [
            "revenue yesterday",
            "revenue last 30 days",
            "last-5-days revenue",
            "revenue last weekend vs the weekend before",
            "revenue on Monday",
            "monday's revenue",
            "revenue 29 February 2024",
            "revenue from 2026-10-01 to 2026-10-31",
            "revenue 20 Dec to 5 Jan",
            "revenue in 2025 by month",
            "ad units with more than 2000 impressions",
            "countries with requests over 100,000 in October",
            "top 50 October countries",
            "revenue last 24 hours",
            "revenue first 10 days of november",
            "revenue - last 7 days",
            "revenue 1 Oct -7 Oct",
            "compare week 3 days",
            "revenue this month vs the same time last month",
            "revenue until the end of October",
            "revenue since the middle of nowhere, last week",
            "revenue last 7 days excluding yesterday",
            "estimated earnings this month",
            "what should I change next?",
            "revenue of the app \"Tomorrow Land\"",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
