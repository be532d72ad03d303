//! Unity: `LevelPlay` needs a token exchange, Unity Ads statistics an API key, and Unity Ads projects a service account.
//!
//! In the sandbox, `AdMob` mediates, so `LevelPlay` sees only Unity Ads demand: its report and the statistics of Unity Ads have the same
//! numbers. It must never accept a token that it did not issue.

mod auth;
mod checks;
mod files;
mod groups;
mod instances;
mod inventory;
mod levelplay_report;
mod placements;
mod projects;
mod seed;
mod stats;

use serde_json::{Value, json};

use super::Kind::{Read, Token, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, exchange, names, op};
use crate::Quota;
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated Unity.
pub struct Unity;

pub const ID: &str = "unity";
const LEVELPLAY: &str = "platform.ironsrc.com";
const STATS: &str = "monetization.api.unity.com";
const SERVICES: &str = "services.api.unity.com";
const FILES: &str = "user-ad-revenue.s3.amazonaws.com";

pub static BOOK: Book = Book {
    sources: &[3, 4],
    impressions: 0.004,
    revenue: -0.009,
    salt: 1201,
    note: "US dollars as numbers, days in UTC",
};

static LISTING: Listing = Listing { app: app_key, unit: unit_id, format: |format| seed::ad_format(FORMATS[format]) };

static OPERATIONS: [Operation; 27] = [
    op(Token, "unity_auth", "GET", "", "/partners/publisher/auth"),
    op(Read, "unity_list_applications", "GET", "", "/partners/publisher/applications/v6"),
    op(Write, "unity_create_application", "POST", "", "/partners/publisher/applications/v6"),
    op(Read, "unity_list_ad_units", "GET", "", "/levelPlay/adUnits/v1/{}"),
    op(Write, "unity_create_ad_units", "POST", "", "/levelPlay/adUnits/v1/{}"),
    op(Write, "unity_update_ad_units", "PUT", "", "/levelPlay/adUnits/v1/{}"),
    op(Read, "unity_list_mediation_groups", "GET", "", "/levelPlay/groups/v4/{}"),
    op(Write, "unity_create_mediation_groups", "POST", "", "/levelPlay/groups/v4/{}"),
    op(Write, "unity_update_mediation_groups", "PUT", "", "/levelPlay/groups/v4/{}"),
    op(Write, "unity_delete_mediation_groups", "DELETE", "", "/levelPlay/groups/v4/{}"),
    op(Read, "unity_list_instances", "GET", "", "/levelPlay/network/instances/v4/{}"),
    op(Write, "unity_create_instances", "POST", "", "/levelPlay/network/instances/v4/{}"),
    op(Write, "unity_update_instances", "PUT", "", "/levelPlay/network/instances/v4/{}"),
    op(Write, "unity_delete_instances", "DELETE", "", "/levelPlay/network/instances/v4/{}"),
    op(Read, "unity_list_placements", "GET", "", "/partners/publisher/placements/v1"),
    op(Write, "unity_create_placements", "POST", "", "/partners/publisher/placements/v1"),
    op(Write, "unity_update_placements", "PUT", "", "/partners/publisher/placements/v1"),
    op(Write, "unity_delete_placement", "DELETE", "", "/partners/publisher/placements/v1"),
    op(Read, "unity_get_levelplay_report", "GET", "", "/levelPlay/reporting/v1"),
    op(Read, "unity_get_impression_revenue", "GET", "", "/partners/adRevenueMeasurements/v4"),
    op(Read, "unity_get_user_revenue", "GET", "", "/partners/userAdRevenue/v3"),
    op(Read, "unity_get_monetization_stats", "GET", STATS, "/stats/v1/operate/organizations/{}"),
    op(Read, "unity_list_projects", "GET", SERVICES, "/monetize/v1/organizations/{}/projects"),
    op(Read, "unity_list_project_ad_units", "GET", SERVICES, "/monetize/v1/projects/{}/adunits"),
    op(Write, "unity_create_project_ad_units", "POST", SERVICES, "/monetize/v1/projects/{}/stores/{}/adunits"),
    op(Token, "unity_download", "GET", FILES, "/files/{}"),
    op(Token, "unity_retired", "GET", "", "/partners/publisher/instances/{}"),
];

/// Returns the app key of an app.
pub fn app_key(app: usize) -> String {
    names::hex_id(&[1202, app as u64], 9)
}

/// Returns the `LevelPlay` ad unit of an ad unit of the sandbox.
pub fn unit_id(unit: usize) -> String {
    names::hex_id(&[1203, unit as u64], 16)
}

/// Refuses a request in the form of `LevelPlay`.
fn refusal(status: u16, message: impl AsRef<str>) -> Answer {
    let error = axum::http::StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason()).unwrap_or("Error");
    Answer::json(status, json!({ "code": status, "error": error, "message": message.as_ref() }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(400, message)
}

/// Refuses a request in the form of Unity's services.
fn problem(status: u16, detail: &str) -> Answer {
    let title = axum::http::StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason()).unwrap_or("Error");
    let code = if status == 401 { 50 } else { u32::from(status) };
    let address = format!("https://services.docs.unity.com/docs/errors/#{code}");
    Answer::json(status, json!({ "type": address, "title": title, "status": status, "code": code, "detail": detail }))
}

fn put(shelf: &str, id: &str, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object: object.clone() }
}

fn gone(shelf: &str, id: &str) -> Effect {
    Effect::Drop { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned() }
}

/// Returns the objects of one app: those on the shelf whose ID starts with the app's key.
fn of_app<'a>(store: &'a Store, shelf: &str, app: &str) -> Vec<&'a Value> {
    let prefix = format!("{app}/");
    store.objects.shelves.list(ID, shelf).filter(|(id, _)| id.starts_with(&prefix)).map(|(_, object)| object).collect()
}

/// Returns the app with this key; refuses a key that does not exist.
fn app<'a>(store: &'a Store, key: &str) -> Result<&'a Value, Answer> {
    store.objects.shelves.get(ID, "app", key).ok_or_else(|| refusal(404, format!("App key {key} was not found.")))
}

impl Network for Unity {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        LEVELPLAY
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn find(&self, request: &Request) -> Option<Call> {
        if request.path.starts_with("/partners/publisher/instances/") {
            return OPERATIONS.last().map(|operation| Call { operation, ids: Vec::new() });
        }
        exchange::by_template(&OPERATIONS, LEVELPLAY, request)
    }

    fn hidden(&self) -> &'static [&'static str] {
        &["apikey"]
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        match call.operation.host {
            STATS => auth::by_stats_key(inner, call, request),
            SERVICES => auth::by_service_account(inner, call, request),
            _ => auth::by_token(inner, request),
        }
    }

    fn limit(&self, call: &Call) -> Option<(&'static str, Quota)> {
        match (call.operation.host, call.operation.name) {
            // The network allows 8000 requests per hour.
            ("", "unity_get_levelplay_report") => Some(("reporting", Quota { burst: 8000, per_minute: 133 })),
            // The network allows 4000 requests in 30 minutes.
            ("", _) => Some(("levelplay", Quota { burst: 4000, per_minute: 133 })),
            _ => None,
        }
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let request = &exchange.request;
        let answer = match exchange.call.operation.name {
            "unity_get_levelplay_report" => levelplay_report::answer(inner, request),
            "unity_get_impression_revenue" => files::links(inner, request, files::Grain::Impression),
            "unity_get_user_revenue" => files::links(inner, request, files::Grain::User),
            "unity_get_monetization_stats" => stats::answer(inner, request),
            "unity_list_projects" => Ok(projects::list(&inner.store())),
            "unity_list_project_ad_units" => projects::ad_units(&inner.store(), &exchange.call.ids[0]),
            name => inventory::read(&inner.store(), name, exchange),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let ids = &exchange.call.ids;
        let services = exchange.call.operation.host == SERVICES;
        let body = exchange.request.json().map_err(|error| {
            let message = format!("The body is no JSON: {error}");
            if services { problem(400, &message) } else { bad(message) }
        })?;
        match exchange.call.operation.name {
            "unity_create_application" => inventory::create_app(inner, store, &body),
            "unity_create_ad_units" => inventory::create_ad_units(store, &ids[0], &body),
            "unity_update_ad_units" => inventory::update_ad_units(store, &ids[0], &body),
            "unity_create_mediation_groups" => groups::create(store, &ids[0], &body),
            "unity_update_mediation_groups" => groups::update(store, &ids[0], &body),
            "unity_delete_mediation_groups" => groups::delete(store, &ids[0], &body),
            "unity_create_instances" => instances::create(store, &ids[0], &body),
            "unity_update_instances" => instances::update(store, &ids[0], &body),
            "unity_delete_instances" => instances::delete(store, &ids[0], &body),
            "unity_create_placements" => placements::create(store, &body),
            "unity_update_placements" => placements::update(store, &body),
            "unity_delete_placement" => placements::delete(store, &body),
            _ => projects::create(store, &ids[0], &ids[1], &body),
        }
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        match asked.call.operation.name {
            "unity_auth" => auth::exchange(inner, &asked.request),
            "unity_download" => files::file(inner, asked.call.ids.first().map_or("", String::as_str)),
            _ => refusal(410, "This version of the API is no longer supported; use /levelPlay/network/instances/v4."),
        }
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        match why {
            Refusal::Unknown { method, path } => refusal(404, format!("{method} {path} does not exist.")),
            Refusal::TooLarge => refusal(413, "The request body is too large."),
            Refusal::Quota(seconds) => refusal(429, "Too many requests.").with("retry-after", &seconds.to_string()),
            // LevelPlay says that there are too many requests, but not how long to wait.
            Refusal::Injected(429) => refusal(429, "Too many requests."),
            Refusal::Injected(status) => refusal(*status, format!("Injected fault: status {status}.")),
            Refusal::NotStored => refusal(500, "The sandbox could not store the write; nothing was changed."),
            Refusal::Failed => refusal(500, "The sandbox failed; see its log."),
        }
    }

    fn book(&self) -> Option<&'static Book> {
        Some(&BOOK)
    }

    fn listing(&self) -> Option<&'static Listing> {
        Some(&LISTING)
    }
}
