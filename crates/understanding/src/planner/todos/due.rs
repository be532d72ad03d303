//! Reads days in the future: "on Friday", "by the end of the month", "in two weeks". Reports look back, but to-dos look ahead.

use std::ops::Range;

use jiff::{Span, ToSpan as _, civil::Date};

use super::words::Word;
use crate::dates::month_of;

/// A day in the text, and the words that name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub from: Date,
    /// The same as `from`, except for a week or a month.
    pub to: Date,
    pub at: Range<usize>,
}

impl Said {
    /// Returns the due day. A day is due on that day, and a future week or month on its first day. The current week is due on Friday, or on
    /// its last day after that. The current month is due on its last day.
    pub fn due(&self, today: Date) -> Date {
        if self.from == self.to || self.from > today {
            return self.from;
        }
        let friday = self.to.saturating_sub(2.days());
        if is_week(self) && friday >= today { friday } else { self.to }
    }
}

fn is_week(said: &Said) -> bool {
    said.from.until(said.to).is_ok_and(|span| span.get_days() == 6)
}

const BEFORE: [&str; 17] = [
    "on",
    "by",
    "until",
    "till",
    "before",
    "due",
    "this",
    "coming",
    "the",
    "am",
    "bis",
    "zum",
    "diesen",
    "kommenden",
    "el",
    "para",
    "este",
];

/// Reads the day at these words, with the words that lead to it.
pub(super) fn at(words: &[Word], at: usize, today: Date) -> Option<Said> {
    let lead = words[at..].iter().take(3).take_while(|word| word.is(&BEFORE)).count();
    // "this" and "the" may belong to the day, so the longest reading counts.
    (0..=lead).find_map(|skip| {
        let (from, to, len) = bare(words, at + skip, today)?;
        Some(Said { from, to, at: at..at + skip + len })
    })
}

/// Reads the day at the end or the beginning of a text, where a text says when something is due.
pub(super) fn around(words: &[Word], today: Date) -> Option<Said> {
    let ends = (0..words.len()).filter_map(|from| at(words, from, today)).find(|said| said.at.end == words.len());
    ends.or_else(|| at(words, 0, today))
}

fn day(date: Date, len: usize) -> (Date, Date, usize) {
    (date, date, len)
}

fn plus(date: Date, days: i64) -> Date {
    date.saturating_add(days.days())
}

/// Returns a week from its Monday.
fn week(monday: Date, len: usize) -> (Date, Date, usize) {
    (monday, plus(monday, 6), len)
}

fn month(date: Date, len: usize) -> (Date, Date, usize) {
    (date.first_of_month(), date.last_of_month(), len)
}

fn monday(date: Date) -> Date {
    plus(date, -i64::from(date.weekday().to_monday_zero_offset()))
}

fn bare(words: &[Word], at: usize, today: Date) -> Option<(Date, Date, usize)> {
    let is = |offset: usize, any: &[&str]| words.get(at + offset).is_some_and(|word| word.is(any));
    let word = words.get(at)?;
    if let Ok(date) = word.text.parse::<Date>() {
        return Some(day(date, 1));
    }
    match word.text.as_str() {
        "today" | "tonight" | "eod" | "heute" | "hoy" => return Some(day(today, 1)),
        "tomorrow" | "tmrw" | "morgen" | "mañana" => return Some(day(plus(today, 1), 1)),
        "übermorgen" => return Some(day(plus(today, 2), 1)),
        "day" if is(1, &["after"]) && is(2, &["tomorrow"]) => return Some(day(plus(today, 2), 3)),
        "eow" => return Some(week(monday(today), 1)),
        "eom" => return Some(month(today, 1)),
        "end" if is(1, &["of"]) => {
            let articles = usize::from(is(2, &["the", "this"]));
            return match words.get(at + 2 + articles)?.text.as_str() {
                "day" => Some(day(today, 3 + articles)),
                "week" => Some(week(monday(today), 3 + articles)),
                "month" => Some(month(today, 3 + articles)),
                _ => None,
            };
        }
        "this" if is(1, &["week"]) => return Some(week(monday(today), 2)),
        "this" if is(1, &["month"]) => return Some(month(today, 2)),
        "next" if is(1, &["week"]) => return Some(week(plus(monday(today), 7), 2)),
        "next" if is(1, &["month"]) => return Some(month(today.last_of_month().saturating_add(1.day()), 2)),
        "next" => {
            let weekday = weekday(&words.get(at + 1)?.text)?;
            return Some(day(plus(monday(today), 7 + weekday), 2));
        }
        "in" | "within" => return span(words, at + 1, today).map(|(date, len)| day(date, len + 1)),
        _ => {}
    }
    if let Some(weekday) = weekday(&word.text) {
        let ahead = (weekday - i64::from(today.weekday().to_monday_zero_offset())).rem_euclid(7);
        // Today's weekday means a week from now, except in "this Thursday".
        let ahead = if ahead == 0 && !at.checked_sub(1).is_some_and(|at| words[at].is(&["this"])) { 7 } else { ahead };
        return Some(day(plus(today, ahead), 1));
    }
    named(words, at, today)
}

/// Reads "two weeks", "a month", "3 days".
fn span(words: &[Word], at: usize, today: Date) -> Option<(Date, usize)> {
    let count = &words.get(at)?.text;
    let count = match count.as_str() {
        "a" | "an" | "one" => 1,
        text => text.parse::<i64>().ok().or_else(|| counted(text))?,
    };
    let unit = words.get(at + 1)?;
    let date = match unit.text.trim_end_matches('s') {
        "day" => today.checked_add(Span::new().try_days(count).ok()?).ok()?,
        "week" => today.checked_add(Span::new().try_weeks(count).ok()?).ok()?,
        "month" => today.checked_add(Span::new().try_months(count).ok()?).ok()?,
        _ => return None,
    };
    Some((date, 2))
}

fn counted(text: &str) -> Option<i64> {
    let names = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    (2..).zip(names).find(|(_, name)| *name == text).map(|(count, _)| count)
}

/// Reads "December 3", "3rd of December 2026" or "the 30th": the next day with that date.
fn named(words: &[Word], at: usize, today: Date) -> Option<(Date, Date, usize)> {
    let text = |offset: usize| words.get(at + offset).map(|word| word.text.as_str());
    let (number, month, mut len) = if let Some(month) = text(0).and_then(month_of) {
        (ordinal(text(1)?)?, Some(month), 2)
    } else {
        let number = ordinal(text(0)?)?;
        let of = usize::from(text(1) == Some("of"));
        match text(1 + of).and_then(month_of) {
            Some(month) => (number, Some(month), 2 + of),
            // "the 30th" is a day, but a number alone is not.
            None if text(0)?.ends_with(char::is_alphabetic) => (number, None, 1),
            None => return None,
        }
    };
    let Some(month) = month else {
        let this = Date::new(today.year(), today.month(), number).ok().filter(|date| *date >= today);
        let next = today.last_of_month().saturating_add(1.day());
        return this.or_else(|| Date::new(next.year(), next.month(), number).ok()).map(|date| day(date, len));
    };
    let year = text(len).and_then(|text| text.parse::<i16>().ok()).filter(|year| (2000..3000).contains(year));
    let date = if let Some(year) = year {
        len += 1;
        Date::new(year, month, number).ok()?
    } else {
        let this = Date::new(today.year(), month, number).ok().filter(|date| *date >= today);
        this.or_else(|| Date::new(today.year() + 1, month, number).ok())?
    };
    Some(day(date, len))
}

/// Reads `3` or `3rd`.
fn ordinal(text: &str) -> Option<i8> {
    let number = ["st", "nd", "rd", "th"].into_iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    number.parse().ok().filter(|number| (1..=31).contains(number))
}

/// Returns the number of days after Monday.
fn weekday(text: &str) -> Option<i64> {
    const NAMES: [&[&str]; 7] = [
        &["monday", "mon", "mondays", "montag", "lunes"],
        &["tuesday", "tue", "tues", "dienstag", "martes"],
        &["wednesday", "wed", "mittwoch", "miércoles", "miercoles"],
        &["thursday", "thu", "thurs", "donnerstag", "jueves"],
        &["friday", "fri", "freitag", "viernes"],
        &["saturday", "sat", "samstag", "sonnabend", "sábado", "sabado"],
        &["sunday", "sun", "sonntag", "domingo"],
    ];
    (0..).zip(NAMES).find(|(_, names)| names.contains(&text)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::{super::words::words, *};

    /// A Thursday.
    const TODAY: Date = Date::constant(2026, 11, 26);

    #[test]
    fn days_that_lie_ahead_are_read() {
        for (text, due) in [
            ("check floors on Friday", "2026-11-27"),
            ("check floors today", "2026-11-26"),
            ("check floors by tomorrow", "2026-11-27"),
            ("the day after tomorrow check floors", "2026-11-28"),
            ("check floors on Thursday", "2026-12-03"),
            ("check floors this Thursday", "2026-11-26"),
            ("check floors next Friday", "2026-12-04"),
            ("check floors next week", "2026-11-30"),
            ("check floors this week", "2026-11-27"),
            ("check floors by the end of the week", "2026-11-27"),
            ("check floors by end of month", "2026-11-30"),
            ("check floors next month", "2026-12-01"),
            ("check floors in two weeks", "2026-12-10"),
            ("check floors in 3 days", "2026-11-29"),
            ("check floors in a month", "2026-12-26"),
            ("check floors on Dec 3", "2026-12-03"),
            ("check floors by 3rd of December", "2026-12-03"),
            ("check floors on January 5th, 2028", "2028-01-05"),
            ("check floors on March 1", "2027-03-01"),
            ("check floors on the 30th", "2026-11-30"),
            ("check floors by the 3rd", "2026-12-03"),
            ("check floors on 2026-12-24", "2026-12-24"),
        ] {
            let said = around(&words(text), TODAY).map(|said| said.due(TODAY).to_string());
            assert_eq!(said.as_deref(), Some(due), "{text}");
        }
        for text in
            ["check floors", "compare Friday's revenue with Saturday's numbers", "check 5 floors", "set floor to 3"]
        {
            assert_eq!(around(&words(text), TODAY), None, "{text}");
        }
    }
}
