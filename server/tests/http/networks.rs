//! Connects each of the nine networks, only with the public API: keys and sign-in, refusals, other workspaces, replacing,
//! removing.

use adagent_domain::Network;
use adagent_sandbox::credentials::{CREDENTIALS, Standing, of as published};
use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of, per_minute};

const KEYED: [&str; 7] = ["applovin", "unity", "mintegral", "liftoff", "inmobi", "pangle", "dtexchange"];

fn keys(network: &str, standing: Standing) -> Value {
    let set = published(network, standing).unwrap();
    set.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
}

pub async fn provider(caller: &Caller<'_>, network: &str) -> Value {
    let all = caller.get("/api/providers").await.json();
    all["items"].as_array().unwrap().iter().find(|item| item["network"] == network).unwrap().clone()
}

/// Checks that a text holds no value of any published secret; IDs are not secret.
fn holds_no_secret(text: &str) {
    let is_secret = |name: &str| !name.ends_with("_id") && !["user_name", "consumer_key"].contains(&name);
    for set in &CREDENTIALS {
        for (_, value) in set.fields.iter().filter(|(name, _)| is_secret(name)) {
            assert!(!text.contains(value), "{value} in {text}");
        }
    }
}

#[tokio::test]
async fn every_key_network_connects_with_its_keys_and_shows_what_it_has() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let list = ada.get("/api/networks").await.json();
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.iter().map(|item| item["network"].as_str().unwrap()).collect::<Vec<_>>(), KEYED);
        for item in items {
            assert_eq!((&item["state"], &item["places"]), (&json!("not_connected"), &json!(["sandbox", "live"])));
            let network = item["network"].as_str().unwrap();
            let fields = item["fields"].as_array().unwrap();
            // The form asks for the fields of the network's published credentials, and the required ones are enough.
            let set = keys(network, Standing::Valid);
            let asked: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
            assert_eq!(set.as_object().unwrap().keys().len(), asked.len(), "{network}");
            let needed: serde_json::Map<String, Value> = fields
                .iter()
                .filter(|field| field["required"] == true)
                .map(|field| field["name"].as_str().unwrap())
                .map(|name| (name.to_owned(), set[name].clone()))
                .collect();
            let path = format!("/api/networks/{network}");
            for body in [Value::Object(needed), set] {
                let answer = ada.post(&path, body).await;
                assert_eq!(answer.status, 200, "{network}: {}", answer.text);
                holds_no_secret(&answer.text);
            }
            let kept = provider(&ada, network).await;
            assert_eq!(
                (&kept["state"], &kept["sandbox"], &kept["kind"]),
                (&json!("connected"), &json!(true), &json!("key"))
            );
            assert!(kept["last_verified_at"].is_string(), "{kept}");
            assert_eq!(kept["accounts"].as_array().map(Vec::len), Some(1), "{kept}");
            let answer = ada.post(&format!("{path}/test"), json!({})).await;
            assert_eq!(answer.status, 200, "{network}: {}", answer.text);
            let id = kept["id"].as_str().unwrap();
            for what in ["accounts", "ad-units"] {
                let answer = ada.get(&format!("/api/providers/{id}/{what}")).await;
                assert_eq!(answer.status, 200, "{network} {what}: {}", answer.text);
                assert!(!answer.json()["items"].as_array().unwrap().is_empty(), "{network} {what}: {}", answer.text);
            }
            let apps = ada.get(&format!("/api/providers/{id}/apps")).await;
            assert_eq!(apps.status, 200, "{network}: {}", apps.text);
        }
        let context = json!({"enabled_accounts": {"unity": [provider(&ada, "unity").await["accounts"][0]["id"]]}});
        assert_eq!(ada.send("PUT", "/api/settings/context", Some(context)).await.status, 200);
        app.stop().await;
    }
}

#[tokio::test]
async fn keys_that_are_refused_say_what_to_do_and_nothing_is_kept() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for network in KEYED {
            let path = format!("/api/networks/{network}");
            let mut wrong = keys(network, Standing::Valid);
            for (name, value) in wrong.as_object_mut().unwrap() {
                if value.as_str().is_some_and(|value| value.starts_with("sandbox-")) {
                    *value = json!(format!("wrong-{name}"));
                }
            }
            let cases = [
                (wrong, "network_auth_failed", "rejected"),
                (keys(network, Standing::Revoked), "network_auth_failed", "rejected"),
                (keys(network, Standing::Expired), "network_auth_failed", "rejected"),
                (keys(network, Standing::NotAllowed), "network_refused", "no API access"),
            ];
            for (body, code, words) in cases {
                let answer = ada.post(&path, body).await;
                assert_eq!((answer.status, answer.code().as_str()), (422, code), "{network}: {}", answer.text);
                assert!(answer.text.contains(words), "{network}: {}", answer.text);
                let asked = answer.pointer();
                assert!(asked.starts_with('/') && asked.len() > 1, "{network}: {}", answer.text);
                holds_no_secret(&answer.text);
                assert!(!answer.text.contains("wrong-"), "{}", answer.text);
            }
            assert_eq!(provider(&ada, network).await["state"], "not_connected");
            assert_eq!(ada.post(&format!("{path}/test"), json!({})).await.status, 404);
            assert_eq!(ada.send("DELETE", &path, None).await.status, 404);
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn one_wrong_key_of_several_is_named_alone() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for (network, wrong) in [
        ("applovin", "report_key"),
        ("applovin", "management_key"),
        ("liftoff", "reporting_api_key"),
        ("liftoff", "secret_token"),
        ("unity", "stats_api_key"),
        ("unity", "service_secret_key"),
        ("dtexchange", "reporting_client_secret"),
        ("dtexchange", "consumer_secret"),
    ] {
        let mut body = keys(network, Standing::Valid);
        body[wrong] = json!("wrong");
        let answer = ada.post(&format!("/api/networks/{network}"), body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, "network_auth_failed"),
            "{network} {wrong}: {}",
            answer.text
        );
        let named: Vec<String> =
            answer.json()["errors"].as_array().unwrap().iter().map(|e| e["pointer"].to_string()).collect();
        assert!(named.contains(&format!("\"/{wrong}\"")), "{network} {wrong}: {named:?}");
        let other = if wrong.contains("report") || wrong.contains("stats") { "management_key" } else { "report_key" };
        assert!(!named.contains(&format!("\"/{other}\"")), "{network} {wrong}: {named:?}");
    }
}

#[tokio::test]
async fn keys_are_replaced_tested_switched_and_removed_by_their_own_workspace_alone() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let path = "/api/networks/mintegral";
        let key = |caller: &Caller<'_>, key: &str, body: &Value| {
            caller.request("POST", path).header("idempotency-key", key).json(body)
        };
        let body = keys("mintegral", Standing::Valid);
        let first = ada.finish("POST", path, key(&ada, "k1", &body)).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(ada.finish("POST", path, key(&ada, "k1", &body)).await.text, first.text);
        let mut other = body.clone();
        other["secret"] = json!("another");
        let reused = ada.finish("POST", path, key(&ada, "k1", &other)).await;
        assert_eq!((reused.status, reused.code().as_str()), (422, "idempotency_key_reused"), "{}", reused.text);

        // Another workspace has no such connection, whatever it asks.
        let id = provider(&ada, "mintegral").await["id"].as_str().unwrap().to_owned();
        assert_eq!(provider(&bob, "mintegral").await["state"], "not_connected");
        for (method, path) in [
            ("POST", format!("{path}/test")),
            ("DELETE", path.to_owned()),
            ("POST", format!("/api/providers/{id}/test")),
            ("DELETE", format!("/api/providers/{id}")),
        ] {
            assert_eq!(bob.send(method, &path, Some(json!({}))).await.status, 404, "{method} {path}");
        }
        let off = ada.send("PATCH", &format!("/api/providers/{id}/enable"), Some(json!({"enabled": false}))).await;
        assert_eq!(off.json()["state"], "disabled");

        // Wrong keys replace nothing; correct ones do, under the same ID.
        assert_eq!(ada.post(path, keys("mintegral", Standing::Revoked)).await.status, 422);
        assert_eq!(provider(&ada, "mintegral").await["state"], "disabled");
        assert_eq!(ada.post(path, body).await.status, 200);
        let again = provider(&ada, "mintegral").await;
        assert_eq!((again["id"].as_str(), &again["state"]), (Some(id.as_str()), &json!("connected")));

        assert_eq!(ada.send("DELETE", path, None).await.status, 204);
        assert_eq!(provider(&ada, "mintegral").await["state"], "not_connected");
        app.stop().await;
    }
}

#[tokio::test]
async fn keys_revoked_at_the_network_are_told_when_they_are_tested_and_mended_by_new_ones() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for network in KEYED {
        let path = format!("/api/networks/{network}");
        assert_eq!(ada.post(&path, keys(network, Standing::Valid)).await.status, 200);
        let base = &app.running.sandbox.as_ref().unwrap().base_url;
        let control = |revoke: bool| {
            let body = json!({"network": network, "revoke_all": revoke});
            reqwest::Client::new().post(format!("{base}/__sandbox/oauth")).json(&body).send()
        };
        assert!(control(true).await.unwrap().status().is_success());
        let answer = ada.post(&format!("{path}/test"), json!({})).await;
        assert_eq!((answer.status, answer.code().as_str()), (409, "network_auth_failed"), "{network}: {}", answer.text);
        let kept = provider(&ada, network).await;
        assert_eq!(kept["state"], "auth_failed", "{kept}");
        let message = kept["message"].as_str().unwrap();
        assert!(message.contains("rejected") && !message.contains("We tested"), "{kept}");
    }
}

/// Signs in at the sandbox as the identity; returns where the browser goes afterwards.
async fn signed_in(caller: &Caller<'_>, network: &str, identity: &str) -> String {
    signed_in_with(caller, network, identity, None).await
}

/// Works like [`signed_in`], but consents only to these scopes if they are given.
pub async fn signed_in_with(caller: &Caller<'_>, network: &str, identity: &str, granted: Option<&[&str]>) -> String {
    let begun = caller.post("/api/providers/connect", json!({"provider": network, "return": "/chat"})).await.json();
    let address: url::Url = begun["authorization_url"].as_str().unwrap().parse().unwrap();
    let mut form: Vec<(String, String)> = address.query_pairs().into_owned().collect();
    form.extend([("identity".into(), identity.into()), ("decision".into(), "allow".into())]);
    if let Some(granted) = granted {
        form.push(("granular".into(), "1".into()));
        form.extend(granted.iter().map(|scope| ("granted".to_owned(), (*scope).to_owned())));
    }
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let page = address.as_str().split('?').next().unwrap();
    let back = http.post(page).form(&form).send().await.unwrap();
    let back: url::Url = back.headers()["location"].to_str().unwrap().parse().unwrap();
    let path = format!("{}?{}", back.path(), back.query().unwrap());
    let request =
        http.get(format!("{}{path}", caller.base())).header("cookie", caller.cookie.lock().unwrap().clone().unwrap());
    request.send().await.unwrap().headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn ad_manager_is_signed_in_to_like_admob_with_consent_of_its_own() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let gone_to = signed_in(&ada, "gam", "demo@sandbox.example").await;
        let mut kept = provider(&ada, "admanager").await;
        let id = kept["id"].as_str().unwrap().to_owned();
        if kept["state"] == "choose_account" {
            assert!(gone_to.contains(&format!("choose={id}")) && gone_to.contains("return=/chat"), "{gone_to}");
            let first = kept["accounts"][0]["id"].clone();
            let path = format!("/api/providers/{id}/accounts");
            assert_eq!(ada.send("PUT", &path, Some(json!({"account_ids": [first]}))).await.status, 200);
            kept = provider(&ada, "admanager").await;
        } else {
            assert_eq!(gone_to, "/chat?connected=admanager");
        }
        assert_eq!((&kept["state"], &kept["sandbox"]), (&json!("connected"), &json!(true)));
        let account = &kept["accounts"][0];
        assert!(account["id"].as_str().unwrap().bytes().all(|byte| byte.is_ascii_digit()), "a network code: {account}");
        assert!(account["currency"].is_string() && account["time_zone"].is_string(), "{account}");
        // A sign-in at one network does not connect the other one.
        assert_eq!(provider(&ada, "admob").await["state"], "not_connected");
        for what in ["accounts", "apps", "ad-units"] {
            let answer = ada.get(&format!("/api/providers/{id}/{what}")).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.text);
        }
        let tested = ada.post(&format!("/api/providers/{id}/test"), json!({})).await;
        assert_eq!(tested.status, 200, "{}", tested.text);
        assert_eq!(ada.send("DELETE", &format!("/api/providers/{id}"), None).await.status, 204);
        app.stop().await;
    }
}

#[tokio::test]
async fn all_nine_are_explored_at_once_and_a_server_without_the_sandbox_asks_the_networks_themselves() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let all: Vec<&str> = Network::ALL.map(Network::id).to_vec();
    let answer = ada.post("/api/sandbox/explore", json!({"networks": all})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for item in answer.json()["items"].as_array().unwrap() {
        assert_eq!((&item["state"], &item["sandbox"]), (&json!("connected"), &json!(true)), "{item}");
        let id = item["id"].as_str().unwrap();
        let accounts = ada.get(&format!("/api/providers/{id}/accounts")).await;
        assert!(!accounts.json()["items"].as_array().unwrap().is_empty(), "{item}: {}", accounts.text);
    }
    let info = ada.get("/api/sandbox").await.json();
    assert_eq!(info["networks"].as_object().unwrap().len(), 9);
    app.stop().await;

    // Nothing leaves this test: the server must not contact live networks either.
    let app = TestApp::with(|config| {
        config.sandbox.enabled = false;
        config.live_networks = false;
    })
    .await;
    let ada = app.person("ada").await;
    let answer = ada.post("/api/networks/mintegral", keys("mintegral", Standing::Valid)).await;
    assert_eq!((answer.status, answer.code().as_str()), (502, "network_unavailable"), "{}", answer.text);
    let item = ada.get("/api/networks").await.json()["items"][0].clone();
    assert_eq!(item["places"], json!([]));
    assert_eq!(ada.post("/api/sandbox/explore", json!({})).await.code(), "sandbox_off");
    app.stop().await;
}

#[tokio::test]
async fn a_network_that_is_down_while_keys_are_tried_keeps_nothing_and_says_so() {
    let app = TestApp::with(|config| config.network_timeout_ms = 500).await;
    let ada = app.person("ada").await;
    let base = &app.running.sandbox.as_ref().unwrap().base_url;
    for network in ["mintegral", "pangle"] {
        let fault = json!({"network": network, "kind": "status", "status": 503, "times": 50});
        let set = reqwest::Client::new().post(format!("{base}/__sandbox/faults")).json(&fault).send().await.unwrap();
        assert!(set.status().is_success());
        let answer = ada.post(&format!("/api/networks/{network}"), keys(network, Standing::Valid)).await;
        assert_eq!((answer.status, answer.code().as_str()), (502, "network_unavailable"), "{network}: {}", answer.text);
        assert!(answer.text.contains("Nothing was saved"), "{}", answer.text);
        assert_eq!(provider(&ada, network).await["state"], "not_connected");
    }
}

#[tokio::test]
async fn nobody_guesses_at_keys_from_here() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.keys_per_user = per_minute(2);
    })
    .await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let guess = json!({"skey": "guess", "secret": "guess"});
    for status in [422, 422, 429] {
        assert_eq!(ada.post("/api/networks/mintegral", guess.clone()).await.status, status);
    }
    assert_eq!(bob.post("/api/networks/mintegral", guess).await.status, 422);
}

/// However parsers treat odd paths: an accepted return path stays on the site in a browser.
#[test]
fn no_way_back_that_is_accepted_leads_off_the_site() {
    let site: url::Url = "https://desk.example/settings/networks?connect=admob".parse().unwrap();
    let parts = [
        "/",
        "\\",
        ".",
        "..",
        "%2e",
        "%2E%2e",
        "%2f",
        "%5c",
        "@",
        ":",
        "\t",
        "\n",
        " ",
        "evil.example",
        "?",
        "#",
        ";",
        "a",
    ];
    let mut accepted = 0;
    for first in parts {
        for second in parts {
            for third in parts {
                for fourth in parts {
                    let path = format!("/{first}{second}{third}{fourth}");
                    let Some(kept) = adagent_contract::links::return_path(&path) else { continue };
                    accepted += 1;
                    let led = site.join(&kept).unwrap();
                    assert_eq!(led.origin(), site.origin(), "{path:?}");
                    let said = site.join(&adagent_contract::links::connected(&kept, "admob")).unwrap();
                    assert_eq!(said.origin(), site.origin(), "{path:?}");
                    // The same holds if another parser normalized the path first.
                    assert_eq!(site.join(led.path()).unwrap().origin(), site.origin(), "{path:?}");
                }
            }
        }
    }
    assert!(accepted > 10_000, "{accepted}");
}

#[tokio::test]
async fn with_nothing_connected_a_question_leads_to_connecting_any_network_and_back() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let events = ada.ask(json!({"message": "What was my revenue yesterday?"})).await;
        let asked = of(&events, "action_required");
        assert_eq!((&asked["action"], &asked["network"]), (&json!("connect_network"), &Value::Null), "{asked}");
        let session = events[0]["session_id"].as_str().unwrap();
        assert_eq!(asked["deep_link"], format!("/settings/networks?return=/chat/{session}"));
        // The page keeps the return path, whichever network the person chooses there.
        let page = ada.request("GET", asked["deep_link"].as_str().unwrap()).header("accept", "text/html");
        let page = page.send().await.unwrap().text().await.unwrap();
        assert!(page.contains(&format!("/chat/{session}")), "the page forgot the way back");

        // The return address sends nothing; without JavaScript, a button does.
        assert_eq!(ada.post("/api/sandbox/explore", json!({})).await.status, 200);
        let runs = async || ada.get("/api/runs").await.json()["items"].as_array().unwrap().len();
        let html = async |path: &str| {
            let page = ada.request("GET", path).header("accept", "text/html").send().await.unwrap();
            page.text().await.unwrap()
        };
        let chat = format!("/chat/{session}");
        let message = "AdMob is connected now. Continue with: What was my revenue yesterday?";
        let page = html(&format!("{chat}?connected=admob")).await;
        let forms = page.split("<noscript><form").filter_map(|rest| rest.split("</form>").next());
        let form = forms.into_iter().find(|form| form.contains(">Continue<"));
        let form = form.unwrap_or_else(|| panic!("no form to continue"));
        for part in ["action=\"/chat/stream", "method=\"post\"", session, message, ">Continue<"] {
            assert!(form.contains(part), "{part} in {form}");
        }
        assert!(!html(&chat).await.contains("Continue with:"));
        assert_eq!(runs().await, 1);
        let sent = ada.request("POST", "/chat/stream").form(&[("session_id", session), ("message", message)]);
        assert_eq!(sent.header("accept", "text/html").send().await.unwrap().status(), 200, "led back to the chat");
        assert_eq!(runs().await, 2);
        app.stop().await;
    }
}

#[tokio::test]
async fn enabling_ticks_the_network_enables_its_connection_and_leads_back() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let id = provider(&ada, "admob").await["id"].as_str().unwrap().to_owned();
        let turn_on = async |to: &str| {
            let fields = [("network", "admob"), ("return_to", to)];
            let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
            let request = http.post(format!("{}/desk/turn-on-network", ada.base())).form(&fields);
            let request = request.header("cookie", ada.cookie.lock().unwrap().clone().unwrap());
            let answer = request.header("accept", "text/html").send().await.unwrap();
            (answer.status().as_u16(), answer.headers()["location"].to_str().unwrap().to_owned())
        };
        let ticked = async || ada.get("/api/settings/context").await.json()["enabled_networks"].clone();
        // Turn the network off in both ways at once. The form that turns it on again needs no JavaScript.
        let off = json!({"enabled_networks": ["unity"]});
        assert_eq!(ada.send("PUT", "/api/settings/context", Some(off)).await.status, 200);
        let disable = ada.send("PATCH", &format!("/api/providers/{id}/enable"), Some(json!({"enabled": false}))).await;
        assert_eq!(disable.status, 200, "{}", disable.text);
        let page = ada.request("GET", "/settings/networks?enable=admob&return=/chat").header("accept", "text/html");
        let page = page.send().await.unwrap().text().await.unwrap();
        assert!(page.contains("action=\"/desk/turn-on-network\"") && page.contains("Enable AdMob"));
        let (status, place) = turn_on("/chat").await;
        assert_eq!(status, 302);
        assert!(place.starts_with("/chat"), "{place}");
        assert_eq!(provider(&ada, "admob").await["state"], "connected");
        assert_eq!(ticked().await, json!(["admob", "unity"]));
        // Doing it again changes nothing, and the answer leads to no other site.
        let (_, place) = turn_on("https://evil.example/").await;
        assert!(place.starts_with('/') && !place.starts_with("//"), "{place}");
        assert_eq!(ticked().await, json!(["admob", "unity"]));
        app.stop().await;
    }
}

#[tokio::test]
async fn accounts_of_one_sign_in_are_called_as_people_name_them() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let listed = ada.get("/api/providers").await.json();
    let admob = listed["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap().clone();
    let (id, account) = (admob["id"].as_str().unwrap(), admob["accounts"][0]["id"].as_str().unwrap());
    let name = async |name: &str| {
        let named = format!("names[{account}]");
        let form = [("id", id), ("accounts[0]", account), (named.as_str(), name)];
        ada.request("POST", "/desk/choose-accounts").form(&form).send().await.unwrap()
    };
    assert!(name("Games EU").await.status().is_success());
    let accounts = ada.get(&format!("/api/providers/{id}/accounts")).await;
    assert!(accounts.text.contains("Games EU"), "{}", accounts.text);
    let page = ada.request("GET", "/settings/networks").header("accept", "text/html").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("Games EU"), "the page lists it so");
    // A missing field changes nothing; an empty one restores the network's own name.
    let chosen = json!({"account_ids": [account]});
    assert_eq!(ada.send("PUT", &format!("/api/providers/{id}/accounts"), Some(chosen)).await.status, 200);
    assert!(ada.get(&format!("/api/providers/{id}/accounts")).await.text.contains("Games EU"));
    let long = "x".repeat(61);
    assert!(name(&long).await.status().is_client_error());
    assert!(name("").await.status().is_success());
    assert!(!ada.get(&format!("/api/providers/{id}/accounts")).await.text.contains("Games EU"));
    app.stop().await;
}
