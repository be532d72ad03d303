//! A line of the audit log in words.

use adagent_contract::AuditView;
use adagent_domain::{Network, Role};

use crate::features::desk::role_name;

/// Turns `connection.accounts_chosen` into "Connection accounts chosen".
pub fn words(action: &str) -> String {
    let spaced = action.replace(['.', '_'], " ");
    let mut letters = spaced.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Describes one line of the log. An action without its own text is shown by its name, never left out.
pub fn sentence(row: &AuditView, names: &[(String, String)]) -> String {
    let text = |field: &str| row.detail.get(field).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let role =
        |field: &str| text(field).parse::<Role>().map_or_else(|_| String::new(), |role| role_name(role).to_owned());
    let who = |id: &str| {
        let found = names.iter().find(|(known, _)| known == id);
        found.map_or_else(|| "a former member".to_owned(), |(_, name)| name.clone())
    };
    let network = text("network")
        .parse::<Network>()
        .map_or_else(|_| text("network"), |network| network.display_name().to_owned());
    let (area, verb) = row.action.split_once('.').unwrap_or((&row.action, ""));
    match (area, verb) {
        ("invitation", "created") => format!("Invited {} as {}", text("email"), role("role")),
        ("invitation", "resent") => format!("Resent the invitation to {}", text("email")),
        ("invitation", "revoked") => format!("Revoked the invitation to {}", text("email")),
        ("invitation", "accepted") => "Accepted an invitation".to_owned(),
        ("invitation", "rejected") => "Declined an invitation".to_owned(),
        ("invite_link", "created") => format!("Created an invite link for the role {}", role("role")),
        ("invite_link", "deactivated") => "Deactivated an invite link".to_owned(),
        ("invite_link", "used") => format!("Joined with an invite link as {}", role("role")),
        ("member", "role_changed") => format!("Changed {}'s role to {}", who(&row.target), role("to")),
        ("member", "removed") => format!("Removed {} from the team", who(&row.target)),
        ("member", "left") => "Left the organization".to_owned(),
        ("organization", "created") => format!("Created the organization {}", text("name")),
        ("organization", "renamed") => "Renamed the organization".to_owned(),
        ("organization", "transferred") => format!("Made {} the owner", who(&text("to"))),
        ("approval", verb) if !text("title").is_empty() => {
            let deed = match verb {
                "cancelled" => "Canceled".to_owned(),
                other => words(other),
            };
            let edited = row.detail.get("edited").and_then(serde_json::Value::as_bool) == Some(true);
            let edited = if edited { ", edited" } else { "" };
            let agent = text("agent");
            let by = if agent.is_empty() { String::new() } else { format!(", proposed by {agent}") };
            format!("{deed} “{}”{edited}{by}", text("title"))
        }
        ("agent", "created") => format!("Created the agent @{}", text("handle")),
        ("agent", "changed") => format!("Changed {}", agent_changes(row)),
        ("agent", "deleted") => format!("Deleted the agent @{}", text("handle")),
        ("tool_server", "connected") => format!("Connected the tool server {} at {}", text("handle"), text("host")),
        ("tool_server", "changed") => format!("Changed the tool server {}{}", text("handle"), listed(row, "changed")),
        ("tool_server", "tested") => format!("Tested the tool server {}", text("handle")),
        ("tool_server", "signed_in") => {
            format!("Signed in to the tool server {} at {}", text("handle"), text("issuer"))
        }
        ("tool_server", "accepted") => {
            format!("Accepted changed tools of {}{}", text("handle"), listed(row, "tools"))
        }
        ("tool_server", "turned_off") => {
            format!("Used {}, whose tools changed and are off now{}", text("handle"), listed(row, "tools"))
        }
        ("tool_server", "deleted") => format!("Deleted the tool server {}", text("handle")),
        ("todo", "created") => "Added a to-do".to_owned(),
        ("todo", "changed") => "Changed a to-do".to_owned(),
        ("todo", "deleted") => "Deleted a to-do".to_owned(),
        ("document", "created") => "Created a document".to_owned(),
        ("document", "changed") => "Changed a document".to_owned(),
        ("document", "deleted") => "Moved a document to the trash".to_owned(),
        ("document", "restored") => "Restored a document".to_owned(),
        ("chat", "shared") => "Shared a chat with the organization".to_owned(),
        ("chat", "unshared") => "Stopped sharing a chat".to_owned(),
        ("reporting", "changed") if text("time_zone").is_empty() => {
            "Set the reporting time zone to the AdMob account's".to_owned()
        }
        ("reporting", "changed") => format!("Set the reporting time zone to {}", text("time_zone").replace('_', " ")),
        ("token", "created") => format!("Created the access token {}", text("name")),
        ("token", "revoked") => "Revoked an access token".to_owned(),
        ("connection", "consent_in_use_again") => {
            format!("{network}: access was kept, because another connection uses it")
        }
        ("connection", "consent_taken_back") => format!("{network}: access was revoked at the network"),
        ("connection", "consent_not_taken_back") => {
            format!("{network}: access couldn't be revoked; remove it in the Google account")
        }
        ("connection", "consent_taken_back_by_hand") => {
            "Confirmed that access was removed in the Google account".to_owned()
        }
        ("connection", verb) if !network.is_empty() => format!("{network}: {}", verb.replace('_', " ")),
        _ => generic(row),
    }
}

/// Lists the entries of a field, such as ` (echo reads only; note off)`.
fn listed(row: &AuditView, field: &str) -> String {
    let all = row.detail.get(field).and_then(serde_json::Value::as_array).into_iter().flatten();
    let all: Vec<&str> = all.filter_map(serde_json::Value::as_str).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join("; ")) }
}

/// Describes the changes to an agent, such as `the name and access of the agent @watcher`.
fn agent_changes(row: &AuditView) -> String {
    let named = |field: &str| row.detail.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
    let fields = row.detail.get("changed").and_then(serde_json::Value::as_array).into_iter().flatten();
    let words = fields.filter_map(serde_json::Value::as_str).map(|field| match field {
        "grants" => "access",
        "active" => "whether it is on",
        other => other,
    });
    let words = words.collect::<Vec<_>>();
    let handle = named("handle");
    match words.split_last() {
        None => format!("the agent @{handle}"),
        Some((one, [])) => format!("the {one} of the agent @{handle}"),
        Some((last, rest)) => format!("the {} and {last} of the agent @{handle}", rest.join(", ")),
    }
}

/// Describes an action by its name and its recorded details.
fn generic(row: &AuditView) -> String {
    let fields = row.detail.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let noted = fields
        .map(|(name, value)| format!("{name} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let noted = noted.collect::<Vec<_>>().join(", ");
    if noted.is_empty() { words(&row.action) } else { format!("{}: {noted}", words(&row.action)) }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Timestamp;
    use serde_json::json;

    use super::*;

    fn row(action: &str, target: &str, detail: serde_json::Value) -> AuditView {
        AuditView {
            number: None,
            at: Timestamp::EPOCH,
            action: action.into(),
            person: None,
            target: target.into(),
            detail,
            hash: None,
        }
    }

    #[test]
    fn lines_are_sentences_and_none_is_lost() {
        let names = [("7".to_owned(), "Tomi".to_owned())];
        let said = |action: &str, target: &str, detail| sentence(&row(action, target, detail), &names);
        assert_eq!(
            said("invitation.created", "1", json!({"email": "a@b.c", "role": "admin"})),
            "Invited a@b.c as Admin"
        );
        assert_eq!(
            said("member.role_changed", "7", json!({"from": "member", "to": "admin"})),
            "Changed Tomi's role to Admin"
        );
        assert_eq!(
            said(
                "approval.approved",
                "1",
                json!({"title": "Pause “A”", "tool": "x", "edited": true, "agent": "@watcher"})
            ),
            "Approved “Pause “A””, edited, proposed by @watcher"
        );
        assert_eq!(
            said("approval.denied", "1", json!({"title": "Pause “A”", "edited": false, "agent": null})),
            "Denied “Pause “A””"
        );
        assert!(said("member.removed", "8", json!({})).contains("a former member"));
        assert_eq!(said("connection.accounts_chosen", "1", json!({"network": "admob"})), "AdMob: accounts chosen");
        assert_eq!(
            said("reporting.changed", "1", json!({"time_zone": "America/New_York"})),
            "Set the reporting time zone to America/New York"
        );
        assert_eq!(said("agent.created", "1", json!({"handle": "watch"})), "Created the agent @watch");
        assert_eq!(
            said("agent.changed", "1", json!({"handle": "watch", "changed": ["name", "grants"]})),
            "Changed the name and access of the agent @watch"
        );
        assert_eq!(said("agent.changed", "1", json!({"handle": "watch"})), "Changed the agent @watch");
        assert_eq!(said("retention.changed", "", json!({})), "Retention changed");
    }
}
