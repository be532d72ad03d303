//! MCP at `/mcp`, with hand-written requests: who may use it, what is listed, and that nothing changes without a person.

use serde_json::{Value, json};

use crate::{
    harness::{EVIL, TestApp, of},
    tokens::token,
};

const VERSION: &str = "2026-07-28";
pub const GROUP: &str = "admob_create_mediation_group";

pub struct Client<'a> {
    app: &'a TestApp,
    http: reqwest::Client,
    token: String,
    /// The query of the address, with its question mark.
    pub query: String,
}

impl<'a> Client<'a> {
    pub fn new(app: &'a TestApp, token: &str) -> Self {
        Self { app, http: reqwest::Client::new(), token: token.to_owned(), query: String::new() }
    }

    pub fn post(&self, body: &Value) -> reqwest::RequestBuilder {
        let accept = "application/json, text/event-stream";
        self.http.post(format!("{}/mcp{}", self.app.running.base_url(), self.query)).header("accept", accept).json(body)
    }

    /// Sends a request of the current protocol revision, which needs no session; returns the whole answer.
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

/// Encodes a name for a header: what is not plain ASCII goes in base64, as the protocol says.
fn header(name: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
    if plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

/// Parses JSON, or the last message of a stream.
fn read(text: &str) -> Value {
    let last = text.lines().filter_map(|line| line.strip_prefix("data:")).rfind(|data| !data.trim().is_empty());
    serde_json::from_str(last.unwrap_or(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

pub async fn connected(app: &TestApp) -> (crate::harness::Caller<'_>, Client<'_>) {
    let ada = app.explorer("ada").await;
    let (_, secret) = token(&ada, &["mcp"]).await;
    (ada, Client::new(app, &secret))
}

/// Returns a group for an app and ad unit of the sandbox, as the desk itself would propose it.
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
    // A browser session does not count as a token.
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
    let own = [
        "adagent_ask",
        "adagent_list_approvals",
        "adagent_run_status",
        "adagent_create_document",
        "adagent_create_todo",
        "adagent_delete_document",
        "adagent_delete_saved_question",
        "adagent_delete_todo",
        "adagent_list_changes",
        "adagent_list_documents",
        "adagent_list_journal",
        "adagent_list_members",
        "adagent_list_saved_questions",
        "adagent_list_todos",
        "adagent_move_document",
        "adagent_read_document",
        "adagent_save_question",
        "adagent_search_documents",
        "adagent_update_document",
        "adagent_update_todo",
    ];
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
    // In safe mode, programs see no tool that changes anything. With every network turned off, they see only the native tools.
    assert_eq!(ada.send("PUT", "/api/settings/context", Some(json!({"safe_mode": true}))).await.status, 200);
    let tools = client.tools().await;
    assert!(!names(&tools).contains(&GROUP) && names(&tools).contains(&"admob_list_accounts"));
    assert!(!names(&tools).contains(&"adagent_save_question") && names(&tools).contains(&"adagent_list_changes"));
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
    // An unknown entity is reported with the field that named it, and the data has one error rather than nested ones.
    let answer = client.call("admob_list_ad_units", json!({"account_id": "pub-1111111111111111"})).await;
    let told = answer["result"]["content"][0]["text"].as_str().unwrap();
    let said = told.strip_prefix("UNKNOWN_ENTITY: ").unwrap_or_else(|| panic!("{answer}"));
    assert!(said.starts_with('/') || said.starts_with(char::is_uppercase), "a sentence without subject: {said}");
    let detail: Value = serde_json::from_str(answer["result"]["content"][1]["text"].as_str().unwrap()).unwrap();
    assert!(detail["error"].is_object() && detail["error"]["error"].is_null(), "{detail}");
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
        assert!(answer["content"][0]["text"].as_str().unwrap().contains("Nothing has changed yet"));
        assert!(app.writes().await.is_empty(), "a call changes nothing");
        let waiting = client.call("adagent_list_approvals", json!({})).await["result"]["structuredContent"].clone();
        assert_eq!(waiting["items"][0]["approval_id"], id);
        // The desk shows the approval like its own, and only its person can answer it.
        assert_eq!(ada.get(&format!("/api/approvals/{id}")).await.json()["tool_name"], GROUP);
        let body = json!({"approval_id": id, "approved": true});
        let bob = app.person("bob").await;
        assert_eq!(bob.post("/chat/approve-tool", body.clone()).await.status, 404);
        // A token without the scope cannot answer it either.
        let request = ada.request("POST", "/chat/approve-tool").bearer_auth(&client.token).json(&body);
        assert_eq!(ada.finish("POST", "/chat/approve-tool", request).await.status, 403);
        // A token with both scopes can't either: a program that asks for a change must not approve it.
        let (_, both) = token(&ada, &["api", "mcp"]).await;
        let request = ada.request("POST", "/chat/approve-tool").bearer_auth(&both).json(&body);
        assert_eq!(ada.finish("POST", "/chat/approve-tool", request).await.status, 403);
        let request = ada.request("PUT", "/api/settings/context").bearer_auth(&both).json(&json!({"safe_mode": false}));
        assert_eq!(ada.finish("PUT", "/api/settings/context", request).await.status, 403);
        // It must not change where the numbers come from, or delete a chat.
        let providers = ada.get("/api/providers").await.json();
        let all = providers["items"].as_array().unwrap();
        let admob = all.iter().find(|one| one["network"] == "admob").unwrap()["id"].as_str().unwrap().to_owned();
        let session = ada.get("/api/chat/sessions").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
        for (method, path, body) in [
            ("DELETE", format!("/api/providers/{admob}"), json!({})),
            ("PATCH", format!("/api/providers/{admob}/enable"), json!({"enabled": false})),
            ("PUT", format!("/api/providers/{admob}/accounts"), json!({"account_ids": ["x"]})),
            ("POST", "/api/networks/applovin".to_owned(), json!({"connection_id": admob})),
            ("DELETE", format!("/api/chat/sessions/{session}"), json!({})),
            ("PATCH", format!("/api/chat/sessions/{session}"), json!({"shared": true})),
        ] {
            let request = ada.request(method, &path).bearer_auth(&both).json(&body);
            assert_eq!(ada.finish(method, &path, request).await.status, 403, "{method} {path}");
        }
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
        // The text must say what was done: a program believes it, and asks again if the text says that nothing was done.
        let said = words(&client, run.clone()).await;
        assert!(said.contains("Created mediation group") && !said.contains("did nothing"), "{said}");
        // Other people's runs do not exist.
        let (_, bobs) = token(&bob, &["mcp"]).await;
        let foreign = Client::new(&app, &bobs).call("adagent_run_status", run).await;
        assert_eq!(foreign["result"]["isError"], true);
        app.stop().await;
    }
}

/// Returns what a program learns about a run.
pub async fn words(client: &Client<'_>, run: Value) -> String {
    let answer = client.call("adagent_run_status", run).await;
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test]
async fn the_words_of_a_write_that_was_denied_or_refused_say_so() {
    for app in TestApp::both().await {
        let (ada, client) = connected(&app).await;
        let arguments = proposal(&ada).await;
        let answered = async |approved: bool| {
            let told = client.call(GROUP, arguments.clone()).await["result"]["structuredContent"].clone();
            let body = json!({"approval_id": told["approvals"][0]["approval_id"], "approved": approved});
            ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
            words(&client, json!({"run_id": told["run_id"]})).await
        };
        let said = answered(false).await;
        assert!(said.contains("Denied. Nothing was sent."), "{said}");
        assert!(app.writes().await.is_empty());
        let base = &app.running.sandbox.as_ref().expect("a sandbox").base_url;
        let fault = json!({"network": "admob", "operation": GROUP, "kind": "status", "status": 400, "times": 1});
        let set = reqwest::Client::new().post(format!("{base}/__sandbox/faults")).json(&fault).send().await.unwrap();
        assert!(set.status().is_success());
        let said = answered(true).await;
        assert!(said.contains("AdMob did not make the change: "), "{said}");
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
        // Ask eight times at once, with no earlier request.
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
    let waiting = asked["inputRequests"].as_object().unwrap();
    let (key, request) = waiting.iter().next().unwrap();
    assert!(key.starts_with("approval-") && waiting.len() == 1, "each question has a key of its own: {key}");
    assert_eq!(
        (request["method"].as_str(), request["params"]["mode"].as_str()),
        (Some("elicitation/create"), Some("url"))
    );
    assert!(request["params"]["url"].as_str().unwrap().contains("/approvals?id="));
    let mut again = params;
    again["inputResponses"] = json!({key: {"action": "accept", "content": {"approved": true}}});
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
    let waits = client.request("tasks/get", json!({"taskId": id}), tasks.clone()).await["result"].clone();
    assert_eq!(waits["status"], "input_required", "a key that nobody asked about answers nothing: {waits}");
    // The client did what it was asked. It is not asked again, and the approval still waits for its person.
    let key = format!("approval-{}", approval.as_str().unwrap());
    let answers = json!({"taskId": id, "inputResponses": {key: {"action": "accept"}}});
    client.request("tasks/update", answers, tasks.clone()).await;
    let waits = client.request("tasks/get", json!({"taskId": id}), tasks.clone()).await["result"].clone();
    assert_eq!((&waits["status"], &waits["inputRequests"]), (&json!("working"), &Value::Null), "{waits}");
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
        let data: Value = serde_json::from_str(text).unwrap();
        let (of_entities, of_a_run) = (uri.contains("/entities/"), uri.contains("/runs/"));
        assert!(text.len() < if of_entities { 45_000 } else { 410_000 }, "{uri}: {} bytes", text.len());
        if of_a_run {
            assert_eq!((&data["next"], &data["question"]), (&Value::Null, &json!("What was my revenue yesterday?")));
            assert!(!data["artifacts"].as_array().unwrap().is_empty(), "{data}");
        }
        if !of_entities {
            continue;
        }
        // Every entity is on one of the pages, and each page names the next one.
        let (mut seen, mut at) = (data["items"].as_array().unwrap().len(), data["next"].clone());
        while let Some(next) = at.as_str() {
            let read = client.request("resources/read", json!({"uri": next}), json!({})).await;
            let page: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
            seen += page["items"].as_array().unwrap().len();
            at = page["next"].clone();
        }
        assert_eq!(json!(seen), data["total"], "{uri}");
        let beyond = client.request("resources/read", json!({"uri": format!("{uri}/99")}), json!({})).await;
        assert!(beyond["error"]["code"].is_number(), "{beyond}");
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
    // The client is notified once about what changed before it listened, and then about each change.
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

#[tokio::test]
async fn a_call_under_way_is_not_answered_once_its_token_was_revoked() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let base = &app.running.sandbox.as_ref().unwrap().base_url;
    let slow = json!({"network": "admob", "kind": "delay", "ms": 8000, "times": 20});
    reqwest::Client::new().post(format!("{base}/__sandbox/faults")).json(&slow).send().await.unwrap();
    let question = json!({"question": "What was my revenue yesterday?"});
    for (tool, arguments) in [("admob_list_accounts", json!({})), ("adagent_ask", question)] {
        let (id, secret) = token(&ada, &["mcp"]).await;
        let client = Client::new(&app, &secret);
        let (answer, ()) = futures::join!(client.call(tool, arguments), async {
            tokio::time::sleep(std::time::Duration::from_millis(600)).await;
            assert_eq!(ada.send("DELETE", &format!("/api/tokens/{id}"), None).await.status, 204);
        });
        assert!(answer["result"].is_null(), "{tool}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("revoked"), "{tool}: {answer}");
    }
    // The client no longer waits for the answer, so the run stops.
    let limit = std::time::Instant::now() + std::time::Duration::from_mins(1);
    loop {
        let runs = ada.get("/api/runs").await.json();
        if runs["items"][0]["status"] == "cancelled" {
            break;
        }
        assert!(matches!(runs["items"][0]["status"].as_str(), Some("queued" | "running")), "{runs}");
        assert!(std::time::Instant::now() < limit, "{runs}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_session_ends_once_and_revisions_with_batches_are_not_offered() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    let session = older_session(&client, json!({})).await;
    let end = async |session: &str| {
        let request = client.http.delete(format!("{}/mcp", app.running.base_url())).bearer_auth(&client.token);
        request.header("mcp-session-id", session).send().await.unwrap().status().as_u16()
    };
    assert_eq!(end("019aa000-0000-7000-8000-000000000001").await, 404);
    assert_eq!(end(&session).await, 204);
    assert_eq!(end(&session).await, 404);
    for (asked, told) in [("2025-03-26", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05")] {
        let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}
        }});
        let answer = client.post(&begin).bearer_auth(&client.token).send().await.unwrap();
        assert_eq!(read(&answer.text().await.unwrap())["result"]["protocolVersion"], told, "{asked}");
    }
    let discovered = client.request("server/discover", json!({}), json!({})).await["result"].clone();
    assert!(discovered["supportedVersions"].is_array(), "{discovered}");
    assert!(!discovered["supportedVersions"].to_string().contains("2025-03-26"), "{discovered}");
}

/// Opens a session of an older client, which describes itself once.
async fn older_session(client: &Client<'_>, capabilities: Value) -> String {
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "older", "version": "1"}
    }});
    let answer = client.post(&begin).bearer_auth(&client.token).send().await.unwrap();
    answer.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_that_once_spoke_of_tasks_gets_answers() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let session = older_session(&client, json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})).await;
    let arguments = proposal(&ada).await;
    let ask = json!({"question": "What was my revenue yesterday?"});
    for (name, arguments, status) in [("adagent_ask", ask, "completed"), (GROUP, arguments, "awaiting_approval")] {
        let params = json!({"name": name, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        let request = client.post(&body).bearer_auth(&client.token).header("mcp-session-id", &session);
        let answer = read(&request.send().await.unwrap().text().await.unwrap())["result"].clone();
        assert_eq!(answer["structuredContent"]["status"], status, "{answer}");
        assert_ne!(answer["resultType"], "task");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_told_as_the_protocol_says() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    let session = older_session(&client, json!({})).await;
    for params in [json!({"arguments": {}}), json!({"name": "admob_list_accounts", "arguments": "x"})] {
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        let request = client.post(&body).bearer_auth(&client.token).header("mcp-session-id", &session);
        let told = read(&request.send().await.unwrap().text().await.unwrap());
        assert_eq!(told["error"]["code"], -32602, "{told}");
        assert!(told["error"]["message"].as_str().unwrap().contains("tools/call"), "{told}");
        let told = client.request("tools/call", params, json!({})).await;
        assert_eq!(told["error"]["code"], -32602, "{told}");
    }
    let told = client.request("tools/paint", json!({}), json!({})).await;
    assert_eq!(told["error"]["code"], -32601, "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains(' '), "a sentence: {told}");
    for (body, code) in
        [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32600)]
    {
        let request = client.post(&json!({})).bearer_auth(&client.token).body(body);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        assert_eq!(read(&answer.text().await.unwrap())["error"]["code"], code);
    }
}

#[tokio::test]
async fn a_long_answer_is_a_part_with_totals_and_leads_to_the_whole() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    assert_eq!(ada.post("/api/sandbox/explore", json!({"networks": ["unity"]})).await.status, 200);
    let (_, secret) = token(&ada, &["mcp"]).await;
    let client = Client::new(&app, &secret);
    let apps = client.call("unity_list_applications", json!({})).await["result"]["structuredContent"].clone();
    let key = apps["items"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|one| one["appKey"].as_str())
        .unwrap_or_else(|| panic!("{apps}"));
    let today: jiff::civil::Date = ada.get("/api/sandbox").await.json()["today"].as_str().unwrap().parse().unwrap();
    // Unity delivers the data of a day from the next morning on.
    let day = today.yesterday().unwrap().yesterday().unwrap().to_string();
    let answer =
        client.call("unity_get_impression_revenue", json!({"date": day, "appKey": key})).await["result"].clone();
    let told = &answer["structuredContent"];
    assert!(answer.to_string().len() < 60_000, "{} bytes", answer.to_string().len());
    assert_eq!(told["truncated"], true, "{answer}");
    let (shown, of) = (told["rows"].as_array().unwrap().len(), told["cut"][0]["of"].as_u64().unwrap());
    assert!(shown > 50 && of > 5_000 && told["cut"][0]["shown"] == shown, "{}", told["cut"]);
    assert!(told["totals"].as_object().is_some_and(|totals| !totals.is_empty()), "{answer}");
    let link = answer["content"].as_array().unwrap().iter().find(|one| one["type"] == "resource_link").expect("a link");
    let (base, first) = link["uri"].as_str().unwrap().rsplit_once('/').unwrap();
    assert_eq!(first, "1");
    let (mut rows, mut page) = (0, 1);
    loop {
        let read = client.request("resources/read", json!({"uri": format!("{base}/{page}")}), json!({})).await;
        let Some(text) = read["result"]["contents"][0]["text"].as_str() else {
            assert!(read["error"]["code"].is_number(), "{read}");
            break;
        };
        assert_eq!(read["result"]["contents"][0]["mimeType"], "text/csv");
        rows += text.lines().count() - 1;
        page += 1;
    }
    assert_eq!(rows as u64, of, "every row is in one of {page} pages");
    // A person who may not make the call may not read its result either.
    let bob = app.person("bob").await;
    let (_, bobs) = token(&bob, &["mcp"]).await;
    let foreign =
        Client::new(&app, &bobs).request("resources/read", json!({"uri": format!("{base}/1")}), json!({})).await;
    assert!(foreign["error"]["code"].is_number(), "{foreign}");
}

#[tokio::test]
async fn arguments_of_resources_complete_and_unknown_prompts_are_errors() {
    let app = TestApp::sqlite().await;
    let (_, client) = connected(&app).await;
    let complete = async |reference: Value, name: &str, typed: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": typed}});
        client.request("completion/complete", params, json!({})).await
    };
    let entities = json!({"type": "ref/resource", "uri": "adagent://entities/{network}/{kind}"});
    let values = |answer: &Value| answer["result"]["completion"]["values"].clone();
    assert_eq!(values(&complete(entities.clone(), "network", "ad").await), json!(["admob"]));
    assert!(values(&complete(entities, "kind", "ad_u").await).to_string().contains("\"ad_unit\""));
    client.call("adagent_ask", json!({"question": "What was my revenue yesterday?"})).await;
    let runs = json!({"type": "ref/resource", "uri": "adagent://runs/{run_id}"});
    assert_eq!(values(&complete(runs, "run_id", "").await).as_array().unwrap().len(), 1);
    for reference in
        [json!({"type": "ref/prompt", "name": "nope"}), json!({"type": "ref/resource", "uri": "file:///{x}"})]
    {
        assert_eq!(complete(reference, "app", "").await["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_question_that_is_canceled_stops() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let slow = json!({"network": "admob", "kind": "delay", "ms": 8000, "times": 20});
    let base = &app.running.sandbox.as_ref().unwrap().base_url;
    reqwest::Client::new().post(format!("{base}/__sandbox/faults")).json(&slow).send().await.unwrap();
    let session = older_session(&client, json!({})).await;
    let params = json!({"name": "adagent_ask", "arguments": {"question": "What was my revenue yesterday?"}});
    let ask = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let with = |body: &Value| client.post(body).bearer_auth(&client.token).header("mcp-session-id", &session);
    let asked = tokio::spawn(with(&ask).send());
    let limit = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let run = loop {
        let runs = ada.get("/api/runs").await.json();
        if let Some(run) = runs["items"][0]["id"].as_str() {
            break run.to_owned();
        }
        assert!(std::time::Instant::now() < limit, "the question became no run");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert!(with(&cancel).send().await.unwrap().status().is_success());
    loop {
        let status = ada.get(&format!("/api/runs/{run}")).await.json()["status"].as_str().unwrap().to_owned();
        if status == "cancelled" {
            break;
        }
        assert!(matches!(status.as_str(), "queued" | "running"), "it went on to its end: {status}");
        assert!(std::time::Instant::now() < limit, "still {status}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    asked.abort();
}

#[tokio::test]
async fn a_subscription_hears_that_an_approval_was_answered() {
    let app = TestApp::sqlite().await;
    let (ada, client) = connected(&app).await;
    let arguments = proposal(&ada).await;
    let asked = client.call(GROUP, arguments).await["result"]["structuredContent"].clone();
    let run = format!("adagent://runs/{}", asked["run_id"].as_str().unwrap());
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": [run, "file:///etc/passwd"]},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        }
    }});
    let request = client.post(&body).bearer_auth(&client.token).header("mcp-protocol-version", VERSION);
    let mut stream = request.header("mcp-method", "subscriptions/listen").send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let mut heard = String::new();
    for times in [1, 2] {
        while heard.matches("notifications/resources/updated").count() < times {
            let patience = std::time::Duration::from_secs(30);
            let chunk = tokio::time::timeout(patience, stream.chunk()).await.expect("it is told").unwrap();
            heard.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
        }
        if times == 1 {
            let body = json!({"approval_id": asked["approvals"][0]["approval_id"], "approved": false});
            ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        }
    }
    assert!(heard.contains(&run) && !heard.contains("passwd") && !heard.contains("tools/list_changed"), "{heard}");
}
