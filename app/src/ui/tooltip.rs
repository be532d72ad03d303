//! A text on hover and focus; never the only place that says something.

use leptos::prelude::*;

#[component]
pub fn Tooltip(#[prop(into)] text: String, children: Children) -> impl IntoView {
    view! {
        <span class="tip-host">
            {children()}
            <span class="tooltip" role="tooltip">{text}</span>
        </span>
    }
}
