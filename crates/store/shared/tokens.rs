//! Personal access tokens.

use adagent_domain::{AccessTokenId, Timestamp, UserId, WorkspaceId};
use adagent_store::{AccessToken, StoreResult, TokenReads, TokenWrites};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{execute, execute_maybe, fetch_all, fetch_optional, sql},
};

fn token(row: &Row) -> StoreResult<AccessToken> {
    let columns = Columns::new("access_tokens", row);
    Ok(AccessToken {
        id: AccessTokenId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        name: columns.text("name")?,
        hint: columns.text("hint")?,
        scopes: columns.json("scopes")?,
        created_at: columns.at("created_at")?,
        expires_at: columns.at_opt("expires_at")?,
        last_used_at: columns.at_opt("last_used_at")?,
    })
}

#[async_trait]
impl TokenReads for Database {
    async fn find_access_token(&self, secret_hash: &str) -> StoreResult<Option<AccessToken>> {
        let query = sql(include_str!("../sql/tokens/find.sql")).bind(clean(secret_hash));
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(token).transpose()
    }

    async fn list_access_tokens(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<AccessToken>> {
        let query = sql(include_str!("../sql/tokens/list.sql")).bind(workspace.0).bind(user.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(token).collect()
    }
}

#[async_trait]
impl TokenWrites for Unit {
    async fn insert_access_token(&mut self, token: &AccessToken, secret_hash: &str, most: u32) -> StoreResult<bool> {
        // A transaction that counts at the same time waits here, and then counts this token too.
        execute(self.connection(), sql(include_str!("../sql/tokens/lock_user.sql")).bind(token.user.0)).await?;
        let query = sql(include_str!("../sql/tokens/insert.sql"))
            .bind(token.id.0)
            .bind(token.workspace.0)
            .bind(token.user.0)
            .bind(clean(&token.name))
            .bind(clean(&token.hint))
            .bind(clean(secret_hash))
            .bind(to_json(&token.scopes)?)
            .bind(token.created_at.as_micros())
            .bind(token.expires_at.map(Timestamp::as_micros))
            .bind(i64::from(most));
        execute_maybe(self.connection(), query).await
    }

    async fn delete_access_token(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: AccessTokenId,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/tokens/delete.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }

    async fn delete_access_tokens_of(&mut self, user: UserId) -> StoreResult<u64> {
        execute(self.connection(), sql(include_str!("../sql/tokens/delete_of.sql")).bind(user.0)).await
    }

    async fn touch_access_token(&mut self, id: AccessTokenId, at: Timestamp) -> StoreResult<()> {
        let query = sql(include_str!("../sql/tokens/touch.sql")).bind(id.0).bind(at.as_micros());
        execute(self.connection(), query).await.map(drop)
    }
}
