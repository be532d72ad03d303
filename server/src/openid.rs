//! The provider that people may sign in with, if a client is registered there.

use std::{sync::Arc, time::Duration};

use adagent_config::Config;
use adagent_domain::Clock;
use adagent_identity::{OpenId, OpenIdSettings};
use anyhow::{Context as _, Result};

const CONNECT: Duration = Duration::from_secs(5);

/// Builds the provider; `None` without a client.
pub fn build(config: &Config, clock: &Arc<dyn Clock>) -> Result<Option<Arc<OpenId>>> {
    let (Some(client_id), Some(client_secret)) = (&config.oidc.client_id, &config.oidc.client_secret) else {
        return Ok(None);
    };
    let redirect = config.public_url().join("/api/auth/google/callback").context("public_url cannot be a base")?;
    let settings = OpenIdSettings {
        issuer: config.oidc.issuer.as_str().trim_end_matches('/').to_owned(),
        client_id: client_id.clone(),
        client_secret: client_secret.clone(),
        redirect,
    };
    // Follow no redirect: codes and the client's secret go to the configured address or nowhere.
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("adagentai/", env!("CARGO_PKG_VERSION")))
        .build()
        .context("cannot make the HTTP client of the sign-in provider")?;
    Ok(Some(Arc::new(OpenId::new(settings, client, Arc::clone(clock)))))
}
