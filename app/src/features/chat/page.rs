//! The chat page: the thread, the welcome of an empty one, and the composer.

use adagent_contract::{Problem, Rating, SessionMessages, codes};
use adagent_domain::{ChatSessionId, MessageId};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_params_map, use_query_map},
};

use super::{
    Entry, TurnCallbacks,
    composer::Composer,
    going_on::{self, GoOn},
    options::ChatOptions,
    shared::SharedChat,
    side::{Side, SideButton, SidePanel},
    thread::{Entry as ThreadEntry, Thread, undone},
    welcome::Welcome,
};
use crate::{
    features::{
        api::{self, Missing},
        approval::{ReadChatAgain, UndoneChanges, card_id, is_shortcut},
        desk::{Desk, Elsewhere, Topbar},
    },
    parts,
    shell::{NotFoundPage, SkipTo},
    ui::{Button, ButtonKind, ButtonSize, Glyph, Unread},
};

/// Draws the page at `/chat` and `/chat/{id}`.
#[component]
pub fn ChatPage() -> impl IntoView {
    let params = use_params_map();
    // The outer option says whether the address has an ID; the inner one, whether the ID is valid.
    let id = Memo::new(move |_| {
        params.read().get("id").filter(|text| !text.is_empty()).map(|text| text.parse::<ChatSessionId>().ok())
    });
    // The chat that a new chat became. It is already on the page, so a change of the address alone redraws nothing.
    let became = StoredValue::new(None::<ChatSessionId>);
    let opened = Memo::new(move |before: Option<&Opened>| {
        let id = id.get();
        match before {
            Some(before) if id.flatten().is_some() && id.flatten() == became.get_value() => *before,
            Some(before) => {
                became.set_value(None);
                Opened { id, count: before.count + 1 }
            }
            None => Opened { id, count: 0 },
        }
    });
    let thread = Resource::new(
        move || opened.get(),
        move |opened| async move {
            match became.try_get_value().flatten().map(Some).or(opened.id) {
                Some(Some(id)) => api::or_elsewhere(api::thread(id, None).await, api::Sought::Chat(id)).await.map(Some),
                _ => Ok(None),
            }
        },
    );
    let reload = Callback::new(move |()| thread.refetch());
    view! {
        // The fallback shows only the first time: the page keeps its content until the next chat is loaded.
        <Transition fallback=|| view! { <Waiting/> }>
            {move || Suspend::new(async move {
                match thread.await {
                    _ if id.get_untracked() == Some(None) => view! { <NotFoundPage/> }.into_any(),
                    Ok(Some(messages)) if messages.session.owner.is_some() => view! { <SharedChat messages/> }.into_any(),
                    Ok(messages) => view! { <Conversation messages reload became/> }.into_any(),
                    Err(missing) if missing.error.is_not_found() => view! { <Elsewhere missing what="chat"/> }.into_any(),
                    Err(missing) if missing.error.is_signed_out() => ().into_any(),
                    Err(Missing { error, .. }) => view! {
                        <Topbar title="Chat"/>
                        <div class="split"><main id="main" class="page" tabindex="-1"><div class="page-in"><Unread error again=reload/></div></main></div>
                    }.into_any(),
                }
            })}
        </Transition>
    }
}

/// What the address asks for, and how often that has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opened {
    #[expect(
        clippy::option_option,
        reason = "no id, no id at all where one should be, or an id: as the address has it"
    )]
    id: Option<Option<ChatSessionId>>,
    count: u32,
}

#[component]
fn Waiting() -> impl IntoView {
    view! {
        <Topbar title="Chat"/>
        <div class="split">
            <main id="main" class="chat" tabindex="-1" aria-busy="true">
                <div class="thread"><div class="turns"><div class="loading" style="padding:0">
                    <span class="skeleton" style="width:46%;height:20px"></span>
                    <span class="skeleton" style="width:88%"></span>
                    <span class="skeleton" style="width:72%"></span>
                </div></div></div>
            </main>
        </div>
    }
}

#[component]
fn Conversation(
    messages: Option<SessionMessages>,
    reload: Callback<()>,
    became: StoredValue<Option<ChatSessionId>>,
) -> impl IntoView {
    let desk = Desk::get();
    let navigate = use_navigate();
    let go = Callback::new(move |id: ChatSessionId| {
        became.set_value(Some(id));
        navigate(&format!("/chat/{id}"), NavigateOptions { replace: true, ..NavigateOptions::default() });
    });
    let title = RwSignal::new(messages.as_ref().map_or_else(|| "New chat".to_owned(), |m| m.session.title.clone()));
    let (kept, shared) =
        messages.as_ref().map_or((false, false), |messages| (messages.session.kept, messages.session.shared));
    let began_empty = messages.is_none();
    let chat_only = RwSignal::new(messages.as_ref().is_some_and(|messages| messages.session.chat_only));
    let thread = Thread::new(messages, go);
    provide_context(ReadChatAgain(reload));
    provide_context(UndoneChanges(Memo::new(move |_| thread.entries.with(|entries| undone(entries)))));
    going_on::go_on(thread);
    ask_from_address(thread);
    stop_with_escape(thread);
    lead_to_the_waiting_card(thread);
    let reading = keep_the_end_in_sight(thread);
    let away = RwSignal::new(false);
    let panel = SidePanel::remembered();
    let empty = move || thread.entries.with(Vec::is_empty);
    // A new chat takes its title from the list, which is loaded again once the chat has one.
    Effect::new(move |_| {
        let id = thread.session.get().filter(|_| began_empty);
        let page = id.and(desk.sessions.get()).and_then(Result::ok);
        let named = page.and_then(|page| page.items.into_iter().find(|item| Some(item.id) == id));
        if let Some(session) = named {
            title.set(session.title);
        }
    });
    // The targets of the skip links: the newest answer, and the newest pending card.
    let newest =
        Memo::new(move |_| thread.entries.with(|all| all.last().map(|entry| format!("entry-{}", entry.message))));
    let waiting = Memo::new(move |_| {
        thread.entries.with(|all| {
            all.iter().rev().find_map(|entry| {
                entry.turn.with(|turn| turn.waiting_approval().map(|approval| card_id(approval.approval_id)))
            })
        })
    });
    let works = Memo::new(move |_| thread.entries.with(|all| all.iter().any(ThreadEntry::is_working)));
    view! {
        <Topbar title=title>
            <Show when=move || !empty()><SideButton panel/></Show>
            {move || thread.session.get().map(|id| view! { <ChatOptions id title kept shared chat_only/> })}
        </Topbar>
        <div class=move || if panel.is_open() && !empty() { "split with-side" } else { "split" }>
            <main id="main" class="chat" tabindex="-1">
                <Show when=move || newest.with(Option::is_some)>
                    <SkipTo to=Signal::derive(move || newest.get().unwrap_or_default())>"Skip to answer"</SkipTo>
                </Show>
                <Show when=move || waiting.with(Option::is_some)>
                    <SkipTo to=Signal::derive(move || waiting.get().unwrap_or_default())>"Skip to approval"</SkipTo>
                </Show>
                <Show when=move || works.get()><WithoutScript/></Show>
                <div
                    class="thread"
                    id="thread"
                    on:wheel=move |_| reading.set(true)
                    on:touchmove=move |_| reading.set(true)
                    on:keydown=move |event| {
                        if matches!(event.key().as_str(), "PageUp" | "PageDown" | "Home" | "ArrowUp") {
                            reading.set(true);
                        }
                    }
                    on:scroll=move |_| away.set(crate::platform::is_last_below("thread", "article.entry"))
                >
                    <Show when=move || !empty() fallback=move || view! { <Welcome thread/> }>
                        <div class="turns" id="turns">
                            <OlderTurns thread reading/>
                            <For each=move || thread.entries.get() key=|entry| entry.message let:entry>
                                <EntryView entry thread reload/>
                            </For>
                        </div>
                    </Show>
                </div>
                <div class="jump">
                    <Show when=move || away.get()>
                        <Button
                            size=ButtonSize::Small
                            icon=Glyph::ArrowDown
                            on:click=move |_| {
                                reading.set(false);
                                crate::platform::scroll_to_last("thread", "article.entry");
                            }
                        >
                            "Newest"
                        </Button>
                    </Show>
                </div>
                <GoOn thread/>
                <Composer thread chat_only=chat_only.into()/>
            </main>
            <Side thread panel/>
        </div>
    }
}

/// Reloads the page until the run is over, because nothing is followed without JavaScript. The page of a run does the same.
#[component]
pub fn WithoutScript() -> impl IntoView {
    view! { <noscript inner_html=r#"<meta http-equiv="refresh" content="3">"#></noscript> }
}

/// Loads the turns that are not on the page yet.
#[component]
fn OlderTurns(thread: Thread, reading: RwSignal<bool>) -> impl IntoView {
    view! {
        <Show when=move || thread.older.with(Option::is_some)>
            <p class="older">
                <Button
                    kind=ButtonKind::Ghost
                    size=ButtonSize::Small
                    icon=Glyph::ArrowUp
                    busy=thread.loading
                    on:click=move |_| {
                        reading.set(true);
                        thread.show_older();
                    }
                >
                    "Show earlier messages"
                </Button>
            </p>
        </Show>
    }
}

/// Draws a question and everything the assistant did about it.
#[component]
fn EntryView(entry: ThreadEntry, thread: Thread, reload: Callback<()>) -> impl IntoView {
    let question = entry.question.get_value();
    let (for_retry, for_edit, to_save) = (question.clone(), question.clone(), question.clone());
    let callbacks = TurnCallbacks {
        on_answer: Some(Callback::new(move |answer| thread.answer(entry, answer))),
        on_approve_plan: Some(Callback::new(move |all| thread.approve_plan(entry, all))),
        on_follow_up: Some(Callback::new(move |text: String| thread.send(text))),
        on_retry: Some(Callback::new(move |()| thread.send(for_retry.clone()))),
        on_edit: Some(Callback::new(move |()| {
            thread.draft.set(for_edit.clone());
            crate::platform::focus("ask");
        })),
        on_save: Some(Callback::new(move |()| thread.save(entry, to_save.clone()))),
        on_rate: Some(Callback::new(move |(rating, comment): (Rating, Option<String>)| {
            thread.rate(entry, rating, comment);
        })),
        on_override: Some(Callback::new(move |_| reload.run(()))),
    };
    view! {
        <Entry id=format!("entry-{}", entry.message) question author=entry.author.get_value() at=entry.at busy=Signal::derive(move || entry.is_working())>
            {parts::turn(entry.turn.into(), callbacks, entry.rating.into(), entry.sending.into(), entry.refused.into())}
        </Entry>
    }
}

/// Reads the address: `?ask=` and `?draft=` put text into the composer (an address alone never sends anything), and `?error=`
/// says why a form without JavaScript was refused.
fn ask_from_address(thread: Thread) {
    let query = use_query_map();
    let given = move |name: &str| query.read_untracked().get(name).filter(|text| !text.trim().is_empty());
    if let Some(text) = given("ask").or_else(|| given("draft")) {
        thread.draft.set(text);
    }
    if let Some(code) = given("error") {
        let detail = match code.as_str() {
            codes::RATE_LIMITED => "Too many messages at once. Wait a moment and send it again.",
            codes::VALIDATION => {
                "A message has up to 20,000 characters, no control characters, and begins with no agent but one of yours."
            }
            _ => "We couldn't send your message. Try again.",
        };
        thread.refused.set(Some(Problem::new(400, &code, "Not sent", detail)));
    }
}

/// By this time, everything that an answer draws has its place.
const SETTLES_IN: std::time::Duration = std::time::Duration::from_millis(2_500);

/// Follows the growing answer until the person scrolls; a new question starts following again.
fn keep_the_end_in_sight(thread: Thread) -> RwSignal<bool> {
    let reading = RwSignal::new(false);
    let follow = move || {
        if reading.try_get_untracked() == Some(false) {
            crate::platform::scroll_to_last("thread", "article.entry");
        }
    };
    // Parts that load their code appear late, such as the first answer and the first card of a page. Later, nothing moves by
    // itself: what the person opens stays in place.
    let last_change = StoredValue::new(0_u64);
    let settling = RwSignal::new(true);
    let drawn = Memo::new(move |_| thread.entries.with(|entries| !entries.is_empty()));
    Effect::new(move |_| {
        if drawn.get() {
            let settle = move || {
                if settling.try_get_untracked() == Some(true) {
                    follow();
                }
            };
            crate::platform::on_each_size("turns", settle);
        }
    });
    Effect::new(move |before: Option<Option<MessageId>>| {
        let entries = thread.entries.get();
        for entry in &entries {
            entry.turn.with(|turn| turn.last_seq);
        }
        // Older turns that are added above do not change the end.
        let last = entries.last().map(|entry| entry.message);
        if before.is_some_and(|before| before != last) {
            reading.set(false);
        }
        crate::platform::on_next_frame(follow);
        let change = last_change.get_value() + 1;
        last_change.set_value(change);
        settling.set(true);
        let settled = move || {
            if last_change.try_get_value() == Some(change) {
                settling.try_set(false);
            }
        };
        set_timeout(settled, SETTLES_IN);
        last
    });
    reading
}

/// Makes the `.` key go to the oldest pending card of this chat, or to the inbox if there is none.
fn lead_to_the_waiting_card(thread: Thread) {
    let navigate = use_navigate();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() != "." || !is_shortcut(&event) {
            return;
        }
        event.prevent_default();
        let waiting = thread.entries.with_untracked(|entries| {
            entries
                .iter()
                .find_map(|entry| entry.turn.with_untracked(|turn| turn.waiting_approval().map(|it| it.approval_id)))
        });
        match waiting {
            Some(approval) => crate::platform::focus(&card_id(approval)),
            None => navigate("/approvals", NavigateOptions::default()),
        }
    });
    on_cleanup(move || handle.remove());
}

/// Makes Escape stop the run, wherever the focus is, unless something is open that Escape closes.
fn stop_with_escape(thread: Thread) {
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        let meant_for_us = !crate::platform::is_typing(&event) && !crate::platform::something_lies_over_the_page();
        if event.key() == "Escape" && meant_for_us {
            thread.stop();
        }
    });
    on_cleanup(move || handle.remove());
}
