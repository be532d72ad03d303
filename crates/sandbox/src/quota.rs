//! One token bucket per credential, filled by the clock.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::Quota;

pub struct Buckets {
    pub quota: Quota,
    /// Thousandths of a request left, and when that was.
    left: HashMap<String, (i64, Timestamp)>,
}

impl Buckets {
    pub fn new(quota: Quota) -> Self {
        Self { quota, left: HashMap::new() }
    }

    /// Takes one request, or says after how many seconds to come back.
    pub fn take(&mut self, credential: &str, now: Timestamp) -> Result<(), u64> {
        let full = i64::from(self.quota.burst) * 1000;
        let per_minute = i64::from(self.quota.per_minute.max(1));
        let (left, since) = self.left.entry(credential.to_owned()).or_insert((full, now));
        let passed = now.duration_since(*since).as_millis().clamp(0, 86_400_000);
        let passed = i64::try_from(passed).unwrap_or(0);
        *left = (*left + passed * per_minute / 60).min(full);
        *since = now;
        if *left >= 1000 {
            *left -= 1000;
            return Ok(());
        }
        let missing = 1000 - *left;
        Err(u64::try_from((missing * 60 / per_minute + 999) / 1000).unwrap_or(1).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;

    #[test]
    fn an_empty_bucket_says_when_to_come_back_and_fills_again() {
        let start = Timestamp::UNIX_EPOCH;
        let mut buckets = Buckets::new(Quota { burst: 2, per_minute: 30 });
        assert_eq!(buckets.take("a", start), Ok(()));
        assert_eq!(buckets.take("a", start), Ok(()));
        assert_eq!(buckets.take("a", start), Err(2));
        assert_eq!(buckets.take("b", start), Ok(()));
        assert_eq!(buckets.take("a", start + SignedDuration::from_secs(2)), Ok(()));
    }
}
