//! `InMobi`: the inventory needs three headers, and reports need a session, of which only a few may be made.
//!
//! It must never issue more than fifteen sessions in eight hours.

mod auth;
mod manage;
mod report;
mod seed;

use serde_json::{Value, json};

use super::Kind::{Read, Token, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, names, op};
use crate::Quota;
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated `InMobi`.
pub struct InMobi;

pub const ID: &str = "inmobi";
const API: &str = "api.inmobi.com";

pub static BOOK: Book = Book {
    sources: &[13, 14],
    impressions: -0.003,
    revenue: 0.006,
    salt: 1501,
    note: "US dollars as numbers, days in UTC",
};

static LISTING: Listing = Listing {
    app: |app| app_id(app).to_string(),
    unit: |unit| placement_id(unit).to_string(),
    format: |format| seed::placement_type(FORMATS[format]),
};

static OPERATIONS: [Operation; 10] = [
    op(Token, "inmobi_auth", "GET", API, "/v1.0/generatesession/generate"),
    op(Read, "inmobi_list_apps", "GET", "", "/rest/api/v2/apps"),
    op(Write, "inmobi_create_app", "POST", "", "/rest/api/v2/apps"),
    op(Read, "inmobi_get_app", "GET", "", "/rest/api/v2/apps/{}"),
    op(Write, "inmobi_update_app", "PATCH", "", "/rest/api/v2/apps/{}"),
    op(Read, "inmobi_list_placements", "GET", "", "/rest/api/v1/placements"),
    op(Write, "inmobi_create_placement", "POST", "", "/rest/api/v1/placements"),
    op(Read, "inmobi_get_placement", "GET", "", "/rest/api/v1/placements/{}"),
    op(Write, "inmobi_update_placement", "PATCH", "", "/rest/api/v1/placements/{}"),
    op(Read, "inmobi_get_report", "POST", API, "/v3.0/reporting/publisher"),
];

/// Returns the ID of an app.
pub fn app_id(app: usize) -> u64 {
    names::number_id(&[1502, app as u64], 13)
}

/// Returns the placement of an ad unit.
pub fn placement_id(unit: usize) -> u64 {
    names::number_id(&[1503, unit as u64], 13)
}

/// Refuses a request to the inventory.
fn refusal(status: u16, message: impl AsRef<str>) -> Answer {
    Answer::json(status, json!({ "success": false, "code": status, "message": message.as_ref() }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(400, message)
}

/// Refuses a session or report: status 200, with the error in the body.
fn refused(code: u16, message: impl AsRef<str>) -> Answer {
    let error = json!({ "code": code, "message": message.as_ref() });
    Answer::ok(json!({ "respList": [], "error": true, "errorList": [error] }))
}

fn ok(status: u16, data: &Value) -> Answer {
    Answer::json(status, json!({ "success": true, "data": data }))
}

fn put(shelf: &str, id: &str, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object: object.clone() }
}

impl Network for InMobi {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        "publisher.inmobi.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        if call.operation.host == API { auth::by_session(inner, request) } else { auth::by_headers(inner, request) }
    }

    fn limit(&self, call: &Call) -> Option<(&'static str, Quota)> {
        // The network allows 500 requests in 15 minutes.
        (call.operation.host != API).then_some(("inventory", Quota { burst: 500, per_minute: 33 }))
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let (request, ids) = (&exchange.request, &exchange.call.ids);
        let answer = match exchange.call.operation.name {
            "inmobi_get_report" => report::answer(inner, request),
            "inmobi_list_apps" => manage::list_apps(&inner.store(), request),
            "inmobi_list_placements" => manage::list_placements(&inner.store(), request),
            "inmobi_get_app" => manage::get(&inner.store(), "app", &ids[0]),
            _ => manage::get(&inner.store(), "placement", &ids[0]),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, _inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let ids = &exchange.call.ids;
        let body = exchange.request.json().map_err(|error| bad(format!("The body is no JSON: {error}")))?;
        match exchange.call.operation.name {
            "inmobi_create_app" => manage::create_app(store, &body),
            "inmobi_update_app" => manage::update_app(store, &ids[0], &body),
            "inmobi_create_placement" => manage::create_placement(store, &body),
            _ => manage::update_placement(store, &ids[0], &body),
        }
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        auth::session(inner, &asked.request)
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        match why {
            Refusal::Unknown { method, path } => refusal(404, format!("{method} {path} does not exist.")),
            Refusal::TooLarge => refusal(413, "The request body is too large."),
            Refusal::Quota(seconds) => refusal(429, "Too many requests.").with("retry-after", &seconds.to_string()),
            Refusal::Injected(429) => refusal(429, "Too many requests.").with("retry-after", "1"),
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
