//! Native tools: the same in a chat and over MCP, approved and stored like a network's changes.

use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    mcp::{Client, words},
    tokens::token,
};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

/// Returns the answer in a chat.
async fn said(caller: &Caller<'_>, session: &Value, message: &str) -> (String, Vec<Value>) {
    let events = caller.ask(json!({"message": message, "session_id": session})).await;
    (of(&events, "result")["content"].as_str().unwrap().to_owned(), events)
}

#[tokio::test]
async fn in_a_chat_changes_are_listed_and_a_question_is_saved_after_a_yes() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let first = ada.ask(json!({"message": "Revenue by app, last 7 days"})).await;
        let session = of(&first, "run_started")["session_id"].clone();
        let (none, events) = said(&ada, &session, "what did I change today?").await;
        assert!(none.starts_with("No change was drafted in your chats today."), "{none}");
        assert_eq!(of(&events, "tool")["source"], "native");

        let asked = ada.ask(json!({"message": CREATE})).await;
        let asked = of(&asked, "tool_approval_required").clone();
        let (waiting, events) = said(&ada, &session, "What is waiting for my approval?").await;
        assert!(waiting.starts_with("1 change: 1 waiting for approval."), "{waiting}");
        let table = &of(&events, "result")["artifacts"][0];
        assert_eq!(
            (&table["title"], &table["rows"][0][4]["value"]),
            (&json!("Changes"), &json!("Waiting for approval"))
        );
        let body = json!({"approval_id": asked["approval_id"], "approved": true});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        let (made, _) = said(&ada, &session, "what did I change today?").await;
        assert!(made.starts_with("1 change today: 1 made."), "{made}");

        // "This question" means the previous question, and nothing is saved without approval.
        let (_, _) = said(&ada, &session, "Revenue by country yesterday").await;
        let wish = json!({"message": "save this question and pin it to home", "session_id": session});
        let card = ada.ask(wish.clone()).await;
        let card = of(&card, "tool_approval_required");
        assert_eq!(
            (&card["source"], &card["title"]),
            (&json!("native"), &json!("Save the question “Revenue by country yesterday”"))
        );
        assert_eq!(card["tool_input"], json!({"question": "Revenue by country yesterday", "pinned": true}));
        let body = json!({"approval_id": card["approval_id"], "approved": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        let told = of(&after, "result")["content"].as_str().unwrap();
        assert!(told.starts_with("I saved “Revenue by country yesterday”."), "{told}");
        let (listed, _) = said(&ada, &session, "show my saved questions").await;
        assert!(listed.contains("- Revenue by country yesterday, on Home"), "{listed}");
        assert_eq!(app.writes().await.len(), 1, "the network heard of the group alone");
        // It can be undone like any change.
        let id = card["approval_id"].as_str().unwrap();
        let undone = ada.post(&format!("/api/approvals/{id}/undo"), json!({})).await;
        assert!(undone.status < 300, "{} {}", undone.status, undone.json());
        app.stop().await;
    }
}

#[tokio::test]
async fn a_native_tool_is_read_at_once_and_its_change_waits_for_a_person_and_is_made_once() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (_, secret) = token(&ada, &["mcp"]).await;
        let client = Client::new(&app, &secret);
        // Clients cannot call it by its internal name.
        assert_eq!(client.call("save_question", json!({"question": "x"})).await["error"]["code"], -32602);
        let question = json!({"question": "Revenue yesterday by app?", "pinned": true});
        let told = client.call("adagent_save_question", question.clone()).await["result"]["structuredContent"].clone();
        assert_eq!(told["status"], "awaiting_approval", "{told}");
        let approval = &told["approvals"][0];
        assert_eq!((&approval["source"], &approval["network"]), (&json!("native"), &Value::Null));
        assert_eq!(approval["title"], "Save the question “Revenue yesterday by app”");
        let saved = async || {
            let listed = client.call("adagent_list_saved_questions", json!({})).await;
            listed["result"]["structuredContent"]["items"].as_array().cloned().unwrap_or_default()
        };
        assert!(saved().await.is_empty());
        let body = json!({"approval_id": approval["approval_id"], "approved": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
        assert_eq!(saved().await.len(), 1);
        assert!(app.writes().await.is_empty(), "no network was asked");
        let said = words(&client, json!({"run_id": told["run_id"]})).await;
        assert!(said.contains("saved “Revenue yesterday by app”"), "{said}");
        // The list of changes says who approved it.
        let changes = client.call("adagent_list_changes", json!({"outcome": "made"})).await;
        let changes = &changes["result"]["structuredContent"];
        assert_eq!((&changes["count"], &changes["items"][0]["source"]), (&json!(1), &json!("native")), "{changes}");
        assert_eq!(changes["items"][0]["answered_by"], "ada");
        // A repeat is refused with the reason, and nobody is asked.
        let again = client.call("adagent_save_question", question).await["result"].clone();
        assert_eq!(again["isError"], true, "{again}");
        app.stop().await;
    }
}
