//! Formats typed values as text: numbers, dates, durations. Pure; the caller passes the time and the zone.
//!
//! Dates are civil and parsed by hand: a time-zone database would cost the browser more than the rest of this file.

use adagent_contract::{ColumnKind, Value};
use adagent_domain::{Currency, Money, Timestamp};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/// Shown in place of a missing number.
pub const MISSING: &str = "–";

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Civil {
    pub year: i64,
    pub month: u32,
    pub day: u32,
}

impl Civil {
    /// Parses `2026-11-20` and no other form.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
            return None;
        }
        let date = Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        ((1..=12).contains(&date.month) && (1..=days_in_month(date.year, date.month)).contains(&date.day))
            .then_some(date)
    }

    /// Returns the days since 1970-01-01, by the era arithmetic of the proleptic Gregorian calendar.
    pub fn days(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let month = i64::from((self.month + 9) % 12);
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    pub fn from_days(days: i64) -> Self {
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = small(of_year - (153 * shifted_month + 2) / 5 + 1);
        let month = small(if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 });
        Self { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    pub fn month_name(self) -> &'static str {
        self.month.checked_sub(1).and_then(|m| MONTHS.get(m as usize)).copied().unwrap_or("?")
    }

    fn weekday(self) -> &'static str {
        // 1970-01-01 was a Thursday.
        WEEKDAYS.get(small((self.days() + 3).rem_euclid(7)) as usize).copied().unwrap_or("?")
    }
}

fn small(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Formats a date as `Nov 20, 2026` and a month (`2026-11`) as `Nov 2026`. Any other text stays as it is.
pub fn date(text: &str) -> String {
    if let Some(d) = Civil::parse(text) {
        return format!("{} {}, {}", d.month_name(), d.day, d.year);
    }
    month(text).unwrap_or_else(|| text.to_owned())
}

/// Formats `Nov 20`, for axes and legends.
pub fn short_date(text: &str) -> String {
    if let Some(d) = Civil::parse(text) {
        return format!("{} {}", d.month_name(), d.day);
    }
    month(text).unwrap_or_else(|| text.to_owned())
}

/// Formats `Fri, Nov 20`, for tooltips.
pub fn weekday_date(text: &str) -> String {
    if let Some(d) = Civil::parse(text) {
        return format!("{}, {} {}", d.weekday(), d.month_name(), d.day);
    }
    month(text).unwrap_or_else(|| text.to_owned())
}

fn month(text: &str) -> Option<String> {
    let d = Civil::parse(&format!("{text}-01"))?;
    Some(format!("{} {}", d.month_name(), d.year))
}

/// Returns the date of an instant on a wall clock that is this many minutes ahead of UTC.
pub fn civil_of(at: Timestamp, offset_minutes: i32) -> Civil {
    Civil::from_days((at.as_seconds() + i64::from(offset_minutes) * 60).div_euclid(86_400))
}

fn minutes_of_day(at: Timestamp, offset_minutes: i32) -> i64 {
    (at.as_seconds() + i64::from(offset_minutes) * 60).rem_euclid(86_400) / 60
}

/// Formats `09:42`.
pub fn time_of_day(at: Timestamp, offset_minutes: i32) -> String {
    let minutes = minutes_of_day(at, offset_minutes);
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Formats `Nov 21, 2026, 10:11:09 UTC`.
pub fn date_time_utc(at: Timestamp) -> String {
    let day = civil_of(at, 0);
    let seconds = at.as_seconds().rem_euclid(60);
    format!("{} {}, {}, {}:{seconds:02} UTC", day.month_name(), day.day, day.year, time_of_day(at, 0))
}

/// Formats a duration, such as `3 ms`, `1.8 s` or `2 min 5 s`.
pub fn duration(millis: u64) -> String {
    match millis {
        0 => "<1 ms".into(),
        1..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}

/// Formats a duration that may be far below a millisecond, such as `0.2 ms` or `3.4 ms`; longer ones as [`duration`] does.
pub fn precise(micros: u64) -> String {
    match micros {
        0..50 => "<0.1 ms".into(),
        50..10_000 => {
            let tenths = (micros + 50) / 100;
            format!("{}.{} ms", tenths / 10, tenths % 10)
        }
        _ => duration(micros / 1000),
    }
}

/// Shortens a text to this many characters.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most).chain(['…']).collect() }
}

/// Returns the name of an entity. For an account without a name, returns the end of its ID, which distinguishes it from others.
pub fn entity_name(name: &str, id: &str) -> String {
    let bare = id.rsplit('/').next().unwrap_or(id);
    match bare.strip_prefix("pub-") {
        Some(digits) if (name == id || name == bare) && digits.len() > 4 && digits.is_ascii() => {
            format!("Account …{}", &digits[digits.len() - 4..])
        }
        _ => name.to_owned(),
    }
}

/// Returns a time zone as people write it.
pub fn zone(zone: &str) -> String {
    match zone {
        "Etc/UTC" => "UTC".to_owned(),
        zone => zone.replace('_', " "),
    }
}

/// Formats a count, such as `1,204,990`.
pub fn count(value: i64) -> String {
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

/// Formats a number with thousands separators and this many decimals; `-0` becomes `0`.
pub fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = whole.parse::<i64>().map_or_else(|_| whole.to_owned(), count);
    let sign = if value < 0.0 && text.bytes().any(|b| b.is_ascii_digit() && b != b'0') { "-" } else { "" };
    if fraction.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{fraction}") }
}

/// Formats a number that is neither money nor a count: up to two decimals, none if it is whole.
fn number(value: f64) -> String {
    let text = decimal(value, 2);
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

/// Formats a value for tables, tiles and prose.
pub fn value(value: &Value) -> String {
    match value {
        Value::Money { money } => money.display(2),
        Value::Count { value } => count(*value),
        Value::Percent { value } => format!("{}%", decimal(*value, 1)),
        Value::Number { value } => number(*value),
        Value::Date { value } => date(value),
        Value::Text { value } => value.clone(),
        Value::Entity { name, .. } => name.clone(),
        Value::Missing => MISSING.into(),
    }
}

/// Formats a value for chart tooltips and bars: large amounts of money have no decimals.
pub fn value_short(shown: &Value) -> String {
    match shown {
        Value::Money { money } if money.micros.unsigned_abs() >= 100_000_000 => money.display(0),
        other => value(other),
    }
}

/// The unit of a chart's values, for its axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Money(Currency),
    Percent,
    Plain,
}

impl Unit {
    pub const fn of(value: &Value) -> Self {
        match value {
            Value::Money { money } => Self::Money(money.currency),
            Value::Percent { .. } => Self::Percent,
            _ => Self::Plain,
        }
    }

    /// Formats a tick of the axis. `step` decides how many decimals are needed to distinguish two ticks.
    pub fn tick(self, at: f64, step: f64) -> String {
        let decimals = if step >= 1.0 || step <= 0.0 {
            0
        } else if step >= 0.1 {
            1
        } else {
            2
        };
        match self {
            Self::Money(currency) => {
                #[expect(clippy::cast_possible_truncation, reason = "a tick; exactness is the table's business")]
                let micros = (at * 1e6) as i64;
                // Money has no decimals or two, never one.
                Money::new(currency, micros).display(if decimals == 0 { 0 } else { 2 })
            }
            Self::Percent => format!("{}%", decimal(at, decimals)),
            Self::Plain => decimal(at, decimals),
        }
    }
}

/// Checks whether a column holds numbers, which are right-aligned.
pub const fn is_numeric(kind: ColumnKind) -> bool {
    matches!(kind, ColumnKind::Money | ColumnKind::Count | ColumnKind::Percent | ColumnKind::Number)
}

/// Formats a count with its noun: `plural(1, "row", "rows")` is `1 row`.
pub fn plural(n: usize, one: &str, many: &str) -> String {
    let shown = count(i64::try_from(n).unwrap_or(i64::MAX));
    format!("{shown} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn zones_read_as_people_write_them() {
        assert_eq!(zone("Etc/UTC"), "UTC");
        assert_eq!(zone("America/New_York"), "America/New York");
    }

    #[test]
    fn every_day_of_four_centuries_survives_the_round_trip() {
        for days in (-160_000..160_000).step_by(7) {
            assert_eq!(Civil::from_days(days).days(), days);
        }
        assert_eq!(Civil::from_days(0), Civil { year: 1970, month: 1, day: 1 });
    }

    #[test]
    fn dates_read_as_people_write_them_and_nonsense_stays_as_it_is() {
        assert_eq!(date("2026-11-20"), "Nov 20, 2026");
        assert_eq!(date("2026-11"), "Nov 2026");
        assert_eq!(weekday_date("2026-11-20"), "Fri, Nov 20");
        assert_eq!(short_date("2026-10-05"), "Oct 5");
        assert_eq!(date("2026-02-30"), "2026-02-30");
        assert_eq!(date("tomorrow"), "tomorrow");
        assert!(Civil::parse("2024-02-29").is_some());
        assert!(Civil::parse("2026-13-01").is_none());
    }

    #[test]
    fn a_point_in_time_for_support_is_in_utc() {
        assert_eq!(date_time_utc(at("2026-11-21T10:11:09Z")), "Nov 21, 2026, 10:11:09 UTC");
    }

    #[test]
    fn durations_use_one_or_two_units() {
        assert_eq!(duration(1849), "1.8 s");
        assert_eq!(duration(125_000), "2 min 5 s");
        assert_eq!(duration(3), "3 ms");
    }

    #[test]
    fn figures_keep_their_kind() {
        let money = Value::Money { money: Money::new(Currency::USD, 59_642_630_000) };
        assert_eq!(value(&money), "$59,642.63");
        assert_eq!(value_short(&money), "$59,643");
        assert_eq!(value(&Value::Count { value: -1_204_990 }), "-1,204,990");
        assert_eq!(value(&Value::Percent { value: 93.44 }), "93.4%");
        assert_eq!(value(&Value::Number { value: 15.0 }), "15");
        assert_eq!(value(&Value::Number { value: 1234.567 }), "1,234.57");
        assert_eq!(value(&Value::Missing), "–");
        assert_eq!(decimal(-0.001, 1), "0.0");
        assert_eq!(decimal(f64::NAN, 1), "–");
    }

    #[test]
    fn ticks_show_as_many_decimals_as_tell_them_apart() {
        let usd = Unit::Money(Currency::USD);
        assert_eq!(usd.tick(1500.0, 500.0), "$1,500");
        assert_eq!(usd.tick(0.5, 0.25), "$0.50");
        assert_eq!(Unit::Percent.tick(97.5, 0.5), "97.5%");
        assert_eq!(Unit::Plain.tick(200_000.0, 100_000.0), "200,000");
    }

    #[test]
    fn an_account_without_a_name_is_told_by_the_end_of_its_id() {
        assert_eq!(entity_name("pub-3940256099942544", "pub-3940256099942544"), "Account …2544");
        assert_eq!(entity_name("pub-3940256099942544", "accounts/pub-3940256099942544"), "Account …2544");
        assert_eq!(entity_name("Acme Games", "pub-3940256099942544"), "Acme Games");
        assert_eq!(entity_name("pub", "pub"), "pub");
    }

    #[test]
    fn short_times_keep_a_decimal() {
        let told: Vec<String> = [3, 180, 950, 3_420, 9_990, 41_500].into_iter().map(precise).collect();
        assert_eq!(told, ["<0.1 ms", "0.2 ms", "1.0 ms", "3.4 ms", "10.0 ms", "41 ms"]);
    }
}
