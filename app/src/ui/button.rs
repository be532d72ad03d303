//! Buttons. Their state comes from the native element: `disabled`, `aria-busy`, `aria-pressed`.
//!
//! Callers add further attributes and listeners: `<Button on:click=… attr:id="…">`.

use leptos::prelude::*;

use super::{Glyph, Icon, Spinner};

/// The meaning of a button. Use one `Primary` per view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ButtonKind {
    #[default]
    Plain,
    Primary,
    Ghost,
    Danger,
}

impl ButtonKind {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "button",
            Self::Primary => "button primary",
            Self::Ghost => "button ghost",
            Self::Danger => "button danger",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ButtonSize {
    Small,
    #[default]
    Regular,
    Large,
}

fn classes(kind: ButtonKind, size: ButtonSize, more: &str) -> String {
    let size = match size {
        ButtonSize::Small => " small",
        ButtonSize::Regular => "",
        ButtonSize::Large => " large",
    };
    let space = if more.is_empty() { "" } else { " " };
    format!("{}{size}{space}{more}", kind.class())
}

/// Draws a button with text. While `busy`, it shows a spinner instead of its icon, and the caller must ignore presses.
#[component]
pub fn Button(
    #[prop(optional)] kind: ButtonKind,
    #[prop(optional)] size: ButtonSize,
    #[prop(optional, into)] icon: Option<Glyph>,
    #[prop(optional)] submit: bool,
    /// Name and value that the button sends with its form. With this, the button submits the form.
    #[prop(optional_no_strip)]
    sends: Option<(&'static str, String)>,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] busy: Signal<bool>,
    /// Only for toggles; absent otherwise.
    #[prop(optional, into)]
    pressed: MaybeProp<bool>,
    /// Extra classes: `wide`, `wide-only`, `push` …
    #[prop(optional)]
    class: &'static str,
    children: Children,
) -> impl IntoView {
    let submit = submit || sends.is_some();
    let (name, value) = sends.unzip();
    view! {
        <button
            class=classes(kind, size, class)
            type=if submit { "submit" } else { "button" }
            name=name
            value=value
            disabled=move || disabled.get()
            aria-busy=move || busy.get().then_some("true")
            aria-pressed=move || pressed.get().map(|on| if on { "true" } else { "false" })
        >
            {move || busy.get().then(|| view! { <Spinner/> })}
            {icon.map(|glyph| view! { <Icon glyph small=true/> })}
            {children()}
        </button>
    }
}

/// Draws a button that is only an icon. `label` is its name for people who do not see it.
#[component]
pub fn IconButton(
    glyph: Glyph,
    #[prop(into)] label: Signal<String>,
    #[prop(default = ButtonKind::Ghost)] kind: ButtonKind,
    #[prop(default = ButtonSize::Small)] size: ButtonSize,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] pressed: MaybeProp<bool>,
    #[prop(optional)] class: &'static str,
    /// Works as in [`Button`].
    #[prop(optional_no_strip)]
    sends: Option<(&'static str, String)>,
) -> impl IntoView {
    let kind_of_button = if sends.is_some() { "submit" } else { "button" };
    let (name, value) = sends.unzip();
    let small = size == ButtonSize::Small;
    view! {
        <button
            class=classes(kind, size, if class.is_empty() { "icon-only".to_owned() } else { format!("icon-only {class}") }.as_str())
            type=kind_of_button
            name=name
            value=value
            aria-label=move || label.get()
            disabled=move || disabled.get()
            aria-pressed=move || pressed.get().map(|on| if on { "true" } else { "false" })
        >
            <Icon glyph small/>
        </button>
    }
}

/// Copies a text and confirms it for a moment, with its icon and to assistive technology.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    #[prop(into)] label: String,
    /// Shows the label as text next to the icon.
    #[prop(optional)]
    worded: bool,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let text = text.get_untracked();
        leptos::task::spawn_local(async move {
            if crate::platform::copy_text(text).await {
                copied.set(true);
                set_timeout(
                    move || {
                        copied.try_set(false);
                    },
                    std::time::Duration::from_secs(2),
                );
            }
        });
    };
    let glyph = move || {
        let glyph = if copied.get() { Glyph::Check } else { Glyph::Copy };
        view! { <Icon glyph small=true/> }
    };
    let said = label.clone();
    view! {
        <button
            class=if worded { "button ghost small" } else { "button ghost icon-only small" }
            type="button"
            aria-label=(!worded).then_some(label)
            on:click=copy
        >
            {glyph}
            {worded.then(|| view! { <span>{said}</span> })}
            <span class="unseen" role="status">{move || copied.get().then_some("Copied")}</span>
        </button>
    }
}
