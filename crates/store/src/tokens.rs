//! Personal access tokens. A secret is never stored: who has one is found by its digest.

use adagent_contract::TokenScope;
use adagent_domain::{AccessTokenId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    pub id: AccessTokenId,
    /// The one workspace it is for.
    pub workspace: WorkspaceId,
    pub user: UserId,
    pub name: String,
    /// How the token begins.
    pub hint: String,
    pub scopes: Vec<TokenScope>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

#[async_trait]
pub trait TokenReads {
    /// Also one that has expired: what that means is not the store's to say.
    async fn find_access_token(&self, secret_hash: &str) -> StoreResult<Option<AccessToken>>;
    /// Newest first.
    async fn list_access_tokens(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<AccessToken>>;
}

#[async_trait]
pub trait TokenWrites {
    /// A used digest gives `Taken { access_tokens.secret_hash }`.
    /// `false`, and nothing is kept, when the person has `most` in this workspace already; also of many at once only so many fit.
    async fn insert_access_token(&mut self, token: &AccessToken, secret_hash: &str, most: u32) -> StoreResult<bool>;
    /// `false` when this person has no such token in this workspace.
    async fn delete_access_token(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: AccessTokenId,
    ) -> StoreResult<bool>;
    /// All of a person, in every workspace.
    async fn delete_access_tokens_of(&mut self, user: UserId) -> StoreResult<u64>;
    /// Notes a use; an older time than the one that is noted changes nothing, nor does a token that is gone.
    async fn touch_access_token(&mut self, id: AccessTokenId, at: Timestamp) -> StoreResult<()>;
}
