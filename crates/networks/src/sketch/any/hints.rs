//! Describes the form of an approval: the fields that are given or required, with names for entities whose IDs the network takes as text.
//! The entity that the operation is about is shown but cannot be edited. This module is pure.

use adagent_tools::schema::escape;
use std::collections::BTreeMap;

use adagent_contract::{EntityItem, EntityKind, EntityOption, FieldHint, UiHints, Widget};
use adagent_domain::Cut as _;
use serde_json::Value as Json;

use super::{
    Scene,
    parts::{self, Act},
    preview,
};
use crate::{
    grounding::parent_kind,
    normalise::{human, platform_name},
    paths,
    sketch::{hints::is_helpful, lowered, scene::plural_of, words_of},
};
use adagent_tools::ToolInfo;

pub fn hints(scene: &Scene<'_>) -> UiHints {
    let mut fields = Vec::new();
    walk(scene, &scene.tool.input_schema, Some(scene.args), "", &mut fields);
    // Names first, then the other fields in the network's order, and read-only fields last.
    fields.sort_by_key(|hint: &FieldHint| match hint.widget {
        Widget::ReadOnly => 2,
        _ if scene.parts.iter().any(|part| part.name.is_some() && names(hint, part.name.as_deref(), scene.args)) => 0,
        _ => 1,
    });
    let confirm_text = scene.tool.destructive.then(|| confirm(scene));
    UiHints { options: options(scene, &fields), fields, confirm_text, goes_to: None, place: None }
}

fn names(hint: &FieldHint, name: Option<&str>, args: &Json) -> bool {
    args.pointer(&hint.pointer).and_then(Json::as_str) == name
}

/// Returns the text to type as a confirmation: the name of the only entity, or how many there are.
fn confirm(scene: &Scene<'_>) -> String {
    match (scene.parts.len(), scene.kind) {
        (0 | 1, _) => scene.parts.first().map_or_else(|| scene.tool.title.clone(), |_| scene.target(0)),
        (count, Some(kind)) => plural_of(count, kind),
        (count, None) => count.to_string(),
    }
}

/// Returns the kinds that the form offers choices for: those in the arguments, except the entity that the operation is about.
pub fn chosen(tool: &ToolInfo, args: &Json, act: Act, own: Option<EntityKind>) -> Vec<EntityKind> {
    let mut kinds = Vec::new();
    for (path, kind) in &tool.entity_params {
        let about = act != Act::Create && Some(*kind) == own;
        let free = path.starts_with("body") && matches!(act, Act::Create | Act::Update) && !about;
        let there = free && !paths::ids(args, path).is_empty();
        if there && *kind != EntityKind::Account && !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}

fn walk(scene: &Scene<'_>, schema: &Json, given: Option<&Json>, pointer: &str, out: &mut Vec<FieldHint>) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{pointer}/{}", escape(name));
        let value = given.and_then(|given| given.get(name));
        let must = required.contains(&name.as_str());
        let fixed = field["properties"].is_object();
        // Google's objects have hundreds of fields, so draw only those that are given or required.
        if value.is_none() && !must {
            continue;
        }
        if fixed {
            let first = out.len();
            walk(scene, field, value, &at, out);
            // In a date or an amount, the labels of the parts say little without the name of the field.
            if value.is_some_and(is_value) {
                for part in &mut out[first..] {
                    part.label = format!("{}: {}", words_of(name), lowered(&part.label));
                }
            }
        } else {
            let values: Vec<&Json> = value.into_iter().collect();
            out.push(field_of(scene, name, field, &at, must, &values));
        }
    }
}

fn is_value(value: &Json) -> bool {
    value.as_object().is_some_and(super::words::is_one)
}

/// Describes a field, with the fields of its rows if it has rows. `values` are its current values.
fn field_of(scene: &Scene<'_>, name: &str, field: &Json, at: &str, required: bool, values: &[&Json]) -> FieldHint {
    let mut hint = hint(scene, name, field, at.to_owned(), required);
    let (schema, row, inner): (&Json, String, Vec<&Json>) = match hint.widget {
        Widget::Objects => {
            let items = values.iter().filter_map(|value| value.as_array()).flatten().collect();
            (&field["items"], format!("{at}/0"), items)
        }
        Widget::Entries => {
            let parts = values.iter().filter_map(|value| value.as_object()).flat_map(|map| map.values()).collect();
            (&field["additionalProperties"], format!("{at}/*"), parts)
        }
        _ => return hint,
    };
    hint.fields = row_fields(scene, schema, &row, &inner);
    // For an update or a removal, the person asked for these entities. Rows for other entities would be a different request.
    hint.fixed = scene.act != Act::Create
        && hint.fields.iter().any(|inner| inner.widget == Widget::ReadOnly && inner.options.is_some());
    hint
}

/// A row with at most this many fields offers its optional fields too. A larger one shows only those that are given or required.
const SMALL: usize = 14;

/// Describes the fields of a row, with pointers that start at the row.
fn row_fields(scene: &Scene<'_>, schema: &Json, row: &str, values: &[&Json]) -> Vec<FieldHint> {
    let mut out = Vec::new();
    if schema["properties"].is_object() {
        parts_of_row(scene, schema, row, row, "", values, &mut out);
    } else {
        let name = row.rsplit('/').find(|part| *part != "*" && part.parse::<usize>().is_err()).unwrap_or_default();
        let mut whole = field_of(scene, name, schema, row, true, values);
        whole.pointer = String::new();
        out.push(whole);
    }
    out
}

fn parts_of_row(
    scene: &Scene<'_>,
    schema: &Json,
    row: &str,
    at: &str,
    prefix: &str,
    values: &[&Json],
    out: &mut Vec<FieldHint>,
) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, field) in properties {
        let place = format!("{at}/{}", escape(name));
        let inner: Vec<&Json> = values.iter().filter_map(|value| value.get(name)).collect();
        let must = required.contains(&name.as_str());
        let offered = properties.len() <= SMALL && is_plain(field);
        if inner.is_empty() && !must && !offered {
            continue;
        }
        if field["properties"].is_object() {
            let prefix = format!("{prefix}{}: ", words_of(name));
            parts_of_row(scene, field, row, &place, &prefix, &inner, out);
            continue;
        }
        let mut part = field_of(scene, name, field, &place, must, &inner);
        // Nobody can fill in an ID without choices.
        if part.widget == Widget::ReadOnly && inner.is_empty() {
            continue;
        }
        if !prefix.is_empty() {
            part.label = format!("{prefix}{}", lowered(&part.label));
        }
        place.cut(row.len()..).clone_into(&mut part.pointer);
        out.push(part);
    }
}

/// Checks whether a field is a value, a list of values, or a small object or row of those.
fn is_plain(field: &Json) -> bool {
    let scalar = |field: &Json| {
        let list = field["type"] == "array" && !field["items"]["properties"].is_object();
        list || !matches!(field["type"].as_str(), Some("array" | "object"))
    };
    let inner = if field["type"] == "array" { &field["items"] } else { field };
    match inner["properties"].as_object() {
        Some(parts) => parts.len() <= SMALL && parts.values().all(scalar),
        None => scalar(field),
    }
}

fn hint(scene: &Scene<'_>, name: &str, field: &Json, pointer: String, required: bool) -> FieldHint {
    let kind = scene.kind_at(&pointer);
    let editable = kind.is_some_and(|kind| chosen(scene.tool, scene.args, scene.act, scene.kind).contains(&kind));
    let choices: Vec<(String, String)> = field["enum"]
        .as_array()
        .or_else(|| field["items"]["enum"].as_array())
        .into_iter()
        .flatten()
        .filter(|wire| wire.is_string() || wire.is_number())
        .map(|wire| {
            let wire = wire.as_str().map_or_else(|| wire.to_string(), str::to_owned);
            let label = scene.choice_words(&pointer, &wire);
            (wire, label)
        })
        .collect();
    let listed = !choices.is_empty();
    let outside = !pointer.starts_with("/body");
    let part = scene.parts.iter().map(|part| part.pointer.as_str()).find(|part| pointer.starts_with(part));
    let (of, inside) = part.map_or(("/body", ""), |part| (part, pointer.cut(part.len()..)));
    let about = kind.is_some() && preview::is_identity(scene, inside, of);
    let widget = match kind {
        _ if name == "updateMask" => Widget::ReadOnly,
        Some(_) if outside || about || !editable => Widget::ReadOnly,
        Some(_) => Widget::Entity,
        None if outside && parts::act(scene.tool) != Act::Create => Widget::ReadOnly,
        None if field["type"] == "array" && listed && field["items"]["type"] == "string" => Widget::MultiSelect,
        None if listed && field["type"] != "array" => Widget::Select,
        None if field["type"] == "array" && field["items"]["type"] == "object" => Widget::Objects,
        None if field["type"] == "array" => Widget::Rows,
        None if field["type"] == "object" && field["additionalProperties"].is_object() => Widget::Entries,
        // The object takes no fields, so there is nothing to edit; show only that it is present.
        None if field["type"] == "object" => Widget::ReadOnly,
        None if field["type"] == "integer" || field["type"] == "number" || field["format"] == "int64" => Widget::Number,
        None if field["type"] == "boolean" => Widget::Checkbox,
        None => Widget::Text,
    };
    let options = kind.map(|kind| kind.as_str().to_owned());
    let label = match kind.filter(|_| about) {
        Some(kind) => capital(kind.label()),
        None => scene.role(name, &pointer).unwrap_or_else(|| words_of(name)),
    };
    FieldHint {
        currency: scene.currency_at(&pointer),
        help: field["description"]
            .as_str()
            .filter(|text| kind.is_none() && (is_helpful(text, &label) || text.contains("US dollars")))
            .map(str::to_owned),
        label: if pointer == "/body" { scene.kind.map_or(label, |kind| capital(kind.label())) } else { label },
        max_length: field["maxLength"].as_u64(),
        parent: kind.filter(|_| widget == Widget::Entity).and_then(|kind| parent(scene, kind)),
        pointer,
        widget,
        options,
        choices: if matches!(widget, Widget::Select | Widget::MultiSelect) { choices } else { Vec::new() },
        required,
        ..FieldHint::default()
    }
}

/// Returns the field that holds the parent of this kind, if the form has it once. Its value narrows the choices.
fn parent(scene: &Scene<'_>, kind: EntityKind) -> Option<String> {
    let above = parent_kind(scene.facts, kind)?;
    let (path, _) = scene.tool.entity_params.iter().find(|(path, of)| *of == above && !path.contains("[]"))?;
    Some(format!("/{}", path.replace('.', "/")))
}

fn capital(text: &str) -> String {
    text.get(..1).map(|first| first.to_uppercase() + text.cut(1..)).unwrap_or_default()
}

/// Collects the choices for every kind in the fields, with IDs in the form that the fields take.
fn options(scene: &Scene<'_>, fields: &[FieldHint]) -> BTreeMap<String, Vec<EntityOption>> {
    let mut all: BTreeMap<String, Vec<EntityOption>> = BTreeMap::new();
    for field in fields {
        for (key, list) in options(scene, &field.fields) {
            merge(all.entry(key).or_default(), list);
        }
        let Some(key) = &field.options else { continue };
        let Some(kind) = EntityKind::parse(key) else { continue };
        let values = scene.tool.entity_params.iter().filter(|(_, of)| *of == kind);
        let mut values = values.flat_map(|(path, _)| paths::ids(scene.args, path));
        let resource = scene.facts.of_kind(kind).and_then(|entity| entity.resource_name.as_deref());
        // The path takes the account's ID, the body its full resource name, and a person never chooses it.
        let own = scene.args.pointer(&field.pointer).filter(|_| kind == EntityKind::Account).and_then(Json::as_str);
        let whole = own.map_or_else(|| values.any(|(_, value)| value.contains('/')), |own| own.contains('/'));
        let known = scene.named.iter().chain(scene.choices.iter().filter(|_| field.widget == Widget::Entity));
        let above = field.parent.as_deref().and_then(|pointer| scene.args.pointer(pointer)).and_then(Json::as_str);
        let of_kind = known.filter(|item| item.kind == kind).map(|item| {
            let id = match resource.filter(|_| whole) {
                Some(template) => named(template, item),
                None => item.id.clone(),
            };
            // Write the parent in the form that the field for it uses.
            let parent = item.parent.as_deref().zip(above).map(|(parent, above)| match above.rsplit_once('/') {
                Some((before, _)) => format!("{before}/{parent}"),
                None => parent.to_owned(),
            });
            EntityOption { parent, ..option(item, id) }
        });
        merge(all.entry(key.clone()).or_default(), of_kind.collect());
    }
    all
}

fn merge(list: &mut Vec<EntityOption>, more: Vec<EntityOption>) {
    for option in more {
        if !list.iter().any(|known| known.id == option.id) {
            list.push(option);
        }
    }
}

fn named(template: &str, item: &EntityItem) -> String {
    let account = item.account.as_deref().unwrap_or_default();
    template.replace("{network_code}", account).replace("{id}", &item.id)
}

fn option(item: &EntityItem, id: String) -> EntityOption {
    let platform = item.platform.as_deref().and_then(platform_name).map(str::to_owned);
    let format = item.format.as_deref().map(|format| human(&format.to_uppercase()));
    let detail: Vec<String> = [platform, format].into_iter().flatten().collect();
    EntityOption {
        id,
        name: item.name.clone(),
        parent: None,
        detail: (!detail.is_empty()).then(|| detail.join(" · ")),
        network: Some(item.network),
    }
}
