//! A chat that a member shared: every member can read it, but only its owner can continue it.

use adagent_contract::{MessageView, SessionMessages};
use leptos::prelude::*;

use super::{Entry, TurnCallbacks};
use crate::{
    features::desk::Topbar,
    parts,
    ui::{Glyph, Icon},
};

#[component]
pub fn SharedChat(messages: SessionMessages) -> impl IntoView {
    let SessionMessages { session, items, next_cursor } = messages;
    let owner = session.owner.unwrap_or_default();
    view! {
        <Topbar title=session.title/>
        <div class="split">
            <main id="main" class="chat" tabindex="-1">
                <div class="thread" id="thread">
                    <div class="turns">
                        <div class="note row wrap" style="align-items:center">
                            <Icon glyph=Glyph::Users/>
                            <p class="grow"><b>{owner.clone()}</b>" shared this chat. You can read it; only "{owner}" can continue it."</p>
                            <a class="button small" href="/chat">"Start your own chat"</a>
                        </div>
                        {next_cursor.map(|_| view! { <p class="older quiet-text">"Only the newest messages are shown."</p> })}
                        {items.into_iter().map(turn).collect_view()}
                    </div>
                </div>
            </main>
        </div>
    }
}

/// Draws a turn as it was when the page was opened; nothing in it can be answered here.
fn turn(message: MessageView) -> impl IntoView {
    let turn = Signal::stored(message.turn);
    view! {
        <Entry id=format!("entry-{}", message.id) question=message.content author=message.author at=message.created_at>
            {parts::turn(turn, TurnCallbacks::default(), Signal::stored(None), Signal::stored(false), Signal::stored(None))}
        </Entry>
    }
}
