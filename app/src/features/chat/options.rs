//! Actions on a whole chat: rename it, delete it. They are forms in popovers, so that they work without JavaScript.

use adagent_domain::ChatSessionId;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    features::{
        api::{ChatOnly, DeleteSession, KeepSession, RenameSession, ShareSession},
        desk::Desk,
    },
    ui::{Confirm, Glyph, Icon, Toasts},
};

/// The longest title that the server stores.
const LONGEST: &str = "200";

#[component]
pub fn ChatOptions(
    id: ChatSessionId,
    title: RwSignal<String>,
    kept: bool,
    shared: bool,
    /// The page owns it, because the composer shows it too.
    chat_only: RwSignal<bool>,
) -> impl IntoView {
    let desk = Desk::get();
    let toasts = Toasts::get();
    let (delete, rename) = (ServerAction::<DeleteSession>::new(), ServerAction::<RenameSession>::new());
    let (kept, keep) = (RwSignal::new(kept), ServerAction::<KeepSession>::new());
    Effect::new(move |_| match keep.value().get() {
        Some(Ok(session)) => {
            kept.set(session.kept);
            crate::platform::close_popover("chat-options");
            toasts.say(if session.kept {
                "This chat is exempt from data retention"
            } else {
                "Data retention applies to this chat again: old messages may be deleted"
            });
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    Effect::new(move |_| match delete.value().get() {
        Some(Ok(())) => {
            desk.refresh_activity();
            toasts.say("Chat deleted");
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    Effect::new(move |_| match rename.value().get() {
        Some(Ok(session)) => {
            title.set(session.title);
            crate::platform::close_popover("chat-options");
            desk.refresh_activity();
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    view! {
        <button class="button ghost icon-only small" type="button" popovertarget="chat-options" aria-label="Chat options">
            <Icon glyph=Glyph::Ellipsis/>
        </button>
        <div class="menu end" id="chat-options" popover="auto">
            <button class="menu-item" type="button" popovertarget="rename-chat"><Icon glyph=Glyph::Pencil/>"Rename…"</button>
            <ActionForm action=keep>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="kept" value=move || (!kept.get()).to_string()/>
                <button class="menu-item" type="submit">
                    <Icon glyph=Glyph::Archive/>
                    {move || if kept.get() { "Allow automatic deletion" } else { "Never delete automatically" }}
                </button>
            </ActionForm>
            <NoNetworks id chat_only/>
            <Share id shared/>
            <button class="menu-item bad" type="button" popovertarget="delete-chat"><Icon glyph=Glyph::Trash2/>"Delete…"</button>
        </div>
        <div class="dialog" id="rename-chat" popover="auto" role="dialog" aria-labelledby="rename-title">
            <ActionForm action=rename>
                <div class="dialog-head"><p class="dialog-title" id="rename-title">"Rename this chat"</p></div>
                <div class="dialog-body">
                    <input type="hidden" name="id" value=id.to_string()/>
                    <div class="field">
                        <label for="rename-text">"Title"</label>
                        <input class="input" id="rename-text" name="title" required=true maxlength=LONGEST autocomplete="off" value=title.get_untracked()/>
                    </div>
                </div>
                <div class="dialog-foot">
                    <button class="button" type="button" popovertarget="chat-options" popovertargetaction="hide">"Cancel"</button>
                    <button class="button primary" type="submit" aria-busy=move || rename.pending().get().then_some("true")>"Rename"</button>
                </div>
            </ActionForm>
        </div>
        <Confirm
            id="delete-chat"
            menu="chat-options"
            title="Delete this chat?"
            text="This permanently deletes its messages and runs. Changes already sent to a network stay."
        >
            <ActionForm action=delete>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button danger" type="submit" aria-busy=move || delete.pending().get().then_some("true")>"Delete"</button>
            </ActionForm>
        </Confirm>
    }
}

/// Lets the person choose whether the assistant may use networks in this chat.
#[component]
fn NoNetworks(id: ChatSessionId, chat_only: RwSignal<bool>) -> impl IntoView {
    let toasts = Toasts::get();
    let choose = ServerAction::<ChatOnly>::new();
    Effect::new(move |_| match choose.value().get() {
        Some(Ok(session)) => {
            chat_only.set(session.chat_only);
            crate::platform::close_popover("chat-options");
            toasts.say(if session.chat_only {
                "Chat only. Your networks aren't read or changed in this chat."
            } else {
                "Networks are used in this chat again"
            });
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    view! {
        <ActionForm action=choose>
            <input type="hidden" name="id" value=id.to_string()/>
            <input type="hidden" name="chat_only" value=move || (!chat_only.get()).to_string()/>
            <button class="menu-item" type="submit">
                <Icon glyph=Glyph::Unplug/>
                {move || if chat_only.get() { "Use networks again" } else { "Chat only, without networks" }}
            </button>
        </ActionForm>
    }
}

/// Lets the person share the chat. Only an organization offers this, because a personal workspace has nobody else.
#[component]
fn Share(id: ChatSessionId, shared: bool) -> impl IntoView {
    let desk = Desk::get();
    let toasts = Toasts::get();
    let (shared, share) = (RwSignal::new(shared), ServerAction::<ShareSession>::new());
    Effect::new(move |_| match share.value().get() {
        Some(Ok(session)) => {
            shared.set(session.shared);
            crate::platform::close_popover("chat-options");
            toasts.say(if session.shared {
                "Shared. Members can read this chat; they find it on Home."
            } else {
                "No longer shared"
            });
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    let organization = move || desk.here().is_some_and(|here| !here.personal);
    view! {
        <Transition fallback=|| ()>
            {move || organization().then(|| view! {
                <ActionForm action=share>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <input type="hidden" name="shared" value=move || (!shared.get()).to_string()/>
                    <button class="menu-item" type="submit">
                        <Icon glyph=Glyph::Users/>
                        {move || if shared.get() { "Stop sharing" } else { "Share with members" }}
                    </button>
                </ActionForm>
            })}
        </Transition>
    }
}
