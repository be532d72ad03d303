//! Go anywhere from the keyboard: Ctrl or ⌘ K opens the palette, `n` starts a chat, `?` lists the keys.

use leptos::{html, prelude::*};
use leptos_router::hooks::use_navigate;

use super::Desk;
use crate::ui::{Glyph, Icon};

/// Something the palette leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    label: String,
    href: String,
}

const PLACES: [(&str, &str); 4] = [
    ("New chat", "/chat"),
    ("Approvals", "/approvals"),
    ("Runs", "/runs"),
    ("Settings, networks", "/settings/networks"),
];

/// Places first, then conversations, then asking what was typed.
fn targets(typed: &str, chats: &[(String, String)]) -> Vec<Target> {
    let wanted = typed.trim().to_lowercase();
    let fits = |label: &str| wanted.split_whitespace().all(|word| label.to_lowercase().contains(word));
    let places = PLACES.iter().map(|(label, href)| Target { label: (*label).to_owned(), href: (*href).to_owned() });
    let chats = chats.iter().map(|(label, href)| Target { label: label.clone(), href: href.clone() });
    let mut found: Vec<Target> = places.chain(chats).filter(|target| fits(&target.label)).take(12).collect();
    if !wanted.is_empty() {
        found.push(Target {
            label: format!("Ask: {}", typed.trim()),
            href: format!("/chat?ask={}", super::encode(typed.trim())),
        });
    }
    found
}

#[component]
pub fn Palette() -> impl IntoView {
    let desk = Desk::get();
    let dialog = NodeRef::<html::Dialog>::new();
    let keys = NodeRef::<html::Dialog>::new();
    let typed = RwSignal::new(String::new());
    let active = RwSignal::new(0_usize);
    // The list is made when the palette is opened: server and browser would know different chats before.
    let opened = RwSignal::new(false);
    let found = Memo::new(move |_| {
        if !opened.get() {
            return Vec::new();
        }
        let chats: Vec<(String, String)> = desk
            .sessions
            .get()
            .and_then(Result::ok)
            .map(|page| page.items.into_iter().map(|s| (s.title, format!("/chat/{}", s.id))).collect())
            .unwrap_or_default();
        targets(&typed.get(), &chats)
    });
    let navigate = use_navigate();
    let go = {
        let navigate = navigate.clone();
        move |index: usize| {
            if let Some(target) = found.get_untracked().get(index) {
                if let Some(dialog) = dialog.get_untracked() {
                    dialog.close();
                }
                navigate(&target.href, leptos_router::NavigateOptions::default());
            }
        }
    };
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        let key = event.key();
        if (event.ctrl_key() || event.meta_key()) && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            opened.set(true);
            typed.set(String::new());
            active.set(0);
            if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
                let _shown = dialog.show_modal();
            }
        } else if !crate::platform::is_typing(&event) && !event.ctrl_key() && !event.meta_key() && !event.alt_key() {
            match key.as_str() {
                "n" => navigate("/chat", leptos_router::NavigateOptions::default()),
                "?" => {
                    if let Some(keys) = keys.get_untracked().filter(|keys| !keys.open()) {
                        let _shown = keys.show_modal();
                    }
                }
                _ => {}
            }
        }
    });
    on_cleanup(move || handle.remove());
    let pick = go.clone();
    view! {
        <dialog class="dialog" node_ref=dialog aria-label="Go to">
            <div class="dialog-body">
                <label class="unseen" for="palette">"Go to, or ask"</label>
                <input
                    class="input" id="palette" placeholder="Go to, or ask" autocomplete="off" role="combobox"
                    aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
                    aria-activedescendant=move || format!("palette-{}", active.get())
                    prop:value=move || typed.get()
                    on:input=move |event| {
                        typed.set(event_target_value(&event));
                        active.set(0);
                    }
                    on:keydown=move |event| {
                        let count = found.get_untracked().len().max(1);
                        match event.key().as_str() {
                            "ArrowDown" => active.update(|i| *i = (*i + 1) % count),
                            "ArrowUp" => active.update(|i| *i = (*i + count - 1) % count),
                            "Enter" => go(active.get_untracked()),
                            _ => return,
                        }
                        event.prevent_default();
                    }
                />
                <ul id="palette-list" role="listbox" aria-label="Places and chats" style="margin-top:8px">
                    {move || {
                        let pick = pick.clone();
                        found.get().into_iter().enumerate().map(move |(index, target)| {
                            let pick = pick.clone();
                            view! {
                                <li
                                    class="option" role="option" id=format!("palette-{index}")
                                    aria-selected=move || if active.get() == index { "true" } else { "false" }
                                    data-active=move || (active.get() == index).then_some("")
                                    on:click=move |_| pick(index)
                                >{target.label}</li>
                            }
                        }).collect_view()
                    }}
                </ul>
            </div>
        </dialog>
        <Keys dialog=keys/>
    }
}

/// What the keys do.
#[component]
fn Keys(dialog: NodeRef<html::Dialog>) -> impl IntoView {
    view! {
        <dialog class="dialog" node_ref=dialog aria-labelledby="keys-title">
            <form method="dialog">
                <div class="dialog-head">
                    <h2 id="keys-title" class="grow">"Keyboard"</h2>
                    <button class="button ghost icon-only small" type="submit" aria-label="Close"><Icon glyph=Glyph::X/></button>
                </div>
                <div class="dialog-body">
                    <dl class="params">
                        <dt><kbd>"Ctrl K"</kbd></dt><dd>"Go anywhere"</dd>
                        <dt><kbd>"N"</kbd></dt><dd>"New chat"</dd>
                        <dt><kbd>"Enter"</kbd></dt><dd>"Send"</dd>
                        <dt><kbd>"Shift Enter"</kbd></dt><dd>"Break the line"</dd>
                        <dt><kbd>"↑"</kbd></dt><dd>"Take the last message up again"</dd>
                        <dt><kbd>"Esc"</kbd></dt><dd>"Stop the run"</dd>
                        <dt><kbd>"/"</kbd>" "<kbd>"@"</kbd></dt><dd>"Prompts and apps, in the message"</dd>
                        <dt><kbd>"J"</kbd>" "<kbd>"K"</kbd></dt><dd>"Next and previous approval"</dd>
                        <dt><kbd>"A"</kbd>" "<kbd>"D"</kbd>" "<kbd>"E"</kbd></dt><dd>"Approve, deny, edit in the inbox"</dd>
                    </dl>
                </div>
            </form>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn places_chats_and_asking_are_found_by_words_in_any_order() {
        let chats = vec![("Puzzle Game, last 28 days".to_owned(), "/chat/1".to_owned())];
        let labels = |typed| targets(typed, &chats).into_iter().map(|t| t.label).collect::<Vec<_>>();
        assert_eq!(labels("networks set"), vec!["Settings, networks", "Ask: networks set"]);
        assert_eq!(labels("game puzzle"), vec!["Puzzle Game, last 28 days", "Ask: game puzzle"]);
        assert_eq!(labels("").len(), 5);
    }
}
