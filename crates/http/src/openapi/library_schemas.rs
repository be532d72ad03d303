//! JSON Schemas of the library.

use adagent_contract::{MOST_DOCUMENT, MOST_DOCUMENT_TITLE, MOST_FOLDER, MOST_TODO};
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
        "TodoList": page("Todo"),
        "DocumentDraft": object(&["title"], json!({
            "title": {"type": "string", "minLength": 1, "maxLength": MOST_DOCUMENT_TITLE},
            "folder": {"type": "string", "maxLength": MOST_FOLDER, "description": "A path such as `/floors/2026`; left out or `/`: in no folder"},
            "text": {"type": "string", "maxLength": MOST_DOCUMENT, "description": "Markdown, at most 200,000 bytes"}
        })),
        "DocumentUpdate": object(&["version", "document"], json!({
            "version": {"type": "integer", "minimum": 1, "description": "The version this replaces; if there is a newer one, nothing is saved"},
            "document": reference("DocumentDraft")
        })),
        "Written": object(&["by", "at"], json!({
            "by": {"type": "string", "description": "Who wrote it"},
            "agent": {"type": "string", "description": "The agent that wrote it for that person"},
            "run": {"type": "string", "format": "uuid", "description": "Your run that wrote it"}, "at": time()
        })),
        "Document": object(&["id", "title", "folder", "version", "size", "by", "written", "created_at"], json!({
            "id": uuid(), "title": {"type": "string"}, "folder": {"type": "string"}, "version": {"type": "integer"},
            "size": {"type": "integer", "description": "Bytes of its text"}, "by": {"type": "string", "description": "Who created it"},
            "written": reference("Written"), "created_at": time(),
            "trashed_at": {"type": "string", "format": "date-time", "description": "In the trash since then; deleted for good 30 days later"},
            "text": {"type": "string", "description": "Markdown; lists leave it out"},
            "snippet": {"type": "string", "description": "The part of the text with the words of the search"}
        })),
        "DocumentList": page("Document"),
        "DocumentVersion": object(&["number", "title", "folder", "size", "written"], json!({
            "number": {"type": "integer"}, "title": {"type": "string"}, "folder": {"type": "string"},
            "size": {"type": "integer", "description": "Bytes of its text"}, "written": reference("Written"),
            "text": {"type": "string", "description": "Markdown; lists leave it out"}
        })),
        "DocumentVersionList": page("DocumentVersion")
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
