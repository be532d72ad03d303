//! JSON Schemas of organizations, invitations and links.

use serde_json::{Map, Value, json};

use super::schemas::{nullable, object, page, time, uuid};

pub(super) fn schemas() -> Map<String, Value> {
    let given = json!({"type": "string", "enum": ["admin", "member"]});
    let role = json!({"type": "string", "enum": ["owner", "admin", "member"]});
    let name = json!({"type": "string", "minLength": 1, "maxLength": 80});
    let organization = object(&["id", "name"], json!({"id": uuid(), "name": {"type": "string"}}));
    let all = json!({
        "Organization": object(&["id", "name", "slug", "role"], json!({
            "id": uuid(), "name": {"type": "string"}, "slug": {"type": "string"}, "role": role
        })),
        "OrganizationList": page("Organization"),
        "NewOrganization": object(&["name"], json!({"name": name})),
        "OrganizationPatch": object(&["name"], json!({"name": name})),
        "DeleteOrganization": object(&[], json!({"name": {"type": ["string", "null"], "description": "Its name, repeated; optional, but if you send it, it must match"}})),
        "Member": object(&["user_id", "name", "email", "role", "joined_at"], json!({
            "user_id": uuid(), "name": {"type": "string"}, "email": {"type": "string"}, "role": role, "joined_at": time()
        })),
        "MemberList": page("Member"),
        "RolePatch": object(&["role"], json!({"role": given})),
        "TransferOwnershipRequest": object(&["user_id"], json!({"user_id": uuid()})),
        "NewInvitation": object(&["email", "role"], json!({"email": {"type": "string", "maxLength": 254}, "role": given})),
        "Invitation": object(&["id", "email", "role", "invited_by", "created_at", "expires_at", "state", "mail"], json!({
            "id": uuid(), "email": {"type": "string"}, "role": given, "invited_by": {"type": "string"},
            "created_at": time(), "expires_at": time(), "state": {"type": "string", "enum": ["pending", "expired"]},
            "mail": {"type": "string", "enum": ["queued", "sent", "failed"], "description": "Status of the latest email"},
            "mail_error": {"type": "string", "description": "Why the last try failed; it is retried while queued"}
        })),
        "InvitationList": page("Invitation"),
        "ReceivedInvitation": object(&["id", "organization", "role", "invited_by", "expires_at"], json!({
            "id": uuid(), "organization": organization, "role": given, "invited_by": {"type": "string"}, "expires_at": time()
        })),
        "NewInviteLink": object(&["role"], json!({
            "role": given,
            "expires_in_days": {"type": ["integer", "null"], "minimum": 1, "maximum": 365, "description": "Null: never expires"},
            "max_uses": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000, "description": "Null: unlimited"}
        })),
        "InviteLink": object(&["id", "role", "url", "created_at", "expires_at", "max_uses", "uses", "state"], json!({
            "id": uuid(), "role": given, "url": {"type": "string", "format": "uri", "description": "Anyone who has it can join"},
            "created_at": time(), "expires_at": nullable(&time()), "max_uses": {"type": ["integer", "null"]},
            "uses": {"type": "integer"}, "state": {"type": "string", "enum": ["active", "expired", "used_up"]}
        })),
        "InviteLinkList": page("InviteLink"),
        "Invite": object(&["state"], json!({
            "state": {"type": "string", "enum": ["valid", "invalid", "expired", "deactivated", "used_up", "already_member"]},
            "organization": organization, "role": given
        }))
    });
    if let Value::Object(all) = all { all } else { Map::new() }
}
