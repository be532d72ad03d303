//! Tool servers of a workspace: connect, check again, decide about their tools, accept changes, disconnect.
//!
//! Tokens and keys pass through here only on their way into the vault; no answer ever contains one.

mod access;
mod check;
pub(crate) mod parts;
mod shelf;
mod sign_in;
#[cfg(test)]
mod tests;

use adagent_contract::{
    AcceptedChanges, MOST_TOOL_SERVERS, NewToolServer, ServerAccess, ServerTool, ToolServerSignIn, ToolServerUpdate,
    ToolServerView, ToolSetting, codes,
};
use adagent_domain::{Actor, Granted, Permission, ToolServerId, rights::ManageSources};
use adagent_sources::mcp::{self, Door, Listing, Shelf as _, Trouble};
use adagent_store::{StoreError, ToolServer, ToolServerBody};
use adagent_tools::ToolError;
use serde_json::json;
use url::Url;

pub use sign_in::SentBack;

use self::parts::ToolServerParts;
use crate::{Service, ServiceError, ServiceResult, rights::still_granted};

const SERVER: &str = "tool server";

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
    /// Makes the view for a person. Members see only a server's origin, because the whole address may be a secret of those who manage it.
    fn server_view(&self, server: ToolServer, actor: &Actor) -> ToolServerView {
        let manages = Permission::ManageSources.is_given_to(actor.standing());
        let url = Url::parse(&server.url).ok();
        let origin = || url.as_ref().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let oauth = server.sign_in.is_oauth();
        let callback = url.as_ref().filter(|_| manages && oauth).map(|url| self.server_callback(url).to_string());
        ToolServerView {
            id: server.id,
            url: if manages { server.url } else { origin() },
            handle: server.handle,
            name: server.body.name,
            sign_in: if manages { server.sign_in } else { server.sign_in.without_client() },
            access: oauth.then_some(server.access),
            callback_url: callback,
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

    /// Lists the servers by name.
    pub async fn tool_servers(&self, actor: &Actor) -> ServiceResult<Vec<ToolServerView>> {
        let all = self.store.list_tool_servers(actor.workspace, MOST_TOOL_SERVERS).await?;
        Ok(all.into_iter().map(|server| self.server_view(server, actor)).collect())
    }

    pub async fn tool_server(&self, actor: &Actor, id: ToolServerId) -> ServiceResult<ToolServerView> {
        Ok(self.server_view(self.existing_server(actor, id).await?, actor))
    }

    /// Connects a server. Asks it for its tools first, or for its sign-in; if it gives neither, nothing is stored.
    pub async fn connect_tool_server(
        &self,
        actor: &Granted<ManageSources>,
        new: NewToolServer,
    ) -> ServiceResult<ToolServerView> {
        self.limits.keys(actor.user)?;
        let checked = check::checked(new)?;
        let (now, id) = (self.clock.now(), ToolServerId::new(&*self.ids));
        let (sealed, listing) = match &checked.sign_in {
            ToolServerSignIn::Oauth { client_id } => {
                let sealed = self.new_sign_in(actor.workspace, id, &checked, client_id.as_deref()).await?;
                (sealed, Listing::default())
            }
            sign_in => {
                let (url, secret) = (checked.url.clone(), checked.secret.clone());
                let looked = self.tool_servers.provider.look(&Door { url, sign_in: sign_in.clone(), secret }).await;
                let listing = looked.map_err(|trouble| refused(&trouble, &checked.name))?;
                let seal = |secret| shelf::seal(&self.tool_servers.vault, actor.workspace, id, &checked.url, secret);
                (checked.secret.as_ref().map(seal).transpose()?, listing)
            }
        };
        let server = ToolServer {
            id,
            workspace: actor.workspace,
            handle: checked.handle,
            url: checked.url.to_string(),
            sign_in: checked.sign_in,
            access: ServerAccess::SignedOut,
            sealed_version: 1,
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
        Ok(self.server_view(server, actor))
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
        let looked = self.looked(&server).await?;
        let mut body = ToolServerBody { checked_at: self.clock.now(), ..server.body.clone() };
        let worked = match looked {
            Ok(listing) => {
                body.problem = None;
                body.tools = mcp::merged(&body.tools, &listing.tools);
                body.left_out = listing.left_out;
                true
            }
            Err(problem) => {
                body.problem = problem;
                false
            }
        };
        let changed = body.tools.iter().filter(|tool| tool.change.is_some()).count();
        let detail = json!({"handle": server.handle, "worked": worked, "changed": changed});
        let version = server.version;
        let view = self.keep_server(actor, server, version, body, ("tool_server.tested", detail)).await?;
        // The test may have found that the sign-in has ended.
        if view.access.is_some() { self.tool_server(actor, id).await } else { Ok(view) }
    }

    /// Asks a known server for its tools. The inner error is what its page says; `None` if the state of its sign-in says it already.
    async fn looked(&self, server: &ToolServer) -> ServiceResult<Result<Listing, Option<String>>> {
        let ToolServerParts { shelf, provider, .. } = &self.tool_servers;
        let said = |error: ToolError| Ok(Err((error.code != "SIGN_IN_AGAIN").then_some(error.message)));
        if server.sign_in.is_oauth() && server.access == ServerAccess::SignedOut {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!("Sign in to {} first.", server.body.name),
            });
        }
        let mut door = match shelf.door(server).await {
            Ok(door) => door,
            Err(error) => return said(error),
        };
        let mut looked = provider.look(&door).await;
        if let Some(token) = door.secret.clone().filter(|_| server.sign_in.is_oauth())
            && looked == Err(Trouble::Unauthorized)
        {
            match shelf.renewed(server.workspace, server.id, &token).await {
                Ok(fresh) => door.secret = Some(fresh),
                Err(error) => return said(error),
            }
            looked = provider.look(&door).await;
        }
        Ok(looked.map_err(|trouble| Some(trouble.told(&server.body.name))))
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
        Ok(self.server_view(ToolServer { body, version: from + 1, updated_at: now, ..server }, actor))
    }
}
