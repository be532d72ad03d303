//! A plain form that opens another workspace. It always loads a new page, with and without JavaScript, so that nothing of the old
//! one remains.

use leptos::{prelude::*, server_fn::ServerFn as _};

use crate::features::api::SwitchWorkspace;

/// Draws the form; the caller provides the button's content. Without `back`, it opens a new chat.
#[component]
pub fn SwitchTo(
    /// An ID, or "personal".
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
