//! A plain form that leads into another workspace: a new page, with and without script, on which nothing of the old one is left.

use leptos::{prelude::*, server_fn::ServerFn as _};

use crate::features::api::SwitchWorkspace;

/// The button's content is the caller's. Without `back` it leads to a new chat.
#[component]
pub fn SwitchTo(
    /// An id, or "personal".
    #[prop(into)]
    to: String,
    #[prop(optional, into)] back: String,
    #[prop(default = "button")] class: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <form action=SwitchWorkspace::url() method="post">
            <input type="hidden" name="to" value=to/>
            <input type="hidden" name="return_to" value=back/>
            <button class=class type="submit">{children()}</button>
        </form>
    }
}
