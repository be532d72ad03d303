//! Shows what changes: the rows of a new object, before and after for an update, and what a removal removes. This module is pure.

use adagent_contract::{ChangeRow, EntityItem, EntityKind, Preview, PreviewKind};
use serde_json::Value as Json;

use super::{
    super::back::restored,
    Scene, lists,
    parts::Act,
    words::{Leaf, leaves, left_out},
};
use crate::{
    catalogue::EntityFacts,
    normalise::{human, platform_name},
    pipeline::plain,
    sketch::lowered,
};

/// How many rows an approval shows; it counts the rest.
const MOST: usize = 60;

pub fn preview(scene: &Scene<'_>) -> Preview {
    let (kind, mut changes) = match scene.act {
        Act::Create => (PreviewKind::Create, made(scene)),
        Act::Update => (PreviewKind::Update, changed(scene)),
        Act::Remove => (PreviewKind::Delete, gone(scene)),
        Act::Other => (PreviewKind::Action, acted(scene)),
    };
    if changes.len() > MOST {
        let more = changes.len() - MOST;
        changes.truncate(MOST);
        changes.push(ChangeRow { label: "And more".into(), before: None, after: Some(format!("{more} more fields")) });
    }
    let back = (kind == PreviewKind::Update).then(|| back(scene)).flatten().map(Box::new);
    Preview { back, ..Preview::new(kind, changes) }
}

fn account(scene: &Scene<'_>) -> Option<ChangeRow> {
    let item = scene.named.iter().find(|item| item.kind == EntityKind::Account)?;
    let network = scene.tool.network.id();
    let told = item.name.contains(&item.id) || item.id == network;
    let after = if told { item.name.clone() } else { format!("{} ({})", item.name, item.id) };
    Some(ChangeRow { label: "Account".into(), before: None, after: Some(after) })
}

fn made(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows: Vec<ChangeRow> = account(scene).into_iter().collect();
    // Show the parent of the new entity if an argument outside the object names it.
    for (path, kind) in
        scene.tool.entity_params.iter().filter(|(path, kind)| !path.contains('.') && *kind != EntityKind::Account)
    {
        let id = &scene.args[path.as_str()];
        if !id.is_null() {
            let after = Some(scene.words(id, &format!("/{path}")));
            rows.push(ChangeRow { label: capital(kind.label()), before: None, after });
        }
    }
    for (i, part) in scene.parts.iter().enumerate() {
        let Some(said) = part.said else { continue };
        for leaf in leaves(said) {
            let pointer = format!("{}{}", part.pointer, leaf.at);
            let after = Some(scene.words(leaf.value, &pointer));
            rows.push(ChangeRow { label: of(scene, i, &label(scene, &leaf, &pointer)), before: None, after });
        }
    }
    rows
}

/// Returns the rows of an update: only values that differ.
fn changed(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows = Vec::new();
    for (i, part) in scene.parts.iter().enumerate() {
        let now = scene.now.get(i).and_then(Option::as_ref);
        for leaf in part.said.map(leaves).unwrap_or_default() {
            let before = now.and_then(|now| now.raw.pointer(&leaf.at));
            if is_identity(scene, &leaf.at, &part.pointer) || same(before, leaf.value) {
                continue;
            }
            let pointer = format!("{}{}", part.pointer, leaf.at);
            // If the request replaces a whole list, show only the values in it that differ.
            if let Some(inside) = before.and_then(|before| lists::differing(before, leaf.value, &leaf.label)) {
                rows.extend(inside.into_iter().map(|one| {
                    let at = format!("{pointer}{}", one.at);
                    ChangeRow {
                        label: of(scene, i, &one.label),
                        before: Some(scene.words(one.before, &at)),
                        after: Some(scene.words(one.after, &at)),
                    }
                }));
                continue;
            }
            rows.push(ChangeRow {
                label: of(scene, i, &label(scene, &leaf, &pointer)),
                before: before.filter(|before| !before.is_null()).map(|before| scene.words(before, &pointer)),
                after: Some(scene.words(leaf.value, &pointer)),
            });
        }
        if let (Some(said), Some(now), true) = (part.said, now, replaces(scene)) {
            for gone in left_out(said, &now.raw) {
                let pointer = format!("{}{}", part.pointer, gone.at);
                let before = Some(scene.words(gone.value, &pointer));
                rows.push(ChangeRow { label: of(scene, i, &label(scene, &gone, &pointer)), before, after: None });
            }
        }
    }
    rows
}

/// Checks whether a field replaces the current one with everything in it. It does if the operation has no mask that names single fields.
fn replaces(scene: &Scene<'_>) -> bool {
    scene.tool.input_schema.pointer("/properties/updateMask").is_none()
}

fn back(scene: &Scene<'_>) -> Option<Json> {
    let mut args = scene.args.clone();
    for (i, part) in scene.parts.iter().enumerate() {
        let now = scene.now.get(i)?.as_ref()?;
        let keeps = |at: &str| is_identity(scene, at, &part.pointer);
        let restored = restored(part.said?, &now.raw, replaces(scene), &keeps)?;
        *args.pointer_mut(&part.pointer)? = restored;
    }
    (args != *scene.args).then_some(args)
}

fn gone(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let label = scene.kind.map_or_else(|| "Object".to_owned(), |kind| capital(kind.label()));
    let rows = (0..scene.parts.len()).map(|i| {
        let now = scene.now.get(i).and_then(Option::as_ref);
        let before = now.map_or_else(|| scene.target(i), with_platform);
        ChangeRow { label: label.clone(), before: Some(before), after: None }
    });
    rows.collect()
}

/// Returns the rows for a pause, an approval, a block and the like: the current state, and the state after.
fn acted(scene: &Scene<'_>) -> Vec<ChangeRow> {
    let mut rows: Vec<ChangeRow> = (0..scene.parts.len())
        .filter(|i| scene.parts[*i].id.is_some())
        .map(|i| {
            let now = scene.now.get(i).and_then(Option::as_ref);
            let state = now.and_then(|now| now.status.as_ref()).map(|status| human(&status.to_uppercase()));
            let label = format!("{} {}", scene.kind.map_or("object", EntityKind::label), scene.target(i));
            ChangeRow { label: capital(&label), before: state, after: Some(led_to(&scene.tool.title)) }
        })
        .collect();
    if rows.is_empty() {
        rows = made(scene);
    }
    rows
}

/// Returns the label of a field. A field that holds an ID shows a name, so its label names the entity.
pub fn label(scene: &Scene<'_>, leaf: &Leaf<'_>, pointer: &str) -> String {
    let name = leaf.at.rsplit('/').next().unwrap_or_default();
    match (scene.role(name, pointer), leaf.label.rsplit_once(": ")) {
        (Some(role), Some((above, _))) => format!("{above}: {}", lowered(&role)),
        (Some(role), None) => role,
        (None, _) => leaf.label.clone(),
    }
}

/// Returns the state that an action leads to: “Paused” for “Pause line items”. If we have no word for it, returns the action's own title.
fn led_to(title: &str) -> String {
    let state = match title.split(' ').next().unwrap_or_default() {
        "Activate" => "Active",
        "Deactivate" => "Inactive",
        "Archive" => "Archived",
        "Unarchive" => "Unarchived",
        "Pause" => "Paused",
        "Resume" => "Resumed",
        "Approve" => "Approved",
        "Disapprove" => "Disapproved",
        "Retract" => "Retracted",
        "Submit" => "Submitted for approval",
        "Reserve" => "Reserved",
        "Release" => "Released",
        "Allow" => "Allowed",
        "Block" => "Blocked",
        "Cancel" => "Canceled",
        _ => return title.to_owned(),
    };
    let overbooks = if title.ends_with("overbook") { ", overbooking allowed" } else { "" };
    format!("{state}{overbooks}")
}

/// Adds to a label which one of several entities it belongs to.
fn of(scene: &Scene<'_>, i: usize, label: &str) -> String {
    if scene.parts.len() > 1 { format!("{} · {label}", scene.target(i)) } else { label.to_owned() }
}

/// Checks whether this field only says which entity is meant.
pub fn is_identity(scene: &Scene<'_>, at: &str, pointer: &str) -> bool {
    if scene.act == Act::Create {
        return false;
    }
    let entity = scene.kind.and_then(|kind| scene.facts.of_kind(kind));
    let id = |entity: &EntityFacts| {
        let field = if entity.resource_name.is_some() { "name" } else { &entity.id_field };
        at == format!("/{field}")
    };
    entity.is_some_and(id)
        || (pointer == "/body" && scene.kind_at(&format!("{pointer}{at}")) == scene.kind && scene.kind.is_some())
}

/// Compares two values. Networks write the same number in two ways, as text and as a number.
pub fn same(before: Option<&Json>, after: &Json) -> bool {
    match before {
        Some(before) => before == after || plain(before).is_some() && number(before) == number(after),
        None => after.is_null(),
    }
}

fn number(value: &Json) -> Option<String> {
    let text = plain(value)?;
    Some(text.parse::<f64>().map_or(text.clone(), |number| number.to_string()))
}

/// Returns the name with the platform: "Puzzle Game (Android)".
pub fn with_platform(item: &EntityItem) -> String {
    match item.platform.as_deref().and_then(platform_name) {
        Some(platform) => format!("{} ({platform})", item.name),
        None => item.name.clone(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
