//! Signing in to a tool server with OAuth 2.1: where, as which client, and the tokens.
//!
//! Every address here comes from somebody else, so each request goes the guarded way out, follows no redirect, and reads a short answer.
//! The SDK has this, too, but keeps a round trip in the memory of one process, goes on without S256, and logs codes. So only the wire
//! format is ours, and what sends codes and tokens is the code that networks use.

mod challenge;
mod discover;
mod register;

use adagent_oauth::{Authorization, Client, OauthClient, OauthError, SecretIn, Tokens};
use adagent_outgoing::WayOut;
use secrecy::SecretString;
use tokio::time::timeout;
use url::Url;

pub use self::{
    discover::AuthServer,
    register::{NAME as CLIENT_NAME, Registered},
};
use super::{
    answer::said,
    talk::{MOST_TIME, Reach},
    trouble::{MOST_SAID, NoSignIn, Trouble},
};

/// Signs in to tool servers.
#[derive(Debug, Clone)]
pub struct SignIns {
    reach: Reach,
    oauth: OauthClient,
}

impl SignIns {
    /// `allowed` lists the hosts that the configuration allows for tool servers; authorization servers follow the same list.
    pub fn new(allowed: Vec<String>, way: WayOut) -> Result<Self, reqwest::Error> {
        let reach = Reach::new(allowed, way)?;
        let oauth = OauthClient::new(reach.plain.clone());
        Ok(Self { reach, oauth })
    }

    /// Finds where a person signs in to a server. `wanted` lists the scopes that it wanted later.
    pub async fn find(&self, server: &Url, wanted: &[String]) -> Result<AuthServer, Trouble> {
        self.reach.admits(server)?;
        timeout(MOST_TIME, self.reach.sign_in_of(server, wanted)).await.unwrap_or(Err(Trouble::OutOfTime))
    }

    /// Registers our client there.
    pub async fn register(&self, at: &AuthServer, redirect: &Url) -> Result<Registered, Trouble> {
        timeout(MOST_TIME, self.reach.register_at(at, redirect)).await.unwrap_or(Err(Trouble::OutOfTime))
    }

    /// Begins a round trip.
    pub fn begin(&self, at: &AuthServer, client: &Registered, redirect: &Url) -> Result<Authorization, Trouble> {
        self.admitted(&at.authorize)?;
        Ok(OauthClient::begin(&client_of(at, client), redirect))
    }

    pub async fn exchange(
        &self,
        at: &AuthServer,
        client: &Registered,
        redirect: &Url,
        code: &str,
        verifier: &SecretString,
    ) -> Result<Tokens, Trouble> {
        self.admitted(&at.token)?;
        self.oauth.exchange(&client_of(at, client), redirect, code, verifier).await.map_err(told)
    }

    pub async fn refresh(
        &self,
        at: &AuthServer,
        client: &Registered,
        refresh_token: &SecretString,
    ) -> Result<Tokens, Trouble> {
        self.admitted(&at.token)?;
        self.oauth.refresh(&client_of(at, client), refresh_token).await.map_err(told)
    }

    /// Checks an address again before each use, because the configuration may have changed.
    fn admitted(&self, url: &Url) -> Result<(), Trouble> {
        self.reach.admits(url).map_err(|_| Trouble::SignIn(NoSignIn::Elsewhere))
    }
}

fn client_of(at: &AuthServer, client: &Registered) -> Client {
    Client {
        authorize: at.authorize.clone(),
        token: at.token.clone(),
        id: client.id.clone(),
        secret: client.secret.clone().map(SecretString::from),
        secret_in: if client.in_body { SecretIn::Body } else { SecretIn::Header },
        scopes: at.scopes.clone(),
        resource: Some(at.resource.clone()),
        extra: Vec::new(),
    }
}

/// Turns an error of a code or a refresh token into ours. A server that no longer knows our client will not know it later.
fn told(error: OauthError) -> Trouble {
    Trouble::SignIn(match error {
        OauthError::GrantRefused => NoSignIn::GrantRefused,
        OauthError::ClientRefused(code) if matches!(code.as_str(), "invalid_client" | "unauthorized_client") => {
            NoSignIn::ClientRefused
        }
        // The first may be the server's own words.
        OauthError::ClientRefused(why) | OauthError::Unavailable(why) => {
            NoSignIn::Unavailable(said(&why, MOST_SAID, None))
        }
    })
}
