//! The earlier versions of an agent: who changed what, and a button to restore each one.

use adagent_contract::{AgentBody, AgentVersion, AgentView};
use leptos::{ev::SubmitEvent, form::FromFormData as _, prelude::*};

use super::{parts::hidden_fields, words};
use crate::{
    clock::PageClock,
    features::api::SaveAgent,
    ui::{Glyph, Icon},
};

#[component]
pub fn Versions(
    agent: AgentView,
    versions: Vec<AgentVersion>,
    version: Signal<i64>,
    restore: ServerAction<SaveAgent>,
) -> impl IntoView {
    let before: Vec<Option<AgentBody>> =
        versions.iter().skip(1).map(|one| Some(one.agent.clone())).chain([None]).collect();
    let count = versions.len();
    let rows = versions.into_iter().zip(before).map(move |(one, before)| {
        view! { <Row agent=agent.clone() one before version restore/> }
    });
    view! {
        <section class="section" aria-labelledby="agent-versions">
            <details class="agent-versions">
                <summary>
                    <Icon glyph=Glyph::ChevronRight small=true/>
                    <h3 id="agent-versions">"Versions"</h3>
                    <span class="count">{count}</span>
                </summary>
                <ul class="card">{rows.collect_view()}</ul>
            </details>
        </section>
    }
}

#[component]
fn Row(
    agent: AgentView,
    one: AgentVersion,
    before: Option<AgentBody>,
    version: Signal<i64>,
    restore: ServerAction<SaveAgent>,
) -> impl IntoView {
    let clock = PageClock::get();
    let (number, at) = (one.version, one.at);
    // The oldest version that we keep may not be the first.
    let what = match before {
        Some(before) => words::changed(&before, &one.agent),
        None if number == 1 => "Created".to_owned(),
        None => "The oldest version we keep".to_owned(),
    };
    let now = agent.agent.clone();
    let id = agent.id;
    // Only the owner may set these, so they stay as they are if somebody else restores a version.
    let body = if agent.mine {
        one.agent
    } else {
        AgentBody { handle: now.handle, sharing: now.sharing, active: now.active, ..one.agent }
    };
    let send = move |event: SubmitEvent| {
        if let Ok(form) = SaveAgent::from_event(&event) {
            event.prevent_default();
            restore.dispatch(form);
        }
    };
    let current = number == agent.version;
    view! {
        <li class="agent-version">
            <b>{format!("Version {number}")}</b>
            <div class="grow">
                <p>{what}</p>
                <p class="facts"><span>{one.by}</span><span><time datetime=at.to_string()>{move || clock.ago(at)}</time></span></p>
            </div>
            {if current {
                view! { <span class="badge">"Current"</span> }.into_any()
            } else if agent.editable {
                view! {
                    <form action=crate::features::form::here(&format!("/agents/{id}")) method="post" on:submit=send>
                        {hidden_fields(id, move || version.get(), body)}
                        <button class="button small" type="submit"><Icon glyph=Glyph::Undo2 small=true/>"Restore"<span class="unseen">{format!(" version {number}")}</span></button>
                    </form>
                }.into_any()
            } else {
                ().into_any()
            }}
        </li>
    }
}
