//! Every settings page, with a line about each.

use leptos::prelude::*;
use leptos_meta::Title;

use super::PAGES;
use crate::{features::desk::Topbar, ui::Icon};

#[component]
pub fn SettingsOverviewPage() -> impl IntoView {
    let pages = PAGES.iter().map(|page| {
        view! {
            <a class="pick-item" href=page.href style="align-items:center">
                <Icon glyph=page.glyph/>
                <span class="grow">{page.name}<small>{page.about}</small></span>
                <Icon glyph=crate::ui::Glyph::ArrowRight/>
            </a>
        }
    });
    view! {
        <Title text="Settings"/>
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow"><h2>"Settings"</h2></div></div>
                    <nav class="pick two" aria-label="Settings">{pages.collect_view()}</nav>
                </div>
            </main>
        </div>
    }
}
