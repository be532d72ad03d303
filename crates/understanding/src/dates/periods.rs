//! Reads periods: rolling windows, calendar units and ranges.

use jiff::civil::Date;

use super::calendar::{self, Span, plus, plus_months};
use super::points::{Point, month_of, ordinal, point_at, year_number};
use super::{correction, edges};
use crate::text::{Kind, Token};

/// The kind of a period; comparisons depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Day,
    Days,
    Week,
    Weekend,
    Month,
    Quarter,
    Half,
    Year,
    Range,
}

/// How much of a period its words name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edge {
    #[default]
    Whole,
    /// Only its last day; the period begins with the month or the year of that day.
    Until,
    /// Only its first day; the period ends today.
    After,
    /// Days that another period leaves out.
    Without,
    /// An end, or days to leave out, that do not fit the period next to them.
    Apart,
    /// Days that the person named and then took back.
    TakenBack,
}

/// A period in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub span: Span,
    pub unit: Unit,
    pub edge: Edge,
    pub at: usize,
    pub len: usize,
}

impl Period {
    pub const fn end(&self) -> usize {
        self.at + self.len
    }
}

pub(super) fn unit_of(token: &Token) -> Option<Unit> {
    Some(match token.stem.as_str() {
        "day" | "dy" | "dya" => Unit::Day,
        "week" | "wk" | "wks" => Unit::Week,
        "weekend" => Unit::Weekend,
        "month" | "mth" | "mths" => Unit::Month,
        "quarter" | "qtr" | "qtrs" => Unit::Quarter,
        "year" | "yr" | "yrs" => Unit::Year,
        _ => return None,
    })
}

/// Checks whether a word names a unit of time, such as a day, a week or a month.
pub(crate) fn unit_word(token: &Token) -> bool {
    unit_of(token).is_some()
}

pub(super) fn unit_span(unit: Unit, date: Date) -> Span {
    match unit {
        Unit::Week => calendar::week_of(date),
        Unit::Month => calendar::month_of(date),
        Unit::Quarter => calendar::quarter_of(date),
        Unit::Year => calendar::year_of(date),
        _ => Span::day(date),
    }
}

/// Returns the whole unit before the one that `today` is in.
fn last_unit(unit: Unit, today: Date) -> Span {
    match unit {
        Unit::Weekend => {
            let monday = calendar::week_of(today).from;
            Span::new(plus(monday, -2), plus(monday, -1))
        }
        other => unit_span(other, plus(unit_span(other, today).from, -1)),
    }
}

fn rolling(n: f64, unit: Unit, today: Date) -> Option<Span> {
    #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
    let n = if (1.0..=3660.0).contains(&n) && n.fract() == 0.0 { n as i32 } else { return None };
    let yesterday = plus(today, -1);
    Some(match unit {
        Unit::Day => Span::new(plus(today, -n), yesterday),
        Unit::Week => Span::new(plus(today, -7 * n), yesterday),
        Unit::Weekend => {
            let last = last_unit(Unit::Weekend, today);
            Span::new(plus(last.from, -7 * (n - 1)), last.to)
        }
        Unit::Month => Span::new(plus_months(today.first_of_month(), -n), plus(today.first_of_month(), -1)),
        Unit::Quarter => {
            let this = calendar::quarter_of(today).from;
            Span::new(plus_months(this, -3 * n), plus(this, -1))
        }
        _ => {
            let this = today.first_of_year();
            Span::new(plus_months(this, -12 * n), plus(this, -1))
        }
    })
}

#[expect(clippy::unnecessary_wraps, reason = "every caller returns an option of a period")]
pub(super) fn found(span: Span, unit: Unit, at: usize, end: usize) -> Option<Period> {
    Some(Period { span, unit, edge: Edge::Whole, at, len: end.saturating_sub(at).max(1) })
}

/// Reads the period that starts at `at`.
pub fn period_at(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let token = tokens.get(at)?;
    if matches!(token.kind, Kind::Literal | Kind::Id) {
        return None;
    }
    // "over weekend": people in a hurry leave out "the".
    if token.norm == "weekend" && at.checked_sub(1).is_some_and(|i| tokens[i].any(&["over", "during"])) {
        return found(last_unit(Unit::Weekend, today), Unit::Weekend, at, at + 1);
    }
    if token.is("the") {
        // "how was the weekend" means the last one that is over.
        if tokens.get(at + 1).is_some_and(|t| t.norm == "weekend")
            && !tokens.get(at + 2).is_some_and(|t| t.any(&["before", "after", "prior", "of", "ahead"]))
        {
            return found(last_unit(Unit::Weekend, today), Unit::Weekend, at, at + 2);
        }
        let inner = period_at(tokens, at + 1, today)?;
        return Some(Period { at, len: inner.end() - at, ..inner });
    }
    if token.is("on") {
        let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is("the")));
        let inner = edges::inside(tokens, next, today).or_else(|| edges::beside(tokens, next, today));
        if let Some(inner) = inner {
            return found(inner.span, inner.unit, at, inner.end());
        }
    }
    ends_of_month(tokens, at, today)
        .or_else(|| numbered_week(tokens, at, today))
        .or_else(|| edges::inside(tokens, at, today))
        .or_else(|| edges::same(tokens, at, today))
        .or_else(|| edges::beside(tokens, at, today))
        .or_else(|| edges::left_out(tokens, at, today))
        .or_else(|| range(tokens, at, today))
        .or_else(|| to_date(tokens, at, today))
        .or_else(|| edges::half_open(tokens, at, today))
        .or_else(|| since(tokens, at, today))
        .or_else(|| relative(tokens, at, today))
        .or_else(|| parts(tokens, at, today))
        .or_else(|| bare_year(tokens, at, today))
        .or_else(|| single(tokens, at, today))
}

/// Reads "week 46" and "KW46": the latest week of that number, counted as ISO 8601 does, that has begun.
fn numbered_week(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let norm = tokens[at].norm.as_str();
    let joined = ["kw", "cw", "wk", "w"].iter().find_map(|lead| norm.strip_prefix(lead)?.parse::<i8>().ok());
    let (number, mut end) = match joined {
        Some(number) => (number, at + 1),
        None if tokens[at].any(&["week", "wk", "kw", "cw"]) && tokens[at].kind == Kind::Word => {
            let token = tokens.get(at + 1).filter(|t| matches!(t.kind, Kind::Number(_)) && t.norm.len() <= 2)?;
            (token.norm.parse().ok()?, at + 2)
        }
        None => return None,
    };
    // "week 1 retention" counts from the install, and "week 2 of November" from the month.
    let counted = ["retention", "cohort", "ltv"];
    let before = (1..=2).any(|back| at.checked_sub(back).is_some_and(|at| tokens[at].any(&counted)));
    if before || tokens.get(end).is_some_and(|t| t.any(&["of", "day"]) || t.any(&counted)) {
        return None;
    }
    let year = tokens.get(end).and_then(year_number);
    end += usize::from(year.is_some());
    let monday_of = |year: i16| {
        let week = jiff::civil::ISOWeekDate::new(year, number, jiff::civil::Weekday::Monday).ok()?;
        Some(week.date())
    };
    let from = match year {
        Some(year) => monday_of(year)?,
        None => monday_of(today.year()).filter(|monday| *monday <= today).or_else(|| monday_of(today.year() - 1))?,
    };
    let to = plus(from, 6);
    found(Span::new(from, if from <= today { to.min(today) } else { to }), Unit::Week, at, end)
}

fn single(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let (point, len) = point_at(tokens, at, today, false)?;
    let span = point.span(today)?;
    let unit = if point.day.is_some() { Unit::Day } else { Unit::Month };
    // "9th" alone needs a preposition or an article, because it may be a rank.
    if point.month.is_none() && point.fixed.is_none() {
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        if !before.is_some_and(|t| t.any(&["the", "on", "since", "from", "until", "till", "for", "vs", "and", "to"]))
            && !token_is_the(tokens, at)
        {
            return None;
        }
        // "the 17th and 18th"
        if tokens.get(at + len).is_some_and(|t| t.is("and"))
            && let Some(d) = tokens.get(at + len + 1).and_then(ordinal)
            && let Some(to) = (Point { day: Some(d), ..Point::default() }).span(today)
        {
            return found(Span::new(span.from, to.to), Unit::Range, at, at + len + 2);
        }
    }
    // A month that is in progress ends today.
    let span =
        if unit == Unit::Month && span.to > today && span.from <= today { Span::new(span.from, today) } else { span };
    found(span, unit, at, at + len)
}

fn token_is_the(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.any(&["the", "on"]))
}

const TO: &[&str] = &["to", "until", "till", "through", "thru", "and", "up", "til"];

fn range(tokens: &[Token], at: usize, now: Date) -> Option<Period> {
    let opens = tokens[at].any(&["from", "between", "within", "since"]);
    let start = if opens { at + 1 } else { at };
    let between = tokens[at].is("between");
    let (a, n) = if let Some(found) = point_at(tokens, start, now, true) {
        found
    } else {
        let p = relative(tokens, start, now).filter(|_| opens)?;
        let from = p.span.from;
        (Point { fixed: Some(from), year: Some(from.year()), month: Some(from.month()), day: Some(from.day()) }, p.len)
    };
    let join = tokens.get(start + n)?;
    // "12 and 13 november": two adjacent days make a range.
    let days = |b: Point| a.day.zip(b.day).is_some_and(|(x, y)| y == x + 1) && b.month.is_some();
    let neighbours = (join.is("and") || join.is_punct('&'))
        && a.month.is_none()
        && a.fixed.is_none()
        && point_at(tokens, start + n + 1, now, true).is_some_and(|(b, _)| days(b));
    let compares = !opens && at.checked_sub(1).is_some_and(|before| tokens[before].any(&["compare", "comparing"]));
    let days_named =
        a.day.is_some() || point_at(tokens, start + n + 1, now, true).is_some_and(|(b, _)| b.day.is_some());
    let compares = compares && !days_named;
    let word_join = join.any(TO) && !compares && (!join.is("and") || between) || neighbours;
    let arrow = join.is_punct('→') && a.day.is_some() && a.year.is_some();
    let dash = arrow || matches!(join.kind, Kind::Punct('-' | '–' | '~'));
    if !(word_join || dash) {
        return None;
    }
    let mut next = start + n + 1;
    while tokens.get(next).is_some_and(|t| t.any(&["to", "and", "including"])) {
        next += 1;
    }
    let (b, m) = point_at(tokens, next, now, true)?;
    let end = next + m;
    // Plain numbers on both sides aren't dates, as in "between 1 and 7 users". If only one side has a month, it counts for both.
    if a.month.is_none() && a.fixed.is_none() && b.month.is_none() && b.fixed.is_none() {
        let ordinals = ordinal(&tokens[start]).is_some()
            || tokens.get(start + 1).and_then(ordinal).is_some()
            || tokens.get(next).and_then(ordinal).is_some();
        if !ordinals {
            return None;
        }
    }
    let mut a = a;
    let mut b = b;
    if a.month.is_none() && a.fixed.is_none() {
        a.month = b.month;
        a.year = b.year;
    }
    if b.month.is_none() && b.fixed.is_none() {
        b.month = a.month;
        b.year = a.year;
    }
    if a.year.is_none() && a.month.is_some() && a.fixed.is_none() {
        // "20 Oct – 10 Nov 2025": the first date takes the year of the second.
        if let (Some(year), None) = (b.year, b.fixed) {
            a.year = Some(if a.month > b.month { year - 1 } else { year });
        }
    }
    let to = b.span(now)?;
    let from = a.span(now)?;
    // Without years, the first date may be in the year before the second ("20 Dec – 5 Jan").
    let weekdays = a.fixed.zip(b.fixed).is_some_and(|(x, y)| (1..=7).contains(&(x - y).get_days()));
    let from = if from.from > to.to && weekdays {
        // "Friday to Monday" begins with the Friday before that Monday.
        Span::day(plus(from.from, -7))
    } else if from.from > to.to && a.fixed.is_none() {
        Span::new(plus_months(from.from, -12), plus_months(from.to, -12))
    } else {
        from
    };
    let last = if to.to > now && b.day.is_none() { now } else { to.to };
    found(Span::new(from.from, last), Unit::Range, at, end)
}

fn to_date(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    let here = |unit: Unit, len: usize| found(Span::new(unit_span(unit, today).from, today), unit, at, at + len);
    match word(0) {
        "mtd" => return here(Unit::Month, 1),
        "qtd" => return here(Unit::Quarter, 1),
        "ytd" => return here(Unit::Year, 1),
        "wtd" => return here(Unit::Week, 1),
        _ => {}
    }
    let tail = |mut n: usize| {
        while tokens.get(at + n).is_some_and(|t| t.is_punct('-')) {
            n += 1;
        }
        n
    };
    let (unit, used) = match word(0) {
        "this" | "current" | "running" | "ongoing" => {
            let mut n = 1;
            if word(n) == "current" {
                n += 1;
            }
            (unit_of(tokens.get(at + n)?)?, n + 1)
        }
        _ => (unit_of(&tokens[at])?, 1),
    };
    let to_date_follows = {
        let a = tail(used);
        let b = tail(a + 1);
        word(a) == "to" && word(b) == "date"
    };
    if used >= 2 {
        let span = match unit {
            Unit::Day => Span::day(today),
            Unit::Weekend => {
                let monday = calendar::week_of(today).from;
                Span::new(plus(monday, 5), plus(monday, 6).min(today.max(plus(monday, 5))))
            }
            _ => Span::new(unit_span(unit, today).from, today),
        };
        let mut end = used;
        if to_date_follows {
            end = tail(tail(used) + 1) + 1;
        } else if word(end) == "so" && word(end + 1) == "far" {
            end += 2;
        }
        return found(span, unit, at, at + end);
    }
    if to_date_follows {
        return here(unit, tail(tail(used) + 1) + 1);
    }
    None
}

fn since(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    let lead = match (word(0), word(1)) {
        ("since" | "starting" | "after", "from" | "on" | "the") | ("as", "of") => 2,
        ("since" | "starting" | "from", _) => 1,
        _ => return None,
    };
    // "since we launched on October 19": look a few words ahead.
    let reach = if word(0) == "since" { 5 } else { 1 };
    for skip in 0..reach {
        let i = at + lead + skip;
        if tokens.get(i).is_some_and(Token::is_stop) {
            break;
        }
        let inner = point_at(tokens, i, today, word(0) == "since")
            .and_then(|(p, n)| p.span(today).map(|s| (s, n)))
            .or_else(|| relative(tokens, i, today).map(|p| (p.span, p.len)));
        let place = edges::inside(tokens, i + usize::from(tokens.get(i).is_some_and(|t| t.is("the"))), today);
        let inner = place.map(|p| (p.span, p.end() - i)).or(inner);
        if let Some((span, n)) = inner {
            let mut end = i + n;
            while tokens
                .get(end)
                .is_some_and(|t| t.any(&["on", "onwards", "onward", "until", "till", "to", "now", "today", "up"]))
            {
                end += 1;
            }
            if span.from <= today && (word(0) != "from" || end > i + n || span.days() == 1) {
                return found(Span::new(span.from, today), Unit::Range, at, end);
            }
            return None;
        }
    }
    None
}

const LAST: &[&str] = &["last", "past", "trailing", "previous", "prior", "recent", "latest", "lst", "preceding"];

/// Checks whether "last 30" counts days: people look at windows of these lengths, and nothing else is counted after it.
fn is_window(n: f64, next: Option<&Token>) -> bool {
    const WINDOWS: [f64; 7] = [7.0, 14.0, 28.0, 30.0, 60.0, 90.0, 180.0];
    const GOES_ON: [&str; 16] = [
        "by", "per", "for", "in", "on", "and", "vs", "versus", "against", "compared", "only", "min", "please", "pls",
        "from", "with",
    ];
    WINDOWS.contains(&n) && next.is_none_or(|token| token.is_stop() || token.any(&GOES_ON))
}

pub(super) fn relative(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let start = if tokens.get(at)?.is("the") { at + 1 } else { at };
    let first = tokens.get(start)?;
    let led = first.any(LAST);
    let mut i = if led { start + 1 } else { start };
    if tokens.get(i).is_some_and(|t| t.any(&["full", "complete", "whole", "calendar"])) {
        i += 1;
    }
    let token = tokens.get(i)?;
    if led {
        if let Some(unit) = unit_of(token) {
            let span = match (first.norm.as_str(), unit) {
                ("past" | "trailing", Unit::Week) => rolling(7.0, Unit::Day, today)?,
                ("past" | "trailing", Unit::Month) => rolling(30.0, Unit::Day, today)?,
                ("past" | "trailing", Unit::Year) => rolling(365.0, Unit::Day, today)?,
                (_, Unit::Day) if token.norm == "days" => return None,
                (_, unit) => last_unit(unit, today),
            };
            let unit = if first.is("past") { Unit::Days } else { unit };
            return found(span, unit, at, i + 1);
        }
        if token.is("fortnight") {
            return found(rolling(14.0, Unit::Day, today)?, Unit::Days, at, i + 1);
        }
    }
    let ago = token.any(&["a", "an"]) && tokens.get(i + 2).is_some_and(|t| t.is("ago"));
    let n = token.number().or_else(|| ago.then_some(1.0))?;
    let mut j = i + 1;
    if token.is("couple") && tokens.get(j).is_some_and(|t| t.is("of")) {
        j += 1;
    }
    while tokens.get(j).is_some_and(|t| t.is_punct('-') || t.any(&["full", "complete", "calendar", "whole"])) {
        j += 1;
    }
    // "which day in the last 14" counts in the unit that was named before.
    if led && tokens.get(j).is_none_or(|t| unit_of(t).is_none() && !t.is("hour")) {
        let named = tokens[..at].iter().rev().take(3).find_map(unit_of);
        let unit = named.or_else(|| is_window(n, tokens.get(j)).then_some(Unit::Day))?;
        return found(rolling(n, unit, today)?, Unit::Days, at, j);
    }
    let after = tokens.get(j)?;
    if after.is("hour") && led {
        return found(rolling(1.0, Unit::Day, today)?, Unit::Days, at, j + 1);
    }
    let unit = unit_of(after)?;
    let next = tokens.get(j + 1);
    if next.is_some_and(|t| t.is("ago")) {
        let span = match unit {
            Unit::Day => Span::day(plus(today, -(rolling(n, Unit::Day, today)?.days()))),
            Unit::Week => {
                let days = rolling(n, Unit::Week, today)?.days();
                calendar::week_of(plus(today, -days))
            }
            Unit::Month => calendar::month_of(rolling(n, Unit::Month, today)?.from),
            Unit::Quarter => calendar::quarter_of(rolling(n, Unit::Quarter, today)?.from),
            _ => calendar::year_of(rolling(n, Unit::Year, today)?.from),
        };
        return found(span, unit, at, j + 2);
    }
    if next.is_some_and(|t| t.any(&["before", "earlier", "prior", "window", "retention", "review"])) {
        return None;
    }
    // Without "last", one unit or an age ("12 month old") is more likely the length of something else.
    if !led && (n < 2.0 || after.norm == after.stem && next.is_some_and(|t| t.is("old"))) {
        return None;
    }
    let span = rolling(n, unit, today)?;
    // "last 7 days including today" has as many days and ends one day later.
    let today_too = (j + 1..j + 4).find(|i| tokens.get(*i).is_some_and(|t| t.is("today"))).filter(|end| {
        tokens[j + 1].any(&["including", "incl", "includes", "inclusive"])
            && tokens[j + 2..*end].iter().all(|t| t.is_punct('.') || t.is("of"))
    });
    if let Some(end) = today_too.filter(|_| matches!(unit, Unit::Day | Unit::Week)) {
        return found(Span::new(plus(span.from, 1), today), Unit::Days, at, end + 1);
    }
    found(span, Unit::Days, at, j + 1)
}

/// Reads the first or last days or weeks of a longer period: "first 10 days of November", "last 5 days of October", "first 3 days this
/// month".
fn ends_of_month(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let first = tokens[at].is("first");
    let weeks = tokens.get(at + 2)?.is("week");
    if !(first || tokens[at].is("last")) || !(weeks || tokens.get(at + 2)?.is("day")) {
        return None;
    }
    let of = usize::from(tokens.get(at + 3)?.any(&["of", "in"]));
    if of == 0 && !(first && tokens.get(at + 3)?.any(&["this", "last"])) {
        return None;
    }
    let n = tokens.get(at + 1)?.number().filter(|n| (1.0..=28.0).contains(n) && n.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "at most 28")]
    let n = n as i32 * if weeks { 7 } else { 1 };
    let (whole, _, len) = edges::container(tokens, at + 3 + of, today).filter(|(whole, ..)| whole.days() >= n)?;
    let span =
        if first { Span::new(whole.from, plus(whole.from, n - 1)) } else { Span::new(plus(whole.to, 1 - n), whole.to) };
    found(span, Unit::Range, at, at + 3 + of + len)
}

/// Reads quarters, half years and half months.
fn parts(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    let year_after = |n: usize| -> (Option<i16>, usize) {
        let skip = usize::from(matches!(word(n), "of" | "in") || tokens.get(at + n).is_some_and(|t| t.is_punct(',')));
        if let Some(y) = tokens.get(at + n + skip).and_then(year_number) {
            return (Some(y), n + skip + 1);
        }
        if word(n + skip) == "last" && word(n + skip + 1) == "year" {
            return (Some(today.year() - 1), n + skip + 2);
        }
        (None, n)
    };
    let nth = match word(0) {
        "first" | "1st" | "q1" | "h1" => 1,
        "second" | "2nd" | "q2" | "h2" => 2,
        "third" | "3rd" | "q3" => 3,
        "fourth" | "4th" | "q4" => 4,
        "last" => 5,
        _ => return None,
    };
    let build = |months: i32, year: Option<i16>| -> Option<Span> {
        let offset = (nth - 1) * months;
        let of = |y: i16| Date::new(y, 1, 1).ok().map(|d| plus_months(d, offset));
        let from = match year {
            Some(y) => of(y)?,
            None => of(today.year()).filter(|d| *d <= today).or_else(|| of(today.year() - 1))?,
        };
        let to = plus_months(from, months - 1).last_of_month();
        Some(Span::new(from, if to > today && from <= today { today } else { to }))
    };
    if word(0).starts_with('q') {
        let (year, end) = year_after(1);
        return found(build(3, year)?, Unit::Quarter, at, at + end);
    }
    if word(0).starts_with('h') {
        let (year, end) = year_after(1);
        return found(build(6, year)?, Unit::Half, at, at + end);
    }
    if word(1) == "quarter" && nth <= 4 {
        let (year, end) = year_after(2);
        return found(build(3, year)?, Unit::Quarter, at, at + end);
    }
    if word(1) == "half" && (word(2) == "of" || tokens.get(at + 2).and_then(year_number).is_some()) {
        let skip = if word(2) == "of" { 3 + usize::from(word(3) == "the") } else { 2 };
        let base = if matches!(word(skip), "this" | "month") {
            today
        } else if matches!(word(skip), "last" | "previous") && word(skip + 1) == "month" {
            plus_months(today.first_of_month(), -1)
        } else if let Some(m) = month_of(word(skip)) {
            calendar::latest_month(m, today)?
        } else {
            let (year, end) = year_after(2);
            return found(build(6, Some(year?))?, Unit::Half, at, at + end).filter(|_| nth <= 2);
        };
        let month = calendar::month_of(base);
        let end = at + skip + 1 + usize::from(matches!(word(skip), "this" | "last" | "previous"));
        let span = match nth {
            1 => Span::new(month.from, plus(month.from, 14)),
            2 | 5 => Span::new(plus(month.from, 15), month.to),
            _ => return None,
        };
        return found(span, Unit::Range, at, end);
    }
    None
}

fn bare_year(tokens: &[Token], at: usize, today: Date) -> Option<Period> {
    let year = year_number(&tokens[at])?;
    let before = at.checked_sub(1).and_then(|i| tokens.get(i));
    let led = before.is_some_and(|t| {
        t.any(&["in", "of", "for", "during", "year", "all", "whole", "full", "calendar", "vs", "versus", "entire"])
    });
    let so_far = tokens.get(at + 1).is_some_and(|t| t.is("so")) && tokens.get(at + 2).is_some_and(|t| t.is("far"));
    let listed = before.is_some_and(|t| t.is_punct(',')) && tokens.get(at + 1).is_none_or(Token::is_stop);
    if !(led || so_far || listed) || year > today.year() {
        return None;
    }
    let all = calendar::year_of(Date::new(year, 1, 1).ok()?);
    found(Span::new(all.from, all.to.min(today)), Unit::Year, at, at + if so_far { 3 } else { 1 })
}

/// Returns all periods of a text that the person means, from left to right.
pub fn periods(tokens: &[Token], today: Date) -> Vec<Period> {
    read(tokens, today).0
}

/// Works like [`periods`], and returns those too that the person named and took back. Their words are read, so no answer names them as unused.
pub fn named_periods(tokens: &[Token], today: Date) -> Vec<Period> {
    let (mut all, taken_back) = read(tokens, today);
    all.extend(taken_back);
    all.sort_by_key(|period| period.at);
    all
}

fn read(tokens: &[Token], today: Date) -> (Vec<Period>, Vec<Period>) {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(p) = period_at(tokens, at, today) {
            at = p.end();
            out.push(p);
        } else {
            at += 1;
        }
    }
    correction::settle(tokens, &mut out, today);
    let (mut out, taken_back): (Vec<Period>, Vec<Period>) = out.into_iter().partition(|p| p.edge != Edge::TakenBack);
    edges::join(tokens, &mut out);
    edges::list(tokens, &mut out);
    (out, taken_back)
}
