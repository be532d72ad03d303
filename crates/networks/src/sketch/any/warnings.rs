//! What a person should know before approving. A warning is never a reason to refuse. This module is pure.

use adagent_contract::EntityKind;
use serde_json::Value as Json;

use super::{Scene, gone, parts::Act, preview};
use crate::sketch::scene::plural_of;
use adagent_tools::Confidence;

/// Kinds whose changes affect the ads that people see.
const LIVE: [EntityKind; 7] = [
    EntityKind::AdUnit,
    EntityKind::MediationGroup,
    EntityKind::Instance,
    EntityKind::Waterfall,
    EntityKind::LineItem,
    EntityKind::Order,
    EntityKind::Placement,
];

pub fn warnings(scene: &Scene<'_>) -> Vec<String> {
    let mut out = Vec::new();
    if scene.tool.confidence == Confidence::Inferred {
        let network = scene.tool.network.display_name();
        out.push(format!("{network}'s documentation doesn't confirm this operation, so {network} may reject it."));
    }
    let live = scene.kind.filter(|kind| LIVE.contains(kind));
    match scene.act {
        Act::Create => {
            out.extend(numbers(&scene.tool.name, scene.args));
            out.extend(taken(scene));
        }
        Act::Update => {
            out.extend(unread(scene));
            out.extend(gone::warnings(scene));
            if scene.now.iter().any(Option::is_some) && preview::preview(scene).changes.is_empty() {
                out.push("It already has these values, so nothing would change.".to_owned());
            }
            out.extend(live.map(|kind| format!("Takes effect immediately on {}.", plural_of(scene.parts.len(), kind))));
        }
        Act::Remove => {
            out.push("You can't undo this here.".to_owned());
            out.extend(live.map(|kind| format!("Stops ads on {} immediately.", plural_of(scene.parts.len(), kind))));
        }
        Act::Other => {
            let rows = preview::preview(scene).changes;
            if !rows.is_empty() && rows.iter().all(|row| row.before.is_some() && row.before == row.after) {
                out.push("It already has this state, so nothing would change.".to_owned());
            }
            let what = if scene.tool.destructive { "May stop ads on" } else { "Affects delivery of" };
            out.extend(live.map(|kind| format!("{what} {} immediately.", plural_of(scene.parts.len(), kind))));
        }
    }
    out
}

/// Explains why a report must be saved to read its numbers. Only a report that nobody asked to keep is saved as hidden.
fn numbers(tool: &str, args: &Json) -> Option<String> {
    let hidden = tool == "admanager_create_report" && args["body"]["visibility"] == "HIDDEN";
    hidden.then(|| {
        "Google Ad Manager gives numbers only through saved reports, and none of yours has these. Approving saves this hidden report, \
         and the answer shows its numbers."
            .to_owned()
    })
}

/// Warns about a second entity with the same name in the same place, which is usually a mistake.
fn taken(scene: &Scene<'_>) -> Vec<String> {
    let Some(kind) = scene.kind else { return Vec::new() };
    let parent = crate::grounding::parent_kind(scene.facts, kind);
    let inside = scene.named.iter().find(|item| Some(item.kind) == parent).map(|item| &item.id);
    let mut out = Vec::new();
    for name in scene.parts.iter().filter_map(|part| part.name.as_deref()) {
        let same = |text: &str| !name.trim().is_empty() && text.trim().eq_ignore_ascii_case(name.trim());
        let here = |item: &adagent_contract::EntityItem| {
            inside.is_none() || item.parent.is_none() || item.parent.as_ref() == inside
        };
        if scene.beside.iter().any(|item| same(&item.name) && here(item)) {
            let label = kind.label();
            let article = if label.starts_with(['a', 'e', 'i', 'o']) { "An" } else { "A" };
            out.push(format!("{article} {label} named “{name}” already exists; this creates a second one."));
        }
    }
    out
}

fn unread(scene: &Scene<'_>) -> Option<String> {
    let missing = scene.parts.iter().zip(&scene.now).any(|(part, now)| part.id.is_some() && now.is_none());
    missing.then(|| "We couldn't read its current values, so we can't show what will change.".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_that_is_saved_for_its_numbers_says_so() {
        let why = |args: Json| numbers("admanager_create_report", &args);
        assert!(why(json!({"body": {"visibility": "HIDDEN"}})).is_some_and(|text| text.contains("saved reports")));
        assert_eq!(why(json!({"body": {"displayName": "Delivery"}})), None);
        assert_eq!(numbers("admanager_create_order", &json!({"body": {"visibility": "HIDDEN"}})), None);
    }
}
