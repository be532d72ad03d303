//! Derives Google's field masks from the body. The service changes only what the mask names, so a mask that someone types next to the body
//! can silently leave out what a person approved. A value of several fields (an amount, a date, a size) is named as a whole, so that no
//! half of the old value stays. This module is pure. AdMob's mediation groups have their own rules, in `mask`.

use adagent_contract::FieldError;
use serde_json::{Map, Value as Json};

use crate::catalogue::is_one_value;
use adagent_tools::ToolInfo;

const MASK: &str = "updateMask";

/// Checks whether the operation takes one mask, and whether it takes one in each of its requests.
fn takes(tool: &ToolInfo) -> (bool, bool) {
    let properties = &tool.input_schema["properties"];
    let single = properties.get(MASK).is_some();
    let each = properties["body"]["properties"]["requests"]["items"]["properties"].get(MASK).is_some();
    (single, each)
}

/// Makes each mask name exactly the fields that the request gives. A second call changes nothing.
pub fn normalise(tool: &ToolInfo, args: &mut Json) {
    let (single, each) = takes(tool);
    if single {
        let schema = &tool.input_schema["properties"]["body"];
        if let Some(mask) = args.get("body").and_then(Json::as_object).map(|body| mask(body, schema))
            && let Some(fields) = args.as_object_mut()
        {
            fields.insert(MASK.to_owned(), Json::String(mask));
        }
    }
    if each {
        let schemas = &tool.input_schema["properties"]["body"]["properties"]["requests"]["items"]["properties"];
        let requests = args.get_mut("body").and_then(|body| body.get_mut("requests")).and_then(Json::as_array_mut);
        for request in requests.into_iter().flatten() {
            let Some(fields) = request.as_object_mut() else { continue };
            let object = fields.iter().find(|(_, value)| value.is_object());
            let Some(mask) = object.and_then(|(name, value)| Some(mask(value.as_object()?, &schemas[name.as_str()])))
            else {
                continue;
            };
            fields.insert(MASK.to_owned(), Json::String(mask));
        }
    }
}

/// Reports each mask that is empty, because such an update changes nothing.
pub fn problems(tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
    let (single, each) = takes(tool);
    let mut out = Vec::new();
    let empty = |value: &Json| value.get(MASK).and_then(Json::as_str) == Some("");
    let told = "changes nothing; give at least one field with its new value";
    if single && empty(args) {
        out.push(FieldError::new("/body", told));
    }
    if each {
        for (i, request) in args["body"]["requests"].as_array().into_iter().flatten().enumerate() {
            if empty(request) {
                out.push(FieldError::new(format!("/body/requests/{i}"), told));
            }
        }
    }
    out
}

/// Returns the mask with its paths sorted, because stores may reorder the keys of objects.
fn mask(object: &Map<String, Json>, schema: &Json) -> String {
    let mut paths = Vec::new();
    walk(object, schema, "", &mut paths);
    paths.sort();
    paths.join(",")
}

fn walk(object: &Map<String, Json>, schema: &Json, at: &str, out: &mut Vec<String>) {
    for (name, value) in object {
        // `name` says which object the request is about; it is not a change.
        if at.is_empty() && name == "name" {
            continue;
        }
        let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let field = &schema["properties"][name.as_str()];
        match value.as_object() {
            Some(inner) if goes_on(field, inner) => walk(inner, field, &path, out),
            _ => out.push(path),
        }
    }
}

/// Checks whether a mask may name the fields inside this object. It may not for a map, for a value of several fields such as an amount, or
/// where one field excludes another.
fn goes_on(schema: &Json, given: &Map<String, Json>) -> bool {
    let Some(known) = schema["properties"].as_object() else { return false };
    let alternatives = schema.get("oneOf").is_some() || schema.get("maxProperties").is_some();
    !given.is_empty() && !alternatives && !is_one_value(|name| known.contains_key(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    fn normal(name: &str, mut args: Json) -> Json {
        let tool = Catalogue::built_in().expect("loads").get(name).expect("known").info.clone();
        normalise(&tool, &mut args);
        let once = args.clone();
        normalise(&tool, &mut args);
        assert_eq!(args, once, "{name}");
        args
    }

    #[test]
    fn the_mask_names_every_field_of_the_body_and_nothing_else() {
        let body = json!({"name": "networks/1/lineItems/2", "displayName": "New",
            "targeting": {"geoTargeting": {"targetedGeos": ["networks/1/geoTargets/2840"]}},
            "rate": {"currencyCode": "USD", "units": "6"}});
        let args = normal("admanager_update_line_item", json!({"updateMask": "lineItemType", "body": body}));
        assert_eq!(args["updateMask"], "displayName,rate,targeting.geoTargeting.targetedGeos");
    }

    #[test]
    fn every_request_of_a_batch_has_its_own() {
        let args = normal(
            "admanager_batch_update_orders",
            json!({"body": {"requests": [
                {"order": {"name": "networks/1/orders/2", "displayName": "A"}},
                {"order": {"name": "networks/1/orders/3", "notes": "B"}, "updateMask": "displayName"}
            ]}}),
        );
        assert_eq!(args["body"]["requests"][0]["updateMask"], "displayName");
        assert_eq!(args["body"]["requests"][1]["updateMask"], "notes");
    }

    #[test]
    fn a_body_that_says_nothing_is_an_error_and_other_operations_stay_as_they_are() {
        let catalogue = Catalogue::built_in().expect("loads");
        let tool = &catalogue.get("admanager_update_company").expect("known").info;
        let args = normal("admanager_update_company", json!({"body": {"name": "networks/1/companies/2"}}));
        assert_eq!(problems(tool, &args)[0].pointer, "/body");
        let args = json!({"network_code": "1", "body": {"names": ["networks/1/orders/2"]}});
        assert_eq!(normal("admanager_batch_pause_orders", args.clone()), args);
        for tool in catalogue.tools() {
            assert!(tool.input_schema["properties"].get(MASK).is_none() || !tool.read_only, "{}", tool.name);
        }
    }
}
