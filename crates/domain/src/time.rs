//! Instants are microseconds since 1970 in UTC. Both engines store them as BIGINT, and the wire shows them as RFC 3339.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicI64, Ordering},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The error for a text that is not an RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an RFC 3339 instant such as 2026-11-21T09:41:00Z")]
pub struct TimestampError(String);

/// An instant in UTC with microsecond precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const EPOCH: Self = Self(0);

    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn as_micros(self) -> i64 {
        self.0
    }

    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis.saturating_mul(1000)))
    }

    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// Returns the milliseconds from `earlier` to this instant; negative if `earlier` is later.
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0) / 1000
    }

    /// Returns the same instant for calendar arithmetic.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_jiff().fmt(f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        text.parse::<jiff::Timestamp>()
            .map(|at| Self(at.as_microsecond()))
            .map_err(|_| TimestampError(text.chars().take(64).collect()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The source of the current time. The caller passes it in, so that tests can set the time; no code reads the time from the environment.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub const fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.0))
    }

    pub fn advance_millis(&self, millis: i64) {
        self.0.fetch_add(millis * 1000, Ordering::SeqCst);
    }

    pub fn set(&self, to: Timestamp) {
        self.0.store(to.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_round_trip_through_text() {
        let at: Timestamp = "2026-11-21T09:41:00.123456Z".parse().expect("valid");
        assert_eq!(at.to_string(), "2026-11-21T09:41:00.123456Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
        assert_eq!(at.plus_seconds(2).millis_since(at), 2000);
    }
}
