//! The round trip with which a person signs in to a tool server: begin, and finish once.
//!
//! A state is bound to the person, the browser session and the server. The address that the browser comes back to names the server's host, so
//! that the sign-in of one server can't end at another.

use adagent_contract::{OauthClientDocument, ServerAccess, ServerSignIn, ToolServerSignIn, codes, links};
use adagent_domain::{Granted, ToolServerId, WorkspaceId, rights::ManageSources};
use adagent_identity::{Owner, Purpose};
use adagent_sources::mcp::{self, AuthServer, Door, NoSignIn, Registered, Trouble};
use adagent_store::{OauthAttempt, SignInInto, ToolServer, ToolServerBody};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{access::Access, stale};
use crate::{
    Service, ServiceError, ServiceResult,
    connections::{
        OauthFailed,
        connect::{ATTEMPT_SECONDS, hash},
        tokens::StoredTokens,
    },
    rights::still_granted,
};

/// How often we store a sign-in again if somebody else changed the server at the same time.
const ATTEMPTS: usize = 3;
const CALLBACKS: &str = "/api/mcp-servers/callback/";
const CLIENTS: &str = "/api/mcp-servers/client/";
const MOST_HOST: usize = 260;
/// Where in the minutes before its end a token is refreshed.
const EARLY: f64 = 0.5;

/// What a round trip needs at its end; sealed.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
struct RoundTrip {
    verifier: String,
    client: Registered,
    #[zeroize(skip)]
    at: AuthServer,
}

/// What an authorization server sent back with the browser.
#[derive(Debug, Clone, Copy)]
pub struct SentBack<'a> {
    /// The host that the address names.
    pub host: &'a str,
    pub state: &'a str,
    /// Who says so (RFC 9207).
    pub issuer: Option<&'a str>,
    /// The code, or the server's error.
    pub code: Result<&'a str, &'a str>,
}

fn owner(workspace: WorkspaceId, id: ToolServerId, state_hash: &str) -> Owner {
    Owner::of(workspace, id, Purpose::OauthVerifier, state_hash)
}

/// Returns the host of a server as its callback address names it.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

pub(super) fn failed(trouble: &Trouble, name: &str) -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail: trouble.told(name) }
}

fn refused(detail: String) -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail }
}

impl Service {
    /// Returns the address that sign-ins of tool servers send the browser back to, without the host of the server at its end.
    pub fn server_callbacks(&self) -> String {
        let mut url = self.connections.public_url().clone();
        url.set_query(None);
        url.set_fragment(None);
        format!("{}{CALLBACKS}", url.as_str().trim_end_matches('/'))
    }

    /// Returns the address that a tool server's sign-in sends the browser back to.
    pub(super) fn server_callback(&self, server: &Url) -> Url {
        self.public_at(CALLBACKS, &host_of(server))
    }

    fn public_at(&self, path: &str, host: &str) -> Url {
        let mut url = self.connections.public_url().clone();
        url.set_query(None);
        url.set_fragment(None);
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{path}{host}"));
        url
    }

    /// Returns our client at the sign-in of a host's tool server. `None` if this is no host.
    pub fn server_client(&self, host: &str) -> Option<OauthClientDocument> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        if host.is_empty() || host.len() > MOST_HOST || !host.chars().all(fits) {
            return None;
        }
        let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect();
        Some(OauthClientDocument {
            client_id: self.public_at(CLIENTS, host).into(),
            client_name: mcp::CLIENT_NAME.to_owned(),
            client_uri: self.connections.public_url().to_string(),
            redirect_uris: vec![self.public_at(CALLBACKS, host).into()],
            grant_types: texts(&["authorization_code", "refresh_token"]),
            response_types: texts(&["code"]),
            token_endpoint_auth_method: "none".to_owned(),
        })
    }

    /// Returns our client's ID at a sign-in that reads such documents. It can read ours only over HTTPS.
    fn client_by_document(&self, at: &AuthServer, server: &Url) -> Option<String> {
        let url = self.public_at(CLIENTS, &host_of(server));
        (at.documents && url.scheme() == "https").then(|| url.into())
    }

    /// Begins to sign in to a tool server. Returns the address of its sign-in, for this browser session.
    pub async fn sign_in_tool_server(
        &self,
        actor: &Granted<ManageSources>,
        id: ToolServerId,
        session_hash: &str,
        return_to: Option<&str>,
    ) -> ServiceResult<ServerSignIn> {
        self.limits.keys(actor.user)?;
        let server = self.existing_server(actor, id).await?;
        let ToolServerSignIn::Oauth { client_id } = &server.sign_in else {
            return Err(refused(format!("{} has no sign-in.", server.body.name)));
        };
        let url = Url::parse(&server.url).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let told = |trouble: Trouble| failed(&trouble, &server.body.name);
        let (sign_ins, redirect) = (&self.tool_servers.shelf.sign_ins, self.server_callback(&url));
        let access = self.tool_servers.shelf.access(&server).map_err(|error| refused(error.message))?;
        let at = sign_ins.find(&url, &access.wanted).await.map_err(told)?;
        let client = match client_id {
            Some(client) => Registered::known(&at, client.clone(), access.given.clone()),
            None => match (self.client_by_document(&at, &url), access.client_at(&at, &redirect)) {
                (Some(client), _) => Registered::known(&at, client, None),
                (None, Some(client)) => client,
                (None, None) => sign_ins.register(&at, &redirect).await.map_err(told)?,
            },
        };
        let begun = sign_ins.begin(&at, &client, &redirect).map_err(told)?;
        let state_hash = hash(begun.state.expose_secret());
        let trip = RoundTrip { verifier: begun.verifier.expose_secret().to_owned(), client, at };
        let sealed = self.tool_servers.vault.seal_json(&owner(actor.workspace, id, &state_hash), &trip);
        let attempt = OauthAttempt {
            state_hash,
            workspace: actor.workspace,
            user: actor.user,
            session_hash: session_hash.to_owned(),
            sealed_verifier: sealed.map_err(|error| ServiceError::Internal(error.to_string()))?,
            return_to: return_to.and_then(links::return_path),
            expires_at: self.clock.now().plus_seconds(ATTEMPT_SECONDS),
            into: SignInInto::ToolServer(id),
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageSources>(&mut *work, actor).await?;
        work.insert_oauth_attempt(&attempt).await?;
        work.commit().await?;
        Ok(ServerSignIn { authorization_url: begun.url.into() })
    }

    /// Finishes a round trip. Returns the page where it began.
    pub async fn finish_tool_server_sign_in(
        &self,
        back: SentBack<'_>,
        session_hash: &str,
    ) -> Result<Option<String>, OauthFailed> {
        let attempt =
            self.take_attempt(back.state, session_hash, |into| matches!(into, SignInInto::ToolServer(_))).await?;
        let return_to = attempt.return_to.clone();
        match self.finish_server_attempt(attempt, back).await {
            Ok(()) => Ok(return_to),
            Err(error) => Err(OauthFailed { error, return_to }),
        }
    }

    async fn finish_server_attempt(&self, attempt: OauthAttempt, back: SentBack<'_>) -> ServiceResult<()> {
        let SignInInto::ToolServer(id) = attempt.into else {
            return Err(ServiceError::Internal("the round trip leads to no tool server".into()));
        };
        // Check the right again: the role may have changed meanwhile.
        let actor = self.resolve_actor(attempt.user, Some(attempt.workspace)).await?.grant::<ManageSources>()?;
        let server = self.existing_server(&actor, id).await?;
        let trip = self
            .tool_servers
            .vault
            .open_json::<RoundTrip>(&owner(attempt.workspace, id, &attempt.state_hash), &attempt.sealed_verifier);
        let trip = trip.map_err(|error| ServiceError::Internal(error.to_string()))?;
        let outcome = self.granted_there(&server, &trip, back).await;
        let (tokens, listing) = match outcome {
            Ok(found) => found,
            Err(detail) => {
                // The page of the server says why, because the address that we redirect to has room for a code only.
                if back.code != Err("access_denied") {
                    self.note_problem(&server, &detail).await?;
                }
                return Err(refused(detail));
            }
        };
        let mut server = server;
        for _ in 0..ATTEMPTS {
            let kept = self.keep_sign_in(&actor, &server, &trip, &tokens, &listing).await?;
            if kept {
                return Ok(());
            }
            server = self.existing_server(&actor, id).await?;
        }
        Err(stale())
    }

    /// Exchanges the code and asks for the tools. The error is a sentence for people.
    async fn granted_there(
        &self,
        server: &ToolServer,
        trip: &RoundTrip,
        back: SentBack<'_>,
    ) -> Result<(StoredTokens, mcp::Listing), String> {
        let name = &server.body.name;
        let url = Url::parse(&server.url).map_err(|error| error.to_string())?;
        let is_ours = match back.issuer {
            Some(issuer) => issuer == trip.at.issuer,
            None => !trip.at.names_itself,
        };
        if back.host != host_of(&url) || !is_ours {
            return Err(format!(
                "The answer came from another sign-in than the one of {name}, so nothing was sent there. Sign in again."
            ));
        }
        let code = back.code.map_err(|error| match error {
            "access_denied" => format!("You declined to sign in to {name}."),
            _ => format!("The sign-in of {name} didn't finish. Try again."),
        })?;
        let (sign_ins, redirect) = (&self.tool_servers.shelf.sign_ins, self.server_callback(&url));
        let verifier = SecretString::from(trip.verifier.clone());
        let granted = sign_ins.exchange(&trip.at, &trip.client, &redirect, code, &verifier).await;
        let granted = granted.map_err(|trouble| match trouble {
            Trouble::SignIn(NoSignIn::GrantRefused) => {
                format!("The sign-in of {name} didn't accept the code. Sign in again.")
            }
            trouble => trouble.told(name),
        })?;
        let tokens = StoredTokens::new(&granted, None, self.clock.now(), EARLY);
        let door = Door { url, sign_in: server.sign_in.clone(), secret: Some(tokens.access()) };
        let listing = self.tool_servers.provider.look(&door).await.map_err(|trouble| trouble.told(name))?;
        Ok((tokens, listing))
    }

    /// Stores tokens and tools. Returns `false` if somebody changed the server meanwhile.
    async fn keep_sign_in(
        &self,
        actor: &Granted<ManageSources>,
        server: &ToolServer,
        trip: &RoundTrip,
        tokens: &StoredTokens,
        listing: &mcp::Listing,
    ) -> ServiceResult<bool> {
        let kept_in = &self.tool_servers.shelf;
        let at = self.clock.now();
        let url = Url::parse(&server.url).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let mut access = kept_in.access(server).unwrap_or_default();
        access.client = Some(trip.client.clone());
        access.at = Some(trip.at.clone());
        access.redirect = Some(self.server_callback(&url));
        access.tokens = Some(tokens.clone());
        let sealed = kept_in.seal_access(server.workspace, server.id, &url, &access);
        let sealed = sealed.map_err(|error| ServiceError::Internal(error.message))?;
        let first = server.access == ServerAccess::SignedOut;
        let body = ToolServerBody {
            problem: None,
            tools: if first { listing.first() } else { mcp::merged(&server.body.tools, &listing.tools) },
            left_out: listing.left_out,
            checked_at: at,
            ..server.body.clone()
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageSources>(&mut *work, actor).await?;
        let since = ServerAccess::SignedIn { since: at };
        let kept = work.update_tool_server(actor.workspace, server.id, server.version, &body, at).await?
            && work.set_server_access(actor.workspace, server.id, server.sealed_version, &sealed, since).await?;
        if kept {
            let detail = json!({"handle": server.handle, "issuer": trip.at.issuer, "tools": body.tools.len()});
            self.audit(&mut *work, actor, "tool_server.signed_in", server.id, detail).await?;
            work.commit().await?;
        }
        Ok(kept)
    }

    async fn note_problem(&self, server: &ToolServer, problem: &str) -> ServiceResult<()> {
        let now = self.clock.now();
        let body = ToolServerBody { problem: Some(problem.to_owned()), checked_at: now, ..server.body.clone() };
        let mut work = self.store.begin_in(server.workspace).await?;
        // If somebody changed the server meanwhile, their version counts.
        work.update_tool_server(server.workspace, server.id, server.version, &body, now).await?;
        Ok(work.commit().await?)
    }

    /// Checks that a new server has a sign-in that we can use, before it is stored. Returns what to seal.
    pub(super) async fn new_sign_in(
        &self,
        workspace: WorkspaceId,
        id: ToolServerId,
        checked: &super::check::Checked,
        client_id: Option<&str>,
    ) -> ServiceResult<Option<String>> {
        let found = self.tool_servers.shelf.sign_ins.find(&checked.url, &[]).await;
        let found = found.map_err(|trouble| super::refused(&trouble, &checked.name))?;
        let can_register = found.register.is_some() || self.client_by_document(&found, &checked.url).is_some();
        if client_id.is_none() && !can_register {
            let told = format!(
                "{} Its redirect address is {}",
                Trouble::SignIn(NoSignIn::NoRegistration).told(&checked.name),
                self.server_callback(&checked.url)
            );
            return Err(ServiceError::field("/sign_in/client_id", told));
        }
        let Some(given) = &checked.secret else { return Ok(None) };
        let access = Access::with_secret(given);
        let sealed = self.tool_servers.shelf.seal_access(workspace, id, &checked.url, &access);
        sealed.map(Some).map_err(|error| ServiceError::Internal(error.message))
    }
}
