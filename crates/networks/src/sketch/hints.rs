//! Describes the form of an approval: a hint for each schema field, and entity choices by name. This module is pure.

use adagent_tools::schema::escape;
use std::collections::BTreeMap;

use adagent_contract::{EntityItem, EntityKind, EntityOption, FieldHint, LINES, OnlyIf, UiHints, Widget, words};
use adagent_domain::Cut as _;
use serde_json::Value as Json;

use super::{scene::Scene, title::group_name};
use crate::{
    adapters::mask,
    normalise::{human, platform_name},
    paths,
};

pub fn hints(scene: &Scene<'_>) -> UiHints {
    let mut fields = Vec::new();
    walk(scene, &scene.tool.input_schema, "", "", &mut fields);
    // For an existing group, show only the fields that change: a list that starts empty would replace the current one.
    let changes = |pointer: &str| !pointer.starts_with("/body") || scene.args.pointer(pointer).is_some();
    fields.retain(|hint| scene.group.is_none() || scene.tool.name != mask::UPDATE || changes(&hint.pointer));
    fields.sort_by_key(|hint| order(&hint.pointer));
    UiHints {
        fields,
        options: options(scene),
        confirm_text: scene.is_destructive().then(|| group_name(scene)),
        goes_to: None,
        place: None,
    }
}

/// Returns the place of a field in the form: account, entity, name, place, format, then the other fields; masks last.
fn order(pointer: &str) -> u8 {
    match pointer {
        "/account_id" => 1,
        "/mediation_group_id" | "/ad_unit_id" => 2,
        "/body/displayName" | "/body/manualAppInfo/displayName" => 3,
        "/body/appId" | "/body/platform" | "/body/targeting/platform" => 4,
        "/body/adFormat" | "/body/targeting/format" => 5,
        "/body/targeting/adUnitIds" => 6,
        "/body/state" | "/body/treatmentTrafficPercentage" | "/body/adapterId" => 7,
        "/body/mediationGroupLines" | "/body/treatmentMediationLines" | "/body/requests" => 8,
        "/updateMask" => 20,
        _ => 10,
    }
}

fn walk(scene: &Scene<'_>, schema: &Json, pointer: &str, path: &str, out: &mut Vec<FieldHint>) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{}", escape(name));
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let fixed = field["properties"].is_object() && !field["additionalProperties"].is_object();
        if fixed {
            walk(scene, field, &pointer, &path, out);
            continue;
        }
        if !mask::changeable(scene.tool, &pointer) {
            continue;
        }
        out.push(hint(scene, name, field, pointer, &path, required.contains(&name.as_str())));
    }
}

fn hint(scene: &Scene<'_>, name: &str, field: &Json, pointer: String, path: &str, required: bool) -> FieldHint {
    let kind_at = |path: &str| scene.tool.entity_params.iter().find(|(known, _)| known == path).map(|(_, kind)| *kind);
    let (kind, list) = match (kind_at(path), kind_at(&format!("{path}[]"))) {
        (Some(kind), _) => (Some(kind), false),
        (None, Some(kind)) => (Some(kind), true),
        (None, None) => (None, false),
    };
    let choices = |field: &Json| -> Vec<(String, String)> {
        field["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .map(|wire| (wire.to_owned(), human(wire)))
            .collect()
    };
    let in_path = !pointer.starts_with("/body") && scene.tool.name != "admob_create_app";
    let changes_existing = scene.args["mediation_group_id"].is_string() || scene.args["ad_unit_id"].is_string();
    let (widget, options, choices) = match (name, kind) {
        ("updateMask", _) => (Widget::ReadOnly, None, Vec::new()),
        (_, Some(kind)) if in_path && (name != "account_id" || changes_existing) => {
            (Widget::ReadOnly, Some(kind.as_str().to_owned()), Vec::new())
        }
        (_, Some(kind)) => {
            (if list { Widget::EntityList } else { Widget::Entity }, Some(kind.as_str().to_owned()), Vec::new())
        }
        ("mediationGroupLines", None) => (Widget::MediationLines, Some("ad_source".to_owned()), Vec::new()),
        _ if field["enum"].is_array() => (Widget::Select, None, choices(field)),
        _ if field["items"]["enum"].is_array() => (Widget::MultiSelect, None, choices(&field["items"])),
        _ if field["items"]["type"] == "object" => (Widget::Objects, None, Vec::new()),
        _ if field["type"] == "object" => (Widget::Entries, None, Vec::new()),
        _ if field["type"] == "array" => (Widget::Rows, None, Vec::new()),
        _ if name.ends_with("Micros") => (Widget::MoneyMicros, None, Vec::new()),
        _ if field["type"] == "integer" || field["type"] == "number" || field["format"] == "int64" => {
            (Widget::Number, None, Vec::new())
        }
        _ if field["type"] == "boolean" => (Widget::Checkbox, None, Vec::new()),
        _ => (Widget::Text, None, Vec::new()),
    };
    let parent = match (kind, pointer.as_str()) {
        (Some(EntityKind::Account) | None, _) => None,
        _ => Some("/account_id".to_owned()),
    };
    let label = label(name, &pointer);
    // Only a rewarded ad unit has a reward.
    let only_if = pointer.starts_with("/body/rewardSettings/").then(|| OnlyIf {
        pointer: "/body/adFormat".to_owned(),
        values: vec!["REWARDED".to_owned(), "REWARDED_INTERSTITIAL".to_owned()],
    });
    let fields = match widget {
        Widget::Objects => row_fields(scene, &field["items"], &format!("{pointer}/0"), &format!("{path}[]")),
        Widget::Entries => {
            row_fields(scene, &field["additionalProperties"], &format!("{pointer}/*"), &format!("{path}.*"))
        }
        _ => Vec::new(),
    };
    FieldHint {
        fields,
        help: help(field, kind, &label),
        label,
        only_if,
        max_length: field["maxLength"].as_u64(),
        pointer,
        widget,
        options,
        parent,
        choices,
        required,
        ..FieldHint::default()
    }
}

/// Describes the fields of a row, with pointers that start at the row.
fn row_fields(scene: &Scene<'_>, schema: &Json, row: &str, path: &str) -> Vec<FieldHint> {
    let mut out = Vec::new();
    if schema["properties"].is_object() {
        walk(scene, schema, row, path, &mut out);
        for part in &mut out {
            part.pointer = part.pointer.cut(row.len()..).to_owned();
        }
    } else {
        out.push(FieldHint { pointer: String::new(), ..hint(scene, "value", schema, row.to_owned(), path, true) });
    }
    out
}

fn help(field: &Json, kind: Option<EntityKind>, label: &str) -> Option<String> {
    // The form of an ID helps a person who types it. Here, people choose entities by name.
    field["description"].as_str().filter(|text| kind.is_none() && is_helpful(text, label)).map(str::to_owned)
}

/// Checks whether a description adds to its label: "Ad unit name" under "Name" does not.
pub fn is_helpful(text: &str, label: &str) -> bool {
    let label = label.to_lowercase();
    let more = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let new = more.filter(|word| !label.contains(&word.to_lowercase())).count();
    new > 2
}

fn label(name: &str, pointer: &str) -> String {
    let known = match (name, pointer) {
        ("account_id", _) => "Account",
        ("mediation_group_id", _) => "Mediation group",
        ("ad_unit_id" | "parent", _) => "Ad unit",
        ("displayName", _) => "Name",
        ("appId", _) => "App",
        ("adFormat" | "format", _) => "Format",
        ("adTypes", _) => "Ad types",
        ("adUnitIds", _) => "Ad units",
        ("adapterId", _) => "Adapter",
        ("adUnitConfigurations", _) => "Settings",
        ("appStoreId", _) => "Store ID",
        ("androidAppStores", _) => "Stores",
        ("targetedRegionCodes", _) => "Target countries",
        ("excludedRegionCodes", _) => "Excluded countries",
        ("idfaTargeting", _) => "IDFA (iOS)",
        ("mediationGroupLines", _) => "Lines",
        ("treatmentMediationLines", _) => "Variant B lines",
        ("treatmentTrafficPercentage", _) => "Variant B traffic (%)",
        ("variantChoice", _) => "Keep",
        ("unitAmount", _) => "Reward amount",
        ("unitType", _) => "Reward",
        ("requests", _) => "Mappings",
        ("updateMask", _) => "Changed fields",
        ("adSourceId", _) => "Ad source",
        ("cpmMicros", _) => "CPM",
        _ => "",
    };
    if known.is_empty() { words(name) } else { known.to_owned() }
}

fn options(scene: &Scene<'_>) -> BTreeMap<String, Vec<EntityOption>> {
    let mut all = BTreeMap::new();
    let mut wanted: Vec<EntityKind> = scene.tool.entity_params.iter().map(|(_, kind)| *kind).collect();
    // A form that shows ad units also names their apps.
    if wanted.contains(&EntityKind::AdUnit) {
        wanted.push(EntityKind::App);
    }
    for kind in wanted {
        let items: Vec<&EntityItem> = match kind {
            EntityKind::Account => scene.accounts.iter().collect(),
            EntityKind::App => scene.apps.iter().collect(),
            EntityKind::AdUnit => scene.units.iter().collect(),
            EntityKind::AdSource => scene.sources.iter().collect(),
            EntityKind::AdSourceAdapter => scene.adapters.iter().collect(),
            EntityKind::AdUnitMapping => scene.mappings.iter().collect(),
            EntityKind::MediationGroup => scene.groups.iter().collect(),
            _ => Vec::new(),
        };
        all.insert(kind.as_str().to_owned(), items.into_iter().map(|item| option(scene, item)).collect());
    }
    // A path names an ad unit in a different form than a body, but the form must show the same name.
    for (path, _) in scene.tool.entity_params.iter().filter(|(_, kind)| *kind == EntityKind::AdUnit) {
        for (_, value) in paths::ids(scene.args, path) {
            let list: &mut Vec<EntityOption> = all.entry(EntityKind::AdUnit.as_str().to_owned()).or_default();
            if let Some(unit) = scene.unit(&value).filter(|_| !list.iter().any(|known| known.id == value)) {
                list.push(EntityOption { id: value, ..option(scene, unit) });
            }
        }
    }
    if let Some(group) = &scene.group {
        all.insert(LINES.to_owned(), lines_of(scene, group));
    }
    all
}

/// Returns the current lines of the group. A change refers to them by key and gives only the fields that change.
fn lines_of(scene: &Scene<'_>, group: &EntityItem) -> Vec<EntityOption> {
    let lines = group.raw["mediationGroupLines"].as_object().into_iter().flatten();
    let option = |(key, line): (&String, &Json)| {
        let source = scene.source_name(line["adSourceId"].as_str().unwrap_or_default());
        let own = line["displayName"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        EntityOption {
            id: key.clone(),
            name: own.unwrap_or(source),
            parent: None,
            detail: line["cpmMode"].as_str().map(str::to_owned),
            network: Some(group.network),
        }
    };
    lines.map(option).collect()
}

fn option(scene: &Scene<'_>, item: &EntityItem) -> EntityOption {
    let platform = item.platform.as_deref().and_then(platform_name).map(str::to_owned);
    let format = item.format.as_deref().map(|format| human(&format.to_uppercase()));
    let detail: Vec<String> = match item.kind {
        EntityKind::AdUnit => {
            [item.parent.as_deref().map(|app| scene.app_name(app)), format].into_iter().flatten().collect()
        }
        EntityKind::Account => item.raw["currencyCode"].as_str().map(str::to_owned).into_iter().collect(),
        EntityKind::AdUnitMapping => {
            let adapter = item.raw["adapterId"].as_str();
            adapter
                .and_then(|id| scene.adapters.iter().find(|adapter| adapter.id == id))
                .map(|a| a.name.clone())
                .into_iter()
                .collect()
        }
        _ => [platform, format].into_iter().flatten().collect(),
    };
    // Every form chooses ad units under an account; the detail shows their app.
    let parent = match item.kind {
        EntityKind::AdUnit => item.account.clone(),
        _ => item.parent.clone(),
    };
    EntityOption {
        id: item.id.clone(),
        name: item.name.clone(),
        parent,
        detail: (!detail.is_empty()).then(|| detail.join(" · ")),
        network: Some(item.network),
    }
}
