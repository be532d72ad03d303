//! How people prove who they are: addresses, providers, links by mail, second factors, browser sessions.
//!
//! Secrets come in as digests or sealed; none of these methods may be handed one that can be used.

use adagent_domain::{Timestamp, UserId};
use async_trait::async_trait;

use crate::{HttpSession, StoreResult};

/// Somebody as an OpenID Connect provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    /// The provider's word for the person; never changes, as their address may.
    pub subject: String,
    pub user: UserId,
    /// As the provider last gave it.
    pub email: String,
    pub created_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

/// What a link sent by mail is for.
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

/// A link sent by mail, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountToken {
    pub user: UserId,
    pub purpose: TokenPurpose,
    /// Anyone who reads mail at this address has the link.
    pub email: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A person's authenticator app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub user: UserId,
    /// What the vault sealed.
    pub sealed: String,
    /// From then on it is asked for.
    pub confirmed_at: Option<Timestamp>,
    /// The time step of the last code that was taken.
    pub last_step: Option<i64>,
    /// Guesses since the last right one.
    pub failures: u64,
    pub blocked_until: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// A trip to a provider that has not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    pub state_hash: String,
    /// Digest of what only the browser holds in which it began.
    pub binding_hash: String,
    /// Who links their account; `None` when somebody signs in.
    pub user: Option<UserId>,
    pub return_to: Option<String>,
    pub expires_at: Timestamp,
}

/// A browser session as its person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSession {
    /// The row's key: a digest of what the browser holds.
    pub id: String,
    pub user: UserId,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
    /// What the browser called itself.
    pub agent: String,
    pub address: String,
}

/// Wrong passwords at one account from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedSignIns {
    /// Empty for all places beyond those that are told apart.
    pub address: String,
    pub attempts: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

#[async_trait]
pub trait SignInReads {
    async fn find_identity(&self, issuer: &str, subject: &str) -> StoreResult<Option<Identity>>;
    async fn list_identities(&self, user: UserId) -> StoreResult<Vec<Identity>>;
    /// The one live link of a kind.
    async fn find_account_token_of(
        &self,
        user: UserId,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>>;
    /// Looks at a link without using it.
    async fn find_account_token(
        &self,
        secret_hash: &str,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>>;
    async fn find_second_factor(&self, user: UserId) -> StoreResult<Option<SecondFactor>>;
    async fn count_recovery_codes(&self, user: UserId) -> StoreResult<u64>;
    /// Last used first.
    async fn list_browser_sessions(&self, user: UserId, now: Timestamp, limit: u32)
    -> StoreResult<Vec<BrowserSession>>;
    /// Those with an attempt after `since`, the latest first.
    async fn list_failed_sign_ins(&self, user: UserId, since: Timestamp, limit: u32)
    -> StoreResult<Vec<FailedSignIns>>;
}

#[async_trait]
pub trait SignInWrites {
    /// Notes that the address was proven; a first proof is kept.
    async fn set_email_verified(&mut self, user: UserId, at: Timestamp) -> StoreResult<()>;
    /// A used address gives `Taken { users.email_key }`.
    async fn set_email(
        &mut self,
        user: UserId,
        email: &str,
        email_key: &str,
        verified_at: Option<Timestamp>,
    ) -> StoreResult<()>;
    /// `Taken { identities… }` when the provider's account is linked already, or the person has one of this provider.
    async fn insert_identity(&mut self, identity: &Identity) -> StoreResult<()>;
    async fn touch_identity(&mut self, issuer: &str, subject: &str, at: Timestamp, email: &str) -> StoreResult<()>;
    async fn delete_identity(&mut self, user: UserId, issuer: &str) -> StoreResult<bool>;
    /// In the place of the one before: a person has one live link of a kind.
    async fn replace_account_token(&mut self, token: &AccountToken, secret_hash: &str) -> StoreResult<()>;
    /// A link is used once, also by many at the same time.
    async fn take_account_token(
        &mut self,
        secret_hash: &str,
        purpose: TokenPurpose,
    ) -> StoreResult<Option<AccountToken>>;
    async fn delete_account_tokens(&mut self, user: UserId, purpose: TokenPurpose) -> StoreResult<()>;
    /// `false` when there is a confirmed one already.
    async fn put_second_factor(&mut self, user: UserId, sealed: &str, at: Timestamp) -> StoreResult<bool>;
    /// Confirms exactly the one that was looked at, and keeps it sealed again.
    async fn confirm_second_factor(
        &mut self,
        user: UserId,
        seen: &str,
        sealed: &str,
        at: Timestamp,
        step: i64,
    ) -> StoreResult<bool>;
    /// Counts a guess before it is looked at: `None` while guesses are blocked. Every `every`-th in a row blocks until then.
    async fn count_second_factor_attempt(
        &mut self,
        user: UserId,
        now: Timestamp,
        block_until: Timestamp,
        every: u32,
    ) -> StoreResult<Option<u64>>;
    /// `false` for a step that was used, or one before it.
    async fn use_totp_step(&mut self, user: UserId, step: i64) -> StoreResult<bool>;
    /// Forgets the guesses.
    async fn forgive_second_factor(&mut self, user: UserId) -> StoreResult<()>;
    /// With its recovery codes.
    async fn delete_second_factor(&mut self, user: UserId) -> StoreResult<bool>;
    async fn replace_recovery_codes(&mut self, user: UserId, hashes: &[String]) -> StoreResult<()>;
    /// A code is used once.
    async fn use_recovery_code(&mut self, user: UserId, hash: &str) -> StoreResult<bool>;
    async fn insert_sign_in_attempt(&mut self, attempt: &SignInAttempt) -> StoreResult<()>;
    /// Once, and only with what the browser holds.
    async fn take_sign_in_attempt(
        &mut self,
        state_hash: &str,
        binding_hash: &str,
    ) -> StoreResult<Option<SignInAttempt>>;
    /// Saves a session that is still there: one that was ended meanwhile stays ended (`false`).
    async fn renew_http_session(&mut self, session: &HttpSession) -> StoreResult<bool>;
    /// Says whose a session is.
    async fn own_http_session(&mut self, session: &BrowserSession) -> StoreResult<()>;
    /// `false` when this person has no such session.
    async fn end_browser_session(&mut self, user: UserId, id: &str) -> StoreResult<bool>;
    /// All of a person's sessions but one; an empty id spares none.
    async fn end_other_sessions(&mut self, user: UserId, but: &str) -> StoreResult<u64>;
    /// Beside the session `but`, which is neither counted nor ended, the `keep` that were used last stay of those that are not over.
    async fn end_oldest_sessions(&mut self, user: UserId, keep: u32, but: &str, now: Timestamp) -> StoreResult<u64>;
    /// Counts one more attempt. Of one person at most `places` addresses are told apart, and about as many rows kept: what comes from
    /// further ones counts under the empty address.
    async fn count_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        places: u32,
    ) -> StoreResult<FailedSignIns>;
    /// Whether the audit log is to hear of it: `true` once from `since` to `at`, however many ask.
    async fn note_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        since: Timestamp,
    ) -> StoreResult<bool>;
}
