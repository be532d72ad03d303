//! The message field. It is a form that posts without JavaScript. With JavaScript: Enter sends, Shift+Enter starts a new line, ↑
//! edits the last message, Esc stops, `/` offers prompts, and `@` offers agents at the start of a message and apps elsewhere.

use adagent_contract::{ContextSettings, EntityItem, EntityKind, ProviderView, codes};
use leptos::{html, prelude::*};

use super::{
    examples,
    mention::{Addressee, Agents, Choice, accept, choices, heads, line, offer},
    model_name,
    thread::{Entry as ThreadEntry, Thread},
};
use crate::{
    features::desk::{Desk, apps_in_context},
    platform,
    ui::{Glyph, Icon, format},
};

/// The ID of the rail's element that shows the context.
pub const CONTEXT: &str = "context";
/// From this width on, the rail is a column; below it, a drawer. The same width is in `style/features/90-small.css`.
const RAIL_IS_A_COLUMN: &str = "(width >= 900px)";
/// Devices with a keyboard. On others, focus would open the on-screen keyboard.
const HAS_KEYBOARD: &str = "(pointer: fine)";

/// Says what questions are about: the apps in the context, or the networks if none of them lists its apps.
fn context_words(items: &[EntityItem], overview: &[ProviderView], settings: Option<&ContextSettings>) -> String {
    let working = overview.iter().filter(|item| ProviderView::works(item)).count();
    let apps = settings.map_or(0, |settings| apps_in_context(items, settings));
    match (items.iter().any(|item| item.kind == EntityKind::App), working) {
        (false, 0) => "No networks".to_owned(),
        (false, n) => format::plural(n, "network", "networks"),
        (true, _) => format::plural(apps, "app", "apps"),
    }
}

/// Returns the model that answers: the chosen one, or else the server's own.
fn model_words(settings: Option<&ContextSettings>, usual: &str) -> String {
    let chosen = settings.and_then(|settings| settings.model.as_deref());
    chosen.map_or_else(|| usual.to_owned(), model_name)
}

/// Keeps the draft of a chat across reloads, in this tab only.
fn keep_draft(thread: Thread) {
    let key = move || {
        let workspace = platform::workspace().unwrap_or_default();
        let session = thread.session.get();
        format!("draft {workspace} {}", session.map(|id| id.to_string()).unwrap_or_default())
    };
    Effect::new(move |before: Option<String>| {
        let key = key();
        if before.is_none()
            && let Some(kept) = platform::kept_in_tab(&key)
            && thread.draft.with_untracked(String::is_empty)
        {
            thread.draft.set(kept);
        }
        // The new chat now has an ID, so its draft was sent.
        if let Some(before) = before.filter(|before| *before != key) {
            platform::keep_in_tab(&before, None);
        }
        thread.draft.with(|draft| platform::keep_in_tab(&key, Some(draft.as_str()).filter(|draft| !draft.is_empty())));
        key
    });
}

#[component]
#[expect(clippy::too_many_lines, reason = "one form; its keys, its list and its buttons belong together")]
pub fn Composer(
    thread: Thread,
    /// Whether networks are shut out of this chat.
    chat_only: Signal<bool>,
) -> impl IntoView {
    let desk = Desk::get();
    let field = NodeRef::<html::Textarea>::new();
    let active = RwSignal::new(0_usize);
    let closed = RwSignal::new(false);
    let running = Memo::new(move |_| thread.entries.with(|entries| entries.iter().any(ThreadEntry::is_working)));
    let waits = Memo::new(move |_| {
        thread
            .entries
            .with(|entries| entries.iter().any(|entry| entry.turn.with(|turn| turn.waiting_approval().is_some())))
    });
    // Text that the person typed before hydration becomes the draft, unless it is what the server wrote.
    let written = thread.draft.get_untracked();
    if let Some(typed) = platform::typed_while_asleep("ask").filter(|typed| *typed != written) {
        thread.draft.set(typed);
    }
    keep_draft(thread);
    let asleep = RwSignal::new(true);
    Effect::new(move |_| {
        asleep.set(false);
        if platform::fits(HAS_KEYBOARD) && !platform::something_lies_over_the_page() {
            platform::on_next_frame(|| platform::focus_if_free("ask"));
        }
    });
    let agents = Agents::new();
    Effect::new(move |_| thread.draft.with(|draft| agents.look_for(draft)));
    let offered = Memo::new(move |_| {
        let text = thread.draft.get();
        let found = offer(&text).filter(|_| !closed.get())?;
        let apps = desk.entities.get().and_then(Result::ok).unwrap_or_default();
        let items = desk.networks.get().and_then(Result::ok).map(|overview| overview.items).unwrap_or_default();
        let list = choices(&found, examples::prompts(&items, &apps), &agents.get(), &apps);
        (!list.is_empty() && !list.contains(&Choice::Prompt(text))).then_some(list)
    });
    let put = move |text: String| {
        thread.draft.set(text);
        if let Some(field) = field.get_untracked() {
            let _focused = field.focus();
        }
    };
    let choose = move |index: usize| {
        if let Some(choice) = offered.get_untracked().and_then(|list| list.into_iter().nth(index)) {
            put(accept(&thread.draft.get_untracked(), &choice));
            active.set(0);
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        let open = offered.get_untracked().map(|list| list.len());
        match (event.key().as_str(), open) {
            ("ArrowDown", Some(n)) => {
                event.prevent_default();
                active.update(|i| *i = (*i + 1) % n);
            }
            ("ArrowUp", Some(n)) => {
                event.prevent_default();
                active.update(|i| *i = (*i + n - 1) % n);
            }
            ("Enter" | "Tab", Some(_)) => {
                event.prevent_default();
                choose(active.get_untracked());
            }
            ("Escape", Some(_)) => {
                event.stop_propagation();
                closed.set(true);
            }
            ("Enter", None) if !event.shift_key() => {
                event.prevent_default();
                thread.send(thread.draft.get_untracked());
            }
            ("ArrowUp", None) if thread.draft.with_untracked(String::is_empty) => {
                if let Some(last) = thread.entries.with_untracked(|entries| entries.last().copied()) {
                    event.prevent_default();
                    thread.draft.set(last.question.get_value());
                }
            }
            ("Escape", None) if running.get_untracked() => thread.stop(),
            // Leave the field, so that single keys work as commands.
            ("Escape", None) => {
                event.stop_propagation();
                platform::focus("main");
            }
            _ => {}
        }
    };
    let start = move |mark: &'static str| {
        move |_| {
            closed.set(false);
            let text = thread.draft.get_untracked();
            let spaced = if text.is_empty() || text.ends_with(' ') || mark == "/" { text } else { format!("{text} ") };
            put(if mark == "/" { "/".to_owned() } else { format!("{spaced}{mark}") });
        }
    };
    // The draft returns with the person.
    let sign_in = move || {
        let path = thread.path();
        let draft = crate::features::desk::encode(&thread.draft.get_untracked());
        format!("/sign-in?return={}", crate::features::desk::encode(&format!("{path}?draft={draft}")))
    };
    let in_context = move || {
        // Read all before using any: the server waits for every resource that was read.
        let (items, overview, settings) = (desk.entities.get(), desk.networks.get(), desk.context.get());
        let items = items.and_then(Result::ok).unwrap_or_default();
        let overview = overview.and_then(Result::ok).map(|overview| overview.items).unwrap_or_default();
        context_words(&items, &overview, settings.and_then(Result::ok).as_ref())
    };
    let model = move || {
        let (viewer, settings) = (desk.viewer.get(), desk.context.get());
        let viewer = viewer.and_then(Result::ok).flatten()?;
        Some(model_words(settings.and_then(Result::ok).as_ref(), &viewer.model))
    };
    let show_context = move |event: leptos::ev::MouseEvent| {
        if platform::fits(RAIL_IS_A_COLUMN) {
            // Here the rail is not a drawer, so there is nothing to open.
            event.prevent_default();
        }
        platform::on_next_frame(|| platform::focus_within(CONTEXT));
    };
    view! {
        <div class="offers">
            <ul class="menu" id="ask-list" role="listbox" aria-label="Suggestions" hidden=move || offered.with(Option::is_none)>
                {move || offered.get().map(|list| heads(&list).into_iter().zip(list).enumerate().map(|(index, (head, choice))| view! {
                    {head.map(|head| view! { <li class="menu-label" role="presentation" aria-hidden="true">{head}</li> })}
                    <li
                        class="option" role="option" id=format!("ask-option-{index}")
                        aria-selected=move || if active.get() == index { "true" } else { "false" }
                        data-active=move || (active.get() == index).then_some("")
                        on:mousedown=move |event| {
                            // Keep the focus in the field.
                            event.prevent_default();
                            choose(index);
                        }
                    >{line(choice)}</li>
                }).collect_view())}
            </ul>
        </div>
        <div class="compose">
            {move || thread.refused.get().map(|problem| view! {
                <div class="note bad" role="alert" style="max-width:var(--thread);margin:0 auto 8px">
                    <Icon glyph=Glyph::CircleAlert/>
                    <p>
                        <strong>{problem.title.clone()}</strong>" "{problem.detail.clone()}" "
                        {(problem.code == codes::UNAUTHENTICATED).then(|| view! { <a class="link" href=sign_in() rel="external">"Sign in and come back"</a> })}
                    </p>
                </div>
            })}
            <form
                class="composer" action=crate::features::form::here("/chat/stream") method="post"
                data-asleep=move || asleep.get().then_some("")
                on:submit=move |event| {
                    event.prevent_default();
                    thread.send(thread.draft.get_untracked());
                }
            >
                {move || thread.session.get().map(|id| view! { <input type="hidden" name="session_id" value=id.to_string()/> })}
                <Addressee thread/>
                <label class="unseen" for="ask">"Message"</label>
                <textarea
                    id="ask" name="message" rows="1" node_ref=field maxlength="20000" required=true
                    placeholder="Ask a question or describe a change"
                    aria-autocomplete="list" aria-controls="ask-list"
                    aria-activedescendant=move || offered.get().map(|_| format!("ask-option-{}", active.get()))
                    prop:value=move || thread.draft.get()
                    on:input=move |event| {
                        closed.set(false);
                        active.set(0);
                        thread.draft.set(event_target_value(&event));
                    }
                    on:keydown=on_key
                    on:blur=move |_| closed.set(true)
                >{crate::ui::raw_text(written)}</textarea>
                <div class="composer-bar">
                    <button class="button ghost icon-only small" type="button" aria-label="Prompts" on:click=start("/")><Icon glyph=Glyph::Slash/></button>
                    <button class="button ghost icon-only small" type="button" aria-label="Mention an agent or app" on:click=start("@")><Icon glyph=Glyph::AtSign/></button>
                    <button
                        class="button ghost small context-button" type="button" popovertarget="rail"
                        title="Apps in scope" on:click=show_context
                    >
                        <Icon glyph=Glyph::ListTree/>
                        <span><Transition fallback=|| "Context">{in_context}</Transition><span class="unseen">" in context"</span></span>
                    </button>
                    <span class="grow"></span>
                    <span class="faint wide-only" style="font-size:var(--t-xs)">
                        <Transition fallback=|| ()>{model}</Transition>
                    </span>
                    {move || if running.get() && thread.draft.with(String::is_empty) {
                        view! {
                            <button
                                class="button" type="button"
                                on:click=move |_| {
                                    thread.stop();
                                    // The button disappears with the run.
                                    platform::focus("ask");
                                }
                            >
                                <Icon glyph=Glyph::Square/>"Stop"<kbd>"Esc"</kbd>
                            </button>
                        }.into_any()
                    } else {
                        view! {
                            <button
                                class="button primary" type="submit" aria-label="Send"
                                aria-busy=move || thread.sending.get().then_some("true")
                            >
                                <Icon glyph=Glyph::ArrowUp/>
                            </button>
                        }.into_any()
                    }}
                </div>
            </form>
            <p class="compose-note">
                <span aria-live="polite">
                    {move || if chat_only.get() {
                        "Chat only: your networks aren't read or changed in this chat."
                    } else if waits.get() {
                        "A change is pending your approval. You can keep asking."
                    } else {
                        "Numbers come straight from your networks. Changes need your approval."
                    }}
                </span>
                <span class="for-keys"><kbd>"Enter"</kbd>" to send · "<kbd>"Shift+Enter"</kbd>" for a new line"</span>
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_composer_counts_the_apps_in_scope_and_names_the_model_that_answers() {
        let app = |id: &str| -> EntityItem {
            serde_json::from_value(json!({"network": "admob", "kind": "app", "id": id, "name": id})).unwrap()
        };
        let items = [app("a"), app("b"), app("c")];
        let settings = ContextSettings::default();
        assert_eq!(context_words(&items, &[], Some(&settings)), "3 apps");
        let selected: ContextSettings = serde_json::from_value(json!({"enabled_apps": {"admob": ["a"]}})).unwrap();
        assert_eq!(context_words(&items, &[], Some(&selected)), "1 app");
        assert_eq!(context_words(&[], &[], None), "No networks");
        let chosen = ContextSettings { model: Some("local".into()), ..ContextSettings::default() };
        assert_eq!(model_words(Some(&settings), "claude"), "claude");
        assert_eq!(model_words(Some(&chosen), "claude"), model_name("local"));
    }
}
