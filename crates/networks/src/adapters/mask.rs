//! Derives the field mask of AdMob's group update from the body. AdMob changes only what the mask names, so a mask that someone types next
//! to the body can silently leave out what a person approved. This module is pure.

use std::collections::BTreeMap;

use adagent_contract::FieldError;
use serde_json::{Map, Value as Json};

use super::field_mask;
use adagent_tools::ToolInfo;
use adagent_tools::schema::escape;

pub const UPDATE: &str = "admob_update_mediation_group";

/// Fields of an existing line, by their name in the body, each with the path that changes it.
const LINE_FIELDS: [(&str, &str); 4] =
    [("cpmMicros", "cpm_micros"), ("cpmMode", "cpm_mode"), ("state", "state"), ("displayName", "display_name")];

/// Returns the arguments in the form that we check, show, hash and send: `updateMask` names exactly what the body changes. The result is
/// the same for every order of the body's keys, and a second call changes nothing.
pub fn normalise_args(tool: &ToolInfo, args: &Json) -> Json {
    let mut args = args.clone();
    if tool.name != UPDATE {
        field_mask::normalise(tool, &mut args);
    } else if let Some(mask) = args.get("body").and_then(Json::as_object).map(|body| paths(body).join(","))
        && let Some(fields) = args.as_object_mut()
    {
        fields.insert("updateMask".to_owned(), Json::String(mask));
    }
    args
}

/// Checks whether a form may offer this field. A field that no mask can name does not change when it is sent.
pub fn changeable(tool: &ToolInfo, pointer: &str) -> bool {
    tool.name != UPDATE
        || !pointer.starts_with("/body")
        || matches!(pointer, "/body/mediationGroupLines" | "/body/targeting/adUnitIds")
}

/// Returns an error for each field of the body that AdMob would ignore or misread.
pub fn problems(tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
    if tool.name != UPDATE {
        return field_mask::problems(tool, args);
    }
    let mut out = Vec::new();
    let Some(body) = args.get("body").and_then(Json::as_object).filter(|_| tool.name == UPDATE) else { return out };
    for (name, value) in body {
        match (name.as_str(), value) {
            ("mediationGroupLines", Json::Object(lines)) => {
                for (key, line) in lines {
                    line_problems(key, line, &mut out);
                }
            }
            ("targeting", Json::Object(targeting)) => {
                for name in targeting.keys().filter(|name| *name != "adUnitIds") {
                    out.push(fixed(format!("/body/targeting/{}", escape(name))));
                }
            }
            // The type is wrong; the schema check reports it.
            ("mediationGroupLines" | "targeting", _) => {}
            _ => out.push(fixed(format!("/body/{}", escape(name)))),
        }
    }
    if out.is_empty() && paths(body).is_empty() {
        out.push(FieldError::new("/body", "changes nothing; give targeting.adUnitIds or mediationGroupLines"));
    }
    out
}

fn fixed(pointer: String) -> FieldError {
    FieldError::new(
        pointer,
        "can't be changed on an existing mediation group. Only its ad units and lines can; leave this out",
    )
}

fn line_problems(key: &str, line: &Json, out: &mut Vec<FieldError>) {
    let at = format!("/body/mediationGroupLines/{}", escape(key));
    if key.parse::<i64>().is_err() {
        let message = "lines are keyed by their id, new ones by distinct negative numbers such as -1";
        out.push(FieldError::new(at, message));
        return;
    }
    let Some(line) = line.as_object() else { return };
    if line.get("id").and_then(Json::as_str).is_some_and(|id| id != key) {
        out.push(FieldError::new(format!("{at}/id"), format!("must be the line's key, {key}")));
    }
    for unit in units(line).filter(|unit| unit.contains(['"', ']', ','])) {
        let pointer = format!("{at}/adUnitMappings/{}", escape(unit));
        out.push(FieldError::new(pointer, "isn't an ad unit ID"));
    }
    for name in line.keys().filter(|_| !key.starts_with('-')) {
        // A grounding check compares the ad source with that of the group: naming the same one again changes nothing.
        let known = matches!(name.as_str(), "id" | "adSourceId" | "adUnitMappings");
        if !known && !LINE_FIELDS.iter().any(|(field, _)| field == name) {
            let message = "cannot be changed on an existing line; leave it out";
            out.push(FieldError::new(format!("{at}/{}", escape(name)), message));
        }
    }
}

/// Returns the paths sorted by key, because stores may reorder the keys of objects.
fn paths(body: &Map<String, Json>) -> Vec<String> {
    let mut out = Vec::new();
    if body.get("targeting").and_then(|targeting| targeting.get("adUnitIds")).is_some() {
        out.push("targeting.ad_unit_ids".to_owned());
    }
    let lines = body.get("mediationGroupLines").and_then(Json::as_object);
    for (key, line) in lines.into_iter().flatten().collect::<BTreeMap<_, _>>() {
        let path = format!("mediation_group_lines[\"{key}\"]");
        // A new line is named as a whole.
        if key.starts_with('-') {
            out.push(path);
            continue;
        }
        let Some(line) = line.as_object() else { continue };
        let given = LINE_FIELDS.iter().filter(|(field, _)| line.contains_key(*field));
        out.extend(given.map(|(_, name)| format!("{path}.{name}")));
        let mut units: Vec<&String> = units(line).collect();
        units.sort();
        out.extend(units.into_iter().map(|unit| format!("{path}.ad_unit_mappings[\"{unit}\"]")));
    }
    out
}

fn units(line: &Map<String, Json>) -> impl Iterator<Item = &String> {
    line.get("adUnitMappings").and_then(Json::as_object).into_iter().flat_map(Map::keys)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    fn tool(name: &str) -> std::sync::Arc<ToolInfo> {
        Catalogue::built_in().expect("loads").get(name).expect("known").info.clone()
    }

    #[test]
    fn the_mask_names_every_change_of_the_body_and_nothing_else() {
        let body = json!({
            "targeting": {"adUnitIds": ["u"]},
            "mediationGroupLines": {
                "12": {"id": "12", "adSourceId": "7", "state": "DISABLED", "cpmMicros": "5",
                    "adUnitMappings": {"ca-app-pub-1/2": "b", "ca-app-pub-1/1": "a"}},
                "-1": {"adSourceId": "9", "cpmMode": "LIVE"},
                "11": {"displayName": "N", "cpmMode": "MANUAL"}
            }
        });
        let normal =
            normalise_args(&tool(UPDATE), &json!({"updateMask": "mediation_group_lines[\"99\"]", "body": body}));
        let mask = normal["updateMask"].as_str().expect("text");
        assert_eq!(
            mask.split(',').collect::<Vec<_>>(),
            [
                "targeting.ad_unit_ids",
                r#"mediation_group_lines["-1"]"#,
                r#"mediation_group_lines["11"].cpm_mode"#,
                r#"mediation_group_lines["11"].display_name"#,
                r#"mediation_group_lines["12"].cpm_micros"#,
                r#"mediation_group_lines["12"].state"#,
                r#"mediation_group_lines["12"].ad_unit_mappings["ca-app-pub-1/1"]"#,
                r#"mediation_group_lines["12"].ad_unit_mappings["ca-app-pub-1/2"]"#,
            ]
        );
        assert_eq!(normalise_args(&tool(UPDATE), &normal), normal);
        assert_eq!(problems(&tool(UPDATE), &normal), []);
    }

    #[test]
    fn other_operations_and_arguments_without_a_body_stay_as_they_are() {
        for args in [json!({"updateMask": "x", "body": "y"}), json!([]), json!({"account_id": "a"})] {
            assert_eq!(normalise_args(&tool(UPDATE), &args), args);
        }
        let args = json!({"updateMask": "x", "body": {"displayName": "G"}});
        assert_eq!(normalise_args(&tool("admob_create_app"), &args), args);
        assert_eq!(problems(&tool("admob_create_app"), &args), []);
    }

    #[test]
    fn what_no_mask_can_name_is_an_error_at_its_field() {
        let at = |body: Json| -> Vec<String> {
            problems(&tool(UPDATE), &json!({"body": body})).into_iter().map(|error| error.pointer).collect()
        };
        assert_eq!(at(json!({"displayName": "New"})), ["/body/displayName"]);
        assert_eq!(at(json!({"targeting": {"adUnitIds": [], "platform": "IOS"}})), ["/body/targeting/platform"]);
        let lines = |line: Json| at(json!({"mediationGroupLines": line}));
        assert_eq!(lines(json!({"12": {"id": "13"}})), ["/body/mediationGroupLines/12/id"]);
        assert_eq!(lines(json!({"12\"].state,x": {}})), ["/body/mediationGroupLines/12\"].state,x"]);
        assert_eq!(
            lines(json!({"12": {"adUnitMappings": {"u\"],targeting.ad_unit_ids": "m"}}})),
            ["/body/mediationGroupLines/12/adUnitMappings/u\"],targeting.ad_unit_ids"]
        );
        assert_eq!(
            lines(json!({"12": {"experimentVariant": "A"}})),
            ["/body/mediationGroupLines/12/experimentVariant"]
        );
        assert_eq!(at(json!({})), ["/body"]);
    }
}
