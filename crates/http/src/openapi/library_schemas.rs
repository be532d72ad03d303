//! JSON Schemas of the library.

use adagent_contract::MOST_TODO;
use serde_json::{Map, Value, json};

use super::schemas::{object, page, reference, time, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let all = json!({
        "TodoDraft": object(&["text"], json!({
            "text": {"type": "string", "minLength": 1, "maxLength": MOST_TODO},
            "due": {"type": ["string", "null"], "format": "date", "description": "The day it is due"},
            "assignee": {"type": ["string", "null"], "format": "uuid", "description": "The member it is for"},
            "done": {"type": "boolean"}
        })),
        "TodoUpdate": object(&["version", "todo"], json!({
            "version": {"type": "integer", "minimum": 1, "description": "The version this changes; if there is a newer one, nothing is changed"},
            "todo": reference("TodoDraft")
        })),
        "Todo": object(&["id", "text", "done", "mine", "by", "version", "created_at", "updated_at"], json!({
            "id": uuid(), "text": {"type": "string"}, "done": {"type": "boolean"}, "due": {"type": "string", "format": "date"},
            "assignee": object(&["id", "name"], json!({"id": uuid(), "name": {"type": "string"}})),
            "mine": {"type": "boolean", "description": "It is yours to do"}, "by": {"type": "string", "description": "Who added it"},
            "run": {"type": "string", "format": "uuid", "description": "Your run that added it"},
            "version": {"type": "integer"}, "done_at": time(), "created_at": time(), "updated_at": time()
        })),
        "TodoList": page("Todo")
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
