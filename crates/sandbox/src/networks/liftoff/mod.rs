//! Liftoff Monetize (Vungle): management needs a token exchange; reports need a key and fixed headers.
//!
//! It must never accept the reporting key for management, or the management token for reports.

mod auth;
mod manage;
mod report;
mod seed;

use serde_json::{Value, json};

use super::Kind::{Read, Token, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, names, op};
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated Liftoff.
pub struct Liftoff;

pub const ID: &str = "liftoff";
const REPORTS: &str = "report.api.vungle.com";
const TOKENS: &str = "auth-api.vungle.com";

pub static BOOK: Book = Book {
    sources: &[7, 8],
    impressions: 0.007,
    revenue: 0.011,
    salt: 1401,
    note: "US dollars as numbers, days in UTC; the last six months",
};

static LISTING: Listing =
    Listing { app: application_id, unit: placement_id, format: |format| seed::placement_type(FORMATS[format]) };

static OPERATIONS: [Operation; 12] = [
    op(Token, "liftoff_auth", "GET", TOKENS, "/v2/auth"),
    op(Token, "liftoff_auth", "GET", TOKENS, "/auth"),
    op(Read, "liftoff_get_account", "GET", "", "/api/v1/accounts/me"),
    op(Read, "liftoff_list_applications", "GET", "", "/api/v1/applications"),
    op(Write, "liftoff_create_application", "POST", "", "/api/v1/applications"),
    op(Read, "liftoff_get_application", "GET", "", "/api/v1/applications/{}"),
    op(Write, "liftoff_update_application", "PATCH", "", "/api/v1/applications/{}"),
    op(Read, "liftoff_list_placements", "GET", "", "/api/v1/placements"),
    op(Write, "liftoff_create_placement", "POST", "", "/api/v1/placements"),
    op(Read, "liftoff_get_placement", "GET", "", "/api/v1/placements/{}"),
    op(Write, "liftoff_update_placement", "PATCH", "", "/api/v1/placements/{}"),
    op(Read, "liftoff_get_performance_report", "GET", REPORTS, "/ext/pub/reports/performance"),
];

/// Returns the application ID of an app.
pub fn application_id(app: usize) -> String {
    names::hex_id(&[1402, app as u64], 24)
}

/// Returns the placement of an ad unit.
pub fn placement_id(unit: usize) -> String {
    names::hex_id(&[1403, unit as u64], 24)
}

fn refusal(status: u16, message: impl AsRef<str>) -> Answer {
    let error = axum::http::StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason()).unwrap_or("Error");
    Answer::json(status, json!({ "statusCode": status, "error": error, "message": message.as_ref() }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(400, message)
}

fn put(shelf: &str, id: &str, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object: object.clone() }
}

impl Network for Liftoff {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        "publisher-api.vungle.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        if call.operation.host == REPORTS {
            auth::by_reporting_key(inner, request)
        } else {
            auth::by_token(inner, request)
        }
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let request = &exchange.request;
        let answer = match exchange.call.operation.name {
            "liftoff_get_performance_report" => report::answer(inner, request),
            "liftoff_get_account" => Ok(manage::account()),
            "liftoff_list_applications" => manage::list(&inner.store(), request, "application", "platform"),
            "liftoff_list_placements" => manage::list(&inner.store(), request, "placement", "application"),
            "liftoff_get_application" => manage::get(&inner.store(), "application", &exchange.call.ids[0]),
            _ => manage::get(&inner.store(), "placement", &exchange.call.ids[0]),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let body = exchange.request.json().map_err(|error| bad(format!("The body is no JSON: {error}")))?;
        match exchange.call.operation.name {
            "liftoff_create_application" => manage::create_application(inner, store, &body),
            "liftoff_update_application" => manage::update_application(inner, store, &exchange.call.ids[0], &body),
            "liftoff_create_placement" => manage::create_placement(inner, store, &body),
            _ => manage::update_placement(inner, store, &exchange.call.ids[0], &body),
        }
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        auth::exchange(inner, &asked.request)
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        match why {
            Refusal::Unknown { method, path } => refusal(404, format!("Cannot {method} {path}")),
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
