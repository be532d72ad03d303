//! Tabs over one panel; arrows move between them.

use leptos::prelude::*;

/// One tab. `count` is the number of things that wait in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    pub key: &'static str,
    pub label: &'static str,
    pub count: Option<u64>,
}

/// Draws a row of tabs. `id` prefixes their IDs (`{id}-{key}`). The caller draws the panel, with `aria-labelledby` of the chosen
/// tab.
#[component]
pub fn Tabs(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    tabs: Vec<Tab>,
    #[prop(into)] value: Signal<&'static str>,
    #[prop(into)] on_change: Callback<&'static str>,
) -> impl IntoView {
    let keys: Vec<&'static str> = tabs.iter().map(|tab| tab.key).collect();
    let prefix = id.clone();
    let turn = move |event: leptos::ev::KeyboardEvent| {
        let at = keys.iter().position(|key| *key == value.get_untracked()).unwrap_or(0);
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % keys.len().max(1),
            "ArrowLeft" => at.checked_sub(1).unwrap_or(keys.len().saturating_sub(1)),
            _ => return,
        };
        if let Some(key) = keys.get(to) {
            event.prevent_default();
            on_change.run(key);
            crate::platform::focus(&format!("{prefix}-{key}"));
        }
    };
    let tabs = tabs
        .into_iter()
        .map(|tab| {
            let key = tab.key;
            view! {
                <button
                    class="tab"
                    type="button"
                    role="tab"
                    id=format!("{id}-{key}")
                    aria-selected=move || if value.get() == key { "true" } else { "false" }
                    tabindex=move || if value.get() == key { "0" } else { "-1" }
                    on:click=move |_| on_change.run(key)
                >
                    {tab.label}
                    {tab.count.filter(|n| *n > 0).map(|n| view! { " " <span class="count wait">{n}</span> })}
                </button>
            }
        })
        .collect_view();
    view! {
        <div class="tabs" role="tablist" aria-label=label on:keydown=turn>
            {tabs}
        </div>
    }
}
