//! Converts calendar days to instants.

use jiff::{ToSpan as _, civil::Date, tz::TimeZone};

use crate::Timestamp;

/// Returns the start of the first day and the end of the last day in a time zone. `None` leaves that side open.
pub fn days_between(from: Option<Date>, to: Option<Date>, zone: &TimeZone) -> (Option<Timestamp>, Option<Timestamp>) {
    let begins =
        |day: Date| day.to_zoned(zone.clone()).ok().map(|at| Timestamp::from_micros(at.timestamp().as_microsecond()));
    (from.and_then(begins), to.and_then(|day| day.checked_add(1.day()).ok()).and_then(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_and_ends_where_its_zone_says() {
        let day = |text: &str| text.parse::<Date>().expect("a date");
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let (from, until) = days_between(Some(day("2026-11-25")), Some(day("2026-11-26")), &zone);
        assert_eq!(from.map(|at| at.to_string()).as_deref(), Some("2026-11-24T22:00:00Z"));
        assert_eq!(until.map(|at| at.to_string()).as_deref(), Some("2026-11-26T22:00:00Z"));
        assert_eq!(days_between(None, None, &zone), (None, None));
    }
}
