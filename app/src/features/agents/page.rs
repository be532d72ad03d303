//! `/agents/new` and `/agents/{id}`: one agent, its form, its versions, and the actions on the whole agent.

use adagent_contract::{AgentBody, AgentVersion, AgentView, JournalSharing, JournalSummary, Sharing};
use adagent_domain::AgentId;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use serde::{Deserialize, Serialize};

use super::{
    form::{Choices, Form, refusal},
    versions::Versions,
    words,
};
use crate::{
    clock::PageClock,
    features::{
        api::{self, AgentPosted, ApiError, DeleteAgent, DuplicateAgent, SaveAgent, settled},
        desk::{Desk, Topbar, encode},
        form::ActionForm,
        journal::Entry,
    },
    shell::NotFoundPage,
    ui::{AgentMark, Confirm, Glyph, Icon, Loading, Toasts, Unread, format},
};

const NEW: &str = "new";

/// The agent that the address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    New,
    One(AgentId),
    Nothing,
}

/// The data that the page was opened with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Opened {
    /// The stored agent; `None` for a new one.
    known: Option<AgentView>,
    begin: AgentBody,
    versions: Vec<AgentVersion>,
    /// The tool servers that the agent can be granted, by handle and name.
    servers: Vec<(String, String)>,
    /// What the agent did lately.
    journal: JournalSummary,
}

fn bare() -> AgentBody {
    AgentBody {
        handle: String::new(),
        name: String::new(),
        position: String::new(),
        description: String::new(),
        instructions: String::new(),
        color: 0,
        model: None,
        grants: Vec::new(),
        sharing: Sharing::Private,
        journal: JournalSharing::Own,
        active: true,
    }
}

async fn open(named: Named, template: Option<String>) -> Result<Opened, ApiError> {
    // If this fails, the rest of the grid still works.
    let servers = api::tool_server_names().await.unwrap_or_default();
    if let Named::One(id) = named {
        let page = api::agent(id).await?;
        return Ok(Opened {
            begin: page.agent.agent.clone(),
            known: Some(page.agent),
            versions: page.versions,
            servers,
            journal: page.journal,
        });
    }
    let begin = match template {
        Some(slug) => {
            let found = api::agents().await?.templates.into_iter().find(|template| template.slug == slug);
            found.map(|template| template.agent)
        }
        None => None,
    };
    Ok(Opened {
        known: None,
        begin: begin.unwrap_or_else(bare),
        versions: Vec::new(),
        servers,
        journal: JournalSummary::default(),
    })
}

/// Returns the refused form that was posted to this page. Only the server that answers the post knows it.
fn given() -> Option<AgentPosted> {
    #[cfg(feature = "ssr")]
    return use_context::<AgentPosted>();
    #[cfg(not(feature = "ssr"))]
    None
}

#[component]
pub fn AgentPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let named = Memo::new(move |_| match params.read().get("id").unwrap_or_default().as_str() {
        NEW => Named::New,
        id => id.parse().map_or(Named::Nothing, Named::One),
    });
    let template = Memo::new(move |_| query.read().get("template"));
    let (save, restore) = (ServerAction::<SaveAgent>::new(), ServerAction::<SaveAgent>::new());
    let saved = RwSignal::new(0_u32);
    let page =
        Resource::new(move || (named.get(), template.get(), saved.get()), |(named, template, _)| open(named, template));
    let posted = Resource::new_blocking(|| (), |()| std::future::ready(given()));
    let toasts = Toasts::get();
    for action in [save, restore] {
        Effect::new(move |_| {
            match action.value().get().map(settled) {
                // A new agent opens its own page, which reads it.
                Some(Ok(view)) if view.version == 1 => toasts.say("Agent created"),
                Some(Ok(view)) => {
                    toasts.say(format!("Saved as version {}", view.version));
                    saved.update(|count| *count += 1);
                }
                Some(Err(_)) | None => {}
            }
        });
    }
    let shown = move || {
        let read = page.get()?;
        Some(match (named.get(), read) {
            (Named::Nothing, _) => view! { <NotFoundPage/> }.into_any(),
            (_, Err(error)) if error.is_not_found() => view! { <NotFoundPage/> }.into_any(),
            (_, Err(error)) => {
                view! { <div class="page-in"><Unread error again=Callback::new(move |()| page.refetch())/></div> }
                    .into_any()
            }
            (_, Ok(_)) => ().into_any(),
        })
    };
    view! {
        <Transition fallback=|| view! { <Topbar title="Agent"/> }><Bar page/></Transition>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <Transition fallback=|| view! { <Loading/> }>
                    {shown}
                    <Whole page posted save restore/>
                </Transition>
            </main>
        </div>
    }
}

/// Draws the bar. It is drawn again only when the agent's name changes.
#[component]
fn Bar(page: Resource<Result<Opened, ApiError>>) -> impl IntoView {
    let title = Memo::new(move |_| {
        let opened = page.get()?.ok();
        Some(match opened.map(|opened| opened.known) {
            Some(Some(view)) => view.agent.name,
            Some(None) => "New agent".to_owned(),
            None => "Agent".to_owned(),
        })
    });
    move || title.get().map(|title| view! { <Topbar title/> })
}

/// Draws the page's content. It is inside the `Transition`, because the server does not wait for resources that are read outside
/// of one. The form is drawn once for each agent, so that typed text stays when the versions load again.
#[component]
fn Whole(
    page: Resource<Result<Opened, ApiError>>,
    posted: Resource<Option<AgentPosted>>,
    save: ServerAction<SaveAgent>,
    restore: ServerAction<SaveAgent>,
) -> impl IntoView {
    let desk = Desk::get();
    let now = move || page.get().and_then(Result::ok);
    let restored = move |id: Option<AgentId>| {
        let view = restore.value().get().and_then(|answer| settled(answer).ok())?;
        (Some(view.id) == id).then_some(view)
    };
    // Keep the form as it was drawn, until the page shows another agent or the person restores a version.
    let begun = Memo::new(move |before: Option<&Option<Opened>>| {
        let read = now()?;
        let id = read.known.as_ref().map(|view| view.id);
        let restored = restored(id);
        let before = before.and_then(Option::as_ref);
        match (restored, before) {
            (Some(view), Some(before)) if before.known.as_ref().is_none_or(|old| old.version < view.version) => {
                Some(Opened {
                    begin: view.agent.clone(),
                    known: Some(view),
                    versions: Vec::new(),
                    servers: read.servers,
                    journal: read.journal,
                })
            }
            (_, Some(before))
                if before.known.as_ref().map(|view| view.id) == id && (id.is_some() || before.begin == read.begin) =>
            {
                Some(before.clone())
            }
            _ => Some(Opened { versions: Vec::new(), ..read }),
        }
    });
    let version = Signal::derive(move || {
        let begun = begun.get().and_then(|read| read.known);
        let (id, first) = (begun.as_ref().map(|view| view.id), begun.map_or(0, |view| view.version));
        let since = save.value().get().and_then(|answer| settled(answer).ok()).filter(|view| Some(view.id) == id);
        since.map_or(first, |view| first.max(view.version))
    });
    let refused = Signal::derive(move || {
        let posted = posted.get().flatten().map(|posted| ApiError(Box::new(posted.problem)));
        match save.value().get() {
            Some(answer) => refusal(Some(answer)),
            None => posted,
        }
    });
    // Networks, models and the workspace seldom change, so read them once: the form must not be drawn again when their states are
    // checked.
    let around = Memo::new(move |before: Option<&Option<(Vec<_>, Vec<String>, bool)>>| {
        if let Some(Some(before)) = before {
            return Some(before.clone());
        }
        let (networks, viewer) = (desk.networks.get(), desk.viewer.get());
        let viewer = viewer?.ok().flatten()?;
        let items = networks?.map(|overview| overview.items).unwrap_or_default();
        Some((items, viewer.models.clone(), viewer.here.is_some_and(|here| !here.personal)))
    });
    let choices = Memo::new(move |_| {
        let (read, around) = (begun.get()?, around.get()?);
        let posted = posted.get()?;
        let (connected, models, organization) = around;
        let servers = read.servers.clone();
        let body = match posted {
            Some(posted) => posted.form.body().unwrap_or(read.begin),
            None => read.begin,
        };
        let (id, mine, editable, version) = read
            .known
            .as_ref()
            .map_or((None, true, true, 0), |view| (Some(view.id), view.mine, view.editable, view.version));
        Some((version, Choices { id, body, models, connected, servers, organization, mine, editable }))
    });
    // Keyed, because a view that is only updated would keep the old text in fields that the person has typed into.
    let form = move || {
        choices.get().map(|choices| {
            view! {
                <For
                    each=move || [choices.clone()]
                    key=|(version, choices)| (choices.id, *version, choices.body.handle.clone())
                    children=move |(_, choices)| view! { <Form choices save version refused/> }
                />
            }
        })
    };
    let not_restored = move || refusal(restore.value().get()).map(|error| error.0.detail);
    view! {
        <Show when=move || now().is_some()>
            <div class="page-in agent-page">
                {move || Some(match now()?.known {
                    Some(view) => view! { <Head view/> }.into_any(),
                    None => view! {
                        <div class="page-head"><div class="grow"><h2>"New agent"</h2><p>"Give it one job, and only the access that job needs."</p></div></div>
                    }.into_any(),
                })}
                {form}
                {move || not_restored().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
                {move || now().and_then(|read| Some((read.known?, read.versions))).map(|(agent, versions)| view! {
                    <Versions agent versions version restore/>
                })}
                {move || now().and_then(|read| Some((read.known?, read.journal))).map(|(agent, journal)| view! {
                    <Did agent journal/>
                })}
            </div>
        </Show>
    }
}

/// Shows what the agent did in the last seven days.
#[component]
fn Did(agent: AgentView, journal: JournalSummary) -> impl IntoView {
    let whole = format!("/journal?agent={}", encode(&agent.agent.handle));
    let JournalSummary { count, latest, .. } = journal;
    let entries = format::plural(usize::try_from(count.entries).unwrap_or(0), "entry", "entries");
    let failed = (count.failed > 0).then(|| format!(", {} failed", count.failed));
    let seen = match agent.agent.journal {
        _ if agent.agent.sharing == Sharing::Private => None,
        JournalSharing::Own => None,
        JournalSharing::OwnAndScheduled => Some("All who can use this agent see what it did on a schedule."),
        JournalSharing::Full => Some("All who can use this agent see what each of them asked it."),
    };
    view! {
        <section class="section" aria-labelledby="agent-journal">
            <div class="section-head">
                <h3 id="agent-journal">"Journal"</h3>
                <span class="faint">{format!("{entries} in the last 7 days")}{failed}</span>
                <a class="link push" href=whole>"View all"</a>
            </div>
            {seen.map(|text| view! { <p class="hint">{text}</p> })}
            {if latest.is_empty() {
                view! { <p class="quiet-text">"It has done nothing in the last 7 days."</p> }.into_any()
            } else {
                view! {
                    <ol class="journal">
                        {latest.into_iter().map(|entry| view! { <Entry entry/> }).collect_view()}
                    </ol>
                }.into_any()
            }}
        </section>
    }
}

#[component]
fn Head(view: AgentView) -> impl IntoView {
    let clock = PageClock::get();
    let (duplicate, delete) = (ServerAction::<DuplicateAgent>::new(), ServerAction::<DeleteAgent>::new());
    let toasts = Toasts::get();
    Effect::new(move |_| match delete.value().get() {
        Some(Ok(())) => toasts.say("Agent deleted"),
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    Effect::new(move |_| match duplicate.value().get() {
        Some(Ok(copy)) => toasts.say(format!("Copied to @{}", copy.agent.handle)),
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    let AgentView { id, agent, owner, mine, editable, version, updated_at, .. } = view;
    let ask = format!("/chat?draft={}", encode(&format!("@{} ", agent.handle)));
    let (id, to_delete) = (id.to_string(), id.to_string());
    view! {
        <div class="page-head agent-head">
            <AgentMark name=agent.name.clone() color=agent.color size="large" off=!agent.active/>
            <div class="grow">
                <h2>{agent.name.clone()}" "<code>{format!("@{}", agent.handle)}</code></h2>
                <p class="facts">
                    {(!agent.active).then(|| view! { <span>"Off"</span> })}
                    {(!mine).then(|| view! { <span>{format!("Shared by {owner}")}</span> })}
                    {(mine && agent.sharing != Sharing::Private).then(|| view! { <span>{words::shared_with(agent.sharing)}</span> })}
                    <span>{format!("Version {version}")}</span>
                    <span>{move || format!("saved {}", clock.ago(updated_at))}</span>
                </p>
            </div>
            <div class="row">
                {agent.active.then(|| view! { <a class="button" href=ask><Icon glyph=Glyph::MessageSquare/>"Ask"</a> })}
                <button class="button ghost icon-only" type="button" popovertarget="agent-options" aria-label="Agent options"><Icon glyph=Glyph::Ellipsis/></button>
                <div class="menu end" id="agent-options" popover="auto">
                    <ActionForm action=duplicate>
                        <input type="hidden" name="id" value=id/>
                        <button class="menu-item" type="submit"><Icon glyph=Glyph::Copy/>"Duplicate"</button>
                    </ActionForm>
                    {mine.then(|| view! {
                        <button class="menu-item bad" type="button" popovertarget="delete-agent"><Icon glyph=Glyph::Trash2/>"Delete…"</button>
                    })}
                </div>
                {mine.then(|| view! {
                    <Confirm
                        id="delete-agent" menu="agent-options" title=format!("Delete {}?", agent.name)
                        text="Its chats and runs stay. Work that isn't finished stops."
                    >
                        <ActionForm action=delete>
                            <input type="hidden" name="id" value=to_delete.clone()/>
                            <button class="button danger" type="submit" aria-busy=move || delete.pending().get().then_some("true")>"Delete"</button>
                        </ActionForm>
                    </Confirm>
                })}
            </div>
        </div>
        {(!editable).then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p>{format!("Only {owner} can change this agent. Duplicate it to make one of your own.")}</p></div>
        })}
    }
}
