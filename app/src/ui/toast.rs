//! Short messages in the corner of the page, with undo where that is possible. Important things must never be said only here.

use std::time::Duration;

use leptos::prelude::*;

use super::{Button, ButtonSize, Glyph, Icon, IconButton};

/// How long a message stays; with undo, a little longer.
const STAYS: Duration = Duration::from_secs(6);
const STAYS_WITH_UNDO: Duration = Duration::from_secs(10);

/// One message.
#[derive(Clone)]
pub struct Toast {
    key: u64,
    pub text: String,
    pub bad: bool,
    pub undo: Option<Callback<()>>,
}

/// The messages of the page, in the context of every component of the app.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl Toasts {
    pub(crate) fn provide() -> Self {
        let toasts = Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0) };
        provide_context(toasts);
        toasts
    }

    /// Returns the messages of this page. Without the app, such as in a component test, messages are not shown.
    pub fn get() -> Self {
        use_context().unwrap_or_else(|| Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0) })
    }

    pub fn say(self, text: impl Into<String>) {
        self.put(text.into(), false, None);
    }

    pub fn complain(self, text: impl Into<String>) {
        self.put(text.into(), true, None);
    }

    /// Shows what was done and offers to undo it.
    pub fn say_with_undo(self, text: impl Into<String>, undo: Callback<()>) {
        self.put(text.into(), false, Some(undo));
    }

    fn put(self, text: String, bad: bool, undo: Option<Callback<()>>) {
        let key = self.next.get_value();
        self.next.set_value(key + 1);
        let stays = if undo.is_some() { STAYS_WITH_UNDO } else { STAYS };
        self.list.update(|list| {
            forget_same(list, &text);
            list.push(Toast { key, text, bad, undo });
        });
        set_timeout(move || self.drop(key), stays);
    }

    fn drop(self, key: u64) {
        self.list.try_update(|list| list.retain(|toast| toast.key != key));
    }
}

/// Removes an earlier message with the same text, so that a connection that comes back in two steps is reported once. Messages
/// with undo stay.
fn forget_same(list: &mut Vec<Toast>, text: &str) {
    list.retain(|toast| toast.text != text || toast.undo.is_some());
}

/// Draws the corner where messages appear.
#[component]
pub fn ToastShelf(toasts: Toasts) -> impl IntoView {
    view! {
        <section class="toasts" aria-label="Notifications" role="status">
            <For each=move || toasts.list.get() key=|toast| toast.key children=move |toast| row(toasts, toast)/>
        </section>
    }
}

fn row(toasts: Toasts, toast: Toast) -> impl IntoView {
    let key = toast.key;
    view! {
        <div class=if toast.bad { "toast bad" } else { "toast" }>
            <Icon glyph=if toast.bad { Glyph::CircleAlert } else { Glyph::Check }/>
            <p>{toast.text}</p>
            {toast.undo.map(|undo| view! {
                <Button
                    size=ButtonSize::Small
                    on:click=move |_| {
                        undo.run(());
                        toasts.drop(key);
                    }
                >
                    "Undo"
                </Button>
            })}
            <IconButton glyph=Glyph::X label="Dismiss" on:click=move |_| toasts.drop(key)/>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_news_stands_once() {
        let toast = |key, text: &str| Toast { key, text: text.into(), bad: false, undo: None };
        let mut list = vec![toast(1, "Back online"), toast(2, "Saved")];
        forget_same(&mut list, "Back online");
        assert_eq!(list.iter().map(|toast| toast.key).collect::<Vec<_>>(), [2]);
    }
}
