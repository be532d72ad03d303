//! One token bucket per network, limit and credential, refilled as time passes.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::Quota;

pub struct Buckets {
    /// The quota if neither the network nor a test sets one.
    default: Quota,
    /// The limits that a test set: for one network, or for all under the empty name.
    set: HashMap<String, Quota>,
    /// How many thousandths of a request are left, and the time of that count.
    left: HashMap<String, (i64, Timestamp)>,
}

impl Buckets {
    pub fn new(default: Quota) -> Self {
        Self { default, set: HashMap::new(), left: HashMap::new() }
    }

    /// Sets another limit and fills the buckets.
    pub fn set(&mut self, network: &str, quota: Quota) {
        if network.is_empty() {
            self.set.clear();
        }
        self.set.insert(network.to_owned(), quota);
        self.left.clear();
    }

    /// Takes one request, or returns after how many seconds to come back. `own` is the network's own limit with its name.
    pub fn take(
        &mut self,
        network: &str,
        own: Option<(&str, Quota)>,
        credential: &str,
        now: Timestamp,
    ) -> Result<(), u64> {
        let set = self.set.get(network).or_else(|| self.set.get(""));
        let quota = set.copied().or(own.map(|(_, quota)| quota)).unwrap_or(self.default);
        let key = format!("{network}|{}|{credential}", own.map_or("", |(name, _)| name));
        let full = i64::from(quota.burst) * 1000;
        let per_minute = i64::from(quota.per_minute.max(1));
        let (left, since) = self.left.entry(key).or_insert((full, now));
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
        assert_eq!(buckets.take("n", None, "a", start), Ok(()));
        assert_eq!(buckets.take("n", None, "a", start), Ok(()));
        assert_eq!(buckets.take("n", None, "a", start), Err(2));
        assert_eq!(buckets.take("n", None, "b", start), Ok(()));
        assert_eq!(buckets.take("n", None, "a", start + SignedDuration::from_secs(2)), Ok(()));
    }

    #[test]
    fn a_limit_a_test_sets_goes_before_the_networks_own_and_that_before_the_default() {
        let now = Timestamp::UNIX_EPOCH;
        let mut buckets = Buckets::new(Quota { burst: 1, per_minute: 1 });
        let own = Some(("calls", Quota { burst: 2, per_minute: 1 }));
        assert_eq!(buckets.take("n", own, "a", now), Ok(()));
        assert_eq!(buckets.take("n", own, "a", now), Ok(()));
        assert!(buckets.take("n", own, "a", now).is_err());
        buckets.set("n", Quota { burst: 1, per_minute: 1 });
        assert_eq!(buckets.take("n", own, "a", now), Ok(()));
        assert!(buckets.take("n", own, "a", now).is_err());
        assert_eq!(buckets.take("m", own, "a", now), Ok(()));
        assert_eq!(buckets.take("m", own, "a", now), Ok(()), "another network keeps its own");
    }
}
