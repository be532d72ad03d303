//! Tool servers: what they offer becomes tools of a workspace.
//!
//! Every call opens a session of its own, reads the list of tools again, and calls the tool only if it is still described as somebody
//! accepted it. A server cannot swap what a tool is between a look and a call.

mod answer;
mod pin;
mod provider;
mod schema;
mod talk;
mod trouble;

use adagent_contract::{ServerTool, ToolServerSignIn};
use adagent_domain::{ToolServerId, WorkspaceId};
use adagent_tools::{CallScope, ToolError};
use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

pub use self::{
    pin::{accepted, merged},
    provider::{McpServers, Setup},
    talk::{Door, Found, Listing},
    trouble::Trouble,
};

/// A tool server as the provider needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub id: ToolServerId,
    pub handle: String,
    pub name: String,
    pub url: Url,
    pub sign_in: ToolServerSignIn,
    pub on: bool,
    pub tools: Vec<ServerTool>,
}

/// Where tool servers are kept.
#[async_trait]
pub trait Shelf: Send + Sync {
    async fn servers(&self, workspace: WorkspaceId) -> Result<Vec<Server>, ToolError>;

    /// The token or key of a server, if it has one.
    async fn secret(&self, workspace: WorkspaceId, id: ToolServerId) -> Result<Option<SecretString>, ToolError>;

    /// A call found that a server describes its tools otherwise than it did: keeps what is to be looked at.
    async fn changed(&self, scope: &CallScope, id: ToolServerId, listing: Listing) -> Result<(), ToolError>;
}
