//! The undo button under a change that was made. It drafts an undo in the same chat.

use adagent_contract::TurnApproval;
use adagent_domain::ApprovalId;
use leptos::prelude::*;

use crate::{
    features::{api::UndoChange, form::ActionForm},
    ui::{Glyph, Icon, Toasts},
};

/// Loads the chat on the page again. The page that shows the chat provides it.
#[derive(Clone, Copy)]
pub struct ReadChatAgain(pub Callback<()>);

/// The changes of a turn; the turn provides them. The record reads them from here, because it would lose the keyboard focus if it
/// were redrawn when the network made its change.
#[derive(Clone, Copy)]
pub struct MadeChanges(pub Memo<Vec<TurnApproval>>);

/// The changes of the chat that have been undone; the page that shows the chat provides them.
#[derive(Clone, Copy)]
pub struct UndoneChanges(pub Memo<Vec<ApprovalId>>);

/// Offers the undo of a change once the network has made the change.
#[component]
pub fn UndoOnceMade(approval: ApprovalId) -> impl IntoView {
    use_context::<MadeChanges>().map(|MadeChanges(all)| {
        let made = Memo::new(move |_| all.with(|all| all.iter().any(|one| one.approval_id == approval && one.made)));
        let undone = use_context::<UndoneChanges>();
        let undone = Memo::new(move |_| undone.is_some_and(|UndoneChanges(all)| all.with(|all| all.contains(&approval))));
        view! {
            <Show when=move || made.get()>
                <Show when=move || !undone.get() fallback=|| view! { <p class="approval-part faint">"Undone later."</p> }>
                    <Undo approval/>
                </Show>
            </Show>
        }
    })
}

#[component]
fn Undo(approval: ApprovalId) -> impl IntoView {
    let (undo, toasts) = (ServerAction::<UndoChange>::new(), Toasts::get());
    let again = use_context::<ReadChatAgain>();
    Effect::new(move |_| match undo.value().get() {
        Some(Ok(())) => {
            toasts.say("The undo is drafted. Nothing is sent until you approve it.");
            if let Some(ReadChatAgain(again)) = again {
                again.run(());
            }
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    view! {
        <div class="approval-part" style="padding-block:8px">
            <ActionForm action=undo>
                <input type="hidden" name="id" value=approval.to_string()/>
                <button class="button ghost small" type="submit" disabled=move || undo.pending().get()>
                    <Icon glyph=Glyph::Undo2 small=true/>
                    "Undo this change"
                </button>
            </ActionForm>
        </div>
    }
}
