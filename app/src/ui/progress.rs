//! Placeholders for what is still loading.

use leptos::prelude::*;

/// Draws a spinning ring. It is decoration next to words that say what is happening.
#[component]
pub fn Spinner(#[prop(optional)] style: &'static str) -> impl IntoView {
    view! { <span class="spinner" style=(!style.is_empty()).then_some(style) aria-hidden="true"></span> }
}

/// Draws how far something is; without a total, the bar only moves.
#[component]
pub fn Progress(
    #[prop(into)] label: String,
    #[prop(optional, into)] done: Option<u64>,
    #[prop(default = 1)] total: u64,
) -> impl IntoView {
    match done {
        Some(done) => view! {
            <progress class="progress" value=done.to_string() max=total.max(1).to_string() aria-label=label></progress>
        }
        .into_any(),
        None => view! { <progress class="progress" aria-label=label></progress> }.into_any(),
    }
}

/// Draws a gray bar of the size of the later content, so that nothing jumps.
#[component]
pub fn Skeleton(
    #[prop(default = "100%")] width: &'static str,
    #[prop(default = "12px")] height: &'static str,
) -> impl IntoView {
    view! { <span class="skeleton" style=format!("width:{width};height:{height}")></span> }
}
