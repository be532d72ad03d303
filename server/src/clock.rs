//! The real clock and the real ids: the only place that may ask the machine for either.

use adagent_domain::{Clock, Ids, Timestamp};
use uuid::Uuid;

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is handed")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// UUIDv7: time-ordered, with randomness of the operating system.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the source of ids that everything else is handed")]
    fn next_uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}
