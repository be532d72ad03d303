//! Formats numbers, dates and lists as a person writes them. This must never round a number that a sum is made of.

use adagent_contract::Value;
use jiff::civil::Date;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

pub(super) fn month_name(date: Date) -> &'static str {
    usize::try_from(date.month()).ok().and_then(|m| MONTHS.get(m - 1)).copied().unwrap_or("?")
}

/// Returns `Nov 20, 2026`.
pub(super) fn day(date: Date) -> String {
    format!("{}, {}", short(date), date.year())
}

/// Returns `Nov 20`, for places where the year is clear.
pub(super) fn short(date: Date) -> String {
    format!("{} {}", month_name(date), date.day())
}

/// Returns `Nov 20, 2026`, `Nov 14–20, 2026`, `Oct 24 – Nov 20, 2026` or `Dec 24, 2025 – Jan 3, 2026`.
pub(super) fn range(from: Date, to: Date) -> String {
    if from == to {
        day(to)
    } else if from.year() != to.year() {
        format!("{} – {}", day(from), day(to))
    } else if from.month() != to.month() {
        format!("{} – {}", short(from), day(to))
    } else {
        format!("{}–{}, {}", short(from), to.day(), to.year())
    }
}

/// Returns "on Nov 20, 2026" or "over Nov 14–20, 2026".
pub(super) fn when(from: Date, to: Date) -> String {
    if from == to { format!("on {}", day(from)) } else { format!("over {}", range(from, to)) }
}

pub(super) fn thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Formats a value for running text.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Money { money } => money.display(2),
        Value::Count { value } => thousands(*value),
        Value::Percent { value } => format!("{}%", decimals(*value, 1)),
        Value::Number { value } => decimals(*value, 1),
        Value::Date { value } | Value::Text { value } => value.clone(),
        Value::Entity { name, .. } => name.clone(),
        Value::Missing => "no data".to_owned(),
    }
}

/// Returns days in the words of a question: "yesterday", "last week". A question with these words asks for the newest days each time.
pub(super) fn spoken(from: Date, to: Date, today: Date) -> String {
    use jiff::ToSpan as _;
    let yesterday = today.saturating_sub(1.day());
    let monday = today.saturating_sub(i64::from(today.weekday().to_monday_zero_offset()).days());
    let first = today.first_of_month();
    let before = first.saturating_sub(1.day());
    let count = (to - from).get_days() + 1;
    match (from, to) {
        (from, to) if from == to && to == today => "today".to_owned(),
        (from, to) if from == to && to == yesterday => "yesterday".to_owned(),
        (from, to) if from == to => format!("on {from}"),
        (from, to) if from == monday.saturating_sub(7.days()) && to == monday.saturating_sub(1.day()) => {
            "last week".to_owned()
        }
        (from, to) if from == before.first_of_month() && to == before => "last month".to_owned(),
        (from, to) if from == monday && to == today => "this week".to_owned(),
        (from, to) if from == first && to == today => "this month".to_owned(),
        (_, to) if to == yesterday => format!("last {count} days"),
        (from, to) => format!("from {from} to {to}"),
    }
}

/// Returns days as people read them, without the year if it is the current one.
pub(crate) fn days(from: Date, to: Date, today: Date) -> String {
    let this_year = from.year() == to.year() && to.year() == today.year();
    let words = range(from, to);
    if this_year { words.trim_end_matches(&format!(", {}", to.year())).to_owned() } else { words }
}

/// Formats a number with exactly `places` decimals, and never as `-0`.
pub(super) fn decimals(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    if text.trim_start_matches('-').bytes().all(|b| b == b'0' || b == b'.') {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }
}

/// Returns "a", "a and b" or "a, b and c".
pub(super) fn and(items: &[String]) -> String {
    joined(items, "and")
}

pub(super) fn or(items: &[String]) -> String {
    joined(items, "or")
}

fn joined(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} {word} {last}", head.join(", ")),
    }
}

/// Returns "1 row" or "3 rows".
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {many}", thousands(i64::try_from(n).unwrap_or(i64::MAX))) }
}

/// Escapes a name and cuts it to 120 characters. Names come from networks and people, so nothing in them may act as Markdown.
pub(super) fn plain(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !c.is_control()).take(120) {
        if matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '>' | '|' | '\\' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn ranges_name_month_and_year_only_where_they_differ() {
        let cases = [
            (date(2026, 11, 20), date(2026, 11, 20), "Nov 20, 2026"),
            (date(2026, 11, 14), date(2026, 11, 20), "Nov 14–20, 2026"),
            (date(2026, 10, 24), date(2026, 11, 20), "Oct 24 – Nov 20, 2026"),
            (date(2025, 12, 24), date(2026, 1, 3), "Dec 24, 2025 – Jan 3, 2026"),
        ];
        for (from, to, expected) in cases {
            assert_eq!(range(from, to), expected);
        }
    }

    #[test]
    fn days_are_asked_for_as_they_move_along() {
        let today = date(2026, 11, 26);
        for (from, to, expected) in [
            (date(2026, 11, 25), date(2026, 11, 25), "yesterday"),
            (date(2026, 11, 16), date(2026, 11, 22), "last week"),
            (date(2026, 10, 1), date(2026, 10, 31), "last month"),
            (date(2026, 11, 1), date(2026, 11, 26), "this month"),
            (date(2026, 11, 19), date(2026, 11, 25), "last 7 days"),
            (date(2026, 9, 3), date(2026, 9, 9), "from 2026-09-03 to 2026-09-09"),
        ] {
            assert_eq!(spoken(from, to, today), expected);
        }
    }

    #[test]
    fn names_lose_their_markdown_and_control_characters() {
        assert_eq!(plain("**Boom**\n[x](http://y)"), "\\*\\*Boom\\*\\*\\[x\\](http://y)");
    }

    #[test]
    fn small_negative_changes_do_not_read_as_minus_zero() {
        assert_eq!(decimals(-0.04, 1), "0.0");
        assert_eq!(decimals(-4.06, 1), "-4.1");
        assert_eq!(thousands(-1_234_567), "-1,234,567");
    }
}
