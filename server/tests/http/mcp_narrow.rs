//! What an MCP address leaves out.

use serde_json::json;

use crate::{
    harness::TestApp,
    mcp::{GROUP, connected, names},
};

#[tokio::test]
async fn an_address_narrows_the_tools_and_what_it_leaves_out_cannot_be_called() {
    let app = TestApp::sqlite().await;
    let (ada, mut client) = connected(&app).await;
    assert_eq!(ada.post("/api/sandbox/explore", json!({"networks": ["unity"]})).await.status, 200);
    let whole = names(&client.tools().await).len();
    for (query, network, writes) in [("networks=unity", "unity_", true), ("tools=read&networks=admob", "admob_", false)]
    {
        client.query = format!("?{query}");
        let tools = client.tools().await;
        assert!(tools.len() > 3 && tools.len() < whole, "{query}: {}", tools.len());
        for tool in tools.iter().filter(|tool| !tool["name"].as_str().unwrap().starts_with("adagent_")) {
            assert!(tool["name"].as_str().unwrap().starts_with(network), "{query}: {}", tool["name"]);
            assert!(writes || tool["annotations"]["readOnlyHint"] == true, "{query}: {}", tool["name"]);
            assert_eq!(tool["outputSchema"]["type"], "object");
        }
    }
    assert_eq!(client.call(GROUP, json!({})).await["error"]["code"], -32602);
    client.query = "?tools=own".into();
    let own = client.tools().await;
    assert!(!own.is_empty() && own.iter().all(|tool| tool["name"].as_str().unwrap().starts_with("adagent_")));
    client.query = "?networks=facebook".into();
    let told = client.request("tools/list", json!({}), json!({})).await;
    assert_eq!(told["error"]["code"], -32602, "{told}");
}
