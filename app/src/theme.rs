//! The switch between light and dark. The theme follows the system until a person switches.

use leptos::prelude::*;

use crate::ui::{Glyph, Icon};

/// Runs in `head` before the first paint, so that the page never flashes in the wrong theme.
pub(crate) const SCRIPT: &str = "document.documentElement.dataset.scripted='';try{const t=localStorage.getItem('theme')||(document.cookie.match(/(?:^|; )theme=(light|dark)/)||[])[1];if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}";

/// Shows the button that switches between light and dark and remembers the choice; with text if there is room.
#[component]
pub fn ThemeSwitch(
    #[prop(optional)] labelled: bool,
    /// The ID by which the palette presses the button.
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
