//! The server never guesses what a request means: it refuses unknown fields, a list instead of an object, a second workspace and
//! an unknown agent.

use serde_json::{Value, json};

use crate::harness::{TestApp, of};

const SOMETHING: &str = "019aa000-0000-7000-8000-0000000000aa";

#[tokio::test]
async fn every_body_is_an_object_without_fields_that_nobody_knows() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
    let mut asked = 0;
    for (template, operations) in app.document["paths"].as_object().unwrap() {
        let own = template.starts_with("/api/organizations/");
        let path = template.split('/').map(|part| match part {
            "{network}" => "applovin",
            "{id}" if own => &acme,
            part if part.starts_with('{') => SOMETHING,
            part => part,
        });
        let path = path.collect::<Vec<_>>().join("/");
        for (method, operation) in operations.as_object().unwrap() {
            if operation["requestBody"].is_null() {
                continue;
            }
            let send = async |body: Value| ada.send(&method.to_uppercase(), &path, Some(body)).await;
            // Ada's sign-in waits for no code, and the server checks the caller before the content.
            if path == "/api/auth/second-factor" {
                assert_eq!(send(json!({"no_such_field": 1})).await.status, 401);
                continue;
            }
            for list in [json!([]), json!(["x", true])] {
                let answer = send(list).await;
                assert_eq!(answer.status, 422, "{method} {path}: {}", answer.text);
                assert_eq!((answer.code().as_str(), answer.pointer().as_str()), ("validation_failed", ""));
            }
            let answer = send(json!({"no_such_field": 1})).await;
            assert_eq!(answer.status, 422, "{method} {path}: {}", answer.text);
            assert_eq!(answer.pointer(), "/no_such_field", "{method} {path}: {}", answer.text);
            asked += 1;
        }
    }
    assert!(asked > 35, "only {asked} operations take a body");
    assert_eq!(ada.get("/api/organizations").await.json()["items"].as_array().unwrap().len(), 1, "nothing was done");
}

#[tokio::test]
async fn a_misspelled_edit_approves_nothing() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    let events = ada.ask(json!({"message": wish})).await;
    let id = &of(&events, "tool_approval_required")["approval_id"];
    let body = json!({"approval_id": id, "approved": true, "edit_args": {"displayName": "EDITED"}});
    let answer = ada.post("/chat/approve-tool", body).await;
    assert_eq!((answer.status, answer.pointer().as_str()), (422, "/edit_args"), "{}", answer.text);
    assert!(app.writes().await.is_empty());
    assert_eq!(ada.get(&format!("/api/approvals/{}", id.as_str().unwrap())).await.json()["status"], "pending");
}

#[tokio::test]
async fn a_request_is_made_in_one_workspace() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let found = async |name: &str| ada.post("/api/organizations", json!({"name": name})).await.json()["id"].clone();
    let (acme, umbrella) = (found("Acme").await, found("Umbrella").await);
    let (acme, umbrella) = (acme.as_str().unwrap(), umbrella.as_str().unwrap());
    let twice = ada.get(&format!("/api/runs?workspace={acme}&workspace={umbrella}")).await;
    assert_eq!((twice.status, twice.pointer().as_str()), (422, "/workspace"), "{}", twice.text);
    let request = ada.request("GET", "/api/runs").header("x-organization-id", acme);
    let request = request.header("x-organization-id", umbrella);
    assert_eq!(ada.finish("GET", "/api/runs", request).await.status, 422);
    assert_eq!(ada.get(&format!("/api/runs?workspace={acme}&workspace={acme}")).await.status, 200);
}

#[tokio::test]
async fn the_agent_of_the_workspace_may_be_named_and_no_other() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    for agent in ["desk", "@desk", "Desk"] {
        let events = ada.ask(json!({"message": "What was my revenue yesterday?", "agent": agent})).await;
        assert_eq!(of(&events, "done")["status"], "completed", "{agent}");
    }
    for agent in ["reporter", "", "@"] {
        let refused = ada.post("/chat/stream", json!({"message": "x", "agent": agent})).await;
        assert_eq!((refused.status, refused.pointer().as_str()), (422, "/agent"), "{agent}");
        assert!(refused.text.contains("desk"), "it says which there is: {}", refused.text);
    }
}

#[tokio::test]
async fn an_organization_is_deleted_without_a_body_and_a_name_that_is_given_must_be_right() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for body in [None, Some(json!({"name": "Acme"}))] {
            let made = ada.post("/api/organizations", json!({"name": "Acme"})).await;
            let path = format!("/api/organizations/{}", made.json()["id"].as_str().unwrap());
            assert_eq!(ada.send("DELETE", &path, Some(json!({"name": "acme"}))).await.status, 422);
            assert_eq!(ada.send("DELETE", &path, body).await.status, 204);
            assert_eq!(ada.get(&path).await.status, 404);
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn an_account_that_is_deleted_twice_at_once_is_gone_and_nothing_broke() {
    for app in TestApp::both().await {
        for round in 0..4 {
            let ada = app.person(&format!("ada{round}")).await;
            let email = format!("ada{round}@example.com");
            let body = json!({"email": email, "password": crate::sign_in::PASSWORD});
            let delete = async || {
                let request = ada.request("POST", "/api/account/delete").json(&body);
                request.send().await.unwrap().status().as_u16()
            };
            let statuses = futures::future::join_all((0..3).map(|_| delete())).await;
            assert!(statuses.contains(&204), "{statuses:?}");
            assert!(statuses.iter().all(|status| matches!(status, 204 | 401)), "{statuses:?}");
        }
        app.stop().await;
    }
}
