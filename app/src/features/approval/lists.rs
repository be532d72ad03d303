//! Fields that hold several values: checkboxes, entity lists, rows.

use adagent_contract::FieldHint;
use adagent_domain::Source;
use leptos::prelude::*;
use serde_json::Value as Json;

use super::{
    args,
    draft::Draft,
    fields::PlainEntity,
    plain::{self, Act},
};
use crate::ui::{
    Button, ButtonKind, ButtonSize, Checkbox, EntitySelect, Glyph, Icon, IconButton, SourceMark, Tri, listbox::short_id,
};

fn put_strings(draft: Draft, pointer: &str, items: Vec<String>) {
    draft.put(pointer, Some(Json::Array(items.into_iter().map(Json::String).collect())));
}

fn strings(draft: Draft, pointer: &str) -> Memo<Vec<String>> {
    let pointer = pointer.to_owned();
    Memo::new(move |_| draft.args.with(|args| args::strings(args, &pointer)))
}

pub(super) fn error_line(error: Signal<Option<String>>) -> impl IntoView {
    move || {
        error.get().map(|text| {
            view! {
                <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert small=true/>{text}</p>
            }
        })
    }
}

/// Tells the server that the field was on the page, because unchecked and empty fields send nothing.
#[component]
fn Drawn(pointer: String) -> impl IntoView {
    view! { <input type="hidden" name=plain::DRAWN value=pointer/> }
}

pub fn checkbox(draft: Draft, hint: FieldHint) -> AnyView {
    let (pointer, shown) = (hint.pointer.clone(), hint.pointer.clone());
    let state = Signal::derive(move || {
        let on = draft.args.with(|args| args.pointer(&shown).and_then(Json::as_bool)).unwrap_or(false);
        if on { Tri::On } else { Tri::Off }
    });
    view! {
        <div class="field">
            <Drawn pointer=hint.pointer.clone()/>
            <Checkbox
                state
                name=plain::field(&hint.pointer)
                label=hint.label
                on_change=Callback::new(move |on| draft.put(&pointer, Some(Json::Bool(on))))
                disabled=draft.locked
            />
            {error_line(draft.error(&hint.pointer))}
            {hint.help.map(|help| view! { <p class="hint">{help}</p> })}
        </div>
    }
    .into_any()
}

pub fn multi_select(draft: Draft, hint: FieldHint) -> AnyView {
    let chosen = strings(draft, &hint.pointer);
    let boxes = draft
        .choices(&hint)
        .into_iter()
        .map(|(value, label)| {
            let pointer = hint.pointer.clone();
            let name = plain::one_of(&pointer, &value);
            let wanted = value.clone();
            let state =
                Signal::derive(move || if chosen.with(|all| all.contains(&wanted)) { Tri::On } else { Tri::Off });
            let turn = move |on: bool| {
                let mut all = chosen.get_untracked();
                all.retain(|other| *other != value);
                if on {
                    all.push(value.clone());
                }
                put_strings(draft, &pointer, all);
            };
            view! { <Checkbox state name label on_change=Callback::new(turn) disabled=draft.locked/> }
        })
        .collect_view();
    view! {
        <fieldset class="field full">
            <legend class="label">{hint.label}</legend>
            <Drawn pointer=hint.pointer.clone()/>
            <div class="row wrap" style="gap:4px 16px">{boxes}</div>
            {error_line(draft.error(&hint.pointer))}
            {hint.help.map(|help| view! { <p class="hint">{help}</p> })}
        </fieldset>
    }
    .into_any()
}

/// Shows the chosen entities as rows with a remove button, and a select that adds one.
pub fn entity_list(draft: Draft, hint: FieldHint) -> AnyView {
    let chosen = strings(draft, &hint.pointer);
    let pointer = StoredValue::new(hint.pointer.clone());
    let all = draft.live_options(&hint);
    // Do not offer what is already in the list.
    let offered = Signal::derive(move || {
        let chosen = chosen.get();
        all.with(|all| all.iter().filter(|option| !chosen.contains(&option.id)).cloned().collect::<Vec<_>>())
    });
    let named = StoredValue::new(hint.clone());
    let row = move |id: String| {
        let option = named.with_value(|hint| draft.known(hint, &id));
        let name = option.as_ref().map_or_else(|| id.clone(), |option| option.name.clone());
        let source = option.and_then(|option| option.network).map_or(draft.source, Source::Network);
        let label = format!("Remove {name}");
        let gone = id.clone();
        // Without JavaScript, the person unchecks a box to remove the row.
        let kept = draft.plain.then(|| {
            let field = pointer.with_value(|pointer| plain::field(pointer));
            view! { <input type="checkbox" name=field value=id.clone() checked=true aria-label=format!("Keep {name}") class="plain-only"/> }
        });
        view! {
            <li class="row" style="min-height:32px">
                {kept}
                <SourceMark source size="small"/>
                <span class="truncate">{name}</span>
                <span class="mono faint truncate">{short_id(&id).to_owned()}</span>
                <IconButton
                    glyph=Glyph::X
                    label
                    class="push"
                    disabled=draft.locked
                    on:click=move |_| {
                        let kept = chosen.get_untracked().into_iter().filter(|other| *other != gone).collect();
                        pointer.with_value(|pointer| put_strings(draft, pointer, kept));
                    }
                />
            </li>
        }
    };
    let add = Callback::new(move |id: String| {
        let mut all = chosen.get_untracked();
        if !all.contains(&id) {
            all.push(id);
        }
        pointer.with_value(|pointer| put_strings(draft, pointer, all));
    });
    if draft.plain {
        return view! {
            <div class="field full">
                <Drawn pointer=hint.pointer.clone()/>
                <PlainEntity draft hint value=Signal::stored(String::new()) on_change=add adds=true/>
                <ul><For each=move || chosen.get() key=String::clone children=row/></ul>
            </div>
        }
        .into_any();
    }
    view! {
        <div class="field full">
            <EntitySelect
                id=draft.id(&hint.pointer)
                label=hint.label.clone()
                options=offered
                parent=draft.parent(&hint)
                parent_label=draft.parent_label(&hint)
                value=Signal::stored(None::<String>)
                placeholder="Add another"
                on_change=add
                source=draft.source
                error=draft.error(&hint.pointer)
                hint=hint.help
                disabled=draft.locked
            />
            <ul><For each=move || chosen.get() key=String::clone children=row/></ul>
        </div>
    }
    .into_any()
}

/// Shows rows of text to add, change and remove.
pub fn rows(draft: Draft, hint: FieldHint) -> AnyView {
    let pointer = StoredValue::new(hint.pointer.clone());
    let label = StoredValue::new(hint.label.clone());
    let count = Memo::new(move |_| pointer.with_value(|p| draft.args.with(|args| args::strings(args, p).len())));
    let row = move |at: usize| {
        let own = format!("{}/{at}", pointer.get_value());
        let (typed, value, gone) = (own.clone(), draft.text(&own), own.clone());
        let name = format!("{} {}", label.get_value(), at + 1);
        let error = draft.error(&own);
        view! {
            <li class="row">
                <input
                    class="input"
                    id=draft.id(&own)
                    name=pointer.with_value(|pointer| plain::field(pointer))
                    aria-label=name.clone()
                    prop:value=move || value.get()
                    value=value.get_untracked()
                    aria-invalid=move || error.get().is_some().then_some("true")
                    disabled=move || draft.locked.get()
                    on:input=move |event| draft.put(&typed, Some(Json::String(event_target_value(&event))))
                />
                <IconButton
                    glyph=Glyph::X
                    label=format!("Remove {name}")
                    sends=draft.sends(&Act::Remove(gone.clone()))
                    disabled=draft.locked
                    on:click=move |_| draft.put(&gone, None)
                />
            </li>
            {error_line(error)}
        }
    };
    view! {
        <fieldset class="field full">
            <legend class="label">{hint.label}</legend>
            <Drawn pointer=hint.pointer.clone()/>
            <ol class="stack" style="gap:6px">{move || (0..count.get()).map(row).collect_view()}</ol>
            {error_line(draft.error(&hint.pointer))}
            <div>
                <Button
                    kind=ButtonKind::Ghost
                    size=ButtonSize::Small
                    icon=Glyph::Plus
                    sends=draft.sends(&Act::Add(hint.pointer.clone()))
                    disabled=draft.locked
                    on:click=move |_| {
                        let mut all = pointer.with_value(|p| draft.args.with_untracked(|args| args::strings(args, p)));
                        all.push(String::new());
                        let at = all.len() - 1;
                        pointer.with_value(|p| put_strings(draft, p, all));
                        crate::platform::focus(&draft.id(&format!("{}/{at}", pointer.get_value())));
                    }
                >
                    "Add row"
                </Button>
            </div>
            {hint.help.map(|help| view! { <p class="hint">{help}</p> })}
        </fieldset>
    }
    .into_any()
}
