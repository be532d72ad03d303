//! Rate limits, kept in memory by key: who asks too often waits, and is told how long.

use std::{net::IpAddr, num::NonZeroU32};

use adagent_domain::UserId;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock as _};

use crate::{ServiceError, ServiceResult};

/// How often, per minute; each may be used up at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitSettings {
    pub sign_in_per_account: NonZeroU32,
    pub sign_in_per_address: NonZeroU32,
    pub sign_up_per_address: NonZeroU32,
    pub chat_per_user: NonZeroU32,
}

const fn per_minute(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).expect("limits are not zero")
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            sign_in_per_account: per_minute(10),
            sign_in_per_address: per_minute(100),
            sign_up_per_address: per_minute(60),
            chat_per_user: per_minute(60),
        }
    }
}

pub struct Limits {
    sign_in_account: DefaultKeyedRateLimiter<String>,
    sign_in_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    sign_up_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    chat: DefaultKeyedRateLimiter<UserId>,
}

impl Limits {
    pub fn new(settings: &LimitSettings) -> Self {
        Self {
            sign_in_account: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_account)),
            sign_in_address: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_address)),
            sign_up_address: RateLimiter::keyed(Quota::per_minute(settings.sign_up_per_address)),
            chat: RateLimiter::keyed(Quota::per_minute(settings.chat_per_user)),
        }
    }

    pub fn sign_in(&self, email_key: &str, address: Option<IpAddr>) -> ServiceResult<()> {
        check(&self.sign_in_address, &address)?;
        check(&self.sign_in_account, &email_key.to_owned())
    }

    pub fn sign_up(&self, address: Option<IpAddr>) -> ServiceResult<()> {
        check(&self.sign_up_address, &address)
    }

    pub fn chat(&self, user: UserId) -> ServiceResult<()> {
        check(&self.chat, &user)
    }

    /// Drops keys that are back to their full allowance.
    pub fn forget_idle(&self) {
        self.sign_in_account.retain_recent();
        self.sign_in_address.retain_recent();
        self.sign_up_address.retain_recent();
        self.chat.retain_recent();
    }
}

fn check<K: std::hash::Hash + Eq + Clone>(limiter: &DefaultKeyedRateLimiter<K>, key: &K) -> ServiceResult<()> {
    limiter.check_key(key).map_err(|refused| {
        let wait = refused.wait_time_from(governor::clock::DefaultClock::default().now());
        // Rounded up: who waits exactly this long gets in.
        ServiceError::RateLimited { retry_after_seconds: wait.as_secs() + 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_is_guarded_from_any_address_and_others_are_not_touched() {
        let limits = Limits::new(&LimitSettings { sign_in_per_account: per_minute(2), ..LimitSettings::default() });
        let address = |last| Some(IpAddr::from([10, 0, 0, last]));
        assert!(limits.sign_in("ada@example.com", address(1)).is_ok());
        assert!(limits.sign_in("ada@example.com", address(2)).is_ok());
        match limits.sign_in("ada@example.com", address(3)) {
            Err(ServiceError::RateLimited { retry_after_seconds }) => assert!((1..=31).contains(&retry_after_seconds)),
            other => panic!("{other:?}"),
        }
        assert!(limits.sign_in("bob@example.com", address(3)).is_ok());
    }
}
