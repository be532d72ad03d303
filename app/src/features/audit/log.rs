//! The audit log: who did what. The filter is a plain form to the page's own address, so that it works without JavaScript and can
//! be shared.

use adagent_contract::{AuditVerdict, AuditView};
use adagent_domain::UserId;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::words::sentence;
use crate::{
    clock::LocalTime,
    features::api::{self, AuditOverview},
    ui::{Glyph, Icon, Loading, format},
};

/// Labels for the first word of an action; the filter sends the value.
const KINDS: [(&str, &str); 9] = [
    ("", "All events"),
    ("connection", "Connections"),
    ("approval", "Approvals"),
    ("member", "Members and roles"),
    ("invitation", "Invitations"),
    ("token", "Access tokens"),
    ("account", "Accounts and sign-in"),
    ("context", "Scope settings"),
    ("audit_log", "Log exports"),
];

/// The filter in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Narrowed {
    action: String,
    person: Option<UserId>,
    from: String,
    to: String,
    cursor: Option<String>,
    /// Check the chain from its beginning.
    whole: bool,
}

impl Narrowed {
    /// Returns the query of an address with the same filter.
    fn query(&self) -> String {
        let person = self.person.map(|id| id.to_string()).unwrap_or_default();
        let fields = [("action", &self.action), ("person", &person), ("from", &self.from), ("to", &self.to)];
        let named = fields.into_iter().filter(|(_, value)| !value.is_empty());
        named
            .map(|(name, value)| format!("{name}={}", adagent_contract::links::encode(value)))
            .collect::<Vec<_>>()
            .join("&")
    }
}

#[component]
pub fn AuditSection(
    /// The address of the page that shows the log.
    here: &'static str,
    /// IDs and names of people, for lines about a person.
    #[prop(into)]
    names: Signal<Vec<(String, String)>>,
    /// Increases after each action on this page, so that the log is read again.
    #[prop(into)]
    version: Signal<u32>,
) -> impl IntoView {
    let query = use_query_map();
    let narrowed = Memo::new(move |_| {
        let query = query.read();
        let text = |name: &str| query.get(name).unwrap_or_default();
        Narrowed {
            action: text("action"),
            person: query.get("person").and_then(|id| id.parse().ok()),
            from: text("from"),
            to: text("to"),
            cursor: query.get("cursor").filter(|cursor| !cursor.is_empty()),
            whole: query.get("chain").is_some_and(|chain| chain == "whole"),
        }
    });
    let log = Resource::new(
        move || (narrowed.get(), version.get()),
        |(narrowed, _)| {
            let Narrowed { action, person, from, to, cursor, whole } = narrowed;
            api::audit_log(action, person, from, to, cursor, whole.then_some(true))
        },
    );
    view! {
        <section class="section" aria-labelledby="audit">
            <div class="section-head"><h3 id="audit">"Audit log"</h3></div>
            <Transition fallback=|| view! { <Loading/> }>
                {move || log.get().map(|answer| match answer {
                    Ok(overview) => view! { <Log overview here names narrowed=narrowed.get()/> }.into_any(),
                    Err(error) => view! { <p class="quiet-text" role="note">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </section>
    }
}

#[component]
fn Log(
    overview: AuditOverview,
    here: &'static str,
    names: Signal<Vec<(String, String)>>,
    narrowed: Narrowed,
) -> impl IntoView {
    let AuditOverview { workspace, page, verdict } = overview;
    let file = format!("/api/organizations/{workspace}/audit-log?{}", file_query(&narrowed));
    let next = page.next_cursor.map(|cursor| {
        let address = format!("{here}?{}&cursor={}#audit", narrowed.query(), adagent_contract::links::encode(&cursor));
        view! { <a class="button ghost small" href=address>"Older"</a> }
    });
    let none = page.items.is_empty();
    let person = narrowed.person.map(|id| view! { <input type="hidden" name="person" value=id.to_string()/> });
    view! {
        <form class="row wrap" method="get" action=here>
            <label class="unseen" for="audit-action">"Event type"</label>
            <select class="select" id="audit-action" name="action" style="width:190px">
                {KINDS.map(|(value, label)| {
                    let selected = value == narrowed.action;
                    view! { <option value=value selected=selected>{label}</option> }
                }).into_iter().collect_view()}
            </select>
            <label class="unseen" for="audit-from">"From"</label>
            <input class="input" type="date" id="audit-from" name="from" style="width:150px" value=narrowed.from.clone()/>
            <label class="unseen" for="audit-to">"To"</label>
            <input class="input" type="date" id="audit-to" name="to" style="width:150px" value=narrowed.to.clone()/>
            {person}
            {crate::features::form::field()}
            <button class="button" type="submit"><Icon glyph=Glyph::Filter small=true/>"Filter"</button>
            <a class="button ghost small push" href=file download="audit-log.csv" rel="external"><Icon glyph=Glyph::Download/>"CSV"</a>
        </form>
        <Verdict verdict again=format!("{here}?{}&chain=whole#audit", narrowed.query())/>
        {if none {
            view! { <p class="quiet-text">"No matching entries."</p> }.into_any()
        } else {
            view! {
                <div class="table-wrap" tabindex="0" role="region" aria-label="Audit log entries">
                    <table class="table log">
                        <thead><tr><th scope="col">"When"</th><th scope="col">"Who"</th><th scope="col">"Event"</th></tr></thead>
                        <tbody>{page.items.into_iter().map(|item| view! { <Line item here names/> }).collect_view()}</tbody>
                    </table>
                </div>
            }.into_any()
        }}
        {next}
    }
}

/// Returns the same filter for the address of the file: instants instead of days.
fn file_query(narrowed: &Narrowed) -> String {
    let instant = |day: &str, end: bool| {
        let at = format!("{day}T00:00:00Z").parse::<adagent_domain::Timestamp>().ok()?;
        Some(if end { at.plus_seconds(24 * 60 * 60) } else { at }.to_string())
    };
    let instants = Narrowed {
        from: instant(&narrowed.from, false).unwrap_or_default(),
        to: instant(&narrowed.to, true).unwrap_or_default(),
        ..narrowed.clone()
    };
    format!("format=csv&{}", instants.query())
}

/// Says that the entries are intact, and how many of them an earlier check covered.
fn told(verdict: &AuditVerdict) -> String {
    let AuditVerdict { rows, looked_at, .. } = verdict;
    let entries = format::plural(usize::try_from(*rows).unwrap_or(usize::MAX), "entry", "entries");
    match rows - looked_at {
        0 => format!("No entry was changed or removed ({entries})."),
        before => format!("No entry was changed or removed ({entries}, {before} of them checked earlier)."),
    }
}

#[component]
fn Verdict(
    verdict: AuditVerdict,
    /// The address of the same page with the whole chain checked.
    again: String,
) -> impl IntoView {
    let part = verdict.looked_at < verdict.rows;
    match verdict.broken {
        Some(broken) => view! {
            <div class="note bad" role="alert">
                <Icon glyph=Glyph::CircleAlert/>
                <p><strong>"This log was tampered with."</strong>" "{broken}"."</p>
            </div>
        }
        .into_any(),
        None => view! {
            <p class="quiet-text">
                {told(&verdict)}
                {part.then(|| view! { " "<a class="link" href=again>"Check all entries again"</a>"." })}
                {verdict.head.map(|head| view! { " Last entry: "<code title=head.clone()>{head.chars().take(12).collect::<String>()}</code>"." })}
            </p>
        }
        .into_any(),
    }
}

#[component]
fn Line(item: AuditView, here: &'static str, names: Signal<Vec<(String, String)>>) -> impl IntoView {
    let (at, person) = (item.at, item.person.clone());
    let what = move || names.with(|names| sentence(&item, names));
    let who = match person {
        Some(person) => {
            view! { <a class="link" href=format!("{here}?person={}#audit", person.id)>{person.name}</a> }.into_any()
        }
        None => view! { <span class="faint">"Former member"</span> }.into_any(),
    };
    view! {
        <tr>
            <td class="faint num"><LocalTime at/></td>
            <td>{who}</td>
            <td class="wrap">{what}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::{super::words::words, *};

    #[test]
    fn actions_read_as_words_and_a_file_asks_for_what_is_seen() {
        assert_eq!(words("connection.accounts_chosen"), "Connection accounts chosen");
        assert_eq!(words(""), "");
        let verdict = |rows, looked_at| {
            let (broken, head) = (None, None);
            told(&AuditVerdict { holds: true, broken, rows, looked_at, erased: 0, unchained: 0, head })
        };
        assert_eq!(verdict(1, 1), "No entry was changed or removed (1 entry).");
        assert_eq!(verdict(7, 7), "No entry was changed or removed (7 entries).");
        assert!(verdict(700, 7).contains("693 of them checked earlier"));
        let narrowed = Narrowed {
            action: "token".into(),
            from: "2026-11-20".into(),
            to: "2026-11-21".into(),
            ..Narrowed::default()
        };
        assert_eq!(
            file_query(&narrowed),
            "format=csv&action=token&from=2026-11-20T00%3A00%3A00Z&to=2026-11-22T00%3A00%3A00Z"
        );
        assert_eq!(file_query(&Narrowed { from: "yesterday".into(), ..Narrowed::default() }), "format=csv&");
    }
}
