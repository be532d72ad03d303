//! Turns the date range of a definition into its first and last day.

use jiff::Span;
use jiff::civil::{Date, Weekday};
use serde_json::Value;

use crate::networks::admob::errors::ApiError;
use crate::world::books::DAYS_KEPT;

fn plus(date: Date, days: i64) -> Date {
    date.saturating_add(Span::new().days(days))
}

/// Returns the first day of the month that is this many months later.
fn month(date: Date, later: i64) -> Date {
    date.first_of_month().saturating_add(Span::new().months(later))
}

fn quarter(date: Date) -> Date {
    month(date, -i64::from((date.month() - 1) % 3))
}

fn year(date: Date, later: i64) -> Date {
    month(date, -i64::from(date.month() - 1)).saturating_add(Span::new().years(later))
}

/// Reads a day such as `{"year": 2026, "month": 11, "day": 20}`.
pub fn day(value: &Value, path: &str) -> Result<Date, ApiError> {
    let part = |name: &str| value[name].as_i64().unwrap_or(0);
    let wrong = || ApiError::invalid(path, "is no day; year, month and day are expected");
    let (year, month, day) = (i16::try_from(part("year")), i8::try_from(part("month")), i8::try_from(part("day")));
    match (year, month, day) {
        (Ok(year), Ok(month), Ok(day)) => Date::new(year, month, day).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

/// Returns the first and last day of a range. For the range of a comparison, `main` is the range that it is compared with.
pub fn range(value: &Value, path: &str, today: Date, main: Option<(Date, Date)>) -> Result<(Date, Date), ApiError> {
    if let Some(fixed) = value.get("fixed") {
        let from = day(&fixed["startDate"], &format!("{path}.fixed.startDate"))?;
        let to = day(&fixed["endDate"], &format!("{path}.fixed.endDate"))?;
        return if from <= to { Ok((from, to)) } else { Err(ApiError::invalid(path, format!("{from} is after {to}"))) };
    }
    let word = value["relative"].as_str().unwrap_or_default();
    relative(word, today, main).ok_or_else(|| {
        let message = if word.is_empty() {
            "fixed or relative is required".to_owned()
        } else {
            format!("{word} is not valid here")
        };
        ApiError::invalid(path, message)
    })
}

fn relative(word: &str, today: Date, main: Option<(Date, Date)>) -> Option<(Date, Date)> {
    let yesterday = plus(today, -1);
    let monday = plus(today, -i64::from(today.weekday().since(Weekday::Monday)));
    let sunday = plus(today, -i64::from(today.weekday().since(Weekday::Sunday)));
    let full_months = |count: i64| (month(today, -count), plus(month(today, 0), -1));
    let days = |count: i64| (plus(today, -count), yesterday);
    Some(match word {
        "TODAY" => (today, today),
        "YESTERDAY" => (yesterday, yesterday),
        "TOMORROW" => (plus(today, 1), plus(today, 1)),
        "THIS_WEEK" => (monday, plus(monday, 6)),
        "THIS_WEEK_TO_DATE" => (monday, today),
        "THIS_WEEK_TO_YESTERDAY" => (monday, yesterday.max(monday)),
        "THIS_MONTH" => (month(today, 0), plus(month(today, 1), -1)),
        "THIS_MONTH_TO_DATE" => (month(today, 0), today),
        "THIS_MONTH_TO_YESTERDAY" => (month(today, 0), yesterday.max(month(today, 0))),
        "THIS_QUARTER" => (quarter(today), plus(month(quarter(today), 3), -1)),
        "THIS_QUARTER_TO_DATE" => (quarter(today), today),
        "THIS_QUARTER_TO_YESTERDAY" => (quarter(today), yesterday.max(quarter(today))),
        "THIS_YEAR" => (year(today, 0), plus(year(today, 1), -1)),
        "THIS_YEAR_TO_DATE" => (year(today, 0), today),
        "THIS_YEAR_TO_YESTERDAY" => (year(today, 0), yesterday.max(year(today, 0))),
        "LAST_WEEK" => (plus(monday, -7), plus(monday, -1)),
        "LAST_WEEK_STARTING_SUNDAY" => (plus(sunday, -7), plus(sunday, -1)),
        "LAST_MONTH" => full_months(1),
        "LAST_3_MONTHS" => full_months(3),
        "LAST_6_MONTHS" => full_months(6),
        "LAST_12_MONTHS" => full_months(12),
        "LAST_QUARTER" => (month(quarter(today), -3), plus(quarter(today), -1)),
        "LAST_YEAR" => (year(today, -1), plus(year(today, 0), -1)),
        "ALL_AVAILABLE" => (plus(today, -DAYS_KEPT), today),
        "NEXT_WEEK" => (plus(monday, 7), plus(monday, 13)),
        "NEXT_MONTH" => (month(today, 1), plus(month(today, 2), -1)),
        "NEXT_QUARTER" => (month(quarter(today), 3), plus(month(quarter(today), 6), -1)),
        "NEXT_3_MONTHS" => (month(today, 1), plus(month(today, 4), -1)),
        "NEXT_12_MONTHS" => (month(today, 1), plus(month(today, 13), -1)),
        "NEXT_90_DAYS" => (plus(today, 1), plus(today, 90)),
        "TO_END_OF_NEXT_MONTH" => (plus(today, 1), plus(month(today, 2), -1)),
        "PREVIOUS_PERIOD" => {
            let (from, to) = main?;
            let length = from.until(to).map_or(0, |span| i64::from(span.get_days())) + 1;
            (plus(from, -length), plus(from, -1))
        }
        "SAME_PERIOD_PREVIOUS_YEAR" => {
            let (from, to) = main?;
            let back = Span::new().years(-1);
            (from.saturating_add(back), to.saturating_add(back))
        }
        other => days(other.strip_prefix("LAST_")?.strip_suffix("_DAYS")?.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn relative_ranges_start_and_end_where_the_reference_says() {
        let today = date(2026, 11, 21);
        let of = |word: &str| relative(word, today, Some((date(2026, 11, 14), date(2026, 11, 20)))).unwrap();
        assert_eq!(of("LAST_7_DAYS"), (date(2026, 11, 14), date(2026, 11, 20)));
        assert_eq!(of("THIS_WEEK"), (date(2026, 11, 16), date(2026, 11, 22)));
        assert_eq!(of("LAST_WEEK"), (date(2026, 11, 9), date(2026, 11, 15)));
        assert_eq!(of("LAST_WEEK_STARTING_SUNDAY"), (date(2026, 11, 8), date(2026, 11, 14)));
        assert_eq!(of("LAST_MONTH"), (date(2026, 10, 1), date(2026, 10, 31)));
        assert_eq!(of("LAST_QUARTER"), (date(2026, 7, 1), date(2026, 9, 30)));
        assert_eq!(of("LAST_12_MONTHS"), (date(2025, 11, 1), date(2026, 10, 31)));
        assert_eq!(of("LAST_YEAR"), (date(2025, 1, 1), date(2025, 12, 31)));
        assert_eq!(of("PREVIOUS_PERIOD"), (date(2026, 11, 7), date(2026, 11, 13)));
        assert_eq!(of("SAME_PERIOD_PREVIOUS_YEAR"), (date(2025, 11, 14), date(2025, 11, 20)));
        assert!(relative("PREVIOUS_PERIOD", today, None).is_none() && relative("SOME_DAY", today, None).is_none());
        for (word, _) in super::super::super::schema::members("ReportDefinition.DateRange.RelativeDateRange") {
            assert!(relative(word, today, Some((today, today))).is_some(), "{word}");
        }
    }
}
