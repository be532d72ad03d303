//! Describes the reply of an operation, in a line and a table. This module is pure.

use adagent_contract::{Artifact, EntityItem, EntityKind};
use adagent_domain::{Cut as _, Network};
use serde_json::Value as Json;

use crate::{Operation, catalogue::NetworkFacts, entities, grounding, normalise, paths};

/// Returns where the arguments say to look for the entities of a reply.
fn found<'a>(tool: &Operation, args: &'a Json, parent: Option<&'a str>) -> entities::Found<'a> {
    let mut of_accounts =
        tool.entity_params.iter().filter(|(path, kind)| *kind == EntityKind::Account && !path.contains('.'));
    let account = of_accounts.find_map(|(path, _)| args[path.as_str()].as_str());
    entities::Found { account, parent }
}

/// Returns the parent of entities of this kind that the arguments name.
pub(super) fn named_parent(facts: &NetworkFacts, tool: &Operation, kind: EntityKind, args: &Json) -> Option<String> {
    let above = grounding::parent_kind(facts, kind)?;
    let mut of_parents = tool.entity_params.iter().filter(|(_, of)| *of == above);
    of_parents.find_map(|(path, _)| paths::ids(args, path).into_iter().next()).map(|(_, id)| id)
}

/// Returns the name of one entity, such as "App Puzzle Game", or "Done" if the reply is no entity.
pub(super) fn one(facts: &NetworkFacts, tool: &Operation, kind: Option<EntityKind>, args: &Json, raw: &Json) -> String {
    let item = kind.and_then(|kind| entities::item(facts, kind, raw, found(tool, args, None)));
    match item.filter(|_| tool.network != Network::AdMob) {
        Some(item) => format!("{} {}", capitalised(item.kind.label()), item.name),
        None => "Done".to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    text.get(..1).map(|first| first.to_uppercase() + text.cut(1..)).unwrap_or_default()
}

pub(super) fn list(
    facts: &NetworkFacts,
    tool: &Operation,
    kind: Option<EntityKind>,
    args: &Json,
    result: &Json,
) -> (String, Option<Artifact>) {
    let raw = result["items"].as_array().map_or(&[][..], Vec::as_slice);
    let parent = kind.filter(|_| tool.network != Network::AdMob).and_then(|kind| named_parent(facts, tool, kind, args));
    let found = found(tool, args, parent.as_deref());
    let items: Vec<EntityItem> = kind
        .map(|kind| raw.iter().filter_map(|raw| entities::item(facts, kind, raw, found)).collect())
        .unwrap_or_default();
    let more = if result["truncated"] == true { " (there are more)" } else { "" };
    let summary = format!("{}{more}", normalise::counted(kind, raw.len()));
    let title = tool.title.trim_start_matches("List ");
    let title = capitalised(title);
    let artifact =
        kind.map(|_| normalise::list_table(&title, tool.network.display_name().to_owned(), &items, raw.len() as u64));
    (summary, artifact)
}
