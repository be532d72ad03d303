//! Browser sessions, idempotency keys, context settings.

use adagent_contract::ContextSettings;
use adagent_domain::{Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A row of the session store; `data` is opaque.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSession {
    pub id: String,
    pub data: String,
    pub expires_at: Timestamp,
}

/// The answer to the first request with an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentAnswer {
    /// The digest of the route and the body.
    pub request_digest: String,
    /// What we need to answer again, as JSON.
    pub answer: String,
}

#[async_trait]
pub trait MiscReads {
    async fn find_http_session(&self, id: &str, now: Timestamp) -> StoreResult<Option<HttpSession>>;
    async fn find_context(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<ContextSettings>;
    /// Finds the time zone, by its IANA name, in which the workspace counts its days. `None` means the zone of its accounts.
    async fn find_time_zone(&self, workspace: WorkspaceId) -> StoreResult<Option<String>>;
    async fn find_idempotent(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        key: &str,
    ) -> StoreResult<Option<IdempotentAnswer>>;
}

#[async_trait]
pub trait MiscWrites {
    /// Inserts a session. Returns `false` if the ID exists.
    async fn insert_http_session(&mut self, session: &HttpSession) -> StoreResult<bool>;
    async fn save_http_session(&mut self, session: &HttpSession) -> StoreResult<()>;
    async fn delete_http_session(&mut self, id: &str) -> StoreResult<()>;
    /// Sets the time zone; `None` removes the choice.
    async fn put_time_zone(&mut self, workspace: WorkspaceId, zone: Option<&str>, at: Timestamp) -> StoreResult<()>;
    async fn put_context(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        settings: &ContextSettings,
        at: Timestamp,
    ) -> StoreResult<()>;
    /// Inserts an answer. Returns `false` if the key exists; then read it.
    async fn insert_idempotent(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        key: &str,
        answer: &IdempotentAnswer,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Removes expired browser sessions, OAuth and sign-in attempts, links from emails and reservations, idempotency keys older than a day,
    /// and emails that were settled two weeks ago.
    async fn sweep(&mut self, now: Timestamp) -> StoreResult<u64>;
}
