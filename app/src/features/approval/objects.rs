//! Lists of objects, and maps with their own keys: rows to add, remove and reorder, each with the fields that its hint names.
//!
//! Rows are drawn again when one comes, goes or moves. Typed text is not lost, because it is part of the arguments.

use adagent_contract::{FieldHint, Widget};
use leptos::prelude::*;
use serde_json::{Map, Value as Json};

use super::{
    args,
    draft::Draft,
    fields::field,
    lists::error_line,
    plain::{self, Act},
};
use crate::ui::{Button, ButtonKind, ButtonSize, Glyph, IconButton};

/// Returns the keys of the rows: numbers for a list, names for a map.
pub(super) fn keys(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::Array(items)) => (0..items.len()).map(|at| at.to_string()).collect(),
        Some(Json::Object(map)) => map.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Returns a new row: the fields that say where it belongs copy the other rows; the rest is empty.
pub(super) fn fresh_row(hint: &FieldHint, first: Option<&Json>) -> Json {
    if let [only] = hint.fields.as_slice()
        && only.pointer.is_empty()
    {
        return match only.widget {
            Widget::Entries => Json::Object(Map::new()),
            Widget::Objects | Widget::Rows => Json::Array(Vec::new()),
            _ => Json::Null,
        };
    }
    let mut row = Json::Object(Map::new());
    for field in hint.fields.iter().filter(|field| field.widget == Widget::ReadOnly) {
        if let Some(value) = first.and_then(|first| first.pointer(&field.pointer)) {
            args::put(&mut row, &field.pointer, Some(value.clone()));
        }
    }
    row
}

/// Returns the rows with one of them moved one place up or down.
pub(super) fn moved(items: &[Json], at: usize, up: bool) -> Vec<Json> {
    let mut items = items.to_vec();
    let other = if up { at.checked_sub(1) } else { Some(at + 1) };
    if let Some(other) = other.filter(|other| *other < items.len() && at < items.len()) {
        items.swap(at, other);
    }
    items
}

/// Turns `Ad units` into `ad unit`, for texts about one row.
fn singular(label: &str) -> String {
    let label = label.to_lowercase();
    match label.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => label.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(&label).to_owned(),
    }
}

/// Shows a list of objects.
pub fn objects(draft: Draft, hint: FieldHint) -> AnyView {
    let hint = StoredValue::new(hint);
    let pointer = hint.with_value(|hint| hint.pointer.clone());
    let (label, fixed) = hint.with_value(|hint| (hint.label.clone(), hint.fixed));
    let one = singular(&label);
    // Counts moves, because the fields of a row read their place only once and must be drawn again.
    let turned = RwSignal::new(0_u32);
    let count = {
        let pointer = pointer.clone();
        Memo::new(move |_| draft.args.with(|args| args.pointer(&pointer).and_then(Json::as_array).map_or(0, Vec::len)))
    };
    let items = {
        let pointer = pointer.clone();
        move || {
            draft
                .args
                .with_untracked(|args| args.pointer(&pointer).and_then(Json::as_array).cloned().unwrap_or_default())
        }
    };
    let items = StoredValue::new(items);
    let put = {
        let pointer = pointer.clone();
        move |list: Vec<Json>| {
            draft.forget_typed(&pointer);
            draft.put(&pointer, Some(Json::Array(list)));
            turned.update(|turned| *turned += 1);
        }
    };
    let put = StoredValue::new(put);
    let row = {
        let (pointer, one) = (pointer.clone(), one.clone());
        move |at: usize| {
            let name = format!("{one} {}", at + 1);
            let own = format!("{pointer}/{at}");
            let parts = hint.with_value(|hint| hint.of_row(&at.to_string()));
            let step = move |up: bool| {
                let list = items.with_value(|items| moved(&items(), at, up));
                put.with_value(|put| put(list));
            };
            let remove = move |_| {
                let mut list = items.with_value(|items| items());
                list.remove(at);
                put.with_value(|put| put(list));
            };
            view! {
                <li class="object-row">
                    <div class="row between">
                        <b>{capital(&name)}</b>
                        <span class="row" style="gap:0">
                            {(at > 0).then(|| view! {
                                <IconButton glyph=Glyph::ArrowUp label=format!("Move {name} up") sends=draft.sends(&Act::Up(own.clone())) disabled=draft.locked on:click=move |_| step(true)/>
                            })}
                            {(at + 1 < count.get_untracked()).then(|| view! {
                                <IconButton glyph=Glyph::ArrowDown label=format!("Move {name} down") sends=draft.sends(&Act::Down(own.clone())) disabled=draft.locked on:click=move |_| step(false)/>
                            })}
                            <IconButton glyph=Glyph::X label=format!("Remove {name}") sends=draft.sends(&Act::Remove(own.clone())) disabled=draft.locked on:click=remove/>
                        </span>
                    </div>
                    {error_line(draft.error_at(&own))}
                    <div class="form-grid">{parts.into_iter().map(|part| field(draft, part)).collect_view()}</div>
                </li>
            }
        }
    };
    let add = move |_| {
        let mut list = items.with_value(|items| items());
        let fresh = hint.with_value(|hint| fresh_row(hint, list.first()));
        list.push(fresh);
        put.with_value(|put| put(list));
    };
    let help = hint.with_value(|hint| hint.help.clone());
    let error = draft.error_at(&pointer);
    view! {
        <fieldset class="field full objects">
            <legend class="label">{label}</legend>
            <ol class="stack">
                {move || {
                    turned.track();
                    (0..count.get()).map(&row).collect_view()
                }}
            </ol>
            {error_line(error)}
            {(!fixed).then(|| view! {
                <div>
                    <Button
                        kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::Plus
                        sends=draft.sends(&Act::Add(pointer.clone())) disabled=draft.locked on:click=add
                    >
                        {format!("Add {one}")}
                    </Button>
                </div>
            })}
            {help.map(|help| view! { <p class="hint">{help}</p> })}
        </fieldset>
    }
    .into_any()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Shows a map: each row has its key, and a new row asks for its key first.
pub fn entries(draft: Draft, hint: FieldHint) -> AnyView {
    let hint = StoredValue::new(hint);
    let pointer = hint.with_value(|hint| hint.pointer.clone());
    let label = hint.with_value(|hint| hint.label.clone());
    let names = {
        let pointer = pointer.clone();
        Memo::new(move |_| draft.args.with(|args| keys(args.pointer(&pointer))))
    };
    let new_key = RwSignal::new(String::new());
    let new_id = format!("{}-key", draft.id(&pointer));
    let place = StoredValue::new(pointer.clone());
    let row = move |key: String| {
        let own = format!("{}/{}", place.get_value(), args::escape(&key));
        let parts = hint.with_value(|hint| hint.of_row(&key));
        // The key is the label of a row with a single value.
        let parts = parts
            .into_iter()
            .map(|part| if part.pointer == own { FieldHint { label: key.clone(), ..part } } else { part });
        let gone = own.clone();
        let lone = hint.with_value(|hint| hint.fields.len() == 1 && hint.fields[0].pointer.is_empty());
        view! {
            <li class="object-row">
                <div class="row between">
                    {(!lone).then(|| view! { <b>{key.clone()}</b> })}
                    <IconButton
                        glyph=Glyph::X label=format!("Remove {key}") class="push"
                        sends=draft.sends(&Act::Remove(own.clone())) disabled=draft.locked
                        on:click=move |_| {
                            draft.forget_typed(&gone);
                            draft.put(&gone, None);
                        }
                    />
                </div>
                <div class="form-grid">{parts.map(|part| field(draft, part)).collect_view()}</div>
            </li>
        }
    };
    let add = move |()| {
        let key = new_key.get_untracked().trim().to_owned();
        let known = names.with_untracked(|names| names.contains(&key));
        if key.is_empty() || known {
            return;
        }
        let fresh = hint.with_value(|hint| fresh_row(hint, None));
        draft.put(&format!("{}/{}", place.get_value(), args::escape(&key)), Some(fresh));
        new_key.set(String::new());
    };
    let help = hint.with_value(|hint| hint.help.clone());
    let key_label = format!("New entry in {}", label.to_lowercase());
    view! {
        <fieldset class="field full objects">
            <legend class="label">{label}</legend>
            <ol class="stack"><For each=move || names.get() key=String::clone children=row/></ol>
            {error_line(draft.error_at(&pointer))}
            <div class="row">
                <input
                    class="input" id=new_id name=plain::fresh(&pointer) aria-label=key_label placeholder="New entry" style="max-width:180px"
                    prop:value=move || new_key.get()
                    disabled=move || draft.locked.get()
                    on:input=move |event| new_key.set(event_target_value(&event))
                    on:keydown=move |event| {
                        if event.key() == "Enter" {
                            event.prevent_default();
                            add(());
                        }
                    }
                />
                <Button
                    kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::Plus
                    sends=draft.sends(&Act::Add(pointer.clone())) disabled=draft.locked on:click=move |_| add(())
                >
                    "Add"
                </Button>
            </div>
            {help.map(|help| view! { <p class="hint">{help}</p> })}
        </fieldset>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn part(pointer: &str, widget: Widget) -> FieldHint {
        FieldHint { pointer: pointer.into(), widget, ..FieldHint::default() }
    }

    #[test]
    fn a_new_row_belongs_where_the_others_do_and_is_empty() {
        let hint = FieldHint {
            fields: vec![part("/parent", Widget::ReadOnly), part("/adUnit/displayName", Widget::Text)],
            ..part("/body/requests", Widget::Objects)
        };
        let first = json!({"parent": "networks/1", "adUnit": {"displayName": "A"}});
        assert_eq!(fresh_row(&hint, Some(&first)), json!({"parent": "networks/1"}));
        let map = FieldHint { fields: vec![part("", Widget::Entries)], ..hint };
        assert_eq!(fresh_row(&map, None), json!({}));
    }

    #[test]
    fn rows_move_one_place_and_never_over_the_ends() {
        let items = [json!(1), json!(2), json!(3)];
        assert_eq!(moved(&items, 1, true), [json!(2), json!(1), json!(3)]);
        assert_eq!(moved(&items, 1, false), [json!(1), json!(3), json!(2)]);
        assert_eq!((moved(&items, 0, true), moved(&items, 2, false)), (items.to_vec(), items.to_vec()));
    }

    #[test]
    fn one_of_several_is_named_in_the_singular() {
        assert_eq!(singular("Ad units"), "ad unit");
        assert_eq!(singular("Entries"), "entry");
        assert_eq!(singular("Address"), "address");
    }
}
