//! Where the provider finds tool servers, and how we seal their keys: for one server and the host that the key was given for.

use std::sync::Arc;

use adagent_contract::{MOST_TOOL_SERVERS, ServerTool};
use adagent_domain::{Clock, ToolServerId, WorkspaceId};
use adagent_identity::{Owner, Purpose, Vault};
use adagent_sources::mcp::{Door, Listing, Server, Shelf, SignIns, merged};
use adagent_store::{AuditEntry, Store, StoreError, ToolServer, ToolServerBody};
use adagent_tools::{CallScope, ToolError, ToolErrorClass};
use async_trait::async_trait;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use url::Url;

use crate::{ServiceError, ServiceResult};

/// How often we store a check again if somebody else wrote at the same time.
const ATTEMPTS: usize = 3;

pub(super) fn owner(workspace: WorkspaceId, id: ToolServerId, url: &Url) -> Owner {
    // A key for one host does not open for another one, whatever the row says.
    let host = format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
    Owner::of(workspace, host, Purpose::ToolServer, id)
}

pub(super) fn seal(
    vault: &Vault,
    workspace: WorkspaceId,
    id: ToolServerId,
    url: &Url,
    secret: &SecretString,
) -> ServiceResult<String> {
    let sealed = vault.seal(&owner(workspace, id, url), secret.expose_secret().as_bytes());
    sealed.map_err(|error| ServiceError::Internal(error.to_string()))
}

fn open(vault: &Vault, server: &ToolServer, url: &Url) -> Result<Option<SecretString>, String> {
    let Some(sealed) = &server.body.sealed else { return Ok(None) };
    let plain = vault.open(&owner(server.workspace, server.id, url), sealed).map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(&plain).map_err(|_| "the key of a tool server is no text".to_owned())?;
    Ok(Some(SecretString::from(text)))
}

#[cfg(test)]
pub(super) fn opens(vault: &Vault, workspace: WorkspaceId, id: ToolServerId, url: &Url, sealed: &str) -> bool {
    vault.open(&owner(workspace, id, url), sealed).is_ok()
}

/// Lists tools that could be called before and no longer can.
pub(super) fn went_off(before: &[ServerTool], after: &[ServerTool]) -> Vec<String> {
    let usable = |name: &str| after.iter().any(|tool| tool.name == name && tool.is_usable());
    let off = before.iter().filter(|tool| tool.is_usable() && !usable(&tool.name));
    off.map(|tool| tool.name.clone()).collect()
}

#[derive(Clone)]
pub(super) struct Shelved {
    pub store: Arc<dyn Store>,
    pub vault: Arc<Vault>,
    pub clock: Arc<dyn Clock>,
    pub sign_ins: SignIns,
}

pub(super) fn unreadable(error: impl std::fmt::Display) -> ToolError {
    tracing::warn!(%error, "the tool servers of a workspace cannot be read");
    ToolError::new(ToolErrorClass::Retryable, "UNAVAILABLE", "The tool servers can't be read right now.")
}

pub(super) fn unsealable(error: impl std::fmt::Display) -> ToolError {
    tracing::warn!(%error, "the key of a tool server cannot be opened");
    ToolError::new(ToolErrorClass::AuthFailed, "AUTH_FAILED", "The stored token or key can't be opened.")
        .guide("Delete the tool server under /settings/tool-servers and connect it again.")
}

#[async_trait]
impl Shelf for Shelved {
    async fn servers(&self, workspace: WorkspaceId) -> Result<Vec<Server>, ToolError> {
        let all = self.store.list_tool_servers(workspace, MOST_TOOL_SERVERS).await.map_err(unreadable)?;
        let server = |one: ToolServer| {
            Some(Server {
                id: one.id,
                handle: one.handle,
                name: one.body.name,
                url: Url::parse(&one.url).ok()?,
                sign_in: one.sign_in,
                access: one.access,
                on: one.body.enabled,
                tools: one.body.tools,
            })
        };
        Ok(all.into_iter().filter_map(server).collect())
    }

    async fn secret(&self, workspace: WorkspaceId, id: ToolServerId) -> Result<Option<SecretString>, ToolError> {
        let Some(server) = self.store.find_tool_server(workspace, id).await.map_err(unreadable)? else {
            return Ok(None);
        };
        self.secret_of(&server).await
    }

    async fn renewed(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        refused: &SecretString,
    ) -> Result<SecretString, ToolError> {
        self.token(workspace, id, Some(refused.clone())).await
    }

    async fn wants(&self, workspace: WorkspaceId, id: ToolServerId, scopes: &str) -> Result<(), ToolError> {
        for _ in 0..ATTEMPTS {
            let found = self.store.find_tool_server(workspace, id).await.map_err(unreadable)?;
            let Some(server) = found else { break };
            if self.wanted(&server, scopes).await? {
                break;
            }
        }
        Ok(())
    }

    async fn changed(&self, scope: &CallScope, id: ToolServerId, listing: Listing) -> Result<(), ToolError> {
        for _ in 0..ATTEMPTS {
            if self.noted(scope, id, &listing).await.map_err(unreadable)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Shelved {
    async fn secret_of(&self, server: &ToolServer) -> Result<Option<SecretString>, ToolError> {
        if server.sign_in.is_oauth() {
            return self.token(server.workspace, server.id, None).await.map(Some);
        }
        let url = Url::parse(&server.url).map_err(unsealable)?;
        open(&self.vault, server, &url).map_err(unsealable)
    }

    /// Returns the address of a server and how we sign in there.
    pub(super) async fn door(&self, server: &ToolServer) -> Result<Door, ToolError> {
        let url = Url::parse(&server.url).map_err(unsealable)?;
        Ok(Door { url, sign_in: server.sign_in.clone(), secret: self.secret_of(server).await? })
    }

    async fn noted(&self, scope: &CallScope, id: ToolServerId, listing: &Listing) -> Result<bool, StoreError> {
        let workspace = scope.workspace;
        let Some(server) = self.store.find_tool_server(workspace, id).await? else { return Ok(true) };
        let now = self.clock.now();
        let before = server.body.tools.clone();
        let body = ToolServerBody {
            tools: merged(&server.body.tools, &listing.tools),
            left_out: listing.left_out,
            checked_at: now,
            ..server.body
        };
        let mut work = self.store.begin_in(workspace).await?;
        let kept = work.update_tool_server(workspace, id, server.version, &body, now).await?;
        let off = went_off(&before, &body.tools);
        if kept && !off.is_empty() {
            work.insert_audit(&AuditEntry {
                workspace,
                user: scope.user,
                action: "tool_server.turned_off".into(),
                target: id.to_string(),
                detail: json!({"handle": server.handle, "tools": off}),
                at: now,
            })
            .await?;
        }
        work.commit().await?;
        Ok(kept)
    }
}
