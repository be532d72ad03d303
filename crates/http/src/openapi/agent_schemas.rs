//! JSON Schemas of agents.

use adagent_contract::{Access, MOST_INSTRUCTIONS};
use serde_json::{Map, Value, json};

use super::schemas::{object, page, reference, time, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let text = |most: usize| json!({"type": "string", "maxLength": most});
    let body = json!({
        "handle": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{1,29}$", "description": "What a message calls it by, without @"},
        "name": {"type": "string", "minLength": 1, "maxLength": 60},
        "position": text(60), "description": text(300),
        "instructions": {"type": "string", "maxLength": MOST_INSTRUCTIONS, "description": "Read by the model with every question; they never widen what it may do"},
        "color": {"type": "integer", "minimum": 0, "maximum": 7},
        "model": {"type": ["string", "null"], "description": "Null: as the person has it set"},
        "grants": {"type": "array", "maxItems": 100, "items": reference("Grant"), "description": "Without any grant it may do nothing"},
        "sharing": {"type": "string", "enum": ["private", "use", "edit"], "description": "What others in the organization may do with it"},
        "active": {"type": "boolean", "description": "One that is off answers nobody"}
    });
    let all = json!({
        "Grant": object(&["on", "may"], json!({
            "on": {"type": "string", "description": "`everything`, `native`, `mcp`, a network, `mcp:` with a tool server's handle, or `tool:` with a tool's name"},
            "may": {"type": "array", "items": {"type": "string", "enum": Access::ALL.map(Access::as_str)}},
            "connections": {"type": "array", "items": uuid(), "description": "Of the network's connections only these; empty or left out: all"}
        })),
        "AgentBody": object(&["handle", "name"], body),
        "Agent": object(&["id", "agent", "owner", "mine", "editable", "version", "created_at", "updated_at"], json!({
            "id": uuid(), "agent": reference("AgentBody"), "owner": {"type": "string"}, "mine": {"type": "boolean"},
            "editable": {"type": "boolean"}, "version": {"type": "integer"}, "created_at": time(), "updated_at": time()
        })),
        "AgentList": page("Agent"),
        "AgentUpdate": object(&["version", "agent"], json!({
            "version": {"type": "integer", "minimum": 1, "description": "The version this changes; if there is a newer one, nothing is changed"},
            "agent": reference("AgentBody")
        })),
        "AgentVersion": object(&["version", "by", "at", "agent"], json!({
            "version": {"type": "integer"}, "by": {"type": "string"}, "at": time(), "agent": reference("AgentBody")
        })),
        "AgentVersionList": page("AgentVersion"),
        "AgentRef": object(&["handle", "name", "color"], json!({
            "handle": {"type": "string"}, "name": {"type": "string"}, "color": {"type": "integer"}
        })),
        "JournalEntry": object(&["run", "at", "status", "question", "summary", "changes", "cost_micros"], json!({
            "run": uuid(), "session": uuid(), "agent": reference("AgentRef"), "at": time(), "status": {"type": "string"},
            "question": {"type": "string"}, "summary": {"type": "string", "description": "The beginning of the answer"},
            "changes": {"type": "array", "items": {"type": "string"}, "description": "Changes that were sent and took effect"},
            "cost_micros": {"type": "integer"}
        })),
        "Journal": page("JournalEntry"),
        "AgentTemplate": object(&["slug", "agent"], json!({"slug": {"type": "string"}, "agent": reference("AgentBody")})),
        "AgentTemplateList": page("AgentTemplate")
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
