//! What the context settings allow, in chats and for programs: each setting against each attempt.

use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    mcp::Client,
    tokens::token,
};

const WISH: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const ASKED: &str = "What was my revenue yesterday?";

async fn set(caller: &Caller<'_>, settings: &Value) -> Value {
    let answer = caller.send("PUT", "/api/settings/context", Some(settings.clone())).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn id_of(caller: &Caller<'_>, what: &str, name: &str, platform: Option<&str>) -> String {
    let list = caller.get("/api/providers").await.json();
    let admob = list["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap();
    let path = format!("/api/providers/{}/{what}?limit=100", admob["id"].as_str().unwrap());
    let items = caller.get(&path).await.json()["items"].clone();
    let fits = |item: &&Value| item["name"] == name && platform.is_none_or(|platform| item["platform"] == platform);
    items.as_array().unwrap().iter().find(fits).unwrap_or_else(|| panic!("no {name} in {items}"))["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Returns the answer's text, or "APPROVAL" with the title of the card.
async fn said(caller: &Caller<'_>, message: &str) -> String {
    let events = caller.ask(json!({"message": message})).await;
    let last = events.last().unwrap();
    if last["type"] == "tool_approval_required" {
        let denied = json!({"approval_id": last["approval_id"], "approved": false});
        caller.stream(caller.request("POST", "/chat/approve-tool").json(&denied)).await;
        return format!("APPROVAL {}", last["title"]);
    }
    of(&events, "result")["content"].as_str().unwrap().to_owned()
}

/// Returns whether a program sees the reading and the changing tool, and what reading returns.
async fn seen_by_programs(app: &TestApp, secret: &str) -> (bool, bool, String) {
    let client = Client::new(app, secret);
    let tools = client.tools().await;
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    let read = client.call("admob_list_accounts", json!({})).await;
    (has("admob_list_accounts"), has("admob_create_mediation_group"), read.to_string())
}

#[tokio::test]
async fn each_setting_changes_what_a_conversation_and_a_program_can_do() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let (_, secret) = token(&ada, &["mcp"]).await;
    let puzzle = id_of(&ada, "apps", "Puzzle Game", Some("android")).await;
    // Each case holds the settings; what the answers to a report and to a change contain; whether programs see the reading and
    // the changing tool; and whether a program's read succeeds.
    let cases = [
        (json!({}), "$", "APPROVAL", (true, true), true),
        (json!({"safe_mode": true}), "$", "safe mode", (true, false), true),
        (json!({"enabled_networks": []}), "turned off", "turned off", (false, false), false),
        (json!({"mode": "strict", "enabled_apps": {"admob": [puzzle]}}), "$", "APPROVAL", (true, true), true),
        (json!({"mode": "strict", "enabled_apps": {"admob": []}}), "Selected only", "select", (true, true), true),
        (json!({"mode": "strict", "enabled_accounts": {"admob": []}}), "", "select", (true, true), true),
        (json!({"enabled_apps": {"unity": []}, "mode": "strict"}), "$", "APPROVAL", (true, true), true),
    ];
    for (settings, report, wish, (reads, writes), lists) in cases {
        set(&ada, &settings).await;
        let answer = said(&ada, ASKED).await;
        assert!(answer.contains(report), "{settings}: {answer}");
        let answer = said(&ada, WISH).await;
        assert!(answer.to_lowercase().contains(&wish.to_lowercase()), "{settings}: {answer}");
        let (may_read, may_write, read) = seen_by_programs(&app, &secret).await;
        assert_eq!((may_read, may_write), (reads, writes), "{settings}");
        assert_eq!(!read.contains("\"error\":"), lists, "{settings}: {read}");
    }
    assert!(app.writes().await.is_empty());
}

#[tokio::test]
async fn in_strict_mode_what_is_named_and_not_selected_is_explained() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let puzzle = id_of(&ada, "apps", "Puzzle Game", Some("android")).await;
    let mut settings = json!({"mode": "strict", "enabled_apps": {"admob": [puzzle]}});
    set(&ada, &settings).await;
    let list = ada.get("/api/providers").await.json();
    let admob = list["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap().clone();
    let apps = ada.get(&format!("/api/providers/{}/apps?limit=100", admob["id"].as_str().unwrap())).await.json();
    let other = apps["items"].as_array().unwrap().iter().find(|app| app["name"] != "Puzzle Game").unwrap().clone();
    let question = format!("Revenue of {} last 7 days", other["name"].as_str().unwrap());
    let answer = said(&ada, &question).await;
    assert!(answer.contains("in your current selection (Selected only)"), "{answer}");
    assert!(answer.contains(other["name"].as_str().unwrap()), "{answer}");
    // In the flexible scope, the same selection is only a preference.
    settings["mode"] = json!("soft");
    set(&ada, &settings).await;
    let answer = said(&ada, &question).await;
    assert!(!answer.contains("outside"), "{answer}");
}

#[tokio::test]
async fn soft_mode_prefers_the_selected_account_and_takes_another_when_it_is_named() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let list = ada.get("/api/providers").await.json();
    let admob = list["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap().clone();
    let accounts = admob["accounts"].as_array().unwrap().clone();
    assert!(accounts.len() > 1, "{accounts:?}");
    let (first, second) = (&accounts[0], &accounts[1]);
    for (mode, named) in [("soft", true), ("strict", false)] {
        set(&ada, &json!({"mode": mode, "enabled_accounts": {"admob": [first["id"]]}})).await;
        let events = ada.ask(json!({"message": ASKED})).await;
        let asked: Vec<&Value> = events.iter().filter(|event| event["type"] == "tool").collect();
        assert!(!asked.is_empty() && asked.iter().all(|call| call["params"]["account_id"] == first["id"]), "{asked:?}");
        let question = format!("Revenue of {} yesterday", second["name"].as_str().unwrap());
        let events = ada.ask(json!({"message": question})).await;
        let asked = events.iter().any(|event| event["type"] == "tool" && event["params"]["account_id"] == second["id"]);
        assert_eq!(asked, named, "{mode}: {events:#?}");
        if !named {
            let told = of(&events, "result")["content"].as_str().unwrap();
            assert!(told.contains("in your current selection"), "{told}");
        }
    }
}

#[tokio::test]
async fn what_was_approved_is_not_sent_once_safe_mode_is_on_and_the_record_says_so() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let events = ada.ask(json!({"message": WISH})).await;
        assert_eq!(events[0]["settings"]["safe_mode"], false, "{events:#?}");
        let asked = of(&events, "tool_approval_required").clone();
        set(&ada, &json!({"safe_mode": true})).await;
        let body = json!({"approval_id": asked["approval_id"], "approved": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        let denied = of(&after, "tool_denied");
        assert_eq!(denied["reason"], "Safe mode is on: no changes, not even after approval.", "{after:#?}");
        let now = after.iter().find(|event| event["label"].as_str().is_some_and(|text| text.contains("safe mode")));
        assert!(now.is_some_and(
            |event| event["label"] == "Context settings now: flexible scope · safe mode · concise answers"
        ));
        assert!(app.writes().await.is_empty());
        // Other people have their own settings.
        let bob = app.explorer("bob").await;
        assert_eq!(bob.get("/api/settings/context").await.json()["safe_mode"], false);
        assert!(said(&bob, WISH).await.starts_with("APPROVAL"));
        app.stop().await;
    }
}

#[tokio::test]
async fn apps_are_selected_per_network_and_the_list_of_before_is_still_taken() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for apps in [json!(["a", "b"]), json!({"admob": ["a"], "unity": []}), json!({}), Value::Null] {
            let kept = set(&ada, &json!({"enabled_apps": apps})).await;
            assert_eq!(kept["enabled_apps"], apps);
            assert_eq!(ada.get("/api/settings/context").await.json()["enabled_apps"], apps);
        }
        for (apps, pointer) in [
            (json!("a"), "/enabled_apps"),
            (json!([1]), "/enabled_apps/0"),
            (json!({"admob": [7]}), "/enabled_apps/admob/0"),
            (json!({"admob": ["a\u{0}"]}), "/enabled_apps/admob/0"),
            (json!({"facebook": []}), "/enabled_apps"),
        ] {
            let answer = ada.send("PUT", "/api/settings/context", Some(json!({"enabled_apps": apps}))).await;
            assert_eq!(answer.status, 422, "{apps}: {}", answer.text);
            assert!(answer.pointer().starts_with(pointer), "{apps}: {}", answer.text);
        }
        app.stop().await;
    }
}
