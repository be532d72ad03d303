//! Personal access tokens. We never store a secret; its digest finds the token.

use adagent_contract::TokenScope;
use adagent_domain::{AccessTokenId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    pub id: AccessTokenId,
    /// The only workspace that the token works in.
    pub workspace: WorkspaceId,
    pub user: UserId,
    pub name: String,
    /// The beginning of the token.
    pub hint: String,
    pub scopes: Vec<TokenScope>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

#[async_trait]
pub trait TokenReads {
    /// Finds a token, even an expired one. The caller decides what that means.
    async fn find_access_token(&self, secret_hash: &str) -> StoreResult<Option<AccessToken>>;
    /// Lists the tokens, newest first.
    async fn list_access_tokens(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<AccessToken>>;
}

#[async_trait]
pub trait TokenWrites {
    /// Inserts a token. A used digest gives `Taken { access_tokens.secret_hash }`. Returns `false` and stores nothing if the person already
    /// has `most` in this workspace. Concurrent inserts cannot exceed `most` either.
    async fn insert_access_token(&mut self, token: &AccessToken, secret_hash: &str, most: u32) -> StoreResult<bool>;
    /// Deletes a token. Returns `false` if this person has no such token in this workspace.
    async fn delete_access_token(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: AccessTokenId,
    ) -> StoreResult<bool>;
    /// Deletes all tokens of a person, in every workspace.
    async fn delete_access_tokens_of(&mut self, user: UserId) -> StoreResult<u64>;
    /// Notes a use. Does nothing if a later use is already noted or the token was deleted.
    async fn touch_access_token(&mut self, id: AccessTokenId, at: Timestamp) -> StoreResult<()>;
}
