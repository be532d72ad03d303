//! Signing in with OAuth at a server of ours that is honest, and at one that is not.

#[expect(dead_code, reason = "the server's tests use the rest")]
mod issuer;

use std::sync::{Once, atomic::Ordering};

use adagent_outgoing::WayOut;
use adagent_sources::mcp::{AuthServer, NoSignIn, SignIns, Trouble};
use issuer::Issuer;
use secrecy::ExposeSecret as _;
use serde_json::{Value as Json, json};
use url::Url;

const BACK: &str = "http://localhost:3000/api/mcp-servers/callback/docs";

fn sign_ins(allowed: &[String]) -> SignIns {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    SignIns::new(allowed.to_vec(), WayOut::default()).expect("builds")
}

/// Finds the sign-in of a server; only its own host and port are allowed.
async fn found(issuer: &Issuer) -> Result<AuthServer, Trouble> {
    sign_ins(&[issuer.host()]).find(&url(&issuer.url()), &[]).await
}

fn url(text: &str) -> Url {
    text.parse().expect("an address")
}

async fn refused(set: impl FnOnce(&mut issuer::Manners)) -> NoSignIn {
    let issuer = Issuer::default();
    issuer.set(set);
    match found(&issuer).await {
        Err(Trouble::SignIn(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// Follows the authorization address as a browser does. Returns the code.
async fn consent(address: &Url) -> String {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("builds");
    let answer = http.get(address.clone()).send().await.expect("answered");
    let to = answer.headers().get("location").expect("sent back").to_str().expect("text");
    url(to).query_pairs().find(|(name, _)| name == "code").expect("a code").1.into_owned()
}

#[tokio::test]
async fn a_person_signs_in_where_the_server_says_and_tokens_are_for_it_alone() {
    for (document, silent) in [("oauth-authorization-server", false), ("openid-configuration", true)] {
        let issuer = Issuer::default();
        issuer.set(|it| {
            it.document = Some(document);
            it.silent = silent;
            it.scope = Some("read write");
            it.metadata = json!({"scopes_supported": ["read", "offline_access"]});
            it.rotates = true;
        });
        let sign_ins = sign_ins(&[issuer.host()]);
        let at = sign_ins.find(&url(&issuer.url()), &[]).await.expect("found");
        assert_eq!((at.issuer.clone(), at.resource.clone()), (issuer.origin(), issuer.url()));
        assert_eq!(at.scopes, ["read", "write", "offline_access"]);
        let client = sign_ins.register(&at, &url(BACK)).await.expect("registered");
        let begun = sign_ins.begin(&at, &client, &url(BACK)).expect("begun");
        let code = consent(&begun.url).await;
        let tokens = sign_ins.exchange(&at, &client, &url(BACK), &code, &begun.verifier).await.expect("exchanged");
        assert!(issuer.knows(tokens.access_token.expose_secret()));
        let again = sign_ins.exchange(&at, &client, &url(BACK), &code, &begun.verifier).await;
        assert_eq!(again.expect_err("once"), Trouble::SignIn(NoSignIn::GrantRefused));

        let old = tokens.refresh_token.expect("given");
        let fresh = sign_ins.refresh(&at, &client, &old).await.expect("refreshed");
        assert!(issuer.knows(fresh.access_token.expose_secret()));
        let replayed = sign_ins.refresh(&at, &client, &old).await.expect_err("refused");
        assert_eq!((replayed, issuer.theft.load(Ordering::Relaxed)), (Trouble::SignIn(NoSignIn::GrantRefused), 1));
    }
}

#[tokio::test]
async fn a_server_of_the_first_protocol_is_its_own_sign_in() {
    let issuer = Issuer::default();
    issuer.set(|it| {
        it.resource = json!({"resource": null});
        it.silent = true;
    });
    assert_eq!(found(&issuer).await.expect("found").resource, issuer.url());
    issuer.set(|it| it.metadata = json!({"issuer": format!("{}/oauth", issuer.origin())}));
    assert!(found(&issuer).await.is_ok(), "another name of the same host");
    issuer.set(|it| it.metadata = json!({"issuer": "https://accounts.example.com"}));
    assert_eq!(found(&issuer).await.expect_err("refused"), Trouble::SignIn(NoSignIn::OtherIssuer));
}

#[tokio::test]
async fn what_a_sign_in_says_falsely_of_itself_ends_it() {
    let metadata = |other: Json| move |it: &mut issuer::Manners| it.metadata = other;
    let resource = |other: Json| move |it: &mut issuer::Manners| it.resource = other;
    let other = "https://accounts.example.com";
    assert_eq!(refused(metadata(json!({"issuer": other}))).await, NoSignIn::OtherIssuer);
    assert_eq!(refused(resource(json!({"resource": "https://mcp.example.com/mcp"}))).await, NoSignIn::OtherResource);
    assert_eq!(refused(metadata(json!({"code_challenge_methods_supported": ["plain"]}))).await, NoSignIn::NoPkce);
    assert_eq!(refused(metadata(json!({"code_challenge_methods_supported": null}))).await, NoSignIn::NoPkce);
    assert_eq!(refused(metadata(json!({"response_types_supported": ["token"]}))).await, NoSignIn::NotOffered);
    assert_eq!(refused(metadata(json!({"token_endpoint": null}))).await, NoSignIn::NotOffered);
    assert_eq!(refused(resource(json!({"authorization_servers": []}))).await, NoSignIn::NotOffered);
    assert_eq!(refused(resource(json!({"authorization_servers": ["not an address"]}))).await, NoSignIn::NotOffered);
}

#[tokio::test]
async fn no_document_leads_us_into_our_own_network() {
    // Another service on this machine, which nobody allowed.
    let inner = Issuer::default();
    for field in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
        for inside in
            [format!("{}/x", inner.origin()), "http://169.254.169.254/latest".into(), "file:///etc/passwd".into()]
        {
            let why = refused(|it| it.metadata = json!({field: inside})).await;
            assert_eq!(why, NoSignIn::Elsewhere, "{field}: {inside}");
        }
    }
    for inside in [inner.origin(), "https://127.0.0.1".into(), "https://localhost".into(), "http://localhost".into()] {
        let why = refused(|it| it.resource = json!({"authorization_servers": [inside]})).await;
        assert_eq!(why, NoSignIn::Elsewhere, "{inside}");
    }
    assert_eq!(inner.requests.load(Ordering::Relaxed), 0, "nobody called it");
    // What was allowed when somebody signed in is asked again at each use.
    let issuer = Issuer::default();
    let at = found(&issuer).await.expect("found");
    let client = sign_ins(&[issuer.host()]).register(&at, &url(BACK)).await.expect("registered");
    let seen = issuer.requests.load(Ordering::Relaxed);
    let later = sign_ins(&[]);
    let refresh = later.refresh(&at, &client, &"r".to_owned().into()).await.expect_err("refused");
    let elsewhere = Trouble::SignIn(NoSignIn::Elsewhere);
    assert_eq!(refresh, elsewhere);
    assert_eq!(later.register(&at, &url(BACK)).await.expect_err("refused"), elsewhere);
    assert_eq!(issuer.requests.load(Ordering::Relaxed), seen);
}

#[tokio::test]
async fn endless_documents_and_redirects_end() {
    let issuer = Issuer::default();
    issuer.set(|it| it.huge = 70_000);
    assert_eq!(found(&issuer).await.expect_err("too long"), Trouble::TooLong);
    // A redirect is no document, wherever it leads.
    let inner = Issuer::default();
    for to in ["/.well-known/oauth-protected-resource/mcp".to_owned(), format!("{}/x", inner.origin())] {
        let issuer = Issuer::default();
        issuer.set(|it| it.redirect = Some(to));
        assert_eq!(found(&issuer).await.expect_err("refused"), Trouble::SignIn(NoSignIn::NotOffered));
        assert!(issuer.requests.load(Ordering::Relaxed) < 10);
    }
    assert_eq!(inner.requests.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_injected_code_is_worth_nothing() {
    let issuer = Issuer::default();
    let sign_ins = sign_ins(&[issuer.host()]);
    let at = sign_ins.find(&url(&issuer.url()), &[]).await.expect("found");
    let client = sign_ins.register(&at, &url(BACK)).await.expect("registered");
    let theirs = sign_ins.begin(&at, &client, &url(BACK)).expect("begun");
    let stolen = consent(&theirs.url).await;
    // An attacker puts a stolen code into another round trip, whose verifier does not fit.
    let ours = sign_ins.begin(&at, &client, &url(BACK)).expect("begun");
    let injected = sign_ins.exchange(&at, &client, &url(BACK), &stolen, &ours.verifier).await;
    assert_eq!(injected.expect_err("refused"), Trouble::SignIn(NoSignIn::GrantRefused));
}

#[tokio::test]
async fn our_client_is_registered_with_the_proof_that_the_server_takes() {
    for method in ["client_secret_basic", "client_secret_post"] {
        let issuer = Issuer::default();
        issuer.set(|it| {
            it.metadata = json!({"token_endpoint_auth_methods_supported": [method]});
            it.secret = Some("shared");
        });
        let sign_ins = sign_ins(&[issuer.host()]);
        let at = sign_ins.find(&url(&issuer.url()), &[]).await.expect("found");
        let client = sign_ins.register(&at, &url(BACK)).await.expect("registered");
        let begun = sign_ins.begin(&at, &client, &url(BACK)).expect("begun");
        let code = consent(&begun.url).await;
        sign_ins.exchange(&at, &client, &url(BACK), &code, &begun.verifier).await.expect(method);
        let in_body = issuer.exchanges.lock().expect("whole")[0].contains_key("client_secret");
        assert_eq!(in_body, method == "client_secret_post");
    }
    let issuer = Issuer::default();
    issuer.set(|it| it.no_clients = Some("Only\n partners\u{202E}."));
    let at = found(&issuer).await.expect("found");
    let no = sign_ins(&[issuer.host()]).register(&at, &url(BACK)).await.expect_err("refused");
    assert_eq!(no.told("Docs"), "The sign-in of Docs didn't register us: “Only partners.”");
    issuer.set(|it| it.metadata = json!({"registration_endpoint": null}));
    let at = found(&issuer).await.expect("found");
    let no = sign_ins(&[issuer.host()]).register(&at, &url(BACK)).await.expect_err("refused");
    assert_eq!(no, Trouble::SignIn(NoSignIn::NoRegistration));
}
