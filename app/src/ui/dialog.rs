//! The native dialog: modal, keeps the focus inside, and closes on Escape.

use leptos::{html, prelude::*};

/// Draws the dialog while `open` is true. `on_close` runs when the person leaves it in any way.
#[component]
pub fn Dialog(
    #[prop(into)] id: String,
    #[prop(into)] title: String,
    #[prop(into)] open: Signal<bool>,
    #[prop(into)] on_close: Callback<()>,
    /// The buttons.
    #[prop(into)]
    foot: ViewFn,
    children: ChildrenFn,
) -> impl IntoView {
    let node: NodeRef<html::Dialog> = NodeRef::new();
    Effect::new(move |_| {
        let wanted = open.get();
        if let Some(dialog) = node.get() {
            if wanted && !dialog.open() {
                // A dialog that cannot open as modal (it is already open elsewhere) stays closed.
                let _shown = dialog.show_modal();
            } else if !wanted && dialog.open() {
                dialog.close();
            }
        }
    });
    let title_id = format!("{id}-t");
    let labelled_by = title_id.clone();
    view! {
        <dialog class="dialog" id=id node_ref=node aria-labelledby=labelled_by on:close=move |_| on_close.run(())>
            <div class="dialog-head">
                <h2 class="grow" id=title_id>{title}</h2>
            </div>
            <div class="dialog-body">{move || open.get().then(|| children())}</div>
            <div class="dialog-foot">{foot.run()}</div>
        </dialog>
    }
}
