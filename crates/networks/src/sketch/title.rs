//! Writes one sentence, with names, about what will happen. This module is pure.

use serde_json::Value as Json;

use super::scene::{Scene, dollars, format_words, join, plural};
use crate::normalise::{human, platform_name};

pub fn title(scene: &Scene<'_>) -> String {
    let body = scene.body();
    match scene.tool.name.as_str() {
        "admob_create_app" => {
            let platform = platform_name(scene.text("/body/platform")).unwrap_or_default();
            let name = body.pointer("/manualAppInfo/displayName").and_then(Json::as_str);
            let store = body.pointer("/linkedAppInfo/appStoreId").and_then(Json::as_str);
            let what = match (name, store) {
                (Some(name), _) => format!("app “{name}”"),
                (None, Some(store)) => format!("the store app {store}"),
                (None, None) => "an app".to_owned(),
            };
            format!("Register {what} ({platform}) in account {}", scene.account_name())
        }
        "admob_create_ad_unit" => format!(
            "Create {} ad unit “{}” in {}",
            format_words(scene.text("/body/adFormat")),
            scene.text("/body/displayName"),
            scene.app_name(scene.text("/body/appId"))
        ),
        "admob_create_ad_unit_mapping" => {
            let unit = scene.text("/ad_unit_id");
            let unit = scene.unit(unit).map_or_else(|| unit.to_owned(), |unit| unit.name.clone());
            format!("Link ad unit “{unit}” to {}", scene.adapter_name(scene.text("/body/adapterId")))
        }
        "admob_batch_create_ad_unit_mappings" => batch(scene),
        "admob_create_mediation_group" => create_group(scene),
        "admob_update_mediation_group" => {
            let changes = changes(scene);
            let group = group_name(scene);
            match changes.as_slice() {
                [] => format!("No change to “{group}”"),
                some => format!("{} in “{group}”{}", capital(&join(some, 3)), of_account(scene)),
            }
        }
        "admob_create_mediation_ab_experiment" => format!(
            "Start A/B test “{}” on mediation group “{}” with {}% of the traffic",
            scene.text("/body/displayName"),
            group_name(scene),
            scene.text("/body/treatmentTrafficPercentage")
        ),
        "admob_stop_mediation_ab_experiment" => {
            let keep = human(scene.text("/body/variantChoice"));
            format!(
                "Stop the A/B test on mediation group “{}” and keep {}",
                group_name(scene),
                keep.replacen('V', "v", 1)
            )
        }
        _ => scene.tool.title.clone(),
    }
}

/// Returns " (Studio West)" if there are several accounts, because groups in two accounts may have the same name.
fn of_account(scene: &Scene<'_>) -> String {
    if scene.accounts.len() > 1 { format!(" ({})", scene.account_name()) } else { String::new() }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

pub fn group_name(scene: &Scene<'_>) -> String {
    scene.group.as_ref().map_or_else(|| scene.text("/mediation_group_id").to_owned(), |group| group.name.clone())
}

fn create_group(scene: &Scene<'_>) -> String {
    let plan = scene.wanted_plan();
    let apps = scene.apps_of(&scene.targeted());
    let platform = platform_name(&plan.platform).unwrap_or(&plan.platform).to_owned();
    let target = if apps.is_empty() { platform } else { join(&apps, 2) };
    let counts: Vec<String> = [(plan.bidding().count(), "bidding line"), (plan.waterfall().count(), "waterfall line")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| plural(count, noun))
        .collect();
    let lines = if counts.is_empty() { "without lines".to_owned() } else { format!("with {}", join(&counts, 2)) };
    format!("Create mediation group “{}” for {target} {} {lines}", plan.name, format_words(&plan.format))
}

fn batch(scene: &Scene<'_>) -> String {
    let requests = scene.body()["requests"].as_array().map_or(&[][..], Vec::as_slice);
    let mut adapters: Vec<String> = Vec::new();
    let mut units: Vec<String> = Vec::new();
    for request in requests {
        let adapter =
            scene.adapter_name(request.pointer("/adUnitMapping/adapterId").and_then(Json::as_str).unwrap_or_default());
        if !adapters.contains(&adapter) {
            adapters.push(adapter);
        }
        let unit = request["parent"].as_str().unwrap_or_default();
        let unit = scene.unit(unit).map_or_else(|| unit.to_owned(), |unit| format!("“{}”", unit.name));
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    format!("Create {} for {} ({})", plural(requests.len(), "ad unit mapping"), join(&units, 2), join(&adapters, 3))
}

/// Describes what an update of a group does, part by part.
pub fn changes(scene: &Scene<'_>) -> Vec<String> {
    let body = scene.body();
    let mut out = Vec::new();
    if let Some(units) = body.pointer("/targeting/adUnitIds").and_then(Json::as_array) {
        out.push(format!("target {}", plural(units.len(), "ad unit")));
    }
    for (key, line) in body["mediationGroupLines"].as_object().into_iter().flatten() {
        out.extend(line_changes(scene, key, line));
    }
    out
}

fn line_changes(scene: &Scene<'_>, key: &str, line: &Json) -> Vec<String> {
    let now = scene.group.as_ref().map(|group| &group.raw["mediationGroupLines"][key]);
    let source = line["adSourceId"].as_str().or_else(|| now.and_then(|now| now["adSourceId"].as_str()));
    let name = line["displayName"]
        .as_str()
        .or_else(|| now.and_then(|now| now["displayName"].as_str()))
        .filter(|name| !name.is_empty());
    let name = name.map_or_else(|| scene.source_name(source.unwrap_or_default()), str::to_owned);
    let price = line["cpmMicros"].as_str().and_then(|micros| micros.parse().ok()).map(dollars);
    if key.starts_with('-') {
        let priced = match (line["cpmMode"].as_str(), price) {
            (Some("MANUAL"), Some(price)) => format!(" at {price}"),
            _ if name.to_lowercase().ends_with("(bidding)") => String::new(),
            _ => " (bidding)".to_owned(),
        };
        return vec![format!("add {name}{priced}")];
    }
    let differs = |field: &str| line[field].is_string() && now.is_none_or(|now| now[field] != line[field]);
    let mut out = Vec::new();
    if differs("state") {
        out.push(match line["state"].as_str() {
            Some("REMOVED") => format!("remove {name}"),
            Some("DISABLED") => format!("pause {name}"),
            _ => format!("turn on {name}"),
        });
    }
    if let Some(price) = price.filter(|_| differs("cpmMicros")) {
        let was = now.and_then(|now| now["cpmMicros"].as_str()?.parse().ok()).map(dollars);
        // Do not write "now", because the record shows this sentence long after.
        out.push(match was {
            Some(was) => format!("change {name}’s floor from {was} to {price}"),
            None => format!("set {name}’s floor to {price}"),
        });
    }
    if differs("cpmMode") {
        out.push(format!("make {name} a {} line", if line["cpmMode"] == "LIVE" { "bidding" } else { "waterfall" }));
    }
    if line["adUnitMappings"].is_object() {
        out.push(format!("map {name}"));
    }
    out
}
