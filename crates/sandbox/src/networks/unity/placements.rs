//! Placements of `LevelPlay`, by app key and older format name.

use serde_json::{Value, json};

use super::{ID, app, bad, checks, gone, of_app, put, refusal};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, names};
use crate::state::Store;

const PARTS: [&str; 6] = ["name", "adDelivery", "itemName", "rewardAmount", "capping", "pacing"];

fn entries<'a>(store: &Store, body: &'a Value) -> Result<(String, Vec<(String, Fields<'a>)>), Answer> {
    let body = Fields::of(body, "").map_err(bad)?;
    let key = body.need_text("appKey").map_err(bad)?;
    app(store, key)?;
    let list = body.list("placements").map_err(bad)?.unwrap_or_default();
    if list.is_empty() {
        return Err(bad("placements is required and must not be empty"));
    }
    let read = |(path, item): (String, &'a Value)| {
        let entry = Fields::of(item, &path)?;
        entry.need_choice("adUnit", &checks::OLD_FORMATS)?;
        checks::delivery(&entry)?;
        if entry.raw("itemName").is_some() && entry.raw("adUnit") != Some(&json!("rewardedVideo")) {
            return Err(format!("{path}.itemName goes with adUnit rewardedVideo only"));
        }
        Ok((path, entry))
    };
    let list = list.into_iter().map(read).collect::<Result<Vec<_>, String>>().map_err(bad)?;
    Ok((key.to_owned(), list))
}

pub fn create(store: &Store, body: &Value) -> Done {
    let (key, list) = entries(store, body)?;
    let mut made: Vec<Value> = Vec::new();
    for (index, (path, entry)) in list.iter().enumerate() {
        let name = entry.need_text("name").map_err(bad)?;
        let twin = |it: &Value| it["name"] == name && Some(&it["adUnit"]) == entry.raw("adUnit");
        if of_app(store, "placement", &key).into_iter().chain(&made).any(twin) {
            return Err(bad(format!("{path}: a placement named \"{name}\" already exists.")));
        }
        let mut placement = json!({
            "id": names::number_id(&[1215, store.next_seq(), index as u64], 6),
            "adUnit": entry.raw("adUnit"),
            "adDelivery": 1,
            "capping": { "enabled": 0 },
            "pacing": { "enabled": 0 },
        });
        merge(&mut placement, entry, &PARTS);
        made.push(placement);
    }
    let effects = made.iter().map(|it| put("placement", &format!("{key}/{}", it["id"]), it)).collect();
    Ok((Answer::ok(json!({ "appKey": key, "placements": made })), effects))
}

fn find<'a>(store: &'a Store, key: &str, entry: &Fields) -> Result<(String, &'a Value), Answer> {
    let id = entry.need_integer("id", 1, i64::MAX).map_err(bad)?;
    let shelf_id = format!("{key}/{id}");
    let found = store.objects.shelves.get(ID, "placement", &shelf_id);
    let found = found.filter(|it| Some(&it["adUnit"]) == entry.raw("adUnit"));
    found.map(|it| (shelf_id, it)).ok_or_else(|| refusal(404, format!("Placement {id} was not found.")))
}

pub fn update(store: &Store, body: &Value) -> Done {
    let (key, list) = entries(store, body)?;
    let (mut changed, mut effects) = (Vec::new(), Vec::new());
    for (_, entry) in &list {
        let (shelf_id, old) = find(store, &key, entry)?;
        entry.text("name").map_err(bad)?;
        let mut new = old.clone();
        merge(&mut new, entry, &PARTS);
        effects.push(put("placement", &shelf_id, &new));
        changed.push(new);
    }
    Ok((Answer::ok(json!({ "appKey": key, "placements": changed })), effects))
}

pub fn delete(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let key = body.need_text("appKey").map_err(bad)?;
    body.need_choice("adUnit", &checks::OLD_FORMATS).map_err(bad)?;
    app(store, key)?;
    let (shelf_id, old) = find(store, key, &body)?;
    Ok((Answer::ok(json!({ "message": "success", "id": old["id"] })), vec![gone("placement", &shelf_id)]))
}
