//! Writes one sentence, with names, about what will happen. This module is pure.

use adagent_contract::{EntityItem, EntityKind};
use serde_json::Value as Json;

use super::{
    Scene,
    parts::Act,
    words::{Leaf, leaves},
};
use crate::{
    grounding::parent_kind,
    sketch::{
        lowered,
        scene::{join, plural_of},
    },
};

/// How many entities and fields a title names.
const MOST: usize = 3;

pub fn title(scene: &Scene<'_>) -> String {
    let targets = scene.targets();
    let Some(kind) = scene.kind else { return with(&scene.tool.title, &targets) };
    match scene.act {
        // An operation may create something inside an entity, such as an ad break in a live stream event. The title must not say that it
        // creates the entity.
        Act::Create if scene.tool.yields.is_none() && !makes(scene, kind) => {
            format!("{}{}", with(&scene.tool.title, &targets), inside(scene, kind))
        }
        Act::Create => format!("Create {}{}", several(kind, &targets, scene.parts.len()), within(scene, kind)),
        Act::Update => {
            if let Some(deed) = deed(scene) {
                return format!("{deed} {}{}", several(kind, &targets, scene.parts.len()), within(scene, kind));
            }
            let changed = changed(scene);
            let what = if changed.is_empty() { String::new() } else { format!(": {}", join(&changed, MOST)) };
            // An operation about part of an entity keeps its own title.
            let own = scene.tool.title.to_lowercase().contains(kind.label()) || scene.tool.name.contains(kind.as_str());
            if own || scene.tool.title.starts_with("Update") {
                format!("Change {}{}{what}", several(kind, &targets, scene.parts.len()), within(scene, kind))
            } else {
                format!("{}{}{what}", with(&scene.tool.title, &targets), within(scene, kind))
            }
        }
        Act::Remove => format!("Delete {}{}", several(kind, &targets, scene.parts.len()), within(scene, kind)),
        Act::Other => {
            let many = kind.plural();
            match scene.tool.title.split_once(many) {
                Some((before, after)) => format!("{before}{}{after}", several(kind, &targets, scene.parts.len())),
                None => with(&scene.tool.title, &targets),
            }
        }
    }
}

/// Returns "order “A”" or "3 orders (“A”, “B” and “C”)".
fn several(kind: EntityKind, targets: &[String], count: usize) -> String {
    match targets {
        [] if count > 1 => plural_of(count, kind),
        [] => kind.label().to_owned(),
        [one] if count == 1 => format!("{} {one}", kind.label()),
        many => format!("{} ({})", plural_of(count, kind), join(many, MOST)),
    }
}

fn with(title: &str, targets: &[String]) -> String {
    if targets.is_empty() { title.to_owned() } else { format!("{title}: {}", join(targets, MOST)) }
}

/// Checks whether the operation's name says that it creates entities of this kind.
fn makes(scene: &Scene<'_>, kind: EntityKind) -> bool {
    let made = scene.tool.name.split_once("_create_").map_or("", |(_, made)| made).replace('_', " ");
    made.ends_with(kind.label()) || made.ends_with(kind.plural())
}

fn inside(scene: &Scene<'_>, kind: EntityKind) -> String {
    let item = scene.named.iter().find(|item| item.kind == kind && item.name != item.id);
    item.map(|item| format!(" in {} {}", kind.label(), item.name)).unwrap_or_default()
}

/// Returns " in Puzzle Game (Android)", or nothing if the entities are in several apps.
fn within(scene: &Scene<'_>, kind: EntityKind) -> String {
    let parent = parent_kind(scene.facts, kind).filter(|parent| *parent != EntityKind::Account);
    let named = || parent.and_then(|parent| scene.named.iter().find(|item| item.kind == parent));
    let mut above: Vec<&EntityItem> = scene.above.iter().collect();
    above.extend(named().filter(|_| scene.above.is_empty()));
    match above.as_slice() {
        [one] => format!(" in {}", super::preview::with_platform(one)),
        _ => String::new(),
    }
}

/// Returns the fields that get a different value, each with its place in the arguments.
fn differing<'s>(scene: &'s Scene<'_>) -> Vec<(String, Leaf<'s>)> {
    let mut out = Vec::new();
    for (i, part) in scene.parts.iter().enumerate() {
        let now = scene.now.get(i).and_then(Option::as_ref);
        for leaf in part.said.map(leaves).unwrap_or_default() {
            let same = now.is_some_and(|now| super::preview::same(now.raw.pointer(&leaf.at), leaf.value));
            if !same && !super::preview::is_identity(scene, &leaf.at, &part.pointer) {
                out.push((format!("{}{}", part.pointer, leaf.at), leaf));
            }
        }
    }
    out
}

/// Returns the labels of the fields that get a different value. For a switch, it adds the value, because on and off would have the same
/// label.
fn changed(scene: &Scene<'_>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (pointer, leaf) in differing(scene) {
        let label = lowered(&super::preview::label(scene, &leaf, &pointer));
        let said = if switch(&leaf).is_some() || leaf.value.is_boolean() {
            format!("{label} to {}", lowered(&scene.words(leaf.value, &pointer)))
        } else {
            label
        };
        if !out.contains(&said) {
            out.push(said);
        }
    }
    out
}

/// Returns the verb ("Pause", "Resume") if the change only switches entities, all in the same direction.
fn deed(scene: &Scene<'_>) -> Option<&'static str> {
    let all = differing(scene);
    let deeds: Vec<&str> = all.iter().map(|(_, leaf)| switch(leaf)).collect::<Option<_>>()?;
    let (first, rest) = deeds.split_first()?;
    (deeds.len() <= scene.parts.len() && rest.iter().all(|deed| deed == first)).then_some(*first)
}

/// Returns the verb for switching a field of the entity itself.
fn switch(leaf: &Leaf<'_>) -> Option<&'static str> {
    let field = leaf.at.strip_prefix('/').filter(|field| !field.contains('/'))?;
    let on = match leaf.value {
        Json::Bool(on) => Some(*on),
        Json::Number(number) => number.as_i64().filter(|number| matches!(number, 0 | 1)).map(|number| number == 1),
        _ => None,
    };
    let word = leaf.value.as_str().unwrap_or_default().to_lowercase();
    match (field, on, word.as_str()) {
        ("isPaused" | "is_paused", Some(true), _)
        | ("isLive" | "isActive" | "adDelivery", Some(false), _)
        | ("status" | "state", None, "inactive" | "paused") => Some("Pause"),
        ("isPaused" | "is_paused", Some(false), _)
        | ("isLive" | "isActive" | "adDelivery", Some(true), _)
        | ("status" | "state", None, "active" | "enabled") => Some("Resume"),
        ("disabled", Some(true), _) | ("status" | "state", None, "disabled") => Some("Disable"),
        ("disabled", Some(false), _) => Some("Enable"),
        _ => None,
    }
}
