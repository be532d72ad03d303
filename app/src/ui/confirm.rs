//! A question before something is removed. It is a popover, so that it opens, closes and returns the focus without JavaScript.

use leptos::prelude::*;

/// Draws the question. A menu's button opens it with `popovertarget=id`. The children are the form that acts. Enter first presses
/// the button that keeps the thing.
#[component]
pub fn Confirm(
    #[prop(into)] id: String,
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    /// The menu that opened the question; it closes too.
    #[prop(into)]
    menu: String,
    children: Children,
) -> impl IntoView {
    let (title_id, text_id) = (format!("{id}-t"), format!("{id}-d"));
    let (labelled, described) = (title_id.clone(), text_id.clone());
    view! {
        <div class="dialog confirm" id=id popover="auto" role="alertdialog" aria-labelledby=labelled aria-describedby=described>
            <div class="dialog-head"><p class="dialog-title" id=title_id>{title}</p></div>
            <div class="dialog-body"><p class="quiet-text" id=text_id>{text}</p></div>
            <div class="dialog-foot">
                <button class="button" type="button" popovertarget=menu popovertargetaction="hide" autofocus=true>"Cancel"</button>
                {children()}
            </div>
        </div>
    }
}
