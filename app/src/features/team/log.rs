//! What was done by whom, newest first, in words; the whole of it as a file.

use adagent_contract::AuditView;
use adagent_domain::{Network, Role};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    LocalTime,
    features::{
        api::{self, Team},
        desk::role_name,
    },
    ui::{Glyph, Icon},
};

/// What the log can be narrowed to: the first word of an action, and what people call it.
const KINDS: [(&str, &str); 8] = [
    ("", "Everything"),
    ("member", "Members"),
    ("invitation", "Invitations"),
    ("invite_link", "Invite links"),
    ("connection", "Connections"),
    ("approval", "Approvals"),
    ("token", "Access tokens"),
    ("organization", "The organisation"),
];

#[component]
pub fn Log(team: Team) -> impl IntoView {
    let query = use_query_map();
    let kind = Memo::new(move |_| {
        let asked = query.read().get("log").unwrap_or_default();
        KINDS.into_iter().find(|(kind, _)| *kind == asked).map_or("", |(kind, _)| kind)
    });
    let page = Resource::new(move || kind.get(), |kind| api::read_audit_log(kind.to_owned()));
    let id = team.here.id;
    let file = move || {
        let narrowed = if kind.get().is_empty() { String::new() } else { format!("&action={}", kind.get()) };
        format!("/api/organizations/{id}/audit-log?format=csv{narrowed}")
    };
    let names: Vec<(String, String)> =
        team.members.iter().map(|member| (member.user_id.to_string(), member.name.clone())).collect();
    let names = StoredValue::new(names);
    view! {
        <section class="section" aria-labelledby="team-log" id="log">
            <div class="section-head">
                <h3 id="team-log">"Audit log"</h3>
                <a class="button ghost small push" href=file rel="external" download="audit-log.csv"><Icon glyph=Glyph::Download small=true/>"CSV"</a>
            </div>
            <nav class="tabs" aria-label="Filter of the audit log">
                {KINDS.map(|(one, label)| {
                    let href = if one.is_empty() { "/settings/team#log".to_owned() } else { format!("/settings/team?log={one}#log") };
                    view! { <a class="tab" href=href aria-current=move || (kind.get() == one).then_some("true")>{label}</a> }
                }).into_iter().collect_view()}
            </nav>
            <Transition fallback=|| view! { <span class="skeleton" style="width:80%"></span> }>
                {move || page.get().map(|answer| match answer {
                    Ok(items) if items.is_empty() => view! { <p class="quiet-text">"Nothing of this kind was done yet."</p> }.into_any(),
                    Ok(items) => view! { <Table items names/> }.into_any(),
                    Err(error) => view! { <p class="error-text" role="alert">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </section>
    }
}

#[component]
fn Table(items: Vec<AuditView>, names: StoredValue<Vec<(String, String)>>) -> impl IntoView {
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="Table of events">
            <table class="table">
                <caption class="unseen">"What was done, newest first"</caption>
                <thead><tr><th scope="col">"When"</th><th scope="col">"Who"</th><th scope="col">"What"</th></tr></thead>
                <tbody>
                    {items.into_iter().map(|row| {
                        let what = names.with_value(|names| sentence(&row, names));
                        let who = row.person.map_or_else(|| "Somebody whose account is erased".to_owned(), |person| person.name);
                        view! {
                            <tr>
                                <td class="faint num nowrap"><LocalTime at=row.at/></td>
                                <td class="nowrap">{who}</td>
                                <td class="wrap">{what}</td>
                            </tr>
                        }
                    }).collect_view()}
                </tbody>
            </table>
        </div>
    }
}

/// One line in words. An action that has none of its own is shown as it is called, never left out.
fn sentence(row: &AuditView, names: &[(String, String)]) -> String {
    let text = |field: &str| row.detail.get(field).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let role = |field: &str| text(field).parse::<Role>().map_or_else(|_| String::new(), |role| role_name(role).to_owned());
    let named = |id: &str| {
        let found = names.iter().find(|(known, _)| known == id);
        found.map_or_else(|| "somebody who is not in the team any more".to_owned(), |(_, name)| name.clone())
    };
    let network = text("network").parse::<Network>().map_or_else(|_| text("network"), |network| network.display_name().to_owned());
    let (area, verb) = row.action.split_once('.').unwrap_or((&row.action, ""));
    match (area, verb) {
        ("invitation", "created") => format!("Invited {} as {}", text("email"), role("role")),
        ("invitation", "resent") => format!("Sent the invitation of {} again", text("email")),
        ("invitation", "revoked") => format!("Took the invitation of {} back", text("email")),
        ("invitation", "accepted") => "Accepted an invitation".to_owned(),
        ("invitation", "rejected") => "Rejected an invitation".to_owned(),
        ("invite_link", "created") => format!("Made an invite link for the role {}", role("role")),
        ("invite_link", "deactivated") => "Deactivated an invite link".to_owned(),
        ("invite_link", "used") => format!("Joined by an invite link as {}", role("role")),
        ("member", "role_changed") => format!("Changed the role of {} to {}", named(&row.target), role("to")),
        ("member", "removed") => format!("Removed {} from the team", named(&row.target)),
        ("member", "left") => "Left the organisation".to_owned(),
        ("organization", "created") => format!("Created the organisation {}", text("name")),
        ("organization", "renamed") => "Renamed the organisation".to_owned(),
        ("organization", "transferred") => format!("Made {} the owner", named(&text("to"))),
        ("token", "created") => format!("Made the access token {}", text("name")),
        ("token", "revoked") => "Revoked an access token".to_owned(),
        ("connection", verb) if !network.is_empty() => format!("{network}: {}", verb.replace('_', " ")),
        (area, verb) => {
            let words = format!("{area} {verb}").replace('_', " ");
            let mut letters = words.trim().chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
    }
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
        assert_eq!(said("invitation.created", "1", json!({"email": "a@b.c", "role": "admin"})), "Invited a@b.c as Admin");
        assert_eq!(said("member.role_changed", "7", json!({"from": "member", "to": "admin"})), "Changed the role of Tomi to Admin");
        assert!(said("member.removed", "8", json!({})).contains("not in the team any more"));
        assert_eq!(said("connection.accounts_chosen", "1", json!({"network": "admob"})), "AdMob: accounts chosen");
        assert_eq!(said("retention.changed", "", json!({})), "Retention changed");
    }
}
