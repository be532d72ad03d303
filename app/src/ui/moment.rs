//! Points and spans of time as the reader writes them. Pure; the caller passes the time, the reader's offset from UTC, and their
//! locale.

use adagent_domain::Timestamp;

use super::format::{Civil, civil_of};

/// How the reader writes dates and times. Words are English in every locale, because the pages are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Locale {
    /// Such as `Nov 20, 2026` and `2:05 PM`.
    #[default]
    Us,
    /// Such as `20 Nov 2026` and `14:05`.
    DayFirst,
}

impl Locale {
    /// Picks the locale for a language tag such as `en-US` or `de-DE`. English without a country is American.
    pub fn of(tag: &str) -> Self {
        let mut parts = tag.split(['-', '_']);
        let language = parts.next().unwrap_or_default();
        let country = parts.find(|part| part.len() == 2).map(str::to_ascii_uppercase);
        match country.as_deref() {
            None | Some("US" | "CA" | "PH") if language.eq_ignore_ascii_case("en") => Self::Us,
            _ => Self::DayFirst,
        }
    }

    fn day(self, day: Civil) -> String {
        match self {
            Self::Us => format!("{} {}", day.month_name(), day.day),
            Self::DayFirst => format!("{} {}", day.day, day.month_name()),
        }
    }

    fn date(self, day: Civil) -> String {
        match self {
            Self::Us => format!("{}, {}", self.day(day), day.year),
            Self::DayFirst => format!("{} {}", self.day(day), day.year),
        }
    }

    /// Formats the date, with the year only if it is not this year.
    fn short(self, day: Civil, today: Civil) -> String {
        if day.year == today.year { self.day(day) } else { self.date(day) }
    }

    fn time(self, minutes_of_day: i64) -> String {
        let (hour, minute) = (minutes_of_day / 60, minutes_of_day % 60);
        match self {
            Self::DayFirst => format!("{hour:02}:{minute:02}"),
            Self::Us => {
                let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
                // A no-break space, because the two belong on one line.
                format!("{twelve}:{minute:02}\u{a0}{}", if hour < 12 { "AM" } else { "PM" })
            }
        }
    }
}

/// Where and when the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    pub now: Timestamp,
    pub offset_minutes: i32,
    pub locale: Locale,
}

impl Reader {
    fn civil(self, at: Timestamp) -> Civil {
        civil_of(at, self.offset_minutes)
    }

    /// Formats `Nov 20, 2026`.
    pub fn date(self, at: Timestamp) -> String {
        self.locale.date(self.civil(at))
    }

    /// Formats `9:42 AM`.
    pub fn time_of_day(self, at: Timestamp) -> String {
        let seconds = at.as_seconds() + i64::from(self.offset_minutes) * 60;
        self.locale.time(seconds.rem_euclid(86_400) / 60)
    }

    /// Formats `9:42 AM` today and `Nov 20, 9:42 AM` this year; for earlier years, adds the year.
    pub fn clock_time(self, at: Timestamp) -> String {
        let (day, today) = (self.civil(at), self.civil(self.now));
        let time = self.time_of_day(at);
        if day == today { time } else { format!("{}, {time}", self.locale.short(day, today)) }
    }

    /// Formats an age for small spaces: `now`, `12m`, `3h`, `2d`; a date if it is more than a week.
    pub fn age(self, at: Timestamp) -> String {
        match self.now.millis_since(at) / 1000 {
            ..60 => "now".into(),
            seconds @ 60..3600 => format!("{}m", seconds / 60),
            seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
            seconds @ 86_400..604_800 => format!("{}d", seconds / 86_400),
            _ => self.locale.short(self.civil(at), self.civil(self.now)),
        }
    }

    /// Formats how long ago something was, for use in a sentence: `just now`, `12 minutes ago`, `3 hours ago`; a date if it is
    /// more than a week.
    pub fn ago(self, at: Timestamp) -> String {
        match self.now.millis_since(at) / 1000 {
            ..60 => "just now".into(),
            seconds @ 60..3600 => format!("{} ago", counted(seconds / 60, "minute")),
            seconds @ 3600..86_400 => format!("{} ago", counted(seconds / 3600, "hour")),
            seconds @ 86_400..604_800 => format!("{} ago", counted(seconds / 86_400, "day")),
            _ => self.locale.short(self.civil(at), self.civil(self.now)),
        }
    }

    /// Formats the time left in one unit, rounded to the nearest: `7 days`, `23 hours`, `12 minutes`; `None` once it has passed.
    /// Rounding down would turn a week that was just set into six days.
    pub fn left(self, until: Timestamp) -> Option<String> {
        let millis = until.millis_since(self.now);
        let nearest = |unit: i64| (millis + unit * 500) / (unit * 1000);
        match (nearest(60), nearest(3600)) {
            _ if millis < 1000 => None,
            _ if millis < 60_000 => Some("less than a minute".into()),
            (minutes @ ..60, _) => Some(counted(minutes, "minute")),
            (_, hours @ ..48) => Some(counted(hours, "hour")),
            _ => Some(counted(nearest(86_400), "day")),
        }
    }
}

fn counted(count: i64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    fn reader(locale: Locale, offset_minutes: i32) -> Reader {
        Reader { now: at("2026-11-21T09:00:00Z"), offset_minutes, locale }
    }

    #[test]
    fn americans_read_the_month_first_and_others_the_day() {
        for tag in ["en-US", "en", "EN-us", "en-CA", "en_US"] {
            assert_eq!(Locale::of(tag), Locale::Us, "{tag}");
        }
        for tag in ["de-DE", "de", "en-GB", "es-MX", "zh-Hant-TW", ""] {
            assert_eq!(Locale::of(tag), Locale::DayFirst, "{tag}");
        }
    }

    #[test]
    fn a_time_says_its_day_once_it_is_not_today_on_the_readers_clock() {
        let us = |text, offset| reader(Locale::Us, offset).clock_time(at(text)).replace('\u{a0}', " ");
        assert_eq!(us("2026-11-21T00:30:00Z", 0), "12:30 AM");
        assert_eq!(us("2026-11-21T08:05:00Z", 0), "8:05 AM");
        assert_eq!(us("2026-11-21T00:30:00Z", -120), "Nov 20, 10:30 PM");
        assert_eq!(us("2025-11-21T11:30:00Z", 60), "Nov 21, 2025, 12:30 PM");
        let other = |text, offset| reader(Locale::DayFirst, offset).clock_time(at(text));
        assert_eq!(other("2026-11-21T00:30:00Z", 0), "00:30");
        assert_eq!(other("2026-11-21T00:30:00Z", -120), "20 Nov, 22:30");
        assert_eq!(other("2025-11-21T00:30:00Z", 60), "21 Nov 2025, 01:30");
        assert_eq!(reader(Locale::Us, 0).date(at("2026-11-20T10:00:00Z")), "Nov 20, 2026");
        assert_eq!(reader(Locale::DayFirst, 0).date(at("2026-11-20T10:00:00Z")), "20 Nov 2026");
    }

    #[test]
    fn spans_of_time_use_one_unit() {
        let reader = reader(Locale::Us, 0);
        let now = reader.now;
        assert_eq!(reader.age(now.plus_seconds(-30)), "now");
        assert_eq!(reader.age(now.plus_seconds(-720)), "12m");
        assert_eq!(reader.age(now.plus_seconds(-10_800)), "3h");
        assert_eq!(reader.age(now.plus_seconds(5)), "now", "a clock ahead of the server's is not the future");
        assert_eq!(reader.ago(now.plus_seconds(5)), "just now");
        assert_eq!(reader.ago(now.plus_seconds(-60)), "1 minute ago");
        assert_eq!(reader.ago(now.plus_seconds(-10_800)), "3 hours ago");
        assert_eq!(reader.ago(now.plus_seconds(-200_000)), "2 days ago");
        assert_eq!(reader.ago(at("2026-11-01T09:00:00Z")), "Nov 1");
        assert_eq!(reader.ago(at("2025-11-01T09:00:00Z")), "Nov 1, 2025");
        assert_eq!(reader.left(now.plus_seconds(-1)), None);
        assert_eq!(reader.left(now.plus_seconds(30)).as_deref(), Some("less than a minute"));
        assert_eq!(reader.left(now.plus_seconds(3_590)).as_deref(), Some("1 hour"), "never 60 minutes");
        let (day, week) = (86_400, 7 * 86_400);
        assert_eq!(reader.left(now.plus_seconds(week)).as_deref(), Some("7 days"));
        assert_eq!(reader.left(now.plus_seconds(week - 1)).as_deref(), Some("7 days"), "just made for a week");
        assert_eq!(reader.left(now.plus_seconds(week - day / 2 - 1)).as_deref(), Some("6 days"));
        assert_eq!(reader.left(now.plus_seconds(2 * day - 1)).as_deref(), Some("2 days"));
        assert_eq!(reader.left(now.plus_seconds(day)).as_deref(), Some("24 hours"));
    }
}
