//! What shows while something loads, or after it failed to load: never an empty page, and never as if there were no data.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::features::api::ApiError;

/// Draws rows of about the height of the later content. They appear after a moment, so that content that loads at once does not
/// flicker.
#[component]
pub fn Loading() -> impl IntoView {
    view! {
        <div class="card loading" aria-busy="true">
            <span class="unseen">"Loading"</span>
            {["46%", "72%", "58%", "66%"].map(|width| view! { <span class="skeleton" style=format!("width:{width}")></span> })}
        </div>
    }
}

#[component]
pub fn Unread(
    error: ApiError,
    /// Loads it again; without JavaScript, a link to the page's own address does.
    again: Callback<()>,
) -> impl IntoView {
    view! {
        <div class="note bad" role="alert">
            <Icon glyph=Glyph::CircleAlert/>
            <p class="grow"><strong>{format!("{}.", error.0.title)}</strong>" "{error.0.detail}</p>
            <a
                class="button small" href="" rel="external"
                on:click=move |event| {
                    event.prevent_default();
                    again.run(());
                }
            >
                "Try again"
            </a>
        </div>
    }
}
