//! Google's OAuth endpoints, simulated: consent, code with PKCE (S256), token, refresh, revoke.
//!
//! `access_type=offline` returns a refresh token, as Google does. A code works once and expires after a minute.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::OAuthClient;
use crate::credentials::{self, Standing};
use crate::journal::Entry;
use crate::networks::Caller;
use crate::networks::Operation;
use crate::networks::admob::oauth_page;
use crate::networks::admob::routes::OPERATIONS;
use crate::networks::admob::tokens::{AD_MANAGER_SCOPES, Code, Grant, SCOPES};
use crate::state::{Inner, Store};
use crate::world::accounts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    Authorize,
    Decide,
    Token,
    Revoke,
}

impl Endpoint {
    /// Returns the endpoint's row in the table, where the sign-in comes after the 19 operations of the API.
    pub fn row(self) -> &'static Operation {
        match self {
            Self::Authorize | Self::Decide => &OPERATIONS[19],
            Self::Token => &OPERATIONS[20],
            Self::Revoke => &OPERATIONS[21],
        }
    }
}

pub fn endpoint(method: &Method, path: &str) -> Option<Endpoint> {
    match (path, method == Method::POST) {
        ("/o/oauth2/v2/auth", false) => Some(Endpoint::Authorize),
        ("/o/oauth2/v2/auth", true) => Some(Endpoint::Decide),
        ("/token", true) => Some(Endpoint::Token),
        ("/revoke", true) => Some(Endpoint::Revoke),
        _ => None,
    }
}

type Pairs = [(String, String)];

fn get<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a str> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

pub fn answer(inner: &Inner, endpoint: Endpoint, headers: &HeaderMap, query: &Pairs, body: &[u8]) -> Response {
    let form: Vec<(String, String)> = url::form_urlencoded::parse(body).into_owned().collect();
    let result = match endpoint {
        Endpoint::Authorize => return authorize(inner, query),
        Endpoint::Decide => return decide(inner, &form),
        Endpoint::Token => token(inner, headers, &form),
        Endpoint::Revoke => revoke(inner, get(&form, "token").or(get(query, "token")).unwrap_or_default()),
    };
    let mut response = match result {
        Ok(body) => axum::Json(body).into_response(),
        Err(refusal) => {
            let body = json!({ "error": refusal.error, "error_description": refusal.description });
            (refusal.status, axum::Json(body)).into_response()
        }
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    error: &'static str,
    description: &'static str,
}

fn refuse(error: &'static str, description: &'static str) -> Refusal {
    let status = if error == "invalid_client" { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
    Refusal { status, error, description }
}

/// A checked authorization request.
struct Asked {
    redirect: Url,
    redirect_uri: String,
    client_id: String,
    scope: String,
    state: Option<String>,
    challenge: String,
    offline: bool,
    silent: bool,
}

impl Asked {
    fn back(&self, pairs: &[(&str, &str)]) -> Response {
        let mut to = self.redirect.clone();
        to.query_pairs_mut().extend_pairs(pairs);
        if let Some(state) = &self.state {
            to.query_pairs_mut().append_pair("state", state);
        }
        (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_string())]).into_response()
    }
}

fn redirect_fits(client: &OAuthClient, uri: &str, url: &Url) -> bool {
    if !client.redirect_uris.is_empty() {
        return client.redirect_uris.iter().any(|allowed| allowed == uri);
    }
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    url.fragment().is_none() && (url.scheme() == "https" || (url.scheme() == "http" && local))
}

/// Checks an authorization request. Errors about the client and the redirect address stay on this page; others go back to the client.
fn checked(inner: &Inner, pairs: &Pairs) -> Result<Asked, Box<Response>> {
    let stay = |title: &str, text: &str| Box::new(oauth_page::problem(title, text));
    let client_id = get(pairs, "client_id").unwrap_or_default();
    let client = inner.config.clients.iter().find(|client| client.id == client_id);
    let client = client.ok_or_else(|| stay("Error 401: invalid_client", "The OAuth client was not found."))?;
    let uri = get(pairs, "redirect_uri").unwrap_or_default();
    let redirect = Url::parse(uri).ok().filter(|url| redirect_fits(client, uri, url));
    let redirect = redirect
        .ok_or_else(|| stay("Error 400: redirect_uri_mismatch", "The redirect address is not one of this client."))?;
    let asked = Asked {
        redirect,
        redirect_uri: uri.to_owned(),
        client_id: client_id.to_owned(),
        scope: get(pairs, "scope").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
        state: get(pairs, "state").map(str::to_owned),
        challenge: get(pairs, "code_challenge").unwrap_or_default().to_owned(),
        offline: get(pairs, "access_type") == Some("offline"),
        silent: get(pairs, "prompt") == Some("none"),
    };
    let back = |error: &str, text: &str| Box::new(asked.back(&[("error", error), ("error_description", text)]));
    if get(pairs, "response_type") != Some("code") {
        return Err(back("unsupported_response_type", "response_type must be code"));
    }
    let known = |scope: &str| {
        SCOPES.contains(&scope) || AD_MANAGER_SCOPES.contains(&scope) || ["openid", "email", "profile"].contains(&scope)
    };
    if asked.scope.is_empty() || !asked.scope.split(' ').all(known) {
        return Err(back("invalid_scope", "a requested scope is missing or unknown"));
    }
    let urlsafe = asked.challenge.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if get(pairs, "code_challenge_method") != Some("S256") || asked.challenge.len() != 43 || !urlsafe {
        return Err(back("invalid_request", "code_challenge with code_challenge_method=S256 is required"));
    }
    Ok(asked)
}

fn authorize(inner: &Inner, query: &Pairs) -> Response {
    match checked(inner, query) {
        Err(response) => *response,
        Ok(asked) if asked.silent => asked.back(&[("error", "interaction_required")]),
        Ok(asked) => oauth_page::consent(&asked.client_id, &asked.scope, query, get(query, "login_hint")),
    }
}

fn decide(inner: &Inner, form: &Pairs) -> Response {
    let asked = match checked(inner, form) {
        Ok(asked) => asked,
        Err(response) => return *response,
    };
    let identity = get(form, "identity").unwrap_or(accounts::IDENTITIES[0].email);
    let Some(identity) = accounts::identity(identity) else {
        return oauth_page::problem("Unknown identity", "Choose one of the identities of the page.");
    };
    if get(form, "decision") != Some("allow") {
        return asked.back(&[("error", "access_denied")]);
    }
    // A person may allow less than was asked for, scope by scope.
    let granted: Vec<&str> =
        form.iter().filter(|(name, _)| name == "granted").map(|(_, value)| value.as_str()).collect();
    let scope = if get(form, "granular").is_some() {
        let kept: Vec<&str> = asked.scope.split(' ').filter(|scope| granted.contains(scope)).collect();
        kept.join(" ")
    } else {
        asked.scope.clone()
    };
    if scope.is_empty() {
        return asked.back(&[("error", "access_denied")]);
    }
    let now = inner.now();
    let mut store = inner.store();
    store.tokens.codes.retain(|_, code| code.expires_at > now || code.used_for.is_some());
    let code = store.tokens.fresh("4/0sandbox-", now);
    let kept = Code {
        email: identity.email.to_owned(),
        client_id: asked.client_id.clone(),
        redirect_uri: asked.redirect_uri.clone(),
        scope: scope.clone(),
        challenge: asked.challenge.clone(),
        offline: asked.offline,
        expires_at: now + SignedDuration::from_secs(60),
        used_for: None,
    };
    store.tokens.codes.insert(code.clone(), kept);
    asked.back(&[("code", &code), ("scope", &scope)])
}

fn client(inner: &Inner, headers: &HeaderMap, form: &Pairs) -> Result<String, Refusal> {
    let basic = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Basic ").map(str::to_owned))
        .and_then(|encoded| String::from_utf8(STANDARD.decode(encoded).ok()?).ok())
        .and_then(|pair| pair.split_once(':').map(|(id, secret)| (plain(id), plain(secret))));
    let posted = || Some((get(form, "client_id")?.to_owned(), get(form, "client_secret")?.to_owned()));
    let (id, secret) =
        basic.or_else(posted).ok_or_else(|| refuse("invalid_client", "Client authentication is missing."))?;
    let known = inner.config.clients.iter().any(|client| client.id == id && client.secret == secret);
    if known { Ok(id) } else { Err(refuse("invalid_client", "The OAuth client or its secret is wrong.")) }
}

/// Undoes the form encoding that OAuth requires inside a Basic header.
fn plain(text: &str) -> String {
    url::form_urlencoded::parse(format!("v={text}").as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn token(inner: &Inner, headers: &HeaderMap, form: &Pairs) -> Result<Value, Refusal> {
    let client = client(inner, headers, form)?;
    let now = inner.now();
    let published = published_grant(inner, &client, get(form, "refresh_token").unwrap_or_default());
    let mut store = inner.store();
    match get(form, "grant_type") {
        Some("authorization_code") => {
            let grant = redeem(&mut store, &client, form, now)?;
            issue(&mut store, &grant, true, now)
        }
        Some("refresh_token") => {
            let token = get(form, "refresh_token").unwrap_or_default();
            if let Some(grant) = published.filter(|grant| !store.tokens.grants.contains_key(&grant.id)) {
                stored(store.commit(Entry::Grant(grant)))?;
            }
            let grant = store.tokens.by_refresh_token(token).filter(|grant| grant.client_id == client).cloned();
            let grant = grant.ok_or_else(|| refuse("invalid_grant", "Token has been expired or revoked."))?;
            issue(&mut store, &grant, false, now)
        }
        _ => Err(refuse("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")),
    }
}

fn stored(result: std::io::Result<()>) -> Result<(), Refusal> {
    result.map_err(|_| Refusal {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        error: "internal_failure",
        description: "The sandbox could not store the grant.",
    })
}

fn redeem(store: &mut Store, client: &str, form: &Pairs, now: Timestamp) -> Result<Grant, Refusal> {
    let wrong = || refuse("invalid_grant", "Malformed, expired or used auth code.");
    let text = get(form, "code").unwrap_or_default();
    let code = store.tokens.codes.get(text).cloned().ok_or_else(wrong)?;
    if let Some(grant) = code.used_for {
        // A code that is used twice has leaked, so revoke the grant that was made from it.
        stored(store.commit(Entry::Revoked { grant }))?;
        return Err(wrong());
    }
    let verifier = get(form, "code_verifier").unwrap_or_default();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    if code.expires_at <= now || code.client_id != client || challenge != code.challenge {
        return Err(wrong());
    }
    if get(form, "redirect_uri") != Some(code.redirect_uri.as_str()) {
        return Err(refuse("redirect_uri_mismatch", "redirect_uri is not the one of the authorization request."));
    }
    let grant = store.tokens.new_grant(&code.email, client, &code.scope, code.offline, now);
    stored(store.commit(Entry::Grant(grant.clone())))?;
    if let Some(code) = store.tokens.codes.get_mut(text) {
        code.used_for = Some(grant.id.clone());
    }
    Ok(grant)
}

fn issue(store: &mut Store, grant: &Grant, with_refresh: bool, now: Timestamp) -> Result<Value, Refusal> {
    let access = store.tokens.new_access(&grant.id, now);
    let mut body = json!({
        "access_token": access.token,
        "expires_in": store.tokens.lifetime,
        "scope": grant.scope,
        "token_type": "Bearer",
    });
    stored(store.commit(Entry::Access(access)))?;
    if let Some(refresh) = grant.refresh_token.as_ref().filter(|_| with_refresh) {
        body["refresh_token"] = json!(refresh);
    }
    Ok(body)
}

fn revoke(inner: &Inner, token: &str) -> Result<Value, Refusal> {
    let mut store = inner.store();
    let by_access = store.tokens.access.get(token).map(|access| access.grant.clone());
    let grant = by_access.or_else(|| store.tokens.by_refresh_token(token).map(|grant| grant.id.clone()));
    let grant = grant.ok_or_else(|| refuse("invalid_token", "Token expired or revoked"))?;
    stored(store.commit(Entry::Revoked { grant }))?;
    Ok(json!({}))
}

/// The identity of the published keys whose owner may not use the API.
const NOT_ALLOWED: &str = "not-allowed@sandbox.example";

/// Returns the grant behind a published refresh token of Ad Manager, as long as the token is valid.
fn published_grant(inner: &Inner, client: &str, refresh: &str) -> Option<Grant> {
    let email = match credentials::standing(inner, "admanager", "refresh_token", refresh)? {
        Standing::Valid => credentials::owner(),
        Standing::NotAllowed => NOT_ALLOWED,
        Standing::Revoked | Standing::Expired => return None,
    };
    Some(Grant {
        id: format!("g-published-{client}-{email}"),
        email: email.to_owned(),
        client_id: client.to_owned(),
        scope: AD_MANAGER_SCOPES[0].to_owned(),
        refresh_token: Some(refresh.to_owned()),
    })
}

/// Returns the owner of a published access token of Ad Manager, as long as the token is valid.
pub fn published(inner: &Inner, token: &str) -> Option<Caller> {
    let email = match credentials::standing(inner, "admanager", "access_token", token)? {
        Standing::Valid if inner.store().generation("admanager") == 0 => credentials::owner(),
        Standing::NotAllowed => NOT_ALLOWED,
        _ => return None,
    };
    let credential = format!("published-{email}");
    Some(Caller { email: email.to_owned(), credential, scope: AD_MANAGER_SCOPES[0].to_owned() })
}

/// Issues tokens for "explore with sandbox data", without a browser.
pub fn direct(inner: &Inner, email: &str, network: &str) -> std::io::Result<Value> {
    let now = inner.now();
    let mut store = inner.store();
    let scope = if network == "admanager" { AD_MANAGER_SCOPES[0].to_owned() } else { SCOPES.join(" ") };
    let grant = store.tokens.new_grant(email, crate::DEFAULT_CLIENT_ID, &scope, true, now);
    store.commit(Entry::Grant(grant.clone()))?;
    issue(&mut store, &grant, true, now).map_err(|refusal| std::io::Error::other(refusal.description))
}
