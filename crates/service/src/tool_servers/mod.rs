//! Tool servers of a workspace: connect, check again, decide about their tools, accept changes, disconnect.
//!
//! Tokens and keys pass through here only on their way into the vault; no answer ever contains one.

mod check;
pub(crate) mod parts;
mod shelf;
#[cfg(test)]
mod tests;

use adagent_contract::{
    AcceptedChanges, MOST_TOOL_SERVERS, NewToolServer, ServerTool, ToolServerUpdate, ToolServerView, ToolSetting, codes,
};
use adagent_domain::{Actor, Granted, Permission, ToolServerId, rights::ManageSources};
use adagent_sources::mcp::{self, Door, Trouble};
use adagent_store::{StoreError, ToolServer, ToolServerBody};
use serde_json::json;

use crate::{Service, ServiceError, ServiceResult, rights::still_granted};

const SERVER: &str = "tool server";

/// Makes the view for a person. Members see only a server's origin, because the whole address may be a secret of those who manage it.
fn view(server: ToolServer, actor: &Actor) -> ToolServerView {
    let manages = Permission::ManageSources.is_given_to(actor.standing());
    let origin = || url::Url::parse(&server.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    ToolServerView {
        id: server.id,
        url: if manages { server.url } else { origin() },
        handle: server.handle,
        name: server.body.name,
        sign_in: server.sign_in,
        on: server.body.enabled,
        problem: server.body.problem,
        tools: server.body.tools,
        left_out: server.body.left_out,
        version: server.version,
        checked_at: server.body.checked_at,
        created_at: server.created_at,
        updated_at: server.updated_at,
    }
}

fn taken(error: StoreError, handle: &str) -> ServiceError {
    match error {
        StoreError::Taken { .. } => ServiceError::field(
            "/handle",
            format!("This workspace already has a tool server with the handle {handle}. Choose another handle."),
        ),
        error => error.into(),
    }
}

fn stale() -> ServiceError {
    ServiceError::Conflict {
        code: codes::CONFLICT,
        detail:
            "Someone changed this tool server in the meantime, or its tools changed. Reload the page and try again."
                .into(),
    }
}

/// Turns a failed check into an error for the field that caused it.
fn refused(trouble: &Trouble, name: &str) -> ServiceError {
    let field = if *trouble == Trouble::Unauthorized { "/secret" } else { "/url" };
    ServiceError::field(field, trouble.told(name))
}

fn set(tool: &mut ServerTool, setting: ToolSetting) {
    tool.reading = setting.reading.unwrap_or(tool.reading);
    tool.on = setting.on.unwrap_or(tool.on);
}

impl Service {
    /// Lists the servers by name.
    pub async fn tool_servers(&self, actor: &Actor) -> ServiceResult<Vec<ToolServerView>> {
        let all = self.store.list_tool_servers(actor.workspace, MOST_TOOL_SERVERS).await?;
        Ok(all.into_iter().map(|server| view(server, actor)).collect())
    }

    pub async fn tool_server(&self, actor: &Actor, id: ToolServerId) -> ServiceResult<ToolServerView> {
        Ok(view(self.existing_server(actor, id).await?, actor))
    }

    /// Connects a server. Asks it for its tools first; if it gives no list, nothing is stored.
    pub async fn connect_tool_server(
        &self,
        actor: &Granted<ManageSources>,
        new: NewToolServer,
    ) -> ServiceResult<ToolServerView> {
        self.limits.keys(actor.user)?;
        let checked = check::checked(new)?;
        let door = Door { url: checked.url.clone(), sign_in: checked.sign_in.clone(), secret: checked.secret.clone() };
        let looked = self.tool_servers.provider.look(&door).await;
        let listing = looked.map_err(|trouble| refused(&trouble, &checked.name))?;
        let (now, id) = (self.clock.now(), ToolServerId::new(&*self.ids));
        let sealed = checked
            .secret
            .as_ref()
            .map(|secret| shelf::seal(&self.tool_servers.vault, actor.workspace, id, &checked.url, secret))
            .transpose()?;
        let server = ToolServer {
            id,
            workspace: actor.workspace,
            handle: checked.handle,
            url: checked.url.to_string(),
            sign_in: checked.sign_in,
            body: ToolServerBody {
                name: checked.name,
                sealed,
                enabled: true,
                problem: None,
                tools: listing.first(),
                left_out: listing.left_out,
                checked_at: now,
            },
            by: Some(actor.user),
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageSources>(&mut *work, actor).await?;
        let kept = work.insert_tool_server(&server, MOST_TOOL_SERVERS).await;
        if !kept.map_err(|error| taken(error, &server.handle))? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!(
                    "This workspace has {MOST_TOOL_SERVERS} tool servers, which is the limit. Delete one first."
                ),
            });
        }
        let detail = json!({"handle": server.handle, "host": checked.url.host_str(), "tools": server.body.tools.len()});
        self.audit(&mut *work, actor, "tool_server.connected", id, detail).await?;
        work.commit().await?;
        Ok(view(server, actor))
    }

    /// Changes the name, whether the server is on, and the decisions about each tool.
    pub async fn update_tool_server(
        &self,
        actor: &Granted<ManageSources>,
        id: ToolServerId,
        update: ToolServerUpdate,
    ) -> ServiceResult<ToolServerView> {
        let server = self.existing_server(actor, id).await?;
        let mut body = server.body.clone();
        let mut fields = crate::validate::Fields::default();
        if let Some(name) = &update.name {
            body.name = fields.take("/name", check::name(name)).unwrap_or_default();
        }
        body.enabled = update.on.unwrap_or(body.enabled);
        for (name, setting) in &update.tools {
            match body.tools.iter_mut().find(|tool| tool.name == *name) {
                Some(tool) => set(tool, *setting),
                None => fields
                    .wrong(format!("/tools/{}", adagent_tools::schema::escape(name)), "There is no tool of that name."),
            }
        }
        fields.done()?;
        let detail = json!({"handle": server.handle, "changed": check::changed(&server.body, &body)});
        self.keep_server(actor, server, update.version, body, ("tool_server.changed", detail)).await
    }

    /// Asks the server for its tools again. A tool whose description differs from the accepted one is turned off and waits for a person.
    pub async fn test_tool_server(
        &self,
        actor: &Granted<ManageSources>,
        id: ToolServerId,
    ) -> ServiceResult<ToolServerView> {
        self.limits.keys(actor.user)?;
        let server = self.existing_server(actor, id).await?;
        let door = shelf::door(&self.tool_servers.vault, &server)?;
        let looked = self.tool_servers.provider.look(&door).await;
        let mut body = ToolServerBody { checked_at: self.clock.now(), ..server.body.clone() };
        let worked = match looked {
            Ok(listing) => {
                body.problem = None;
                body.tools = mcp::merged(&body.tools, &listing.tools);
                body.left_out = listing.left_out;
                true
            }
            Err(trouble) => {
                body.problem = Some(trouble.told(&body.name));
                false
            }
        };
        let changed = body.tools.iter().filter(|tool| tool.change.is_some()).count();
        let detail = json!({"handle": server.handle, "worked": worked, "changed": changed});
        let version = server.version;
        self.keep_server(actor, server, version, body, ("tool_server.tested", detail)).await
    }

    /// Accepts the changes that the person saw. The tools are on from now on, and each needs approval until an admin says that it only
    /// reads.
    pub async fn accept_tool_changes(
        &self,
        actor: &Granted<ManageSources>,
        id: ToolServerId,
        accepted: AcceptedChanges,
    ) -> ServiceResult<ToolServerView> {
        let server = self.existing_server(actor, id).await?;
        let names: Vec<&str> =
            server.body.tools.iter().filter(|tool| tool.change.is_some()).map(|tool| tool.name.as_str()).collect();
        let detail = json!({"handle": server.handle, "tools": names});
        let body = ToolServerBody { tools: mcp::accepted(server.body.tools.clone()), ..server.body.clone() };
        self.keep_server(actor, server, accepted.version, body, ("tool_server.accepted", detail)).await
    }

    /// Removes a server with its key. Its tools are gone at once, even for waiting runs.
    pub async fn disconnect_tool_server(&self, actor: &Granted<ManageSources>, id: ToolServerId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageSources>(&mut *work, actor).await?;
        // We do not read the server first, so that one whose tools we cannot read can be deleted, too.
        let gone = work.delete_tool_server(actor.workspace, id).await?;
        let handle = gone.ok_or(ServiceError::NotFound(SERVER))?;
        work.drop_server_grants(actor.workspace, &handle, actor.user, self.clock.now()).await?;
        self.audit(&mut *work, actor, "tool_server.deleted", id, json!({"handle": handle})).await?;
        Ok(work.commit().await?)
    }

    async fn existing_server(&self, actor: &Actor, id: ToolServerId) -> ServiceResult<ToolServer> {
        self.store.find_tool_server(actor.workspace, id).await?.ok_or(ServiceError::NotFound(SERVER))
    }

    async fn keep_server(
        &self,
        actor: &Granted<ManageSources>,
        server: ToolServer,
        from: i64,
        body: ToolServerBody,
        (action, detail): (&str, serde_json::Value),
    ) -> ServiceResult<ToolServerView> {
        let now = self.clock.now();
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageSources>(&mut *work, actor).await?;
        if !work.update_tool_server(actor.workspace, server.id, from, &body, now).await? {
            return Err(stale());
        }
        self.audit(&mut *work, actor, action, server.id, detail).await?;
        work.commit().await?;
        Ok(view(ToolServer { body, version: from + 1, updated_at: now, ..server }, actor))
    }
}
