//! Network access that we must revoke. `queue.rs` does the work of its queue.

use adagent_domain::{ConnectionId, JobId, WorkspaceId};
use adagent_store::{Connection, NewRevocation, Revocation, RevocationReads, RevocationWrites, StoreResult};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean},
    connections::connection,
    engine::{self, Database, Row, Unit},
    run::{execute_maybe, execute_one, fetch_all, fetch_optional, sql},
};

fn revocation(row: &Row) -> StoreResult<Revocation> {
    let columns = Columns::new("revocations", row);
    Ok(Revocation {
        id: JobId(columns.uuid("id")?),
        workspace: columns.get::<Option<Uuid>>("workspace_id")?.map(WorkspaceId),
        connection: ConnectionId(columns.uuid("connection_id")?),
        network: columns.word("network", |word| word.parse().ok())?,
        sandbox: columns.get("sandbox")?,
        created_at: columns.at("created_at")?,
        last_error: columns.get("last_error")?,
    })
}

#[async_trait]
impl RevocationReads for Database {
    async fn list_failed_revocations(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Revocation>> {
        let query = sql(include_str!("../sql/revocations/list_failed.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(revocation).collect()
    }

    async fn find_revocation(&self, id: JobId) -> StoreResult<Option<Revocation>> {
        let query = sql(include_str!("../sql/revocations/find.sql")).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(revocation).transpose()
    }
}

#[async_trait]
impl RevocationWrites for Unit {
    async fn insert_revocation(&mut self, revocation: &NewRevocation) -> StoreResult<()> {
        let at = revocation.created_at.as_micros();
        let (state, sealed, error) = match &revocation.sealed {
            Ok(sealed) => ("waiting", clean(sealed).into_owned(), None),
            Err(error) => ("failed", String::new(), Some(clean(error).into_owned())),
        };
        let query = sql(include_str!("../sql/revocations/insert.sql"))
            .bind(revocation.id.0)
            .bind(revocation.workspace.0)
            .bind(revocation.connection.0)
            .bind(revocation.network.id())
            .bind(revocation.sandbox)
            .bind(sealed)
            .bind(state)
            .bind(at)
            .bind((state == "failed").then_some(at))
            .bind(error);
        execute_one(self.connection(), query, "insert revocation").await
    }

    async fn connections_of(&mut self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>> {
        if let Some(text) = engine::LOCK_CONNECTIONS {
            fetch_all(self.connection(), sql(text).bind(workspace.0)).await?;
        }
        let query = sql(include_str!("../sql/connections/list.sql")).bind(workspace.0);
        fetch_all(self.connection(), query).await?.iter().map(connection).collect()
    }

    async fn revocation(&mut self, id: JobId) -> StoreResult<Option<Revocation>> {
        let query = sql(include_str!("../sql/revocations/find.sql")).bind(id.0);
        fetch_optional(self.connection(), query).await?.as_ref().map(revocation).transpose()
    }

    async fn forget_revocation(&mut self, workspace: WorkspaceId, id: JobId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/revocations/forget.sql")).bind(workspace.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }
}
