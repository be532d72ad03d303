//! What hosted models may cost: the day that a moment belongs to, and the reservation before a call. This module decides nothing about
//! money; the store does, under the lock of the day's row.

use adagent_domain::Timestamp;
use adagent_run_core::Stop;
use adagent_store::{QuestionNumber, Reservation, Reserved, Run};
use jiff::tz::TimeZone;

use crate::live::Wanted;

/// A workspace's limit for one day. The limits of one run are in [`adagent_run_core::Limits`].
#[derive(Debug, Clone)]
pub struct Budget {
    pub daily_cost_micros: i64,
    /// The time zone whose midnight begins a new day.
    pub zone: TimeZone,
}

impl Default for Budget {
    fn default() -> Self {
        Self { daily_cost_micros: 20_000_000, zone: TimeZone::UTC }
    }
}

/// A day of the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// `2026-11-22`.
    pub name: String,
    /// When the next day begins.
    pub ends: Timestamp,
}

impl Budget {
    pub fn day(&self, now: Timestamp) -> Day {
        let date = now.to_jiff().to_zoned(self.zone.clone()).date();
        let next = date.tomorrow().and_then(|next| next.to_zoned(self.zone.clone()));
        let ends =
            next.map_or(now.plus_seconds(86_400), |next| Timestamp::from_micros(next.timestamp().as_microsecond()));
        Day { name: date.to_string(), ends }
    }

    /// Writes a moment for people.
    pub fn say(&self, at: Timestamp) -> String {
        at.to_jiff().to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
    }

    pub(crate) fn reservation(&self, run: &Run, wanted: &Wanted, now: Timestamp, expires_at: Timestamp) -> Reservation {
        Reservation {
            workspace: run.workspace,
            question: QuestionNumber::ONLY,
            day: self.day(now).name,
            model: wanted.model.clone(),
            input_tokens: wanted.input_tokens,
            output_tokens: wanted.output_tokens,
            cost_micros: wanted.cost_micros,
            ceiling_micros: self.daily_cost_micros,
            now,
            expires_at,
        }
    }

    /// Returns what the person is told if the store refused the reservation.
    pub(crate) fn refusal(&self, reserved: Reserved, next: i64, now: Timestamp) -> Option<Stop> {
        match reserved {
            Reserved::Granted => None,
            Reserved::Refused(today) => Some(Stop::Daily {
                used: today.cost_micros,
                held: today.held_micros,
                next,
                limit: self.daily_cost_micros,
                resets: self.say(self.day(now).ends),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn a_day_ends_at_midnight_of_its_zone_also_when_clocks_change() {
        let utc = Budget::default();
        let day = utc.day(at("2026-11-22T23:59:59.999999Z"));
        assert_eq!((day.name.as_str(), day.ends), ("2026-11-22", at("2026-11-23T00:00:00Z")));
        assert_eq!(utc.day(day.ends).name, "2026-11-23");
        assert_eq!(utc.say(day.ends), "2026-11-23 00:00 UTC");
        let zone = TimeZone::get("America/New_York").expect("a zone");
        let new_york = Budget { zone, ..Budget::default() };
        let day = new_york.day(at("2026-11-01T04:30:00Z"));
        assert_eq!((day.name.as_str(), day.ends), ("2026-11-01", at("2026-11-02T05:00:00Z")), "25 hours");
        assert_eq!(new_york.day(at("2026-11-01T03:30:00Z")).name, "2026-10-31");
    }
}
