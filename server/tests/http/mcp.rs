//! The tools' protocol at `/mcp`, spoken by hand: who may, what is listed, that nothing is changed without a person.

use serde_json::{Value, json};

use crate::{
    harness::{EVIL, TestApp, of},
    tokens::token,
};

const VERSION: &str = "2026-07-28";
const GROUP: &str = "admob_create_mediation_group";

pub struct Client<'a> {
    app: &'a TestApp,
    http: reqwest::Client,
    token: String,
}

impl<'a> Client<'a> {
    pub fn new(app: &'a TestApp, token: &str) -> Self {
        Self { app, http: reqwest::Client::new(), token: token.to_owned() }
    }

    pub fn post(&self, body: &Value) -> reqwest::RequestBuilder {
        let accept = "application/json, text/event-stream";
        self.http.post(format!("{}/mcp", self.app.running.base_url())).header("accept", accept).json(body)
    }

    /// A request of the current revision, which needs no session; gives the whole answer.
    pub async fn request(&self, method: &str, mut params: Value, capabilities: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = self
            .post(&body)
            .bearer_auth(&self.token)
            .header("mcp-protocol-version", VERSION)
            .header("mcp-method", method);
        for field in ["name", "uri", "taskId"] {
            if let Some(name) = params[field].as_str() {
                request = request.header("mcp-name", header(name));
            }
        }
        let response = request.send().await.expect("an answer");
        let text = response.text().await.expect("text");
        read(&text)
    }

    pub async fn call(&self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}), json!({})).await
    }

    pub async fn tools(&self) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let page = self.request("tools/list", params, json!({})).await["result"].clone();
            assert_eq!(page["cacheScope"], "private", "one person's list is nobody else's");
            all.extend(page["tools"].as_array().expect("tools").clone());
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                return all;
            }
        }
    }
}

/// A name as a header may hold it: what is not plain travels in base64, as the protocol says.
fn header(name: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
    if plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

/// JSON, or the last message of a stream.
fn read(text: &str) -> Value {
    let last = text.lines().filter_map(|line| line.strip_prefix("data:")).rfind(|data| !data.trim().is_empty());
    serde_json::from_str(last.unwrap_or(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

async fn connected(app: &TestApp) -> (crate::harness::Caller<'_>, Client<'_>) {
    let ada = app.explorer("ada").await;
    let (_, secret) = token(&ada, &["mcp"]).await;
    (ada, Client::new(app, &secret))
}

/// A group for an app and ad unit that the sandbox has, as the desk itself would propose it.
async fn proposal(ada: &crate::harness::Caller<'_>) -> Value {
    let message = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    let events = ada.ask(json!({"message": message})).await;
    let asked = of(&events, "tool_approval_required");
    assert_eq!(asked["tool_name"], GROUP);
    let denied = json!({"approval_id": asked["approval_id"], "approved": false});
    ada.stream(ada.request("POST", "/chat/approve-tool").json(&denied)).await;
    asked["tool_input"].clone()
}

#[tokio::test]
async fn only_a_valid_token_for_it_gets_in() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (_, for_api) = token(&ada, &["api"]).await;
    let (id, good) = token(&ada, &["mcp"]).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let client = Client::new(&app, &good);
    let unknown = format!("adat_{}", "A".repeat(43));
    for (given, status) in [(None, 401), (Some(unknown.as_str()), 401), (Some(for_api.as_str()), 403)] {
        let request = client.post(&list);
        let request = match given {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{given:?}");
        assert!(answer.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
    }
    // A browser session is no token.
    let cookie = ada.cookie.lock().unwrap().clone().unwrap();
    assert_eq!(client.post(&list).header("cookie", cookie).send().await.unwrap().status(), 401);
    assert!(!client.tools().await.is_empty());
    for (name, value) in [("origin", EVIL), ("host", "evil.example"), ("origin", "null")] {
        let answer = client.post(&list).bearer_auth(&good).header(name, value).send().await.unwrap();
        assert_eq!(answer.status(), 403, "{name}: {value}");
    }
    ada.send("DELETE", &format!("/api/tokens/{id}"), None).await;
    assert_eq!(client.post(&list).bearer_auth(&good).send().await.unwrap().status(), 401);
}

#[tokio::test]
async fn a_session_belongs_to_its_token() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}
    }});
    let answer = client.post(&begin).bearer_auth(&client.token).send().await.unwrap();
    let session = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert_eq!(read(&answer.text().await.unwrap())["result"]["protocolVersion"], "2025-11-25");
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let (_, another) = token(&ada, &["mcp"]).await;
    let bob = app.person("bob").await;
    let (_, bobs) = token(&bob, &["mcp"]).await;
    for (token, status) in [(&client.token, 200), (&another, 404), (&bobs, 404)] {
        let request = client.post(&ping).bearer_auth(token).header("mcp-session-id", &session);
        assert_eq!(request.send().await.unwrap().status(), status);
    }
}

#[tokio::test]
async fn the_list_is_what_is_connected_and_allowed() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (_, secret) = token(&ada, &["mcp"]).await;
    let client = Client::new(&app, &secret);
    let own = ["adagent_ask", "adagent_list_approvals", "adagent_run_status"];
    assert_eq!(names(&client.tools().await), own, "nothing is connected yet");
    let before = client.call("admob_list_accounts", json!({})).await;
    assert_eq!(before["error"]["code"], -32602, "what cannot be seen cannot be called: {before}");

    assert_eq!(ada.post("/api/sandbox/explore", json!({})).await.status, 200);
    let tools = client.tools().await;
    let list = names(&tools);
    assert!(list.contains(&GROUP) && list.contains(&"admob_list_accounts"), "{list:?}");
    let unique: std::collections::BTreeSet<_> = list.iter().collect();
    assert_eq!(unique.len(), list.len());
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean() && tool["annotations"]["title"].is_string(), "{name}");
        let schema = tool["inputSchema"].to_string().to_lowercase();
        for secret in
            ["api_key", "apikey", "access_token", "client_secret", "refresh_token", "password", "authorization"]
        {
            assert!(!schema.contains(&format!("\"{secret}\":")), "{name} asks for {secret}");
        }
    }
    let create = tools.iter().find(|tool| tool["name"] == GROUP).unwrap();
    assert_eq!(create["annotations"]["readOnlyHint"], false);

    // Safe mode: nothing that writes. Switched off: nothing at all.
    assert_eq!(ada.send("PUT", "/api/settings/context", Some(json!({"safe_mode": true}))).await.status, 200);
    let tools = client.tools().await;
    assert!(!names(&tools).contains(&GROUP) && names(&tools).contains(&"admob_list_accounts"));
    ada.send("PUT", "/api/settings/context", Some(json!({"enabled_networks": []}))).await;
    assert_eq!(names(&client.tools().await), own);
    let refused = client.call("admob_list_accounts", json!({})).await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn reads_answer_with_what_the_network_said() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    let accounts = client.call("admob_list_accounts", json!({})).await["result"].clone();
    assert_ne!(accounts["isError"], true, "{accounts}");
    assert!(accounts["structuredContent"].is_object(), "{accounts}");
    let text = accounts["content"][1]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), accounts["structuredContent"]);
    assert!(app.writes().await.is_empty());
}

#[tokio::test]
async fn hostile_and_wrong_calls_are_told_what_is_wrong() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    for name in ["nope", "", "../../etc/passwd", "admob_list_accounts\u{0}", "💥\u{202e}", &"x".repeat(10_000)] {
        let answer = client.call(name, json!({})).await;
        assert!(answer["error"]["code"].is_number(), "{name:?}: {answer}");
        assert!(answer.to_string().len() < 1_000, "{name:?} comes back shortened");
        assert!(!answer.to_string().contains('\u{202e}'));
    }
    for arguments in
        [json!({}), json!({"account_id": 7}), json!({"account_id": "accounts/pub-1", "body": {"x": 1}, "token": "x"})]
    {
        let answer = client.call(GROUP, arguments.clone()).await;
        assert_eq!(answer["result"]["isError"], true, "{arguments}: {answer}");
        let told = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(told.starts_with("INVALID_ARGUMENT") || told.starts_with("UNKNOWN_ENTITY"), "{told}");
    }
    let arguments = json!({"question": "x", "workspace_id": "019aa000-0000-7000-8000-000000000001"});
    assert_eq!(client.call("adagent_ask", arguments).await["result"]["isError"], true);
    let answer = client.post(&json!({"jsonrpc": "2.0"})).bearer_auth(&client.token).send().await.unwrap();
    assert!(answer.status().is_client_error());
    assert!(app.writes().await.is_empty());
}

#[tokio::test]
async fn a_write_waits_for_a_person_and_happens_once() {
    for app in TestApp::both().await {
        let (ada, client) = connected(&app).await;
        let arguments = proposal(&ada).await;
        let answer = client.call(GROUP, arguments.clone()).await["result"].clone();
        let told = &answer["structuredContent"];
        assert_eq!(told["status"], "awaiting_approval", "{answer}");
        let approval = &told["approvals"][0];
        assert_eq!(approval["will_be_sent"], arguments);
        let id = approval["approval_id"].as_str().unwrap();
        assert!(approval["approve_at"].as_str().unwrap().ends_with(&format!("/approvals?id={id}")), "{approval}");
        assert!(answer["content"][0]["text"].as_str().unwrap().contains("Nothing was changed yet"));
        assert!(app.writes().await.is_empty(), "a call changes nothing");

        let waiting = client.call("adagent_list_approvals", json!({})).await["result"]["structuredContent"].clone();
        assert_eq!(waiting["items"][0]["approval_id"], id);
        // The desk shows it as its own, and only its person can answer.
        assert_eq!(ada.get(&format!("/api/approvals/{id}")).await.json()["tool_name"], GROUP);
        let body = json!({"approval_id": id, "approved": true});
        let bob = app.person("bob").await;
        assert_eq!(bob.post("/chat/approve-tool", body.clone()).await.status, 404);
        // Nor a token that is not for it.
        let request = ada.request("POST", "/chat/approve-tool").bearer_auth(&client.token).json(&body);
        assert_eq!(ada.finish("POST", "/chat/approve-tool", request).await.status, 403);
        // Nor one that is for both: who asks for a change does not approve it.
        let (_, both) = token(&ada, &["api", "mcp"]).await;
        let request = ada.request("POST", "/chat/approve-tool").bearer_auth(&both).json(&body);
        assert_eq!(ada.finish("POST", "/chat/approve-tool", request).await.status, 403);
        let request = ada.request("PUT", "/api/settings/context").bearer_auth(&both).json(&json!({"safe_mode": false}));
        assert_eq!(ada.finish("PUT", "/api/settings/context", request).await.status, 403);
        assert!(app.writes().await.is_empty());
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
        let writes = app.writes().await;
        assert_eq!(writes.len(), 1, "{writes:?}");

        let run = json!({"run_id": told["run_id"]});
        let done = client.call("adagent_run_status", run.clone()).await["result"]["structuredContent"].clone();
        assert_eq!(
            (done["status"].as_str(), done["approvals"][0]["status"].as_str()),
            (Some("completed"), Some("approved"))
        );
        assert!(done["calls"].as_array().unwrap().iter().any(|call| call["tool"] == GROUP && call["state"] == "ok"));
        assert_eq!(app.writes().await.len(), 1);

        // Somebody else's run does not exist.
        let (_, bobs) = token(&bob, &["mcp"]).await;
        let foreign = Client::new(&app, &bobs).call("adagent_run_status", run).await;
        assert_eq!(foreign["result"]["isError"], true);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_write_that_is_repeated_is_led_to_the_question_there_is() {
    for app in TestApp::both().await {
        let (ada, client) = connected(&app).await;
        let arguments = proposal(&ada).await;
        let asked = async |arguments: &Value| {
            let answer = client.call(GROUP, arguments.clone()).await["result"]["structuredContent"].clone();
            answer["approvals"][0]["approval_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
        };
        let first = asked(&arguments).await;
        assert_eq!(asked(&arguments).await, first, "the answer was lost, the question is the same");
        let mut other = arguments.clone();
        other["body"]["displayName"] = json!("Another name");
        assert_ne!(asked(&other).await, first);
        let body = json!({"approval_id": first, "approved": false});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_ne!(asked(&arguments).await, first, "what was answered is over");
        // Nobody was first yet.
        for name in ["At once", "At once again"] {
            other["body"]["displayName"] = json!(name);
            let at_once = futures::future::join_all((0..8).map(|_| asked(&other))).await;
            assert!(at_once.iter().all(|id| *id == at_once[0]), "{at_once:?}");
        }
        assert!(app.writes().await.is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn a_client_that_opens_pages_is_led_to_the_approval_and_its_word_approves_nothing() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let arguments = proposal(&ada).await;
    let opens = json!({"elicitation": {"url": {}}});
    let params = json!({"name": GROUP, "arguments": arguments});
    let asked = client.request("tools/call", params.clone(), opens.clone()).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["approval"];
    assert_eq!(
        (request["method"].as_str(), request["params"]["mode"].as_str()),
        (Some("elicitation/create"), Some("url"))
    );
    assert!(request["params"]["url"].as_str().unwrap().contains("/approvals?id="));
    let mut again = params;
    again["inputResponses"] = json!({"approval": {"action": "accept", "content": {"approved": true}}});
    again["requestState"] = asked["requestState"].clone();
    let answer = client.request("tools/call", again.clone(), opens.clone()).await["result"].clone();
    assert_eq!(answer["structuredContent"]["status"], "awaiting_approval", "{answer}");
    assert!(app.writes().await.is_empty());
    assert_eq!(ada.get("/api/approvals?status=pending").await.json()["items"].as_array().unwrap().len(), 1);
    again["requestState"] = json!("019aa000-0000-7000-8000-000000000001");
    assert!(client.request("tools/call", again, opens).await["error"]["code"].is_number());
}

#[tokio::test]
async fn a_task_is_a_stored_run() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let arguments = proposal(&ada).await;
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"url": {}}});
    let params = json!({"name": GROUP, "arguments": arguments});
    let made = client.request("tools/call", params, tasks.clone()).await["result"].clone();
    assert_eq!(made["resultType"], "task", "{made}");
    let id = made["taskId"].clone();
    // The run is followed like any other until it waits.
    let path = format!("/api/runs/{}/events", id.as_str().unwrap());
    let events = ada.stream(ada.request("GET", &path)).await;
    let approval = of(&events, "tool_approval_required")["approval_id"].clone();
    let waits = client.request("tasks/get", json!({"taskId": id}), tasks.clone()).await["result"].clone();
    assert_eq!(waits["status"], "input_required", "{waits}");
    client
        .request(
            "tasks/update",
            json!({"taskId": id, "inputResponses": {"approval": {"action": "accept"}}}),
            tasks.clone(),
        )
        .await;
    assert!(app.writes().await.is_empty());
    let body = json!({"approval_id": approval, "approved": true});
    ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    let done = client.request("tasks/get", json!({"taskId": id}), tasks.clone()).await["result"].clone();
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["structuredContent"]["status"], "completed");
    assert_eq!(app.writes().await.len(), 1);
    let foreign = client.request("tasks/get", json!({"taskId": "019aa000-0000-7000-8000-000000000001"}), tasks).await;
    assert!(foreign["error"]["code"].is_number());
}

#[tokio::test]
async fn questions_prompts_and_resources_are_served() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    let answer =
        client.call("adagent_ask", json!({"question": "What was my revenue yesterday?"})).await["result"].clone();
    let told = &answer["structuredContent"];
    assert_eq!(told["status"], "completed", "{answer}");
    assert!(told["answer"].as_str().unwrap().contains('$') && !told["calls"].as_array().unwrap().is_empty());

    let prompts = client.request("prompts/list", json!({}), json!({})).await["result"]["prompts"].clone();
    assert!(prompts.as_array().unwrap().len() >= 5);
    let prompt = client.request("prompts/get", json!({"name": "daily_check"}), json!({})).await;
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("yesterday"));

    let listed = client.request("resources/list", json!({}), json!({})).await["result"]["resources"].clone();
    let uris: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert!(uris.contains(&"adagent://networks") && uris.contains(&"adagent://entities/admob/app"), "{uris:?}");
    let run = format!("adagent://runs/{}", told["run_id"].as_str().unwrap());
    assert!(uris.contains(&run.as_str()));
    for uri in uris {
        let read = client.request("resources/read", json!({"uri": uri}), json!({})).await;
        let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{uri}: {read}"));
        serde_json::from_str::<Value>(text).unwrap();
    }
    for uri in
        ["adagent://runs/019aa000-0000-7000-8000-000000000001", "adagent://entities/applovin/app", "file:///etc/passwd"]
    {
        let read = client.request("resources/read", json!({"uri": uri}), json!({})).await;
        assert!(read["error"]["code"].is_number(), "{uri}: {read}");
    }
}

#[tokio::test]
async fn a_listener_hears_that_tools_changed_and_loses_its_stream_with_the_token() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (id, secret) = token(&ada, &["mcp"]).await;
    let client = Client::new(&app, &secret);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"toolsListChanged": true},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        }
    }});
    let request = client.post(&body).bearer_auth(&secret).header("mcp-protocol-version", VERSION);
    let mut stream = request.header("mcp-method", "subscriptions/listen").send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let mut heard = String::new();
    let patience = std::time::Duration::from_secs(30);
    while !heard.contains("acknowledged") {
        let chunk = tokio::time::timeout(patience, stream.chunk()).await.expect("it is acknowledged").unwrap();
        heard.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
    }
    // Once for what changed before anybody looked, and then for what changes.
    let told = "notifications/tools/list_changed";
    for times in [1, 2] {
        while heard.matches(told).count() < times {
            let chunk = tokio::time::timeout(patience, stream.chunk()).await.expect("it is told").unwrap();
            heard.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
        }
        if times == 1 {
            assert_eq!(ada.post("/api/sandbox/explore", json!({})).await.status, 200);
        }
    }
    ada.send("DELETE", &format!("/api/tokens/{id}"), None).await;
    while tokio::time::timeout(patience, stream.chunk()).await.expect("the stream ends").unwrap().is_some() {}
}
