//! Connections of a workspace and OAuth round trips.

use adagent_domain::{ConnectionId, Network, RunId, Timestamp, ToolServerId, UserId, WorkspaceId};
use adagent_store::{
    Connection, ConnectionReads, ConnectionState, ConnectionWrites, OauthAttempt, SignInInto, StoreResult, Use,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{execute_maybe, execute_one, fetch_all, fetch_optional, sql},
};

const fn state_word(state: ConnectionState) -> &'static str {
    match state {
        ConnectionState::ChooseAccount => "choose_account",
        ConnectionState::Connected => "connected",
        ConnectionState::AuthFailed => "auth_failed",
    }
}

fn parse_state(word: &str) -> Option<ConnectionState> {
    [ConnectionState::ChooseAccount, ConnectionState::Connected, ConnectionState::AuthFailed]
        .into_iter()
        .find(|state| state_word(*state) == word)
}

pub(crate) fn connection(row: &Row) -> StoreResult<Connection> {
    let columns = Columns::new("connections", row);
    Ok(Connection {
        id: ConnectionId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        network: columns.word("network", |word| word.parse().ok())?,
        label: columns.text("label")?,
        state: columns.word("state", parse_state)?,
        enabled: columns.get("enabled")?,
        sandbox: columns.get("sandbox")?,
        sealed: columns.text("sealed")?,
        accounts: columns.json("accounts")?,
        message: columns.get("message")?,
        version: columns.get("version")?,
        created_by: UserId(columns.uuid("created_by")?),
        created_at: columns.at("created_at")?,
        last_verified_at: columns.at_opt("last_verified_at")?,
        abilities: columns.json_opt("abilities")?,
        made: columns.get("made")?,
        consented_by: columns.get::<Option<uuid::Uuid>>("consented_by")?.map(UserId),
    })
}

fn attempt(row: &Row) -> StoreResult<OauthAttempt> {
    let columns = Columns::new("oauth_attempts", row);
    Ok(OauthAttempt {
        state_hash: columns.text("state_hash")?,
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        session_hash: columns.text("session_hash")?,
        sealed_verifier: columns.text("sealed_verifier")?,
        return_to: columns.get("return_to")?,
        expires_at: columns.at("expires_at")?,
        into: match columns.get::<Option<uuid::Uuid>>("tool_server_id")? {
            Some(id) => SignInInto::ToolServer(ToolServerId(id)),
            None => SignInInto::Network {
                network: columns.word("network", |word| word.parse().ok())?,
                sandbox: columns.get("sandbox")?,
                connection: columns.get::<Option<uuid::Uuid>>("connection_id")?.map(ConnectionId),
                adds: columns.get("adds")?,
                label: columns.get("label")?,
            },
        },
    })
}

/// Folds a label for comparison on both engines: labels that differ only in case are the same.
fn folded(label: &str) -> String {
    label.to_lowercase()
}

#[async_trait]
impl ConnectionReads for Database {
    async fn list_connections(&self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>> {
        let query = sql(include_str!("../sql/connections/list.sql")).bind(workspace.0);
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(connection).collect()
    }

    async fn find_connection_by_id(&self, workspace: WorkspaceId, id: ConnectionId) -> StoreResult<Option<Connection>> {
        let query = sql(include_str!("../sql/connections/find_by_id.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(connection).transpose()
    }

    async fn list_consents(&self, workspace: Option<WorkspaceId>, by: Option<UserId>) -> StoreResult<Vec<Connection>> {
        let (workspace, by) = (workspace.map(|id| id.0), by.map(|id| id.0));
        let query = sql(include_str!("../sql/connections/list_consents.sql")).bind(workspace).bind(by);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(connection).collect()
    }

    async fn list_uses(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Use>> {
        let query = sql(include_str!("../sql/connections/list_uses.sql")).bind(workspace.0).bind(i64::from(limit));
        let rows = fetch_all(&mut *self.reader().await?, query).await?;
        let read = |row: &Row| {
            let columns = Columns::new("tool_calls", row);
            Ok(Use {
                tool: columns.text("name")?,
                run: RunId(columns.uuid("run_id")?),
                waiting: columns.count("waiting")?,
            })
        };
        rows.iter().map(read).collect()
    }
}

#[async_trait]
impl ConnectionWrites for Unit {
    async fn insert_connection(&mut self, connection: &Connection) -> StoreResult<()> {
        let query = sql(include_str!("../sql/connections/insert.sql"))
            .bind(connection.id.0)
            .bind(connection.workspace.0)
            .bind(connection.network.id())
            .bind(state_word(connection.state))
            .bind(connection.enabled)
            .bind(connection.sandbox)
            .bind(clean(&connection.sealed))
            .bind(to_json(&connection.accounts)?)
            .bind(connection.message.as_deref().map(clean))
            .bind(connection.version)
            .bind(connection.created_by.0)
            .bind(connection.created_at.as_micros())
            .bind(connection.last_verified_at.map(Timestamp::as_micros))
            .bind(connection.abilities.as_ref().map(to_json).transpose()?)
            .bind(connection.made)
            .bind(clean(&connection.label))
            .bind(clean(&folded(&connection.label)))
            .bind(connection.consented_by.map(|user| user.0));
        execute_one(self.connection(), query, "insert connection").await
    }

    async fn remake_connection(&mut self, connection: &Connection) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/remake.sql"))
            .bind(connection.workspace.0)
            .bind(connection.id.0)
            .bind(connection.network.id())
            .bind(state_word(connection.state))
            .bind(connection.enabled)
            .bind(connection.sandbox)
            .bind(clean(&connection.sealed))
            .bind(to_json(&connection.accounts)?)
            .bind(connection.message.as_deref().map(clean))
            .bind(connection.last_verified_at.map(Timestamp::as_micros))
            .bind(connection.abilities.as_ref().map(to_json).transpose()?)
            .bind(connection.consented_by.map(|user| user.0));
        execute_maybe(self.connection(), query).await
    }

    async fn replace_sealed(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        expected_version: i64,
        sealed: &str,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/replace_sealed.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(expected_version)
            .bind(clean(sealed))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn set_connection_state(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        expected_version: i64,
        state: ConnectionState,
        message: Option<&str>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/set_state.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(expected_version)
            .bind(state_word(state))
            .bind(message.map(clean))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn set_connection_enabled(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        enabled: bool,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/set_enabled.sql")).bind(workspace.0).bind(id.0).bind(enabled);
        execute_maybe(self.connection(), query).await
    }

    async fn rename_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, label: &str) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/rename.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(clean(label))
            .bind(clean(&folded(label)));
        execute_maybe(self.connection(), query).await
    }

    async fn set_connection_accounts(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        accounts: &serde_json::Value,
        state: ConnectionState,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/set_accounts.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(to_json(accounts)?)
            .bind(state_word(state))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn set_connection_abilities(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        made: i64,
        abilities: &serde_json::Value,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/set_abilities.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(made)
            .bind(to_json(abilities)?);
        execute_maybe(self.connection(), query).await
    }

    async fn delete_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, made: i64) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/connections/delete.sql")).bind(workspace.0).bind(id.0).bind(made);
        execute_maybe(self.connection(), query).await
    }

    async fn insert_oauth_attempt(&mut self, attempt: &OauthAttempt) -> StoreResult<()> {
        let (network, server): (Option<Network>, _) = match &attempt.into {
            SignInInto::Network { network, .. } => (Some(*network), None),
            SignInInto::ToolServer(id) => (None, Some(id.0)),
        };
        let (sandbox, connection, adds, label) = match &attempt.into {
            SignInInto::Network { sandbox, connection, adds, label, .. } => {
                (*sandbox, *connection, *adds, label.as_deref())
            }
            SignInInto::ToolServer(_) => (false, None, false, None),
        };
        let query = sql(include_str!("../sql/connections/insert_oauth_attempt.sql"))
            .bind(clean(&attempt.state_hash))
            .bind(attempt.workspace.0)
            .bind(attempt.user.0)
            .bind(clean(&attempt.session_hash))
            .bind(network.map(Network::id))
            .bind(clean(&attempt.sealed_verifier))
            .bind(attempt.return_to.as_deref().map(clean))
            .bind(attempt.expires_at.as_micros())
            .bind(sandbox)
            .bind(connection.map(|id| id.0))
            .bind(adds)
            .bind(label.map(clean))
            .bind(server);
        execute_one(self.connection(), query, "insert oauth attempt").await
    }

    async fn take_oauth_attempt(&mut self, state_hash: &str) -> StoreResult<Option<OauthAttempt>> {
        let query = sql(include_str!("../sql/connections/take_oauth_attempt.sql")).bind(clean(state_hash));
        fetch_optional(self.connection(), query).await?.as_ref().map(attempt).transpose()
    }
}
