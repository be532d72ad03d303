//! Menus as native popovers: the browser opens, places and closes them, and returns the focus.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// Draws a menu. A button with `popovertarget=id` and `aria-haspopup="menu"` opens it.
#[component]
pub fn Menu(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// Opens above its button.
    #[prop(optional)]
    up: bool,
    children: Children,
) -> impl IntoView {
    let own = id.clone();
    view! {
        <div
            id=id
            class=if up { "menu up" } else { "menu" }
            popover="auto"
            role="menu"
            aria-label=label
            on:keydown=move |event| {
                let forward = match event.key().as_str() {
                    "ArrowDown" => true,
                    "ArrowUp" => false,
                    _ => return,
                };
                event.prevent_default();
                crate::platform::walk_menu(&own, forward);
            }
        >
            {children()}
        </div>
    }
}

/// Draws a menu item; pressing it closes the menu.
#[component]
pub fn MenuItem(
    /// The menu's ID.
    #[prop(into)]
    menu: String,
    #[prop(optional, into)] icon: Option<Glyph>,
    #[prop(optional)] bad: bool,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] kbd: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    view! {
        <button
            class=if bad { "menu-item bad" } else { "menu-item" }
            type="button"
            role="menuitem"
            popovertarget=menu
            popovertargetaction="hide"
            disabled=move || disabled.get()
        >
            {icon.map(|glyph| view! { <Icon glyph/> })}
            {children()}
            {kbd.map(|kbd| view! { <kbd>{kbd}</kbd> })}
        </button>
    }
}

/// Draws a heading between groups of a menu.
#[component]
pub fn MenuLabel(children: Children) -> impl IntoView {
    view! { <p class="menu-label" role="presentation">{children()}</p> }
}
