//! The rail: workspace, new chat, pages, chats, networks, context, the person.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{
    Asked, Desk,
    context_tree::ContextTree,
    network_list::NetworkList,
    palette_commands::{SIGN_OUT, THEME},
    session_list::SessionList,
    workspaces::Workspaces,
};
use crate::ui::{Avatar, Glyph, Icon};

/// Shows the rail: a column from 900 px, a drawer below. The drawer is the platform's popover, so it needs no JavaScript.
#[component]
pub fn Rail() -> impl IntoView {
    let desk = Desk::get();
    // On a phone, close the drawer once it opened another page.
    let path = use_location().pathname;
    Effect::new(move |before: Option<String>| {
        let now = path.get();
        if before.is_some_and(|before| before != now) {
            crate::platform::close_popover("rail");
        }
        now
    });
    view! {
        <nav id="rail" class="rail" popover="auto" aria-label="Main">
            <div class="rail-top">
                <Workspaces/>
                <div class="row">
                    <a class="button new-chat" href="/chat" id="new-chat">
                        <Icon glyph=Glyph::SquarePen/>
                        "New chat"
                        <kbd>"N"</kbd>
                    </a>
                    <button
                        class="button icon-only" type="button" aria-label="Search and commands" aria-keyshortcuts="Control+K" data-part="palette"
                        on:click=move |_| desk.asked.set(Some(Asked::Palette))
                    >
                        <Icon glyph=Glyph::Search/>
                    </button>
                </div>
            </div>
            <div class="rail-body">
                <Places/>
                <SessionList/>
                <NetworkList/>
                <ContextTree/>
            </div>
            <Foot/>
        </nav>
    }
}

#[component]
fn Places() -> impl IntoView {
    let desk = Desk::get();
    let count = move || desk.pending.get().and_then(Result::ok).filter(|n| *n > 0);
    view! {
        <ul class="nav">
            <Place href="/" glyph=Glyph::House label="Home"/>
            <Place href="/approvals" glyph=Glyph::Inbox label="Approvals">
                <Transition fallback=|| ()>
                    {move || count().map(|n| view! {
                        <span class="count wait">{n}<span class="unseen">" pending"</span></span>
                    })}
                </Transition>
            </Place>
            <Place href="/agents" glyph=Glyph::Bot label="Agents"/>
            <Place href="/journal" glyph=Glyph::NotebookPen label="Journal"/>
            <Place href="/library" glyph=Glyph::LibraryBig label="Library"/>
            <Place href="/runs" glyph=Glyph::Activity label="Runs"/>
            <Place href="/settings/networks" area="/settings" glyph=Glyph::Settings label="Settings"/>
        </ul>
    }
}

#[component]
fn Place(
    href: &'static str,
    /// The start of all addresses in this area, if that is not the link's own address.
    #[prop(optional)]
    area: Option<&'static str>,
    glyph: Glyph,
    label: &'static str,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let path = use_location().pathname;
    let area = area.unwrap_or(href);
    let current =
        move || path.with(|path| if area == "/" { path == "/" } else { path.starts_with(area) }).then_some("page");
    view! {
        <li>
            <a class="nav-item" href=href aria-current=current>
                <Icon glyph/>
                <span>{label}</span>
                {children.map(|children| children())}
            </a>
        </li>
    }
}

#[component]
fn Foot() -> impl IntoView {
    let desk = Desk::get();
    let name = move || match desk.viewer.get() {
        Some(Ok(Some(viewer))) => viewer.me.user.name,
        _ => String::new(),
    };
    view! {
        <div class="rail-foot">
            <button class="switcher" type="button" popovertarget="account" style="min-height:34px">
                <Transition fallback=|| ()>
                    {move || Some(name()).filter(|name| !name.is_empty()).map(|name| view! {
                        <Avatar name=name.clone()/>
                        <span class="truncate">{name}</span>
                    })}
                </Transition>
            </button>
            <div class="menu up" id="account" popover="auto">
                <form action="/api/auth/sign-out" method="post">
                    <input type="hidden" name="redirect" value="/sign-in"/>
                    <button class="menu-item" type="submit" id=SIGN_OUT><Icon glyph=Glyph::LogOut/>"Sign out"</button>
                </form>
            </div>
            <button
                class="button ghost icon-only small for-keys" type="button" aria-label="Keyboard shortcuts" aria-keyshortcuts="?" data-part="palette"
                on:click=move |_| desk.asked.set(Some(Asked::Keys))
            >
                <Icon glyph=Glyph::Keyboard/>
            </button>
            <crate::theme::ThemeSwitch id=THEME/>
        </div>
    }
}
