//! JSON Schemas of agents.

use adagent_contract::{Access, MOST_INSTRUCTIONS};
use serde_json::{Map, Value, json};

use super::schemas::{object, page, reference, time, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let text = |most: usize| json!({"type": "string", "maxLength": most});
    let count = || json!({"type": "integer", "minimum": 0});
    let body = json!({
        "handle": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{1,29}$", "description": "What a message calls it by, without @"},
        "name": {"type": "string", "minLength": 1, "maxLength": 60},
        "position": text(60), "description": text(300),
        "instructions": {"type": "string", "maxLength": MOST_INSTRUCTIONS, "description": "Read by the model with every question; they never widen what it may do"},
        "color": {"type": "integer", "minimum": 0, "maximum": 7},
        "model": {"type": ["string", "null"], "description": "Null: as the person has it set"},
        "grants": {"type": "array", "maxItems": 100, "items": reference("Grant"), "description": "Without any grant it may do nothing"},
        "sharing": {"type": "string", "enum": ["private", "use", "edit"], "description": "What others in the organization may do with it"},
        "journal": {"type": "string", "enum": ["own", "own_and_scheduled", "full"], "description": "Which entries of others those see who may use it; left out: own"},
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
        "JournalEntry": object(&["run", "at", "status", "question", "summary", "changes", "cost_micros", "took_ms"], json!({
            "run": uuid(), "session": {"type": "string", "format": "uuid", "description": "The chat, if you may open it"},
            "by": {"type": "string", "description": "Who asked, if another person did"},
            "scheduled": {"type": "boolean"}, "delegated": {"type": "boolean", "description": "Another agent asked"},
            "took_ms": {"type": "integer"}, "agent": reference("AgentRef"), "at": time(), "status": {"type": "string"},
            "question": {"type": "string"}, "summary": {"type": "string", "description": "The beginning of the answer"},
            "changes": {"type": "array", "items": {"type": "string"}, "description": "Changes that were sent and took effect"},
            "cost_micros": {"type": "integer"}
        })),
        "Journal": page("JournalEntry"),
        "JournalSummary": object(&["time_zone", "from", "to", "entries", "failed", "cost_micros", "complete", "days", "agents", "people", "latest"], json!({
            "time_zone": {"type": "string"}, "from": {"type": "string"}, "to": {"type": "string"}, "entries": count(), "failed": count(),
            "cost_micros": {"type": "integer"}, "complete": {"type": "boolean", "description": "False: only the newest entries were counted"},
            "days": {"type": "array", "items": object(&["day", "entries", "failed", "cost_micros"], json!({
                "day": {"type": "string"}, "entries": count(), "failed": count(), "cost_micros": {"type": "integer"}
            }))},
            "agents": {"type": "array", "items": object(&["entries", "failed", "cost_micros"], json!({
                "agent": reference("AgentRef"), "entries": count(), "failed": count(), "cost_micros": {"type": "integer"}
            }))},
            "people": {"type": "array", "items": object(&["id", "name", "entries", "failed", "cost_micros"], json!({
                "id": uuid(), "name": {"type": "string"}, "entries": count(), "failed": count(), "cost_micros": {"type": "integer"}
            }))},
            "latest": {"type": "array", "items": reference("JournalEntry")}
        })),
        "AgentTemplate": object(&["slug", "agent"], json!({"slug": {"type": "string"}, "agent": reference("AgentBody")})),
        "AgentTemplateList": page("AgentTemplate")
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
