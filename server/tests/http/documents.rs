//! Documents: over the API, on their pages without JavaScript, and in a chat, where a person approves each change and it is made
//! only once.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

async fn asked(caller: &Caller<'_>, session: &Value, message: &str) -> Vec<Value> {
    let mut asked = json!({"message": message});
    if session.is_string() {
        asked["session_id"] = session.clone();
    }
    caller.ask(asked).await
}

async fn told(caller: &Caller<'_>, session: &Value, message: &str) -> (String, Vec<Value>) {
    let events = asked(caller, session, message).await;
    (of(&events, "result")["content"].as_str().unwrap_or_default().to_owned(), events)
}

/// Approves the card of a message; returns the answer that follows and the card.
async fn approved(caller: &Caller<'_>, session: &Value, message: &str, title: &str) -> (String, Value) {
    let events = asked(caller, session, message).await;
    let card = of(&events, "tool_approval_required").clone();
    assert_eq!((&card["source"], &card["title"]), (&json!("native"), &json!(title)), "{message}");
    let body = json!({"approval_id": card["approval_id"], "approved": true});
    let after = caller.stream(caller.request("POST", "/chat/approve-tool").json(&body)).await;
    (of(&after, "result")["content"].as_str().unwrap_or_default().to_owned(), card)
}

async fn all(caller: &Caller<'_>, path: &str) -> Vec<Value> {
    caller.get(path).await.json()["items"].as_array().unwrap().clone()
}

fn titles(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["title"].as_str()).collect()
}

#[tokio::test]
async fn a_document_is_created_saved_found_deleted_and_restored() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let text = "The floor of the US is $9.\nAsk Tomi.";
        let made = ada
            .post("/api/documents", json!({"title": " US floors ", "folder": "floors/2026", "text": "a\r\nb"}))
            .await;
        assert_eq!(made.status, 201, "{}", made.text);
        let made = made.json();
        assert_eq!(
            (&made["title"], &made["folder"], &made["text"]),
            (&json!("US floors"), &json!("/floors/2026"), &json!("a\nb"))
        );
        assert_eq!((&made["by"], &made["version"], &made["written"]["by"]), (&json!("ada"), &json!(1), &json!("ada")));
        let path = format!("/api/documents/{}", made["id"].as_str().unwrap());
        for (wrong, pointer) in [
            (json!({"title": " "}), "/title"),
            (json!({"title": "x".repeat(201)}), "/title"),
            (json!({"title": "x", "folder": "a/../b"}), "/folder"),
            (json!({"title": "x", "text": "é".repeat(100_001)}), "/text"),
            (json!({"title": "x", "text": "a\u{7}"}), "/text"),
        ] {
            let refused = ada.post("/api/documents", wrong.clone()).await;
            assert_eq!((refused.status, refused.pointer().as_str()), (422, pointer), "{}", refused.text);
        }
        let save = |version: i64, text: &str| json!({"version": version, "document": {"title": "US floors", "folder": "/floors/2026", "text": text}});
        let saved = ada.send("PUT", &path, Some(save(1, text))).await;
        assert_eq!((saved.status, saved.json()["version"].clone()), (200, json!(2)), "{}", saved.text);
        let unchanged = ada.send("PUT", &path, Some(save(2, text))).await;
        assert_eq!(
            (unchanged.status, unchanged.json()["version"].clone()),
            (200, json!(2)),
            "nothing changed, no version"
        );
        let late = ada.send("PUT", &path, Some(save(1, "mine"))).await;
        assert_eq!((late.status, late.code().as_str()), (409, "conflict"), "{}", late.text);
        let detail = late.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.starts_with("ada saved version 2 while you were editing version 1. It changed 1 place, line 1 to “The floor of the US is $9.”"), "{detail}");
        let versions = all(&ada, &format!("{path}/versions")).await;
        assert_eq!((versions.len(), &versions[0]["number"], &versions[1]["text"]), (2, &json!(2), &Value::Null));
        assert_eq!(ada.get(&format!("{path}/versions/1")).await.json()["text"], "a\nb");
        assert_eq!(ada.get(&format!("{path}/versions/3")).await.status, 404);
        assert_eq!(ada.get(&format!("{path}/versions/x")).await.status, 404);
        let found = all(&ada, "/api/documents?query=FLOOR").await;
        assert_eq!(
            (titles(&found), &found[0]["snippet"]),
            (vec!["US floors"], &json!("The floor of the US is $9. Ask Tomi."))
        );
        assert!(all(&ada, "/api/documents?query=unity").await.is_empty());
        assert_eq!(titles(&all(&ada, "/api/documents?folder=/floors").await), ["US floors"]);
        assert!(all(&ada, "/api/documents?folder=/bids").await.is_empty());
        let bob = app.person("bob").await;
        assert_eq!(bob.get(&path).await.status, 404);
        assert!(all(&bob, "/api/documents?query=floor").await.is_empty());
        assert_eq!(ada.send("DELETE", &path, None).await.status, 204);
        assert_eq!(ada.send("DELETE", &path, None).await.status, 404);
        assert!(
            all(&ada, "/api/documents").await.is_empty() && all(&ada, "/api/documents?query=floor").await.is_empty()
        );
        assert!(ada.get(&path).await.json()["trashed_at"].is_string());
        assert_eq!(ada.send("PUT", &path, Some(save(2, "x"))).await.status, 409, "it is in the trash");
        assert_eq!(titles(&all(&ada, "/api/documents?trash=true").await), ["US floors"]);
        assert_eq!(ada.post(&format!("{path}/restore"), json!({})).await.json()["trashed_at"], Value::Null);
        assert_eq!(titles(&all(&ada, "/api/documents").await), ["US floors"]);
        app.stop().await;
    }
}

#[tokio::test]
async fn in_a_chat_an_answer_is_saved_found_opened_added_to_and_put_back() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (none, events) = told(&ada, &Value::Null, "What does eCPM mean?").await;
        assert!(!none.is_empty());
        let session = of(&events, "run_started")["session_id"].clone();
        let (said, card) =
            approved(&ada, &session, "save this as a document in /words", "Create the document “What does eCPM mean”")
                .await;
        assert!(said.starts_with("I saved [What does eCPM mean](/library/documents/"), "{said}");
        let kept = all(&ada, "/api/documents").await;
        assert_eq!((kept[0]["folder"].as_str(), &kept[0]["written"]["run"]), (Some("/words"), &card["run_id"]));
        let id = kept[0]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/documents/{id}");
        assert_eq!(ada.get(&path).await.json()["text"], none.trim(), "the whole answer");

        let (found, events) = told(&ada, &Value::Null, "What do we have on eCPM?").await;
        assert!(found.starts_with("1 document has “eCPM”:\n\n- [What does eCPM mean](/library/documents/"), "{found}");
        assert_eq!(of(&events, "result")["artifacts"][0]["title"], "Documents");
        let (nothing, _) = told(&ada, &Value::Null, "search our documents for payouts").await;
        assert!(nothing.starts_with("I found no document with “payouts”."), "{nothing}");
        let (opened, _) = told(&ada, &Value::Null, "open the document what does eCPM mean").await;
        assert!(opened.contains("version 1, written by ada:\n\n> "), "{opened}");
        let (unknown, _) = told(&ada, &Value::Null, "open the document payouts").await;
        assert!(unknown.starts_with("I found no document called “payouts”. The newest are [What"), "{unknown}");

        let message = "add to the document What does eCPM mean: - one\n- two";
        let (said, card) = approved(&ada, &Value::Null, message, "Add to the document “What does eCPM mean”").await;
        assert!(said.contains("It is version 2, written by ada now."), "{said}");
        assert_eq!(card["preview"]["changes"][0]["after"], "- one\n- two");
        assert_eq!(ada.get(&path).await.json()["text"], format!("{}\n\n- one\n- two", none.trim()));
        // It can be undone like any change.
        let undone =
            ada.post(&format!("/api/approvals/{}/undo", card["approval_id"].as_str().unwrap()), json!({})).await;
        assert!(undone.status < 300, "{}", undone.text);

        let (said, _) = approved(
            &ada,
            &Value::Null,
            "delete the document What does eCPM mean",
            "Delete the document “What does eCPM mean”",
        )
        .await;
        assert!(said.starts_with("I moved the document to the [trash]"), "{said}");
        assert_eq!(titles(&all(&ada, "/api/documents?trash=true").await), ["What does eCPM mean"]);
        assert!(app.writes().await.is_empty(), "no network was asked");
        app.stop().await;
    }
}

/// An agent that may only read documents says what to turn on. A grant that was revoked in the meantime does not count either. A
/// document names the agent that wrote it.
#[tokio::test]
async fn an_agent_writes_documents_only_where_it_was_granted_that() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let helper =
            |may: Value| json!({"handle": "helper", "name": "Helper", "grants": [{"on": "native", "may": may}]});
        let agent = ada.post("/api/agents", helper(json!(["list", "read"]))).await.json();
        let (said, _) = told(&ada, &Value::Null, "@helper show our documents").await;
        assert!(said.starts_with("There are no documents."), "{said}");
        let create = "@helper create a document called Ideas: Bidding first.";
        let (refused, _) = told(&ada, &Value::Null, create).await;
        assert!(refused.contains("turn on Create for ADAgentAI"), "{refused}");
        let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
        let update = json!({"version": 1, "agent": helper(json!(["list", "read", "create"]))});
        assert_eq!(ada.send("PUT", &path, Some(update)).await.status, 200);
        approved(&ada, &Value::Null, create, "Create the document “Ideas”").await;
        let kept = all(&ada, "/api/documents").await;
        assert_eq!((titles(&kept), &kept[0]["written"]["agent"]), (vec!["Ideas"], &json!("helper")));
        let events = asked(&ada, &Value::Null, "@helper create a document called Late: x").await;
        let card = of(&events, "tool_approval_required").clone();
        let update = json!({"version": 2, "agent": helper(json!(["list"]))});
        assert_eq!(ada.send("PUT", &path, Some(update)).await.status, 200);
        let body = json!({"approval_id": card["approval_id"], "approved": true});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(titles(&all(&ada, "/api/documents").await), ["Ideas"], "what was taken away counts at once");
        app.stop().await;
    }
}

/// A change that names an old version is refused, and the answer shows the newest text. An approved change writes nothing if the
/// document changed in the meantime.
#[tokio::test]
async fn over_the_tools_protocol_a_replaced_text_names_its_version() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let made = ada.post("/api/documents", json!({"title": "Floors", "text": "US is $9."})).await.json();
    let path = format!("/api/documents/{}", made["id"].as_str().unwrap());
    let document = json!({"title": "Floors", "text": "US is $14."});
    assert_eq!(ada.send("PUT", &path, Some(json!({"version": 1, "document": document}))).await.status, 200);
    let token =
        ada.post("/api/tokens", json!({"name": "mcp", "scopes": ["mcp"], "password": "correct horse"})).await.json();
    let client = crate::mcp::Client::new(&app, token["token"].as_str().unwrap());
    let read = client.call("adagent_read_document", json!({"id": made["id"]})).await;
    assert!(read.to_string().contains("US is $14."), "{read}");
    let late = client
        .call("adagent_update_document", json!({"id": made["id"], "text": "Mine.", "version": 1}))
        .await
        .to_string();
    assert!(late.contains("ada wrote version 2 since version 1.") && late.contains("US is $14."), "{late}");
    // The document changes after the card was drawn, so the approval writes nothing.
    let waiting = client
        .call("adagent_update_document", json!({"id": made["id"], "text": "Mine.", "version": 2}))
        .await
        .to_string();
    assert!(waiting.contains("approval"), "{waiting}");
    let card = ada.get("/api/approvals").await.json()["items"][0].clone();
    assert_eq!(card["title"], "Change the document “Floors”", "{card}");
    let document = json!({"title": "Floors", "text": "US is $20."});
    assert_eq!(ada.send("PUT", &path, Some(json!({"version": 2, "document": document}))).await.status, 200);
    let body = json!({"approval_id": card["id"], "approved": true});
    ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    assert_eq!(ada.get(&path).await.json()["text"], "US is $20.");
    app.stop().await;
}
