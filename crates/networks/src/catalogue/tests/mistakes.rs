//! Tests that every rule finds the mistake that it exists for.

use serde_json::{Value as Json, json};

use crate::catalogue::{refs, rules};

/// Returns a network file with two operations and no mistakes.
fn demo() -> Json {
    json!({
        "network": "demo",
        "display_name": "Demo",
        "about": {"money": "Dollars.", "time_zone": "UTC.", "reports": "None.", "limits": "None."},
        "auth": {"kind": "api_key", "wire": "key_header: the key in a header.", "notes": "",
            "fields": [{"name": "key", "label": "Key", "secret": true}]},
        "base_urls": ["https://demo.example"],
        "entities": [
            {"name": "app", "parent": null, "id_pattern": "^\\d+$", "display_field": "name", "list_tool": "demo_list_apps"}
        ],
        "$defs": {"Price": {"type": "object", "properties": {"cpm": {"type": "number"}}, "additionalProperties": false}},
        "enums": {"colours": {"RED": {}}},
        "tools": [
            {
                "name": "demo_list_apps", "title": "List apps", "description": "List apps.", "capability": "inventory",
                "tags": ["demo", "inventory"], "read_only": true, "destructive": false, "idempotent": true,
                "long_running": false, "confidence": "verified", "source": "A page.",
                "http": {"method": "GET", "base": "https://demo.example", "path": "/apps", "query": ["page"], "body": false,
                    "auth": "key_header", "query_style": {"page": "csv"}, "header_auth": {"Key": "key"}},
                "input_schema": {"type": "object", "properties": {"page": {"type": "integer", "minimum": 1}},
                    "required": [], "additionalProperties": false},
                "entity_params": {},
                "result": {"kind": "list", "items_path": "apps", "id_field": "id", "pagination":
                    {"kind": "page", "request_param": "page", "response_field": null, "page_size_param": null}},
                "example": {}
            },
            {
                "name": "demo_update_app", "title": "Update app", "description": "Change an app.", "capability": "inventory",
                "tags": ["demo", "inventory", "dangerous"], "read_only": false, "destructive": false, "idempotent": true,
                "long_running": false, "confidence": "documented", "source": "A page.",
                "http": {"method": "POST", "base": "https://demo.example", "path": "/apps/{app_id}", "query": [], "body": true},
                "input_schema": {"type": "object", "properties": {
                    "app_id": {"type": "string", "pattern": "^\\d+$"},
                    "body": {"type": "object", "properties": {
                        "name": {"type": "string"},
                        "colour": {"type": "string", "x-enum-ref": "colours"},
                        "floor": {"$ref": "#/$defs/Price"},
                        "tags": {"type": "array", "items": {"type": "string"}}
                    }, "required": ["name"], "additionalProperties": false}
                }, "required": ["app_id", "body"], "additionalProperties": false},
                "entity_params": {"app_id": "app"},
                "result": {"kind": "object", "items_path": null, "id_field": "id", "pagination": null},
                "example": {"app_id": "1", "body": {"name": "A"}}
            }
        ]
    })
}

fn problems(file: Json) -> Vec<String> {
    rules::problems(&[("demo".to_owned(), file)])
}

/// Returns the problems of the file after this place gets another value (`null` removes a field).
fn with(pointer: &str, value: Json) -> Vec<String> {
    let mut file = demo();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match file.pointer_mut(parent).unwrap_or_else(|| panic!("{parent}")) {
        Json::Object(fields) if value.is_null() => drop(fields.remove(name)),
        Json::Object(fields) => drop(fields.insert(name.to_owned(), value)),
        Json::Array(items) => items.insert(name.parse().expect("a place"), value),
        other => panic!("{pointer} lies in {other}"),
    }
    problems(file)
}

#[test]
fn a_file_without_mistakes_has_no_problems() {
    assert_eq!(problems(demo()), Vec::<String>::new());
}

#[test]
fn every_planted_mistake_is_found_and_named() {
    let (list, update) = ("/tools/0", "/tools/1");
    let properties = "/tools/1/input_schema/properties";
    let text = json!({"type": "string"});
    let planted: Vec<(String, Json, &str)> = vec![
        ("/network".into(), json!("other"), "the file is called demo"),
        ("/about/limits".into(), Json::Null, "does not say limits"),
        ("/auth/kind".into(), json!("magic"), "is no known kind"),
        ("/auth/fields".into(), json!([]), "has no fields"),
        ("/base_urls/0".into(), json!("http://demo.example"), "https"),
        ("/entities/0/list_tool".into(), json!("demo_list_nothing"), "is no operation of this network"),
        ("/entities/0/list_tool".into(), json!("demo_update_app"), "changes something"),
        ("/entities/0/parent".into(), json!("account"), "is no entity of this network"),
        ("/entities/0/id_pattern".into(), json!("\\d+"), "must go from ^ to $"),
        ("/$defs/Price/properties/cpm/type".into(), json!("money"), "$defs Price: /properties/cpm: has no type"),
        (format!("{list}/name"), json!("apps_list"), "must start with \"demo_\""),
        (format!("{list}/name"), json!(format!("demo_{}", "x".repeat(60))), "at most 64 characters"),
        (format!("{list}/name"), json!("demo_update_app"), "is there twice"),
        (format!("{list}/description"), json!("List apps"), "must be sentences"),
        (format!("{list}/source"), Json::Null, "has no source"),
        (format!("{list}/capability"), json!("wishes"), "is no known capability"),
        (format!("{list}/capability"), Json::Null, "is no known capability"),
        (format!("{list}/confidence"), json!("guessed"), "is not one of verified, documented, inferred"),
        (format!("{list}/destructive"), json!(true), "cannot be read-only and destructive"),
        (format!("{list}/idempotent"), Json::Null, "idempotent must be true or false"),
        (format!("{update}/tags"), json!(["demo", "inventory"]), "the tag \"dangerous\""),
        (format!("{list}/http"), Json::Null, "needs a method and a path"),
        (format!("{list}/http/base"), json!("https://elsewhere.example"), "none of the network's base_urls"),
        (format!("{update}/http/path"), json!("/apps/{id}"), "placeholder \"id\""),
        (format!("{update}/input_schema/required"), json!(["body"]), "placeholder \"app_id\""),
        (format!("{list}/http/query/0"), json!("size"), "query parameter \"size\" is no property"),
        (format!("{list}/http/query"), json!([]), "property \"page\" would never be sent"),
        (format!("{list}/http/query_style"), json!({"size": "csv"}), "which is not in the query"),
        (format!("{list}/http/header_auth"), json!({"Key": "secret"}), "no field of the credentials"),
        (format!("{list}/http/auth"), json!("signature"), "does not describe the scheme"),
        (format!("{list}/http/body"), json!(true), "a GET sends no body"),
        (format!("{update}/http/body"), json!(false), "exactly when the binding sends one"),
        (format!("{list}/input_schema/additionalProperties"), json!(true), "takes nothing unknown"),
        (format!("{properties}/body/additionalProperties"), Json::Null, "must say which fields it has"),
        (format!("{properties}/body/properties/more"), json!({"type": "object"}), "must say which fields it has"),
        (format!("{properties}/body/properties/body_json"), text.clone(), "is an opaque request"),
        (format!("{properties}/body/required"), json!(["nmae"]), "which is no property"),
        (format!("{properties}/body/properties/name"), json!({"type": "text"}), "has no type"),
        (format!("{properties}/body/properties/name/minLenght"), json!(1), "minLenght is unknown"),
        (
            format!("{properties}/body/properties/name/pattern"),
            json!("[a-z]+"),
            "pattern is unknown, or of a wrong kind",
        ),
        (format!("{properties}/body/properties/name/enum"), json!([]), "enum is unknown, or of a wrong kind"),
        (format!("{properties}/body/not"), json!({"type": "object"}), "not is unknown, or of a wrong kind"),
        (format!("{properties}/body/properties/tags/items"), Json::Null, "must say what is in it"),
        (format!("{properties}/body/properties/floor/$ref"), json!("#/$defs/Cost"), "does not resolve"),
        (
            format!("{properties}/body/properties/colour/x-enum-ref"),
            json!("colors"),
            "x-enum-ref \"colors\" does not resolve",
        ),
        (format!("{update}/entity_params/app_id"), json!("application"), "which is no entity of this network"),
        (format!("{update}/entity_params"), json!({"body.app": "app"}), "there is no parameter body.app"),
        (format!("{update}/entity_params"), json!({"body.floor": "app"}), "holds no id"),
        (format!("{list}/result/kind"), json!("rows"), "result.kind"),
        (format!("{list}/result/items_path"), Json::Null, "where its items are"),
        (format!("{list}/result/next_tool"), json!("demo_update_app"), "no reading operation"),
        (format!("{list}/result/pagination/kind"), json!("scroll"), "pagination.kind"),
        (format!("{list}/result/pagination/kind"), json!("token"), "carries the next one"),
        (format!("{list}/result/pagination/request_param"), json!("body.page"), "which is no parameter"),
        (format!("{list}/example"), Json::Null, "has no example call"),
    ];
    for (pointer, value, expected) in planted {
        let found = with(&pointer, value.clone());
        assert!(
            found.iter().any(|problem| problem.starts_with("demo.json, ") && problem.contains(expected)),
            "{pointer} = {value} should say {expected:?}, said {found:#?}"
        );
    }
}

#[test]
fn the_same_name_in_two_files_is_found() {
    let mut other = demo();
    other["network"] = json!("demo2");
    let found = rules::problems(&[("demo".into(), demo()), ("demo2".into(), other)]);
    assert!(found.iter().any(|problem| problem.contains("is there twice (also in demo.json)")), "{found:#?}");
}

#[test]
fn shared_schemas_are_put_in_place_with_what_is_said_there() {
    let mut file = demo();
    file["tools"][1]["input_schema"]["properties"]["body"]["properties"]["floor"]["description"] = json!("Floor");
    refs::put_in_place(&mut file);
    assert_eq!(file.get("$defs"), None);
    let floor = &file["tools"][1]["input_schema"]["properties"]["body"]["properties"]["floor"];
    assert_eq!(floor["properties"]["cpm"]["type"], "number");
    assert_eq!(floor["description"], "Floor");
    assert_eq!(floor.get("$ref"), None);
}

#[test]
fn what_contains_itself_stays_a_reference_with_its_definition_beside() {
    let mut file = demo();
    file["$defs"]["Filter"] = json!({"type": "object", "additionalProperties": false, "properties": {
        "not": {"$ref": "#/$defs/Filter"}, "price": {"$ref": "#/$defs/Price"}}});
    file["tools"][1]["input_schema"]["properties"]["body"]["properties"]["filter"] = json!({"$ref": "#/$defs/Filter"});
    refs::put_in_place(&mut file);
    let schema = &file["tools"][1]["input_schema"];
    assert_eq!(schema["properties"]["body"]["properties"]["filter"]["$ref"], "#/$defs/Filter");
    assert_eq!(schema["$defs"]["Filter"]["properties"]["not"]["$ref"], "#/$defs/Filter");
    assert_eq!(schema["$defs"]["Filter"]["properties"]["price"]["properties"]["cpm"]["type"], "number");
    assert_eq!(file["tools"][0]["input_schema"].get("$defs"), None);
}
