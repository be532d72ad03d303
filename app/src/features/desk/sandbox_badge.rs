//! The badge that says that numbers come from the sandbox, wherever they show.

use leptos::prelude::*;

use super::Desk;
use crate::ui::{Glyph, Icon};

#[component]
pub fn SandboxBadge() -> impl IntoView {
    let desk = Desk::get();
    view! {
        <Transition fallback=|| ()>
            {move || desk.simulated().then(|| view! {
                <span class="tip-host" tabindex="0">
                    <span class="badge sandbox"><Icon glyph=Glyph::FlaskConical/>"Sandbox"</span>
                    <span class="tooltip" role="tooltip" style="left:auto;right:0;translate:none;bottom:auto;top:calc(100% + 6px)">
                        "Demo data, not your real numbers"
                    </span>
                </span>
            })}
        </Transition>
    }
}
