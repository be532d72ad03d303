//! Access tokens. A plain form on the page's own address can also create one: see [`Minted`].

use adagent_contract::{CreatedToken, NewToken, Problem, TokenScope, TokenView, Typed};
use adagent_domain::AccessTokenId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// A person's tokens of this workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenOverview {
    pub items: Vec<TokenView>,
    /// The address where MCP clients find the tools.
    pub mcp_url: String,
    /// Whether the account has a password to ask for. A person without one must have signed in just now.
    pub has_password: bool,
}

/// The form that creates a token, as browsers send it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenForm {
    #[serde(default)]
    pub name: String,
    /// A checked box sends a value; an unchecked box sends nothing.
    #[serde(default)]
    pub mcp: Option<String>,
    #[serde(default)]
    pub api: Option<String>,
    /// Days until the token expires; empty means never.
    #[serde(default)]
    pub days: String,
    #[serde(default)]
    pub password: Option<Typed>,
}

impl TokenForm {
    pub fn scopes(&self) -> Vec<TokenScope> {
        let chosen = [(self.api.is_some(), TokenScope::Api), (self.mcp.is_some(), TokenScope::Mcp)];
        chosen.into_iter().filter_map(|(chosen, scope)| chosen.then_some(scope)).collect()
    }

    /// Returns the request without the expiry, which the server's clock turns into a date from the days.
    pub fn request(&self) -> NewToken {
        NewToken { name: self.name.clone(), scopes: self.scopes(), expires_at: None, password: self.password.clone() }
    }
}

/// The result of the form that was posted to the page itself. The server passes it to the page that it renders as the answer, so
/// the secret is shown once, without JavaScript and outside any address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Minted {
    pub made: Result<CreatedToken, Problem>,
    /// The form as the person filled it in, without the password.
    pub form: TokenForm,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "tokens", client = super::DeskClient)]
pub async fn tokens() -> Result<TokenOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let items = service.tokens(&actor).await.map_err(server::fail)?;
    let has_password = service.has_password(&actor).await.map_err(server::fail)?;
    Ok(TokenOverview { items, mcp_url: service.mcp_url(), has_password })
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "create-token", client = super::DeskClient)]
pub async fn create_token(
    name: String,
    mcp: Option<String>,
    api: Option<String>,
    days: String,
    password: Option<Typed>,
) -> Result<CreatedToken, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let form = TokenForm { name, mcp, api, days, password };
    service
        .create_token_for(&server::granted(&actor)?, form.request(), &form.days, server::proof())
        .await
        .map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "revoke-token", client = super::DeskClient)]
pub async fn revoke_token(id: AccessTokenId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.revoke_token(&actor, id).await.map_err(server::fail)?;
    server::redirect("/settings/tokens");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_are_not_checked_send_nothing() {
        let form = TokenForm { mcp: Some("on".into()), ..TokenForm::default() };
        assert_eq!(form.scopes(), vec![TokenScope::Mcp]);
        assert!(TokenForm::default().scopes().is_empty());
    }
}
