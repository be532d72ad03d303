//! The bar above a page: the button for the rail on small screens, the page's name, and the page's own buttons.

use leptos::prelude::*;
use leptos_meta::Title;

use super::{Desk, SandboxBadge, SwitchTo, confirm_email::ConfirmEmail, invitations::Received};
use crate::{
    features::api::PERSONAL,
    ui::{Glyph, Icon},
};

/// Shows the top bar, and below it the notices that concern every page.
#[component]
pub fn Topbar(
    /// The page's name, for the heading and the document title.
    #[prop(into)]
    title: Signal<String>,
    /// A state next to the name.
    #[prop(optional, into)]
    badge: Option<ViewFn>,
    /// Badges and buttons on the right.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let desk = Desk::get();
    view! {
        <Title text=move || title.try_get().unwrap_or_default()/>
        <header class="topbar">
            <button class="button ghost icon-only menu-button" type="button" popovertarget="rail" aria-label="Menu">
                <Icon glyph=Glyph::Menu/>
            </button>
            <h1 class="truncate">{move || title.try_get()}</h1>
            {badge.map(|badge| badge.run())}
            <span class="push row">
                <SandboxBadge/>
                {children.map(|children| children())}
            </span>
        </header>
        <div class="notices" aria-live="polite">
            <Received/>
            <ConfirmEmail/>
            <Show when=move || desk.gone.get()>
                <section class="notice wait" aria-label="Membership">
                    <Icon glyph=Glyph::TriangleAlert/>
                    <p>
                        <b>{move || format!("You're no longer a member of {}.", desk.here().map_or_else(|| "this workspace".to_owned(), |here| here.name))}</b>
                        " "<span class="quiet-text">"This page is disconnected."</span>
                    </p>
                    <SwitchTo to=PERSONAL class="button small">"Go to Personal"</SwitchTo>
                </section>
            </Show>
            // Hidden rather than created when needed: offline, its icon could not load.
            <section class="notice" aria-label="Connection" hidden=move || desk.linked.get()>
                <Icon glyph=Glyph::CloudOff/>
                <p><b>"You're offline."</b>" "<span class="quiet-text">"Runs continue on the server; this page will catch up."</span></p>
            </section>
        </div>
    }
}
