//! Small marks: badges, stamps, dots, counts. Color is never the only sign; a word or an icon goes with it.

use leptos::prelude::*;

use super::{Glyph, Icon};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BadgeTone {
    #[default]
    Plain,
    Good,
    Bad,
    Wait,
    Accent,
    Outline,
    Sandbox,
}

impl BadgeTone {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => " good",
            Self::Bad => " bad",
            Self::Wait => " wait",
            Self::Accent => " accent",
            Self::Outline => " outline",
            Self::Sandbox => " sandbox",
        }
    }
}

#[component]
pub fn Badge(
    #[prop(optional)] tone: BadgeTone,
    #[prop(optional, into)] icon: Option<Glyph>,
    children: Children,
) -> impl IntoView {
    view! {
        <span class=format!("badge{}", tone.class())>
            {icon.map(|glyph| view! { <Icon glyph/> })}
            {children()}
        </span>
    }
}

/// Says that numbers come from the sandbox, and explains it on hover and focus.
#[component]
pub fn SandboxBadge() -> impl IntoView {
    view! {
        <span class="tip-host" tabindex="0" role="note">
            <Badge tone=BadgeTone::Sandbox icon=Glyph::FlaskConical>"Sandbox"</Badge>
            <span class="tooltip" role="tooltip" style="left:auto;right:0;translate:none;bottom:auto;top:calc(100% + 6px)">
                "Demo data, not your real numbers"
            </span>
        </span>
    }
}

/// Shows how many are waiting; the word is for people who do not see the color.
#[component]
pub fn Count(#[prop(into)] value: Signal<u64>, #[prop(default = "waiting")] word: &'static str) -> impl IntoView {
    view! { <span class="count wait">{move || value.get()}<span class="unseen">{format!(" {word}")}</span></span> }
}

/// Shows a state as a dot. A visible or hidden word must stand next to it.
#[component]
pub fn Dot(tone: BadgeTone) -> impl IntoView {
    let class = match tone {
        BadgeTone::Good => "dot good",
        BadgeTone::Bad => "dot bad",
        BadgeTone::Wait => "dot wait",
        BadgeTone::Outline => "dot off",
        _ => "dot",
    };
    view! { <span class=class></span> }
}

/// Shows the stamp of an answered approval.
#[component]
pub fn Stamp(tone: BadgeTone, icon: Glyph, children: Children) -> impl IntoView {
    let class = match tone {
        BadgeTone::Good => "stamp good",
        BadgeTone::Bad => "stamp bad",
        _ => "stamp faint",
    };
    view! {
        <span class=class>
            <Icon glyph=icon small=true/>
            {children()}
        </span>
    }
}
