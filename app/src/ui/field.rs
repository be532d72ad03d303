//! Labeled controls with hint and error. The error stands next to the field and is announced with it.

use leptos::prelude::*;

use super::{Glyph, Icon, raw_text};

/// Returns the ID list for `aria-describedby`: the error, if any, and the hint.
pub fn described_by(id: &str, hint: bool, error: bool) -> Option<String> {
    match (error, hint) {
        (false, false) => None,
        (true, false) => Some(format!("{id}-e")),
        (false, true) => Some(format!("{id}-h")),
        (true, true) => Some(format!("{id}-e {id}-h")),
    }
}

/// Draws label, control, hint and error. The control inside carries `id` and `aria-describedby=described_by(…)`.
#[component]
pub fn Field(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(optional)] optional: bool,
    /// Takes the whole width of a form grid.
    #[prop(optional)]
    full: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    children: Children,
) -> impl IntoView {
    let hint_id = format!("{id}-h");
    let error_id = format!("{id}-e");
    let label_id = format!("{id}-l");
    view! {
        <div class=if full { "field full" } else { "field" }>
            <label id=label_id for=id>
                {label}
                {optional.then(|| view! { " " <span class="optional">"optional"</span> })}
            </label>
            {children()}
            {move || {
                error.get().map(|text| {
                    view! {
                        <p class="error-text" id=error_id.clone()>
                            <Icon glyph=Glyph::CircleAlert small=true/>
                            {text}
                        </p>
                    }
                })
            }}
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// Draws a line of text, also for email, password or date.
#[component]
pub fn TextField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] on_input: Option<Callback<String>>,
    #[prop(optional, into)] name: Option<String>,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional, into)] autocomplete: Option<String>,
    #[prop(optional, into)] placeholder: Option<String>,
    #[prop(optional_no_strip)] max_length: Option<u64>,
    #[prop(optional)] required: bool,
    #[prop(optional)] optional: bool,
    #[prop(optional)] full: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let has_hint = hint.is_some();
    let own = id.clone();
    view! {
        <Field id=id.clone() label optional full hint=hint error>
            <input
                class="input"
                id=id
                name=name
                type=kind
                autocomplete=autocomplete
                placeholder=placeholder
                maxlength=max_length.map(|n| n.to_string())
                required=required
                value=value.get_untracked()
                prop:value=move || value.get()
                disabled=move || disabled.get()
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                on:input=move |event| {
                    if let Some(on_input) = on_input {
                        on_input.run(event_target_value(&event));
                    }
                }
            />
        </Field>
    }
}

/// Draws several lines of text.
#[component]
pub fn TextAreaField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] on_input: Option<Callback<String>>,
    #[prop(optional, into)] name: Option<String>,
    #[prop(optional_no_strip)] max_length: Option<u64>,
    #[prop(optional)] optional: bool,
    #[prop(optional)] full: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let has_hint = hint.is_some();
    let own = id.clone();
    view! {
        <Field id=id.clone() label optional full hint=hint error>
            <textarea
                class="textarea"
                id=id
                name=name
                maxlength=max_length.map(|n| n.to_string())
                prop:value=move || value.get()
                disabled=move || disabled.get()
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                on:input=move |event| {
                    if let Some(on_input) = on_input {
                        on_input.run(event_target_value(&event));
                    }
                }
            >
                {raw_text(value.get_untracked())}
            </textarea>
        </Field>
    }
}

/// A choice of a select: the value to send and the label to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    pub label: String,
}

impl Choice {
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into() }
    }
}

/// Chooses one of several known values, with the browser's own select.
#[component]
pub fn SelectField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    choices: Vec<Choice>,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] on_change: Option<Callback<String>>,
    #[prop(optional, into)] name: Option<String>,
    /// Shown while nothing is chosen. Without it, the first choice is preselected.
    #[prop(optional, into)]
    placeholder: Option<String>,
    #[prop(optional)] optional: bool,
    #[prop(optional)] full: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let has_hint = hint.is_some();
    let own = id.clone();
    let start = value.get_untracked();
    let options = placeholder
        .map(|text| Choice::new("", text))
        .into_iter()
        .chain(choices)
        .map(|choice| {
            let key = choice.value.clone();
            view! {
                <option
                    value=choice.value
                    selected=start == key
                    prop:selected=move || value.get() == key
                >
                    {choice.label}
                </option>
            }
        })
        .collect_view();
    view! {
        <Field id=id.clone() label optional full hint=hint error>
            <select
                class="select"
                id=id
                name=name
                disabled=move || disabled.get()
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                on:change=move |event| {
                    if let Some(on_change) = on_change {
                        on_change.run(event_target_value(&event));
                    }
                }
            >
                {options}
            </select>
        </Field>
    }
}

/// Draws an amount with symbol and currency code. The typed text stays as it is; the caller parses it.
#[component]
pub fn MoneyField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] symbol: String,
    #[prop(into)] code: String,
    #[prop(optional, into)] name: Option<String>,
    #[prop(optional, into)] on_input: Option<Callback<String>>,
    #[prop(optional)] optional: bool,
    #[prop(optional)] full: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let has_hint = hint.is_some();
    let own = id.clone();
    view! {
        <Field id=id.clone() label optional full hint=hint error>
            <div class="input-group">
                <span class="affix">{symbol}</span>
                <input
                    class="input money"
                    id=id
                    name=name
                    inputmode="decimal"
                    value=value.get_untracked()
                    prop:value=move || value.get()
                    disabled=move || disabled.get()
                    aria-invalid=move || error.get().is_some().then_some("true")
                    aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                    on:input=move |event| {
                        if let Some(on_input) = on_input {
                            on_input.run(event_target_value(&event));
                        }
                    }
                />
                <span class="affix">{code}</span>
            </div>
        </Field>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_described_only_by_what_is_there() {
        assert_eq!(described_by("nm", false, false), None);
        assert_eq!(described_by("nm", true, false).as_deref(), Some("nm-h"));
        assert_eq!(described_by("nm", true, true).as_deref(), Some("nm-e nm-h"));
    }
}
