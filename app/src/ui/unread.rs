//! What stands where something could not be read: why, and a way to try again. Never says that nothing is there.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::features::api::ApiError;

#[component]
pub fn Unread(
    error: ApiError,
    /// Reads it again; without script the page's own address does.
    again: Callback<()>,
) -> impl IntoView {
    view! {
        <div class="note bad" role="alert">
            <Icon glyph=Glyph::CircleAlert/>
            <p class="grow"><strong>{error.0.title}</strong>" "{error.0.detail}</p>
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
