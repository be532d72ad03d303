//! The frame around every page of a signed-in person: rail on the left, top bar, and the page between them.
//!
//! Holds what all pages share (who is here, which networks there are) and refreshes it; decides nothing itself.

mod account_menu;
mod context_tree;
mod network_list;
mod palette;
mod rail;
mod sandbox_badge;
mod session_list;
mod topbar;

use adagent_contract::{ContextSettings, EntityItem, Page, SessionView};
use leptos::prelude::*;
use leptos_router::{
    components::{Outlet, Redirect},
    hooks::use_location,
};

use super::api::{self, ApiError, NetworkOverview, Viewer};

pub use sandbox_badge::SandboxBadge;
pub use topbar::Topbar;

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
    /// What the session list is searched for.
    pub search: RwSignal<String>,
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
    let search = RwSignal::new(String::new());
    let desk = Desk {
        viewer: Resource::new(|| (), |()| api::read_viewer()),
        sessions: Resource::new(
            move || search.get(),
            |wanted| api::sessions((!wanted.trim().is_empty()).then_some(wanted), None),
        ),
        networks: Resource::new(|| (), |()| api::networks()),
        pending: Resource::new(|| (), |()| api::pending_count()),
        context: Resource::new(|| (), |()| api::context()),
        entities: Resource::new(|| (), |()| api::context_entities()),
        linked: RwSignal::new(true),
        search,
    };
    provide_context(desk);
    let location = use_location();
    let here = move || format!("{}{}", location.pathname.get_untracked(), query(&location.search.get_untracked()));
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

fn query(search: &str) -> String {
    if search.is_empty() { String::new() } else { format!("?{}", search.trim_start_matches('?')) }
}

/// Percent-encodes what must not stand bare in a query value.
pub fn encode(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn a_return_path_survives_being_a_query_value() {
        assert_eq!(encode("/chat/1?a=b&c=d e"), "/chat/1%3Fa%3Db%26c%3Dd%20e");
    }
}
