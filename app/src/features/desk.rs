//! The frame around every page of a signed-in person: the rail on the left, the top bar, and the page between them.
//!
//! It loads and refreshes what all pages share (the person, the networks). It decides nothing itself.

mod confirm_email;
mod context_tree;
mod create_organization;
mod elsewhere;
mod invitations;
mod laid_over;
mod network_list;
mod palette;
mod palette_commands;
mod rail;
mod sandbox_badge;
mod selection;
mod session_list;
mod switch;
mod topbar;
mod workspaces;

pub use adagent_contract::links::encode;
use adagent_contract::{ContextSettings, EntityItem, Page, SessionView, WorkspaceView, codes};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    components::{Outlet, Redirect},
    hooks::{use_location, use_navigate},
    location::Location,
};

use serde::{Serialize, de::DeserializeOwned};

use super::api::{self, ApiError, NetworkOverview, PendingThere, Viewer};

use crate::{shell::UnknownWorkspacePage, ui::Toasts};

pub use create_organization::{CREATE, CreateOrganization};
pub use elsewhere::Elsewhere;
pub use palette::Palette;
pub use sandbox_badge::SandboxBadge;
pub use selection::{accounts_in_context, apps_in_context};
pub use switch::SwitchTo;
pub use topbar::Topbar;
pub use workspaces::role_name;

/// What can open over any page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Palette,
    Keys,
}

/// What the frame knows, for every page in it.
#[derive(Clone, Copy)]
pub struct Desk {
    pub viewer: Resource<Result<Option<Viewer>, ApiError>>,
    pub sessions: Resource<Result<Page<SessionView>, ApiError>>,
    pub networks: Resource<Result<NetworkOverview, ApiError>>,
    pub pending: Resource<Result<u64, ApiError>>,
    /// Pending approvals in the person's other workspaces.
    pub elsewhere: Resource<Result<Vec<PendingThere>, ApiError>>,
    pub context: Resource<Result<ContextSettings, ApiError>>,
    pub entities: Resource<Result<Vec<EntityItem>, ApiError>>,
    /// Whether the server can be reached.
    pub linked: RwSignal<bool>,
    /// Whether the person is no longer a member of this workspace.
    pub gone: RwSignal<bool>,
    /// Counts the news of this workspace: a chat, a run or an approval changed, here or in another tab.
    pub news: RwSignal<u64>,
    /// What the person opened over the page.
    pub asked: RwSignal<Option<Asked>>,
}

impl Desk {
    /// Returns the frame's state. Every signed-in page is inside it.
    pub fn get() -> Self {
        expect_context()
    }

    /// Loads what may have changed with a chat: titles, states, counts.
    pub fn refresh_activity(self) {
        self.sessions.refetch();
        self.pending.refetch();
        self.elsewhere.refetch();
    }

    /// Loads what may have changed with a connection.
    pub fn refresh_networks(self) {
        self.networks.refetch();
        self.entities.refetch();
    }

    /// Loads a list again when something changed: an approval was answered elsewhere, or a new one came. The change is not a
    /// source of the resource, because then the server would load it twice and draw the page between the two answers.
    pub fn follow_waiting<T>(self, list: Resource<T>)
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Effect::new(move |before: Option<Option<u64>>| {
            let (before, now) = (before.flatten(), self.pending.get().and_then(Result::ok));
            if now.zip(before).is_some_and(|(now, before)| now != before) {
                list.refetch();
            }
            now.or(before)
        });
        // The count alone is not enough: one approval may come as another goes.
        Effect::new(move |before: Option<u64>| {
            let news = self.news.get();
            if before.is_some_and(|before| before != news) {
                list.refetch();
            }
            news
        });
    }

    /// Returns the workspace of this page, with the person's role in it.
    pub fn here(self) -> Option<WorkspaceView> {
        self.viewer.get().and_then(Result::ok).flatten().and_then(|viewer| viewer.here)
    }

    /// Checks whether this person may connect networks here; `false` until the page knows.
    pub fn may_connect(self) -> bool {
        self.networks.get().and_then(Result::ok).is_some_and(|overview| overview.may_manage)
    }

    /// Checks whether any number of this workspace comes from the sandbox.
    pub fn simulated(self) -> bool {
        matches!(self.networks.get(), Some(Ok(overview)) if overview.items.iter().any(|item| item.sandbox && item.id.is_some()))
    }
}

/// Draws the frame. Sends a person who is not signed in to the sign-in page, and back afterwards.
#[component]
pub fn DeskFrame() -> impl IntoView {
    if crate::platform::is_nowhere() {
        return view! { <UnknownWorkspacePage/> }.into_any();
    }
    let location = use_location();
    // This is for pages without JavaScript; with it, the palette searches.
    let searched = location.query.with_untracked(|query| query.get("search")).filter(|text| !text.trim().is_empty());
    let desk = Desk {
        viewer: kept(api::read_viewer),
        sessions: kept(move || api::sessions(searched.clone(), None)),
        networks: kept(api::networks),
        // Not `kept`: this one shows whether the server can be reached.
        pending: Resource::new(|| (), |()| api::pending_count()),
        elsewhere: kept(api::pending_elsewhere),
        context: kept(api::context),
        entities: kept(api::context_entities),
        linked: RwSignal::new(true),
        gone: RwSignal::new(false),
        news: RwSignal::new(0),
        asked: RwSignal::new(None),
    };
    provide_context(desk);
    watch_connection(&desk);
    notice_removal(&desk);
    hear_news(&desk);
    lead_back_to_sign_in(&desk, here_of(&location));
    let here = here_of(&location);
    view! {
        <crate::shell::SkipLink/>
        <div class="desk">
            <Suspense fallback=|| ()>
                {move || Suspend::new(async move {
                    match desk.viewer.await {
                        Ok(Some(_)) => ().into_any(),
                        Ok(None) | Err(_) => view! { <Redirect path=format!("/sign-in?return={}", encode(&here()))/> }.into_any(),
                    }
                })}
            </Suspense>
            <rail::Rail/>
            <laid_over::LaidOver/>
            <div class="stage">
                <Outlet/>
            </div>
            <CreateOrganization/>
        </div>
    }
    .into_any()
}

/// Reads a resource and keeps the last good value while the server cannot be reached: the bar reports the outage, and nothing
/// vanishes from the page.
pub fn kept<T, F>(read: impl Fn() -> F + Send + Sync + 'static) -> Resource<Result<T, ApiError>>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
    F: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    let last = StoredValue::new(None::<T>);
    let resource = Resource::new(
        || (),
        move |()| {
            let reading = read();
            async move {
                let answer = reading.await;
                match answer {
                    Err(error) if error.0.code == codes::UNAVAILABLE => last.try_get_value().flatten().ok_or(error),
                    answer => answer,
                }
            }
        },
    );
    Effect::new(move |_| {
        if let Some(Ok(answer)) = resource.get() {
            last.set_value(Some(answer));
        }
    });
    resource
}

/// Returns the path of this page, to come back to.
fn here_of(location: &Location) -> impl Fn() -> String + Copy + Send + Sync + 'static {
    let (pathname, search) = (location.pathname, location.search);
    move || format!("{}{}", pathname.get_untracked(), query(&search.get_untracked()))
}

/// How often the page tries an unreachable server again.
const ASK_AGAIN: std::time::Duration = std::time::Duration::from_secs(4);

/// Watches the connection: the browser knows when the network is down, and a stream when the server is. The bar shows both, and a
/// toast says when they end.
fn watch_connection(desk: &Desk) {
    let desk = *desk;
    let toasts = Toasts::get();
    let handles = [
        window_event_listener(leptos::ev::offline, move |_| desk.linked.set(false)),
        window_event_listener(leptos::ev::online, move |_| {
            desk.linked.set(true);
            desk.refresh_activity();
        }),
    ];
    on_cleanup(move || handles.into_iter().for_each(WindowListenerHandle::remove));
    // A failed request reports the outage. Then the page asks until the server answers.
    let unreached = window_event_listener_untyped(crate::platform::UNREACHED, move |_| {
        if desk.linked.get_untracked() {
            desk.linked.set(false);
        }
    });
    on_cleanup(move || unreached.remove());
    Effect::new(move |_| {
        if desk.pending.get().is_some_and(|answer| answer.is_ok()) {
            desk.linked.set(true);
        }
    });
    Effect::new(move |_| {
        if desk.linked.get() {
            return;
        }
        let asking = set_interval_with_handle(move || desk.pending.refetch(), ASK_AGAIN);
        if let Ok(asking) = asking {
            on_cleanup(move || asking.clear());
        }
    });
    Effect::new(move |before: Option<bool>| {
        let linked = desk.linked.get();
        if before == Some(false) && linked {
            toasts.say("Back online");
            desk.sessions.refetch();
            desk.refresh_networks();
        }
        linked
    });
}

/// Updates the rail and the inbox when another tab, another person or the assistant changes something.
fn hear_news(desk: &Desk) {
    let desk = *desk;
    let alive = StoredValue::new(true);
    on_cleanup(move || {
        alive.try_set_value(false);
    });
    Effect::new(move |_| {
        // The first message only repeats the state that the page was drawn with.
        let first = StoredValue::new(true);
        let on_news = move || {
            if first.try_get_value() == Some(true) {
                first.set_value(false);
            } else if desk.news.try_update(|count| *count += 1).is_some() {
                desk.refresh_activity();
            }
        };
        spawn_local(crate::features::chat::client::watch(move || alive.try_get_value().unwrap_or(false), on_news));
    });
}

/// Notices when the person was removed while the page was open: every list of the workspace then answers 404.
fn notice_removal(desk: &Desk) {
    let desk = *desk;
    let handle = window_event_listener(leptos::ev::focus, move |_| desk.pending.refetch());
    on_cleanup(move || handle.remove());
    Effect::new(move |_| {
        let gone = desk.pending.get().is_some_and(|answer| answer.is_err_and(|error| error.is_not_found()))
            || desk.sessions.get().is_some_and(|answer| answer.is_err_and(|error| error.is_not_found()));
        if gone {
            desk.gone.set(true);
        }
    });
}

/// Sends the person to the sign-in page, and back, when the session ended while the page was open.
fn lead_back_to_sign_in(desk: &Desk, here: impl Fn() -> String + 'static) {
    let desk = *desk;
    let navigate = use_navigate();
    Effect::new(move |_| {
        let ended = desk.pending.get().is_some_and(|answer| answer.is_err_and(|error| error.is_signed_out()))
            || desk.sessions.get().is_some_and(|answer| answer.is_err_and(|error| error.is_signed_out()));
        if ended {
            navigate(&format!("/sign-in?return={}", encode(&here())), NavigateOptions::default());
        }
    });
}

fn query(search: &str) -> String {
    if search.is_empty() { String::new() } else { format!("?{}", search.trim_start_matches('?')) }
}
