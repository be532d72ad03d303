//! An empty chat: what to ask if something is connected, and how to begin if nothing is.

use adagent_contract::{ApprovalStatus, ApprovalView, Page, ProviderKind, ProviderView, Risk};
use leptos::prelude::*;

use super::{
    examples::{Example, examples},
    thread::Thread,
};
use crate::features::form::ActionForm;
use crate::{
    PageClock,
    features::{
        api::{self, ApiError, ConnectNetwork, Explore},
        desk::{Desk, accounts_in_context, apps_in_context},
        networks::{ExploreAll, can_explore, offers},
    },
    ui::{Glyph, Icon, SourceMark, format},
};

/// How many pending approvals are listed; the inbox has all.
const MOST_WAITING: usize = 4;

#[component]
pub fn Welcome(thread: Thread) -> impl IntoView {
    let desk = Desk::get();
    let waiting: Waiting = Resource::new(|| (), |()| api::approvals(Some(ApprovalStatus::Pending)));
    desk.follow_waiting(waiting);
    // The server waits for everything inside, so that its page equals what the browser would draw. The browser does not read them
    // here, so new data redraws only its own part.
    let overview = move || {
        if cfg!(feature = "ssr") {
            let _asked = (waiting.get(), desk.entities.get(), desk.context.get());
        }
        let (overview, viewer) = (desk.networks.get(), desk.viewer.get());
        viewer.and(overview).and_then(Result::ok)
    };
    view! {
        <div class="welcome">
            <Transition fallback=|| view! { <span class="skeleton" style="width:60%;height:32px"></span> }>
                {move || overview().map(|overview| {
                    if overview.items.iter().any(ProviderView::works) {
                        view! { <Suggestions thread waiting/> }.into_any()
                    } else if !overview.may_manage {
                        view! { <NotYours/> }.into_any()
                    } else {
                        view! { <Begin items=overview.items sandbox=overview.sandbox/> }.into_any()
                    }
                })}
            </Transition>
        </div>
    }
}

type Waiting = Resource<Result<Page<ApprovalView>, ApiError>>;

#[component]
fn Suggestions(thread: Thread, waiting: Waiting) -> impl IntoView {
    let desk = Desk::get();
    let first_name = move || {
        let viewer = desk.viewer.get().and_then(Result::ok).flatten();
        viewer.and_then(|v| v.me.user.name.split_whitespace().next().map(str::to_owned)).unwrap_or_default()
    };
    let suggested = move || {
        // Read both before using either: the server waits for every resource that was read.
        let (overview, entities) = (desk.networks.get(), desk.entities.get());
        let items = overview.and_then(Result::ok).map(|overview| overview.items).unwrap_or_default();
        examples(&items, &entities.and_then(Result::ok).unwrap_or_default())
    };
    // For a person who already explores demo data, the other networks are one click away.
    let explorable = move || {
        let overview = desk.networks.get().and_then(Result::ok);
        overview.is_some_and(|overview| can_explore(overview.sandbox, overview.may_manage, &overview.items))
            && desk.simulated()
    };
    view! {
        <div>
            <h2>"Hi "{first_name}", what do you want to check?"</h2>
            <p class="lead"><Connected/><span>"Nothing changes until you approve it."</span></p>
        </div>
        <section aria-labelledby="start">
            <div class="section-head"><h3 id="start" class="label">"Try one of these"</h3></div>
            <form class="pick two" action=crate::features::form::here("/chat/stream") method="post">
                <Transition fallback=|| ()>
                    {move || suggested().into_iter().map(|Example { glyph, question, shows }| {
                        let (asked, value) = (question.clone(), question.clone());
                        view! {
                            <button
                                class="pick-item" type="submit" name="message" value=value
                                on:click=move |event| {
                                    event.prevent_default();
                                    thread.send(asked.clone());
                                }
                            >
                                <Icon glyph/>
                                <span class="grow">{question}<small>{shows}</small></span>
                            </button>
                        }
                    }).collect_view()}
                </Transition>
            </form>
        </section>
        <WaitingForYou waiting/>
        <Transition fallback=|| ()>
            {move || explorable().then(|| view! { <ExploreAll here="/chat"/> })}
        </Transition>
    }
}

/// Counts what is connected, such as `1 network · 3 accounts · 14 apps.`
#[component]
fn Connected() -> impl IntoView {
    let desk = Desk::get();
    let said = move || {
        // Read all before using any. The server waits for every resource that was read, and only then does its page say the same
        // as the browser's.
        let (overview, entities, chosen) = (desk.networks.get(), desk.entities.get(), desk.context.get());
        let (overview, entities, chosen) = (overview?.ok()?, entities?.ok()?, chosen?.ok()?);
        let networks = overview.items.iter().filter(|item| item.works()).count();
        let (accounts, apps) = (accounts_in_context(&entities, &chosen), apps_in_context(&entities, &chosen));
        Some(format!(
            "{} · {} · {}. ",
            format::plural(networks, "network", "networks"),
            format::plural(accounts, "account", "accounts"),
            format::plural(apps, "app", "apps"),
        ))
    };
    view! { <Transition fallback=|| ()>{move || said().map(|text| view! { <span>{text}</span> })}</Transition> }
}

/// Lists the pending approvals, newest first; nothing if there are none.
#[component]
fn WaitingForYou(waiting: Waiting) -> impl IntoView {
    let clock = PageClock::get();
    let row = move |item: ApprovalView| {
        let asked = item.created_at;
        view! {
            <li>
                <a class="inbox-item" href=format!("/approvals?id={}#approval", item.id)>
                    <SourceMark source=item.source/>
                    <b>{item.title}</b>
                    <time datetime=asked.to_string()>{move || clock.age(asked)}</time>
                    <p>
                        {if item.risk == Risk::Destructive {
                            view! { <span class="badge bad"><Icon glyph=Glyph::Trash2/>"Destructive"</span> }
                        } else {
                            view! { <span class="badge"><Icon glyph=Glyph::Pencil/>"Change"</span> }
                        }}
                    </p>
                </a>
            </li>
        }
    };
    view! {
        <Transition fallback=|| ()>
            {move || waiting.get().and_then(Result::ok).map(|page| page.items).filter(|items| !items.is_empty()).map(|items| view! {
                <section aria-labelledby="waiting">
                    <div class="section-head">
                        <h3 id="waiting" class="label">"Pending your approval"</h3>
                        <a class="link push" href="/approvals" style="font-size:var(--t-xs)">"All approvals"</a>
                    </div>
                    <ul class="card">{items.into_iter().take(MOST_WAITING).map(row).collect_view()}</ul>
                </section>
            })}
        </Transition>
    }
}

/// Says that nothing is connected and that this person cannot change that.
#[component]
fn NotYours() -> impl IntoView {
    let desk = Desk::get();
    view! {
        <div>
            <h2>"No networks connected yet"</h2>
            <p class="lead">
                "Only admins can connect networks. Ask an owner or admin of "
                <Transition fallback=|| ()>{move || desk.here().map(|here| view! { <b>{here.name}</b> })}</Transition>
                " to connect one, then ask about your numbers here."
            </p>
        </div>
    }
}

#[component]
fn Begin(items: Vec<ProviderView>, sandbox: bool) -> impl IntoView {
    let explore = ServerAction::<Explore>::new();
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(explore.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    let of = move |kind: ProviderKind| items.clone().into_iter().filter(move |item| item.kind == kind);
    let (oauth, keyed) = (of.clone()(ProviderKind::Oauth), of(ProviderKind::Key));
    view! {
        <div>
            <h2>"Connect a network to start"</h2>
            <p class="lead">"Ask about your numbers in plain English, or describe a change and I'll draft it. You see every request, and nothing changes until you approve it."</p>
        </div>
        {sandbox.then(|| view! {
            <section class="note row wrap" aria-label="Sandbox" style="align-items:center">
                <Icon glyph=Glyph::FlaskConical/>
                <p style="flex:1 1 220px"><strong>"No account handy?"</strong>" Explore with demo data. Everything is labeled “Sandbox”."</p>
                <ActionForm action=explore>
                    <input type="hidden" name="return_to" value="/chat"/>
                    <button class="button primary" type="submit" aria-busy=move || explore.pending().get().then_some("true")>
                        "Explore with sandbox data (AdMob only)"
                    </button>
                </ActionForm>
                <ActionForm action=explore>
                    <input type="hidden" name="return_to" value="/chat"/>
                    <input type="hidden" name="everything" value="true"/>
                    <button class="button" type="submit">"Explore all nine networks"</button>
                </ActionForm>
                {move || explore.value().get().and_then(Result::err).map(|error| view! { <p class="error-text" role="alert">{error.0.detail}</p> })}
            </section>
        })}
        <section aria-labelledby="google">
            <div class="section-head"><h3 id="google" class="label">"Sign in with Google"</h3></div>
            <div class="pick two">{oauth.map(|item| view! { <Connect item/> }).collect_view()}</div>
        </section>
        <section aria-labelledby="keys">
            <div class="section-head"><h3 id="keys" class="label">"With an API key"</h3></div>
            <div class="pick">{keyed.map(|item| view! { <Connect item/> }).collect_view()}</div>
        </section>
    }
}

#[component]
fn Connect(item: ProviderView) -> impl IntoView {
    let connect = ServerAction::<ConnectNetwork>::new();
    let name = item.display_name.clone();
    if item.kind == ProviderKind::Key {
        return view! {
            <a class="pick-item" href=format!("/settings/networks?connect={}&return=/chat", item.network.id()) style="align-items:center">
                <SourceMark source=item.network/>
                <span class="grow"><span class="unseen">"Connect "</span>{name}<small>{offers(item.network)}</small></span>
                <Icon glyph=Glyph::ArrowRight/>
            </a>
        }
        .into_any();
    }
    view! {
        <ActionForm action=connect attr:style="display:contents">
            <input type="hidden" name="provider" value=item.network.id()/>
            <input type="hidden" name="return_to" value="/chat"/>
            <button class="pick-item" type="submit" style="align-items:center">
                <SourceMark source=item.network/>
                <span class="grow">{format!("Connect {name}")}<small>{offers(item.network)}</small></span>
                <Icon glyph=Glyph::ArrowRight/>
            </button>
        </ActionForm>
    }
    .into_any()
}
