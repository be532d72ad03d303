//! What became of a form of the team page: news when it worked, a sentence at the form when not, with and without script.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    features::api::{ApiError, Told, settled},
    ui::{Glyph, Icon, Toasts},
};

/// What an address says of a form that was posted without script: a code, never a text that somebody else could have put there.
pub fn explain(code: &str) -> &'static str {
    match code {
        "validation_failed" => "Something is missing or not in the expected format.",
        "forbidden" => "Your role doesn't allow this.",
        "not_found" => "It no longer exists.",
        "rate_limited" => "Too many requests. Wait a moment and try again.",
        "conflict" => "Already done, or changed by someone else. Reload to see.",
        _ => "That didn't work. Reload the page and try again.",
    }
}

/// What is said against the form `name`: by the answer to it, or by the address.
pub fn refused<T: Clone + Send + Sync + 'static>(
    name: &'static str,
    value: impl Fn() -> Option<Result<Told<T>, ApiError>> + Send + Sync + 'static,
) -> Signal<Option<String>> {
    let query = use_query_map();
    Signal::derive(move || match value().map(settled) {
        Some(Ok(_)) => None,
        Some(Err(error)) => Some(told(&error)),
        None => query.with(|query| {
            let ours = query.get("form").is_some_and(|form| form == name);
            ours.then(|| explain(&query.get("error").unwrap_or_default()).to_owned())
        }),
    })
}

/// The fields' own words where there are any.
pub fn told(error: &ApiError) -> String {
    let fields = error.0.errors.iter().map(|field| field.message.clone()).collect::<Vec<_>>().join(" ");
    if fields.is_empty() { error.0.detail.clone() } else { fields }
}

/// Says what was done and has the page read again. What was wrong stands at the form, which keeps what was typed.
pub fn tell<T: Clone + Send + Sync + 'static>(
    value: impl Fn() -> Option<Result<Told<T>, ApiError>> + 'static,
    done: &'static str,
    changed: Callback<()>,
) {
    let toasts = Toasts::get();
    Effect::new(move |_| {
        if let Some(Ok(Ok(_))) = value() {
            toasts.say(done);
            changed.run(());
        }
    });
}

/// As [`tell`], for a button beside which nothing can stand: what was wrong is news too, and the page shows how things are.
pub fn tell_all<T: Clone + Send + Sync + 'static>(
    value: impl Fn() -> Option<Result<Told<T>, ApiError>> + Clone + 'static,
    done: &'static str,
    changed: Callback<()>,
) {
    let toasts = Toasts::get();
    tell(value.clone(), done, changed);
    Effect::new(move |_| {
        if let Some(Err(error)) = value().map(settled) {
            toasts.complain(told(&error));
            changed.run(());
        }
    });
}

#[component]
pub fn Wrong(#[prop(into)] id: String, text: Signal<Option<String>>) -> impl IntoView {
    move || {
        let id = id.clone();
        text.get().map(|text| view! { <p class="error-text" role="alert" id=id><Icon glyph=Glyph::CircleAlert small=true/>{text}</p> })
    }
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn an_address_cannot_put_words_into_the_page() {
        assert_eq!(explain("Call 555-0100 now"), explain(""));
        assert_ne!(explain("forbidden"), explain(""));
    }
}
