//! A trial of keys before they are stored: the answer says what they allow, an error shows at its field, and nothing is stored in
//! either case.

use std::collections::BTreeMap;

use adagent_sandbox::credentials::{Standing, of as published};
use serde_json::Value;

use crate::{
    harness::{Answer, Caller, TestApp, per_minute},
    networks::provider,
};

type Fields = BTreeMap<String, String>;

fn keys(network: &str, standing: Standing) -> Fields {
    let set = published(network, standing).unwrap();
    let named = set.fields.iter().map(|(name, value)| (format!("fields[{name}]"), (*value).to_owned()));
    named.chain([("network".to_owned(), network.to_owned())]).collect()
}

/// Sends the form as the page does; without JavaScript, a browser asks for a page.
async fn tried(caller: &Caller<'_>, fields: &Fields, script: bool) -> Answer {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let cookie = caller.cookie.lock().unwrap().clone().unwrap_or_default();
    let request = client.post(format!("{}/desk/try-keys", caller.base())).header("cookie", cookie);
    let request = if script { request } else { request.header("accept", "text/html") };
    let response = request.form(fields).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Answer { status, headers, text: response.text().await.unwrap() }
}

fn leads_to(answer: &Answer) -> &str {
    answer.headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn keys_are_tried_say_what_they_open_and_are_not_kept() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let answer = tried(&ada, &keys("mintegral", Standing::Valid), true).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let said = answer.json();
        let opens = ["read", "report", "write"].map(|what| said["opens"][what]["ability"].as_str().unwrap_or_default());
        assert_eq!(opens, ["yes", "yes", "not_known"], "{said}");
        assert_eq!(said["refused"], Value::Null);

        let refused = tried(&ada, &keys("mintegral", Standing::Revoked), true).await.json();
        assert_eq!((&refused["opens"], &refused["refused"]["status"]), (&Value::Null, &Value::from(422)), "{refused}");
        assert!(refused["refused"]["errors"][0]["message"].as_str().unwrap().contains("rejected"), "{refused}");

        let mut missing = keys("mintegral", Standing::Valid);
        missing.remove("fields[secret]");
        let missing = tried(&ada, &missing, true).await.json();
        assert_eq!(missing["refused"]["errors"][0]["pointer"], "/secret", "{missing}");

        assert_eq!(provider(&ada, "mintegral").await["state"], "not_connected");
        assert!(app.sandbox("/__sandbox/writes?network=mintegral").await["items"].as_array().unwrap().is_empty());
        let oauth = tried(&ada, &Fields::from([("network".into(), "admob".into())]), true).await.json();
        assert_eq!(oauth["refused"]["status"], 409, "{oauth}");
        app.stop().await;
    }
}

#[tokio::test]
async fn without_script_the_form_comes_back_with_words_and_never_with_a_key() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let good = keys("pangle", Standing::Valid);
        let answer = tried(&ada, &good, false).await;
        let place = leads_to(&answer).to_owned();
        assert_eq!((answer.status, place.as_str()), (302, "/settings/networks?connect=pangle&tried=yes,yes,not_known"));
        let page = ada.finish("GET", &place, ada.request("GET", &place).header("accept", "text/html")).await;
        assert!(page.text.contains("Pangle accepts these keys.") && page.text.contains("They aren't saved yet."));

        let bad = tried(&ada, &keys("pangle", Standing::Revoked), false).await;
        assert!(leads_to(&bad).contains("connect=pangle&error=network_auth_failed&fields="), "{}", leads_to(&bad));
        for (name, value) in good.iter().filter(|(name, _)| name.ends_with("key]")) {
            assert!(!place.contains(value) && !page.text.contains(value), "{name}");
        }
        assert_eq!(provider(&ada, "pangle").await["state"], "not_connected");
        app.stop().await;
    }
}

#[tokio::test]
async fn trying_counts_as_connecting_does() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.keys_per_user = per_minute(2);
    })
    .await;
    let ada = app.person("ada").await;
    let good = keys("pangle", Standing::Valid);
    assert_eq!(tried(&ada, &good, true).await.status, 200);
    assert_eq!(ada.post("/api/networks/pangle", serde_json::json!({})).await.status, 422);
    let third = tried(&ada, &good, true).await;
    assert_eq!((third.status, third.code().as_str()), (429, "rate_limited"), "{}", third.text);
    app.stop().await;
}
