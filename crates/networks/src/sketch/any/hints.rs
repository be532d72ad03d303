//! How the form of an approval is drawn: what is given or must be given, entities by name where the network takes their ids as
//! text. What the operation is about is shown and cannot be edited. Pure.

use std::collections::BTreeMap;

use adagent_contract::{EntityItem, EntityKind, EntityOption, FieldHint, UiHints, Widget};
use serde_json::Value as Json;

use super::{
    Scene,
    parts::{self, Act},
    preview,
};
use crate::{
    ToolInfo,
    catalogue::escape,
    normalise::{human, platform_name},
    sketch::{scene::plural_of, words_of},
};

pub fn hints(scene: &Scene<'_>) -> UiHints {
    let mut fields = Vec::new();
    walk(scene, &scene.tool.input_schema, Some(scene.args), "", &mut fields);
    // Names first, then the rest as the network orders it; ids and masks last.
    fields.sort_by_key(|hint: &FieldHint| match hint.widget {
        Widget::ReadOnly => 2,
        _ if scene.parts.iter().any(|part| part.name.is_some() && names(hint, part.name.as_deref(), scene.args)) => 0,
        _ => 1,
    });
    let confirm_text = scene.tool.destructive.then(|| confirm(scene));
    UiHints { options: options(scene, &fields), fields, confirm_text, goes_to: None }
}

fn names(hint: &FieldHint, name: Option<&str>, args: &Json) -> bool {
    args.pointer(&hint.pointer).and_then(Json::as_str) == name
}

/// What is typed to confirm: the one name, or how many things there are.
fn confirm(scene: &Scene<'_>) -> String {
    match (scene.parts.len(), scene.kind) {
        (0 | 1, _) => scene.parts.first().map_or_else(|| scene.tool.title.clone(), |_| scene.target(0)),
        (count, Some(kind)) => plural_of(count, kind),
        (count, None) => count.to_string(),
    }
}

/// Kinds that a form lets choose.
pub fn chosen(tool: &ToolInfo, args: &Json, act: Act) -> Vec<EntityKind> {
    let mut kinds = Vec::new();
    for (path, kind) in &tool.entity_params {
        let plain = path.replace('.', "/");
        let pointer = format!("/{}", plain.trim_end_matches("[]"));
        let schema = schema_at(&tool.input_schema, &pointer);
        let free = act == Act::Create && path.starts_with("body.") && !plain.trim_end_matches("[]").contains("[]");
        let text = schema.is_some_and(|schema| schema["type"] == "string");
        if free && text && args.pointer(&pointer).is_some() && *kind != EntityKind::Account && !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}

fn schema_at<'s>(schema: &'s Json, pointer: &str) -> Option<&'s Json> {
    pointer.split('/').skip(1).try_fold(schema, |schema, name| schema["properties"].get(name))
}

fn walk(scene: &Scene<'_>, schema: &Json, given: Option<&Json>, pointer: &str, out: &mut Vec<FieldHint>) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{pointer}/{}", escape(name));
        let value = given.and_then(|given| given.get(name));
        let must = required.contains(&name.as_str());
        let fixed = field["properties"].is_object();
        // Google's objects have hundreds of fields: only what is said or must be said is drawn.
        if value.is_none() && !must {
            continue;
        }
        if fixed {
            let first = out.len();
            walk(scene, field, value, &at, out);
            // A date or an amount: its parts say little without whose they are.
            if value.is_some_and(is_value) {
                for part in &mut out[first..] {
                    part.label = format!("{}: {}", words_of(name), part.label.to_lowercase());
                }
            }
        } else {
            out.push(hint(scene, name, field, at, must));
        }
    }
}

fn is_value(value: &Json) -> bool {
    value.as_object().is_some_and(super::words::is_one)
}

fn hint(scene: &Scene<'_>, name: &str, field: &Json, pointer: String, required: bool) -> FieldHint {
    let kind = scene.kind_at(&pointer);
    let editable = kind.is_some_and(|kind| chosen(scene.tool, scene.args, scene.act).contains(&kind));
    let choices: Vec<(String, String)> = field["enum"]
        .as_array()
        .or_else(|| field["items"]["enum"].as_array())
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .map(|wire| (wire.to_owned(), human(wire)))
        .collect();
    let text_enum = !choices.is_empty();
    let outside = !pointer.starts_with("/body");
    let about =
        kind.is_some() && preview::is_identity(scene, pointer.strip_prefix("/body").unwrap_or_default(), "/body");
    let widget = match kind {
        _ if name == "updateMask" => Widget::ReadOnly,
        Some(_) if outside || about || !editable || pointer.contains("/requests") => Widget::ReadOnly,
        Some(_) => Widget::Entity,
        None if outside && parts::act(scene.tool) != Act::Create => Widget::ReadOnly,
        None if field["type"] == "array" && text_enum => Widget::MultiSelect,
        None if field["type"] == "string" && text_enum => Widget::Select,
        // Rows are of plain values; several things at once are shown, and proposed anew to be changed.
        None if field["type"] == "array" && field["items"]["type"] == "object" => Widget::ReadOnly,
        None if field["type"] == "array" => Widget::Rows,
        // Whatever keys the network takes: shown, and proposed anew to be changed.
        None if field["type"] == "object" => Widget::ReadOnly,
        None if field["type"] == "integer" || field["type"] == "number" || field["format"] == "int64" => Widget::Number,
        None if field["type"] == "boolean" => Widget::Checkbox,
        None => Widget::Text,
    };
    let options = kind.map(|kind| kind.as_str().to_owned());
    let help = field["description"].as_str().filter(|text| kind.is_none() && text.split_whitespace().count() > 2);
    FieldHint {
        label: kind
            .filter(|_| widget != Widget::ReadOnly || !outside)
            .map_or_else(|| words_of(name), |kind| capital(kind.label())),
        help: help.map(str::to_owned),
        max_length: field["maxLength"].as_u64(),
        pointer,
        widget,
        options,
        parent: None,
        choices: if matches!(widget, Widget::Select | Widget::MultiSelect) { choices } else { Vec::new() },
        required,
    }
}

fn capital(text: &str) -> String {
    text.get(..1).map(|first| first.to_uppercase() + &text[1..]).unwrap_or_default()
}

/// The choices of every kind a field is of, with ids in the form the fields take.
fn options(scene: &Scene<'_>, fields: &[FieldHint]) -> BTreeMap<String, Vec<EntityOption>> {
    let mut all: BTreeMap<String, Vec<EntityOption>> = BTreeMap::new();
    for field in fields {
        let Some(key) = &field.options else { continue };
        let Some(kind) = EntityKind::parse(key) else { continue };
        let value = scene.args.pointer(&field.pointer);
        let values: Vec<&Json> = match value {
            Some(Json::Array(items)) => items.iter().collect(),
            Some(value) => vec![value],
            None => Vec::new(),
        };
        let resource = scene.facts.of_kind(kind).and_then(|entity| entity.resource_name.as_deref());
        let whole = values.iter().any(|value| value.as_str().is_some_and(|text| text.contains('/')));
        let known = scene.named.iter().chain(scene.choices.iter().filter(|_| field.widget == Widget::Entity));
        let list = all.entry(key.clone()).or_default();
        for item in known.filter(|item| item.kind == kind) {
            let id = match resource.filter(|_| whole) {
                Some(template) => named(template, item),
                None => item.id.clone(),
            };
            if !list.iter().any(|option| option.id == id) {
                list.push(option(item, id));
            }
        }
    }
    all
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
