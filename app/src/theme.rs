//! The switch between light and dark. The theme follows the system until somebody switches.

use leptos::prelude::*;

use crate::ui::{Glyph, Icon};

/// Runs in `head` before the first paint, so that a chosen theme never flashes in the other one.
pub(crate) const SCRIPT: &str = "document.documentElement.dataset.scripted='';try{const t=localStorage.getItem('theme')||(document.cookie.match(/(?:^|; )theme=(light|dark)/)||[])[1];if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}";

/// Switches between light and dark and remembers it; with text where there is room for it.
#[component]
pub fn ThemeSwitch(
    #[prop(optional)] labelled: bool,
    /// By which the palette presses it.
    #[prop(optional)]
    id: Option<&'static str>,
) -> impl IntoView {
    let class = if labelled { "button" } else { "button ghost icon-only small" };
    view! {
        <button
            class=class
            id=id
            type="button"
            aria-label=(!labelled).then_some("Switch between light and dark")
            on:click=move |_| crate::platform::switch_theme()
        >
            <Icon glyph=Glyph::SunMoon small=labelled/>
            {labelled.then_some("Light or dark")}
        </button>
    }
}
