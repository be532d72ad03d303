//! The settings' pages as tabs; each page says which one it is.

use leptos::prelude::*;

const PAGES: [(&str, &str); 3] =
    [("/settings/networks", "Networks"), ("/settings/tokens", "Access tokens"), ("/settings/account", "Account")];

#[component]
pub fn SettingsTabs(here: &'static str) -> impl IntoView {
    let tabs = PAGES.map(|(href, name)| {
        view! { <a class="tab" href=href aria-current=(href == here).then_some("page")>{name}</a> }
    });
    view! { <nav class="tabs" aria-label="Settings">{tabs.into_iter().collect_view()}</nav> }
}
