//! What can open over any page. This module listens for the keys; the code of what they open loads on first use.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::{Asked, Desk};
use crate::parts;

#[component]
pub fn LaidOver() -> impl IntoView {
    let desk = Desk::get();
    let navigate = use_navigate();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        let key = event.key();
        if (event.ctrl_key() || event.meta_key()) && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            desk.asked.set(Some(Asked::Palette));
        } else if !crate::platform::is_typing(&event) && !event.ctrl_key() && !event.meta_key() && !event.alt_key() {
            match key.as_str() {
                // Ignore the key while the person writes why they deny a change.
                "n" if !crate::platform::is_on_page(".approval form textarea") => {
                    navigate("/chat", leptos_router::NavigateOptions::default());
                }
                "?" => desk.asked.set(Some(Asked::Keys)),
                _ => {}
            }
        }
    });
    on_cleanup(move || handle.remove());
    // Once drawn, the palette stays on the page and handles later requests itself.
    let wanted = Memo::new(move |before: Option<&bool>| before.copied().unwrap_or(false) || desk.asked.get().is_some());
    view! { <div class="laid-over">{move || wanted.get().then(parts::palette)}</div> }
}
