//! Tool servers: turns what they offer into tools of a workspace.
//!
//! Every call opens its own session, reads the list of tools again, and calls the tool only if its description is still the accepted one.
//! So a server cannot swap a tool between the check and the call.

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

/// Where tool servers are stored.
#[async_trait]
pub trait Shelf: Send + Sync {
    async fn servers(&self, workspace: WorkspaceId) -> Result<Vec<Server>, ToolError>;

    /// Returns the token or key of a server, if it has one.
    async fn secret(&self, workspace: WorkspaceId, id: ToolServerId) -> Result<Option<SecretString>, ToolError>;

    /// Stores a changed listing for a person to check, after a call found that the server describes its tools differently.
    async fn changed(&self, scope: &CallScope, id: ToolServerId, listing: Listing) -> Result<(), ToolError>;
}
