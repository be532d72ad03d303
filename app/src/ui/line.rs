//! A line of a plain form. The server reads the form and answers with the page, so it works without JavaScript. An error shows
//! below the field and is announced with it.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// Draws an error in one line; with an ID if a field is described by it.
#[component]
pub fn ErrorLine(#[prop(into)] text: String, #[prop(optional, into)] id: Option<String>) -> impl IntoView {
    view! { <p class="error-text" id=id role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> }
}

#[component]
pub fn Line(
    id: &'static str,
    label: &'static str,
    name: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    #[prop(optional)] value: String,
    /// Makes the line taller, for pages with nothing else to do.
    #[prop(optional)]
    large: bool,
    /// The browser cuts longer text, and the server refuses it.
    #[prop(default = 300)]
    longest: u16,
    error: Option<&'static str>,
) -> impl IntoView {
    let error_id = format!("{id}-error");
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                class="input" id=id name=name type=kind autocomplete=autocomplete required=true value=value
                maxlength=longest.to_string() style=large.then_some("height:var(--control-lg)")
                aria-invalid=error.is_some().then_some("true")
                aria-describedby=error.is_some().then(|| error_id.clone())
            />
            {error.map(|text| view! { <ErrorLine text id=error_id.clone()/> })}
        </div>
    }
}
