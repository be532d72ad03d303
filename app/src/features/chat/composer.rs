//! Where people write. A form that posts without script; with it: Enter sends, Shift+Enter breaks, ↑ takes the last message
//! up again, Esc stops, `/` offers prompts, `@` offers apps.

use adagent_contract::{EntityItem, EntityKind, ProviderView, codes};
use leptos::{html, prelude::*};

use super::thread::Thread;
use crate::{
    features::desk::Desk,
    ui::{Glyph, Icon},
};

/// Questions and changes that work as they stand.
pub const PROMPTS: [&str; 6] = [
    "What was my revenue yesterday?",
    "Revenue by country, last 30 days, top 5",
    "eCPM by ad source this month vs last month",
    "Which ad units had a match rate under 70 % last week?",
    "List my mediation groups",
    "Create a mediation group for ",
];

/// What the little list above the composer offers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Offer {
    Prompts(String),
    Apps(String),
}

/// Reads from the text before the cursor's end what is being looked for.
fn offer(text: &str) -> Option<Offer> {
    if let Some(rest) = text.strip_prefix('/') {
        return (!rest.contains('\n')).then(|| Offer::Prompts(rest.to_lowercase()));
    }
    let (before, rest) = text.rsplit_once('@')?;
    let starts_word = before.is_empty() || before.ends_with(char::is_whitespace);
    (starts_word && rest.chars().count() < 30 && !rest.contains('\n')).then(|| Offer::Apps(rest.to_lowercase()))
}

fn choices(offer: &Offer, apps: &[EntityItem]) -> Vec<String> {
    match offer {
        Offer::Prompts(start) => {
            PROMPTS.iter().filter(|p| p.to_lowercase().contains(start.trim())).map(|p| (*p).to_owned()).collect()
        }
        Offer::Apps(start) => {
            let mut names: Vec<String> = apps
                .iter()
                .filter(|item| item.kind == EntityKind::App && item.name.to_lowercase().contains(start.trim()))
                .map(|item| item.name.clone())
                .collect();
            names.dedup();
            names.truncate(8);
            names
        }
    }
}

/// The text with the choice put in.
fn accept(text: &str, offer: &Offer, choice: &str) -> String {
    match offer {
        Offer::Prompts(_) => choice.to_owned(),
        Offer::Apps(_) => {
            text.rsplit_once('@').map_or_else(|| choice.to_owned(), |(before, _)| format!("{before}{choice} "))
        }
    }
}

#[component]
#[expect(clippy::too_many_lines, reason = "one form; its keys, its list and its buttons belong together")]
pub fn Composer(thread: Thread) -> impl IntoView {
    let desk = Desk::get();
    let field = NodeRef::<html::Textarea>::new();
    let active = RwSignal::new(0_usize);
    let closed = RwSignal::new(false);
    let running =
        Memo::new(move |_| thread.open_entry().is_some_and(|e| e.turn.with(|t| t.waiting_approval().is_none())));
    let offered = Memo::new(move |_| {
        let text = thread.draft.get();
        let found = offer(&text).filter(|_| !closed.get())?;
        let apps = desk.entities.get().and_then(Result::ok).unwrap_or_default();
        let list = choices(&found, &apps);
        (!list.is_empty() && !list.contains(&text)).then_some((found, list))
    });
    let put = move |text: String| {
        thread.draft.set(text);
        if let Some(field) = field.get_untracked() {
            let _focused = field.focus();
        }
    };
    let choose = move |index: usize| {
        if let Some((found, list)) = offered.get_untracked()
            && let Some(choice) = list.get(index)
        {
            put(accept(&thread.draft.get_untracked(), &found, choice));
            active.set(0);
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        let open = offered.get_untracked().map(|(_, list)| list.len());
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
    // What was typed comes back with the person.
    let sign_in = move || {
        let path = thread.session.map_or_else(|| "/chat".to_owned(), |id| format!("/chat/{id}"));
        let draft = crate::features::desk::encode(&thread.draft.get_untracked());
        format!("/sign-in?return={}", crate::features::desk::encode(&format!("{path}?draft={draft}")))
    };
    let app_count = move || {
        let (items, overview) = (desk.entities.get(), desk.networks.get());
        let items = items.and_then(Result::ok).unwrap_or_default();
        let apps = items.iter().filter(|item| item.kind == EntityKind::App).count();
        let working = overview
            .and_then(Result::ok)
            .map(|overview| overview.items.into_iter().filter(ProviderView::works).count());
        // Not every network names its apps.
        match (apps, working.unwrap_or_default()) {
            (0, 0) => "No networks".to_owned(),
            (0, n) => crate::ui::format::plural(n, "network", "networks"),
            (n, _) => crate::ui::format::plural(n, "app", "apps"),
        }
    };
    view! {
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
                class="composer" action=crate::features::form::here("/chat/stream") method="post" style="position:relative"
                on:submit=move |event| {
                    event.prevent_default();
                    thread.send(thread.draft.get_untracked());
                }
            >
                {thread.session.map(|id| view! { <input type="hidden" name="session_id" value=id.to_string()/> })}
                <label class="unseen" for="ask">"Message"</label>
                <ul
                    class="menu" id="ask-list" role="listbox" aria-label="Suggestions"
                    style="position:absolute;inset:auto 0 calc(100% + 6px) 0;max-height:260px;overflow:auto"
                    hidden=move || offered.get().is_none()
                >
                    {move || offered.get().map(|(_, list)| list.into_iter().enumerate().map(|(index, choice)| view! {
                        <li
                            class="option" role="option" id=format!("ask-option-{index}")
                            aria-selected=move || if active.get() == index { "true" } else { "false" }
                            data-active=move || (active.get() == index).then_some("")
                            on:mousedown=move |event| {
                                event.prevent_default();
                                choose(index);
                            }
                        >{choice}</li>
                    }).collect_view())}
                </ul>
                <textarea
                    id="ask" name="message" rows="1" node_ref=field maxlength="20000" required=true
                    placeholder="Ask about figures, or describe a change"
                    aria-autocomplete="list" aria-controls="ask-list"
                    aria-activedescendant=move || offered.get().map(|_| format!("ask-option-{}", active.get()))
                    prop:value=move || thread.draft.get()
                    on:input=move |event| {
                        closed.set(false);
                        active.set(0);
                        thread.draft.set(event_target_value(&event));
                    }
                    on:keydown=on_key
                >{crate::ui::raw_text(thread.draft.get_untracked())}</textarea>
                <div class="composer-bar">
                    <button class="button ghost icon-only small" type="button" aria-label="Prompts" on:click=start("/")><Icon glyph=Glyph::Slash/></button>
                    <button class="button ghost icon-only small" type="button" aria-label="Mention an app" on:click=start("@")><Icon glyph=Glyph::AtSign/></button>
                    <button class="button ghost small" type="button" popovertarget="rail">
                        <Icon glyph=Glyph::ListTree/>
                        <span><Transition fallback=|| "Context">{move || app_count()}</Transition></span>
                    </button>
                    <span class="grow"></span>
                    <span class="faint wide-only" style="font-size:var(--t-xs)">
                        <Transition fallback=|| ()>{move || desk.viewer.get().and_then(Result::ok).flatten().map(|v| v.model)}</Transition>
                    </span>
                    {move || if running.get() && thread.draft.with(String::is_empty) {
                        view! {
                            <button class="button" type="button" on:click=move |_| thread.stop()>
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
                <span>"Figures come from the networks. Changes wait for your approval."</span>
                <span><kbd>"Enter"</kbd>" sends, "<kbd>"Shift Enter"</kbd>" breaks the line"</span>
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_start_offers_prompts_and_an_at_sign_apps() {
        assert_eq!(offer("/rev"), Some(Offer::Prompts("rev".into())));
        assert_eq!(offer("revenue of @Puz"), Some(Offer::Apps("puz".into())));
        assert_eq!(offer("mail me at a@b.example"), None);
        assert_eq!(offer("1/2"), None);
    }

    #[test]
    fn a_choice_replaces_only_what_was_looked_for() {
        assert_eq!(accept("revenue of @Puz", &Offer::Apps("puz".into()), "Puzzle Game"), "revenue of Puzzle Game ");
        assert!(choices(&Offer::Prompts("country".into()), &[]).iter().all(|p| p.contains("country")));
    }
}
