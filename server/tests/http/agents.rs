//! Agents: created, changed and shared. Their grants hold in every chat, also for a pending change.

use adagent_domain::Network;
use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

fn reader(handle: &str, networks: &[&str]) -> Value {
    let grants: Vec<Value> = networks.iter().map(|one| json!({"on": one, "may": ["read", "list"]})).collect();
    json!({"handle": handle, "name": "Reader", "position": "Reporting", "grants": grants})
}

async fn made(caller: &Caller<'_>, agent: Value) -> Value {
    let answer = caller.post("/api/agents", agent).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()
}

async fn changed(caller: &Caller<'_>, agent: &Value, body: Value) -> Value {
    let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
    let update = json!({"version": agent["version"], "agent": body});
    let answer = caller.send("PUT", &path, Some(update)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn workspace(caller: &Caller<'_>) -> String {
    caller.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned()
}

async fn told(caller: &Caller<'_>, message: &str) -> (String, Vec<Value>) {
    let events = caller.ask(json!({"message": message})).await;
    (of(&events, "result")["content"].as_str().unwrap_or_default().to_owned(), events)
}

async fn explorer<'a>(app: &'a TestApp, name: &str, networks: &[Network]) -> Caller<'a> {
    let caller = app.person(name).await;
    let ids: Vec<&str> = networks.iter().map(|network| network.id()).collect();
    assert_eq!(caller.post("/api/sandbox/explore", json!({"networks": ids})).await.status, 200);
    caller
}

#[tokio::test]
async fn an_agent_is_made_changed_copied_and_deleted() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let agent = made(&ada, reader("@Reporter", &["applovin"])).await;
        assert_eq!(
            (&agent["agent"]["handle"], &agent["version"], &agent["mine"]),
            (&json!("reporter"), &json!(1), &json!(true))
        );
        let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
        let twice = ada.post("/api/agents", reader("reporter", &[])).await;
        assert_eq!((twice.status, twice.pointer()), (422, "/handle".into()), "{}", twice.text);

        let body = json!({"handle": "reporter", "name": "Reporter of the team", "grants": agent["agent"]["grants"]});
        let second = changed(&ada, &agent, body.clone()).await;
        assert_eq!((&second["version"], &second["agent"]["name"]), (&json!(2), &body["name"]));
        // A stale page must not overwrite the agent.
        let late = ada.send("PUT", &path, Some(json!({"version": 1, "agent": body}))).await;
        assert_eq!((late.status, late.code()), (409, "conflict".into()));
        let versions = ada.get(&format!("{path}/versions")).await.json();
        let names: Vec<_> = versions["items"].as_array().unwrap().iter().map(|one| &one["agent"]["name"]).collect();
        assert_eq!(names, ["Reporter of the team", "Reader"]);

        let copy = ada.post(&format!("{path}/duplicate"), json!({})).await;
        assert_eq!((copy.status, &copy.json()["agent"]["handle"]), (201, &json!("reporter-2")));
        assert_eq!(ada.send("DELETE", &path, None).await.status, 204);
        assert_eq!(ada.get(&path).await.status, 404);
        assert_eq!(ada.get("/api/agents").await.json()["items"].as_array().unwrap().len(), 1);
        let log = ada.get(&format!("/api/organizations/{}/audit-log?action=agent", workspace(&ada).await)).await.json();
        let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|one| &one["action"]).collect();
        assert_eq!(actions, ["agent.deleted", "agent.created", "agent.changed", "agent.created"]);
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_agent_is_said_at_its_field() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let unknown = "019aa5c4-9a3e-7000-8000-000000000000";
    for (change, pointer) in [
        (json!({"handle": "desk"}), "/handle"),
        (json!({"handle": "no spaces"}), "/handle"),
        (json!({"name": "  "}), "/name"),
        (json!({"name": "a\u{202e}b"}), "/name"),
        (json!({"position": "x".repeat(61)}), "/position"),
        (json!({"instructions": "x".repeat(8001)}), "/instructions"),
        (json!({"color": 8}), "/color"),
        (json!({"model": "nobody/nothing"}), "/model"),
        (json!({"grants": [{"on": "tool:admob_fly", "may": ["read"]}]}), "/grants/0/on"),
        (json!({"grants": [{"on": "admob", "may": ["read"], "connections": [unknown]}]}), "/grants/0/connections/0"),
    ] {
        let mut body = reader("reporter", &[]);
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = ada.post("/api/agents", body).await;
        assert_eq!((answer.status, answer.pointer()), (422, pointer.into()), "{change} {}", answer.text);
    }
    for body in [json!({"handle": "x"}), json!({"handle": "xy", "name": "X", "owner": "eve"}), json!([])] {
        assert_eq!(ada.post("/api/agents", body).await.status, 422);
    }
    // In a personal workspace there is nobody to share with.
    let mut shared = reader("shared", &[]);
    shared["sharing"] = json!("use");
    let answer = ada.post("/api/agents", shared).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
}

#[tokio::test]
async fn a_mention_is_answered_by_its_agent_with_what_it_was_granted() {
    for app in TestApp::both().await {
        let ada = explorer(&app, "ada", &[Network::AdMob, Network::AppLovin]).await;
        made(&ada, reader("reporter", &["applovin"])).await;
        let (all, events) = told(&ada, "What was my revenue yesterday?").await;
        assert!(all.contains("AdMob") && of(&events, "run_started").get("agent").is_none(), "{all}");

        let (some, events) = told(&ada, "@reporter What was my revenue yesterday?").await;
        assert_eq!(of(&events, "run_started")["agent"]["handle"], "reporter");
        assert!(some.contains("AppLovin") && !some.contains("AdMob"), "{some}");
        let asked: Vec<_> =
            events.iter().filter(|event| event["type"] == "tool").map(|event| &event["network"]).collect();
        assert!(!asked.is_empty() && asked.iter().all(|network| **network == json!("applovin")), "{asked:?}");

        // The chat keeps its agent until a message names another one.
        let session = of(&events, "run_started")["session_id"].clone();
        let events = ada.ask(json!({"message": "And what did AdMob earn?", "session_id": session})).await;
        let said = of(&events, "result")["content"].as_str().unwrap();
        assert!(said.starts_with("This agent isn't allowed to read AdMob."), "{said}");
        assert!(!events.iter().any(|event| event["type"] == "tool"), "nothing was asked");
        let events = ada.ask(json!({"message": "@desk What did AdMob earn yesterday?", "session_id": session})).await;
        let said = of(&events, "result")["content"].as_str().unwrap();
        assert!(said.starts_with("AdMob earned **$"), "{said}");

        for (message, what) in [
            ("@reporters revenue yesterday", "Did you mean @reporter?"),
            ("@nobody-at-all revenue", "There is no agent named @nobody-at-all here."),
            ("@reporter", "Write what @reporter should do."),
        ] {
            let answer = ada.post("/chat/stream", json!({"message": message})).await;
            assert_eq!(answer.status, 422, "{message}");
            assert!(answer.text.contains(what), "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_change_that_was_not_granted_is_refused_with_what_to_grant() {
    for app in TestApp::both().await {
        let ada = explorer(&app, "ada", &[Network::AdMob]).await;
        let agent = made(&ada, reader("keeper", &["admob", "native"])).await;
        let (said, events) = told(&ada, &format!("@keeper {CREATE}")).await;
        assert!(said.contains("turn on Create for AdMob"), "{said}");
        assert!(!events.iter().any(|event| event["type"] == "tool_approval_required"));
        let (said, _) = told(&ada, "@keeper which changes did you make and which did you refuse?").await;
        assert!(said.contains("Refused: “"), "{said}");
        let ad_unit = "@keeper Create an AdMob rewarded ad unit called 'Bonus' in Puzzle Game on Android";
        let (said, _) = told(&ada, ad_unit).await;
        assert!(said.contains("turn on Create for AdMob"), "{said}");

        let mut body = agent["agent"].clone();
        body["grants"] = json!([{"on": "admob", "may": ["read", "list", "create"]}]);
        let agent = changed(&ada, &agent, body.clone()).await;
        let card = ada.ask(json!({"message": format!("@keeper {CREATE}")})).await;
        let card = of(&card, "tool_approval_required").clone();
        let warnings = card["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|line| *line == "The agent @keeper proposes this."), "{warnings:?}");

        // The grant is revoked while the card is pending, so an approval sends nothing.
        body["grants"] = json!([{"on": "admob", "may": ["read", "list"]}]);
        let agent = changed(&ada, &agent, body.clone()).await;
        let answer = json!({"approval_id": card["approval_id"], "approved": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&answer)).await;
        let said = of(&after, "result")["content"].as_str().unwrap();
        assert!(said.contains("turn on Create for AdMob"), "{said}");
        assert_eq!(app.writes().await, Vec::<Value>::new());

        // An agent that is turned off does not answer; a deleted one is unknown.
        body["active"] = json!(false);
        let agent = changed(&ada, &agent, body).await;
        let off = ada.post("/chat/stream", json!({"message": "@keeper hello"})).await;
        assert!(off.status == 422 && off.text.contains("@keeper is turned off"), "{}", off.text);
        assert_eq!(
            ada.send("DELETE", &format!("/api/agents/{}", agent["id"].as_str().unwrap()), None).await.status,
            204
        );
        assert_eq!(ada.post("/chat/stream", json!({"message": "@keeper hello"})).await.status, 422);
    }
}

#[tokio::test]
async fn the_journal_tells_what_was_done_by_whom_and_only_that() {
    for app in TestApp::both().await {
        let ada = explorer(&app, "ada", &[Network::AdMob]).await;
        made(&ada, reader("reporter", &["admob"])).await;
        let (nothing, _) = told(&ada, "@reporter what did you do today?").await;
        assert_eq!(nothing, "Nothing was done by @reporter for you today.");
        told(&ada, "@reporter What was my revenue yesterday?").await;
        let card = ada.ask(json!({"message": CREATE})).await;
        let answer = json!({"approval_id": of(&card, "tool_approval_required")["approval_id"], "approved": true});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&answer)).await;

        // The agent has no grant for native tools, and still reports what it did itself.
        let (said, events) = told(&ada, "@reporter what did you do today?").await;
        assert!(said.starts_with("2 questions answered by @reporter today; no change was made."), "{said}");
        assert!(said.contains("[What was my revenue yesterday?](/chat/"), "{said}");
        assert_eq!(of(&events, "tool")["name"], "list_journal");
        let (said, _) = told(&ada, "what did you do today?").await;
        assert!(said.starts_with("4 questions answered today; 1 change was made."), "{said}");
        assert!(said.contains("@desk") && said.contains("Changed: Create mediation group"), "{said}");
        let (said, _) = told(&ada, "what did @reporter do today?").await;
        assert!(said.starts_with("3 questions answered by @reporter"), "{said}");

        let page = ada.get("/api/journal?agent=reporter&q=NOTHING%20was").await.json();
        let items = page["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{page}");
        assert_eq!((&items[0]["agent"]["handle"], &items[0]["status"]), (&json!("reporter"), &json!("completed")));
        let first = ada.get("/api/journal?limit=2").await.json();
        let next =
            ada.get(&format!("/api/journal?limit=2&cursor={}", first["next_cursor"].as_str().unwrap())).await.json();
        assert!(first["items"][1]["run"].as_str() > next["items"][0]["run"].as_str(), "{first} {next}");
        for (query, pointer) in [("from=yesterday", "/from"), ("status=good", "/status"), ("agent=nobody", "/agent")] {
            let answer = ada.get(&format!("/api/journal?{query}")).await;
            assert_eq!((answer.status, answer.pointer()), (422, pointer.into()), "{query}");
        }
        let bob = explorer(&app, "bob", &[Network::AdMob]).await;
        assert_eq!(bob.get("/api/journal").await.json()["items"], json!([]));
    }
}
