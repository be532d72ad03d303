//! The OpenAPI 3.1 document, made from the same table as the router.

mod account_schemas;
mod agent_schemas;
mod event_schemas;
mod library_schemas;
mod operation;
mod organizations;
mod plan_schemas;
mod schemas;
mod tool_server_schemas;

pub use operation::Operation;
use serde_json::{Map, Value, json};

use crate::routes;

/// Returns the document for `/api/openapi.json`.
pub fn document() -> Value {
    let mut paths = Map::new();
    for route in routes::all() {
        let operation = &route.operation;
        let item = paths.entry(operation.path).or_insert_with(|| json!({}));
        item[operation.method.as_str().to_ascii_lowercase()] = operation.describe();
    }
    paths.insert(
        "/api/openapi.json".into(),
        json!({"get": {
            "operationId": "openapi", "tags": ["system"], "summary": "This document", "security": [],
            "responses": {"200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}}
        }}),
    );
    let mut components = schemas::schemas();
    components.extend(event_schemas::schemas());
    components.extend(organizations::schemas());
    components.extend(agent_schemas::schemas());
    components.extend(library_schemas::schemas());
    components.extend(plan_schemas::schemas());
    components.extend(tool_server_schemas::schemas());
    components.extend(account_schemas::schemas());
    close_what_is_sent(&mut components);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "ADAgentAI",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Ask about your ad networks in plain English, see numbers fetched from them, and approve changes before they are sent.\n\n\
                Ids are UUIDv7, times RFC 3339 in UTC, money is a currency and millionths. Errors are RFC 9457 problems with a stable `code`. \
                `x-organization-id` names the workspace of a request; leave it out for the personal one."
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": "accounts"}, {"name": "organizations"}, {"name": "connections"}, {"name": "settings"}, {"name": "chat"}, {"name": "agents"}, {"name": "library"}, {"name": "tool servers"}, {"name": "runs"},
            {"name": "approvals"}, {"name": "sandbox"}, {"name": "system"}
        ],
        "security": [{"session": []}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": adagent_identity::SESSION_COOKIE},
                "token": {"type": "http", "scheme": "bearer", "description": "A personal access token with scope api, bound to its workspace"}
            },
            "responses": {"Problem": {
                "description": "What went wrong, for people and programs",
                "headers": {"x-request-id": {"schema": {"type": "string"}}},
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            }}
        }
    })
}

/// Closes the schemas of request bodies to unknown fields, so that a misspelled field is refused and not ignored.
fn close_what_is_sent(schemas: &mut Map<String, Value>) {
    for route in routes::all() {
        let sent = route.operation.sent().and_then(|name| schemas.get_mut(name)).and_then(Value::as_object_mut);
        if let Some(schema) = sent {
            schema.entry("additionalProperties").or_insert(json!(false));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Collects every `$ref` of the document.
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(target)) = map.get("$ref") {
                    found.insert(target.clone());
                }
                map.values().for_each(|inner| references(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_schema_is_used() {
        let document = document();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        for target in &found {
            assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
        }
        for name in document["components"]["schemas"].as_object().unwrap().keys() {
            assert!(found.contains(&format!("#/components/schemas/{name}")), "{name} is described but never used");
        }
    }

    #[test]
    fn the_routes_of_the_contract_are_described() {
        let document = document();
        for (method, path) in [
            ("post", "/api/auth/sign-up"),
            ("post", "/api/auth/sign-in"),
            ("post", "/api/auth/sign-out"),
            ("get", "/api/auth/google"),
            ("get", "/api/auth/google/callback"),
            ("get", "/api/me"),
            ("get", "/api/tokens"),
            ("post", "/api/tokens"),
            ("delete", "/api/tokens/{id}"),
            ("get", "/api/providers"),
            ("post", "/api/providers/connect"),
            ("get", "/api/providers/oauth/callback"),
            ("patch", "/api/providers/{id}/enable"),
            ("delete", "/api/providers/{id}"),
            ("get", "/api/providers/{id}/accounts"),
            ("get", "/api/providers/{id}/apps"),
            ("get", "/api/providers/{id}/ad-units"),
            ("get", "/api/networks"),
            ("post", "/api/networks/{network}"),
            ("post", "/api/networks/{network}/test"),
            ("delete", "/api/networks/{network}"),
            ("get", "/api/settings/context"),
            ("get", "/api/organizations"),
            ("post", "/api/organizations"),
            ("get", "/api/organizations/{id}"),
            ("patch", "/api/organizations/{id}"),
            ("delete", "/api/organizations/{id}"),
            ("get", "/api/organizations/{id}/members"),
            ("patch", "/api/organizations/{id}/members/{user_id}"),
            ("delete", "/api/organizations/{id}/members/{user_id}"),
            ("post", "/api/organizations/{id}/leave"),
            ("post", "/api/organizations/{id}/transfer-ownership"),
            ("get", "/api/organizations/{id}/invitations"),
            ("post", "/api/organizations/{id}/invitations"),
            ("delete", "/api/organizations/{id}/invitations/{invitation_id}"),
            ("get", "/api/organizations/{id}/invite-links"),
            ("post", "/api/organizations/{id}/invite-links"),
            ("delete", "/api/organizations/{id}/invite-links/{link_id}"),
            ("post", "/api/invitations/{id}/accept"),
            ("post", "/api/invitations/{id}/reject"),
            ("post", "/api/invite/{token}/accept"),
            ("get", "/api/usage"),
            ("put", "/api/settings/context"),
            ("get", "/api/chat/sessions"),
            ("post", "/api/chat/sessions"),
            ("get", "/api/chat/sessions/{id}"),
            ("patch", "/api/chat/sessions/{id}"),
            ("delete", "/api/chat/sessions/{id}"),
            ("get", "/api/chat/sessions/{id}/messages"),
            ("post", "/chat/stream"),
            ("get", "/api/runs/{run_id}"),
            ("get", "/api/runs/{run_id}/events"),
            ("post", "/api/runs/{run_id}/cancel"),
            ("post", "/chat/approve-tool"),
            ("get", "/api/approvals"),
            ("get", "/api/approvals/{id}"),
            ("post", "/api/runs/{run_id}/override"),
            ("get", "/api/runs/{run_id}/checkpoints"),
            ("get", "/api/runs/{run_id}/checkpoints/{checkpoint_id}"),
            ("post", "/api/runs/{run_id}/checkpoints/{checkpoint_id}/fork"),
            ("post", "/api/messages/{id}/feedback"),
            ("get", "/api/sandbox"),
            ("post", "/api/sandbox/explore"),
            ("get", "/api/account/export"),
            ("patch", "/api/account/profile"),
            ("post", "/api/account/delete"),
            ("get", "/api/organizations/{id}/audit-log"),
            ("get", "/api/organizations/{id}/audit-log/verification"),
            ("get", "/api/settings/retention"),
            ("put", "/api/settings/retention"),
            ("get", "/api/settings/reporting"),
            ("put", "/api/settings/reporting"),
            ("get", "/healthz"),
            ("get", "/readyz"),
            ("get", "/metrics"),
            ("get", "/api/openapi.json"),
        ] {
            assert!(document["paths"][path][method].is_object(), "{method} {path}");
        }
    }

    #[test]
    fn operation_ids_are_unique_and_path_parameters_are_declared() {
        let document = document();
        let mut ids = BTreeSet::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{path}");
                let declared: Vec<&str> = operation["parameters"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|parameter| parameter["in"] == "path")
                    .filter_map(|parameter| parameter["name"].as_str())
                    .collect();
                let wanted: Vec<&str> =
                    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
                assert_eq!(declared, wanted, "{path}");
            }
        }
    }

    /// Finds what client generators cannot handle.
    fn faults(at: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                let is = |kind: &str| {
                    map.get("type")
                        .is_some_and(|t| t == kind || t.as_array().is_some_and(|all| all.contains(&json!(kind))))
                };
                if is("array") && !map.contains_key("items") {
                    found.push(format!("{at}: a list of what?"));
                }
                if let (Some(Value::Array(required)), Some(Value::Object(properties))) =
                    (map.get("required"), map.get("properties"))
                {
                    let missing =
                        required.iter().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name));
                    found.extend(missing.map(|name| format!("{at}: {name} is required and not described")));
                }
                map.iter().for_each(|(name, inner)| faults(&format!("{at}/{name}"), inner, found));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, inner)| faults(&format!("{at}/{index}"), inner, found));
            }
            _ => {}
        }
    }

    #[test]
    fn generators_of_clients_find_every_list_and_every_field_described() {
        let mut found = Vec::new();
        faults("", &document(), &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn operations_take_json_alone_say_what_is_wrong_and_stream_text() {
        let document = document();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if let Some(content) = operation["requestBody"]["content"].as_object() {
                    assert_eq!(content.keys().collect::<Vec<_>>(), ["application/json"], "{method} {path}");
                    let schema =
                        content["application/json"]["schema"]["$ref"].as_str().unwrap().trim_start_matches('#');
                    assert!(!document.pointer(schema).unwrap()["additionalProperties"].is_null(), "{method} {path}");
                }
                if path != "/api/openapi.json" {
                    assert!(operation["responses"]["4XX"].is_object(), "{method} {path}");
                }
                let stream = &operation["responses"]["200"]["content"]["text/event-stream"];
                assert!(stream.is_null() || stream["schema"] == json!({"type": "string"}), "{method} {path}");
            }
        }
        let follow = document["paths"]["/api/runs/{run_id}/events"]["get"]["parameters"].as_array().unwrap();
        assert!(follow.iter().any(|one| one["name"] == "Last-Event-ID" && one["in"] == "header"));
        assert!(follow.iter().any(|one| one["name"] == "after" && one["schema"]["minimum"] == 0));
    }

    /// A discriminator selects only among named schemas; generators drop or merge schemas that are written in place.
    #[test]
    fn what_is_told_apart_by_a_field_has_a_schema_of_its_own_for_each_value() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let mut seen = 0;
        for (name, schema) in schemas.iter().filter(|(_, schema)| !schema["discriminator"].is_null()) {
            let field = schema["discriminator"]["propertyName"].as_str().unwrap();
            let mapping = schema["discriminator"]["mapping"].as_object().unwrap();
            let members: BTreeSet<&str> =
                schema["oneOf"].as_array().unwrap().iter().map(|one| one["$ref"].as_str().unwrap()).collect();
            assert_eq!(members, mapping.values().map(|target| target.as_str().unwrap()).collect(), "{name}");
            for (value, target) in mapping {
                let member = document.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap();
                assert_eq!(member["properties"][field]["const"], json!(value), "{name}: {target}");
                seen += 1;
            }
        }
        assert!(seen > 15, "{seen}");
        let compare = &document["paths"]["/api/runs/{run_id}/checkpoints/{checkpoint_id}/compare"]["get"];
        let from = compare["parameters"].as_array().unwrap().iter().find(|one| one["name"] == "from").unwrap();
        assert_eq!(from["schema"]["format"], "uuid");
    }

    #[test]
    fn the_schemas_are_schemas() {
        for (name, schema) in document()["components"]["schemas"].as_object().unwrap() {
            // References are resolved against the whole document later; here each schema must be well-formed.
            assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        }
    }
}
