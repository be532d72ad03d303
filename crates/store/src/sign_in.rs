//! How people prove who they are: addresses, providers, links by email, two-factor authentication, browser sessions.
//!
//! Secrets arrive as digests or sealed. No method here may receive a secret that can be used.

use adagent_domain::{Timestamp, UserId};
use async_trait::async_trait;

use crate::{HttpSession, StoreResult};

/// A person as an OpenID Connect provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    /// The provider's ID for the person. It never changes; their address may.
    pub subject: String,
    pub user: UserId,
    /// The address that the provider last gave.
    pub email: String,
    pub created_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

/// The purpose of a link that we send by email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPurpose {
    VerifyEmail,
    ResetPassword,
}

impl TokenPurpose {
    pub const ALL: [Self; 2] = [Self::VerifyEmail, Self::ResetPassword];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VerifyEmail => "verify_email",
            Self::ResetPassword => "reset_password",
        }
    }
}

/// A link that we sent by email, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountToken {
    pub user: UserId,
    pub purpose: TokenPurpose,
    /// The address we sent it to: anyone who reads email there has the link.
    pub email: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A person's authenticator app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub user: UserId,
    /// The secret, sealed by the vault.
    pub sealed: String,
    /// We ask for codes from this time on.
    pub confirmed_at: Option<Timestamp>,
    /// The time step of the last code that we accepted.
    pub last_step: Option<i64>,
    /// Wrong guesses since the last right one.
    pub failures: u64,
    pub blocked_until: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// An open round trip to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    pub state_hash: String,
    /// The digest of a secret that only the browser of this round trip holds.
    pub binding_hash: String,
    /// The person who links their account. `None` for a sign-in.
    pub user: Option<UserId>,
    pub return_to: Option<String>,
    pub expires_at: Timestamp,
}

/// A browser session as its person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSession {
    /// The row's key: a digest of the secret that the browser holds.
    pub id: String,
    pub user: UserId,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
    /// The browser's own name.
    pub agent: String,
    pub address: String,
}

/// Wrong passwords for one account from one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedSignIns {
    /// The address. Empty for all addresses beyond those that we count one by one.
    pub address: String,
    pub attempts: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

#[async_trait]
pub trait SignInReads {
    async fn find_identity(&self, issuer: &str, subject: &str) -> StoreResult<Option<Identity>>;
    async fn list_identities(&self, user: UserId) -> StoreResult<Vec<Identity>>;
    /// Finds the one valid link with this purpose.
    async fn find_account_token_of(
        &self,
        user: UserId,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>>;
    /// Finds a link without using it.
    async fn find_account_token(
        &self,
        secret_hash: &str,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>>;
    async fn find_second_factor(&self, user: UserId) -> StoreResult<Option<SecondFactor>>;
    async fn count_recovery_codes(&self, user: UserId) -> StoreResult<u64>;
    /// Lists the sessions, last used first.
    async fn list_browser_sessions(&self, user: UserId, now: Timestamp, limit: u32)
    -> StoreResult<Vec<BrowserSession>>;
    /// Lists the failed sign-ins with an attempt after `since`, latest first.
    async fn list_failed_sign_ins(&self, user: UserId, since: Timestamp, limit: u32)
    -> StoreResult<Vec<FailedSignIns>>;
}

#[async_trait]
pub trait SignInWrites {
    /// Notes when the address was verified. The first time stays.
    async fn set_email_verified(&mut self, user: UserId, at: Timestamp) -> StoreResult<()>;
    /// Changes the address. A used one gives `Taken { users.email_key }`.
    async fn set_email(
        &mut self,
        user: UserId,
        email: &str,
        email_key: &str,
        verified_at: Option<Timestamp>,
    ) -> StoreResult<()>;
    /// Links an account. Returns `Taken { identities… }` if the provider's account is linked already, or if the person has another one at
    /// this provider.
    async fn insert_identity(&mut self, identity: &Identity) -> StoreResult<()>;
    async fn touch_identity(&mut self, issuer: &str, subject: &str, at: Timestamp, email: &str) -> StoreResult<()>;
    async fn delete_identity(&mut self, user: UserId, issuer: &str) -> StoreResult<bool>;
    /// Stores a link in place of the previous one: a person has one valid link per purpose.
    async fn replace_account_token(&mut self, token: &AccountToken, secret_hash: &str) -> StoreResult<()>;
    /// Uses a link. It works once, even if several requests use it at the same time.
    async fn take_account_token(
        &mut self,
        secret_hash: &str,
        purpose: TokenPurpose,
    ) -> StoreResult<Option<AccountToken>>;
    async fn delete_account_tokens(&mut self, user: UserId, purpose: TokenPurpose) -> StoreResult<()>;
    /// Stores a new, unconfirmed app. Returns `false` if a confirmed one exists.
    async fn put_second_factor(&mut self, user: UserId, sealed: &str, at: Timestamp) -> StoreResult<bool>;
    /// Confirms the app whose sealed secret is `seen`, and stores the secret sealed again.
    async fn confirm_second_factor(
        &mut self,
        user: UserId,
        seen: &str,
        sealed: &str,
        at: Timestamp,
        step: i64,
    ) -> StoreResult<bool>;
    /// Counts a guess before we check it. Returns `None` while guesses are blocked. Every `every`-th guess in a row blocks until
    /// `block_until`.
    async fn count_second_factor_attempt(
        &mut self,
        user: UserId,
        now: Timestamp,
        block_until: Timestamp,
        every: u32,
    ) -> StoreResult<Option<u64>>;
    /// Marks a time step as used. Returns `false` if this step or a later one was used already.
    async fn use_totp_step(&mut self, user: UserId, step: i64) -> StoreResult<bool>;
    /// Resets the count of guesses.
    async fn forgive_second_factor(&mut self, user: UserId) -> StoreResult<()>;
    /// Deletes the app with its recovery codes.
    async fn delete_second_factor(&mut self, user: UserId) -> StoreResult<bool>;
    async fn replace_recovery_codes(&mut self, user: UserId, hashes: &[String]) -> StoreResult<()>;
    /// Uses a recovery code. Each works once.
    async fn use_recovery_code(&mut self, user: UserId, hash: &str) -> StoreResult<bool>;
    async fn insert_sign_in_attempt(&mut self, attempt: &SignInAttempt) -> StoreResult<()>;
    /// Removes and returns an attempt. It works once, and only with the secret that the browser holds.
    async fn take_sign_in_attempt(
        &mut self,
        state_hash: &str,
        binding_hash: &str,
    ) -> StoreResult<Option<SignInAttempt>>;
    /// Saves a session that still exists. Returns `false` if it has ended meanwhile; it stays ended.
    async fn renew_http_session(&mut self, session: &HttpSession) -> StoreResult<bool>;
    /// Stores whose session it is.
    async fn own_http_session(&mut self, session: &BrowserSession) -> StoreResult<()>;
    /// Ends a browser session. Returns `false` if this person has no such session.
    async fn end_browser_session(&mut self, user: UserId, id: &str) -> StoreResult<bool>;
    /// Ends all of a person's sessions except one; an empty ID spares none.
    async fn end_other_sessions(&mut self, user: UserId, but: &str) -> StoreResult<u64>;
    /// Ends the sessions that were used longest ago and keeps the last `keep`. The session `but` neither counts nor ends, and expired ones
    /// do not count.
    async fn end_oldest_sessions(&mut self, user: UserId, keep: u32, but: &str, now: Timestamp) -> StoreResult<u64>;
    /// Counts one more attempt. We count at most about `places` addresses per person one by one; all others count under the empty address.
    async fn count_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        places: u32,
    ) -> StoreResult<FailedSignIns>;
    /// Checks whether the audit log should get an entry. Returns `true` only once between `since` and `at`, however many calls ask.
    async fn note_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        since: Timestamp,
    ) -> StoreResult<bool>;
}
