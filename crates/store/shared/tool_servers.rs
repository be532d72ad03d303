//! Tool servers.

use adagent_contract::ServerAccess;
use adagent_domain::{Timestamp, ToolServerId, UserId, WorkspaceId};
use adagent_store::{StoreResult, ToolServer, ToolServerBody, ToolServerReads, ToolServerWrites};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{execute_maybe, fetch_all, fetch_optional, sql},
};

fn server(row: &Row) -> StoreResult<ToolServer> {
    let columns = Columns::new("tool_servers", row);
    let left_out: i64 = columns.get("left_out")?;
    let access = match (columns.at_opt("signed_in_at")?, columns.get("sign_in_expired")?) {
        (None, _) => ServerAccess::SignedOut,
        (Some(since), false) => ServerAccess::SignedIn { since },
        (Some(since), true) => ServerAccess::Expired { since },
    };
    Ok(ToolServer {
        id: ToolServerId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        handle: columns.text("handle")?,
        url: columns.text("url")?,
        sign_in: columns.json("sign_in")?,
        access,
        sealed_version: columns.get("sealed_version")?,
        body: ToolServerBody {
            name: columns.text("name")?,
            sealed: columns.get("sealed")?,
            enabled: columns.get("enabled")?,
            problem: columns.get("problem")?,
            tools: columns.json("tools")?,
            left_out: u32::try_from(left_out).unwrap_or(u32::MAX),
            checked_at: columns.at("checked_at")?,
        },
        by: columns.get::<Option<Uuid>>("created_by")?.map(UserId),
        version: columns.get("version")?,
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
    })
}

#[async_trait]
impl ToolServerReads for Database {
    async fn find_tool_server(&self, workspace: WorkspaceId, id: ToolServerId) -> StoreResult<Option<ToolServer>> {
        let query = sql(include_str!("../sql/tool_servers/find.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(server).transpose()
    }

    async fn list_tool_servers(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ToolServer>> {
        let query = sql(include_str!("../sql/tool_servers/list.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(server).collect()
    }
}

#[async_trait]
impl ToolServerWrites for Unit {
    async fn insert_tool_server(&mut self, server: &ToolServer, most: u32) -> StoreResult<bool> {
        let (sign_in, tools) = (to_json(&server.sign_in)?, to_json(&server.body.tools)?);
        let query = sql(include_str!("../sql/tool_servers/insert.sql"))
            .bind(server.id.0)
            .bind(server.workspace.0)
            .bind(clean(&server.handle).into_owned())
            .bind(clean(&server.body.name).into_owned())
            .bind(clean(&server.url).into_owned())
            .bind(clean(&sign_in).into_owned())
            .bind(server.body.sealed.clone())
            .bind(server.body.enabled)
            .bind(server.body.problem.as_deref().map(|text| clean(text).into_owned()))
            .bind(clean(&tools).into_owned())
            .bind(i64::from(server.body.left_out))
            .bind(server.by.map(|user| user.0))
            .bind(server.body.checked_at.as_micros())
            .bind(server.created_at.as_micros())
            .bind(i64::from(most));
        execute_maybe(self.connection(), query).await
    }

    async fn update_tool_server(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        body: &ToolServerBody,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let tools = to_json(&body.tools)?;
        let query = sql(include_str!("../sql/tool_servers/update.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from)
            .bind(clean(&body.name).into_owned())
            .bind(body.enabled)
            .bind(body.problem.as_deref().map(|text| clean(text).into_owned()))
            .bind(clean(&tools).into_owned())
            .bind(i64::from(body.left_out))
            .bind(body.checked_at.as_micros())
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn set_server_access(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        sealed: &str,
        access: ServerAccess,
    ) -> StoreResult<bool> {
        let (since, expired) = match access {
            ServerAccess::SignedOut => (None, false),
            ServerAccess::SignedIn { since } => (Some(since), false),
            ServerAccess::Expired { since } => (Some(since), true),
        };
        let query = sql(include_str!("../sql/tool_servers/set_access.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from)
            .bind(clean(sealed).into_owned())
            .bind(since.map(Timestamp::as_micros))
            .bind(expired);
        execute_maybe(self.connection(), query).await
    }

    async fn claim_server_refresh(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        now: Timestamp,
        until: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/tool_servers/claim_refresh.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from)
            .bind(now.as_micros())
            .bind(until.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn end_server_refresh(&mut self, workspace: WorkspaceId, id: ToolServerId, from: i64) -> StoreResult<()> {
        let query = sql(include_str!("../sql/tool_servers/end_refresh.sql")).bind(workspace.0).bind(id.0).bind(from);
        execute_maybe(self.connection(), query).await.map(|_| ())
    }

    async fn delete_tool_server(&mut self, workspace: WorkspaceId, id: ToolServerId) -> StoreResult<Option<String>> {
        let query = sql(include_str!("../sql/tool_servers/delete.sql")).bind(workspace.0).bind(id.0);
        let row = fetch_optional(self.connection(), query).await?;
        row.as_ref().map(|row| Columns::new("tool_servers", row).text("handle")).transpose()
    }
}
