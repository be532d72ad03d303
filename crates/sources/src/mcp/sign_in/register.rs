//! Registers our client at an authorization server (RFC 7591).

use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{
    super::{
        answer::said,
        talk::Reach,
        trouble::{MOST_SAID, NoSignIn, Trouble},
    },
    discover::AuthServer,
};

/// Our name, as a sign-in shows it to people.
pub const NAME: &str = "ADAgentAI";
/// The most bytes of the ID or the secret that a server gives us.
const MOST: usize = 4_000;
const NO_SECRET: &str = "none";
const IN_HEADER: &str = "client_secret_basic";
const IN_BODY: &str = "client_secret_post";

/// Our client at an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct Registered {
    pub id: String,
    pub secret: Option<String>,
    pub in_body: bool,
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registered").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Registered {
    /// Returns the client that an admin registered.
    pub fn known(at: &AuthServer, id: String, secret: Option<String>) -> Self {
        Self { id, secret, in_body: method_of(at) == IN_BODY }
    }
}

/// Returns how we prove ourselves: without a secret if the server allows that.
fn method_of(at: &AuthServer) -> &'static str {
    let takes = |method: &str| at.methods.iter().any(|one| one == method);
    match () {
        () if at.methods.is_empty() || takes(NO_SECRET) => NO_SECRET,
        () if takes(IN_HEADER) => IN_HEADER,
        () if takes(IN_BODY) => IN_BODY,
        () => NO_SECRET,
    }
}

#[derive(Deserialize)]
struct Made {
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

#[derive(Default, Deserialize)]
struct Refused {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

impl Reach {
    pub(super) async fn register_at(&self, at: &AuthServer, redirect: &Url) -> Result<Registered, Trouble> {
        let url = at.register.as_ref().ok_or(Trouble::SignIn(NoSignIn::NoRegistration))?;
        let method = method_of(at);
        let kind = if redirect.scheme() == "https" { "web" } else { "native" };
        let mut wish = json!({
            "client_name": NAME,
            "redirect_uris": [redirect.as_str()],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
            "application_type": kind,
        });
        if !at.scopes.is_empty() {
            wish["scope"] = json!(at.scopes.join(" "));
        }
        let (status, body) = self.asked(url, self.plain.post(url.clone()).json(&wish)).await?;
        if !(200..300).contains(&status) {
            if matches!(status, 429 | 500..) {
                return Err(Trouble::Busy(status));
            }
            let refused: Refused = serde_json::from_slice(&body).unwrap_or_default();
            let words = if refused.error_description.is_empty() { refused.error } else { refused.error_description };
            return Err(Trouble::SignIn(NoSignIn::NotRegistered(said(&words, MOST_SAID, None))));
        }
        let made: Made =
            serde_json::from_slice(&body).map_err(|_| Trouble::SignIn(NoSignIn::NotRegistered(String::new())))?;
        let secret = made.client_secret.filter(|secret| !secret.is_empty());
        if made.client_id.is_empty() || made.client_id.len() > MOST || secret.as_ref().is_some_and(|it| it.len() > MOST)
        {
            return Err(Trouble::SignIn(NoSignIn::NotRegistered(String::new())));
        }
        let in_body = made.token_endpoint_auth_method.as_deref().unwrap_or(method) == IN_BODY;
        Ok(Registered { id: made.client_id, secret, in_body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_client_has_a_secret_only_where_the_server_wants_one() {
        let at = |methods: &[&str]| AuthServer {
            issuer: "https://a.example".into(),
            authorize: "https://a.example/authorize".parse().expect("an address"),
            token: "https://a.example/token".parse().expect("an address"),
            register: None,
            resource: "https://mcp.example.com".into(),
            scopes: Vec::new(),
            names_itself: false,
            documents: false,
            methods: methods.iter().map(|&method| method.to_owned()).collect(),
        };
        for (methods, method) in [
            (&[][..], NO_SECRET),
            (&[IN_BODY, NO_SECRET], NO_SECRET),
            (&[IN_BODY, IN_HEADER], IN_HEADER),
            (&[IN_BODY], IN_BODY),
            (&["private_key_jwt"], NO_SECRET),
        ] {
            assert_eq!(method_of(&at(methods)), method, "{methods:?}");
        }
        let client = Registered::known(&at(&[IN_BODY]), "us".into(), Some("hidden".into()));
        assert!(client.in_body && !format!("{client:?}").contains("hidden"));
    }
}
