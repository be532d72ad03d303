//! Agents that are asked by others: programs are led to their cards, readers of a shared chat see who was asked, and what an agent changed
//! can be undone.

use std::time::Duration;

use adagent_domain::Role;
use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    matrix::database,
    mcp::{Client, connected},
};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const TWO: &str = "set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50 and raise the floor of Level \
                   Complete Interstitial for Puzzle Game Android on InMobi to $9.00";
const TURN_OFF: &str = "Turn off AppLovin in the Puzzle Game banner mediation group";

fn keeper() -> Value {
    let may = ["read", "list", "create", "update", "delete"];
    let grants = [json!({"on": "admob", "may": may}), json!({"on": "native", "may": may})];
    json!({"handle": "keeper", "name": "Keeper", "grants": grants})
}

async fn with_keeper(caller: &Caller<'_>) {
    let made = caller.post("/api/agents", keeper()).await;
    assert_eq!(made.status, 201, "{}", made.text);
}

/// Returns the run of the agent that was asked, from the events of the run that asks.
fn asked(events: &[Value]) -> String {
    of(events, "delegated")["task_run_id"].as_str().unwrap().to_owned()
}

async fn events(caller: &Caller<'_>, run: &str) -> Vec<Value> {
    caller.stream(caller.request("GET", &format!("/api/runs/{run}/events"))).await
}

/// Asks the keeper, and returns the run that asks, its chat, and the card of the keeper.
async fn card(caller: &Caller<'_>, wish: &str, chat: Option<&Value>) -> (Value, Value, Value) {
    let mut body = json!({"message": format!("Ask @keeper to {wish}")});
    if let Some(chat) = chat {
        body["session_id"] = chat.clone();
    }
    let own = caller.ask(body).await;
    let card = of(&events(caller, &asked(&own)).await, "tool_approval_required").clone();
    let began = of(&own, "run_started");
    (began["run_id"].clone(), began["session_id"].clone(), card)
}

async fn approve(caller: &Caller<'_>, card: &Value) {
    let body = json!({"approval_id": card["approval_id"], "approved": true});
    let after = caller.stream(caller.request("POST", "/chat/approve-tool").json(&body)).await;
    assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
}

/// Returns a run once it has this status.
async fn until(caller: &Caller<'_>, run: &Value, status: &str) -> Value {
    let path = format!("/api/runs/{}", run.as_str().unwrap());
    let found = async {
        loop {
            let run = caller.get(&path).await.json();
            if run["status"] == status {
                return run;
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), found).await.unwrap_or_else(|_| panic!("never {status}"))
}

#[tokio::test]
async fn a_program_is_led_to_the_card_of_an_agent_that_was_asked() {
    for app in TestApp::both().await {
        let (ada, client) = connected(&app).await;
        with_keeper(&ada).await;
        let question = json!({"question": format!("Ask @keeper to {CREATE}")});
        let waits = client.call("adagent_ask", question.clone()).await["result"]["structuredContent"].clone();
        assert_eq!(waits["status"], "awaiting_approval", "{waits}");
        let approval = &waits["approvals"][0];
        assert_eq!((&approval["tool"], approval["status"].as_str()), (&json!(crate::mcp::GROUP), Some("pending")));
        let id = approval["approval_id"].as_str().unwrap();

        // As a task, the same card is an input request with its own key.
        let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"url": {}}});
        let other = json!({"question": format!("Ask @keeper to {}", CREATE.replace("banner", "interstitial"))});
        let params = json!({"name": "adagent_ask", "arguments": other});
        let made = client.request("tools/call", params, tasks.clone()).await["result"].clone();
        assert_eq!(made["resultType"], "task", "{made}");
        let run = made["taskId"].clone();
        until(&ada, &run, "awaiting_approval").await;
        let get = async |client: &Client<'_>| {
            client.request("tasks/get", json!({"taskId": run}), tasks.clone()).await["result"].clone()
        };
        let waits = get(&client).await;
        assert_eq!(waits["status"], "input_required", "{waits}");
        let keys: Vec<&String> = waits["inputRequests"].as_object().unwrap().keys().collect();
        let below = events(&ada, &asked(&events(&ada, run.as_str().unwrap()).await)).await;
        let card = of(&below, "tool_approval_required").clone();
        assert_eq!(keys, [&format!("approval-{}", card["approval_id"].as_str().unwrap())]);
        assert_ne!(card["approval_id"], id);
        approve(&ada, &card).await;
        until(&ada, &run, "completed").await;
        assert_eq!(get(&client).await["status"], "completed");
        assert_eq!(app.writes().await.len(), 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn readers_of_a_shared_chat_see_which_agents_were_asked_and_none_of_their_steps() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.explorer("ada").await, app.person("bob").await);
        let acme = database::organization(&app, "Acme", &[("ada", Role::Owner), ("bob", Role::Member)]).await;
        let there = |caller: &Caller<'_>, method: &str, path: &str| {
            caller.request(method, path).header("x-organization-id", &acme)
        };
        let made = there(&ada, "POST", "/api/agents").json(&keeper()).send().await.unwrap();
        assert_eq!(made.status(), 201);
        let message = json!({"message": "Ask @keeper what did you do today?"});
        let own = ada.stream(there(&ada, "POST", "/chat/stream").json(&message)).await;
        assert_eq!(of(&own, "done")["status"], "completed", "{own:#?}");
        let (chat, below) = (of(&own, "run_started")["session_id"].as_str().unwrap(), asked(&own));
        let share = there(&ada, "PATCH", &format!("/api/chat/sessions/{chat}")).json(&json!({"shared": true}));
        assert_eq!(share.send().await.unwrap().status(), 200);

        let messages = format!("/api/chat/sessions/{chat}/messages");
        let read: Value = there(&bob, "GET", &messages).send().await.unwrap().json().await.unwrap();
        let items = read["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "what an agent was asked is no message: {read}");
        let shown = items[0].to_string();
        assert!(shown.contains("\"handle\":\"keeper\"") && shown.contains("@keeper answers"), "{shown}");
        assert!(!shown.contains("list_journal"), "a step of the agent: {shown}");
        // The agent's own run is its person's.
        for path in [format!("/api/runs/{below}"), format!("/api/runs/{below}/events")] {
            assert_eq!(there(&bob, "GET", &path).send().await.unwrap().status(), 404, "{path}");
            assert_eq!(there(&ada, "GET", &path).send().await.unwrap().status(), 200, "{path}");
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn what_an_agent_changed_is_undone_in_words_and_on_its_card() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        with_keeper(&ada).await;
        let (run, chat, created) = card(&ada, CREATE, None).await;
        approve(&ada, &created).await;
        until(&ada, &run, "completed").await;
        let (run, _, changed) = card(&ada, TURN_OFF, Some(&chat)).await;
        approve(&ada, &changed).await;
        until(&ada, &run, "completed").await;
        let before = app.writes().await.len();

        let undo = ada.ask(json!({"message": "undo that", "session_id": chat})).await;
        let back = of(&undo, "tool_approval_required").clone();
        let state = |card: &Value| {
            let lines = card["tool_input"]["body"]["mediationGroupLines"].as_object().unwrap().clone();
            lines.values().next().unwrap()["state"].clone()
        };
        assert_eq!((state(&changed), state(&back)), (json!("DISABLED"), json!("ENABLED")));
        assert!(!back["warnings"].to_string().contains("@keeper"), "the person undoes it, not the agent: {back}");
        assert_eq!(app.writes().await.len(), before, "nothing is sent unasked");
        let path = format!("/api/approvals/{}/undo", changed["approval_id"].as_str().unwrap());
        assert_eq!(ada.post(&path, json!({})).await.status, 409, "it is being undone already");
        approve(&ada, &back).await;
        assert_eq!(app.writes().await.len(), before + 1);
        let again = ada.post(&path, json!({})).await;
        assert!(again.status == 409 && again.text.contains("already undone"), "{}", again.text);

        // The same on the card: what the undo did is undone, and then the agent's change once more.
        let path_back = format!("/api/approvals/{}/undo", back["approval_id"].as_str().unwrap());
        let redo = ada.post(&path_back, json!({})).await;
        assert_eq!(redo.status, 202, "{}", redo.text);
        let redone = events(&ada, redo.json()["run_id"].as_str().unwrap()).await;
        approve(&ada, of(&redone, "tool_approval_required")).await;
        let once_more = ada.post(&path, json!({})).await;
        assert_eq!(once_more.status, 202, "{}", once_more.text);
        let proposed = events(&ada, once_more.json()["run_id"].as_str().unwrap()).await;
        assert_eq!(state(of(&proposed, "tool_approval_required")), json!("ENABLED"));
        app.stop().await;
    }
}

#[tokio::test]
async fn what_is_not_the_agents_is_the_desks_own_step() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        with_keeper(&ada).await;
        let group = ada.ask(json!({"message": CREATE})).await;
        approve(&ada, of(&group, "tool_approval_required")).await;
        let before = app.writes().await.len();
        let message = "Ask @keeper for yesterday's AdMob revenue, then turn off AppLovin in the Puzzle Game banner mediation group";
        let own = ada.ask(json!({"message": message})).await;
        let below = events(&ada, &asked(&own)).await;
        assert_eq!(of(&below, "done")["status"], "completed", "the agent was asked for figures alone: {below:#?}");
        let card = of(&own, "tool_approval_required").clone();
        assert!(!card["warnings"].to_string().contains("@keeper"), "the desk proposes it: {card}");
        let plan = of(&own, "plan");
        assert_eq!(plan["steps"].as_array().unwrap().len(), 2, "{plan}");
        assert_eq!(plan["steps"][0]["says"], "Ask @keeper for yesterday's AdMob revenue");
        approve(&ada, &card).await;
        assert_eq!(app.writes().await.len(), before + 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_plan_that_an_agent_drafts_is_approved_as_a_whole() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        assert_eq!(ada.post("/api/sandbox/explore", json!({"networks": ["liftoff", "inmobi"]})).await.status, 200);
        let may = ["read", "list", "create", "update", "delete"];
        let body = json!({"handle": "keeper", "name": "Keeper", "grants": [{"on": "everything", "may": may}]});
        assert_eq!(ada.post("/api/agents", body).await.status, 201);
        let own = ada.ask(json!({"message": format!("Ask @keeper to {TWO}")})).await;
        let chat = of(&own, "run_started")["session_id"].as_str().unwrap().to_owned();
        let path = format!("/api/chat/sessions/{chat}/plan");
        let plan = ada.get(&path).await.json();
        assert_eq!(
            (&plan["status"], plan["steps"].as_array().unwrap().len()),
            (&json!("awaiting_approval"), 2),
            "{plan}"
        );
        let waiting = ada.get("/api/approvals?status=pending").await.json();
        let ids: Vec<&Value> = waiting["items"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        let some = ada.post(&format!("{path}/approve"), json!({"approval_ids": [ids[0]]})).await;
        assert_eq!(some.status, 409, "not the plan as it is: {}", some.text);
        let done = ada.post(&format!("{path}/approve"), json!({"approval_ids": ids})).await;
        assert_eq!(done.status, 200, "{}", done.text);
        until(&ada, &of(&own, "run_started")["run_id"], "completed").await;
        assert_eq!(ada.get(&path).await.json()["status"], "completed");
        let writes = app.sandbox("/__sandbox/writes").await;
        assert_eq!(writes["items"].as_array().unwrap().len(), 2, "{writes}");
        app.stop().await;
    }
}
