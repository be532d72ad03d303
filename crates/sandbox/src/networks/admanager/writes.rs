//! Creates and changes objects, one or many at once. It returns what changes; a batch changes all of its objects or none.

use serde_json::{Map, Value, json};

use super::objects::{self, Call};
use super::rules;
use super::schema::{self, Mode};
use super::tables::{self, Collection};
use crate::journal::Effect;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::camel;

pub type Changed = Result<(Value, Vec<Effect>), ApiError>;

/// How many objects one batch may hold.
const LARGEST_BATCH: usize = 100;

/// Returns a new object with its ID. `taken` is the number of IDs that earlier objects of the same batch took.
fn fresh(
    call: &Call<'_>,
    collection: &Collection,
    body: &Value,
    taken: u64,
    path: &str,
) -> Result<(String, Value), ApiError> {
    let mut sent = schema::checked(collection.message, body, path, Mode::Whole)?;
    sent.remove("name");
    objects::references(call.store, &Value::Object(sent.clone()), path)?;
    let mut object = rules::defaults(collection.name);
    object.extend(sent);
    rules::complete(call, collection.name, &mut object, taken);
    rules::check(call, collection.name, &object, None, path)?;
    let (id, name) = if collection.name == "adBreaks" {
        let event = call.event()?;
        let named = object.get("adBreakId").and_then(Value::as_str).map(str::to_owned);
        let count = objects::all(call.store, "adBreaks").filter(|(id, _)| id.starts_with(&format!("{event}/"))).count();
        let own = named.unwrap_or_else(|| format!("break-{}-{}", count + 1, call.store.next_seq()));
        let id = format!("{event}/{own}");
        if objects::get(call.store, "adBreaks", &id).is_some() {
            return Err(ApiError::exists(format!("adBreakId: {own} exists already.")));
        }
        object.insert("adBreakId".to_owned(), json!(own));
        object.insert("breakSequence".to_owned(), json!((count + 1).to_string()));
        (id, format!("{}/liveStreamEvents/{event}/adBreaks/{own}", objects::network_name()))
    } else {
        let number = objects::next_id(call.store, collection, taken).to_string();
        let name = format!("{}/{}/{number}", objects::network_name(), collection.name);
        if let Some(field) = objects::id_field(collection) {
            object.insert(field, json!(number));
        }
        (number, name)
    };
    object.insert("name".to_owned(), json!(name));
    objects::stamp(collection, &mut object, call.inner.now(), true);
    Ok((id, Value::Object(object)))
}

pub fn create(call: &Call<'_>) -> Changed {
    let collection = call.collection()?;
    let (id, object) = fresh(call, collection, &call.body, 0, "")?;
    let mut effects = rules::also(call, collection.name, &object);
    effects.push(objects::put(collection.name, &id, object.clone()));
    Ok((call.shown(&object), effects))
}

fn parse_mask(mask: Option<&str>, path: &str) -> Result<Vec<String>, ApiError> {
    let field = if path.is_empty() { "updateMask".to_owned() } else { format!("{path}.updateMask") };
    let text = mask.unwrap_or_default();
    let mask: Vec<String> = text
        .split(',')
        .map(|part| part.trim().split('.').map(camel).collect::<Vec<_>>().join("."))
        .filter(|part| !part.is_empty())
        .collect();
    if mask.is_empty() {
        return Err(ApiError::invalid(field, "Required. Name the fields to change, separated by commas."));
    }
    Ok(mask)
}

fn pick<'a>(object: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = object.get(first)?;
    if rest.is_empty() { Some(value) } else { pick(value.as_object()?, rest) }
}

fn set(object: &mut Map<String, Value>, path: &str, value: Option<&Value>) {
    match path.split_once('.') {
        None => match value {
            Some(value) => {
                object.insert(path.to_owned(), value.clone());
            }
            None => {
                object.remove(path);
            }
        },
        Some((first, rest)) => {
            let inner = object.entry(first.to_owned()).or_insert_with(|| json!({}));
            if let Some(inner) = inner.as_object_mut() {
                set(inner, rest, value);
            }
        }
    }
}

/// Returns the object after a change of the fields that the mask names.
fn changed(
    call: &Call<'_>,
    collection: &Collection,
    current: &Value,
    body: &Value,
    mask: Option<&str>,
    path: &str,
) -> Result<Value, ApiError> {
    let mut mask = parse_mask(mask, path)?;
    let sent = schema::checked(collection.message, body, path, Mode::Part)?;
    let own = current["name"].as_str().unwrap_or_default();
    if let Some(name) = sent.get("name").and_then(Value::as_str)
        && objects::last(name) != objects::last(own)
    {
        return Err(ApiError::invalid("name", format!("{name} is not the resource of the path")));
    }
    if mask == ["*"] {
        mask = sent.keys().filter(|name| *name != "name").cloned().collect();
    }
    let mut object = current.as_object().cloned().unwrap_or_default();
    for field in &mask {
        let at = format!("{}{field}", if path.is_empty() { String::new() } else { format!("{path}.") });
        let known = schema::at(collection.message, field).ok_or_else(|| {
            ApiError::invalid(
                "updateMask",
                format!("Invalid field mask: {field} is no field of {}.", collection.message),
            )
        })?;
        let top = schema::get(collection.message, field.split('.').next().unwrap_or_default()).unwrap_or(known);
        if top.output || known.output {
            return Err(ApiError::invalid(at, "The field is output only and cannot be changed."));
        }
        let value = pick(&sent, field);
        if (top.immutable || known.immutable) && value != pick(&object, field) {
            return Err(ApiError::invalid(at, "The field is fixed once the resource is created."));
        }
        if known.required && value.is_none_or(|value| value.as_str().is_some_and(|text| text.trim().is_empty())) {
            return Err(ApiError::invalid(at, "Required field is missing."));
        }
        if let Some(value) = value {
            objects::references(call.store, value, &at)?;
        }
        set(&mut object, field, value);
    }
    if collection.name == "reports" {
        rules::complete(call, collection.name, &mut object, 0);
    }
    rules::check(call, collection.name, &object, Some(current), path)?;
    objects::stamp(collection, &mut object, call.inner.now(), false);
    Ok(Value::Object(object))
}

pub fn update(call: &Call<'_>) -> Changed {
    let collection = call.collection()?;
    let (id, current) = call.object()?;
    let object = changed(call, collection, current, &call.body, call.query("updateMask"), "")?;
    Ok((call.shown(&object), vec![objects::put(collection.name, &id, object)]))
}

pub fn delete(call: &Call<'_>) -> Changed {
    let (id, object) = call.object()?;
    if object["breakState"] != "SCHEDULED" {
        return Err(ApiError::precondition("Only an ad break that is SCHEDULED can be deleted."));
    }
    Ok((json!({}), vec![objects::gone(call.meaning.collection, &id)]))
}

/// Returns the requests of a batch: at least one, and not too many.
fn requests<'a>(call: &'a Call<'_>, field: &str) -> Result<&'a Vec<Value>, ApiError> {
    if let Some(unknown) = call.body.as_object().and_then(|map| map.keys().find(|key| *key != field)) {
        let message = format!("Invalid JSON payload received. Unknown name \"{unknown}\": Cannot find field.");
        return Err(ApiError::invalid(unknown, message));
    }
    let list = call.body[field].as_array().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| ApiError::invalid(field, "Required field is missing."))?;
    if list.len() > LARGEST_BATCH {
        return Err(ApiError::invalid(field, format!("at most {LARGEST_BATCH} can be given at once")));
    }
    Ok(list)
}

/// Returns the objects of a batch as the service shows them.
fn answered(call: &Call<'_>, collection: &Collection, made: &[Value]) -> Value {
    json!({ collection.name: made.iter().map(|object| call.shown(object)).collect::<Vec<_>>() })
}

pub fn batch_create(call: &Call<'_>) -> Changed {
    let collection = call.collection()?;
    let singular = collection.singular();
    let (mut made, mut effects) = (Vec::new(), Vec::new());
    for (index, request) in requests(call, "requests")?.iter().enumerate() {
        let at = format!("requests[{index}]");
        let parent = request.get("parent").and_then(Value::as_str).unwrap_or_default();
        if !parent.is_empty() && parent != objects::network_name() {
            return Err(ApiError::invalid(format!("{at}.parent"), "must be the network of the path"));
        }
        let path = format!("{at}.{singular}");
        let body = request.get(&singular).ok_or_else(|| ApiError::invalid(&path, "Required field is missing."))?;
        let (id, object) = fresh(call, collection, body, index as u64, &path)?;
        effects.extend(rules::also(call, collection.name, &object));
        effects.push(objects::put(collection.name, &id, object.clone()));
        made.push(object);
    }
    rules::distinct(collection.name, &made)?;
    Ok((answered(call, collection, &made), effects))
}

pub fn batch_update(call: &Call<'_>) -> Changed {
    let collection = call.collection()?;
    let singular = collection.singular();
    let (mut made, mut effects): (Vec<Value>, Vec<Effect>) = (Vec::new(), Vec::new());
    for (index, request) in requests(call, "requests")?.iter().enumerate() {
        let path = format!("requests[{index}].{singular}");
        let body = request.get(&singular).ok_or_else(|| ApiError::invalid(&path, "Required field is missing."))?;
        let name = body["name"].as_str().unwrap_or_default();
        if name.is_empty() {
            return Err(ApiError::invalid(format!("{path}.name"), "Required field is missing."));
        }
        let (shelf, id, current) = objects::named(call.store, name)?;
        if shelf != collection.name {
            return Err(ApiError::invalid(
                format!("{path}.name"),
                format!("{name} is no resource of {}", collection.name),
            ));
        }
        if made.iter().any(|object| object["name"] == name) {
            return Err(ApiError::invalid(format!("{path}.name"), format!("{name} is in the batch twice")));
        }
        let object = changed(call, collection, current, body, request["updateMask"].as_str(), &path)?;
        effects.push(objects::put(shelf, &id, object.clone()));
        made.push(object);
    }
    Ok((answered(call, collection, &made), effects))
}

/// Returns the names of a batch.
pub fn names<'a>(call: &'a Call<'_>) -> Result<Vec<&'a str>, ApiError> {
    let wrong = |index: usize| ApiError::invalid(format!("names[{index}]"), "a text is expected");
    let names = requests(call, "names")?.iter().enumerate();
    names.map(|(index, name)| name.as_str().ok_or_else(|| wrong(index))).collect()
}

/// Refuses an action with Ad Manager's own error code.
fn not_applicable(collection: &str, reason: &str, name: &str, index: usize) -> ApiError {
    let kind = if collection == "orders" { "ORDER_ACTION" } else { "ACTION" };
    let message = format!("The action is not applicable to {name}: {reason}.");
    ApiError::precondition(message.clone()).with_detail(json!({
        "@type": "type.googleapis.com/google.ads.admanager.v1.AdManagerError",
        "errorCode": format!("{kind}_ERROR_{reason}"),
        "message": message,
        "fieldPath": format!("names[{index}]"),
        "trigger": name,
    }))
}

/// Applies a verb to many objects: batchPause, batchArchive and the like.
pub fn act(call: &Call<'_>) -> Changed {
    let collection = call.collection()?;
    let change = tables::change(collection.name, call.meaning.action)
        .ok_or_else(|| ApiError::internal("the action is not in the table"))?;
    let value = match change.value {
        "true" => json!(true),
        "false" => json!(false),
        word => json!(word),
    };
    let mut effects = Vec::new();
    for (index, name) in names(call)?.into_iter().enumerate() {
        let (shelf, id, current) = objects::named(call.store, name)?;
        if shelf != collection.name {
            return Err(ApiError::invalid(format!("names[{index}]"), format!("{name} is none of {}", collection.name)));
        }
        let deleted = current["status"] == "DELETED";
        let archived =
            current["archived"] == true && !["batchUnarchive", "batchArchive"].contains(&call.meaning.action);
        let state = current[change.field].as_str().unwrap_or_default();
        let refused = change.refusing.contains(&state) && state != change.value;
        for (holds, reason) in [
            (deleted, "IS_DELETED"),
            (archived && change.value != "DELETED", "IS_ARCHIVED"),
            (refused, "NOT_APPLICABLE"),
        ] {
            if holds {
                return Err(not_applicable(collection.name, reason, name, index));
            }
        }
        if change.field == "deleted" {
            effects.push(objects::gone(shelf, &id));
            effects.push(objects::put(objects::DELETED, name, json!({})));
            continue;
        }
        let mut object = current.as_object().cloned().unwrap_or_default();
        object.insert(change.field.to_owned(), value.clone());
        objects::stamp(collection, &mut object, call.inner.now(), false);
        effects.push(objects::put(shelf, &id, Value::Object(object)));
    }
    Ok((json!({}), effects))
}
