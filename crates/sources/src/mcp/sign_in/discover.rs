//! Finds where a person signs in to a tool server: its own metadata (RFC 9728), then that of its authorization server (RFC 8414, OpenID
//! Connect Discovery). Nothing that these documents say of themselves is believed without a check.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use url::Url;

use super::{
    super::{
        talk::Reach,
        trouble::{NoSignIn, Trouble},
    },
    challenge::Challenge,
};

/// How many authorization servers of one tool server we try.
const MOST_ISSUERS: usize = 3;
const MOST_SCOPES: usize = 50;
const MOST_SCOPE: usize = 200;
const PROTECTED: &str = "oauth-protected-resource";
const OAUTH: &str = "oauth-authorization-server";
const OPENID: &str = "openid-configuration";
/// The scope that asks for a refresh token.
const OFFLINE: &str = "offline_access";

/// An authorization server as it describes itself, after our checks: everything that a sign-in there needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthServer {
    pub issuer: String,
    pub authorize: Url,
    pub token: Url,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub register: Option<Url>,
    /// What the tokens are for (RFC 8707).
    pub resource: String,
    pub scopes: Vec<String>,
    /// It names itself in what it sends back (RFC 9207).
    pub names_itself: bool,
    /// It reads who a client is from a document at the address that is the client's ID.
    #[serde(default)]
    pub documents: bool,
    /// How the token endpoint lets a client prove itself. Empty if it does not say.
    pub methods: Vec<String>,
}

/// The metadata of a tool server.
#[derive(Debug, Clone, Default, Deserialize)]
struct Resource {
    #[serde(rename = "resource")]
    about: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

/// The metadata of an authorization server.
#[derive(Debug, Clone, Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    #[serde(default)]
    registration_endpoint: Option<Url>,
    #[serde(default)]
    scopes_supported: Vec<String>,
    #[serde(default)]
    response_types_supported: Option<Vec<String>>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    client_id_metadata_document_supported: bool,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Reach {
    /// Finds the sign-in of a tool server.
    pub(super) async fn sign_in_of(&self, server: &Url, wanted: &[String]) -> Result<AuthServer, Trouble> {
        let challenge = self.challenge(server).await?.map(|header| Challenge::of(&header)).unwrap_or_default();
        let resource = self.resource(server, &challenge).await?;
        let mut asked: Vec<&str> = match (&challenge.scope, &resource) {
            (Some(scope), _) => scope.split_whitespace().collect(),
            (None, Some(resource)) => resource.scopes_supported.iter().map(String::as_str).collect(),
            (None, None) => Vec::new(),
        };
        for scope in wanted {
            if !asked.contains(&scope.as_str()) {
                asked.push(scope);
            }
        }
        let Some(resource) = &resource else {
            // Servers of the protocol's first sign-in (2025-03-26) are their own authorization server. Nothing names it, so it may give itself
            // any name of this host.
            let origin = server.origin();
            let is_own = |name: &str| Url::parse(name).is_ok_and(|name| name.origin() == origin);
            return self.issuer(&origin.ascii_serialization(), is_own, plain(server).as_str(), &asked).await;
        };
        let mut first = None;
        for issuer in resource.authorization_servers.iter().take(MOST_ISSUERS) {
            let is_named = |name: &str| name.trim_end_matches('/') == issuer.trim_end_matches('/');
            match self.issuer(issuer, is_named, &resource.about, &asked).await {
                Ok(found) => return Ok(found),
                Err(trouble) => first = first.or(Some(trouble)),
            }
        }
        Err(first.unwrap_or(Trouble::SignIn(NoSignIn::NotOffered)))
    }

    /// Returns the server's metadata. `None` if it has none.
    async fn resource(&self, server: &Url, challenge: &Challenge) -> Result<Option<Resource>, Trouble> {
        let named = challenge.resource_metadata.as_ref().map(|url| server.join(url)).transpose();
        let named = named.map_err(|_| Trouble::SignIn(NoSignIn::NotOffered))?;
        let known = [well_known(server, PROTECTED, server.path()), well_known(server, PROTECTED, "")];
        for url in named.into_iter().chain(known) {
            let Some(found) = self.document::<Resource>(&url).await? else { continue };
            let about = Url::parse(&found.about).ok().filter(|about| is_about(about, server));
            return if about.is_some() { Ok(Some(found)) } else { Err(Trouble::SignIn(NoSignIn::OtherResource)) };
        }
        Ok(None)
    }

    /// Returns the authorization server at this address, if it gives itself the right name. Otherwise one server could hand out the addresses of
    /// another, and get the codes that are meant for it.
    async fn issuer(
        &self,
        name: &str,
        is_right: impl Fn(&str) -> bool + Send,
        resource: &str,
        asked: &[&str],
    ) -> Result<AuthServer, Trouble> {
        let url = Url::parse(name).map_err(|_| Trouble::SignIn(NoSignIn::NotOffered))?;
        let path = url.path().trim_end_matches('/');
        let appended = well_known(&url, "", "").join(&format!("{path}/.well-known/{OPENID}"));
        let mut places = vec![well_known(&url, OAUTH, path), well_known(&url, OPENID, path)];
        places.extend(appended.ok().filter(|_| !path.is_empty()));
        for place in places {
            let Some(found) = self.document::<Metadata>(&place).await? else { continue };
            if !is_right(&found.issuer) {
                return Err(Trouble::SignIn(NoSignIn::OtherIssuer));
            }
            return self.checked(found, resource, asked);
        }
        Err(Trouble::SignIn(NoSignIn::NotOffered))
    }

    fn checked(&self, found: Metadata, resource: &str, asked: &[&str]) -> Result<AuthServer, Trouble> {
        let refuse = |why| Err(Trouble::SignIn(why));
        if !found.code_challenge_methods_supported.iter().any(|method| method == "S256") {
            return refuse(NoSignIn::NoPkce);
        }
        if found.response_types_supported.is_some_and(|types| !types.iter().any(|kind| kind == "code")) {
            return refuse(NoSignIn::NotOffered);
        }
        let named =
            [Some(&found.authorization_endpoint), Some(&found.token_endpoint), found.registration_endpoint.as_ref()];
        for url in named.into_iter().flatten() {
            self.admits(url).map_err(|_| Trouble::SignIn(NoSignIn::Elsewhere))?;
        }
        let mut scopes: Vec<String> =
            asked.iter().filter(|scope| is_scope(scope)).map(|&scope| scope.to_owned()).collect();
        scopes.truncate(MOST_SCOPES);
        let offline = found.scopes_supported.iter().any(|scope| scope == OFFLINE);
        if offline && !scopes.is_empty() && !scopes.iter().any(|scope| scope == OFFLINE) {
            scopes.push(OFFLINE.to_owned());
        }
        Ok(AuthServer {
            issuer: found.issuer,
            authorize: found.authorization_endpoint,
            token: found.token_endpoint,
            register: found.registration_endpoint,
            resource: resource.to_owned(),
            scopes,
            names_itself: found.authorization_response_iss_parameter_supported,
            documents: found.client_id_metadata_document_supported,
            methods: found.token_endpoint_auth_methods_supported,
        })
    }

    /// Reads a document. `None` if there is none at this address.
    async fn document<T: DeserializeOwned>(&self, url: &Url) -> Result<Option<T>, Trouble> {
        let request = self.plain.get(url.clone()).header(http::header::ACCEPT, "application/json");
        let (status, body) = self.asked(url, request).await?;
        match status {
            200 => Ok(serde_json::from_slice(&body).ok()),
            429 | 500.. => Err(Trouble::Busy(status)),
            _ => Ok(None),
        }
    }
}

/// Checks whether metadata about `about` holds for a server: the same address, or one above it on the same host.
fn is_about(about: &Url, server: &Url) -> bool {
    let (above, path) = (about.path().trim_end_matches('/'), server.path());
    about.fragment().is_none()
        && about.origin() == server.origin()
        && path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_scope(scope: &str) -> bool {
    let fits = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
    scope.len() <= MOST_SCOPE && scope.chars().all(fits)
}

/// Returns an address without query and fragment.
fn plain(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// Returns the address of a well-known document about a path of this host.
fn well_known(url: &Url, document: &str, path: &str) -> Url {
    let mut url = plain(url);
    url.set_path(&format!("/.well-known/{document}{}", path.trim_end_matches('/')));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().expect("an address")
    }

    #[test]
    fn metadata_holds_for_its_own_address_and_those_below() {
        let server = url("https://mcp.example.com/team/mcp?x=1");
        for about in ["https://mcp.example.com", "https://mcp.example.com/team", "https://mcp.example.com/team/mcp"] {
            assert!(is_about(&url(about), &server), "{about}");
        }
        for about in [
            "https://mcp.example.com/team/mcp2",
            "https://mcp.example.com/te",
            "https://evil.example.com/team/mcp",
            "http://mcp.example.com/team/mcp",
            "https://mcp.example.com:8443/team/mcp",
            "https://mcp.example.com/team#x",
        ] {
            assert!(!is_about(&url(about), &server), "{about}");
        }
    }

    #[test]
    fn documents_have_their_places() {
        assert_eq!(
            well_known(&url("https://a.example/mcp/?x#y"), PROTECTED, "/mcp/").as_str(),
            "https://a.example/.well-known/oauth-protected-resource/mcp"
        );
        assert_eq!(
            well_known(&url("https://a.example"), OAUTH, "").as_str(),
            "https://a.example/.well-known/oauth-authorization-server"
        );
    }

    #[test]
    fn only_what_can_be_a_scope_is_asked_for() {
        assert!(is_scope("files:read") && is_scope("https://www.googleapis.com/auth/drive"));
        assert!(!is_scope("a\"b") && !is_scope(&"x".repeat(201)) && !is_scope("é"));
    }
}
