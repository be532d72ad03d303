//! The events of a run, one schema per type.

use serde_json::{Map, Value, json};

/// The fields of one type: name, schema, whether it is always present.
type Fields = &'static [(&'static str, &'static str, bool)];

/// The events of the contract. Kinds of fields: `s` text, `n` whole number, `f` number, `b` yes or no, `u` ID, `t` time, `*` anything,
/// `[x]` a list, otherwise the name of a schema.
const EVENTS: &[(&str, Fields)] = &[
    (
        "run_started",
        &[
            ("session_id", "u", true),
            ("message_id", "u", true),
            ("model", "s", true),
            ("settings", "ContextSettings", false),
            ("agent", "AgentRef", false),
        ],
    ),
    (
        "routing",
        &[
            ("service", "s", true),
            ("capability", "s", true),
            ("path", "s", true),
            ("confidence", "f", true),
            ("decided_by", "s", true),
            ("model_tier", "s", true),
            ("thinking", "s", false),
        ],
    ),
    ("agent", &[("agent", "s", true), ("task", "s", false)]),
    ("status", &[("label", "s", true)]),
    ("thinking", &[("content", "s", true)]),
    ("plan", &[("goal", "s", true), ("steps", "*", true)]),
    (
        "tool",
        &[
            ("tool_call_id", "u", true),
            ("name", "s", true),
            ("network", "Network", true),
            ("params", "*", true),
            ("read_only", "b", true),
            ("approved", "b", false),
        ],
    ),
    (
        "tool_executing",
        &[("tool_call_id", "u", true), ("tool_name", "s", true), ("message", "s", true), ("progress", "*", false)],
    ),
    (
        "tool_result",
        &[
            ("tool_call_id", "u", true),
            ("name", "s", true),
            ("ok", "b", true),
            ("summary", "s", true),
            ("result", "*", true),
            ("artifact", "Artifact", false),
            ("duration_ms", "n", true),
            ("cached", "b", true),
        ],
    ),
    (
        "tool_approval_required",
        &[
            ("approval_id", "u", true),
            ("tool_call_id", "u", true),
            ("tool_name", "s", true),
            ("network", "Network", true),
            ("title", "s", true),
            ("tool_input", "*", true),
            ("parameter_schema", "*", true),
            ("ui_hints", "*", true),
            ("risk", "s", true),
            ("warnings", "[s]", true),
            ("preview", "Preview", true),
            ("expires_at", "t", false),
        ],
    ),
    (
        "tool_approval_answered",
        &[
            ("approval_id", "u", true),
            ("tool_call_id", "u", true),
            ("status", "ApprovalStatus", true),
            ("by", "s", true),
            ("edited_args", "*", false),
            ("edits", "[Change]", false),
            ("sent", "SentChange", false),
            ("reason", "s", false),
        ],
    ),
    (
        "tool_denied",
        &[("tool_call_id", "u", true), ("tool_name", "s", true), ("reason", "s", true), ("unknown", "b", false)],
    ),
    (
        "action_required",
        &[("action", "s", true), ("network", "Network", false), ("message", "s", true), ("deep_link", "s", false)],
    ),
    ("content", &[("content", "s", true), ("is_final", "b", true)]),
    (
        "result",
        &[
            ("content", "s", true),
            ("artifacts", "[Artifact]", true),
            ("follow_ups", "[s]", true),
            ("method", "[s]", false),
            ("covers", "*", false),
        ],
    ),
    (
        "usage",
        &[
            ("model", "s", true),
            ("input_tokens", "n", true),
            ("output_tokens", "n", true),
            ("cost_micros", "n", true),
            ("duration_ms", "n", false),
        ],
    ),
    (
        "error",
        &[
            ("code", "s", true),
            ("content", "s", true),
            ("retryable", "b", true),
            ("developer_override_available", "b", false),
        ],
    ),
    ("done", &[("status", "RunStatus", true)]),
];

fn schema(kind: &str) -> Value {
    match kind {
        "s" => json!({"type": "string"}),
        "n" => json!({"type": "integer"}),
        "f" => json!({"type": "number"}),
        "b" => json!({"type": "boolean"}),
        "u" => json!({"type": "string", "format": "uuid"}),
        "t" => json!({"type": "string", "format": "date-time"}),
        "*" => json!({}),
        list if list.starts_with('[') => json!({"type": "array", "items": schema(list.trim_matches(['[', ']']))}),
        name => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}

/// Returns the name of a type's schema: `tool_result` becomes `ToolResultEvent`.
fn name_of(kind: &str) -> String {
    let words = kind.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.chain(["Event".to_owned()]).collect()
}

/// Returns each type as its own schema, because a discriminator selects by name and generators make a class of each.
pub fn schemas() -> Map<String, Value> {
    let mut schemas: Map<String, Value> = EVENTS
        .iter()
        .map(|(kind, fields)| {
            let mut properties = json!({
                "type": {"const": kind}, "run_id": schema("u"), "seq": {"type": "integer", "minimum": 1}, "at": schema("t")
            });
            let mut required = vec!["type", "run_id", "seq", "at"];
            for (name, field, always) in *fields {
                properties[name] = schema(field);
                if *always {
                    required.push(name);
                }
            }
            (name_of(kind), json!({"type": "object", "required": required, "properties": properties}))
        })
        .collect();
    let reference = |kind: &str| format!("#/components/schemas/{}", name_of(kind));
    let variants: Vec<Value> = EVENTS.iter().map(|(kind, _)| json!({"$ref": reference(kind)})).collect();
    let mapping: Map<String, Value> =
        EVENTS.iter().map(|(kind, _)| ((*kind).to_owned(), reference(kind).into())).collect();
    let event = json!({
        "description": "One event of a run. `seq` counts 1, 2, 3 … without gaps; `done` is always last.",
        "oneOf": variants,
        "discriminator": {"propertyName": "type", "mapping": mapping}
    });
    schemas.insert("RunEvent".to_owned(), event);
    schemas
}
