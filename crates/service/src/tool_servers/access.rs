//! What we keep of a sign-in to a tool server: sealed, for this server and its host alone. And its refresh: one process at a time asks,
//! because a server that gives a new refresh token takes a second use of the old one for a theft.

use std::time::Duration;

use adagent_contract::ServerAccess;
use adagent_domain::{ToolServerId, WorkspaceId};
use adagent_sources::mcp::{AuthServer, NoSignIn, Registered, Trouble, needs_sign_in};
use adagent_store::{StoreError, ToolServer, ToolServerBody};
use adagent_tools::{ToolError, ToolErrorClass};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;
use url::Url;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::shelf::{Shelved, owner, unreadable, unsealable};
use crate::connections::tokens::StoredTokens;

/// How long one process may take for a refresh, before another one may try.
const CLAIM_SECONDS: i64 = 30;
/// How often, and after which time, we look whether another process has refreshed the tokens.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);
/// Where in the minutes before its end a token is refreshed. Few servers are asked at once, so no spread is needed.
const EARLY: f64 = 0.5;
const MOST_WANTED: usize = 20;
const MOST_SCOPE: usize = 200;

#[derive(Default, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub(super) struct Access {
    /// The secret that an admin gave with the ID of a client.
    #[serde(default)]
    pub given: Option<String>,
    /// Our client at the authorization server.
    #[serde(default)]
    pub client: Option<Registered>,
    /// The authorization server, and where it sends browsers back to.
    #[serde(default)]
    #[zeroize(skip)]
    pub at: Option<AuthServer>,
    #[serde(default)]
    #[zeroize(skip)]
    pub redirect: Option<Url>,
    #[serde(default)]
    pub tokens: Option<StoredTokens>,
    /// Further scopes that the server wanted for a call.
    #[serde(default)]
    pub wanted: Vec<String>,
}

impl Access {
    /// Returns what we have before anybody signs in: the secret that an admin gave with the ID of a client.
    pub fn with_secret(given: &SecretString) -> Self {
        let mut access = Self::default();
        access.given = Some(given.expose_secret().to_owned());
        access
    }

    /// Returns the client that we registered at this authorization server for this address.
    pub fn client_at(&self, at: &AuthServer, redirect: &Url) -> Option<Registered> {
        let same =
            self.at.as_ref().is_some_and(|known| known.issuer == at.issuer) && self.redirect.as_ref() == Some(redirect);
        self.client.clone().filter(|_| same)
    }
}

impl Shelved {
    pub(super) fn seal_access(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        url: &Url,
        access: &Access,
    ) -> Result<String, ToolError> {
        self.vault.seal_json(&owner(workspace, id, url), access).map_err(unsealable)
    }

    pub(super) fn access(&self, server: &ToolServer) -> Result<Access, ToolError> {
        let Some(sealed) = &server.body.sealed else { return Ok(Access::default()) };
        let url = Url::parse(&server.url).map_err(unsealable)?;
        self.vault.open_json(&owner(server.workspace, server.id, &url), sealed).map_err(unsealable)
    }

    /// Returns a token that works, refreshed if it ends soon or if the server refused this one.
    ///
    /// A refresh runs as its own task. If its caller goes away, the answer must not be lost: the old refresh token may be void with it.
    pub(super) async fn token(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        refused: Option<SecretString>,
    ) -> Result<SecretString, ToolError> {
        let me = self.clone();
        let turn = async move { me.token_in_turn(workspace, id, refused.as_ref()).await };
        tokio::spawn(turn.in_current_span()).await.unwrap_or_else(|error| Err(unreadable(error)))
    }

    async fn token_in_turn(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        refused: Option<&SecretString>,
    ) -> Result<SecretString, ToolError> {
        for _ in 0..LOOKS {
            let found = self.store.find_tool_server(workspace, id).await.map_err(unreadable)?;
            let server = found.ok_or_else(|| unreadable("the server is gone"))?;
            if let Some(error) = needs_sign_in(&server.body.name, server.access) {
                return Err(error);
            }
            let access = self.access(&server)?;
            let Some(tokens) = &access.tokens else { return self.give_up(&server, access).await };
            let (now, token) = (self.clock.now(), tokens.access());
            let is_other = |refused: &SecretString| refused.expose_secret() != token.expose_secret();
            if refused.map_or(now < tokens.refresh_at, is_other) {
                return Ok(token);
            }
            // If the refresh does not work, the token we have still does.
            let still = refused.is_none() && now < tokens.expires_at;
            let Some(refresh) = tokens.refresh() else {
                // Some servers give tokens that don't end, and don't say so. Theirs is the word that one no longer works.
                return if refused.is_none() { Ok(token) } else { self.give_up(&server, access).await };
            };
            if !self.claim(&server).await.map_err(unreadable)? {
                if still {
                    return Ok(token);
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            match self.refreshed(&server, access, &refresh).await {
                Ok(Some(fresh)) => return Ok(fresh),
                Ok(None) => {}
                Err(error) if still && error.class == ToolErrorClass::Retryable => {
                    tracing::warn!(server = %id, code = error.code, "early refresh failed; the token still works");
                    return Ok(token);
                }
                Err(error) => return Err(error),
            }
        }
        Err(unreadable("another process refreshes the tokens, and doesn't finish"))
    }

    /// Asks for new tokens and stores them before use. `None` if somebody has signed in meanwhile.
    async fn refreshed(
        &self,
        server: &ToolServer,
        access: Access,
        refresh: &SecretString,
    ) -> Result<Option<SecretString>, ToolError> {
        let mut access = access;
        let (Some(at), Some(client)) = (access.at.clone(), access.client.clone()) else {
            return self.give_up(server, access).await.map(Some);
        };
        match self.sign_ins.refresh(&at, &client, refresh).await {
            Ok(fresh) => {
                let tokens = StoredTokens::new(&fresh, access.tokens.as_ref(), self.clock.now(), EARLY);
                let token = tokens.access();
                access.tokens = Some(tokens);
                Ok(self.put(server, &access, server.access).await?.then_some(token))
            }
            Err(Trouble::SignIn(why @ (NoSignIn::GrantRefused | NoSignIn::ClientRefused))) => {
                if why == NoSignIn::ClientRefused {
                    access.client = None;
                }
                self.give_up(server, access).await.map(Some)
            }
            Err(trouble) => {
                self.unclaim(server).await.map_err(unreadable)?;
                Err(ToolError::new(ToolErrorClass::Retryable, trouble.code(), trouble.told(&server.body.name)))
            }
        }
    }

    /// Forgets the tokens and says that somebody must sign in again, unless somebody just did.
    async fn give_up(&self, server: &ToolServer, access: Access) -> Result<SecretString, ToolError> {
        let mut access = access;
        access.tokens = None;
        let since = match server.access {
            ServerAccess::SignedIn { since } | ServerAccess::Expired { since } => since,
            ServerAccess::SignedOut => self.clock.now(),
        };
        let expired = ServerAccess::Expired { since };
        if !self.put(server, &access, expired).await? {
            let again = "Someone signed in to the tool server just now.";
            return Err(ToolError::new(ToolErrorClass::Retryable, "UNAVAILABLE", again).guide("Try again."));
        }
        Err(needs_sign_in(&server.body.name, expired).unwrap_or_else(|| unreadable("the sign-in has ended")))
    }

    /// Remembers the scopes for the next sign-in. Returns `false` if somebody changed the server meanwhile.
    pub(super) async fn wanted(&self, server: &ToolServer, scopes: &str) -> Result<bool, ToolError> {
        let mut access = self.access(server)?;
        for scope in scopes.split_whitespace() {
            if access.wanted.len() < MOST_WANTED && !access.wanted.iter().any(|known| known == scope) {
                access.wanted.push(scope.chars().take(MOST_SCOPE).collect());
            }
        }
        let problem = Trouble::MoreWanted(access.wanted.join(" ")).told(&server.body.name);
        let body = ToolServerBody { problem: Some(problem), ..server.body.clone() };
        let url = Url::parse(&server.url).map_err(unsealable)?;
        let sealed = self.seal_access(server.workspace, server.id, &url, &access)?;
        let (workspace, id, now) = (server.workspace, server.id, self.clock.now());
        // While somebody refreshes the tokens, we must not write the old ones back: they would be refreshed twice.
        if !self.claim(server).await.map_err(unreadable)? {
            tokio::time::sleep(PAUSE).await;
            return Ok(false);
        }
        let put = async {
            let mut work = self.store.begin_in(workspace).await?;
            let put = work.update_tool_server(workspace, id, server.version, &body, now).await?
                && work.set_server_access(workspace, id, server.sealed_version, &sealed, server.access).await?;
            if put {
                work.commit().await?;
                return Ok::<bool, StoreError>(true);
            }
            drop(work);
            self.unclaim(server).await?;
            Ok(false)
        };
        put.await.map_err(unreadable)
    }

    async fn put(&self, server: &ToolServer, access: &Access, state: ServerAccess) -> Result<bool, ToolError> {
        let url = Url::parse(&server.url).map_err(unsealable)?;
        let sealed = self.seal_access(server.workspace, server.id, &url, access)?;
        let put = async {
            let mut work = self.store.begin_in(server.workspace).await?;
            let put =
                work.set_server_access(server.workspace, server.id, server.sealed_version, &sealed, state).await?;
            work.commit().await?;
            Ok::<bool, StoreError>(put)
        };
        put.await.map_err(unreadable)
    }

    async fn unclaim(&self, server: &ToolServer) -> Result<(), StoreError> {
        let mut work = self.store.begin_in(server.workspace).await?;
        work.end_server_refresh(server.workspace, server.id, server.sealed_version).await?;
        work.commit().await
    }

    async fn claim(&self, server: &ToolServer) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let until = now.plus_seconds(CLAIM_SECONDS);
        let mut work = self.store.begin_in(server.workspace).await?;
        let claimed = work.claim_server_refresh(server.workspace, server.id, server.sealed_version, now, until).await?;
        work.commit().await?;
        Ok(claimed)
    }
}
