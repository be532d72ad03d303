//! Where objects are stored and what they are called. Only reads; `writes` changes them.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::tables::{self, Collection, Meaning};
use super::{ID, schema};
use crate::journal::Effect;
use crate::networks::admob::errors::ApiError;
use crate::state::{Inner, Store};

/// The code of the only Ad Manager network in the sandbox.
pub const NETWORK: &str = "21700000001";

/// The shelf with the names of deleted objects, so that no ID is used twice.
pub const DELETED: &str = "deleted";

/// A request whose caller may see the network, with the data that it needs.
pub struct Call<'a> {
    pub inner: &'a Inner,
    pub store: &'a Store,
    pub meaning: Meaning,
    pub path: &'a str,
    pub ids: &'a [String],
    pub query: &'a [(String, String)],
    pub body: Value,
    /// The caller that page tokens are bound to, in addition to the list itself.
    pub caller: &'a str,
}

pub fn network_name() -> String {
    format!("networks/{NETWORK}")
}

pub fn put(shelf: &str, id: &str, object: Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object }
}

pub fn gone(shelf: &str, id: &str) -> Effect {
    Effect::Drop { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned() }
}

pub fn get<'a>(store: &'a Store, shelf: &str, id: &str) -> Option<&'a Value> {
    store.objects.shelves.get(ID, shelf, id)
}

pub fn all<'a>(store: &'a Store, shelf: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    store.objects.shelves.list(ID, shelf)
}

pub fn not_found(name: &str) -> ApiError {
    ApiError::not_found(format!("Resource {name} was not found."))
}

/// Returns the last part of a resource name.
pub fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns shelf and ID of a resource name of this network: `networks/1/orders/5` → `orders`, `5`.
pub fn place(name: &str) -> Option<(&'static str, String)> {
    let rest = name.strip_prefix("networks/")?.strip_prefix(NETWORK)?.strip_prefix('/')?;
    let parts: Vec<&str> = rest.split('/').collect();
    match parts[..] {
        [shelf, id] => Some((tables::collection(shelf)?.name, id.to_owned())),
        ["lineItems", line, "creatives", creative] => {
            Some(("lineItemCreativeAssociations", format!("{line}/{creative}")))
        }
        ["customTargetingKeys", _, "customTargetingValues", value] => Some(("customTargetingValues", value.to_owned())),
        ["webProperties", property, "adReviewCenterAds", ad] => Some(("adReviewCenterAds", format!("{property}/{ad}"))),
        _ => None,
    }
}

/// Returns the object of this name.
pub fn named<'a>(store: &'a Store, name: &str) -> Result<(&'static str, String, &'a Value), ApiError> {
    let (shelf, id) = place(name).ok_or_else(|| not_found(name))?;
    let object = get(store, shelf, &id).ok_or_else(|| not_found(name))?;
    Ok((shelf, id, object))
}

/// Refuses names of objects that do not exist, anywhere in a body.
pub fn references(store: &Store, value: &Value, path: &str) -> Result<(), ApiError> {
    match value {
        Value::String(text) if text.starts_with("networks/") => {
            let shelf = place(text).map(|(shelf, _)| shelf);
            let kept = shelf.is_some_and(|shelf| all(store, shelf).next().is_some());
            let foreign = !text.starts_with(&format!("networks/{NETWORK}/")) && *text != network_name();
            if foreign || (kept && named(store, text).is_err()) {
                return Err(ApiError::invalid(path, format!("{text} was not found.")));
            }
            Ok(())
        }
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(index, item)| references(store, item, &format!("{path}[{index}]")))
        }
        Value::Object(map) => map.iter().try_for_each(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            references(store, value, &path)
        }),
        _ => Ok(()),
    }
}

/// Returns an ID that no object of the collection has ever had. `taken` counts the IDs that the same request already took.
pub fn next_id(store: &Store, collection: &Collection, taken: u64) -> u64 {
    let prefix = format!("{}/{}/", network_name(), collection.name);
    let deleted = all(store, DELETED).filter_map(|(name, _)| name.strip_prefix(&prefix));
    let kept = all(store, collection.name).map(|(id, _)| id);
    let numbers = kept.chain(deleted).filter_map(|id| id.parse::<u64>().ok());
    numbers.max().map_or(collection.base, |highest| collection.base.max(highest + 1)) + taken
}

/// Returns the name of the field that repeats the ID, if the message has one.
pub fn id_field(collection: &Collection) -> Option<String> {
    let field = format!("{}Id", collection.singular());
    schema::get(collection.message, &field).map(|_| field)
}

/// Sets the times that the service itself maintains.
pub fn stamp(collection: &Collection, object: &mut Map<String, Value>, now: Timestamp, fresh: bool) {
    for (field, always) in [("createTime", false), ("updateTime", true)] {
        if schema::get(collection.message, field).is_some() && (always || fresh) {
            object.insert(field.to_owned(), json!(now.to_string()));
        }
    }
}

impl Call<'_> {
    pub fn query(&self, name: &str) -> Option<&str> {
        use crate::networks::admob::fields::camel;
        self.query.iter().find(|(key, _)| key == name || camel(key) == name).map(|(_, value)| value.as_str())
    }

    pub fn collection(&self) -> Result<&'static Collection, ApiError> {
        tables::collection(self.meaning.collection).ok_or_else(|| ApiError::internal("no such collection"))
    }

    /// Returns the part of the path after the network: `liveStreamEventsByAssetKey`.
    fn under(&self) -> &str {
        self.path.split('/').nth(4).unwrap_or_default()
    }

    /// Returns the live stream event of an ad break, by the key that the path uses.
    pub fn event(&self) -> Result<String, ApiError> {
        let key = self.ids.get(1).map_or("", String::as_str);
        let field = match self.under() {
            "liveStreamEventsByAssetKey" => "assetKey",
            "liveStreamEventsByCustomAssetKey" => "customAssetKey",
            _ => "liveStreamEventId",
        };
        let found = all(self.store, "liveStreamEvents").find(|(_, event)| event[field] == key);
        let missing = || not_found(&format!("{}/{}/{key}", network_name(), self.under()));
        found.map(|(id, _)| id.to_owned()).ok_or_else(missing)
    }

    /// Returns the shelf ID of the object that the path names.
    pub fn id(&self) -> Result<String, ApiError> {
        let id = |at: usize| self.ids.get(at).cloned().unwrap_or_default();
        Ok(match self.meaning.collection {
            "networks" => id(0),
            "adBreaks" => format!("{}/{}", self.event()?, id(2)),
            "lineItemCreativeAssociations" => format!("{}/{}", id(1), id(2)),
            "customTargetingValues" if self.ids.len() == 3 => id(2),
            _ => id(1),
        })
    }

    /// Checks whether an object belongs to the parent in the path.
    pub fn within(&self, id: &str, object: &Value) -> Result<bool, ApiError> {
        let parent = self.ids.get(1).map_or("", String::as_str);
        Ok(match self.meaning.collection {
            "adBreaks" => id.starts_with(&format!("{}/", self.event()?)),
            "lineItemCreativeAssociations" | "adReviewCenterAds" => id.starts_with(&format!("{parent}/")),
            "customTargetingValues" if self.under() == "customTargetingKeys" => {
                last(object["customTargetingKey"].as_str().unwrap_or_default()) == parent
            }
            _ => true,
        })
    }

    /// Returns the object as this path shows it. Some names contain the parent from the path.
    pub fn shown(&self, object: &Value) -> Value {
        let mut object = object.clone();
        let nested = self.meaning.collection == "customTargetingValues" && self.under() == "customTargetingKeys";
        if nested || self.meaning.collection == "adBreaks" {
            let parent = self.ids.get(1).map_or("", String::as_str);
            let own = last(object["name"].as_str().unwrap_or_default()).to_owned();
            let kind = self.meaning.collection;
            object["name"] = json!(format!("{}/{}/{parent}/{kind}/{own}", network_name(), self.under()));
        }
        super::delivery::fill(self.inner, self.meaning.collection, &mut object);
        if self.meaning.collection == "creatives"
            && let Some(map) = object.as_object_mut()
        {
            // The batch verbs set whether a creative may serve, but the API does not show it.
            map.remove("active");
        }
        object
    }

    /// Returns the object that the path names.
    pub fn object(&self) -> Result<(String, &Value), ApiError> {
        let id = self.id()?;
        let found = get(self.store, self.meaning.collection, &id);
        let missing = || not_found(self.path.trim_start_matches("/v1/"));
        let object = found.ok_or_else(missing)?;
        let belongs = self.ids.len() < 3 || self.within(&id, object)?;
        if belongs { Ok((id, object)) } else { Err(missing()) }
    }
}
