//! JSON Schemas of sign-in and of a person's own account.

use serde_json::{Map, Value, json};

use super::schemas::{nullable, object, page, reference, time, uuid};

/// Returns all schemas by name.
pub(super) fn schemas() -> Map<String, Value> {
    let secret = json!({"type": "string", "writeOnly": true});
    let password = nullable(&secret);
    let described = json!({
        "Nothing": object(&[], json!({})),
        "CodeRequest": object(&["code"], json!({"code": {"type": "string", "maxLength": 100, "writeOnly": true}})),
        "LinkRequest": object(&["token"], json!({
            "token": secret, "password": {"anyOf": [secret, {"type": "null"}], "description": "The account's password, if nobody is signed in"}
        })),
        "ForgotPasswordRequest": object(&["email"], json!({"email": {"type": "string", "maxLength": 300}})),
        "ResetPasswordRequest": object(&["token", "password"], json!({
            "token": secret, "password": {"type": "string", "minLength": 8, "maxLength": 256, "writeOnly": true}
        })),
        "ProofRequest": object(&[], json!({
            "password": {"anyOf": [secret, {"type": "null"}], "description": "Leave out for accounts without a password; they must have signed in within 10 minutes"}
        })),
        "ChangeEmailRequest": object(&["email"], json!({"email": {"type": "string", "format": "email", "maxLength": 254}, "password": password})),
        "ChangePasswordRequest": object(&["new_password"], json!({
            "current_password": password, "new_password": {"type": "string", "minLength": 8, "maxLength": 256, "writeOnly": true}
        })),
        "DisableSecondFactorRequest": object(&["code"], json!({
            "password": password, "code": {"type": "string", "maxLength": 100, "writeOnly": true}
        })),
        "RenewCodesRequest": object(&["code"], json!({
            "password": password, "code": {"type": "string", "maxLength": 100, "writeOnly": true}
        })),
        "RecoveryCodes": object(&["recovery_codes"], json!({
            "recovery_codes": {"type": "array", "items": {"type": "string"}, "description": "Each works once; never shown again"}
        })),
        "Account": object(&["user", "email_verified", "awaiting_email", "mail", "has_password", "second_factor", "google", "failed_sign_ins", "consents_left"], json!({
            "consents_left": {
                "type": "array", "items": reference("Network"),
                "description": "Networks where this server can't revoke access when the account is deleted"
            },
            "failed_sign_ins": {"type": "array", "items": object(&["address", "attempts", "first_at", "last_at"], json!({
                "address": {"type": "string", "description": "For IPv6, the network; empty for all others together"},
                "attempts": {"type": "integer"}, "first_at": time(), "last_at": time()
            })), "description": "Wrong passwords in the last 30 days, by address"},
            "user": reference("User"), "email_verified": {"type": "boolean"},
            "awaiting_email": {"type": ["string", "null"], "description": "A new email that isn't confirmed yet"},
            "mail": {"type": "boolean", "description": "This server sends mail"}, "has_password": {"type": "boolean"},
            "second_factor": nullable(&object(&["since", "recovery_codes_left"], json!({"since": time(), "recovery_codes_left": {"type": "integer"}}))),
            "google": nullable(&object(&["linked"], json!({
                "linked": nullable(&object(&["email", "since", "last_used_at"], json!({
                    "email": {"type": "string"}, "since": time(), "last_used_at": nullable(&time())
                })))
            })))
        })),
        "Enrolment": object(&["secret", "uri", "qr", "recovery_codes"], json!({
            "secret": {"type": "string"}, "uri": {"type": "string", "description": "otpauth://totp/…"},
            "qr": object(&["size", "path"], json!({"size": {"type": "integer"}, "path": {"type": "string", "description": "Path of an SVG"}})),
            "recovery_codes": {"type": "array", "items": {"type": "string"}, "description": "Each works once; never shown again"}
        })),
        "BrowserSession": object(&["id", "current", "created_at", "last_seen_at", "agent", "address"], json!({
            "id": uuid(), "current": {"type": "boolean"}, "created_at": time(), "last_seen_at": time(),
            "agent": {"type": "string"}, "address": {"type": "string"}
        })),
        "BrowserSessionList": page("BrowserSession"),
        "EndedSessions": object(&["ended"], json!({"ended": {"type": "integer"}})),
        "LinkStart": object(&["authorization_url"], json!({"authorization_url": {"type": "string", "format": "uri"}}))
    });
    let Value::Object(schemas) = described else { return Map::new() };
    schemas
}
