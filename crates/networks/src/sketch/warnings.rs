//! What a person should know before approving. A warning is never a reason to refuse. This module is pure.

use adagent_contract::EntityKind;
use serde_json::Value as Json;

use super::scene::{Scene, dollars, join, plural};
use crate::{Price, adapters::admob};

pub fn warnings(scene: &Scene<'_>) -> Vec<String> {
    match scene.tool.name.as_str() {
        "admob_create_mediation_group" => new_group(scene),
        "admob_update_mediation_group" => update(scene),
        "admob_create_mediation_ab_experiment" => start(scene),
        "admob_stop_mediation_ab_experiment" => {
            let mut out = vec!["Ends the test permanently. You can't restore the variant you don't keep.".to_owned()];
            if scene.group.as_ref().is_some_and(|group| group.raw["mediationAbExperimentState"] == "NOT_RUNNING") {
                out.push("No A/B test is running on this group now, so AdMob will refuse this.".to_owned());
            }
            out
        }
        "admob_create_app" => {
            taken(scene, EntityKind::App, scene.text("/body/manualAppInfo/displayName"), scene.text("/body/platform"))
        }
        "admob_create_ad_unit" => {
            let mut out = taken(scene, EntityKind::AdUnit, scene.text("/body/displayName"), scene.text("/body/appId"));
            if scene.body()["rewardSettings"].is_object() && scene.text("/body/adFormat") != "REWARDED" {
                out.push("Reward settings only work for the format Rewarded.".to_owned());
            }
            out
        }
        _ => missing_settings(scene),
    }
}

/// Checks whether a change empties a group: it removes every line, or leaves no ad unit.
pub fn takes_everything(now: &Json, body: &Json) -> bool {
    let lines = |raw: &Json| admob::plan(raw).lines.len();
    (lines(now) > 0 && lines(&merged(now, body)) == 0) || (empties(body) && !units_changed(now, body).0.is_empty())
}

fn empties(body: &Json) -> bool {
    body.pointer("/targeting/adUnitIds").and_then(Json::as_array).is_some_and(Vec::is_empty)
}

/// Returns the ad units that a change removes from a group, and how many it has before or after.
fn units_changed(now: &Json, body: &Json) -> (Vec<String>, usize) {
    let ids = |raw: &Json| -> Option<Vec<String>> {
        let ids = raw.pointer("/targeting/adUnitIds")?.as_array()?;
        Some(ids.iter().filter_map(Json::as_str).map(str::to_owned).collect())
    };
    let before = ids(now).unwrap_or_default();
    let Some(after) = ids(body) else { return (Vec::new(), before.len()) };
    let added = after.iter().filter(|id| !before.contains(id)).count();
    let affected = before.len() + added;
    (before.into_iter().filter(|id| !after.contains(id)).collect(), affected)
}

/// Warns about a name that exists. AdMob allows the name of an app, an ad unit or a mediation group only once.
fn taken(scene: &Scene<'_>, kind: EntityKind, name: &str, place: &str) -> Vec<String> {
    let same_name = |other: &str| !name.is_empty() && other.trim().eq_ignore_ascii_case(name.trim());
    let used = match kind {
        EntityKind::App => scene.apps.iter().any(|app| {
            same_name(&app.name) && app.platform.as_deref().is_some_and(|platform| platform.eq_ignore_ascii_case(place))
        }),
        EntityKind::AdUnit => {
            scene.units.iter().any(|unit| same_name(&unit.name) && unit.parent.as_deref() == Some(place))
        }
        _ => {
            let own = scene.group.as_ref().map(|group| &group.id);
            scene.groups.iter().any(|group| same_name(&group.name) && Some(&group.id) != own)
        }
    };
    let noun = kind.label();
    let article = if noun.starts_with('a') { "An" } else { "A" };
    if used {
        vec![format!("{article} {noun} named “{name}” already exists, so AdMob will refuse this one. Edit the name.")]
    } else {
        Vec::new()
    }
}

fn new_group(scene: &Scene<'_>) -> Vec<String> {
    let plan = scene.wanted_plan();
    let mut out = Vec::new();
    let units = scene.targeted();
    if plan.enabled && !units.is_empty() {
        out.push(format!("Takes effect on {} as soon as it is created.", plural(units.len(), "ad unit")));
    }
    out.extend(taken(scene, EntityKind::MediationGroup, &plan.name, ""));
    if units.is_empty() {
        out.push("The group targets no ad units, so it won't serve anything.".to_owned());
    }
    if plan.lines.is_empty() {
        out.push("It has no lines, so only the AdMob Network can fill.".to_owned());
    }
    out.extend(overlap(scene, &plan.ad_units));
    out.extend(unmapped(scene));
    out.extend(twice(scene));
    out
}

/// Warns about ad units that another enabled group also serves. AdMob then decides by its own order.
fn overlap(scene: &Scene<'_>, ad_units: &[String]) -> Option<String> {
    let own = scene.group.as_ref().map(|group| &group.id);
    let others: Vec<String> = scene
        .groups
        .iter()
        .filter(|group| Some(&group.id) != own && group.status.as_deref() == Some("enabled"))
        .filter(|group| {
            let targeted = group.raw["targeting"]["adUnitIds"].as_array();
            targeted.into_iter().flatten().filter_map(Json::as_str).any(|id| ad_units.iter().any(|unit| unit == id))
        })
        .map(|group| format!("“{}”", group.name))
        .collect();
    (!others.is_empty()).then(|| format!("These ad units are also in {}.", join(&others, 3)))
}

/// Warns about lines without a mapping: a third-party line serves only ad units that are mapped to a placement of that network.
fn unmapped(scene: &Scene<'_>) -> Option<String> {
    let units = scene.targeted();
    let plan = scene.wanted_plan();
    let lacking: Vec<String> = plan
        .lines
        .iter()
        .filter(|line| line.id.is_none() && !scene.source_name(&line.ad_source).to_lowercase().contains("admob"))
        .filter(|line| units.iter().any(|unit| !line.mappings.contains_key(&unit.id)))
        .map(|line| scene.line_name(line))
        .collect();
    let be = if lacking.len() == 1 { "is" } else { "are" };
    (!lacking.is_empty() && !units.is_empty())
        .then(|| format!("{} {be} missing mappings for some ad units and won't be called there.", join(&lacking, 4)))
}

fn twice(scene: &Scene<'_>) -> Option<String> {
    let plan = scene.wanted_plan();
    let mut bidding: Vec<&str> = plan.bidding().map(|line| line.ad_source.as_str()).collect();
    bidding.sort_unstable();
    let again = bidding.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(format!("{} bids twice; one line is enough.", scene.source_name(again[0])))
}

fn update(scene: &Scene<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let Some(group) = &scene.group else {
        return vec!["We couldn't read the group's current values, so we can't show what will change.".to_owned()];
    };
    let body = scene.body();
    let (taken_out, affected) = units_changed(&group.raw, body);
    if group.status.as_deref() == Some("enabled") {
        out.push(format!("Takes effect immediately on {}.", plural(affected, "live ad unit")));
    }
    if group.raw["mediationAbExperimentState"] == "RUNNING" {
        out.push("An A/B test is running on this group; this change affects its results.".to_owned());
    }
    let before = admob::plan(&group.raw);
    let after = admob::plan(&merged(&group.raw, body));
    out.extend(removed(scene, &group.raw));
    if !taken_out.is_empty() {
        let here = group.raw.pointer("/targeting/adUnitIds").and_then(Json::as_array);
        let here: Vec<&str> = here.into_iter().flatten().filter_map(Json::as_str).collect();
        let gone: Vec<&str> = taken_out.iter().map(String::as_str).collect();
        let names = scene.unit_names(&gone, &here);
        let then = if empties(body) { " No ad units are left, so the group won't serve anything." } else { "" };
        out.push(format!("Removes {}: {}.{then}", plural(names.len(), "ad unit"), join(&names, 4)));
    }
    let active = |plan: &crate::MediationPlan| plan.lines.iter().filter(|line| line.enabled).count();
    if active(&before) > 0 && active(&after) == 0 {
        out.push("Removes the last active line, so only the AdMob Network can fill.".to_owned());
    }
    for line in &after.lines {
        let Some(was) = before.lines.iter().find(|was| was.id.is_some() && was.id == line.id) else { continue };
        if let (Price::Waterfall { cpm_micros: old, .. }, Price::Waterfall { cpm_micros: new, .. }) =
            (&was.price, &line.price)
            && *old > 0
            && (new - old).abs() * 2 > *old
        {
            let (name, percent) = (scene.line_name(line), (new - old) * 100 / old);
            out.push(format!("{name}'s price changes by {percent:+}% ({} → {}).", dollars(*old), dollars(*new)));
        }
    }
    out.extend(unmapped(scene));
    out
}

/// Warns about the lines that the change removes.
fn removed(scene: &Scene<'_>, now: &Json) -> Option<String> {
    let lines = scene.body()["mediationGroupLines"].as_object()?;
    let gone = |key: &&String| {
        let was = &now["mediationGroupLines"][key.as_str()];
        was.is_object() && was["state"] != "REMOVED" && lines[key.as_str()]["state"] == "REMOVED"
    };
    let plan = admob::plan(now);
    let name = |key: &String| {
        let line = plan.lines.iter().find(|line| line.id.as_deref() == Some(key.as_str()));
        line.map_or_else(|| key.clone(), |line| scene.line_name(line))
    };
    let names: Vec<String> = lines.keys().filter(gone).map(name).collect();
    (!names.is_empty()).then(|| format!("Removes {}: {}.", plural(names.len(), "line"), join(&names, 4)))
}

/// Returns the group after the change: lines are merged field by field, everything else stays.
fn merged(now: &Json, body: &Json) -> Json {
    let mut after = now.clone();
    for (key, line) in body["mediationGroupLines"].as_object().into_iter().flatten() {
        for (field, value) in line.as_object().into_iter().flatten() {
            after["mediationGroupLines"][key.as_str()][field.as_str()] = value.clone();
        }
    }
    after
}

fn start(scene: &Scene<'_>) -> Vec<String> {
    let mut out = vec!["Variant B gets part of the live traffic as soon as the test starts.".to_owned()];
    let share: i64 = scene.text("/body/treatmentTrafficPercentage").parse().unwrap_or(0);
    if share > 50 {
        out.push(format!("Variant B gets most of the traffic ({share}%)."));
    }
    if scene.group.as_ref().is_some_and(|group| group.raw["mediationAbExperimentState"] == "RUNNING") {
        out.push("An A/B test is already running on this group, so AdMob will refuse a second one.".to_owned());
    }
    out
}

/// Warns about settings that the adapter requires.
fn missing_settings(scene: &Scene<'_>) -> Vec<String> {
    let single = [scene.body()];
    let mappings: Vec<&Json> = match scene.body()["requests"].as_array() {
        Some(requests) => requests.iter().map(|request| &request["adUnitMapping"]).collect(),
        None => single.to_vec(),
    };
    let mut out = Vec::new();
    for mapping in mappings {
        let Some(adapter) = scene.adapters.iter().find(|adapter| mapping["adapterId"] == adapter.id.as_str()) else {
            continue;
        };
        let needed = adapter.raw["adapterConfigMetadata"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|label| label["isRequired"] == true);
        let missing: Vec<String> = needed
            .filter(|label| {
                let key = label["adapterConfigMetadataId"].as_str().unwrap_or_default();
                mapping["adUnitConfigurations"][key].as_str().unwrap_or_default().trim().is_empty()
            })
            .map(|label| label["adapterConfigMetadataLabel"].as_str().unwrap_or("a setting").to_owned())
            .collect();
        if !missing.is_empty() {
            let warning = format!(
                "{} needs {}, which {} empty.",
                adapter.name,
                join(&missing, 4),
                if missing.len() == 1 { "is" } else { "are" }
            );
            if !out.contains(&warning) {
                out.push(warning);
            }
        }
    }
    out
}
