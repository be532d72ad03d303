//! Signing in with a provider: the whole round trip, and everything that can go wrong in it.

use std::collections::BTreeMap;

use adagent_config::Config;
use serde_json::{Value, json};

use super::{
    PASSWORD, code, enrol, is_in, link, mails,
    provider::{Asked, CLIENT, Provider, SECRET},
};
use crate::harness::{Caller, EVIL, TestApp};

/// A browser that keeps cookies by name and does not follow redirects by itself.
pub struct Browser<'a> {
    app: &'a TestApp,
    http: reqwest::Client,
    pub cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub fn new(app: &'a TestApp) -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { app, http, cookies: BTreeMap::new() }
    }

    pub async fn go(&mut self, path: &str) -> reqwest::Response {
        self.send(self.http.get(format!("{}{path}", self.app.running.base_url()))).await
    }

    pub async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> reqwest::Response {
        self.send(self.http.post(format!("{}{path}", self.app.running.base_url())).form(form)).await
    }

    async fn send(&mut self, request: reqwest::RequestBuilder) -> reqwest::Response {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = request.header("cookie", cookies.join("; ")).send().await.unwrap();
        for cookie in response.headers().get_all("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.into(), value.into());
            }
        }
        response
    }

    /// Opens the provider's page.
    pub async fn begin(&mut self, back: &str) -> Asked {
        let response = self.go(&format!("/api/auth/google{back}")).await;
        assert_eq!(response.status(), 303, "{response:?}");
        Asked::of(&location(&response))
    }

    /// Returns where the callback leads.
    pub async fn come_back(&mut self, state: &str, code: &str) -> String {
        let response = self.go(&format!("/api/auth/google/callback?state={state}&code={code}")).await;
        assert_eq!(response.status(), 303, "{response:?}");
        location(&response)
    }

    pub async fn me(&mut self) -> Option<Value> {
        let response = self.go("/api/me").await;
        if response.status() == 401 { None } else { Some(response.json().await.unwrap()) }
    }

    fn of(app: &'a TestApp, caller: &Caller<'_>) -> Self {
        let mut browser = Self::new(app);
        let cookie = caller.cookie.lock().unwrap().clone().unwrap();
        let (name, value) = cookie.split_once('=').unwrap();
        browser.cookies.insert(name.into(), value.into());
        browser
    }
}

fn location(response: &reqwest::Response) -> String {
    response.headers()["location"].to_str().unwrap().to_owned()
}

fn with(provider: &Provider) -> impl Fn(&mut Config) + use<> {
    let base = provider.base();
    move |config| {
        config.oidc.issuer = base.parse().unwrap();
        config.oidc.client_id = Some(CLIENT.into());
        config.oidc.client_secret = Some(SECRET.to_owned().into());
    }
}

/// Starts one server per engine, with the provider.
async fn both(provider: &Provider) -> [TestApp; 2] {
    [TestApp::with(with(provider)).await, TestApp::with_postgres(with(provider)).await]
}

async fn proven<'a>(app: &'a TestApp, name: &str) -> Caller<'a> {
    let caller = app.person(name).await;
    let token = link(app, &mails(app, &format!("{name}@example.com"), 1).await[0], "/verify-email");
    assert_eq!(caller.post("/api/auth/verify-email", json!({"token": token})).await.status, 204);
    caller
}

#[tokio::test]
async fn a_new_person_gets_an_account_and_comes_back_to_it() {
    let provider = Provider::start().await;
    for app in both(&provider).await {
        let mut browser = Browser::new(&app);
        let asked = browser.begin("?return=/approvals").await;
        for (name, value) in [
            ("response_type", "code"),
            ("client_id", CLIENT),
            ("code_challenge_method", "S256"),
            ("scope", "openid email profile"),
            ("redirect_uri", &format!("{}/api/auth/google/callback", app.running.base_url())),
        ] {
            assert_eq!(asked.query[name], value, "{name}");
        }
        let first = browser.come_back(asked.state(), &provider.consent(&asked, "42", "Ada@Example.com")).await;
        assert_eq!(first, "/approvals");
        assert_eq!(browser.cookies.keys().collect::<Vec<_>>(), ["adagent_session"], "the trip's cookie is gone");
        let me = browser.me().await.unwrap();
        assert_eq!((&me["user"]["email"], &me["user"]["name"]), (&json!("Ada@Example.com"), &json!("Ada L")));
        // Later, the person signs in from another browser, with another address at the provider. It is the same account.
        let mut other = Browser::new(&app);
        let asked = other.begin("").await;
        assert_eq!(other.come_back(asked.state(), &provider.consent(&asked, "42", "ada@elsewhere.example")).await, "/");
        assert_eq!(other.me().await.unwrap()["user"]["id"], me["user"]["id"]);
        let account: Value = other.go("/api/account").await.json().await.unwrap();
        assert_eq!((&account["has_password"], &account["email_verified"]), (&json!(false), &json!(true)));
        assert_eq!(account["google"]["linked"]["email"], "ada@elsewhere.example");
        // No password opens an account without one.
        for password in ["", "a", "a password nobody has"] {
            let body = json!({"email": "ada@example.com", "password": password});
            assert_ne!(app.caller().post("/api/auth/sign-in", body).await.status, 200, "{password:?}");
        }
        // Google is the only way to sign in, so it stays until there is a password. A person who has just signed in may set one.
        assert_eq!(other.post("/api/account/google/unlink", &[]).await.status(), 303);
        assert!(other.go("/api/account").await.text().await.unwrap().contains("elsewhere"));
        let set = other.post("/api/account/password", &[("new_password", PASSWORD)]).await;
        assert_eq!(location(&set), "/settings/account?done=password");
        let gone = other.post("/api/account/google/unlink", &[("password", PASSWORD)]).await;
        assert_eq!(location(&gone), "/settings/account?done=unlinked");
        app.stop().await;
    }
}

#[tokio::test]
async fn an_account_is_found_by_address_only_where_both_sides_proved_it() {
    let provider = Provider::start().await;
    for app in both(&provider).await {
        // The account was created by the person who typed the address first.
        let unproven = app.person("bob").await;
        let ada = proven(&app, "ada").await;
        let come = async |claims: Value| {
            let mut browser = Browser::new(&app);
            let asked = browser.begin("").await;
            let code = provider.consent_with(&asked, &claims);
            let page = browser.come_back(asked.state(), &code).await;
            (page, browser.me().await)
        };
        let claims =
            |sub: &str, email: &str, verified: bool| json!({"sub": sub, "email": email, "email_verified": verified});
        assert_eq!(
            come(claims("1", "ada@example.com", false)).await,
            ("/sign-in?error=google_unverified".into(), None)
        );
        assert_eq!(
            come(claims("1", "new@example.com", false)).await,
            ("/sign-in?error=google_unverified".into(), None)
        );
        assert_eq!(come(json!({"sub": "1"})).await, ("/sign-in?error=google_unverified".into(), None));
        assert_eq!(come(claims("2", "bob@example.com", true)).await, ("/sign-in?error=google_link_first".into(), None));
        let (page, me) = come(claims("3", "ADA@example.com", true)).await;
        assert_eq!((page.as_str(), &me.unwrap()["user"]["name"]), ("/", &json!("ada")));
        let told = mails(&app, "ada@example.com", 2).await;
        assert!(told[0]["subject"].as_str().unwrap().contains("Google was linked"), "{told:?}");
        // Another person at the provider who now has the same address is a different person.
        assert_eq!(come(claims("4", "ada@example.com", true)).await, ("/sign-in?error=google_taken".into(), None));
        drop((unproven, ada));
        app.stop().await;
    }
}

#[tokio::test]
async fn who_is_signed_in_links_and_unlinks_with_their_password() {
    let provider = Provider::start().await;
    for app in both(&provider).await {
        let bob = app.person("bob").await;
        let mut browser = Browser::of(&app, &bob);
        let refused = browser.post("/api/account/google", &[("password", "wrong")]).await;
        assert_eq!(location(&refused), "/settings/account?form=google&error=validation_failed&field=password");
        let begun = browser.post("/api/account/google", &[("password", PASSWORD)]).await;
        let asked = Asked::of(&location(&begun));
        assert_eq!(asked.query["login_hint"], "bob@example.com");
        let code =
            provider.consent_with(&asked, &json!({"sub": "7", "email": "bob@work.example", "email_verified": false}));
        let page = browser.come_back(asked.state(), &code).await;
        assert_eq!(page, "/settings/account?form=google&error=google_unverified");
        let begun = browser.post("/api/account/google", &[("password", PASSWORD)]).await;
        let asked = Asked::of(&location(&begun));
        // Its address may differ from ours, because the password was the proof.
        let code = provider.consent(&asked, "7", "bob@work.example");
        assert_eq!(browser.come_back(asked.state(), &code).await, "/settings/account?done=linked");
        let mut elsewhere = Browser::new(&app);
        let asked = elsewhere.begin("").await;
        elsewhere.come_back(asked.state(), &provider.consent(&asked, "7", "bob@work.example")).await;
        assert_eq!(elsewhere.me().await.unwrap()["user"]["name"], "bob");
        // Nobody else can link the same Google account.
        let ada = app.person("ada").await;
        let mut adas = Browser::of(&app, &ada);
        let begun = adas.post("/api/account/google", &[("password", PASSWORD)]).await;
        let asked = Asked::of(&location(&begun));
        let page = adas.come_back(asked.state(), &provider.consent(&asked, "7", "bob@work.example")).await;
        assert_eq!(page, "/settings/account?form=google&error=google_taken");
        // A round trip that began for one person links nothing to another person, or to nobody.
        let begun = adas.post("/api/account/google", &[("password", PASSWORD)]).await;
        let asked = Asked::of(&location(&begun));
        let session = browser.cookies["adagent_session"].clone();
        adas.cookies.insert("adagent_session".into(), session);
        let page = adas.come_back(asked.state(), &provider.consent(&asked, "8", "eve@example.com")).await;
        assert_eq!(page, "/settings/account?form=google&error=google_failed");
        assert_eq!(ada.get("/api/account").await.json()["google"]["linked"], Value::Null);
        assert_eq!(bob.post("/api/account/google/unlink", json!({"password": "wrong"})).await.pointer(), "/password");
        assert_eq!(bob.post("/api/account/google/unlink", json!({"password": PASSWORD})).await.status, 204);
        assert_eq!(bob.post("/api/account/google/unlink", json!({"password": PASSWORD})).await.status, 404);
        // It is linked again, for example by an intruder. A new password by mail ends that too.
        let begun = browser.post("/api/account/google", &[("password", PASSWORD)]).await;
        let asked = Asked::of(&location(&begun));
        browser.come_back(asked.state(), &provider.consent(&asked, "7", "bob@work.example")).await;
        assert!(bob.get("/api/account").await.json()["google"]["linked"].is_object());
        bob.post("/api/auth/forgot-password", json!({"email": "bob@example.com"})).await;
        let reset = async {
            let mails = mails(&app, "bob@example.com", 4).await;
            let body = json!({"token": link(&app, &mails[0], "/reset-password"), "password": "another horse"});
            app.caller().post("/api/auth/reset-password", body).await.status
        };
        assert_eq!(reset.await, 204);
        let mut intruder = Browser::new(&app);
        let asked = intruder.begin("").await;
        intruder.come_back(asked.state(), &provider.consent(&asked, "7", "bob@work.example")).await;
        assert_ne!(intruder.me().await.map(|me| me["user"]["email"].clone()), Some(json!("bob@example.com")));
        app.stop().await;
    }
}

#[tokio::test]
async fn a_second_factor_is_asked_for_after_google_too() {
    let provider = Provider::start().await;
    let app = TestApp::with(with(&provider)).await;
    let ada = proven(&app, "ada").await;
    let (secret, _) = enrol(&ada).await;
    let mut browser = Browser::new(&app);
    let asked = browser.begin("?return=/runs").await;
    let page = browser.come_back(asked.state(), &provider.consent(&asked, "42", "ada@example.com")).await;
    assert_eq!(page, "/sign-in/code?return=/runs");
    assert!(browser.me().await.is_none());
    let wrong = browser.post("/api/auth/second-factor", &[("code", "000000"), ("return", "/runs")]).await;
    assert_eq!(location(&wrong), "/sign-in/code?error=wrong_code&return=%2Fruns");
    let form = [("code", code(&secret, 0)), ("return", "/runs".to_owned())];
    let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(location(&browser.post("/api/auth/second-factor", &form).await), "/runs");
    assert_eq!(browser.me().await.unwrap()["user"]["name"], "ada");
}

#[tokio::test]
async fn tokens_that_prove_nothing_sign_nobody_in() {
    let provider = Provider::start().await;
    let app = TestApp::with(with(&provider)).await;
    let person = json!({"sub": "42", "email": "ada@example.com", "email_verified": true});
    let known = |change: Value| {
        let mut claims = person.clone();
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    let right = json!({"alg": "ES256", "kid": "k1"});
    for (header, change) in [
        (right.clone(), json!({"nonce": "another"})),
        (right.clone(), json!({"nonce": null})),
        (right.clone(), json!({"aud": "another client"})),
        (right.clone(), json!({"aud": [CLIENT, "another"], "azp": "another"})),
        (right.clone(), json!({"exp": 1})),
        (right.clone(), json!({"iat": 1})),
        (right.clone(), json!({"iss": "https://accounts.google.com"})),
        (right.clone(), json!({"at_hash": "AAAA"})),
        (json!({"alg": "none"}), json!({})),
        (json!({"alg": "HS256", "kid": "k1"}), json!({})),
        (json!({"alg": "RS256", "kid": "k1"}), json!({})),
        (json!({"alg": "ES256", "kid": "unknown"}), json!({})),
    ] {
        let mut browser = Browser::new(&app);
        let asked = browser.begin("").await;
        let code = provider.consent_signed(&asked, &header, &known(change.clone()));
        assert_eq!(browser.come_back(asked.state(), &code).await, "/sign-in?error=google_failed", "{header} {change}");
        assert!(browser.me().await.is_none(), "{header} {change}");
    }
    assert!(provider.key_reads() <= 2, "made-up key ids do not make us ask each time: {}", provider.key_reads());
    // A correct round trip still works.
    let mut browser = Browser::new(&app);
    let asked = browser.begin("").await;
    assert_eq!(browser.come_back(asked.state(), &provider.consent(&asked, "42", "ada@example.com")).await, "/");
}

#[tokio::test]
async fn a_trip_ends_once_and_where_it_began() {
    let provider = Provider::start().await;
    for app in both(&provider).await {
        let failed = "/sign-in?error=google_failed";
        let mut browser = Browser::new(&app);
        let asked = browser.begin("").await;
        let code = provider.consent(&asked, "42", "ada@example.com");
        // The callback must fail in another person's browser, with or without a round trip of its own. Otherwise, that browser
        // would be signed in as the person who sent the link.
        let mut victim = Browser::new(&app);
        assert_eq!(victim.come_back(asked.state(), &code).await, failed);
        victim.begin("").await;
        assert_eq!(victim.come_back(asked.state(), &code).await, failed);
        assert_eq!(browser.come_back("made-up", &code).await, failed);
        // The failed callback used up the cookie, as every end of a round trip does. The next round trip gets a new one.
        let asked = browser.begin("").await;
        let code = provider.consent(&asked, "42", "ada@example.com");
        let held = browser.cookies.clone();
        assert_eq!(browser.come_back(asked.state(), &code).await, "/");
        // The address is opened again, with every cookie that the browser had then.
        let mut again = Browser::new(&app);
        again.cookies = held;
        assert_eq!(again.come_back(asked.state(), &code).await, failed);
        // A code of another round trip has another verifier.
        let (mut one, mut two) = (Browser::new(&app), Browser::new(&app));
        let (asked_one, asked_two) = (one.begin("").await, two.begin("").await);
        let stolen = provider.consent(&asked_two, "42", "ada@example.com");
        assert_eq!(one.come_back(asked_one.state(), &stolen).await, failed);
        assert!(one.me().await.is_none());
        // A person who declines at the provider is told so.
        let asked = two.begin("").await;
        let path = format!("/api/auth/google/callback?state={}&error=access_denied", asked.state());
        assert_eq!(location(&two.go(&path).await), failed);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_return_never_leads_to_another_site() {
    let provider = Provider::start().await;
    let app = TestApp::with(with(&provider)).await;
    for evil in [EVIL, "//evil.example", "/\\evil.example", "https:evil.example", "/%0a//evil.example"] {
        let mut browser = Browser::new(&app);
        let asked = browser.begin(&format!("?return={}", adagent_contract::links::encode(evil))).await;
        let page = browser.come_back(asked.state(), &provider.consent(&asked, "42", "ada@example.com")).await;
        assert!(page == "/" || page == "/%0a//evil.example" && !page.contains("//evil"), "{evil}: {page}");
    }
}

#[tokio::test]
async fn a_provider_that_changes_its_keys_or_its_name() {
    let provider = Provider::start().await;
    let app = TestApp::with(with(&provider)).await;
    let mut browser = Browser::new(&app);
    let asked = browser.begin("").await;
    provider.claims_to_be("https://accounts.google.com");
    assert_eq!(browser.come_back(asked.state(), &provider.consent(&asked, "42", "ada@example.com")).await, "/");
    // If a token names an unknown key, the keys are read again.
    provider.claims_to_be(&provider.base());
    provider.rotate();
    let mut browser = Browser::new(&app);
    let asked = browser.begin("").await;
    assert_eq!(browser.come_back(asked.state(), &provider.consent(&asked, "42", "ada@example.com")).await, "/");
    provider.claims_to_be("https://accounts.google.com");
    // Only a server that has not read the discovery document yet asks for it. That server does not accept the wrong issuer.
    let late = TestApp::with(with(&provider)).await;
    let answer = Browser::new(&late).go("/api/auth/google?return=/runs").await;
    assert_eq!(location(&answer), "/sign-in?error=unavailable&return=%2Fruns");
}

#[tokio::test]
async fn without_a_provider_there_is_none() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for path in ["/api/auth/google", "/api/auth/google/callback?state=x&code=y"] {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    assert_eq!(ada.post("/api/account/google", json!({"password": PASSWORD})).await.status, 404);
    assert_eq!(ada.get("/api/account").await.json()["google"], Value::Null);
    assert!(is_in(&ada).await);
}
