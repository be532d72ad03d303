//! Who may use MCP: every tool it lists, and every part of the protocol that a client may use.

use serde_json::{Value, json};

use super::{
    database,
    people::{Caller, Standing, World},
};
use crate::{harness::TestApp, mcp::Client};

/// The native tools. The tools of networks come from their catalog; those that change something need a person's approval.
const OWN: [&str; 20] = [
    "adagent_ask",
    "adagent_create_document",
    "adagent_create_todo",
    "adagent_delete_document",
    "adagent_delete_saved_question",
    "adagent_delete_todo",
    "adagent_list_approvals",
    "adagent_list_changes",
    "adagent_list_documents",
    "adagent_list_journal",
    "adagent_list_members",
    "adagent_list_saved_questions",
    "adagent_list_todos",
    "adagent_move_document",
    "adagent_read_document",
    "adagent_run_status",
    "adagent_save_question",
    "adagent_search_documents",
    "adagent_update_document",
    "adagent_update_todo",
];

/// Returns a method for every part of the protocol that the server announces, and the request for it.
fn methods() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("tools", "tools/list", json!({})),
        ("prompts", "prompts/list", json!({})),
        ("resources", "resources/list", json!({})),
        (
            "completions",
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "daily_check"}, "argument": {"name": "network", "value": "a"}
            }),
        ),
        ("extensions", "tasks/get", json!({"taskId": super::people::UNKNOWN})),
    ]
}

/// Returns the refusal that a caller gets before MCP starts; `None` if their token is accepted.
fn refusal(caller: Caller) -> Option<u16> {
    match caller {
        Caller::McpToken | Caller::BothToken => None,
        Caller::ApiToken => Some(403),
        // A browser session does not count as a token, no matter who it belongs to.
        _ => Some(401),
    }
}

async fn status(world: &World<'_>, caller: Caller, body: &Value) -> u16 {
    let request = world.http.post(format!("{}/mcp", world.base)).json(body);
    let request = request.header("accept", "application/json, text/event-stream");
    let request = match world.standing(caller) {
        Standing::Nobody => request,
        Standing::Cookie(cookie) => request.header("cookie", cookie),
        Standing::Token(token) => request.bearer_auth(token),
    };
    request.send().await.unwrap().status().as_u16()
}

pub async fn every_tool_and_every_method_is_behind_a_token_of_its_scope(app: &TestApp, world: &World<'_>) {
    let Standing::Token(token) = world.standing(Caller::McpToken) else { panic!("a token") };
    let client = Client::new(app, token);
    let discovered = client.request("server/discover", json!({}), json!({})).await["result"].clone();
    let parts = discovered["capabilities"].as_object().unwrap_or_else(|| panic!("{discovered}"));
    for part in parts.keys() {
        assert!(methods().iter().any(|(of, ..)| of == part), "{part} has no row");
    }
    let tools = client.tools().await;
    let calls = tools.iter().map(|tool| ("tools/call", json!({"name": tool["name"], "arguments": {}})));
    let asked: Vec<_> = methods().into_iter().map(|(_, method, params)| (method, params)).chain(calls).collect();
    for (method, params) in &asked {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        for caller in Caller::ALL {
            if let Some(refusal) = refusal(caller) {
                assert_eq!(status(world, caller, &body).await, refusal, "{method} {params} by {caller:?}");
            }
        }
    }
    for (_, method, params) in methods() {
        let answer = client.request(method, params, json!({})).await;
        assert!(answer["result"].is_object() || answer["error"]["code"].is_number(), "{method}: {answer}");
    }
}

pub async fn a_token_sees_the_tools_of_its_workspace_and_calls_no_other(app: &TestApp, world: &World<'_>) {
    let Standing::Token(members) = world.standing(Caller::McpToken) else { panic!("a token") };
    let client = Client::new(app, members);
    let tools = client.tools().await;
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let of_network = ["admob_", "pangle_"].iter().any(|network| name.starts_with(network));
        assert!(of_network || OWN.contains(&name), "{name} is neither the desk's nor of a network that is connected");
    }

    // A stranger's workspace has no network. They cannot call what they cannot see, whatever workspace they name.
    let (_, secret) = crate::tokens::token(&stranger(app).await, &["mcp"]).await;
    let outside = Client::new(app, &secret);
    let mut seen: Vec<String> =
        outside.tools().await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    seen.sort();
    assert_eq!(seen, OWN);
    for tool in tools.iter().map(|tool| tool["name"].as_str().unwrap()).filter(|name| !OWN.contains(name)) {
        assert_eq!(outside.call(tool, json!({})).await["error"]["code"], -32602, "{tool}");
    }
    let theirs = world.things(Caller::Member).run.clone();
    let told = async |run: &str| {
        let answer = outside.call("adagent_run_status", json!({"run_id": run})).await["result"].to_string();
        answer.replace(run, "ID")
    };
    assert_eq!(told(&theirs).await, told(super::people::UNKNOWN).await);

    // Changes wait: even with every permission, a call alone sends nothing.
    for tool in tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == false) {
        let name = tool["name"].as_str().unwrap();
        if !OWN.contains(&name) {
            client.call(name, json!({})).await;
        }
    }
    assert!(app.writes().await.is_empty());

    // A person who is no longer a member has no token either.
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    database::leave(app, &world.organization, "member").await;
    let left = status(world, Caller::McpToken, &list).await;
    assert!(matches!(left, 401 | 404), "{left}");
}

async fn stranger(app: &TestApp) -> crate::harness::Caller<'_> {
    app.person("outside").await
}
