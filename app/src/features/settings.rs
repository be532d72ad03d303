//! The frame of the settings' pages: what the page is, and the tabs between them. Knows nothing of what is set there.

use leptos::prelude::*;

use super::desk::Topbar;

const PAGES: [(&str, &str); 5] = [
    ("/settings/networks", "Networks"),
    ("/settings/reporting", "Reporting"),
    ("/settings/team", "Team"),
    ("/settings/tokens", "Access tokens"),
    ("/settings/account", "Account"),
];

/// `here` is the page's own address; `lead` says in a sentence or two what it is about.
#[component]
pub fn SettingsPage(
    title: &'static str,
    here: &'static str,
    #[prop(into)] lead: ViewFn,
    children: Children,
) -> impl IntoView {
    view! {
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow"><h2>{title}</h2><p>{lead.run()}</p></div></div>
                    <SettingsTabs here/>
                    {children()}
                </div>
            </main>
        </div>
    }
}

#[component]
fn SettingsTabs(here: &'static str) -> impl IntoView {
    let tabs = PAGES.map(|(href, name)| {
        view! { <a class="tab" href=href aria-current=(href == here).then_some("page")>{name}</a> }
    });
    view! { <nav class="tabs" aria-label="Settings">{tabs.into_iter().collect_view()}</nav> }
}
