//! Mintegral: every call is signed with the time, bodies are forms, errors are codes in bodies with status 200, and reports cover at most
//! seven days.
//!
//! It must never accept a signature whose time is more than five minutes off.

mod report;
mod seed;
mod units;

use md5::{Digest as _, Md5};
use serde_json::{Value, json};

use super::Kind::{Read, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, names, op};
use crate::credentials::{self, Standing};
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated Mintegral.
pub struct Mintegral;

pub const ID: &str = "mintegral";
const REPORTS: &str = "api.mintegral.com";
/// How many seconds the time of a signature may be off.
const SKEW: i64 = 300;

pub static BOOK: Book = Book {
    sources: &[9, 10],
    impressions: -0.009,
    revenue: -0.012,
    salt: 1301,
    note: "US dollars as numbers; its own days are UTC+8 unless timezone says otherwise (ask here with timezone=8); 7 days a call, 60 days back",
};

static LISTING: Listing = Listing {
    app: |app| app_id(app).to_string(),
    unit: |unit| placement_id(unit).to_string(),
    format: |format| seed::ad_type(FORMATS[format]),
};

static OPERATIONS: [Operation; 12] = [
    op(Read, "mintegral_list_apps", "GET", "", "/v2/app/open_api_list"),
    op(Write, "mintegral_create_app", "POST", "", "/app/open_api_create"),
    op(Write, "mintegral_update_app", "POST", "", "/app/open_api_edit"),
    op(Read, "mintegral_list_placements", "GET", "", "/v2/placement/open_api_list"),
    op(Write, "mintegral_create_placement", "POST", "", "/v2/placement/open_api_create"),
    op(Write, "mintegral_update_placement", "POST", "", "/v2/placement/open_api_edit"),
    op(Write, "mintegral_delete_placements", "POST", "", "/v2/placement/open_api_delete"),
    op(Read, "mintegral_list_ad_units", "GET", "", "/v2/unit/open_api_list"),
    op(Write, "mintegral_create_ad_unit", "POST", "", "/v2/unit/open_api_create"),
    op(Write, "mintegral_update_ad_unit", "POST", "", "/v2/unit/open_api_edit"),
    op(Write, "mintegral_delete_ad_units", "POST", "", "/unit/open_api_delete"),
    op(Read, "mintegral_get_report", "GET", REPORTS, "/reporting/v2/data"),
];

/// Returns the ID of an app.
pub fn app_id(app: usize) -> u64 {
    names::number_id(&[1302, app as u64], 6)
}

/// Returns the placement of an ad unit.
pub fn placement_id(unit: usize) -> u64 {
    names::number_id(&[1303, unit as u64], 7)
}

/// Returns Mintegral's ad unit for a placement and one of its two ad sources.
pub fn unit_id(unit: usize, source: usize) -> u64 {
    names::number_id(&[1304, unit as u64, source as u64], 7)
}

/// Mintegral's codes for what is wrong with a request.
#[derive(Debug, Clone, Copy)]
enum Code {
    Time = -2001,
    Sign = -2002,
    Skey = -2003,
    NoAccess = -2004,
    NotFound = -2005,
    Parameter = -2006,
    Frequent = -2008,
}

/// Refuses a request: status 200 with a code.
fn refusal(code: Code, message: impl AsRef<str>) -> Answer {
    Answer::ok(json!({ "code": code as i32, "msg": message.as_ref() }))
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(Code::Parameter, message)
}

fn ok(data: &Value) -> Answer {
    Answer::ok(json!({ "code": 200, "msg": "success", "data": data }))
}

fn put(shelf: &str, id: u64, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_string(), object: object.clone() }
}

fn gone(shelf: &str, id: u64) -> Effect {
    Effect::Drop { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_string() }
}

fn is_write(call: &Call) -> bool {
    call.operation.kind == crate::networks::Kind::Write
}

fn is_report(call: &Call) -> bool {
    call.operation.name == "mintegral_get_report"
}

fn md5(text: &str) -> String {
    hex::encode(Md5::digest(text))
}

/// Returns the signature for a secret and a time.
fn signature(secret: &str, time: &str) -> String {
    md5(&format!("{secret}{}", md5(time)))
}

/// Returns a parameter from a form body or the query.
fn parameter(request: &Request, form: &[(String, String)], name: &str) -> Option<String> {
    let posted = form.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    posted.or_else(|| request.query(name).map(str::to_owned)).filter(|value| !value.is_empty())
}

impl Network for Mintegral {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        "dev.mintegral.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn hidden(&self) -> &'static [&'static str] {
        &["skey", "time", "sign"]
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        let form = if request.is_form() { request.form() } else { Vec::new() };
        let get = |name: &str| parameter(request, &form, name);
        let skey = get("skey").ok_or_else(|| refusal(Code::Skey, "skey is required"))?;
        let time = get("time").ok_or_else(|| refusal(Code::Time, "time is required"))?;
        let sign = get("sign").ok_or_else(|| refusal(Code::Sign, "sign is required"))?;
        let now = inner.now().as_second();
        if time.parse::<i64>().ok().is_none_or(|at| (at - now).abs() > SKEW) {
            return Err(refusal(Code::Time, "time error: the request time is more than 300 seconds off"));
        }
        let set = credentials::by_value(ID, "skey", &skey).ok_or_else(|| refusal(Code::Skey, "skey error"))?;
        if signature(set.field("secret").unwrap_or_default(), &time) != sign {
            return Err(refusal(Code::Sign, "sign error"));
        }
        match credentials::standing(inner, ID, "skey", &skey) {
            Some(Standing::Valid) if !credentials::opens(ID, "skey", &skey, is_write(call), is_report(call)) => {
                Err(refusal(Code::NoAccess, "No Access"))
            }
            Some(Standing::Valid) => Ok(Caller {
                email: credentials::owner().to_owned(),
                credential: "skey".to_owned(),
                scope: String::new(),
            }),
            Some(Standing::Expired) => Err(refusal(Code::Skey, "skey has expired")),
            Some(Standing::NotAllowed) => Err(refusal(Code::NoAccess, "No Access")),
            _ => Err(refusal(Code::Skey, "skey has been reset")),
        }
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let request = &exchange.request;
        let answer = match exchange.call.operation.name {
            "mintegral_get_report" => report::answer(inner, request),
            "mintegral_list_apps" => units::list(&inner.store(), request, "app", &["app_id"]),
            "mintegral_list_placements" => units::list(&inner.store(), request, "placement", &["app_id"]),
            _ => units::list(&inner.store(), request, "unit", &["app_id", "placement_id"]),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, _inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        if !exchange.request.is_form() {
            return Err(bad("params error: the body must be application/x-www-form-urlencoded"));
        }
        let form = units::Form::of(exchange.request.form());
        match exchange.call.operation.name {
            "mintegral_create_app" => units::create_app(store, &form),
            "mintegral_update_app" => units::update_app(store, &form),
            "mintegral_create_placement" => units::create_placement(store, &form),
            "mintegral_update_placement" => units::update_placement(store, &form),
            "mintegral_delete_placements" => units::delete_placements(store, &form),
            "mintegral_create_ad_unit" => units::create_unit(store, &form),
            "mintegral_update_ad_unit" => units::update_unit(store, &form),
            _ => units::delete_units(store, &form),
        }
    }

    fn token(&self, _inner: &Inner, _asked: &Unsigned) -> Answer {
        refusal(Code::NotFound, "not exist")
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        let at = |status: u16, message: &str| Answer::json(status, json!({ "code": status, "msg": message }));
        match why {
            Refusal::Unknown { method, path } => at(404, &format!("{method} {path} does not exist")),
            Refusal::TooLarge => at(413, "request entity too large"),
            // The limit is a code in a body with status 200, without a hint when to come back.
            Refusal::Quota(_) => refusal(Code::Frequent, "Requests are too frequent, please try again later"),
            Refusal::Injected(429) => at(429, "Requests are too frequent, please try again later"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_md5_of_the_secret_and_the_md5_of_the_time() {
        // From `printf 1700000000 | md5sum` and then `printf 'secret<that>' | md5sum`.
        assert_eq!(md5("1700000000"), "24920decf83f6960b80f737a28eeafc1");
        assert_eq!(signature("secret", "1700000000"), "1c4ae5ab394f2ac67c4b5f14b4479871");
    }
}
