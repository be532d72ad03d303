//! Reads and writes everything that the vault sealed, for key rotations.

use adagent_store::{SealedColumn, SealedKey, SealedReads, SealedRow, SealedWrites, StoreResult};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Query, Row, Unit},
    run::{execute_maybe, fetch_all, fetch_optional, sql},
};

/// Reads the key of a row and its sealed text.
fn taken(column: SealedColumn, row: &Row) -> StoreResult<SealedRow> {
    let (table, sealed) = column.place();
    let columns = Columns::new(table, row);
    let key = match column {
        SealedColumn::Connections
        | SealedColumn::InviteLinks
        | SealedColumn::Mails
        | SealedColumn::Revocations
        | SealedColumn::SecondFactors
        | SealedColumn::ToolServers => SealedKey::Id(columns.uuid("id")?),
        SealedColumn::OauthAttempts => SealedKey::Text(columns.text("state_hash")?),
    };
    Ok(SealedRow { key, sealed: columns.text(sealed)? })
}

fn bound(text: &'static str, key: &SealedKey) -> Query {
    match key {
        SealedKey::Id(id) => sql(text).bind(*id),
        SealedKey::Text(key) => sql(text).bind(clean(key).into_owned()),
    }
}

#[async_trait]
impl SealedReads for Database {
    async fn list_sealed(
        &self,
        column: SealedColumn,
        after: Option<&SealedKey>,
        limit: u32,
    ) -> StoreResult<Vec<SealedRow>> {
        let text = match column {
            SealedColumn::Connections => include_str!("../sql/vault/list_connections.sql"),
            SealedColumn::OauthAttempts => include_str!("../sql/vault/list_oauth_attempts.sql"),
            SealedColumn::InviteLinks => include_str!("../sql/vault/list_invite_links.sql"),
            SealedColumn::Mails => include_str!("../sql/vault/list_mails.sql"),
            SealedColumn::Revocations => include_str!("../sql/vault/list_revocations.sql"),
            SealedColumn::SecondFactors => include_str!("../sql/vault/list_second_factors.sql"),
            SealedColumn::ToolServers => include_str!("../sql/vault/list_tool_servers.sql"),
        };
        // Starts before the first key of either kind.
        let first = match column {
            SealedColumn::Connections
            | SealedColumn::InviteLinks
            | SealedColumn::Mails
            | SealedColumn::Revocations
            | SealedColumn::SecondFactors
            | SealedColumn::ToolServers => SealedKey::Id(Uuid::nil()),
            SealedColumn::OauthAttempts => SealedKey::Text(String::new()),
        };
        let query = bound(text, after.unwrap_or(&first)).bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(|row| taken(column, row)).collect()
    }

    async fn find_sealed(&self, column: SealedColumn, key: &SealedKey) -> StoreResult<Option<SealedRow>> {
        let text = match column {
            SealedColumn::Connections => include_str!("../sql/vault/find_connection.sql"),
            SealedColumn::OauthAttempts => include_str!("../sql/vault/find_oauth_attempt.sql"),
            SealedColumn::InviteLinks => include_str!("../sql/vault/find_invite_link.sql"),
            SealedColumn::Mails => include_str!("../sql/vault/find_mail.sql"),
            SealedColumn::Revocations => include_str!("../sql/vault/find_revocation.sql"),
            SealedColumn::SecondFactors => include_str!("../sql/vault/find_second_factor.sql"),
            SealedColumn::ToolServers => include_str!("../sql/vault/find_tool_server.sql"),
        };
        let found = fetch_optional(&mut *self.reader().await?, bound(text, key)).await?;
        found.map(|row| taken(column, &row)).transpose()
    }
}

#[async_trait]
impl SealedWrites for Unit {
    async fn reseal(&mut self, column: SealedColumn, row: &SealedRow, anew: &str) -> StoreResult<bool> {
        let text = match column {
            SealedColumn::Connections => include_str!("../sql/vault/reseal_connection.sql"),
            SealedColumn::OauthAttempts => include_str!("../sql/vault/reseal_oauth_attempt.sql"),
            SealedColumn::InviteLinks => include_str!("../sql/vault/reseal_invite_link.sql"),
            SealedColumn::Mails => include_str!("../sql/vault/reseal_mail.sql"),
            SealedColumn::Revocations => include_str!("../sql/vault/reseal_revocation.sql"),
            SealedColumn::SecondFactors => include_str!("../sql/vault/reseal_second_factor.sql"),
            SealedColumn::ToolServers => include_str!("../sql/vault/reseal_tool_server.sql"),
        };
        let query = bound(text, &row.key).bind(clean(&row.sealed).into_owned()).bind(clean(anew).into_owned());
        execute_maybe(self.connection(), query).await
    }
}
