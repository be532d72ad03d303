//! A line of a plain form, which the server reads and answers with the page it is on: works without script, so nothing here waits
//! for any. What went wrong stands below the field and is announced with it.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// What went wrong, in one line; with an id where a field is described by it.
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
    /// As high as the pages on which it is all there is to do.
    #[prop(optional)]
    large: bool,
    /// More is cut by the browser, and refused by the server.
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
