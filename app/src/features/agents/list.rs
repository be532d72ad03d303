//! `/agents`: the workspace's own assistant, the person's agents, agents that others share, and templates to begin with.

use adagent_contract::{AgentTemplate, AgentView, DEFAULT_AGENT, Sharing};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::words;
use crate::{
    features::{
        api::{self, AgentOverview},
        desk::{Topbar, encode},
    },
    ui::{AgentMark, Empty, Glyph, Icon, Loading, Unread},
};

/// With more agents than this, the page has a search field.
const SEARCHED_ABOVE: usize = 10;

#[component]
pub fn AgentsPage() -> impl IntoView {
    let list = Resource::new(|| (), |()| api::agents());
    view! {
        <Topbar title="Agents"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head">
                        <div class="grow">
                            <h2>"Agents"</h2>
                            <p>"Each does one job with the access you give it. Begin a message with its @handle to ask it. Changes still need your approval."</p>
                        </div>
                        <a class="button primary" href="/agents/new"><Icon glyph=Glyph::Plus/>"New agent"</a>
                    </div>
                    <Transition fallback=|| view! { <Loading/> }>
                        {move || list.get().map(|answer| match answer {
                            Ok(overview) => view! { <Overview overview/> }.into_any(),
                            Err(error) => view! { <Unread error again=Callback::new(move |()| list.refetch())/> }.into_any(),
                        })}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

fn found(view: &AgentView, wanted: &str) -> bool {
    let wanted = wanted.trim().trim_start_matches('@').to_lowercase();
    let agent = &view.agent;
    [&agent.handle, &agent.name, &agent.position].iter().any(|text| text.to_lowercase().contains(&wanted))
}

#[component]
fn Overview(overview: AgentOverview) -> impl IntoView {
    let AgentOverview { agents, templates } = overview;
    let none = agents.is_empty();
    let searched = agents.len() > SEARCHED_ABOVE;
    let asked = use_query_map().read_untracked().get("q").filter(|_| searched).unwrap_or_default();
    let sought = RwSignal::new(asked.clone());
    let (own, shared): (Vec<_>, Vec<_>) = agents.into_iter().partition(|view| view.mine);
    let some_shared = !shared.is_empty();
    let (own, shared) = (StoredValue::new(own), StoredValue::new(shared));
    let fitting = move |all: StoredValue<Vec<AgentView>>| {
        all.with_value(|all| all.iter().filter(|view| found(view, &sought.read())).cloned().collect::<Vec<_>>())
    };
    let rows = move |all| fitting(all).into_iter().map(|view| view! { <Row view/> }).collect_view();
    let nothing = move || !none && fitting(own).is_empty() && fitting(shared).is_empty();
    view! {
        {searched.then(|| view! {
            <form class="agent-search" action="/agents" method="get" role="search" on:submit=|event| event.prevent_default()>
                {crate::features::form::field()}
                <div class="input-group">
                    <span class="affix"><Icon glyph=Glyph::Search/></span>
                    <input
                        class="input" type="search" name="q" aria-label="Search agents" placeholder="Search by name or @handle" autocomplete="off" value=asked
                        on:input=move |event| sought.set(event_target_value(&event))
                    />
                </div>
            </form>
        })}
        <section class="section" aria-labelledby="agents-own">
            <div class="section-head"><h3 id="agents-own">"Yours"</h3></div>
            <ul class="card">
                {move || sought.read().trim().is_empty().then(|| view! { <BuiltIn/> })}
                {move || rows(own)}
            </ul>
            {none.then(|| view! {
                <Empty glyph=Glyph::Bot title="No agents of your own yet" text="Make one for work you repeat, such as a weekly report. It sees only what you allow. Begin with a template, or choose New agent."/>
            })}
        </section>
        {some_shared.then(|| view! {
            <section class="section" aria-labelledby="agents-shared">
                <div class="section-head"><h3 id="agents-shared">"Shared with you"</h3></div>
                <ul class="card">{move || rows(shared)}</ul>
            </section>
        })}
        {move || nothing().then(|| view! { <p class="quiet-text" role="status">"No agent matches your search."</p> })}
        <section class="section" aria-labelledby="agents-templates">
            <div class="section-head"><h3 id="agents-templates">"Templates"</h3></div>
            <div class="pick two agent-templates">{templates.into_iter().map(|template| view! { <Template template/> }).collect_view()}</div>
        </section>
    }
}

/// Shows the assistant that answers when a message names no agent. A person can't change it.
#[component]
fn BuiltIn() -> impl IntoView {
    view! {
        <li class="net-row agent-row">
            <AgentMark name="Desk" color=0 size="large"/>
            <div>
                <h4>"Desk"<code>{format!("@{DEFAULT_AGENT}")}</code><span class="badge outline">"Built in"</span></h4>
                <p class="facts"><span>"Answers when a message names no agent"</span><span>"Everything: full access"</span></p>
            </div>
        </li>
    }
}

#[component]
fn Row(view: AgentView) -> impl IntoView {
    let AgentView { id, agent, owner, mine, .. } = view;
    let ask = format!("/chat?draft={}", encode(&format!("@{} ", agent.handle)));
    let unseen = format!(" @{}", agent.handle);
    let uses = words::may_use(&agent.grants).into_iter().map(|text| view! { <span>{text}</span> }).collect_view();
    view! {
        <li class="net-row agent-row" class:off=!agent.active>
            <AgentMark name=agent.name.clone() color=agent.color size="large" off=!agent.active/>
            <div>
                <h4>
                    <a class="agent-link" href=format!("/agents/{id}")>{agent.name.clone()}</a>
                    <code>{format!("@{}", agent.handle)}</code>
                    {(!agent.active).then(|| view! { <span class="badge">"Off"</span> })}
                    {(mine && agent.sharing != Sharing::Private).then(|| view! { <span class="badge outline">"Shared"</span> })}
                </h4>
                {(!agent.position.is_empty()).then(|| view! { <p class="agent-position">{agent.position.clone()}</p> })}
                <p class="facts">
                    {(!mine).then(|| view! { <span>{format!("Shared by {owner}")}</span> })}
                    {uses}
                </p>
            </div>
            <div class="actions">
                {agent.active.then(|| view! { <a class="button" href=ask>"Ask"<span class="unseen">{unseen}</span></a> })}
            </div>
        </li>
    }
}

#[component]
fn Template(template: AgentTemplate) -> impl IntoView {
    let AgentTemplate { slug, agent } = template;
    view! {
        <a class="pick-item" href=format!("/agents/new?template={slug}")>
            <AgentMark name=agent.name.clone() color=agent.color/>
            <span><b>{agent.name.clone()}</b><small>{agent.description}</small></span>
            <Icon glyph=Glyph::ArrowRight/>
        </a>
    }
}
