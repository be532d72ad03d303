//! Keys that open only one publisher account: its apps, the objects made with these keys, and its numbers. One account must never see or
//! change what another one has.

use serde_json::{Value, json};

use super::{ID, is_report};
use crate::credentials;
use crate::networks::{Call, Request, names};
use crate::state::Inner;
use crate::world::apps::APPS;

/// The field that says which account made an object; never shown.
pub const OWNER: &str = "_account";

/// Returns the account that the keys of a request are limited to; `None` if they open everything.
pub fn of(request: &Request) -> Option<&'static str> {
    let managing = request.header("api-key").and_then(|value| credentials::part_of(ID, "management_key", value));
    managing.or_else(|| request.query("api_key").and_then(|value| credentials::part_of(ID, "report_key", value)))
}

/// Checks whether an ad unit or a test device belongs to this account.
pub fn has(account: Option<&str>, object: &Value) -> bool {
    let Some(account) = account else { return true };
    if let Some(owner) = object[OWNER].as_str() {
        return owner == account;
    }
    let package = object["package_name"].as_str();
    APPS.iter().any(|app| app.publisher() == account && Some(names::package(app).as_str()) == package)
}

/// Returns the apps whose numbers the keys open; `None` for all of them.
pub fn apps(request: &Request) -> Option<Vec<u32>> {
    let account = of(request)?;
    let own = APPS.iter().enumerate().filter(|(_, app)| app.publisher() == account);
    Some(own.filter_map(|(at, _)| u32::try_from(at).ok()).collect())
}

/// Marks a new object with its account.
pub fn marked(request: &Request, mut object: Value) -> Value {
    if let Some(account) = of(request) {
        object[OWNER] = json!(account);
    }
    object
}

/// Checks whether the object that a call names exists for these keys.
pub fn opens(inner: &Inner, call: &Call, request: &Request) -> bool {
    let (Some(account), Some(id)) = (of(request), call.ids.first().filter(|_| !is_report(call))) else { return true };
    let store = inner.store();
    let shelf = if call.operation.name.contains("test_device") { "test_device" } else { "ad_unit" };
    // If the object does not exist at all, the operation itself reports it.
    store.objects.shelves.get(ID, shelf, id).is_none_or(|object| has(Some(account), object))
}
