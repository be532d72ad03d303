//! Finds in the arguments what an operation is about: one object in the body, several in a list, or only their IDs. This module is pure.

use adagent_contract::EntityKind;
use serde_json::Value as Json;

use crate::{
    catalogue::{EntityFacts, NetworkFacts, Operation},
    grounding::parent_kind,
    paths,
    pipeline::dotted,
};
use adagent_tools::ToolInfo;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Create,
    Update,
    Remove,
    /// Everything else, such as pausing, approving or blocking.
    Other,
}

/// One entity that an operation is about.
#[derive(Debug)]
pub struct Part<'a> {
    /// The ID of the entity that is changed or removed.
    pub id: Option<String>,
    /// The name that the arguments give the entity.
    pub name: Option<String>,
    /// The fields that the arguments give the entity.
    pub said: Option<&'a Json>,
    pub pointer: String,
}

pub fn act(tool: &ToolInfo) -> Act {
    let says = |part: &str| tool.name.split('_').any(|word| word == part);
    match () {
        () if says("create") => Act::Create,
        () if says("update") || says("manage") => Act::Update,
        () if says("delete") => Act::Remove,
        () => Act::Other,
    }
}

/// Returns the kind that is created, changed or removed: from the operation's result, from its name, or else the innermost kind in its
/// parameters.
pub fn kind(operation: &Operation) -> Option<EntityKind> {
    let facts = &operation.facts;
    let named = || {
        let noun = operation.info.name.split_once("_batch_").map(|(_, rest)| rest)?;
        let kinds = facts.entities.iter().filter_map(EntityFacts::kind);
        let ends = |kind: &EntityKind| noun.ends_with(&kind.plural().replace(' ', "_").to_lowercase());
        kinds.filter(ends).max_by_key(|kind| kind.plural().len())
    };
    let innermost = || {
        let params = operation.info.entity_params.iter().filter(|(_, kind)| *kind != EntityKind::Account);
        params.map(|(_, kind)| *kind).max_by_key(|kind| depth(facts, *kind))
    };
    let listed = operation.info.entity_params.iter().find(|(path, _)| path == "body.names[]").map(|(_, kind)| *kind);
    listed.or(operation.yields).or_else(named).or_else(innermost)
}

fn depth(facts: &NetworkFacts, kind: EntityKind) -> usize {
    std::iter::successors(parent_kind(facts, kind), |kind| parent_kind(facts, *kind)).take(5).count()
}

pub fn parts<'a>(
    tool: &ToolInfo,
    args: &'a Json,
    facts: &NetworkFacts,
    act: Act,
    kind: Option<EntityKind>,
) -> Vec<Part<'a>> {
    let mut out: Vec<Part<'a>> = objects(args)
        .into_iter()
        .map(|(pointer, said)| Part {
            id: kind.filter(|_| act != Act::Create).and_then(|kind| own_id(facts, kind, said)),
            name: name(facts, kind, said),
            said: Some(said),
            pointer,
        })
        .collect();
    if act == Act::Create {
        return out;
    }
    // The IDs are outside the object, or there is no object.
    let ids: Vec<String> = kind
        .into_iter()
        .flat_map(|kind| tool.entity_params.iter().filter(move |(_, of)| *of == kind))
        .flat_map(|(path, _)| paths::ids(args, path))
        .flat_map(|(_, id)| id.split(',').map(|id| last(id.trim()).to_owned()).collect::<Vec<_>>())
        .collect();
    match out.as_mut_slice() {
        [one] if one.id.is_none() && ids.len() == 1 => one.id = ids.into_iter().next(),
        all if all.iter().all(|part| part.id.is_none()) && !ids.is_empty() => {
            let bare = |id: String| Part { id: Some(id), name: None, said: None, pointer: String::new() };
            out = ids.into_iter().map(bare).collect();
        }
        _ => {}
    }
    out
}

/// Returns the objects in the body: the body itself, its items, or the object in each of its requests.
fn objects(args: &Json) -> Vec<(String, &Json)> {
    let body = &args["body"];
    let each = |list: &'_ [Json], at: &str| -> Vec<(String, usize)> {
        (0..list.len()).map(|i| (format!("{at}/{i}"), i)).collect()
    };
    if let Some(list) = body.as_array() {
        return each(list, "/body").into_iter().map(|(at, i)| (at, &list[i])).collect();
    }
    for name in ["requests", "placements"] {
        if let Some(list) = body[name].as_array() {
            let inner = |at: String, item: &'_ Json| {
                let object = item.as_object()?.iter().find(|(_, value)| value.is_object() && name == "requests");
                object.map(|(name, _)| format!("{at}/{name}"))
            };
            return each(list, &format!("/body/{name}"))
                .into_iter()
                .map(|(at, i)| match inner(at.clone(), &list[i]) {
                    Some(pointer) => (pointer.clone(), args.pointer(&pointer).unwrap_or(&list[i])),
                    None => (at, &list[i]),
                })
                .collect();
        }
    }
    if body.is_object() { vec![("/body".to_owned(), body)] } else { Vec::new() }
}

fn own_id(facts: &NetworkFacts, kind: EntityKind, said: &Json) -> Option<String> {
    let entity = facts.of_kind(kind)?;
    let field = if entity.resource_name.is_some() { "name" } else { entity.id_field.as_str() };
    match said.get(field)? {
        Json::String(text) if !text.is_empty() => Some(last(text).to_owned()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn name(facts: &NetworkFacts, kind: Option<EntityKind>, said: &Json) -> Option<String> {
    let display = kind.and_then(|kind| facts.of_kind(kind)).map(|entity| entity.display_field.as_str());
    let usual = ["displayName", "name", "appName", "experiment_name", "url"];
    let text = |path: &str| dotted::get(said, path).and_then(Json::as_str).filter(|text| !text.contains("networks/"));
    display.into_iter().chain(usual).find_map(text).map(str::to_owned)
}

fn last(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}
