//! The home page: numbers that runs really fetched, in chats that no list shows, and questions to ask again.

use std::time::Duration;

use adagent_domain::Role;
use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp},
    matrix::database,
    workspaces::{form, page},
};

const WISH: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

async fn home(caller: &Caller<'_>) -> Value {
    let answer = caller.request("GET", "/desk/home").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

/// Returns the home page once no answer is pending.
async fn settled(caller: &Caller<'_>) -> Value {
    let settled = async {
        loop {
            let home = home(caller).await;
            if home["figures"].as_array().unwrap().iter().all(|figures| figures["working"] == false) {
                return home;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), settled).await.expect("home is answered")
}

async fn refresh(caller: &Caller<'_>, again: &str) {
    let answer = form(caller, "/desk/refresh-home", &[("again", again)]).await;
    assert!(answer.status < 400, "{} {}", answer.status, answer.text);
}

fn answer_of<'a>(home: &'a Value, key: &str) -> &'a Value {
    let figures = home["figures"].as_array().unwrap().iter().find(|figures| figures["key"] == key);
    &figures.unwrap_or_else(|| panic!("no {key}: {home}"))["answer"]
}

#[tokio::test]
async fn home_shows_what_its_runs_fetched_and_asks_once() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let before = home(&ada).await;
        assert_eq!((&before["stale"], answer_of(&before, "yesterday")), (&json!(true), &Value::Null));
        assert_eq!(database::home_chats(&app).await, 0, "looking asks nothing");

        // Two tabs ask at once.
        tokio::join!(refresh(&ada, "false"), refresh(&ada, "false"));
        let after = settled(&ada).await;
        assert_eq!(after["stale"], false);
        assert_eq!(database::home_chats(&app).await, 4, "each question is asked once");
        refresh(&ada, "false").await;
        assert_eq!(database::home_chats(&app).await, 4, "the answers are new");

        let kind = |key: &str, kind: &str| {
            let artifacts = answer_of(&after, key)["artifacts"].as_array().cloned().unwrap_or_default();
            artifacts.into_iter().find(|artifact| artifact["kind"] == kind).unwrap_or_else(|| panic!("{key}: {after}"))
        };
        let tile = &kind("yesterday", "kpi")["tiles"][0];
        assert!(tile["value"]["money"]["micros"].as_i64().unwrap() > 0, "{tile}");
        assert!(tile["previous"]["money"]["micros"].as_i64().unwrap() > 0, "a fair baseline: {tile}");
        assert_eq!(kind("week", "timeseries")["series"].as_array().unwrap().len(), 2);
        for (key, figure) in [("apps", "previous_revenue"), ("impressions", "previous_impressions")] {
            let columns = kind(key, "table")["columns"].to_string();
            assert!(columns.contains(figure), "{key}: {columns}");
        }
        let drawn = page(&ada, "/", None).await;
        for text in ["Yesterday", "Last 7 days", "Top movers", "Why?", "Pending your approval", "Saved questions"] {
            assert!(drawn.text.contains(text), "{text}: {}", drawn.text);
        }

        // These chats are in no list, and their addresses work only for their person.
        for list in ["/api/chat/sessions", "/api/chat/sessions?search=revenue", "/api/runs"] {
            assert_eq!(ada.get(list).await.json()["items"], json!([]), "{list}");
        }
        let session = answer_of(&after, "yesterday")["session"].as_str().unwrap().to_owned();
        let messages = format!("/api/chat/sessions/{session}/messages");
        assert_eq!(ada.get(&messages).await.json()["items"].as_array().unwrap().len(), 1);
        let bob = app.explorer("bob").await;
        assert_eq!(bob.get(&messages).await.status, 404);
        assert_eq!(answer_of(&home(&bob).await, "yesterday"), &Value::Null);

        // A new message turns such a chat into a normal one.
        ada.ask(json!({"session_id": session, "message": "And by country?"})).await;
        assert_eq!(ada.get("/api/chat/sessions").await.json()["items"].as_array().unwrap().len(), 1);
        let gone_on = home(&ada).await;
        assert_eq!((answer_of(&gone_on, "yesterday"), &gone_on["stale"]), (&Value::Null, &json!(true)));

        // Numbers from other settings are not shown.
        assert_ne!(answer_of(&gone_on, "week"), &Value::Null);
        let context = json!({"settings": {"enabled_networks": ["admob"]}});
        let put = ada.request("POST", "/desk/put-context").json(&context).send().await.unwrap();
        assert_eq!(put.status(), 200);
        assert_eq!(answer_of(&home(&ada).await, "week"), &Value::Null);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_saved_question_is_pinned_and_never_prepares_a_change() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        for question in ["AdMob revenue by country, last 7 days", "AdMob revenue by country, last 7 days", WISH] {
            let saved = form(&ada, "/desk/save-question", &[("question", question)]).await;
            assert!(saved.status < 400, "{}", saved.text);
        }
        let saved = home(&ada).await["saved"].clone();
        assert_eq!(saved.as_array().unwrap().len(), 2, "the same question is saved once: {saved}");
        for one in saved.as_array().unwrap() {
            let fields = [("id", one["id"].as_str().unwrap()), ("pinned", "true")];
            let pinned = form(&ada, "/desk/pin-question", &fields).await;
            assert!(pinned.status < 400, "{}", pinned.text);
        }
        refresh(&ada, "false").await;
        let home_now = settled(&ada).await;
        assert_eq!(home_now["figures"].as_array().unwrap().len(), 6);
        let (wish, report) = (saved[0]["id"].as_str().unwrap(), saved[1]["id"].as_str().unwrap());
        assert_eq!(answer_of(&home_now, report)["status"], "completed");
        let told = answer_of(&home_now, wish)["text"].as_str().unwrap().to_lowercase();
        assert!(told.contains("safe mode"), "{told}");
        assert_eq!(ada.get("/api/approvals").await.json()["items"], json!([]), "nothing is drafted by looking at home");

        let gone = form(&ada, "/desk/delete-question", &[("id", wish)]).await;
        assert!(gone.status < 400, "{}", gone.text);
        assert_eq!(home(&ada).await["saved"].as_array().unwrap().len(), 1);
        let empty = ada.request("POST", "/desk/save-question").form(&[("question", " ")]).send().await.unwrap();
        assert_eq!(empty.status(), 422);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_shared_chat_is_read_by_members_and_gone_on_with_by_its_owner() {
    for app in TestApp::both().await {
        let (ada, bob, eve) = (app.explorer("ada").await, app.person("bob").await, app.person("eve").await);
        let acme = database::organization(&app, "Acme", &[("ada", Role::Owner), ("bob", Role::Member)]).await;
        let there = |caller: &Caller<'_>, method: &str, path: &str| {
            caller.request(method, path).header("x-organization-id", &acme)
        };
        let made = there(&ada, "POST", "/api/chat/sessions").json(&json!({"title": "Revenue"})).send().await.unwrap();
        let id = made.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
        let asked = json!({"session_id": id, "message": "What can you do?"});
        let events = ada.stream(there(&ada, "POST", "/chat/stream").json(&asked)).await;
        assert!(!events.is_empty());
        let (chat, messages) = (format!("/api/chat/sessions/{id}"), format!("/api/chat/sessions/{id}/messages"));
        let read = async |caller: &Caller<'_>| there(caller, "GET", &messages).send().await.unwrap();
        assert_eq!(read(&bob).await.status(), 404, "not shared yet");

        let share = async |caller: &Caller<'_>, shared: bool| {
            there(caller, "PATCH", &chat).json(&json!({"shared": shared})).send().await.unwrap().status().as_u16()
        };
        assert_eq!(share(&bob, true).await, 404, "only its owner shares it");
        assert_eq!(share(&ada, true).await, 200);
        let told: Value = read(&bob).await.json().await.unwrap();
        assert_eq!((&told["session"]["owner"], &told["session"]["shared"]), (&json!("ada"), &json!(true)));
        assert_eq!(told["items"].as_array().unwrap().len(), 1);
        let own: Value = read(&ada).await.json().await.unwrap();
        assert_eq!(own["session"].get("owner"), None);
        assert_eq!(read(&eve).await.status(), 404, "no member");
        let listed: Value = there(&bob, "GET", "/desk/home").send().await.unwrap().json().await.unwrap();
        assert_eq!((&listed["shared"][0]["id"], &listed["shared"][0]["by"]), (&json!(id), &json!("ada")));

        // Nobody else can change it.
        let more = json!({"session_id": id, "message": "And more"});
        assert_eq!(there(&bob, "POST", "/chat/stream").json(&more).send().await.unwrap().status(), 404);
        for (method, path) in [("DELETE", chat.as_str()), ("PATCH", chat.as_str())] {
            let refused = there(&bob, method, path).json(&json!({"title": "Mine"})).send().await.unwrap();
            assert_eq!(refused.status(), 404, "{method}");
        }
        let drawn = page(&bob, &format!("/chat/{id}?workspace={acme}"), None).await;
        assert!(drawn.text.contains("shared this chat") && !drawn.text.contains("<textarea"), "{}", drawn.text);

        assert_eq!(share(&ada, false).await, 200);
        assert_eq!(read(&bob).await.status(), 404, "no longer shared");

        // When a person leaves, the chats they shared go with them.
        let made = there(&bob, "POST", "/api/chat/sessions").json(&json!({"title": "Floors"})).send().await.unwrap();
        let bobs = format!("/api/chat/sessions/{}", made.json::<Value>().await.unwrap()["id"].as_str().unwrap());
        let shared = there(&bob, "PATCH", &bobs).json(&json!({"shared": true})).send().await.unwrap();
        assert_eq!(shared.status(), 200);
        let messages = format!("{bobs}/messages");
        assert_eq!(there(&ada, "GET", &messages).send().await.unwrap().status(), 200);
        let left =
            bob.request("POST", &format!("/api/organizations/{acme}/leave")).json(&json!({})).send().await.unwrap();
        assert_eq!(left.status(), 204);
        assert_eq!(there(&ada, "GET", &messages).send().await.unwrap().status(), 404, "its owner left");
        let listed: Value = there(&ada, "GET", "/desk/home").send().await.unwrap().json().await.unwrap();
        assert!(listed["shared"].as_array().is_none_or(Vec::is_empty), "{}", listed["shared"]);

        let personal = ada.request("POST", "/api/chat/sessions").json(&json!({})).send().await.unwrap();
        let personal = personal.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
        let alone = ada.request("PATCH", &format!("/api/chat/sessions/{personal}")).json(&json!({"shared": true}));
        assert_eq!(alone.send().await.unwrap().status(), 422, "nobody to share with");
        app.stop().await;
    }
}
