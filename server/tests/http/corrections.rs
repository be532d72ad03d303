//! A message that gives the change of a waiting card another amount: the new draft takes the card's place.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

async fn pending(caller: &Caller<'_>) -> Vec<Value> {
    caller.get("/api/approvals?status=pending").await.json()["items"].as_array().cloned().unwrap()
}

#[tokio::test]
async fn a_corrected_card_makes_way_for_the_new_draft() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        for (wish, correction) in [
            ("Set Pangle in Android Banner Global to $0.55 in AdMob", "make it $0.60 instead"),
            ("Setz Pangle in Android Banner Global auf 0,55 $ in AdMob", "doch lieber 0,60 $"),
        ] {
            let events = ada.ask(json!({"message": wish})).await;
            let (chat, first) =
                (of(&events, "run_started")["session_id"].clone(), of(&events, "tool_approval_required"));
            let events = ada.ask(json!({"message": correction, "session_id": chat})).await;
            let second = of(&events, "tool_approval_required");
            assert!(second["tool_input"].to_string().contains("600000"), "{correction}: {second}");
            let waiting = pending(&ada).await;
            let [card] = waiting.as_slice() else { panic!("{correction}: {waiting:#?}") };
            assert_eq!(card["id"], second["approval_id"]);
            let old = ada.get(&format!("/api/approvals/{}", first["approval_id"].as_str().unwrap())).await.json();
            assert_eq!(old["status"], "cancelled", "{old}");
            // Another question leaves a waiting card alone.
            ada.ask(json!({"message": "What was my AdMob revenue yesterday?", "session_id": chat})).await;
            assert_eq!(pending(&ada).await.len(), 1);
            let answer = json!({"approval_id": second["approval_id"], "approved": false});
            assert_eq!(ada.post("/chat/approve-tool", answer).await.status, 200);
        }
        assert_eq!(app.writes().await.len(), 0);
        app.stop().await;
    }
}
