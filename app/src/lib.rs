//! The web app: everything that a person sees, rendered on the server and hydrated in the browser.
//!
//! It draws what `adagent-service` returns and sends what people decide. It must never decide by itself: no business rule, number
//! or ID comes from here, and it never talks to a network or a database.

#![expect(clippy::needless_pass_by_value, reason = "props of a component are owned by it")]

mod clock;
mod early;
pub mod features;
#[cfg(feature = "hydrate")]
pub mod keystrokes;
pub mod markdown;
mod parts;
mod platform;
mod routes;
mod shell;
mod theme;
pub mod ui;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::Router;

pub use clock::{LocalTime, PageClock, ServerNow};
#[cfg(feature = "ssr")]
pub use features::api::{
    AgentForm, AgentPosted, DocumentForm, DocumentPosted, Minted, PageWorkspace, QUERY, Renewed, SecureCookies,
    SignInForm, SignInPosted, TokenForm, in_workspace, of_page, posted_agent,
};
#[cfg(feature = "ssr")]
pub use features::approval::{self as approval_form, Begin, Open};
#[cfg(feature = "ssr")]
pub use parts::PartFiles;
#[cfg(feature = "ssr")]
pub use shell::error_document;
pub use shell::{FormTargets, NotFoundPage, shell};
pub use theme::ThemeSwitch;

#[cfg(feature = "hydrate")]
pub use parts::{fetch_drawn, fetch_next, fetch_on_intent};

/// Draws the whole app. The server renders it for each request; the browser hydrates it once.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    clock::provide_page_clock();
    let toasts = ui::Toasts::provide();
    // The mark tells tests and styles that the page now reacts to clicks.
    Effect::new(|_| {
        platform::keep_workspace();
        platform::mark_hydrated();
    });
    view! {
        <Title formatter=|page: String| ui::raw_text(if page.is_empty() { "ADAgentAI".into() } else { format!("{page} · ADAgentAI") })/>
        <Router>
            <routes::AppRoutes/>
        </Router>
        <ui::ToastShelf toasts/>
    }
}
