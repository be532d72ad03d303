//! Results of the forms on the team page: a toast after success, a sentence at the form after an error, with and without
//! JavaScript.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    features::api::{ApiError, Told, settled},
    ui::{Glyph, Icon, Toasts},
};

/// Explains the code in the address after a form was posted without JavaScript. The address carries a code, never a text that
/// somebody else could put there.
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

/// Returns the error of the form `name`, from its answer or from the address.
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

/// Returns the messages of the fields if there are any, else the detail of the problem.
pub fn told(error: &ApiError) -> String {
    let fields = error.0.errors.iter().map(|field| field.message.clone()).collect::<Vec<_>>().join(" ");
    if fields.is_empty() { error.0.detail.clone() } else { fields }
}

/// Shows a toast after success and loads the page again. An error shows at the form, which keeps the typed text.
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

/// Works like [`tell`], for a button without room for an error: the error shows as a toast too, and the page loads again.
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
