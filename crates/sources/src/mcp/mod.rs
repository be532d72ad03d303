//! Tool servers: turns what they offer into tools of a workspace.
//!
//! Every call opens its own session, reads the list of tools again, and calls the tool only if its description is still the accepted one.
//! So a server cannot swap a tool between the check and the call.

mod answer;
mod pin;
mod provider;
mod schema;
mod sign_in;
mod talk;
mod trouble;

use adagent_contract::{ServerAccess, ServerTool, ToolServerSignIn};
use adagent_domain::{ToolServerId, WorkspaceId};
use adagent_tools::{CallScope, ToolError};
use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

pub use self::{
    pin::{accepted, merged},
    provider::{McpServers, Setup, needs_sign_in},
    sign_in::{AuthServer, CLIENT_NAME, Registered, SignIns},
    talk::{Door, Found, Listing},
    trouble::{MORE_WANTED, NoSignIn, Trouble},
};

/// A tool server as the provider needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub id: ToolServerId,
    pub handle: String,
    pub name: String,
    pub url: Url,
    pub sign_in: ToolServerSignIn,
    /// Whether somebody signed in, if it needs that.
    pub access: ServerAccess,
    pub on: bool,
    pub tools: Vec<ServerTool>,
}

/// Where tool servers are stored.
#[async_trait]
pub trait Shelf: Send + Sync {
    async fn servers(&self, workspace: WorkspaceId) -> Result<Vec<Server>, ToolError>;

    /// Returns the token or key of a server, if it has one. A token that ends soon is refreshed first.
    async fn secret(&self, workspace: WorkspaceId, id: ToolServerId) -> Result<Option<SecretString>, ToolError>;

    /// Returns another token after a server with a sign-in refused this one, or the error that tells a person to sign in again.
    async fn renewed(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        refused: &SecretString,
    ) -> Result<SecretString, ToolError>;

    /// Remembers the further scopes that a server wants, for the next sign-in, and says so on its page.
    async fn wants(&self, workspace: WorkspaceId, id: ToolServerId, scopes: &str) -> Result<(), ToolError>;

    /// Stores a changed listing for a person to check, after a call found that the server describes its tools differently.
    async fn changed(&self, scope: &CallScope, id: ToolServerId, listing: Listing) -> Result<(), ToolError>;
}
