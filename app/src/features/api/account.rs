//! The person's own account, and what the sign-in pages must know. The writes are plain forms that post to the account routes.

#![cfg_attr(feature = "ssr", expect(clippy::unused_async, reason = "shape of server functions"))]

use adagent_contract::{AccountView, BrowserSessionView, EnrolmentView, Problem, RecoveryCodesView};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The ways to sign in that this server offers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaysIn {
    pub google: bool,
    pub mail: bool,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "sign-in-options", client = super::DeskClient)]
pub async fn sign_in_options() -> Result<WaysIn, ApiError> {
    let service = super::who::server::service()?;
    Ok(WaysIn { google: service.has_google(), mail: service.sends_mail() })
}

/// Returns what a field of this page held when its form was refused.
#[cfg(feature = "ssr")]
pub fn kept_field(name: &str) -> String {
    let parts = use_context::<axum::http::request::Parts>();
    let kept = parts.as_ref().and_then(|parts| parts.extensions.get::<adagent_service::KeptFields>());
    kept.and_then(|kept| kept.get(name)).unwrap_or_default().to_owned()
}

/// Everything the account page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountOverview {
    pub account: AccountView,
    pub sessions: Vec<BrowserSessionView>,
    /// An authenticator app during setup; only the person who just started the setup sees it.
    pub enrolment: Option<EnrolmentView>,
}

/// The result of the form for new recovery codes, which a browser posts to the page itself. The server passes it to the page that
/// it renders as the answer, so the codes are shown once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Renewed(pub Result<RecoveryCodesView, Problem>);

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "account", client = super::DeskClient)]
pub async fn account(enrol: bool) -> Result<AccountOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let session = use_context::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<adagent_service::SessionHash>().cloned());
    let account = service.account(&actor).await.map_err(server::fail)?;
    let sessions = service.browser_sessions(&actor, session.as_ref()).await.map_err(server::fail)?;
    let enrolment = if enrol {
        service.second_factor_enrolment(&actor, session.as_ref()).await.map_err(server::fail)?
    } else {
        None
    };
    Ok(AccountOverview { account, sessions, enrolment })
}

/// Stops asking the person to confirm their address for as long as they are signed in here.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "confirm-later", client = super::DeskClient)]
pub async fn confirm_later() -> Result<(), ApiError> {
    use super::who::server;
    server::person()?;
    server::put_off_until_sign_out();
    if server::without_script() {
        server::redirect("/chat");
    }
    Ok(())
}
