//! Pangle: signatures inside JSON bodies or over the sorted query, errors as codes in bodies with status 200, and one day per report.
//!
//! It must never accept a signature whose time is more than ten minutes off.

mod auth;
mod manage;
mod report;
mod seed;

use serde_json::{Value, json};

use super::Kind::{Read, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, names, op};
use crate::Quota;
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated Pangle.
pub struct Pangle;

pub const ID: &str = "pangle";

pub static BOOK: Book = Book {
    sources: &[11, 12],
    impressions: 0.009,
    revenue: -0.004,
    salt: 1601,
    note: "it reports in yuan (7.10 to the dollar here) and in days of UTC+8 unless asked for usd and time_zone 0; this is US dollars (ask here with timezone=8 for its own days)",
};

static LISTING: Listing = Listing {
    app: |app| app_id(app).to_string(),
    unit: |unit| slot_id(unit).to_string(),
    format: |format| seed::type_text(FORMATS[format]),
};

static OPERATIONS: [Operation; 11] = [
    op(Read, "pangle_query_apps", "POST", "", "/union/media/open_api/site/query"),
    op(Write, "pangle_create_app", "POST", "", "/union/media/open_api/site/create"),
    op(Write, "pangle_update_app", "POST", "", "/union/media/open_api/site/update"),
    op(Read, "pangle_query_ad_slots", "POST", "", "/union/media/open_api/code/query"),
    op(Write, "pangle_create_ad_slot", "POST", "", "/union/media/open_api/code/create"),
    op(Write, "pangle_update_ad_slot", "POST", "", "/union/media/open_api/code/update"),
    op(Write, "pangle_update_expected_cpm", "POST", "", "/union_pangle/open/api/code/cpm"),
    op(Read, "pangle_get_report", "GET", "", "/union_pangle/open/api/rt/income"),
    op(Read, "pangle_get_user_report", "GET", "", "/union/media/open_api/report/user"),
    op(Read, "pangle_get_app_report", "GET", "", "/union/media/open_api/report/app"),
    op(Read, "pangle_get_ad_slot_report", "GET", "", "/union/media/open_api/report/slot"),
];

/// Returns the ID of an app.
pub fn app_id(app: usize) -> u64 {
    names::number_id(&[1602, app as u64], 7)
}

/// Returns the ad slot of an ad unit.
pub fn slot_id(unit: usize) -> u64 {
    names::number_id(&[1603, unit as u64], 9)
}

/// Pangle's codes for what is wrong with a request.
#[derive(Debug, Clone, Copy)]
enum Code {
    Sign = 21001,
    Time = 21002,
    User = 21003,
    NoAccess = 21004,
    Frequent = 21006,
    Parameter = 50001,
    NotFound = 50002,
    Review = 50007,
}

/// Refuses a request to management or the older reports: status 200 with a code.
fn refusal(code: Code, message: impl AsRef<str>) -> Answer {
    Answer::ok(json!({ "code": code as i32, "message": message.as_ref(), "request_id": "sandbox", "data": null }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(Code::Parameter, message)
}

/// Refuses a request to report 2.0, whose field names begin with a capital letter.
fn refused(code: Code, message: impl AsRef<str>) -> Answer {
    let code = match code {
        Code::Sign => "PD0001",
        Code::Time | Code::Parameter => "PD0002",
        Code::User => "PD0003",
        Code::Frequent => "PD0006",
        _ => "PD0005",
    };
    Answer::ok(json!({ "Code": code, "Message": message.as_ref() }))
}

fn ok(data: &Value) -> Answer {
    Answer::ok(json!({ "code": 0, "message": "", "request_id": "sandbox", "data": data }))
}

fn put(shelf: &str, id: u64, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_string(), object: object.clone() }
}

impl Network for Pangle {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        "open-api.pangleglobal.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn hidden(&self) -> &'static [&'static str] {
        &["sign", "nonce", "timestamp", "user_id", "role_id", "version"]
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        match (call.operation.name, call.operation.method) {
            ("pangle_get_report", _) => auth::by_sorted_query(inner, request),
            (_, "GET") => auth::by_query(inner, request),
            _ => auth::by_body(inner, request),
        }
    }

    fn limit(&self, call: &Call) -> Option<(&'static str, Quota)> {
        // The network allows five requests per second; here they are averaged over a minute.
        (call.operation.method == "GET").then_some(("reporting", Quota { burst: 300, per_minute: 300 }))
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let request = &exchange.request;
        let answer = match exchange.call.operation.name {
            "pangle_get_report" => report::answer(inner, request),
            "pangle_get_user_report" => report::older(inner, request, &[]),
            "pangle_get_app_report" => report::older(inner, request, &["app_id", "app_name"]),
            "pangle_get_ad_slot_report" => {
                report::older(inner, request, &["app_id", "app_name", "ad_slot_id", "ad_slot_name"])
            }
            "pangle_query_apps" => manage::query_apps(&inner.store(), request),
            _ => manage::query_slots(&inner.store(), request),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, _inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let body = exchange.request.json().map_err(|error| bad(format!("parameter error: no JSON: {error}")))?;
        match exchange.call.operation.name {
            "pangle_create_app" => manage::create_app(store, &body),
            "pangle_update_app" => manage::update_app(store, &body),
            "pangle_create_ad_slot" => manage::create_slot(store, &body),
            "pangle_update_ad_slot" => manage::update_slot(store, &body),
            _ => manage::expected_cpm(store, &body),
        }
    }

    fn token(&self, _inner: &Inner, _asked: &Unsigned) -> Answer {
        refusal(Code::NotFound, "not found")
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        let at = |status: u16, message: &str| Answer::json(status, json!({ "code": status, "message": message }));
        match why {
            Refusal::Unknown { method, path } => at(404, &format!("{method} {path} does not exist")),
            Refusal::TooLarge => at(413, "request body is too large"),
            // The limit is a code in a body with status 200.
            Refusal::Quota(_) => refusal(Code::Frequent, "requests are too frequent"),
            Refusal::Injected(429) => at(429, "requests are too frequent"),
            Refusal::Injected(status) => at(*status, &format!("Injected fault: status {status}")),
            Refusal::NotStored => at(500, "the sandbox could not store the write; nothing was changed"),
            Refusal::Failed => at(500, "the sandbox failed; see its log"),
        }
    }

    fn book(&self) -> Option<&'static Book> {
        Some(&BOOK)
    }

    fn listing(&self) -> Option<&'static Listing> {
        Some(&LISTING)
    }
}
