//! An agent's mark: its letters on the color chosen for it, with one corner cut off, so that nobody mistakes it for a person or a
//! network.

use leptos::prelude::*;

use super::initials;

/// Draws the mark. It is decoration: the name or the handle stands next to it.
#[component]
pub fn AgentMark(
    #[prop(into)] name: String,
    color: u8,
    /// `small`, `large` or empty.
    #[prop(optional)]
    size: &'static str,
    #[prop(optional)] off: bool,
) -> impl IntoView {
    let off = if off { " off" } else { "" };
    view! { <span class=format!("mark agent agent-{color} {size}{off}") aria-hidden="true">{initials(&name)}</span> }
}
