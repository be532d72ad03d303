//! Reads what a period is compared with.

use jiff::civil::Date;

use super::calendar::{self, Span, plus, plus_months};
use super::periods::{Edge, Period, Unit, period_at};
use crate::text::{Kind, Token};

/// The other period of a comparison, as far as the words name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareRef {
    /// A period with its own dates.
    Named(Span),
    /// The unit directly before the main period.
    Before(Unit),
    /// The period of the same length right before the main one.
    Previous,
    /// The main period moved back.
    Shift { months: i32, days: i32 },
    /// The same days in another month.
    SameDaysOf(Span),
}

impl CompareRef {
    /// Returns the dates of the other period for this main period.
    pub fn resolve(self, main: Span) -> Span {
        match self {
            Self::Named(span) => span,
            Self::Previous => calendar::directly_before(main),
            Self::Shift { months, days } => {
                let whole = months != 0 && calendar::is_whole_months(main);
                if whole {
                    calendar::unit_before(main, months)
                } else {
                    Span::new(plus(plus_months(main.from, -months), -days), plus(plus_months(main.to, -months), -days))
                }
            }
            Self::SameDaysOf(span) => {
                let from = Date::new(span.from.year(), span.from.month(), main.from.day()).unwrap_or(span.from);
                Span::new(from, plus(from, main.days() - 1).min(span.to.max(from)))
            }
            Self::Before(unit) => match unit {
                Unit::Month if calendar::is_whole_months(main) => {
                    calendar::unit_before(main, calendar::month_count(main))
                }
                Unit::Month => calendar::month_of(plus(main.from.first_of_month(), -1)),
                Unit::Quarter => calendar::quarter_of(plus(calendar::quarter_of(main.from).from, -1)),
                Unit::Year if main.days() > 300 => calendar::unit_before(main, 12),
                Unit::Year => Self::Shift { months: 12, days: 0 }.resolve(main),
                // A rolling or calendar week compares with the seven days before it; a part of a week compares with the whole week before.
                Unit::Week if main.days() == 7 => calendar::directly_before(main),
                Unit::Week if main.days() < 7 => {
                    let week = calendar::week_of(main.from);
                    Span::new(plus(week.from, -7), plus(week.from, -1))
                }
                Unit::Weekend => Span::new(plus(main.from, -7), plus(main.to, -7)),
                _ => calendar::directly_before(main),
            },
        }
    }

    pub fn kind(self, main: Span) -> &'static str {
        match self {
            Self::Named(_) => "custom",
            Self::Shift { months: 12, .. } | Self::Before(Unit::Year) => "previous_year",
            Self::Shift { months: 1, .. } | Self::SameDaysOf(_) | Self::Before(Unit::Month) => "previous_month",
            Self::Shift { days: 7, .. } if main.days() == 1 => "same_day_last_week",
            Self::Shift { days: 7, .. } | Self::Before(Unit::Week) => "previous_week",
            Self::Shift { days: 1, .. } | Self::Before(Unit::Day) => "previous_day",
            Self::Before(Unit::Quarter) => "previous_quarter",
            Self::Previous | Self::Shift { .. } | Self::Before(_) => "previous_period",
        }
    }
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" => Unit::Day,
        "week" | "wk" => Unit::Week,
        "weekend" => Unit::Weekend,
        "month" => Unit::Month,
        "quarter" => Unit::Quarter,
        "year" => Unit::Year,
        "period" | "window" | "stretch" | "time" | "one" => Unit::Days,
        _ => return None,
    })
}

/// Reads an expression that depends on the main period: "the week before", "previous period", "same days of October", "a year ago". Also
/// returns how many tokens it takes.
pub(crate) fn leaning(tokens: &[Token], at: usize, today: Date) -> Option<(CompareRef, usize)> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.stem.as_str());
    let skip = usize::from(matches!(word(0), "the" | "a" | "an" | "it" | "to"));
    if skip > 0 && !matches!(word(0), "a" | "an") {
        return leaning(tokens, at + skip, today).map(|(r, n)| (r, n + skip));
    }
    if matches!(word(0), "same" | "equivalent" | "corresponding" | "matching") {
        return same(tokens, at, today);
    }
    if matches!(word(0), "previous" | "prior" | "preceding" | "earlier") || (word(0) == "last" && word(1) == "period") {
        let number = tokens.get(at + 1).is_some_and(|t| t.number().is_some());
        if number {
            return Some((CompareRef::Previous, if unit(word(2)).is_some() { 3 } else { 2 }));
        }
        if let Some(u) = unit(word(1)) {
            return Some((
                if u == Unit::Days || word(1) != word_norm(tokens, at + 1) {
                    CompareRef::Previous
                } else {
                    CompareRef::Before(u)
                },
                2,
            ));
        }
        return (word(0) == "previous" || word(0) == "prior").then_some((CompareRef::Previous, 1));
    }
    // "the Friday before"
    if super::is_weekday(word(0)) && matches!(word(1), "before" | "prior" | "earlier") {
        return Some((CompareRef::Shift { months: 0, days: 7 }, 2));
    }
    // "day before yesterday" and "the week before 5 November" have their own dates.
    if super::edges::beside(tokens, at, today).is_some() {
        return None;
    }
    let number = tokens.get(at).is_some_and(|t| t.number().is_some() && t.kind != Kind::Punct(' '));
    let base = usize::from(number || matches!(word(0), "a" | "an"));
    if let Some(u) = unit(word(base)) {
        match word(base + 1) {
            "before" if word(base + 2) == "yesterday" => return None,
            "before" | "prior" | "preceding" => {
                let n = base + 2 + usize::from(matches!(word(base + 2), "that" | "them" | "it" | "those" | "last"));
                return Some((if number || u == Unit::Days { CompareRef::Previous } else { CompareRef::Before(u) }, n));
            }
            "ago" | "earlier" => {
                let r = match u {
                    Unit::Year => CompareRef::Shift { months: 12, days: 0 },
                    Unit::Quarter => CompareRef::Shift { months: 3, days: 0 },
                    Unit::Month => CompareRef::Shift { months: 1, days: 0 },
                    Unit::Week | Unit::Weekend => CompareRef::Shift { months: 0, days: 7 },
                    _ => CompareRef::Shift { months: 0, days: 1 },
                };
                return (!number).then_some((r, base + 2));
            }
            _ => {}
        }
    }
    if number && word(1) == "before" {
        return Some((CompareRef::Previous, 2 + usize::from(matches!(word(2), "that" | "them" | "it" | "those"))));
    }
    None
}

fn word_norm(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |t| t.norm.as_str())
}

fn same(tokens: &[Token], at: usize, today: Date) -> Option<(CompareRef, usize)> {
    let mut i = at + 1;
    while tokens.get(i).is_some_and(|t| {
        t.any(&[
            "period",
            "day",
            "days",
            "date",
            "time",
            "week",
            "month",
            "weekday",
            "span",
            "stretch",
            "range",
            "quarter",
            "weekend",
            "timeframe",
            "of",
            "in",
            "from",
            "the",
            "a",
            "one",
        ])
    }) && !tokens.get(i + 1).is_some_and(|t| t.any(&["ago", "earlier", "before"]))
    {
        i += 1;
    }
    let word = |n: usize| tokens.get(i + n).map_or("", |t| t.stem.as_str());
    let lead = usize::from(matches!(word(0), "last" | "previous" | "prior" | "past"));
    let shift = match word(lead) {
        "year" => Some((12, 0)),
        "quarter" => Some((3, 0)),
        "month" => Some((1, 0)),
        "week" => Some((0, 7)),
        _ => None,
    };
    if let Some((months, days)) = shift {
        let more = usize::from(matches!(word(lead + 1), "ago" | "before" | "earlier"));
        if lead + more > 0 {
            return Some((CompareRef::Shift { months, days }, i + lead + 1 + more - at));
        }
    }
    let named = period_at(tokens, i, today)?;
    Some((CompareRef::SameDaysOf(named.span), named.end() - at))
}

const SHORT: &[(&str, CompareRef)] = &[
    ("wow", CompareRef::Shift { months: 0, days: 7 }),
    ("mom", CompareRef::Shift { months: 1, days: 0 }),
    ("yoy", CompareRef::Shift { months: 12, days: 0 }),
    ("dod", CompareRef::Shift { months: 0, days: 1 }),
    ("qoq", CompareRef::Shift { months: 3, days: 0 }),
];

fn over(tokens: &[Token], at: usize) -> Option<CompareRef> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    let i = [1, 2].into_iter().find(|n| matches!(word(*n), "over" | "on"))?;
    let other = if tokens.get(at + i + 1).is_some_and(|t| t.is_punct('-')) { i + 2 } else { i + 1 };
    if word(0) != word(other) {
        return None;
    }
    Some(match word(0) {
        "day" => CompareRef::Shift { months: 0, days: 1 },
        "week" => CompareRef::Shift { months: 0, days: 7 },
        "month" => CompareRef::Shift { months: 1, days: 0 },
        "quarter" => CompareRef::Shift { months: 3, days: 0 },
        "year" => CompareRef::Shift { months: 12, days: 0 },
        _ => return None,
    })
}

/// Returns how many tokens a marker such as "vs" takes at `at`.
fn marker(tokens: &[Token], at: usize, comparing: bool) -> Option<usize> {
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    match (word(0), word(1)) {
        ("vs" | "versus" | "v", _) => Some(1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is_punct('.')))),
        ("against" | "than" | "→" | "vs.", _) => Some(1),
        (
            "compared" | "compare" | "relative" | "comparing" | "comparison" | "next" | "up" | "down" | "changed"
            | "change",
            "to" | "with" | "against" | "from",
        ) => Some(2),
        ("compare" | "comparing", "it" | "that" | "this" | "them" | "these") => Some(3),
        ("with" | "to" | "and", _) if comparing => Some(1),
        _ => None,
    }
}

/// For "compared to last month" with no other period, returns the current month so far. Weeks, quarters and years work the same way.
fn running(named: Period, today: Date) -> Option<Period> {
    let from = match named.unit {
        Unit::Week => calendar::week_of(today).from,
        Unit::Month => today.first_of_month(),
        Unit::Quarter => calendar::quarter_of(today).from,
        Unit::Year => today.first_of_year(),
        _ => return None,
    };
    (named.span.to < from).then_some(Period { span: Span::new(from, today), ..named })
}

/// Picks the main period: the first range, else the first period.
fn asked(found: &[Period]) -> Option<Period> {
    found.iter().find(|p| p.unit == Unit::Range).or(found.first()).copied()
}

/// Splits the periods of a text into the main one and the one it is compared with.
pub fn comparison(tokens: &[Token], found: &[Period], today: Date) -> (Option<Period>, Option<CompareRef>) {
    let comparing = tokens.iter().any(|t| t.any(&["compare", "comparing", "comparison", "compared"]));
    // Days that the text leaves out are not a period to report on.
    let found: Vec<Period> = found.iter().filter(|p| !matches!(p.edge, Edge::Without | Edge::Apart)).copied().collect();
    let found = found.as_slice();
    for at in 0..tokens.len() {
        let Some(token) = tokens.get(at) else { break };
        if matches!(token.kind, Kind::Literal) {
            continue;
        }
        if let Some((_, r)) = SHORT.iter().find(|(w, _)| token.norm == *w) {
            return (found.first().copied(), Some(*r));
        }
        if let Some(r) = over(tokens, at) {
            return (found.iter().find(|p| p.at != at).copied(), Some(r));
        }
        let Some(len) = marker(tokens, at, comparing) else { continue };
        let main = found.iter().rfind(|p| p.at < at).copied();
        let mut start = at + len;
        // "than in the same days", "than during the week before"
        if tokens.get(start).is_some_and(|t| t.any(&["in", "on", "during", "over", "for"]))
            && leaning(tokens, start + 1, today).is_some()
        {
            start += 1;
        }
        if let Some((r, n)) = leaning(tokens, start, today) {
            let other = found.iter().find(|p| p.at >= start + n && p.end() > start + n).copied();
            return (main.or(other), Some(r));
        }
        if let Some(named) = found.iter().find(|p| {
            p.at == start
                || p.at == start + 1 && tokens[start].any(&["the", "a", "in", "with", "to", "of", "that", "what"])
        }) {
            // "september → october": the arrow points at the later period, which is the main one.
            if token.is_punct('→') {
                if let Some(first) = main {
                    return (Some(*named), Some(CompareRef::Named(first.span)));
                }
                return (Some(*named), None);
            }
            if main.is_some() || marker(tokens, at, false).is_some() {
                let later = found.iter().find(|p| p.at > named.at).copied();
                return (main.or(later).or_else(|| running(*named, today)), Some(CompareRef::Named(named.span)));
            }
        }
        // "this week against last"
        if tokens.get(start).is_some_and(|t| t.any(&["last", "previous"]))
            && let Some(m) = main
            && !found.iter().any(|p| p.at == start)
        {
            return (main, Some(CompareRef::Before(m.unit)));
        }
    }
    (asked(found), None)
}
