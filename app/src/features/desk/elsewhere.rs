//! The page for a chat or run that is not in this workspace: a link to the workspace that has it, or "not found".

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{Desk, SwitchTo, Topbar};
use crate::{
    features::api::Missing,
    shell::NotFoundPage,
    ui::{Glyph, Icon},
};

/// Shows where the chat or run is. `what` is "chat" or "run". It never tells about other people's things: to everybody else, they
/// do not exist.
#[component]
pub fn Elsewhere(missing: Missing, what: &'static str) -> impl IntoView {
    let Some(other) = missing.elsewhere else { return view! { <NotFoundPage/> }.into_any() };
    crate::shell::mark_not_found();
    let desk = Desk::get();
    let path = use_location().pathname.get_untracked();
    let owner = if other.personal { "your personal workspace".to_owned() } else { other.name.clone() };
    let here = move || desk.here().map(|here| here.name);
    view! {
        <Topbar title=if what == "run" { "Run" } else { "Chat" }/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="empty">
                    <Icon glyph=Glyph::Users/>
                    <h2>{format!("This {what} belongs to {owner}")}</h2>
                    <p><Transition fallback=|| ()>{move || here().map(|here| view! { <span>{format!("You're in {here}. ")}</span> })}</Transition>"Switch workspaces to open it."</p>
                    <div class="row">
                        <SwitchTo to=other.id.to_string() back=path class="button primary">{format!("Switch to {}", other.name)}</SwitchTo>
                        <a class="button" href="/chat">"Stay here"</a>
                    </div>
                </div>
            </main>
        </div>
    }
    .into_any()
}
