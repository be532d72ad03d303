//! The palette: opens any page and runs the few commands of every page from the keyboard. Also the list of keys. No page includes
//! it: it loads on first use, and `laid_over` listens for the keys.

use adagent_contract::NetworkState;
use leptos::{html, prelude::*};
use leptos_router::hooks::use_navigate;

use super::{
    Asked, Desk,
    palette_commands::{Commands, commands},
};
use crate::{
    features::api::PERSONAL,
    ui::{Glyph, Icon},
};

/// An entry of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub glyph: Glyph,
    pub label: String,
    pub to: To,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum To {
    Page(String),
    /// Presses a button of this page, by its ID. The button works without the palette too.
    Button(String),
}

impl Target {
    /// Returns the heading that the entry is listed under.
    fn group(&self) -> &'static str {
        match &self.to {
            To::Button(id) if id.starts_with("switch-") => "Workspaces",
            To::Button(_) => "Commands",
            To::Page(href) if href.starts_with("/chat?") => "Ask",
            To::Page(href) if href.starts_with("/chat/") => "Chats",
            To::Page(href) if href.contains("connect=") => "Networks",
            To::Page(_) => "Go to",
        }
    }

    /// Returns the key that does the same.
    fn key(&self) -> Option<&'static str> {
        matches!(&self.to, To::Page(href) if href == "/chat").then_some("N")
    }
}

/// What the palette knows about the workspace, besides the chats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    /// Name and ID (or "personal") of the other workspaces.
    workspaces: Vec<(String, String)>,
    /// Name and ID of the networks that are not connected and that this person can connect.
    connectable: Vec<(String, &'static str)>,
    /// Whether one command can connect demo data to all networks that are not connected.
    explorable: bool,
}

const PLACES: [(Glyph, &str, &str); 16] = [
    (Glyph::House, "Home", "/"),
    (Glyph::SquarePen, "New chat", "/chat"),
    (Glyph::Inbox, "Approvals", "/approvals"),
    (Glyph::Bot, "Agents", "/agents"),
    (Glyph::NotebookPen, "Journal", "/journal"),
    (Glyph::LibraryBig, "Library", "/library"),
    (Glyph::FileText, "Library › Documents", "/library/documents"),
    (Glyph::Activity, "Runs", "/runs"),
    (Glyph::Settings, "Settings", "/settings"),
    (Glyph::Link, "Settings › Networks", "/settings/networks"),
    (Glyph::Wrench, "Settings › Tool servers", "/settings/tool-servers"),
    (Glyph::Calendar, "Settings › Reporting", "/settings/reporting"),
    (Glyph::Users, "Settings › Team", "/settings/team"),
    (Glyph::KeyRound, "Settings › Access tokens", "/settings/tokens"),
    (Glyph::SunMoon, "Settings › Appearance", "/settings/appearance"),
    (Glyph::ShieldCheck, "Settings › Account", "/settings/account"),
];

/// How many chats show before the person types.
const RECENT: usize = 6;

/// Lists pages first, then chats, then the offer to ask the typed text. `found` holds chats that the server found by their
/// messages, so their titles may not contain the typed text.
fn targets(typed: &str, known: &Known, recent: &[(String, String)], found: &[(String, String)]) -> Vec<Target> {
    let wanted = typed.trim().to_lowercase();
    let fits = |label: &str| wanted.split_whitespace().all(|word| label.to_lowercase().contains(word));
    let chat = |(label, href): &(String, String)| Target {
        glyph: Glyph::MessageSquare,
        label: label.clone(),
        to: To::Page(href.clone()),
    };
    let places = PLACES.iter().map(|(glyph, label, href)| Target {
        glyph: *glyph,
        label: (*label).to_owned(),
        to: To::Page((*href).to_owned()),
    });
    // The nine connect entries would be in the way until the person types something that matches.
    let networks = known.connectable.iter().filter(|_| !wanted.is_empty()).map(|(name, id)| Target {
        glyph: Glyph::Link,
        label: format!("Connect {name}"),
        to: To::Page(format!("/settings/networks?connect={id}")),
    });
    let others = known.workspaces.iter().map(|(name, id)| Target {
        glyph: Glyph::Users,
        label: format!("Switch to {name}"),
        to: To::Button(format!("switch-{id}")),
    });
    let mut list: Vec<Target> = places
        .chain(others)
        .chain(networks)
        .chain(commands(known.explorable))
        .filter(|target| fits(&target.label))
        .collect();
    let fitting = recent.iter().filter(|(label, _)| fits(label)).take(if wanted.is_empty() { RECENT } else { 20 });
    list.extend(fitting.map(chat));
    let more =
        found.iter().filter(|(_, href)| !list.iter().any(|target| target.to == To::Page(href.clone()))).map(chat);
    let more: Vec<Target> = more.collect();
    list.extend(more);
    list.truncate(24);
    if !wanted.is_empty() {
        list.push(Target {
            glyph: Glyph::CornerDownRight,
            label: format!("Ask: {}", typed.trim()),
            to: To::Page(format!("/chat?ask={}", super::encode(typed.trim()))),
        });
    }
    list
}

fn named(page: adagent_contract::Page<adagent_contract::SessionView>) -> Vec<(String, String)> {
    page.items.into_iter().map(|s| (s.title, format!("/chat/{}", s.id))).collect()
}

fn known(desk: &Desk) -> Known {
    let Some(viewer) = desk.viewer.get().and_then(Result::ok).flatten() else { return Known::default() };
    let here = viewer.here.as_ref().map(|here| here.id);
    let personal = ("Personal".to_owned(), PERSONAL.to_owned());
    let organizations = viewer.me.organizations.iter().filter(|other| Some(other.id) != here);
    let others = organizations.map(|other| (other.name.clone(), other.id.to_string()));
    let away = viewer.here.is_some_and(|here| !here.personal);
    let overview = desk.networks.get().and_then(Result::ok).filter(|overview| overview.may_manage);
    let free = overview.into_iter().flat_map(|overview| overview.items);
    let free = free.filter(|item| item.state == NetworkState::NotConnected);
    let connectable: Vec<_> = free.map(|item| (item.display_name, item.network.id())).collect();
    Known {
        explorable: viewer.sandbox && !connectable.is_empty(),
        workspaces: away.then_some(personal).into_iter().chain(others).collect(),
        connectable,
    }
}

#[component]
#[expect(clippy::too_many_lines, reason = "one widget: its keys, its list and its markup belong side by side")]
pub fn Palette() -> impl IntoView {
    let desk = Desk::get();
    let dialog = NodeRef::<html::Dialog>::new();
    let keys = NodeRef::<html::Dialog>::new();
    let typed = RwSignal::new(String::new());
    let active = RwSignal::new(0_usize);
    // The list is filled when the palette opens. Before that, server and browser might know different chats.
    let opened = RwSignal::new(false);
    // The server searches the messages of chats, from the second letter on.
    let searched = Resource::new(
        move || typed.get().trim().to_owned(),
        |wanted| async move {
            if wanted.chars().count() < 2 {
                return Ok(None);
            }
            crate::features::api::sessions(Some(wanted), None).await.map(Some)
        },
    );
    let found = RwSignal::new(Vec::new());
    // Read the server's data only in effects, so that the page does not wait for it.
    Effect::new(move |_| {
        let now = if opened.get() {
            let recent = desk.sessions.get().and_then(Result::ok).map(named).unwrap_or_default();
            let said = searched.get().and_then(Result::ok).flatten().map(named).unwrap_or_default();
            targets(&typed.get(), &known(&desk), &recent, &said)
        } else {
            Vec::new()
        };
        if found.with_untracked(|before| *before != now) {
            found.set(now);
        }
    });
    let navigate = use_navigate();
    let go = move |index: usize| {
        if let Some(target) = found.get_untracked().get(index) {
            if let Some(dialog) = dialog.get_untracked() {
                dialog.close();
            }
            match &target.to {
                To::Page(href) => navigate(href, leptos_router::NavigateOptions::default()),
                To::Button(id) => crate::platform::press(id),
            }
        }
    };
    Effect::new(move |_| {
        let Some(asked) = desk.asked.get() else { return };
        let wanted = if asked == Asked::Palette { dialog } else { keys };
        // The code of the palette may have loaded only for this request, and then its dialogs are not on the page yet.
        let Some(wanted) = wanted.get() else { return };
        desk.asked.set(None);
        crate::platform::close_popover("rail");
        if asked == Asked::Palette {
            opened.set(true);
            typed.set(String::new());
            active.set(0);
        }
        if !wanted.open() {
            let _shown = wanted.show_modal();
        }
    });
    let pick = go.clone();
    view! {
        <dialog class="dialog palette" node_ref=dialog aria-label="Search and commands">
            <div class="input-group">
                <span class="affix"><Icon glyph=Glyph::Search/></span>
                <input
                    class="input" id="palette" placeholder="Search, jump or ask" aria-label="Search, jump or ask" autocomplete="off" role="combobox"
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
                        crate::platform::scroll_into_view(&format!("palette-{}", active.get_untracked()));
                    }
                />
                <kbd>"Esc"</kbd>
            </div>
            <ul class="palette-list" id="palette-list" role="listbox" aria-label="Places and chats">
                {move || {
                    let pick = pick.clone();
                    let mut group = "";
                    found.get().into_iter().enumerate().map(move |(index, target)| {
                        let pick = pick.clone();
                        let head = (target.group() != group).then(|| target.group());
                        group = target.group();
                        let key = target.key();
                        view! {
                            {head.map(|head| view! { <li class="menu-label" role="presentation" aria-hidden="true">{head}</li> })}
                            <li
                                class="option" role="option" id=format!("palette-{index}")
                                aria-selected=move || if active.get() == index { "true" } else { "false" }
                                data-active=move || (active.get() == index).then_some("")
                                on:click=move |_| pick(index)
                            >
                                <Icon glyph=target.glyph/>
                                <span class="truncate grow">{target.label}</span>
                                {key.map(|key| view! { <kbd aria-hidden="true">{key}</kbd> })}
                            </li>
                        }
                    }).collect_view()
                }}
            </ul>
        </dialog>
        <Commands/>
        <Keys dialog=keys/>
    }
}

/// Shows what the keys do.
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
                    <dl class="params keys">
                        <dt><kbd>"Ctrl K"</kbd></dt><dd>"Go anywhere"</dd>
                        <dt><kbd>"N"</kbd></dt><dd>"New chat"</dd>
                        <dt><kbd>"Enter"</kbd></dt><dd>"Send"</dd>
                        <dt><kbd>"Shift Enter"</kbd></dt><dd>"New line"</dd>
                        <dt><kbd>"↑"</kbd></dt><dd>"Edit last message"</dd>
                        <dt><kbd>"Esc"</kbd></dt><dd>"Stop the run"</dd>
                        <dt><kbd>"/"</kbd>" "<kbd>"@"</kbd></dt><dd>"Insert a prompt, mention an agent or app"</dd>
                        <dt><kbd>"."</kbd></dt><dd>"Go to the change that needs approval"</dd>
                        <dt><kbd>"J"</kbd>" "<kbd>"K"</kbd></dt><dd>"Next and previous approval"</dd>
                        <dt><kbd>"A"</kbd>" "<kbd>"D"</kbd>" "<kbd>"E"</kbd></dt><dd>"Approve, deny, edit"</dd>
                    </dl>
                </div>
            </form>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, PLACES, To, targets};

    /// How many commands every workspace has.
    const ALWAYS: usize = 2;

    #[test]
    fn rows_stand_under_one_head_each_and_exploring_only_where_it_can() {
        let chats = vec![("Floors".to_owned(), "/chat/1".to_owned())];
        let known = Known { workspaces: vec![("Acme".into(), "1".into())], ..Known::default() };
        let mut heads: Vec<&str> = targets("", &known, &chats, &[]).iter().map(super::Target::group).collect();
        heads.dedup();
        assert_eq!(heads, ["Go to", "Workspaces", "Commands", "Chats"]);
        let explore = |known: &Known| targets("explore nine", known, &[], &[])[0].to.clone();
        assert!(matches!(explore(&known), To::Page(_)), "only asking is left");
        assert_eq!(explore(&Known { explorable: true, ..known.clone() }), To::Button("command-explore".into()));
        let keys = targets("", &known, &[], &[]).iter().filter_map(super::Target::key).collect::<Vec<_>>();
        assert_eq!(keys, ["N"], "only a new chat has a key of its own");
    }

    #[test]
    fn a_chat_found_by_what_was_said_is_listed_once() {
        let chat = ("Weekend floors".to_owned(), "/chat/2".to_owned());
        let list = targets("rewarded", &Known::default(), std::slice::from_ref(&chat), std::slice::from_ref(&chat));
        assert_eq!(list.iter().filter(|target| target.to == To::Page("/chat/2".into())).count(), 1);
        let list = targets("weekend", &Known::default(), std::slice::from_ref(&chat), std::slice::from_ref(&chat));
        assert_eq!(list.iter().filter(|target| target.to == To::Page("/chat/2".into())).count(), 1);
    }

    #[test]
    fn places_chats_and_asking_are_found_by_words_in_any_order() {
        let chats = vec![("Puzzle Game, last 28 days".to_owned(), "/chat/1".to_owned())];
        let labels =
            |typed| targets(typed, &Known::default(), &chats, &[]).into_iter().map(|t| t.label).collect::<Vec<_>>();
        assert_eq!(labels("networks set"), vec!["Settings › Networks", "Ask: networks set"]);
        assert_eq!(labels("game puzzle"), vec!["Puzzle Game, last 28 days", "Ask: game puzzle"]);
        assert_eq!(labels("").len(), PLACES.len() + ALWAYS + 1);
    }

    #[test]
    fn every_page_of_the_settings_is_found() {
        for (typed, href) in
            [("reporting", "/settings/reporting"), ("appearance", "/settings/appearance"), ("settings", "/settings")]
        {
            assert_eq!(targets(typed, &Known::default(), &[], &[])[0].to, To::Page(href.into()), "{typed}");
        }
    }

    #[test]
    fn other_workspaces_are_offered_and_connecting_only_to_who_may() {
        let known = Known { workspaces: vec![("Acme Agency".into(), "1".into())], ..Known::default() };
        let list = targets("acme", &known, &[], &[]);
        assert_eq!(list[0].to, To::Button("switch-1".into()));
        assert!(targets("connect", &known, &[], &[]).iter().all(|target| target.label.starts_with("Ask")));
        let known = Known { connectable: vec![("Unity".into(), "unity")], ..Known::default() };
        let list = targets("connect", &known, &[], &[]);
        assert_eq!(list[0].to, To::Page("/settings/networks?connect=unity".into()));
        assert_eq!(targets("", &known, &[], &[]).len(), PLACES.len() + ALWAYS, "not before something is typed");
    }
}
