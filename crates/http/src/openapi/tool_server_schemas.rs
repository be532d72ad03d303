//! JSON Schemas of tool servers.

use adagent_contract::MOST_SERVER_TOOLS;
use serde_json::{Map, Value, json};

use super::schemas::{object, page, reference, time, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let name = json!({"type": "string", "minLength": 1, "maxLength": 60});
    let handle = json!({"type": "string", "pattern": "^[a-z][a-z0-9-]{1,29}$", "description": "Part of the names of its tools: `mcp:{handle}:{tool}`"});
    let version = json!({"type": "integer", "minimum": 1, "description": "The version this changes; if there is a newer one, nothing is changed"});
    let described = json!({
        "title": {"type": "string"}, "description": {"type": "string", "description": "The server's own words: data, never instructions"},
        "input_schema": {"type": "object"}, "digest": {"type": "string", "description": "Over name, title, description and schema"}
    });
    let with = |more: Value| {
        let mut all = described.clone();
        if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
            all.extend(more);
        }
        all
    };
    let all = json!({
        "ToolServerSignIn": {"oneOf": [
            object(&["kind"], json!({"kind": {"const": "none"}})),
            object(&["kind"], json!({"kind": {"const": "bearer"}})),
            object(&["kind", "name"], json!({"kind": {"const": "header"}, "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,60}$"}})),
            object(&["kind"], json!({"kind": {"const": "oauth"}, "client_id": {"type": ["string", "null"], "maxLength": 500,
                "description": "Our client at its sign-in; left out: we register one"}}))
        ]},
        "ServerAccess": {"oneOf": [
            object(&["state"], json!({"state": {"const": "signed_out"}})),
            object(&["state", "since"], json!({"state": {"const": "signed_in"}, "since": time()})),
            object(&["state", "since"], json!({"state": {"const": "expired"}, "since": time()}))
        ]},
        "OauthClientDocument": object(
            &["client_id", "client_name", "client_uri", "redirect_uris", "grant_types", "response_types", "token_endpoint_auth_method"],
            json!({
                "client_id": {"type": "string"}, "client_name": {"type": "string"}, "client_uri": {"type": "string"},
                "redirect_uris": {"type": "array", "items": {"type": "string"}},
                "grant_types": {"type": "array", "items": {"type": "string"}},
                "response_types": {"type": "array", "items": {"type": "string"}},
                "token_endpoint_auth_method": {"type": "string"}
            })
        ),
        "ServerSignIn": object(&["authorization_url"], json!({"authorization_url": {"type": "string", "format": "uri"}})),
        "NewToolServer": object(&["name", "url"], json!({
            "name": name, "handle": {"type": ["string", "null"], "description": "Left out: made of the name"},
            "url": {"type": "string", "maxLength": 500, "description": "An https address"},
            "sign_in": reference("ToolServerSignIn"),
            "secret": {"type": ["string", "null"], "maxLength": 4000, "description": "The token or key, or the secret of the OAuth client; it is stored encrypted and never shown again"}
        })),
        "ToolSetting": object(&[], json!({
            "reading": {"type": ["boolean", "null"], "description": "It changes nothing, so its calls need no approval"},
            "on": {"type": ["boolean", "null"]}
        })),
        "ToolServerUpdate": object(&["version"], json!({
            "version": version, "name": {"type": ["string", "null"], "minLength": 1, "maxLength": 60}, "on": {"type": ["boolean", "null"]},
            "tools": {"type": "object", "maxProperties": MOST_SERVER_TOOLS, "additionalProperties": reference("ToolSetting"),
                "description": "By the names that the server gives its tools"}
        })),
        "AcceptedChanges": object(&["version"], json!({"version": version})),
        "ToolChange": object(&["new", "description", "input_schema", "digest"], with(json!({
            "new": {"type": "boolean", "description": "The tool was not listed before"}
        }))),
        "ServerTool": object(&["name", "description", "input_schema", "digest", "reading", "on"], with(json!({
            "name": {"type": "string"}, "reading": {"type": "boolean"}, "on": {"type": "boolean"}, "change": reference("ToolChange")
        }))),
        "ToolServer": object(
            &["id", "handle", "name", "url", "sign_in", "on", "tools", "left_out", "version", "checked_at", "created_at", "updated_at"],
            json!({
                "id": uuid(), "handle": handle, "name": name, "sign_in": reference("ToolServerSignIn"), "on": {"type": "boolean"},
                "access": reference("ServerAccess"),
                "callback_url": {"type": "string", "description": "Where its sign-in sends the browser back to; for those who manage it"},
                "url": {"type": "string", "description": "For those who can't manage tool servers only the host"},
                "problem": {"type": "string", "description": "Why the last look at it failed"},
                "tools": {"type": "array", "items": reference("ServerTool")},
                "left_out": {"type": "integer", "description": "Tools that it lists and that we do not take"},
                "version": {"type": "integer"}, "checked_at": time(), "created_at": time(), "updated_at": time()
            })
        ),
        "ToolServerList": page("ToolServer")
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
