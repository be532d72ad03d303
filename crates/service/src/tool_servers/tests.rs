//! What people may type, and for which server and host a key opens.

use std::sync::Arc;

use adagent_contract::{NewToolServer, ServerTool, ToolServerSignIn};
use adagent_domain::{SequentialIds, ToolServerId, WorkspaceId};
use adagent_identity::{KeyRing, Vault};
use serde_json::json;

use super::{check::checked, shelf};
use crate::ServiceError;

fn new(json: serde_json::Value) -> NewToolServer {
    serde_json::from_value(json).unwrap()
}

fn wrong(json: serde_json::Value) -> Vec<String> {
    match checked(new(json)).map(|_| ()) {
        Err(ServiceError::Validation(errors)) => errors.into_iter().map(|error| error.pointer).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_people_type_is_checked_field_by_field() {
    let good = checked(new(json!({"name": " Docs & more ", "url": "https://mcp.example.com/mcp"}))).unwrap();
    assert_eq!((good.name.as_str(), good.handle.as_str()), ("Docs & more", "docs-more"));
    assert_eq!(wrong(json!({"name": "", "url": "nowhere"})), ["/name", "/url"]);
    assert_eq!(wrong(json!({"name": "42", "url": "https://a.example/#x"})), ["/handle", "/url"]);
    let of = |sign_in: serde_json::Value, secret: Option<&str>| {
        wrong(json!({"name": "Docs", "url": "https://a.example/", "sign_in": sign_in, "secret": secret}))
    };
    assert_eq!(of(json!({"kind": "bearer"}), None), ["/secret"]);
    assert_eq!(of(json!({"kind": "none"}), Some("x")), ["/secret"]);
    assert_eq!(of(json!({"kind": "bearer"}), Some("two words")), ["/secret"]);
    for taken in ["Host", "Transfer-Encoding", "Connection", "TE", "Upgrade", "Proxy-Authorization"] {
        assert_eq!(of(json!({"kind": "header", "name": taken}), Some("x")), ["/sign_in/name"], "{taken}");
    }
    assert_eq!(of(json!({"kind": "header", "name": "a b"}), Some("x")), ["/sign_in/name"]);
    let header = json!({"kind": "header", "name": "X-API-Key"});
    let good = checked(new(json!({"name": "Docs", "url": "https://a.example/", "sign_in": header, "secret": " k "})));
    assert_eq!(good.unwrap().sign_in, ToolServerSignIn::Header { name: "X-API-Key".into() });
}

#[test]
fn a_key_opens_for_the_host_it_was_given_for_alone() {
    let vault = Arc::new(Vault::new(KeyRing::parse("k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap()));
    let ids = SequentialIds::default();
    let (workspace, id) = (WorkspaceId::new(&ids), ToolServerId::new(&ids));
    let url = "https://mcp.example.com/mcp".parse().unwrap();
    let sealed = shelf::seal(&vault, workspace, id, &url, &"key".to_owned().into()).unwrap();
    let open = |url: &str, id| shelf::opens(&vault, workspace, id, &url.parse().unwrap(), &sealed);
    assert!(open("https://mcp.example.com/other", id));
    assert!(!open("https://evil.example.com/mcp", id) && !open("https://mcp.example.com:8443/mcp", id));
    assert!(!open("https://mcp.example.com/mcp", ToolServerId::new(&ids)));
}

#[test]
fn the_log_names_the_tools_that_went_off_while_one_was_used() {
    let tool = |name: &str, on: bool, digest: &str| -> ServerTool {
        let tool =
            json!({"name": name, "description": "", "input_schema": {"type": "object"}, "digest": digest, "on": on});
        serde_json::from_value(tool).unwrap()
    };
    let changed = |name: &str| {
        let change = json!({"description": "", "input_schema": {"type": "object"}, "digest": "new"});
        ServerTool { change: Some(serde_json::from_value(change).unwrap()), ..tool(name, true, "old") }
    };
    let before =
        [tool("same", true, "old"), tool("other", true, "old"), tool("gone", true, "old"), tool("off", false, "old")];
    let after = [tool("same", true, "old"), changed("other"), changed("off")];
    assert_eq!(shelf::went_off(&before, &after), ["other", "gone"]);
}
