//! DT Exchange and `FairBid`: management and reports, each with its own client credentials, and an older report signed with OAuth 1.
//!
//! IDs come in the query. The network must not return a report file on the first two requests: a link answers 404 until the file is ready.

mod auth;
mod manage;
mod report;
mod seed;

use serde_json::{Value, json};

use super::Kind::{Read, Token, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, exchange, names, op};
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated DT Exchange.
pub struct DtExchange;

pub const ID: &str = "dtexchange";
const CONSOLE: &str = "console.fyber.com";
const REPORTS: &str = "reporting.fyber.com";
const OLDER: &str = "revenuedesk.fyber.com";

pub static BOOK: Book = Book {
    sources: &[15, 16],
    impressions: 0.002,
    revenue: -0.007,
    salt: 1701,
    note: "US dollars as text with six decimals, days in UTC",
};

static LISTING: Listing =
    Listing { app: app_id, unit: placement_id, format: |format| seed::placement_type(FORMATS[format]) };

const APP: &str = "/api/management/v1/app";
const PLACEMENT: &str = "/api/management/v1/placement";
const INSTANCE: &str = "/api/management/v1/instance";

static OPERATIONS: [Operation; 20] = [
    op(Token, "dtexchange_auth", "POST", "", "/api/v2/management/auth"),
    op(Token, "dtexchange_auth", "POST", REPORTS, "/auth/v1/token"),
    op(Read, "dtexchange_list_apps", "GET", "", APP),
    op(Read, "dtexchange_get_app", "GET", "", APP),
    op(Write, "dtexchange_create_app", "POST", "", APP),
    op(Write, "dtexchange_update_app", "PUT", "", APP),
    op(Write, "dtexchange_delete_app", "DELETE", "", APP),
    op(Read, "dtexchange_list_placements", "GET", "", PLACEMENT),
    op(Read, "dtexchange_get_placement", "GET", "", PLACEMENT),
    op(Write, "dtexchange_create_placement", "POST", "", PLACEMENT),
    op(Write, "dtexchange_update_placement", "PUT", "", PLACEMENT),
    op(Write, "dtexchange_delete_placement", "DELETE", "", PLACEMENT),
    op(Read, "dtexchange_list_instances", "GET", "", INSTANCE),
    op(Read, "dtexchange_get_instance", "GET", "", INSTANCE),
    op(Write, "dtexchange_create_instance", "POST", "", INSTANCE),
    op(Write, "dtexchange_update_instance", "PUT", "", INSTANCE),
    op(Write, "dtexchange_delete_instance", "DELETE", "", INSTANCE),
    op(Read, "dtexchange_create_report", "POST", REPORTS, "/api/v1/report"),
    op(Token, "dtexchange_download", "GET", REPORTS, "/files/{}"),
    op(Read, "dtexchange_get_performance_report", "GET", OLDER, "/iamp/services/performance/{}/vamp/{}/{}"),
];

/// Returns the ID of an app.
pub fn app_id(app: usize) -> String {
    names::number_id(&[1702, app as u64], 6).to_string()
}

/// Returns the placement of an ad unit.
pub fn placement_id(unit: usize) -> String {
    names::number_id(&[1703, unit as u64], 7).to_string()
}

fn refusal(status: u16, message: impl AsRef<str>) -> Answer {
    let error = axum::http::StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason()).unwrap_or("Error");
    Answer::json(status, json!({ "status": status, "error": error, "message": message.as_ref() }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(400, message)
}

fn put(shelf: &str, id: &str, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object: object.clone() }
}

fn gone(shelf: &str, id: &str) -> Effect {
    Effect::Drop { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned() }
}

impl Network for DtExchange {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        CONSOLE
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn hidden(&self) -> &'static [&'static str] {
        &["client_secret", "oauth_signature", "oauth_nonce", "oauth_timestamp", "oauth_consumer_key"]
    }

    /// Finds the operation of a request. Only the ID in the query distinguishes a read of one object from a list.
    fn find(&self, request: &Request) -> Option<Call> {
        let call = exchange::by_template(&OPERATIONS, CONSOLE, request)?;
        let single = match call.operation.name {
            "dtexchange_list_apps" => ("appId", "dtexchange_get_app"),
            "dtexchange_list_placements" => ("placementId", "dtexchange_get_placement"),
            "dtexchange_list_instances" => ("instanceInternalId", "dtexchange_get_instance"),
            _ => return Some(call),
        };
        if request.query(single.0).is_none() {
            return Some(call);
        }
        let operation = OPERATIONS.iter().find(|operation| operation.name == single.1)?;
        Some(Call { operation, ids: Vec::new() })
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        match call.operation.host {
            REPORTS => auth::by_token(inner, request, "reporting"),
            OLDER => auth::by_oauth1(inner, request),
            _ => auth::by_token(inner, request, "management"),
        }
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let request = &exchange.request;
        let answer = match exchange.call.operation.name {
            "dtexchange_create_report" => report::create(request),
            "dtexchange_get_performance_report" => report::older(inner, &exchange.call.ids),
            name => manage::read(&inner.store(), name, request),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, _inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let request = &exchange.request;
        let body = request.json().map_err(|error| bad(format!("The body is no JSON: {error}")))?;
        manage::write(store, exchange.call.operation.name, request, &body)
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        if asked.call.operation.name == "dtexchange_download" {
            return report::file(inner, &asked.request, asked.call.ids.first().map_or("", String::as_str));
        }
        auth::exchange(inner, &asked.request, asked.call.operation.host == REPORTS)
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
