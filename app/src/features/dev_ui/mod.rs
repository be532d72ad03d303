//! The gallery: every component in every state. Development only.
use leptos::prelude::*;
#[component]
pub fn DevUiPage() -> impl IntoView { view! { <main id="main">"Components"</main> } }
