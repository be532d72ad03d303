//! What stands in while something is on its way.

use leptos::prelude::*;

/// A turning ring; decoration beside words that say what is going on.
#[component]
pub fn Spinner(#[prop(optional)] style: &'static str) -> impl IntoView {
    view! { <span class="spinner" style=(!style.is_empty()).then_some(style) aria-hidden="true"></span> }
}

/// How far something is; without a total it only moves.
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

/// A grey bar of the size of what will be there, so that nothing jumps.
#[component]
pub fn Skeleton(
    #[prop(default = "100%")] width: &'static str,
    #[prop(default = "12px")] height: &'static str,
) -> impl IntoView {
    view! { <span class="skeleton" style=format!("width:{width};height:{height}")></span> }
}
