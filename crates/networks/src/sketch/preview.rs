//! Shows what changes: the rows of a new object, before and after for an update, and what a stop ends. This module is pure.

use adagent_contract::{ChangeRow, Preview, PreviewKind};
use serde_json::Value as Json;

use super::{
    back::restored,
    scene::{Scene, dollars, join},
    title::group_name,
};
use crate::{
    Price,
    adapters::admob,
    normalise::{human, region_name},
};

pub fn preview(scene: &Scene<'_>) -> Preview {
    match scene.tool.name.as_str() {
        "admob_update_mediation_group" => {
            Preview { back: back(scene).map(Box::new), ..Preview::new(PreviewKind::Update, update(scene)) }
        }
        "admob_create_mediation_ab_experiment" => Preview::new(PreviewKind::Action, start(scene)),
        "admob_stop_mediation_ab_experiment" => Preview::new(PreviewKind::Action, stop(scene)),
        "admob_create_mediation_group" => Preview::new(PreviewKind::Create, new_group(scene)),
        "admob_create_app" => Preview::new(PreviewKind::Create, new_app(scene)),
        "admob_create_ad_unit" => Preview::new(PreviewKind::Create, new_unit(scene)),
        _ => Preview::new(PreviewKind::Create, new_mappings(scene)),
    }
}

fn row(label: impl Into<String>, after: impl Into<String>) -> ChangeRow {
    ChangeRow { label: label.into(), before: None, after: Some(after.into()) }
}

fn account(scene: &Scene<'_>) -> ChangeRow {
    let (name, id) = (scene.account_name(), scene.text("/account_id"));
    row("Account", if name == id { name } else { format!("{name} ({id})") })
}

fn new_app(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows = vec![account(scene), row("Platform", human(scene.text("/body/platform")))];
    let stores = scene.body().pointer("/linkedAppInfo/androidAppStores").and_then(Json::as_array);
    for (label, value) in [
        ("Name", scene.text("/body/manualAppInfo/displayName")),
        ("Store ID", scene.text("/body/linkedAppInfo/appStoreId")),
    ] {
        if !value.is_empty() {
            rows.push(row(label, value));
        }
    }
    let stores: Vec<String> = stores.into_iter().flatten().filter_map(Json::as_str).map(human).collect();
    if !stores.is_empty() {
        rows.push(row("Stores", stores.join(", ")));
    }
    rows
}

fn new_unit(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows = vec![
        account(scene),
        row("App", scene.app_name(scene.text("/body/appId"))),
        row("Name", scene.text("/body/displayName")),
        row("Format", human(scene.text("/body/adFormat"))),
    ];
    let types: Vec<String> =
        scene.body()["adTypes"].as_array().into_iter().flatten().filter_map(Json::as_str).map(human).collect();
    if !types.is_empty() {
        rows.push(row("Ad types", types.join(", ")));
    }
    let reward = &scene.body()["rewardSettings"];
    if reward.is_object() {
        let text = |name: &str| reward[name].as_str().unwrap_or_default();
        rows.push(row("Reward", format!("{} {}", text("unitAmount"), text("unitType"))));
    }
    rows
}

fn new_group(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let plan = scene.wanted_plan();
    let targeted: Vec<&str> = scene.targeted().iter().map(|unit| unit.id.as_str()).collect();
    let units = scene.unit_names(&targeted, &targeted);
    let mut rows = vec![
        row("Name", plan.name.clone()),
        account(scene),
        row("State", if plan.enabled { "Enabled" } else { "Disabled" }),
        row("Platform", human(&plan.platform.to_uppercase())),
        row("Format", human(&plan.format.to_uppercase())),
        row("Ad units", if units.is_empty() { "None".to_owned() } else { join(&units, 6) }),
    ];
    for (label, regions) in [("Countries", &plan.included_regions), ("Excluded countries", &plan.excluded_regions)] {
        if !regions.is_empty() {
            rows.push(row(
                label,
                regions.iter().map(|code| region_name(code).unwrap_or(code)).collect::<Vec<_>>().join(", "),
            ));
        }
    }
    for line in &plan.lines {
        let label = if line.price == Price::Bidding { "Bidding" } else { "Waterfall" };
        let words = scene.line_words(line);
        rows.push(row(label, words));
    }
    rows
}

fn new_mappings(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows = vec![account(scene)];
    let single = [scene.body()];
    let requests: Vec<(&Json, &str)> = match scene.body()["requests"].as_array() {
        Some(requests) => requests
            .iter()
            .map(|request| (&request["adUnitMapping"], request["parent"].as_str().unwrap_or_default()))
            .collect(),
        None => single.into_iter().map(|mapping| (mapping, scene.text("/ad_unit_id"))).collect(),
    };
    for (mapping, unit) in requests {
        let unit = scene.unit(unit).map_or_else(|| unit.to_owned(), |unit| unit.name.clone());
        let adapter_id = mapping["adapterId"].as_str().unwrap_or_default();
        let labels = scene
            .adapters
            .iter()
            .find(|adapter| adapter.id == adapter_id)
            .map(|adapter| &adapter.raw["adapterConfigMetadata"]);
        let settings: Vec<String> = mapping["adUnitConfigurations"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let known = labels
                    .and_then(Json::as_array)
                    .into_iter()
                    .flatten()
                    .find(|label| label["adapterConfigMetadataId"] == key.as_str());
                let label = known.and_then(|label| label["adapterConfigMetadataLabel"].as_str()).unwrap_or(key);
                format!("{label}: {}", value.as_str().unwrap_or_default())
            })
            .collect();
        let name = mapping["displayName"].as_str().map(|name| format!("“{name}”, ")).unwrap_or_default();
        rows.push(row(unit, format!("{name}{} ({})", scene.adapter_name(adapter_id), settings.join(", "))));
    }
    rows
}

/// Returns before and after, only where they differ. Reads exactly the fields that the update mask can name.
fn update(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let Some(group) = &scene.group else { return vec![row("Mediation group", scene.text("/mediation_group_id"))] };
    let (now, body) = (&group.raw, scene.body());
    let mut rows = Vec::new();
    let mut change = |label: String, before: Option<String>, after: Option<String>| {
        if before != after {
            rows.push(ChangeRow { label, before, after });
        }
    };
    if body.pointer("/targeting/adUnitIds").is_some() {
        let of = |value: &'_ Json| -> Vec<String> {
            let ids = value.pointer("/targeting/adUnitIds").and_then(Json::as_array);
            ids.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
        };
        let all = [of(now), of(body)].concat();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let names = |value: &Json| {
            let ids = of(value);
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let names = scene.unit_names(&ids, &all);
            Some(if names.is_empty() { "None".to_owned() } else { names.join(", ") })
        };
        change("Ad units".into(), names(now), names(body));
    }
    for (key, line) in body["mediationGroupLines"].as_object().into_iter().flatten() {
        let before = &now["mediationGroupLines"][key];
        let mut merged = before.as_object().cloned().unwrap_or_default();
        merged.extend(line.as_object().cloned().unwrap_or_default());
        let words = |lines: Json| {
            let plan = admob::plan(&serde_json::json!({"mediationGroupLines": lines}));
            plan.lines.first().map(|line| scene.line_words(line))
        };
        let was = before.is_object().then(|| words(serde_json::json!({(key): before}))).flatten();
        let will = words(serde_json::json!({(key): merged}));
        // A plan has no removed lines, so it gives no words for one.
        let will = if merged.get("state").is_some_and(|state| state == "REMOVED") && was.is_some() {
            Some("Removed".to_owned())
        } else {
            will
        };
        let label = if was.is_none() { "New line" } else { "Line" };
        change(label.into(), was, will);
        if let Some(mappings) = line["adUnitMappings"].as_object() {
            for (unit, mapping) in mappings {
                let unit_name = scene.unit(unit).map_or_else(|| unit.clone(), |unit| unit.name.clone());
                let named = |value: &Json| value.as_str().map(|name| mapping_name(scene, name));
                change(format!("Mapping of {unit_name}"), named(&before["adUnitMappings"][unit]), named(mapping));
            }
        }
    }
    rows
}

/// Returns the arguments that undo an update. `None` if the update adds or removes lines: AdMob does not remove a line by its fields, and
/// does not bring one back.
fn back(scene: &Scene<'_>) -> Option<Json> {
    let (now, body) = (&scene.group.as_ref()?.raw, scene.body());
    let goes = |line: &Json| line["state"] == "REMOVED";
    if body["mediationGroupLines"].as_object().into_iter().flatten().any(|(_, line)| goes(line)) {
        return None;
    }
    let mut args = scene.args.clone();
    let restored = restored(body, now, false, &|_| false).filter(|restored| restored != body)?;
    *args.get_mut("body")? = restored;
    Some(args)
}

fn mapping_name(scene: &Scene<'_>, resource: &str) -> String {
    scene
        .mappings
        .iter()
        .find(|mapping| mapping.id == resource)
        .map_or_else(|| resource.to_owned(), |mapping| mapping.name.clone())
}

fn start(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let share: i64 = scene.text("/body/treatmentTrafficPercentage").parse().unwrap_or(0);
    let mut rows = vec![
        row("Mediation group", group_name(scene)),
        row("Test", scene.text("/body/displayName")),
        row("Traffic of variant B", format!("{share}%")),
        row("Traffic of variant A", format!("{}%", 100 - share)),
    ];
    let lines = scene.body()["treatmentMediationLines"].as_array().into_iter().flatten();
    for line in lines.map(|line| &line["mediationGroupLine"]) {
        let source = scene.source_name(line["adSourceId"].as_str().unwrap_or_default());
        let price = line["cpmMicros"].as_str().and_then(|micros| micros.parse().ok()).map(dollars);
        let words = match (line["cpmMode"].as_str(), price) {
            (Some("MANUAL"), Some(price)) => format!("{source} at {price}"),
            _ if source.to_lowercase().ends_with("(bidding)") => source,
            _ => format!("{source} (bidding)"),
        };
        rows.push(row("Line of variant B", words));
    }
    rows
}

fn stop(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let group =
        ChangeRow { label: "Mediation group".into(), before: Some(group_name(scene)), after: Some(group_name(scene)) };
    let keeps_b = scene.text("/body/variantChoice") == "VARIANT_CHOICE_B";
    let fate = |label: &str, kept: bool| ChangeRow {
        label: label.into(),
        before: Some("Serving".into()),
        after: Some(if kept { "Serves all traffic" } else { "Removed" }.into()),
    };
    vec![
        group,
        ChangeRow { label: "A/B test".into(), before: Some("Running".into()), after: Some("Ended".into()) },
        fate("Variant A (original)", !keeps_b),
        fate("Variant B (the test)", keeps_b),
    ]
}
