//! To-dos: over the API, and in a chat, where a person approves each change and it is made only once.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

async fn told(caller: &Caller<'_>, session: &Value, message: &str) -> (String, Vec<Value>) {
    let mut asked = json!({"message": message});
    if session.is_string() {
        asked["session_id"] = session.clone();
    }
    let events = caller.ask(asked).await;
    (of(&events, "result")["content"].as_str().unwrap_or_default().to_owned(), events)
}

/// Approves the card of a message; returns the answer that follows and the card.
async fn approved(caller: &Caller<'_>, message: &str, title: &str) -> (String, Value) {
    let events = caller.ask(json!({"message": message})).await;
    let card = of(&events, "tool_approval_required").clone();
    assert_eq!((&card["source"], &card["title"]), (&json!("native"), &json!(title)), "{message}");
    let body = json!({"approval_id": card["approval_id"], "approved": true});
    let after = caller.stream(caller.request("POST", "/chat/approve-tool").json(&body)).await;
    (of(&after, "result")["content"].as_str().unwrap_or_default().to_owned(), card)
}

async fn open(caller: &Caller<'_>) -> Vec<Value> {
    caller.get("/api/todos").await.json()["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_to_do_is_added_changed_ticked_off_and_deleted() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let made = ada.post("/api/todos", json!({"text": " Check floors ", "due": "2026-11-27"})).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let made = made.json();
        assert_eq!(
            (&made["text"], &made["due"], &made["done"]),
            (&json!("Check floors"), &json!("2026-11-27"), &json!(false))
        );
        assert_eq!((&made["by"], &made["version"], &made["assignee"]), (&json!("ada"), &json!(1), &Value::Null));
        let path = format!("/api/todos/{}", made["id"].as_str().unwrap());
        let me = ada.get("/api/me").await.json()["user"]["id"].clone();
        for (wrong, pointer) in [
            (json!({"text": " "}), "/text"),
            (json!({"text": "x", "due": "2026-02-30"}), "/due"),
            (json!({"text": "x", "assignee": "019aa000-0000-7000-8000-0000000000aa"}), "/assignee"),
            (json!({"text": "x".repeat(501)}), "/text"),
        ] {
            let refused = ada.post("/api/todos", wrong.clone()).await;
            assert_eq!((refused.status, refused.pointer().as_str()), (422, pointer), "{wrong}: {}", refused.text);
        }
        let todo = json!({"text": "Check all floors", "assignee": me, "done": true});
        let changed = ada.send("PUT", &path, Some(json!({"version": 1, "todo": todo}))).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let changed = changed.json();
        assert_eq!((&changed["mine"], &changed["done"], &changed["due"]), (&json!(true), &json!(true), &Value::Null));
        let late = ada.send("PUT", &path, Some(json!({"version": 1, "todo": todo}))).await;
        assert_eq!((late.status, late.code().as_str()), (409, "conflict"), "{}", late.text);
        assert!(open(&ada).await.is_empty());
        let done = ada.get("/api/todos?done=true").await.json();
        assert_eq!(done["items"][0]["id"], made["id"]);
        let bob = app.person("bob").await;
        assert_eq!(bob.get(&path).await.status, 404);
        assert_eq!(ada.send("DELETE", &path, None).await.status, 204);
        assert_eq!(ada.get(&path).await.status, 404);
        app.stop().await;
    }
}

#[tokio::test]
async fn in_a_chat_to_dos_are_added_told_ticked_off_and_put_back() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (none, _) = told(&ada, &Value::Null, "what is open this week?").await;
        assert!(none.starts_with("There are no open to-dos due this week."), "{none}");
        // No network is connected, but a to-do may name any network.
        let title = "Add the to-do “Check AppLovin floors”";
        let (said, card) = approved(&ada, "remind me to check AppLovin floors today", title).await;
        assert!(said.starts_with("I added “Check AppLovin floors”, due "), "{said}");
        let all = open(&ada).await;
        assert_eq!((all.len(), &all[0]["mine"], &all[0]["text"]), (1, &json!(true), &json!("Check AppLovin floors")));
        assert_eq!(all[0]["run"], card["run_id"], "it leads to the run that made it");
        assert_eq!(ada.post("/api/todos", json!({"text": "Call Google"})).await.status, 201);
        let (listed, events) = told(&ada, &Value::Null, "what is open this week?").await;
        assert!(listed.starts_with("1 open to-do due this week:\n\n- Check AppLovin floors, due "), "{listed}");
        assert!(listed.contains("1 more has no due date."), "{listed}");
        assert_eq!(of(&events, "result")["artifacts"][0]["title"], "To-dos");
        let (unknown, _) = told(&ada, &Value::Null, "mark Unity floors as done").await;
        assert!(unknown.starts_with("I found no open to-do with “Unity floors”. I changed nothing."), "{unknown}");
        let title = "Mark the to-do “Check AppLovin floors” as done";
        let (said, card) = approved(&ada, "mark check floors as done", title).await;
        assert!(said.starts_with("“Check AppLovin floors” is done."), "{said}");
        assert_eq!(open(&ada).await.len(), 1);
        // It can be undone like any change.
        let undone =
            ada.post(&format!("/api/approvals/{}/undo", card["approval_id"].as_str().unwrap()), json!({})).await;
        assert!(undone.status < 300, "{}", undone.text);
        let (said, _) = approved(&ada, "delete the to-do Call Google", "Delete the to-do “Call Google”").await;
        assert!(said.starts_with("I deleted the to-do."), "{said}");
        assert!(app.writes().await.is_empty(), "no network was asked");
        app.stop().await;
    }
}

/// An agent that may only read to-dos says what to turn on. A grant that was revoked in the meantime does not count either.
#[tokio::test]
async fn an_agent_changes_to_dos_only_where_it_was_granted_that() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let helper =
            |may: Value| json!({"handle": "helper", "name": "Helper", "grants": [{"on": "native", "may": may}]});
        let agent = ada.post("/api/agents", helper(json!(["list"]))).await.json();
        let (said, _) = told(&ada, &Value::Null, "@helper show my to-dos").await;
        assert!(said.starts_with("There are no open to-dos."), "{said}");
        let (refused, _) = told(&ada, &Value::Null, "@helper remind me to check floors").await;
        assert!(refused.contains("turn on Create for ADAgentAI"), "{refused}");
        let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
        let update = json!({"version": 1, "agent": helper(json!(["list", "create"]))});
        assert_eq!(ada.send("PUT", &path, Some(update)).await.status, 200);
        let events = ada.ask(json!({"message": "@helper remind me to check floors"})).await;
        let card = of(&events, "tool_approval_required").clone();
        let update = json!({"version": 2, "agent": helper(json!(["list"]))});
        assert_eq!(ada.send("PUT", &path, Some(update)).await.status, 200);
        let body = json!({"approval_id": card["approval_id"], "approved": true});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert!(open(&ada).await.is_empty(), "what was taken away counts at once");
        app.stop().await;
    }
}
