//! Undoes a create: finds the operation that deletes, archives or turns off the new entity, and builds its arguments. This module is pure.

use adagent_contract::EntityKind;
use serde_json::{Map, Value as Json};

use super::any::parts::{self, Act};
use crate::{
    catalogue::{EntityFacts, Operation},
    pipeline::dotted,
};

/// Verbs of operations that remove an entity, most thorough first: a new entity has no history to keep.
const WAYS: [&str; 4] = ["delete", "archive", "deactivate", "disable"];

/// Returns the operation that undoes what `made` creates, with its arguments. `None` if the network has none, or if it requires values that
/// neither the arguments nor the reply contain. Without a reply, it only tells whether there is such an operation.
pub fn unmade<'a>(
    made: &Operation,
    others: impl Iterator<Item = &'a Operation>,
    args: &Json,
    reply: Option<&Json>,
) -> Option<(String, Json)> {
    let kind = parts::kind(made).filter(|_| parts::act(&made.info) == Act::Create)?;
    let items: Vec<&Json> = reply.map(|reply| items(made, reply)).unwrap_or_default();
    let ids = match reply {
        None => vec![an_id(made, kind, args)],
        Some(_) => items.iter().map(|item| id(made, kind, item)).collect::<Option<Vec<_>>>()?,
    };
    if ids.is_empty() {
        return None;
    }
    let known = Known { kind, ids: &ids, args, item: items.first().copied() };
    let mut ways: Vec<(usize, &Operation)> = others
        .filter(|other| parts::kind(other) == Some(kind))
        .filter_map(|other| {
            Some((WAYS.iter().position(|way| other.info.name.split('_').any(|word| word == *way))?, other))
        })
        .collect();
    ways.sort_by_key(|(rank, _)| *rank);
    ways.into_iter().find_map(|(_, way)| {
        let args = known.fill(way, &way.info.input_schema, "")?;
        way.check(&args).is_empty().then(|| (way.info.name.clone(), args))
    })
}

/// Returns the new entities in the network's reply.
fn items<'a>(made: &Operation, reply: &'a Json) -> Vec<&'a Json> {
    let place = made.result.items_path.as_deref().and_then(|path| dotted::get(reply, path)).unwrap_or(reply);
    match place {
        Json::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

/// Returns the ID of the new entity as the network writes it; Google uses the full resource name.
fn id(made: &Operation, kind: EntityKind, item: &Json) -> Option<String> {
    let entity = made.facts.of_kind(kind);
    let whole = entity.filter(|entity| entity.resource_name.is_some()).map(|_| "name");
    let own = entity.map(|entity: &EntityFacts| entity.id_field.as_str());
    let fields = whole.into_iter().chain(own).chain(made.result.id_field.as_deref());
    fields.filter_map(|field| dotted::get(item, field)).find_map(text)
}

/// Returns a made-up ID in the network's form, for an entity that does not exist yet.
fn an_id(made: &Operation, kind: EntityKind, args: &Json) -> String {
    let template = made.facts.of_kind(kind).and_then(|entity| entity.resource_name.as_deref());
    let Some(template) = template else { return "1".to_owned() };
    let named = args.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name, text(value)?)));
    let filled =
        named.fold(template.to_owned(), |filled, (name, value)| filled.replace(&format!("{{{name}}}"), &value));
    filled.replace("{id}", "1")
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if !text.is_empty() => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What we know of the new entity.
struct Known<'a> {
    kind: EntityKind,
    ids: &'a [String],
    /// The arguments that it was created with.
    args: &'a Json,
    item: Option<&'a Json>,
}

impl Known<'_> {
    /// Returns the value for a place in the operation's arguments.
    fn fill(&self, way: &Operation, schema: &Json, path: &str) -> Option<Json> {
        let is_own = |path: &str| way.info.entity_params.iter().any(|(own, kind)| own == path && *kind == self.kind);
        if is_own(&format!("{path}[]")) {
            let ids = self.ids.iter().map(|id| typed(&schema["items"], id));
            return ids.collect::<Option<Vec<_>>>().map(Json::Array);
        }
        if is_own(path) {
            return match self.ids {
                [id] => typed(schema, last(id)),
                // A text parameter with a plural name takes several IDs.
                several if schema["type"] == "string" && path.ends_with('s') => Some(Json::String(several.join(","))),
                _ => None,
            };
        }
        let Some(fields) = schema["properties"].as_object() else {
            let name = path.rsplit('.').next().unwrap_or(path);
            let said = same_name(self.args, name).or_else(|| same_name(self.item?, name))?;
            return typed(schema, &text(said)?);
        };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let mut out = Map::new();
        for (name, field) in fields {
            let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let leads = way.info.entity_params.iter().any(|(own, kind)| *kind == self.kind && own.starts_with(&at));
            if required.contains(&name.as_str()) || leads {
                out.insert(name.clone(), self.fill(way, field, &at)?);
            }
        }
        Some(Json::Object(out))
    }
}

/// Returns a value in the type that the schema wants.
fn typed(schema: &Json, text: &str) -> Option<Json> {
    match schema["type"].as_str() {
        Some("integer" | "number") => serde_json::from_str(text).ok().filter(Json::is_number),
        Some("string") | None => Some(Json::String(text.to_owned())),
        Some(_) => None,
    }
}

fn last(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// Returns the value of this name in the arguments or their body; `app_key` and `appKey` count as the same name.
fn same_name<'a>(value: &'a Json, name: &str) -> Option<&'a Json> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let inside =
        |value: &'a Json| value.as_object()?.iter().find(|(own, _)| plain(own) == plain(name)).map(|(_, it)| it);
    let body = value.get("body").unwrap_or(&Json::Null);
    let rows = body.as_object().into_iter().flatten().filter_map(|(_, part)| match part.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    });
    [value, body].into_iter().chain(rows).find_map(inside).filter(|it| !it.is_object() && !it.is_array())
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;
    use serde_json::json;

    use super::*;
    use crate::Catalogue;

    fn back(tool: &str, reply: Option<&Json>) -> Option<(String, Json)> {
        let catalogue = Catalogue::built_in().expect("loads");
        let made = catalogue.get(tool).unwrap_or_else(|| panic!("no {tool}"));
        let others = catalogue.of_network(made.network).filter_map(|info| catalogue.get(&info.name));
        unmade(made, others.map(|one| &**one), &made.example, reply)
    }

    #[test]
    fn what_was_made_is_taken_away_by_its_own_id() {
        let two = json!([{"instanceId": 41}, {"instanceId": 42}]);
        for (tool, reply, way, args) in [
            (
                "unity_create_mediation_groups",
                json!([{"groupId": 120_305, "groupName": "US rewarded"}]),
                "unity_delete_mediation_groups",
                json!({"app_key": "1e2f3a4b5", "body": {"ids": [120_305]}}),
            ),
            (
                "unity_create_instances",
                two,
                "unity_delete_instances",
                json!({"app_key": "1e2f3a4b5", "body": {"ids": [41, 42]}}),
            ),
            (
                "admanager_create_ad_unit",
                json!({"name": "networks/21700000001/adUnits/55", "adUnitId": "55"}),
                "admanager_batch_archive_ad_units",
                json!({"network_code": "21700000001", "body": {"names": ["networks/21700000001/adUnits/55"]}}),
            ),
        ] {
            assert_eq!(back(tool, Some(&reply)), Some((way.to_owned(), args)), "{tool}");
            assert_eq!(back(tool, None).map(|(name, _)| name).as_deref(), Some(way), "{tool}");
        }
    }

    #[test]
    fn where_the_network_has_no_way_back_or_does_not_say_what_was_made_there_is_none() {
        for tool in
            ["admob_create_mediation_group", "admob_create_ad_unit", "pangle_create_app", "unity_delete_instances"]
        {
            assert_eq!(back(tool, None), None, "{tool}");
        }
        assert_eq!(back("unity_create_instances", Some(&json!([{"instanceName": "X"}]))), None);
        assert_eq!(back("unity_create_instances", Some(&json!([]))), None);
    }

    #[test]
    fn every_way_that_is_found_fits_what_its_network_takes() {
        let catalogue = Catalogue::built_in().expect("loads");
        let found = |network: Network| {
            let tools = catalogue.of_network(network).filter(|tool| !tool.read_only);
            tools
                .filter_map(|tool| back(&tool.name, None).map(|(way, _)| format!("{} → {way}", tool.name)))
                .collect::<Vec<_>>()
        };
        let all: Vec<String> = Network::ALL.into_iter().flat_map(found).collect();
        assert!(all.len() > 10, "{all:#?}");
        assert!(
            all.iter().all(|pair| pair.split_once(" → ").is_some_and(|(made, _)| made.contains("_create_"))),
            "{all:#?}"
        );
    }
}
