//! A choice between a few values, side by side.

use leptos::prelude::*;

/// Draws radio buttons as one control. `name` groups them and must be unique on the page.
#[component]
pub fn Segmented(
    #[prop(into)] name: String,
    #[prop(into)] legend: String,
    /// Value and label of each choice.
    choices: Vec<(&'static str, &'static str)>,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] on_change: Option<Callback<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let labels = choices
        .into_iter()
        .map(|(key, label)| {
            view! {
                <label>
                    <input
                        type="radio"
                        name=name.clone()
                        value=key
                        checked=value.get_untracked() == key
                        prop:checked=move || value.get() == key
                        disabled=move || disabled.get()
                        on:change=move |_| {
                            if let Some(on_change) = on_change {
                                on_change.run(key.to_owned());
                            }
                        }
                    />
                    {label}
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="segmented">
            <legend class="unseen">{legend}</legend>
            {labels}
        </fieldset>
    }
}
