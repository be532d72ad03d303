//! Rate limits, kept in memory by key. A caller that exceeds one must wait, and learns how long.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    time::Duration,
};

use adagent_domain::{UserId, WorkspaceId};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock as _};

use crate::{ServiceError, ServiceResult};

/// The limits, per minute if not said otherwise. A caller may use a whole limit at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitSettings {
    /// Attempts for one account from one address. From all addresses together, three times as many are allowed before all of them are
    /// slowed down.
    pub sign_in_per_account: NonZeroU32,
    pub sign_in_per_address: NonZeroU32,
    pub sign_up_per_address: NonZeroU32,
    pub chat_per_user: NonZeroU32,
    /// Attempts to connect networks with keys, so that nobody can guess keys through this server.
    pub keys_per_user: NonZeroU32,
    /// Requests of any kind, except for files.
    pub requests_per_user: NonZeroU32,
    /// Many people may share one address.
    pub requests_per_address: NonZeroU32,
    /// Sessions that MCP clients begin.
    pub program_sessions_per_user: NonZeroU32,
    /// Emails of one kind to one address in an hour, counted over all senders, so that we flood no inbox.
    pub mail_per_address: NonZeroU32,
    /// Invitations of one workspace in an hour.
    pub invite_per_workspace: NonZeroU32,
    /// Invitations that one person sends in an hour, in all workspaces. The limit for a day is four times this.
    pub invite_per_person: NonZeroU32,
    /// Organizations that one person creates in an hour.
    pub organizations_per_person: NonZeroU32,
}

/// The kind of an email. Each kind has its own limit, so that nobody who sends invitations to an address uses up the emails that its reader
/// needs to get back into their account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailFor {
    Invitation,
    /// Confirms an address, or tells its reader that they have an account.
    Address,
    /// Sets a new password.
    Reset,
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
            keys_per_user: per_minute(60),
            requests_per_user: per_minute(1200),
            requests_per_address: per_minute(6000),
            program_sessions_per_user: per_minute(60),
            mail_per_address: per_minute(10),
            invite_per_workspace: per_minute(100),
            invite_per_person: per_minute(50),
            organizations_per_person: per_minute(20),
        }
    }
}

const EVERYWHERE: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");
/// How long each attempt at an account under attack waits.
const SLOWED: Duration = Duration::from_secs(1);

/// How many hours' worth of a limit is allowed in a day.
const HOURS_A_DAY: NonZeroU32 = NonZeroU32::new(4).expect("four is not zero");
const DAY: Duration = Duration::from_hours(24);

fn per_day(count: NonZeroU32) -> Quota {
    // More than one in a nanosecond would be no limit and no valid period.
    let period = (DAY / count.get()).max(Duration::from_nanos(1));
    Quota::with_period(period).map_or_else(|| Quota::per_hour(count), |quota| quota.allow_burst(count))
}

/// Returns the part of an address that counts: a person with one IPv6 address has 2^64 of them.
fn site(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Returns the address that counts, as people read it.
pub(crate) fn place(address: Option<IpAddr>) -> String {
    match address.map(site) {
        Some(IpAddr::V6(network)) => format!("{network}/64"),
        Some(v4) => v4.to_string(),
        None => String::new(),
    }
}

pub struct Limits {
    sign_in_pair: DefaultKeyedRateLimiter<(String, Option<IpAddr>)>,
    /// Attempts for one account from all addresses. Beyond this limit, we treat the account as under attack.
    sign_in_account: DefaultKeyedRateLimiter<String>,
    /// While an account is under attack, each address has one attempt a minute. So its owner can still sign in from anywhere, and every
    /// guess costs an attacker another address.
    sign_in_attacked: DefaultKeyedRateLimiter<(String, Option<IpAddr>)>,
    sign_in_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    sign_up_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    chat: DefaultKeyedRateLimiter<UserId>,
    /// Invalid tokens, by the caller's address.
    token_guess: DefaultKeyedRateLimiter<Option<IpAddr>>,
    keys: DefaultKeyedRateLimiter<UserId>,
    requests_user: DefaultKeyedRateLimiter<UserId>,
    requests_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    program_sessions: DefaultKeyedRateLimiter<UserId>,
    mail: DefaultKeyedRateLimiter<(MailFor, String)>,
    invite: DefaultKeyedRateLimiter<WorkspaceId>,
    invite_person: DefaultKeyedRateLimiter<UserId>,
    invite_person_day: DefaultKeyedRateLimiter<UserId>,
    organizations: DefaultKeyedRateLimiter<UserId>,
    /// Invalid links, by the caller's address.
    invite_guess: DefaultKeyedRateLimiter<Option<IpAddr>>,
}

impl Limits {
    pub fn new(settings: &LimitSettings) -> Self {
        Self {
            sign_in_pair: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_account)),
            sign_in_account: RateLimiter::keyed(Quota::per_minute(
                settings.sign_in_per_account.saturating_mul(EVERYWHERE),
            )),
            sign_in_attacked: RateLimiter::keyed(Quota::per_minute(NonZeroU32::MIN)),
            sign_in_address: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_address)),
            sign_up_address: RateLimiter::keyed(Quota::per_minute(settings.sign_up_per_address)),
            chat: RateLimiter::keyed(Quota::per_minute(settings.chat_per_user)),
            token_guess: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_address)),
            keys: RateLimiter::keyed(Quota::per_minute(settings.keys_per_user)),
            requests_user: RateLimiter::keyed(Quota::per_minute(settings.requests_per_user)),
            requests_address: RateLimiter::keyed(Quota::per_minute(settings.requests_per_address)),
            program_sessions: RateLimiter::keyed(Quota::per_minute(settings.program_sessions_per_user)),
            mail: RateLimiter::keyed(Quota::per_hour(settings.mail_per_address)),
            invite: RateLimiter::keyed(Quota::per_hour(settings.invite_per_workspace)),
            invite_person: RateLimiter::keyed(Quota::per_hour(settings.invite_per_person)),
            invite_person_day: RateLimiter::keyed(per_day(settings.invite_per_person.saturating_mul(HOURS_A_DAY))),
            organizations: RateLimiter::keyed(Quota::per_hour(settings.organizations_per_person)),
            invite_guess: RateLimiter::keyed(Quota::per_minute(settings.sign_in_per_address)),
        }
    }

    /// Counts an attempt and returns how long to wait before the password is checked. Nobody can use up another person's attempts.
    pub fn sign_in(&self, email_key: &str, address: Option<IpAddr>) -> ServiceResult<Duration> {
        let address = address.map(site);
        check("sign_in_address", &self.sign_in_address, &address)?;
        let pair = (email_key.to_owned(), address);
        check("sign_in_pair", &self.sign_in_pair, &pair)?;
        if check("sign_in_account", &self.sign_in_account, &pair.0).is_ok() {
            return Ok(Duration::ZERO);
        }
        check("sign_in_attacked", &self.sign_in_attacked, &pair)?;
        Ok(SLOWED)
    }

    pub fn sign_up(&self, address: Option<IpAddr>) -> ServiceResult<()> {
        check("sign_up_address", &self.sign_up_address, &address.map(site))
    }

    pub fn chat(&self, user: UserId) -> ServiceResult<()> {
        check("chat", &self.chat, &user)
    }

    /// Counts an invalid token. Valid tokens never have to wait because of others' attempts.
    pub fn token_guess(&self, address: Option<IpAddr>) -> ServiceResult<()> {
        check("token_guess", &self.token_guess, &address.map(site))
    }

    pub fn keys(&self, user: UserId) -> ServiceResult<()> {
        check("keys", &self.keys, &user)
    }

    pub fn request_of(&self, user: UserId) -> ServiceResult<()> {
        check("requests_user", &self.requests_user, &user)
    }

    pub fn request_from(&self, address: Option<IpAddr>) -> ServiceResult<()> {
        check("requests_address", &self.requests_address, &address.map(site))
    }

    pub fn program_session(&self, user: UserId) -> ServiceResult<()> {
        check("program_sessions", &self.program_sessions, &user)
    }

    /// Counts one more email to this address. Call it last, after every other reason to refuse the email.
    pub fn mail(&self, what: MailFor, email_key: &str) -> ServiceResult<()> {
        check("mail", &self.mail, &(what, email_key.to_owned()))
    }

    /// Counts an invitation by workspace and by person, so that a person cannot send more by creating more workspaces.
    pub fn invite(&self, workspace: WorkspaceId, by: UserId) -> ServiceResult<()> {
        check("invite_person_day", &self.invite_person_day, &by)?;
        check("invite_person", &self.invite_person, &by)?;
        check("invite", &self.invite, &workspace)
    }

    pub fn organization(&self, by: UserId) -> ServiceResult<()> {
        check("organizations", &self.organizations, &by)
    }

    /// Counts an invalid link. Valid links never have to wait.
    pub fn invite_guess(&self, address: Option<IpAddr>) -> ServiceResult<()> {
        check("invite_guess", &self.invite_guess, &address.map(site))
    }

    /// Drops keys that have their full allowance again.
    pub fn forget_idle(&self) {
        self.sign_in_pair.retain_recent();
        self.sign_in_account.retain_recent();
        self.sign_in_attacked.retain_recent();
        self.sign_in_address.retain_recent();
        self.sign_up_address.retain_recent();
        self.chat.retain_recent();
        self.token_guess.retain_recent();
        self.keys.retain_recent();
        self.requests_user.retain_recent();
        self.requests_address.retain_recent();
        self.program_sessions.retain_recent();
        self.mail.retain_recent();
        self.invite.retain_recent();
        self.invite_person.retain_recent();
        self.invite_person_day.retain_recent();
        self.organizations.retain_recent();
        self.invite_guess.retain_recent();
    }
}

fn check<K: std::hash::Hash + Eq + Clone>(
    name: &'static str,
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> ServiceResult<()> {
    limiter.check_key(key).map_err(|refused| {
        metrics::counter!("adagent_limit_refusals_total", "limit" => name).increment(1);
        let wait = refused.wait_time_from(governor::clock::DefaultClock::default().now());
        // Rounded up, so that a caller that waits exactly this long succeeds.
        ServiceError::RateLimited { retry_after_seconds: wait.as_secs() + 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn refused(outcome: &ServiceResult<Duration>) -> bool {
        matches!(outcome, Err(ServiceError::RateLimited { retry_after_seconds }) if (1..=61).contains(retry_after_seconds))
    }

    #[test]
    fn who_guesses_locks_out_nobody_but_themselves() {
        let limits = Limits::new(&LimitSettings { sign_in_per_account: per_minute(2), ..LimitSettings::default() });
        let attempt = |from| limits.sign_in("ada@example.com", Some(address(from)));
        assert!(attempt(1).is_ok() && attempt(1).is_ok());
        for _ in 0..50 {
            assert!(refused(&attempt(1)), "what is refused uses up nothing of others");
        }
        assert!(matches!(attempt(2), Ok(Duration::ZERO)));
        assert!(limits.sign_in("bob@example.com", Some(address(1))).is_ok());
    }

    #[test]
    fn guessing_from_everywhere_is_slowed_and_a_new_address_still_gets_in() {
        let limits = Limits::new(&LimitSettings { sign_in_per_account: per_minute(2), ..LimitSettings::default() });
        let attempt = |from| limits.sign_in("ada@example.com", Some(address(from)));
        for from in 0..6 {
            assert!(matches!(attempt(from), Ok(Duration::ZERO)));
        }
        for from in 10..200 {
            assert!(matches!(attempt(from), Ok(SLOWED)), "one attempt");
            assert!(refused(&attempt(from)), "and no second");
        }
        assert!(matches!(limits.sign_in("bob@example.com", Some(address(10))), Ok(Duration::ZERO)));
    }

    #[test]
    fn invitations_use_up_no_mail_by_which_somebody_gets_back_in() {
        let limits = Limits::new(&LimitSettings { mail_per_address: per_minute(2), ..LimitSettings::default() });
        let mail = |what| limits.mail(what, "ada@example.com").is_ok();
        assert!(mail(MailFor::Invitation) && mail(MailFor::Invitation) && !mail(MailFor::Invitation));
        assert!(mail(MailFor::Address) && mail(MailFor::Address) && !mail(MailFor::Address));
        assert!(mail(MailFor::Reset));
    }

    #[test]
    fn who_makes_one_workspace_after_the_other_invites_no_more_people() {
        let ids = adagent_domain::SequentialIds::default();
        let (ann, bob) = (UserId::new(&ids), UserId::new(&ids));
        let settings = LimitSettings { invite_per_person: per_minute(3), ..LimitSettings::default() };
        let limits = Limits::new(&settings);
        for _ in 0..3 {
            assert!(limits.invite(WorkspaceId::new(&ids), ann).is_ok());
        }
        assert!(limits.invite(WorkspaceId::new(&ids), ann).is_err());
        assert!(limits.invite(WorkspaceId::new(&ids), bob).is_ok());
    }

    #[test]
    fn a_whole_network_of_ipv6_counts_as_one_address() {
        let limits = Limits::new(&LimitSettings { sign_in_per_account: per_minute(1), ..LimitSettings::default() });
        let from = |text: &str| Some(text.parse().expect("an address"));
        assert!(limits.sign_in("ada@example.com", from("2001:db8::1")).is_ok());
        assert!(refused(&limits.sign_in("ada@example.com", from("2001:db8::ffff:2"))));
        assert!(limits.sign_in("ada@example.com", from("2001:db8:0:1::1")).is_ok());
        assert!(limits.sign_in("ada@example.com", from("::ffff:10.0.0.1")).is_ok());
        assert!(refused(&limits.sign_in("ada@example.com", from("10.0.0.1"))));
    }
}
