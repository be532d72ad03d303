//! An agent's mark: its letters on the color that was chosen for it, one corner cut, so that it is taken neither for a person nor
//! for a network.

use leptos::prelude::*;

use super::initials;

/// Decoration: its name or its handle stands beside it.
#[component]
pub fn AgentMark(
    #[prop(into)] name: String,
    color: u8,
    /// `small`, `large` or nothing.
    #[prop(optional)]
    size: &'static str,
    #[prop(optional)] off: bool,
) -> impl IntoView {
    let off = if off { " off" } else { "" };
    view! { <span class=format!("mark agent agent-{color} {size}{off}") aria-hidden="true">{initials(&name)}</span> }
}
