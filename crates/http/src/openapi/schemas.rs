//! JSON Schemas of the data on the wire. Tests compare them with the server's real answers.

use adagent_contract::TokenScope;
use serde_json::{Map, Value, json};

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

pub(super) fn uuid() -> Value {
    json!({"type": "string", "format": "uuid"})
}

pub(super) fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

/// Returns the schema, or null.
pub(super) fn nullable(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// Returns an object that has all of `required` and may have the other `properties`.
#[expect(clippy::needless_pass_by_value, reason = "callers write the properties in place")]
pub(super) fn object(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

pub(super) fn page(of: &str) -> Value {
    object(
        &["items", "next_cursor"],
        json!({"items": {"type": "array", "items": reference(of)}, "next_cursor": {"type": ["string", "null"]}}),
    )
}

fn networks() -> Value {
    json!({"type": "string", "enum": adagent_domain::Network::ALL.map(adagent_domain::Network::id)})
}

/// Returns all schemas except those of events.
pub fn schemas() -> Map<String, Value> {
    let mut all = Map::new();
    for family in [general(), accounts(), keeping(), connections(), chat(), runs(), approvals()] {
        let Value::Object(family) = family else { continue };
        all.extend(family);
    }
    all
}

fn general() -> Value {
    json!({
        "Problem": object(&["type", "title", "status", "detail", "code", "request_id"], json!({
            "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
            "code": {"type": "string", "description": "Stable and machine-readable"}, "request_id": {"type": "string"},
            "run_id": {"type": "string", "format": "uuid", "description": "The run the request was about"},
            "errors": {"type": "array", "items": object(&["pointer", "message"], json!({
                "pointer": {"type": "string", "description": "JSON pointer into the body, or the name of a parameter or header"},
                "message": {"type": "string"}
            }))}
        })),
        "Network": networks(),
        "Health": object(&["status"], json!({"status": {"type": "string"}, "checks": {"type": "object", "additionalProperties": {"type": "string"}}})),
        "SandboxInfo": object(&["base_url", "networks", "today"], json!({
            "base_url": {"type": "string"}, "today": {"type": "string", "format": "date"},
            "networks": {"type": "object", "additionalProperties": object(&["base_url"], json!({"base_url": {"type": "string"}}))}
        })),
        "ExploreRequest": object(&[], json!({"networks": {"type": ["array", "null"], "items": reference("Network")}})),
        "ContextSettings": object(&[], json!({
            "mode": {"type": "string", "enum": ["soft", "strict"]},
            "enabled_networks": {"type": ["array", "null"], "items": reference("Network")},
            "enabled_connections": {"type": "object", "additionalProperties": {"type": "array", "items": uuid()},
                "description": "For networks with several connections: the ones in use"},
            "enabled_accounts": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
            "enabled_apps": apps(),
            "safe_mode": {"type": "boolean", "description": "No changes, not even after approval"},
            "response_style": {"type": "string", "enum": ["concise", "detailed"]},
            "model": {"type": ["string", "null"]}
        })),
        "ContextOverlay": {"type": "object", "additionalProperties": false, "properties": {
            "mode": {"enum": ["soft", "strict", null]},
            "enabled_networks": {"type": ["array", "null"], "items": reference("Network")},
            "enabled_connections": {"type": ["object", "null"], "additionalProperties": {"type": "array", "items": uuid()}},
            "enabled_accounts": {"type": ["object", "null"], "additionalProperties": {"type": "array", "items": {"type": "string"}}},
            "enabled_apps": apps(),
            "safe_mode": {"type": ["boolean", "null"]}, "response_style": {"enum": ["concise", "detailed", null]},
            "model": {"type": ["string", "null"]}, "chat_only": {"type": ["boolean", "null"], "description": "No tools at all"}
        }}
    })
}

fn apps() -> Value {
    let ids = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "description": "The selected apps of each network; a network that isn't listed uses all its apps. A list names apps of all networks.",
        "anyOf": [{"type": "null"}, ids, {"type": "object", "propertyNames": reference("Network"), "additionalProperties": ids}]
    })
}

fn accounts() -> Value {
    let email = json!({"type": "string", "maxLength": 254});
    let password = json!({"type": "string", "minLength": 8, "maxLength": 256, "writeOnly": true});
    let scopes = json!({"type": "array", "minItems": 1, "items": {"type": "string", "enum": TokenScope::ALL.map(TokenScope::as_str)}});
    let token = object(
        &["id", "name", "hint", "scopes", "created_at", "expires_at", "last_used_at"],
        json!({
            "id": uuid(), "name": {"type": "string"}, "hint": {"type": "string", "description": "The token's first characters"},
            "scopes": scopes, "created_at": time(), "expires_at": nullable(&time()),
            "last_used_at": {"anyOf": [time(), {"type": "null"}], "description": "To the minute"}
        }),
    );
    let mut created = token.clone();
    created["properties"]["token"] =
        json!({"type": "string", "description": "The secret, shown once", "readOnly": true});
    created["required"] = json!(["id", "token", "name", "hint", "scopes", "created_at", "expires_at", "last_used_at"]);
    json!({
        "SignUpRequest": object(&["email", "password", "name"], json!({"email": email, "password": password, "name": {"type": "string", "maxLength": 100}})),
        "SignInRequest": object(&["email", "password"], json!({"email": {"type": "string"}, "password": {"type": "string", "writeOnly": true}})),
        "User": object(&["id", "email", "name", "created_at", "personal_workspace_id"], json!({
            "id": uuid(), "email": {"type": "string"}, "name": {"type": "string"}, "created_at": time(), "personal_workspace_id": uuid()
        })),
        "NewToken": object(&["name", "scopes"], json!({
            "name": {"type": "string", "maxLength": 100}, "scopes": scopes, "expires_at": nullable(&time()),
            "password": {"type": ["string", "null"], "writeOnly": true, "description": "Your password; leave out for accounts without one (they must have signed in within 10 minutes)"}
        })),
        "Token": token, "TokenList": page("Token"), "CreatedToken": created,
        "UserEnvelope": object(&["user"], json!({"user": reference("User")})),
        "Me": object(&["user", "organizations", "invitations"], json!({
            "user": reference("User"), "invitations": {"type": "array", "items": reference("ReceivedInvitation")},
            "organizations": {"type": "array", "items": reference("Organization")}
        }))
    })
}

/// Returns the schemas of the audit log, and of what happens to stored data.
fn keeping() -> Value {
    let days = json!({"type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX, "description": "0 keeps forever; null uses the default"});
    let bound = json!({"type": "integer", "minimum": 0});
    let rows = json!({"type": "array", "items": {"type": "object"}});
    let sections = [
        "memberships",
        "browser_sessions",
        "access_tokens",
        "context_settings",
        "connections",
        "chats",
        "messages",
        "runs",
        "run_events",
        "saved_states",
        "tool_calls",
        "approvals",
        "audit_log",
        "invitations",
    ];
    let mut export = json!({"exported_at": time(), "person": {"type": "object"}});
    for section in sections {
        export[section] = rows.clone();
    }
    let mut held = vec!["exported_at", "person"];
    held.extend(sections);
    json!({
        "AuditEntry": object(&["number", "at", "action", "person", "target", "detail", "hash"], json!({
            "number": {"type": ["integer", "null"], "description": "Its place in the hash chain; null for older entries"},
            "at": time(), "action": {"type": "string"}, "target": {"type": "string"}, "detail": {},
            "person": nullable(&object(&["id", "name"], json!({"id": uuid(), "name": {"type": "string"}}))),
            "hash": {"type": ["string", "null"], "description": "Covers this entry and all before it"}
        })),
        "AuditPage": page("AuditEntry"),
        "AuditVerdict": object(&["holds", "broken", "rows", "looked_at", "erased", "unchained", "head"], json!({
            "holds": {"type": "boolean"}, "broken": {"type": ["string", "null"]}, "rows": bound, "looked_at": bound, "erased": bound, "unchained": bound,
            "head": {"type": ["string", "null"], "description": "The last hash of the chain, to store elsewhere"}
        })),
        "ReportingSettings": object(&[], json!({
            "time_zone": {"type": ["string", "null"], "description": "An IANA name such as America/New_York; null: as the accounts count days"}
        })),
        "Reporting": object(&["settings", "time_zone", "today"], json!({
            "settings": reference("ReportingSettings"), "time_zone": {"type": "string"}, "today": {"type": "string", "format": "date"}
        })),
        "RetentionSettings": object(&[], json!({"runs_days": days, "checkpoints_days": days, "audit_days": days})),
        "Retention": object(
            &["settings", "longest_runs_days", "longest_checkpoints_days", "longest_audit_days", "shortest_audit_days"],
            json!({
                "settings": reference("RetentionSettings"), "longest_runs_days": bound, "longest_checkpoints_days": bound,
                "longest_audit_days": bound, "shortest_audit_days": bound
            })
        ),
        "ProfilePatch": object(&["name"], json!({"name": {"type": "string", "maxLength": 100}})),
        "ErasureRequest": object(&["email", "password"], json!({
            "email": {"type": "string", "description": "The account's email, repeated"}, "password": {"type": "string", "writeOnly": true},
            "code": {"type": "string", "writeOnly": true, "description": "For two-factor authentication, if it is on"},
            "reason": {"type": "string", "enum": ["user_requested", "gdpr_request"]}
        })),
        "AccountExport": object(&held, export)
    })
}

fn ability() -> Value {
    object(
        &["ability"],
        json!({
            "ability": {
                "type": "string", "enum": ["yes", "no", "refused", "not_known"],
                "description": "Found without changing anything; refused: the network rejected the last attempt"
            },
            "why": {"type": "string"}
        }),
    )
}

fn connections() -> Value {
    json!({
        "Provider": object(&["network", "display_name", "kind", "state", "accounts", "sandbox"], json!({
            "id": uuid(), "network": reference("Network"), "display_name": {"type": "string"},
            "kind": {"type": "string", "enum": ["oauth", "key"]},
            "state": {"type": "string", "enum": ["not_connected", "choose_account", "connected", "disabled", "auth_failed", "coming_soon"]},
            "accounts": {"type": "array", "items": object(&["id", "name", "currency", "time_zone", "selected"], json!({
                "id": {"type": "string"}, "name": {"type": "string"}, "currency": {"type": ["string", "null"]},
                "time_zone": {"type": ["string", "null"]}, "selected": {"type": "boolean"},
                "label": {"type": "string", "description": "What people of the workspace call it; left out where they gave no name"}
            }))},
            "last_verified_at": time(), "sandbox": {"type": "boolean", "description": "Figures are simulated"}, "message": {"type": "string"},
            "paused": object(&["until"], json!({"until": {"description": "When we retry; null while a retry is running", "anyOf": [time(), {"type": "null"}]}})),
            "abilities": object(&["read", "report", "write", "looked_at"], json!({
                "read": ability(), "report": ability(), "write": ability(), "looked_at": time()
            })),
            "connected_at": time(), "label": {"type": "string", "description": "The connection's name"},
            "connections": {"type": "array", "items": reference("Provider"),
                "description": "For a network: all its connections, oldest first; the other fields are those of the first"}
        })),
        "RenameConnectionRequest": object(&["label"], json!({"label": {"type": "string", "minLength": 1, "maxLength": 60}})),
        "ProviderList": page("Provider"),
        "Revocation": object(&["id", "network", "display_name", "disconnected_at", "sandbox", "message"], json!({
            "id": uuid(), "network": {"type": "string"}, "display_name": {"type": "string"}, "disconnected_at": time(),
            "sandbox": {"type": "boolean", "description": "Of a simulated network"},
            "message": {"type": "string", "description": "Why the last attempt failed"}
        })),
        "RevocationList": page("Revocation"),
        "ConsentsLeft": object(&["consents_left"], json!({
            "consents_left": {
                "type": "array", "minItems": 1, "items": reference("Network"),
                "description": "Networks where this server couldn't revoke access; a person removes it in the Google account"
            }
        })),
        "ConnectRequest": object(&["provider"], json!({
            "provider": {"type": "string", "enum": ["admob", "admanager", "gam"]},
            "return": {"type": ["string", "null"], "description": "A path of this site to go to afterwards"},
            "connection_id": {"description": "The connection to reconnect; required if the network has several", "anyOf": [uuid(), {"type": "null"}]},
            "add": {"type": "boolean", "description": "Connect one more account"},
            "label": {"type": ["string", "null"], "minLength": 1, "maxLength": 60, "description": "Name of the new connection"}
        })),
        "ConnectResponse": object(&["authorization_url"], json!({"authorization_url": {"type": "string", "format": "uri"}})),
        "EnableRequest": object(&["enabled"], json!({"enabled": {"type": "boolean"}})),
        "ChooseAccountsRequest": object(&["account_ids"], json!({"account_ids": {"type": "array", "minItems": 1, "items": {"type": "string"}}})),
        "Entity": object(&["network", "kind", "id", "name"], json!({
            "network": reference("Network"), "kind": {"type": "string"}, "id": {"type": "string"}, "name": {"type": "string"},
            "parent": {"type": "string"}, "account": {"type": "string"}, "platform": {"type": "string"}, "format": {"type": "string"},
            "status": {"type": "string"}, "connection": {"type": "string", "description": "Label of the connection, where the network has several"}, "raw": {}
        })),
        "EntityPage": page("Entity"),
        "KeyNetwork": {"allOf": [reference("Provider"), object(&["fields", "places"], json!({
            "fields": {"type": "array", "items": object(&["name", "label", "secret", "required", "digits"], json!({
                "name": {"type": "string"}, "label": {"type": "string"}, "secret": {"type": "boolean"}, "required": {"type": "boolean"},
                "hint": {"type": "string", "description": "What it is for"}, "digits": {"type": "boolean", "description": "Its value is a number"}
            }))},
            "places": {"type": "array", "description": "Where new keys can connect; the first one unless the request says otherwise",
                "items": {"type": "string", "enum": ["sandbox", "live"]}}
        }))]},
        "KeyNetworkList": page("KeyNetwork"),
        "KeyNetworkFields": {
            "type": "object", "description": "The fields the network asks for, by name",
            "properties": {"place": {
                "type": "string", "enum": ["sandbox", "live"],
                "description": "Whether the keys are for the sandbox or the real network. A server with the sandbox tests them there unless this says live"
            },
            "connection_id": {"description": "The connection that gets these keys; required if the network has several", "anyOf": [uuid(), {"type": "null"}]},
            "add": {"type": ["boolean", "null"], "description": "Connect one more account"},
            "label": {"type": ["string", "null"], "minLength": 1, "maxLength": 60, "description": "Name of the new connection"}
            },
            "additionalProperties": {"type": ["string", "integer"], "writeOnly": true}
        }
    })
}

fn chat() -> Value {
    json!({
        "Session": object(&["id", "title", "workspace_id", "chat_only", "created_at", "updated_at", "busy", "awaiting_approval"], json!({
            "id": uuid(), "title": {"type": "string"}, "workspace_id": uuid(), "chat_only": {"type": "boolean"},
            "created_at": time(), "updated_at": time(), "busy": {"type": "boolean"}, "awaiting_approval": {"type": "boolean"},
            "kept": {"type": "boolean", "description": "Keep it regardless of data retention"},
            "shared": {"type": "boolean", "description": "Every member of the organization can read it"},
            "owner": {"type": "string", "description": "The name of the person it belongs to, if that is not you"}
        })),
        "SessionPage": page("Session"),
        "CreateSessionRequest": object(&[], json!({
            "title": {"type": ["string", "null"], "maxLength": 120},
            "chat_only": {"type": "boolean", "description": "Chat only: reads and changes no network"}
        })),
        "SessionPatch": object(&[], json!({"title": {"type": ["string", "null"], "maxLength": 120}, "chat_only": {"type": ["boolean", "null"]}, "kept": {"type": ["boolean", "null"]}, "shared": {"type": ["boolean", "null"], "description": "Lets every member of the organization read it"}})),
        "ChatRequest": object(&["message"], json!({
            "session_id": nullable(&uuid()), "message": {"type": "string", "minLength": 1, "maxLength": 20000},
            "agent": {"type": ["string", "null"], "pattern": "^@?[Dd][Ee][Ss][Kk]$", "description": "The handle of the agent to ask; leave it out for the workspace's own, desk"},
            "context": {"anyOf": [reference("ContextOverlay"), {"type": "null"}], "description": "For this run only: narrows the stored settings, never widens them"}
        })),
        "FeedbackRequest": object(&["rating"], json!({
            "rating": {"type": "string", "enum": ["up", "down"]}, "comment": {"type": ["string", "null"], "maxLength": 2000}
        })),
        "Message": object(&["id", "run_id", "content", "author", "created_at", "rating", "turn"], json!({
            "id": uuid(), "run_id": uuid(), "content": {"type": "string"}, "author": {"type": "string"}, "created_at": time(),
            "rating": {"enum": ["up", "down", null]}, "turn": reference("Turn")
        })),
        "SessionMessages": object(&["session", "items", "next_cursor"], json!({
            "session": reference("Session"), "items": {"type": "array", "items": reference("Message")}, "next_cursor": {"type": ["string", "null"]}
        })),
        "Turn": object(&["run_id", "status", "last_seq", "steps", "approvals", "actions", "answer", "answered", "artifacts", "follow_ups", "stops"], json!({
            "run_id": uuid(), "status": reference("RunStatus"), "last_seq": {"type": "integer"},
            "started_at": nullable(&time()), "finished_at": nullable(&time()), "model": {"type": "string"}, "label": {"type": ["string", "null"]},
            "routing": {"type": ["object", "null"]},
            "steps": {"type": "array", "items": object(&["kind", "at"], json!({"kind": {"enum": ["agent", "thinking", "tool"]}, "at": time()}))},
            "approvals": {"type": "array", "items": object(&["approval_id", "tool_call_id", "tool_name", "title", "tool_input", "status"], json!({
                "approval_id": uuid(), "tool_call_id": uuid(), "tool_name": {"type": "string"}, "title": {"type": "string"},
                "tool_input": {}, "status": reference("ApprovalStatus")
            }))},
            "actions": {"type": "array", "items": object(&["action", "network", "message"], json!({
                "action": {"type": "string"}, "network": reference("Network"), "message": {"type": "string"}
            }))},
            "answer": {"type": "string", "description": "Markdown"}, "answered": {"type": "boolean"},
            "artifacts": {"type": "array", "items": reference("Artifact")}, "follow_ups": {"type": "array", "items": {"type": "string"}},
            "method": {"type": "array", "items": {"type": "string"}, "description": "How the figures were counted"},
            "covers": {"type": ["object", "null"], "description": "First and last day of the figures"},
            "usage": nullable(&reference("Usage")), "stops": {"type": "array", "items": object(&["code", "content", "retryable"], json!({
                "code": {"type": "string"}, "content": {"type": "string"}, "retryable": {"type": "boolean"}
            }))}
                    })),
        "Artifact": object(&["kind"], json!({"kind": {"type": "string", "enum": ["table", "timeseries", "bars", "kpi", "json"]}}))
    })
}

fn runs() -> Value {
    json!({
        "RunStatus": {"type": "string", "enum": adagent_contract::RunStatus::ALL.map(adagent_contract::RunStatus::as_str)},
        "Usage": object(&["model", "input_tokens", "output_tokens", "cost_micros"], json!({
            "model": {"type": "string"}, "input_tokens": {"type": "integer"}, "output_tokens": {"type": "integer"}, "cost_micros": {"type": "integer"},
            "estimated": {"type": "boolean", "description": "Partly estimated, because a provider reported no usable numbers"}
        })),
        "UsageToday": object(&["day", "resets_at", "input_tokens", "output_tokens", "cost_micros", "held_micros", "calls", "ceilings"], json!({
            "day": {"type": "string", "format": "date"}, "resets_at": time(), "input_tokens": {"type": "integer"},
            "output_tokens": {"type": "integer"}, "cost_micros": {"type": "integer", "description": "Micros of a US dollar, by list prices"},
            "held_micros": {"type": "integer", "description": "Reserved for calls in progress"}, "calls": {"type": "integer"},
            "ceilings": object(&["workspace_daily_cost_micros", "run_cost_micros", "run_tokens"], json!({
                "workspace_daily_cost_micros": {"type": "integer"}, "run_cost_micros": {"type": "integer"}, "run_tokens": {"type": "integer"}
            }))
        })),
        "Run": object(&["id", "session_id", "message_id", "question", "status", "model", "usage", "created_at", "started_at", "finished_at", "last_seq", "steps"], json!({
            "id": uuid(), "session_id": uuid(), "message_id": uuid(), "question": {"type": "string"}, "status": reference("RunStatus"),
            "model": {"type": "string"}, "usage": reference("Usage"), "created_at": time(),
            "started_at": nullable(&time()), "finished_at": nullable(&time()), "last_seq": {"type": "integer"},
            "steps": {"type": "array", "items": object(&["name", "kind", "started_at", "duration_ms", "duration_us", "ok"], json!({
                "name": {"type": "string"}, "kind": {"enum": ["queue", "node", "model", "tool", "person"]}, "started_at": time(),
                "duration_ms": {"type": "integer"}, "duration_us": {"type": "integer"}, "ok": {"type": "boolean"}
            }))},
            "parent": nullable(&object(&["run_id", "step", "inherited_seq", "question"], json!({
                "run_id": uuid(), "step": {"type": "integer", "description": "Which checkpoint of that run"},
                "inherited_seq": {"type": "integer", "description": "Events up to this one were taken over"},
                "question": {"type": ["string", "null"], "description": "Null when that run is no longer kept"}
            }))),
            "forks": {"type": "array", "items": object(&["run_id", "step", "question", "status", "created_at"], json!({
                "run_id": uuid(), "step": {"type": "integer"}, "question": {"type": "string"},
                "status": reference("RunStatus"), "created_at": time()
            }))}
        })),
        "RunPage": page("Run"),
        "RunRef": object(&["run_id"], json!({"run_id": uuid()})),
        "OverrideRequest": object(&["args"], json!({"tool_call_id": nullable(&uuid()), "args": {"type": "object"}})),
        "Checkpoint": object(&["id", "step", "seq", "node", "created_at"], json!({
            "id": uuid(), "step": {"type": "integer"}, "seq": {"type": "integer"}, "node": {"type": "string"}, "created_at": time()
        })),
        "CheckpointList": page("Checkpoint"),
        "ForkRequest": object(&[], json!({
            "message": {"type": ["string", "null"], "maxLength": 20000, "description": "Asked instead; results read before it are reused"},
            "tool_call_id": {"anyOf": [uuid(), {"type": "null"}], "description": "The call that gets other arguments; the last open one if absent"},
            "args": {"type": ["object", "null"]}
        })),
        "CheckpointComparison": object(&["from", "to", "changes"], json!({
            "from": nullable(&reference("Checkpoint")), "to": reference("Checkpoint"),
            "changes": {"type": "array", "items": object(&["path"], json!({
                "path": {"type": "string", "description": "JSON pointer into the state"},
                "before": {"description": "Absent when there was nothing"}, "after": {"description": "Absent if nothing remains"}
            }))}
        })),
        "CheckpointDetail": {"allOf": [reference("Checkpoint"), object(&["state"], json!({"state": {}}))]}
    })
}

fn approvals() -> Value {
    json!({
        "ApprovalStatus": {"type": "string", "enum": ["pending", "approved", "denied", "cancelled", "expired"]},
        "AnswerRequest": object(&["approval_id", "approved"], json!({
            "approval_id": uuid(), "approved": {"type": "boolean"}, "edited_args": {"type": ["object", "null"]}, "reason": {"type": ["string", "null"], "maxLength": 1000},
            "remember": {"type": ["boolean", "null"], "description": "Accepted and ignored: an answer is never remembered, each change needs its own approval"}
        })),
        "Preview": object(&["kind", "changes"], json!({
            "kind": {"type": "string", "enum": ["create", "update", "delete", "action"]},
            "changes": {"type": "array", "items": reference("Change")},
            "back": {"description": "The arguments with which the same operation puts back what it changes; left out where it cannot"},
            "unmade_by": {"type": "string", "description": "The operation that takes away what this makes; left out where there is none"}
        })),
        "Change": object(&["label", "before", "after"], json!({
            "label": {"type": "string"}, "before": {"type": ["string", "null"]}, "after": {"type": ["string", "null"]}
        })),
        "Activity": object(&["pending_approvals"], json!({"pending_approvals": {"type": "integer", "minimum": 0}})),
        "SentChange": object(&["title", "preview"], json!({"title": {"type": "string"}, "preview": reference("Preview")})),
        "Approval": object(
            &["id", "approval_id", "run_id", "status", "tool_call_id", "tool_name", "title", "tool_input",
              "parameter_schema", "ui_hints", "risk", "warnings", "preview", "created_at"],
            json!({
                "id": uuid(), "approval_id": uuid(), "run_id": uuid(), "session_id": uuid(), "status": reference("ApprovalStatus"),
                "tool_call_id": uuid(), "tool_name": {"type": "string"}, "network": reference("Network"),
                "source": {"type": "string", "description": "Where the tool comes from when that is no network, such as `native`"}, "title": {"type": "string"},
                "tool_input": {}, "parameter_schema": {}, "ui_hints": {"type": "object"}, "risk": {"type": "string", "enum": ["write", "destructive"]},
                "warnings": {"type": "array", "items": {"type": "string"}}, "preview": reference("Preview"), "created_at": time(),
                "expires_at": nullable(&time()), "answered_at": nullable(&time()), "answered_by": {"type": ["string", "null"]},
                "edited_args": {}, "reason": {"type": ["string", "null"]},
                "sent": {"description": "What edited arguments do, in words; title and preview stay as they were asked", "$ref": "#/components/schemas/SentChange"},
                "undone": {"type": "boolean", "description": "The change was made, and put back since; left out where it was not"},
                "asked_again": {"type": "boolean", "description": "It was approved, and a newer approval asks for the same call again; left out where none does"},
                "asked_by": {"type": "string", "description": "Whose run asks, where it is another member's"}
            })
        ),
        "ApprovalPage": page("Approval")
    })
}
