//! The journal: who reads which entries, by day, agent and person, and on its page.

use adagent_domain::Role;
use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    matrix::database,
    workspaces::page,
};

fn agent(handle: &str, journal: &str, sharing: &str) -> Value {
    let grants = [json!({"on": "native", "may": ["read", "list"]})];
    json!({"handle": handle, "name": format!("The {handle}"), "grants": grants, "sharing": sharing, "journal": journal})
}

#[tokio::test]
async fn a_shared_agent_shows_of_its_journal_what_its_owner_chose() {
    for app in TestApp::both().await {
        let (ada, bob, eve) = (app.explorer("ada").await, app.person("bob").await, app.person("eve").await);
        let people = [("ada", Role::Owner), ("bob", Role::Member), ("eve", Role::Member)];
        let acme = database::organization(&app, "Acme", &people).await;
        let there = |caller: &Caller<'_>, method: &str, path: &str| {
            caller.request(method, path).header("x-organization-id", &acme)
        };
        let read = async |caller: &Caller<'_>, path: &str| -> Value {
            let answer = there(caller, "GET", path).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{path}");
            answer.json().await.unwrap()
        };
        let mut ids = Vec::new();
        for (handle, journal, sharing) in [
            ("open", "full", "use"),
            ("quiet", "own", "use"),
            ("clock", "own_and_scheduled", "use"),
            ("hers", "full", "private"),
        ] {
            let made = there(&ada, "POST", "/api/agents").json(&agent(handle, journal, sharing)).send().await.unwrap();
            assert_eq!(made.status(), 201);
            ids.push(made.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned());
        }
        let ask = async |caller: &Caller<'_>, message: &str| {
            let events = caller.stream(there(caller, "POST", "/chat/stream").json(&json!({"message": message}))).await;
            of(&events, "run_started")["session_id"].as_str().unwrap().to_owned()
        };
        let chat = ask(&bob, "@open what can you do?").await;
        for message in ["@quiet what can you do?", "@clock what can you do?", "what can you do?"] {
            ask(&bob, message).await;
        }
        ask(&ada, "@hers what can you do?").await;

        let of_ada = read(&ada, "/api/journal").await;
        let seen = |journal: &Value| -> Vec<(String, Value)> {
            let handle = |entry: &Value| entry["agent"]["handle"].as_str().unwrap_or("desk").to_owned();
            journal["items"].as_array().unwrap().iter().map(|one| (handle(one), one["by"].clone())).collect()
        };
        assert_eq!(seen(&of_ada), [("hers".to_owned(), Value::Null), ("open".to_owned(), json!("bob"))], "{of_ada}");
        let entry = &of_ada["items"][1];
        assert_eq!(entry.get("session"), None, "his chat is his: {entry}");
        assert!(entry["summary"].as_str().is_some_and(|text| !text.is_empty()));
        assert_eq!(seen(&read(&bob, "/api/journal").await).len(), 4, "all his own");
        assert_eq!(seen(&read(&eve, "/api/journal").await), [("open".to_owned(), json!("bob"))]);
        // Where he shares the chat, the entry leads to it.
        let share = there(&bob, "PATCH", &format!("/api/chat/sessions/{chat}")).json(&json!({"shared": true}));
        assert_eq!(share.send().await.unwrap().status(), 200);
        assert_eq!(read(&ada, "/api/journal?agent=open").await["items"][0]["session"], json!(chat));

        // By agent and by person, with counts.
        let one = read(&eve, &format!("/api/agents/{}/journal", ids[0])).await;
        assert_eq!(seen(&one).len(), 1);
        assert_eq!(seen(&read(&eve, &format!("/api/agents/{}/journal", ids[1])).await).len(), 0);
        let hidden = there(&eve, "GET", &format!("/api/agents/{}/journal", ids[3])).send().await.unwrap();
        assert_eq!(hidden.status(), 404, "a private agent of somebody else");
        let summary = read(&ada, &format!("/api/agents/{}/journal/summary", ids[0])).await;
        assert_eq!(
            (&summary["entries"], &summary["failed"], &summary["complete"]),
            (&json!(1), &json!(0), &json!(true))
        );
        assert_eq!((&summary["people"][0]["name"], &summary["days"][0]["entries"]), (&json!("bob"), &json!(1)));
        assert_eq!(summary["latest"].as_array().unwrap().len(), 1);
        let person = summary["people"][0]["id"].as_str().unwrap();
        assert_eq!(seen(&read(&ada, &format!("/api/journal?person={person}")).await).len(), 1);
        for (query, pointer) in [("person=bob", "/person"), ("from=2026-01-01&to=2026-11-01", "/from")] {
            let path = format!("/api/agents/{}/journal/summary?{query}", ids[0]);
            let wrong: Value = there(&ada, "GET", &path).send().await.unwrap().json().await.unwrap();
            assert_eq!(wrong["errors"][0]["pointer"], pointer, "{wrong}");
        }

        // In a chat, the journal tells what was done for the person who asks.
        let explored = there(&ada, "POST", "/api/sandbox/explore").json(&json!({"networks": ["admob"]})).send().await;
        assert_eq!(explored.unwrap().status(), 200);
        let asked = json!({"message": "what did you do today?"});
        let told = ada.stream(there(&ada, "POST", "/chat/stream").json(&asked)).await;
        let said = of(&told, "result")["content"].as_str().unwrap();
        assert!(said.contains("@hers") && !said.contains("@open"), "{said}");

        // A private agent shows nothing, whatever it said before.
        let open = read(&ada, &format!("/api/agents/{}", ids[0])).await;
        let mut body = open["agent"].clone();
        body["sharing"] = json!("private");
        let put = there(&ada, "PUT", &format!("/api/agents/{}", ids[0]))
            .json(&json!({"version": open["version"], "agent": body}));
        assert_eq!(put.send().await.unwrap().status(), 200);
        assert_eq!(seen(&read(&eve, "/api/journal").await), []);
        app.stop().await;
    }
}

#[tokio::test]
async fn the_page_shows_days_agents_and_ways_to_chats_and_runs() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let empty = page(&ada, "/journal", None).await;
    assert!(empty.text.contains("Nothing in the journal yet"), "{}", empty.text);
    let made = ada.post("/api/agents", agent("reporter", "own", "private")).await.json();
    let events = ada.ask(json!({"message": "@reporter what did you do today?"})).await;
    ada.ask(json!({"message": "What was my AdMob revenue yesterday?"})).await;
    let shown = page(&ada, "/journal", None).await.text;
    for text in ["Today, ", "2 entries", "The reporter", "Desk", "By agent", "“What was my AdMob revenue yesterday?”"]
    {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let began = of(&events, "run_started");
    for link in [("chat", &began["session_id"]), ("runs", &began["run_id"])] {
        assert!(shown.contains(&format!("/{}/{}", link.0, link.1.as_str().unwrap())), "{link:?}");
    }
    assert!(!shown.contains("By person"), "it is only her own");
    let one = page(&ada, "/journal?agent=reporter", None).await.text;
    assert!(one.contains("1 entry") && !one.contains("“What was my AdMob"), "{one}");
    let none = page(&ada, "/journal?from=2020-01-01&to=2020-01-01", None).await.text;
    assert!(none.contains("No matching entries") && none.contains("Jan 2020"), "{none}");
    let wrong = page(&ada, "/journal?agent=nobody", None).await.text;
    assert!(wrong.contains("Show the whole journal"), "{wrong}");
    let own = page(&ada, &format!("/agents/{}", made["id"].as_str().unwrap()), None).await.text;
    assert!(own.contains("1 entry in the last 7 days") && own.contains("/journal?agent=reporter"), "{own}");
}
