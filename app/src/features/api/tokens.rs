//! Personal access tokens. Making one is also a plain form on the page's own address: see [`Minted`].

use adagent_contract::{CreatedToken, NewToken, Problem, TokenScope, TokenView, Typed};
use adagent_domain::AccessTokenId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// A person's tokens of this workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenOverview {
    pub items: Vec<TokenView>,
    /// Where programs find the tools.
    pub mcp_url: String,
    /// Whether one is asked for; who has none must have signed in just now.
    pub has_password: bool,
}

/// The form that makes a token, as browsers send it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenForm {
    #[serde(default)]
    pub name: String,
    /// A checked box sends something.
    #[serde(default)]
    pub mcp: Option<String>,
    #[serde(default)]
    pub api: Option<String>,
    /// Days until it ends; empty: never.
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

    /// All but the end, which is reckoned from the days by the clock of the server.
    pub fn request(&self) -> NewToken {
        NewToken { name: self.name.clone(), scopes: self.scopes(), expires_at: None, password: self.password.clone() }
    }
}

/// What became of the form that was posted to the page itself: the server hands it to the page it answers with, so that the
/// secret is shown once without script and without travelling through an address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Minted {
    pub made: Result<CreatedToken, Problem>,
    /// As it was filled in, without the password.
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
