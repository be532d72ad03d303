//! The text in place of an empty list: why it is empty, and what to do.

use leptos::prelude::*;

use super::{Glyph, Icon};

#[component]
pub fn Empty(
    glyph: Glyph,
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    /// What to do next: buttons or links.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <Icon glyph/>
            <h3>{title}</h3>
            <p>{text}</p>
            {children.map(|children| view! { <div class="row">{children()}</div> })}
        </div>
    }
}
