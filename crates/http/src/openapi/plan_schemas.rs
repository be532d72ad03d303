//! JSON Schemas of plans.

use serde_json::{Map, Value, json};

use super::schemas::{object, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let step = json!({
        "id": {"type": "integer", "minimum": 1}, "description": {"type": "string"},
        "status": {"type": "string", "enum": [
            "pending", "awaiting_approval", "approved", "running", "completed", "failed", "skipped", "not_run"
        ]},
        "tool": {"type": "string"}, "network": {"type": "string"}, "source": {},
        "args": {"description": "As they would be sent"},
        "approval_id": {"type": "string", "format": "uuid", "description": "The approval that waits for this step, or answered it"},
        "result": {"type": "string"}
    });
    let all = json!({
        "PlanStep": object(&["id", "description", "status"], step),
        "Plan": object(&["session_id", "run_id", "goal", "status", "steps"], json!({
            "session_id": uuid(), "run_id": uuid(), "goal": {"type": "string"},
            "status": {"type": "string", "enum": ["awaiting_approval", "executing", "completed", "failed"]},
            "steps": {"type": "array", "items": {"$ref": "#/components/schemas/PlanStep"}}
        })),
        "ApprovePlanRequest": object(&["approval_ids"], json!({
            "approval_ids": {
                "type": "array", "maxItems": 100, "items": uuid(),
                "description": "Every approval of the plan that is waiting. If another one is waiting by now, nothing is approved"
            }
        }))
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
