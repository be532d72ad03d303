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

/// What the first request with an `Idempotency-Key` was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentAnswer {
    /// Digest of route and body.
    pub request_digest: String,
    /// What is needed to answer again, as JSON.
    pub answer: String,
}

#[async_trait]
pub trait MiscReads {
    async fn find_http_session(&self, id: &str, now: Timestamp) -> StoreResult<Option<HttpSession>>;
    async fn find_context(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<ContextSettings>;
    /// In which time zone the workspace counts its days, by its IANA name; nothing: as its accounts do.
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
    /// Inserts only; `false` when the id exists.
    async fn insert_http_session(&mut self, session: &HttpSession) -> StoreResult<bool>;
    async fn save_http_session(&mut self, session: &HttpSession) -> StoreResult<()>;
    async fn delete_http_session(&mut self, id: &str) -> StoreResult<()>;
    /// Nothing takes the choice back.
    async fn put_time_zone(&mut self, workspace: WorkspaceId, zone: Option<&str>, at: Timestamp) -> StoreResult<()>;
    async fn put_context(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        settings: &ContextSettings,
        at: Timestamp,
    ) -> StoreResult<()>;
    /// `false` when the key exists already (read it then).
    async fn insert_idempotent(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        key: &str,
        answer: &IdempotentAnswer,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Removes expired browser sessions, OAuth and sign-in attempts, links by mail and reservations, idempotency keys older than a
    /// day, and mails that were settled two weeks ago.
    async fn sweep(&mut self, now: Timestamp) -> StoreResult<u64>;
}
