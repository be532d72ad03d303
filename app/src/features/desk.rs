//! The frame around every page of a signed-in person: rail on the left, top bar, and the page between them.
//!
//! Holds what all pages share (who is here, which networks there are) and refreshes it; decides nothing itself.

mod account_menu;
mod context_tree;
mod network_list;
mod palette;
mod rail;
mod sandbox_badge;
mod selection;
mod session_list;
mod topbar;

pub use adagent_contract::links::encode;
use adagent_contract::{ContextSettings, EntityItem, Page, SessionView};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    components::{Outlet, Redirect},
    hooks::{use_location, use_navigate},
    location::Location,
};

use super::api::{self, ApiError, NetworkOverview, Viewer};

use crate::ui::Toasts;

pub use sandbox_badge::SandboxBadge;
pub use topbar::Topbar;

/// What can be laid over any page.
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
    pub context: Resource<Result<ContextSettings, ApiError>>,
    pub entities: Resource<Result<Vec<EntityItem>, ApiError>>,
    /// Whether the server can be reached.
    pub linked: RwSignal<bool>,
    /// What lies over the page when somebody asks for it.
    pub asked: RwSignal<Option<Asked>>,
}

impl Desk {
    /// The frame's state; every page of the desk is inside it.
    pub fn get() -> Self {
        expect_context()
    }

    /// Something of a conversation changed: titles, states, counts.
    pub fn refresh_activity(self) {
        self.sessions.refetch();
        self.pending.refetch();
    }

    /// Connections changed.
    pub fn refresh_networks(self) {
        self.networks.refetch();
        self.entities.refetch();
    }

    /// Whether any figure of this workspace is simulated.
    pub fn simulated(self) -> bool {
        matches!(self.networks.get(), Some(Ok(overview)) if overview.items.iter().any(|item| item.sandbox && item.id.is_some()))
    }
}

/// The frame. Somebody who is not signed in is led to the sign-in page and back afterwards.
#[component]
pub fn DeskFrame() -> impl IntoView {
    let location = use_location();
    // Only without script: with it the palette searches.
    let searched = location.query.with_untracked(|query| query.get("search")).filter(|text| !text.trim().is_empty());
    let desk = Desk {
        viewer: Resource::new(|| (), |()| api::read_viewer()),
        sessions: Resource::new(|| (), move |()| api::sessions(searched.clone(), None)),
        networks: Resource::new(|| (), |()| api::networks()),
        pending: Resource::new(|| (), |()| api::pending_count()),
        context: Resource::new(|| (), |()| api::context()),
        entities: Resource::new(|| (), |()| api::context_entities()),
        linked: RwSignal::new(true),
        asked: RwSignal::new(None),
    };
    provide_context(desk);
    watch_connection(&desk);
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
            <palette::Palette/>
            <div class="stage">
                <Outlet/>
            </div>
        </div>
    }
}

/// Where this page is, as a path to come back to.
fn here_of(location: &Location) -> impl Fn() -> String + Copy + Send + Sync + 'static {
    let (pathname, search) = (location.pathname, location.search);
    move || format!("{}{}", pathname.get_untracked(), query(&search.get_untracked()))
}

/// The browser knows when the network went, and a stream when the server did; both show in the bar, and their end is said.
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
    Effect::new(move |before: Option<bool>| {
        let linked = desk.linked.get();
        if before == Some(false) && linked {
            toasts.say("Connected again");
        }
        linked
    });
}

/// A session that ended while the page was open leads to the sign-in page, and from there back.
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
