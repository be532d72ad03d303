//! Unity Ads projects and their ad units, by store.

use serde_json::{Map, Value, json};

use super::{ID, problem, put};
use crate::networks::body::{Fields, items};
use crate::networks::{Answer, Done};
use crate::state::Store;

pub fn list(store: &Store) -> Answer {
    Answer::ok(store.objects.shelves.list(ID, "project").map(|(_, project)| project.clone()).collect())
}

fn known(store: &Store, project: &str) -> Result<(), Answer> {
    let found = store.objects.shelves.get(ID, "project", project);
    found.map(|_| ()).ok_or_else(|| problem(404, &format!("Project {project} was not found.")))
}

pub fn ad_units(store: &Store, project: &str) -> Result<Answer, Answer> {
    known(store, project)?;
    let of = |name: &str| {
        let units = store.objects.shelves.get(ID, "project_units", &format!("{project}/{name}"));
        units.cloned().unwrap_or_else(|| json!({}))
    };
    Ok(Answer::ok(json!({ "apple": of("apple"), "google": of("google") })))
}

fn checked(body: &Value, units: &Map<String, Value>) -> Result<Vec<(String, Value)>, String> {
    let entries = items(body, "")?;
    if entries.is_empty() {
        return Err("the body must have at least one ad unit".to_owned());
    }
    let mut made: Vec<(String, Value)> = Vec::new();
    for (path, item) in entries {
        let entry = Fields::of(item, &path)?;
        let name = entry.need_text("name")?;
        let format = entry.need_choice("adFormat", &["rewarded", "interstitial", "banner"])?;
        let id = name.split_whitespace().collect::<Vec<_>>().join("_");
        if units.contains_key(&id) || made.iter().any(|(known, _)| *known == id) {
            return Err(format!("{path}.name: an ad unit with the id \"{id}\" already exists"));
        }
        let mut placements = Vec::new();
        for (path, item) in entry.list("addPlacements")?.unwrap_or_default() {
            let placement = Fields::of(item, &path)?;
            let name = placement.need_text("name")?;
            let id = name.split_whitespace().collect::<Vec<_>>().join("_");
            placements.push(json!({ "id": id, "name": name, "placementType": placement.need_text("placementType")? }));
        }
        let unit = json!({ "id": id, "name": name, "adFormat": format, "placements": placements });
        made.push((id, unit));
    }
    Ok(made)
}

pub fn create(store: &Store, project: &str, name: &str, body: &Value) -> Done {
    known(store, project)?;
    if !["apple", "google"].contains(&name) {
        return Err(problem(404, &format!("Store {name} does not exist; apple or google is expected.")));
    }
    let shelf_id = format!("{project}/{name}");
    let units = store.objects.shelves.get(ID, "project_units", &shelf_id);
    let mut units = units.and_then(Value::as_object).cloned().unwrap_or_default();
    let made = checked(body, &units).map_err(|message| problem(400, &message))?;
    units.extend(made.iter().cloned());
    let shown: Vec<Value> = made.into_iter().map(|(_, unit)| unit).collect();
    Ok((Answer::json(201, shown.into()), vec![put("project_units", &shelf_id, &Value::Object(units))]))
}
