//! Tests of consent, code with PKCE, refresh, revoke, expiry and scopes.

use adagent_sandbox::{DEFAULT_CLIENT_ID, DEFAULT_CLIENT_SECRET};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use crate::support::{Fixture, account, group};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// The S256 of the verifier, from RFC 7636.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const BACK: &str = "http://127.0.0.1:3000/callback";
const READ: &str = "https://www.googleapis.com/auth/admob.readonly";

fn asked(extra: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = [
        ("client_id", DEFAULT_CLIENT_ID),
        ("redirect_uri", BACK),
        ("response_type", "code"),
        ("scope", READ),
        ("state", "s <1>"),
        ("access_type", "offline"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ]
    .iter()
    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
    .collect();
    for (name, value) in extra {
        pairs.retain(|(known, _)| known != name);
        pairs.push(((*name).to_owned(), (*value).to_owned()));
    }
    pairs
}

async fn decide(fixture: &Fixture, extra: &[(&str, &str)]) -> Url {
    let url = format!("{}/admob/o/oauth2/v2/auth", fixture.base);
    let answer = fixture.http.post(url).form(&asked(extra)).send().await.unwrap();
    assert_eq!(answer.status(), 303);
    answer.headers()["location"].to_str().unwrap().parse().unwrap()
}

fn param(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

async fn token(fixture: &Fixture, pairs: &[(&str, &str)]) -> (u16, Value) {
    let mut form =
        vec![("client_id", DEFAULT_CLIENT_ID), ("client_secret", DEFAULT_CLIENT_SECRET), ("redirect_uri", BACK)];
    form.extend_from_slice(pairs);
    let answer = fixture.http.post(format!("{}/admob/token", fixture.base)).form(&form).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn redeem(fixture: &Fixture, code: &str) -> (u16, Value) {
    token(fixture, &[("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)]).await
}

async fn apps(fixture: &Fixture, token: &Value) -> u16 {
    fixture.send(Method::GET, &account("/apps"), token.as_str().unwrap(), None).await.status().as_u16()
}

#[tokio::test]
async fn consent_to_token_to_refresh_to_revoke() {
    let fixture = Fixture::start().await;
    let page =
        fixture.http.get(format!("{}/admob/o/oauth2/v2/auth", fixture.base)).query(&asked(&[])).send().await.unwrap();
    let html = page.text().await.unwrap();
    assert!(html.contains("Allow") && html.contains("single@sandbox.example") && html.contains("s &lt;1&gt;"));

    let back = decide(&fixture, &[("decision", "allow")]).await;
    assert_eq!(param(&back, "state"), "s <1>");
    let (status, tokens) = redeem(&fixture, &param(&back, "code")).await;
    assert_eq!((status, tokens["expires_in"].as_i64()), (200, Some(3600)));
    assert_eq!(apps(&fixture, &tokens["access_token"]).await, 200);

    fixture.advance(3600);
    let expired = fixture.send(Method::GET, &account("/apps"), tokens["access_token"].as_str().unwrap(), None).await;
    assert_eq!(expired.status(), 401);
    assert_eq!(expired.json::<Value>().await.unwrap()["error"]["status"], "UNAUTHENTICATED");

    let refresh = tokens["refresh_token"].as_str().unwrap();
    let (status, fresh) = token(&fixture, &[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await;
    assert_eq!((status, fresh.get("refresh_token")), (200, None));
    assert_eq!(apps(&fixture, &fresh["access_token"]).await, 200);

    let revoke =
        fixture.http.post(format!("{}/admob/revoke", fixture.base)).form(&[("token", refresh)]).send().await.unwrap();
    assert_eq!(revoke.status(), 200);
    assert_eq!(apps(&fixture, &fresh["access_token"]).await, 401);
    let (status, refused) = token(&fixture, &[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
}

#[tokio::test]
async fn a_code_works_once_and_for_a_minute_and_with_its_verifier() {
    let fixture = Fixture::start().await;
    let code = param(&decide(&fixture, &[("decision", "allow")]).await, "code");
    let wrong = [("grant_type", "authorization_code"), ("code", code.as_str()), ("code_verifier", "another")];
    assert_eq!(token(&fixture, &wrong).await.0, 400);
    let (_, tokens) = redeem(&fixture, &code).await;
    assert_eq!(redeem(&fixture, &code).await.0, 400);
    assert_eq!(apps(&fixture, &tokens["access_token"]).await, 401, "a replay takes back what came of the code");
    let code = param(&decide(&fixture, &[("decision", "allow")]).await, "code");
    fixture.advance(61);
    assert_eq!(redeem(&fixture, &code).await.0, 400);
    let (status, refused) = token(&fixture, &[("grant_type", "refresh_token"), ("client_secret", "x")]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")), "the first secret counts");
}

#[tokio::test]
async fn refusals_go_back_to_the_client_but_never_to_a_foreign_address() {
    let fixture = Fixture::start().await;
    assert_eq!(param(&decide(&fixture, &[("decision", "deny")]).await, "error"), "access_denied");
    assert_eq!(param(&decide(&fixture, &[("code_challenge", "")]).await, "error"), "invalid_request");
    assert_eq!(param(&decide(&fixture, &[("scope", "everything")]).await, "error"), "invalid_scope");
    for wrong in [("redirect_uri", "http://evil.example/"), ("client_id", "nobody")] {
        let url = format!("{}/admob/o/oauth2/v2/auth", fixture.base);
        let answer = fixture.http.get(url).query(&asked(&[wrong])).send().await.unwrap();
        assert_eq!(answer.status(), 400);
        assert!(!answer.headers().contains_key("location"));
    }
}

#[tokio::test]
async fn scopes_and_identities_limit_what_a_token_may_do() {
    let fixture = Fixture::start().await;
    let back = decide(&fixture, &[("decision", "allow"), ("identity", "single@sandbox.example")]).await;
    let (_, tokens) = redeem(&fixture, &param(&back, "code")).await;
    let token = tokens["access_token"].as_str().unwrap();
    let listed: Value = fixture.send(Method::GET, "/v1beta/accounts", token, None).await.json().await.unwrap();
    assert_eq!(listed["account"].as_array().unwrap().len(), 1);
    let foreign = fixture.send(Method::GET, "/v1beta/accounts/pub-7682510348291046/apps", token, None).await;
    assert_eq!(foreign.status(), 403);
    let write = fixture.send(Method::POST, &account("/mediationGroups"), token, Some(group("No"))).await;
    assert_eq!(write.status(), 403);
    let answer: Value = write.json().await.unwrap();
    assert_eq!(answer["error"]["details"][0]["reason"], "ACCESS_TOKEN_SCOPE_INSUFFICIENT");
    let empty = fixture.control("grant", json!({"identity": "empty@sandbox.example"})).await;
    let token = empty["access_token"].as_str().unwrap();
    let none: Value = fixture.send(Method::GET, "/v1beta/accounts", token, None).await.json().await.unwrap();
    assert_eq!(none, json!({}));
}

#[tokio::test]
async fn tests_can_shorten_and_end_the_life_of_tokens() {
    let fixture = Fixture::start().await;
    fixture.control("oauth", json!({"access_token_seconds": 5})).await;
    let tokens = fixture.control("grant", json!({})).await;
    assert_eq!(tokens["expires_in"], 5);
    fixture.advance(4);
    assert_eq!(apps(&fixture, &tokens["access_token"]).await, 200);
    fixture.control("oauth", json!({"expire_access": true})).await;
    assert_eq!(apps(&fixture, &tokens["access_token"]).await, 401);
    fixture.control("oauth", json!({"revoke_all": true})).await;
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(token(&fixture, &[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await.0, 400);
    fixture.control("faults", json!({"operation": "oauth_token", "kind": "status", "status": 503})).await;
    assert_eq!(token(&fixture, &[("grant_type", "refresh_token")]).await.0, 503);
}
