//! Approvals as browsers post them without JavaScript: answered once, shown again with the typed text, and never somebody else's.

use serde_json::{Value, json};

use crate::harness::{Caller, EVIL, TestApp, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

/// The page after a posted form.
struct Shown {
    status: u16,
    /// The path and query.
    at: String,
    text: String,
}

async fn asked(caller: &Caller<'_>) -> Value {
    of(&caller.ask(json!({"message": CREATE})).await, "tool_approval_required").clone()
}

async fn post(caller: &Caller<'_>, approval: &Value, pairs: &[(&str, &str)]) -> Shown {
    let id = approval["approval_id"].as_str().unwrap();
    let mut form = vec![("approval_id", id)];
    form.extend_from_slice(pairs);
    let path = format!("/approvals?show=waiting&id={id}");
    let request = caller.request("POST", &path).header("accept", "text/html").form(&form);
    let answer = request.send().await.unwrap();
    let url = answer.url().clone();
    let at = format!("{}{}", url.path(), url.query().map(|query| format!("?{query}")).unwrap_or_default());
    Shown { status: answer.status().as_u16(), at, text: answer.text().await.unwrap() }
}

/// Waits until the run of an approval is over.
async fn over(caller: &Caller<'_>, approval: &Value) {
    let run = approval["run_id"].as_str().unwrap();
    let events = caller.request("GET", &format!("/api/runs/{run}/events?after={}", approval["seq"]));
    of(&caller.stream(events).await, "done");
}

async fn status_of(caller: &Caller<'_>, approval: &Value) -> Value {
    caller.get(&format!("/api/approvals/{}", approval["approval_id"].as_str().unwrap())).await.json()
}

#[tokio::test]
async fn a_card_is_answered_once_and_the_way_leads_back() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let card = asked(&ada).await;
        let status = status_of(&ada, &card).await;
        let chat = format!("/chat/{}", status["session_id"].as_str().unwrap());
        // The page offers the form, and every button carries its action.
        let page = ada.request("GET", &chat).header("accept", "text/html").send().await.unwrap().text().await.unwrap();
        for wanted in ["action=\"/approvals?show=waiting", "value=\"approve\"", "value=\"edit\"", "value=\"ask-why\""] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(page.contains(&format!("name=\"return\" value=\"{chat}\"")), "the way back");
        let pressed = post(&ada, &card, &[("act", "approve"), ("return", &chat)]).await;
        assert_eq!((pressed.status, pressed.at.as_str()), (200, chat.as_str()));
        // A second press counts as the same answer. A different answer comes too late, and the page says who was faster.
        let again = post(&ada, &card, &[("act", "approve"), ("return", &chat)]).await;
        assert_eq!(again.at, chat);
        let late = post(&ada, &card, &[("act", "deny"), ("return", &chat), ("reason", "no")]).await;
        assert!(late.at.starts_with("/approvals?"), "{}", late.at);
        assert!(late.text.contains("was approved by ada"), "{}", late.text);
        over(&ada, &card).await;
        assert_eq!(app.writes().await.len(), 1);

        let card = asked(&ada).await;
        let why = post(&ada, &card, &[("act", "ask-why"), ("return", &chat)]).await;
        assert!(why.text.contains("Deny this change"), "{}", why.text);
        let denied = post(&ada, &card, &[("act", "deny"), ("return", &chat), ("reason", "Not before Monday")]).await;
        assert_eq!(denied.at, chat);
        let status = status_of(&ada, &card).await;
        assert_eq!((&status["status"], &status["reason"]), (&json!("denied"), &json!("Not before Monday")));
        // A forged return address leads nowhere else.
        let card = asked(&ada).await;
        let away = post(&ada, &card, &[("act", "deny"), ("return", EVIL)]).await;
        assert!(away.at.starts_with("/approvals?"), "{}", away.at);
        assert_eq!(app.writes().await.len(), 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn what_was_typed_comes_back_with_its_error_until_it_is_right() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let card = asked(&ada).await;
    let open = post(&ada, &card, &[("act", "edit")]).await;
    assert!(open.text.contains("Edit this change"), "{}", open.text);
    assert!(open.text.contains("name=\"f:/body/displayName\""), "{}", open.text);
    let carried = card["tool_input"].to_string();
    let long = format!("{} <script>alert(1)</script>", "x".repeat(500));
    let wrong = [("act", "approve"), ("args", carried.as_str()), ("f:/body/displayName", long.as_str())];
    let again = post(&ada, &card, &wrong).await;
    assert!(again.text.contains("characters") && again.text.contains("Not sent"), "{}", again.text);
    assert!(again.text.contains(&"x".repeat(500)), "what was typed is there");
    assert!(!again.text.contains("<script>alert(1)"), "and nothing of it runs");
    // Add a line to a list without JavaScript, first with a wrong price, then with a correct one.
    let add = [("act", "add /body/mediationGroupLines/waterfall"), ("args", carried.as_str())];
    let sources = &card["ui_hints"]["options"]["ad_source"];
    let source = sources[0]["id"].as_str().unwrap();
    let with_line = [add[0], add[1], ("new:/body/mediationGroupLines/waterfall", source)];
    let shown = post(&ada, &card, &with_line).await;
    assert!(shown.text.contains("eCPM floor of"), "{}", shown.text);
    // Characters that change the reading direction are reported at their field too.
    let turned = [("act", "approve"), ("args", carried.as_str()), ("f:/body/displayName", "By hand \u{202e}gnp")];
    let again = post(&ada, &card, &turned).await;
    assert!(again.text.contains("U+202E"), "{}", again.text);
    let right = [("act", "approve"), ("args", carried.as_str()), ("f:/body/displayName", "By hand")];
    let done = post(&ada, &card, &right).await;
    assert!(done.text.contains("was approved by ada"), "{}", done.text);
    over(&ada, &card).await;
    let writes = app.writes().await;
    assert_eq!(writes.len(), 1);
    assert!(writes[0].to_string().contains("By hand"), "{writes:?}");
    app.stop().await;
}

#[tokio::test]
async fn somebody_elses_card_another_site_and_another_account_get_nowhere() {
    let app = TestApp::sqlite().await;
    let (ada, eve) = (app.explorer("ada").await, app.explorer("eve").await);
    let card = asked(&ada).await;
    for act in ["approve", "deny", "edit", "show"] {
        let shown = post(&eve, &card, &[("act", act)]).await;
        let leaks = shown.text.contains(card["title"].as_str().unwrap()) || shown.text.contains("Edit this change");
        assert!(shown.status < 500 && !leaks, "{act}: {}", shown.text);
    }
    let nobody = post(&app.caller(), &card, &[("act", "approve")]).await;
    assert!(nobody.at.starts_with("/sign-in"), "{}", nobody.at);
    let id = card["approval_id"].as_str().unwrap();
    let foreign =
        ada.request("POST", "/approvals").header("origin", EVIL).form(&[("approval_id", id), ("act", "approve")]);
    assert_eq!(foreign.send().await.unwrap().status(), 403);
    // The hidden field is checked like any other edit: another account, another connection, or a wrong type.
    let with = |pointer: &str, value: Value| {
        let mut args = card["tool_input"].clone();
        *args.pointer_mut(pointer).unwrap() = value;
        args.to_string()
    };
    let mut elsewhere = card["tool_input"].clone();
    elsewhere["connection"] = json!("019aa5c4-9a3e-7000-8000-00000000000a");
    for args in [with("/account_id", json!("pub-0000000000000000")), elsewhere.to_string(), "[]".repeat(3), "{}".into()]
    {
        let shown =
            post(&ada, &card, &[("act", "approve"), ("args", args.as_str()), ("f:/body/displayName", "Mine")]).await;
        assert!(shown.status < 500, "{}", shown.text);
        assert_eq!(status_of(&ada, &card).await["status"], "pending", "{args}: {}", shown.text);
    }
    for strange in [
        vec![],
        vec![("approval_id", "x")],
        vec![("approval_id", id), ("act", "approve ")],
        vec![("approval_id", id), ("act", "\u{0}")],
    ] {
        let shown = ada.request("POST", "/approvals").form(&strange).send().await.unwrap();
        assert!(shown.status().as_u16() < 500, "{strange:?}");
    }
    app.stop().await;
}

#[tokio::test]
async fn choices_follow_the_account_that_is_chosen() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let card = asked(&ada).await;
    let accounts = card["ui_hints"]["options"]["account"].as_array().unwrap();
    let own = card["tool_input"]["account_id"].as_str().unwrap();
    let other = accounts.iter().map(|it| it["id"].as_str().unwrap()).find(|id| *id != own).expect("a second account");
    let mut args = card["tool_input"].clone();
    args["account_id"] = json!(other);
    let body = json!({"id": card["approval_id"], "args": args});
    let found = ada.request("POST", "/desk/approval-choices").json(&body).send().await.unwrap();
    assert_eq!(found.status(), 200);
    let units = found.json::<Value>().await.unwrap()["ad_unit"].clone();
    let units = units.as_array().unwrap().clone();
    assert!(!units.is_empty() && units.iter().all(|unit| unit["parent"] == other), "{units:?}");
    // Without JavaScript, the page that comes back has them too.
    let carried = card["tool_input"].to_string();
    let shown = post(&ada, &card, &[("act", "show"), ("args", carried.as_str()), ("f:/account_id", other)]).await;
    assert!(shown.text.contains(units[0]["id"].as_str().unwrap()), "{}", shown.text);
    app.stop().await;
}
