//! Whose workspace this is.

use leptos::prelude::*;

use super::Desk;
use crate::ui::{Avatar, Glyph, Icon};

/// The workspace at the top of the rail. Today everybody has exactly one: their own.
#[component]
pub fn AccountMenu() -> impl IntoView {
    let desk = Desk::get();
    view! {
        <div class="row">
            <Transition fallback=|| view! { <span class="skeleton" style="height:38px;width:100%"></span> }>
                {move || desk.viewer.get().and_then(Result::ok).flatten().map(|viewer| {
                    let name = viewer.me.user.name;
                    view! {
                        <button class="switcher" type="button" popovertarget="workspaces" aria-haspopup="menu">
                            <Avatar name=name.clone()/>
                            <span class="truncate"><b class="truncate">"Personal"</b><small>{name.clone()}</small></span>
                            <Icon glyph=Glyph::ChevronsUpDown/>
                        </button>
                        <div id="workspaces" class="menu" popover="auto" role="menu" aria-label="Workspaces">
                            <button class="menu-item" role="menuitemradio" aria-checked="true" popovertarget="workspaces" popovertargetaction="hide">
                                <Avatar name=name.clone() small=true/>
                                "Personal"
                                <Icon glyph=Glyph::Check/>
                            </button>
                        </div>
                    }
                })}
            </Transition>
        </div>
    }
}
