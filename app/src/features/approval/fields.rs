//! The form of a card: one control per hint, in the order of the hints.

use adagent_contract::{EntityOption, FieldHint, Widget};
use leptos::prelude::*;
use serde_json::Value as Json;

use super::{args, draft::Draft, line_lists::LineLists, lists, objects, plain, rules};
use crate::ui::{
    Choice, EntitySelect, Field, MoneyField, Parent, SelectField, TextAreaField, TextField, described_by, format,
    listbox,
};

/// Shows all fields that apply. The two lists of a mediation group get a row of their own below.
#[component]
pub fn Fields(draft: Draft) -> impl IntoView {
    let hints = draft.hints.with_value(|hints| hints.fields.clone());
    let (lines, rest): (Vec<_>, Vec<_>) = hints
        .into_iter()
        .filter(|hint| hint.pointer != "/updateMask")
        .partition(|hint| hint.widget == Widget::MediationLines);
    let grid = (!rest.is_empty()).then(|| {
        view! { <div class="form-grid">{rest.into_iter().map(|hint| field(draft, hint)).collect_view()}</div> }
    });
    view! {
        {grid}
        {lines.into_iter().map(|hint| view! { <LineLists draft hint/> }).collect_view()}
    }
}

/// Shows one control, as long as it applies.
pub(super) fn field(draft: Draft, hint: FieldHint) -> AnyView {
    if hint.only_if.is_some() {
        let applies = {
            let hint = hint.clone();
            Memo::new(move |_| draft.args.with(|args| hint.applies(args)))
        };
        return view! { {move || applies.get().then(|| control(draft, hint.clone()))} }.into_any();
    }
    control(draft, hint)
}

fn control(draft: Draft, hint: FieldHint) -> AnyView {
    match hint.widget {
        Widget::Text => text(draft, hint),
        Widget::Select => select(draft, hint),
        Widget::Checkbox => lists::checkbox(draft, hint),
        Widget::MultiSelect => lists::multi_select(draft, hint),
        Widget::Number => number(draft, hint),
        Widget::MoneyMicros => money(draft, hint),
        Widget::Entity => entity(draft, hint),
        Widget::EntityList => lists::entity_list(draft, hint),
        Widget::Rows => lists::rows(draft, hint),
        Widget::Objects => objects::objects(draft, hint),
        Widget::Entries => objects::entries(draft, hint),
        Widget::ReadOnly => read_only(draft, hint),
        Widget::MediationLines => ().into_any(),
    }
}

/// Checks whether the field may be left empty. The label and the rule use the same answer.
fn optional(draft: Draft, hint: &FieldHint) -> bool {
    draft.args.with_untracked(|values| draft.schema.with_value(|schema| !rules::required(schema, hint, values)))
}

/// Checks whether a text field has several lines, which is the case if its schema says that it holds Markdown.
fn has_lines(draft: Draft, hint: &FieldHint) -> bool {
    draft.schema.with_value(|schema| {
        args::schema_at(schema, &hint.pointer).is_some_and(|field| field["contentMediaType"] == "text/markdown")
    })
}

fn text(draft: Draft, hint: FieldHint) -> AnyView {
    if hint.currency.is_some() {
        return price(draft, hint);
    }
    let pointer = hint.pointer.clone();
    if has_lines(draft, &hint) {
        return view! {
            <TextAreaField
                id=draft.id(&hint.pointer)
                name=plain::field(&hint.pointer)
                label=hint.label.clone()
                full=true
                optional=optional(draft, &hint)
                value=draft.text(&hint.pointer)
                on_input=Callback::new(move |text| draft.put_text(&pointer, text))
                max_length=hint.max_length
                hint=hint.help
                error=draft.error(&hint.pointer)
                disabled=draft.locked
            />
        }
        .into_any();
    }
    view! {
        <TextField
            id=draft.id(&hint.pointer)
            name=plain::field(&hint.pointer)
            label=hint.label.clone()
            full=true
            optional=optional(draft, &hint)
            value=draft.text(&hint.pointer)
            on_input=Callback::new(move |text| draft.put_text(&pointer, text))
            max_length=hint.max_length
            hint=hint.help
            error=draft.error(&hint.pointer)
            disabled=draft.locked
        />
    }
    .into_any()
}

/// Shows a price that the network takes as text. A person may type it with a decimal comma; the network gets a point.
fn price(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    let take = move |text: String| {
        draft.put_text(&pointer, args::plain_digits(&text));
        draft.typed.update(|typed| {
            typed.insert(pointer.clone(), text);
        });
    };
    view! {
        <TextField
            id=draft.id(&hint.pointer)
            name=plain::field(&hint.pointer)
            label=hint.label.clone()
            full=true
            optional=optional(draft, &hint)
            value=typed_or(draft, &hint.pointer, str::to_owned)
            on_input=Callback::new(take)
            hint=hint.help
            error=draft.error(&hint.pointer)
            disabled=draft.locked
        />
    }
    .into_any()
}

fn select(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    let choices: Vec<Choice> =
        draft.choices(&hint).into_iter().map(|(value, label)| Choice::new(value, label)).collect();
    let value = draft.text(&hint.pointer);
    let known = value.with_untracked(|value| choices.iter().any(|choice| choice.value == *value));
    let may_be_empty = optional(draft, &hint);
    let placeholder = if may_be_empty {
        Some("Not set")
    } else if known {
        None
    } else {
        Some("Choose one")
    };
    let choices: Vec<Choice> = placeholder.map(|text| Choice::new("", text)).into_iter().chain(choices).collect();
    view! {
        <SelectField
            id=draft.id(&hint.pointer)
            name=plain::field(&hint.pointer)
            label=hint.label
            choices
            optional=may_be_empty
            value
            on_change=Callback::new(move |text: String| {
                let value = (!text.is_empty()).then(|| draft.typed_value(&pointer, text));
                draft.put(&pointer, value);
            })
            hint=hint.help
            error=draft.error(&hint.pointer)
            disabled=draft.locked
        />
    }
    .into_any()
}

/// Returns the typed text, or else the argument as people write it.
fn typed_or(draft: Draft, pointer: &str, shown: fn(&str) -> String) -> Signal<String> {
    let pointer = pointer.to_owned();
    Signal::derive(move || {
        draft
            .typed
            .with(|typed| typed.get(&pointer).cloned())
            .unwrap_or_else(|| shown(&draft.args.with(|args| args::text(args, &pointer))))
    })
}

/// Reads a typed number in the type that the schema wants.
pub(super) fn number_of(schema: &Json, pointer: &str, text: &str) -> Option<Json> {
    let plain = args::plain_digits(text);
    match plain.parse::<i64>() {
        Ok(whole) => Some(args::as_schema_types(schema, pointer, whole)),
        Err(_) => plain.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Json::Number),
    }
}

/// Returns the choices of the hint, or else the values that the schema allows.
pub(super) fn choices_of(schema: &Json, hint: &FieldHint) -> Vec<(String, String)> {
    if !hint.choices.is_empty() {
        return hint.choices.clone();
    }
    let values = args::schema_at(schema, &hint.pointer).and_then(|place| place.get("enum")).and_then(Json::as_array);
    let texts = values.into_iter().flatten().filter_map(Json::as_str);
    texts.map(|value| (value.to_owned(), value.to_owned())).collect()
}

fn number(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    let take = move |text: String| {
        if text.trim().is_empty() {
            draft.put(&pointer, None);
        } else if let Some(number) = draft.schema.with_value(|schema| number_of(schema, &pointer, &text)) {
            draft.put(&pointer, Some(number));
        }
        draft.typed.update(|typed| {
            typed.insert(pointer.clone(), text);
        });
    };
    view! {
        <TextField
            id=draft.id(&hint.pointer)
            name=plain::field(&hint.pointer)
            label=hint.label.clone()
            optional=optional(draft, &hint)
            value=typed_or(draft, &hint.pointer, str::to_owned)
            on_input=Callback::new(take)
            hint=hint.help
            error=draft.error(&hint.pointer)
            disabled=draft.locked
        />
    }
    .into_any()
}

/// Formats micros as an amount for an input: two decimals, more only if needed, no separators.
pub(super) fn amount(micros: &str) -> String {
    let Ok(micros) = micros.parse::<i64>() else { return micros.to_owned() };
    let money = adagent_domain::Money::new(adagent_domain::Currency::USD, micros);
    let plain = |decimals| money.display(decimals).replace(['$', ','], "");
    if micros % 10_000 == 0 { plain(2) } else { plain(6).trim_end_matches('0').to_owned() }
}

/// Takes typed money: a valid amount becomes the argument; any other text is kept with its error.
pub(super) fn take_money(draft: Draft, pointer: &str, text: String) {
    if text.trim().is_empty() {
        draft.put(pointer, None);
    } else if let Some(micros) = rules::micros(&text) {
        draft.put(pointer, Some(draft.as_schema_types(pointer, micros)));
    }
    draft.typed.update(|typed| {
        typed.insert(pointer.to_owned(), text);
    });
}

pub(super) fn money_text(draft: Draft, pointer: &str) -> Signal<String> {
    typed_or(draft, pointer, amount)
}

fn money(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    view! {
        <MoneyField
            id=draft.id(&hint.pointer)
            name=plain::field(&hint.pointer)
            label=hint.label.clone()
            symbol="$"
            code="USD"
            optional=optional(draft, &hint)
            value=money_text(draft, &hint.pointer)
            on_input=Callback::new(move |text| take_money(draft, &pointer, text))
            hint=hint.help
            error=draft.error(&hint.pointer)
            disabled=draft.locked
        />
    }
    .into_any()
}

fn entity(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    let text = draft.text(&hint.pointer);
    if draft.plain {
        let on_change = Callback::new(move |id| draft.choose(&pointer, id));
        return view! { <PlainEntity draft hint value=text on_change/> }.into_any();
    }
    view! {
        <EntitySelect
            id=draft.id(&hint.pointer)
            label=hint.label.clone()
            options=draft.live_options(&hint)
            parent=draft.parent(&hint)
            parent_label=draft.parent_label(&hint)
            optional=optional(draft, &hint)
            value=Signal::derive(move || Some(text.get()).filter(|id| !id.is_empty()))
            on_change=Callback::new(move |id| draft.choose(&pointer, id))
            source=draft.source
            error=draft.error(&hint.pointer)
            hint=hint.help
            disabled=draft.locked
        />
    }
    .into_any()
}

/// Chooses an entity with the browser's own select, which works with and without JavaScript.
#[component]
pub(super) fn PlainEntity(
    draft: Draft,
    hint: FieldHint,
    value: Signal<String>,
    on_change: Callback<String>,
    /// The select adds an entity to a list, so nothing is chosen yet.
    #[prop(optional)]
    adds: bool,
) -> impl IntoView {
    let (options, parent) = (draft.live_options(&hint), draft.parent(&hint));
    let id = draft.id(&hint.pointer);
    let (own, has_hint) = (id.clone(), hint.help.is_some());
    let error = draft.error(&hint.pointer);
    let first = if adds { "Add another".to_owned() } else { format!("Choose {}", with_article(&hint.label)) };
    let waits = format!("Choose {} first", draft.parent_label(&hint));
    let rows = move || {
        let (chosen, parent) = (value.get(), parent.get());
        let first = if parent == Parent::Open { waits.clone() } else { first.clone() };
        let of = if let Parent::Chosen(id) = &parent { Some(id.as_str()) } else { None };
        let all = options.get();
        let fitting: Vec<EntityOption> = listbox::of_parent(&all, of).into_iter().cloned().collect();
        let unknown = !chosen.is_empty() && !fitting.iter().any(|option| option.id == chosen);
        let kept = unknown.then(|| view! { <option value=chosen.clone() selected=true>{chosen.clone()}</option> });
        let rows = fitting.into_iter().map(|option| {
            let selected = option.id == chosen;
            let detail = option.detail.map(|detail| format!(" · {detail}")).unwrap_or_default();
            let words = format!("{}{detail}", format::entity_name(&option.name, &option.id));
            view! { <option value=option.id selected=selected>{words}</option> }
        });
        view! { <option value="" selected=chosen.is_empty()>{first}</option>{kept}{rows.collect_view()} }
    };
    view! {
        <Field id label=hint.label.clone() optional=!adds && optional(draft, &hint) hint=hint.help error>
            <select
                class="select" id=own.clone() name=plain::field(&hint.pointer)
                disabled=move || draft.locked.get()
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                on:change=move |event| {
                    let id = event_target_value(&event);
                    if !id.is_empty() {
                        on_change.run(id);
                    }
                }
            >
                {rows}
            </select>
        </Field>
    }
}

/// Puts the article before a label, such as `an ad unit`.
pub(super) fn with_article(label: &str) -> String {
    let label = label.to_lowercase();
    let article = if label.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {label}")
}

fn read_only(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = hint.pointer.clone();
    let id = draft.id(&hint.pointer);
    let label = hint.label.clone();
    let own = id.clone();
    let shown = move || {
        let text = draft.args.with(|args| {
            args.pointer(&pointer).map_or_else(|| crate::ui::format::MISSING.to_owned(), adagent_contract::plain)
        });
        match draft.name_of(&hint, &text) {
            Some(name) => format!("{name} ({text})"),
            None => text,
        }
    };
    view! {
        <Field id label>
            <output id=own class="mono" style="overflow-wrap:anywhere">{shown}</output>
        </Field>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micros_are_shown_as_they_would_be_typed() {
        assert_eq!(amount("14500000"), "14.50");
        assert_eq!(amount("1234567890000"), "1234567.89");
        assert_eq!(amount("10500"), "0.0105");
        assert_eq!(amount(""), "");
    }
}
