//! `AppLovin` MAX: ad unit management with the management key in a header, reports with the report key in the query.
//!
//! In the sandbox, `AdMob` mediates, so MAX sees only `AppLovin`'s own demand: the MAX report and the network report have the same numbers.
//! It must never answer with numbers older than its 45 days.

mod columns;
mod experiments;
mod manage;
mod part;
mod report;
mod seed;
mod user_revenue;

use serde_json::{Value, json};

use super::Kind::{Read, Token, Write};
use super::{Answer, Call, Caller, Done, Exchange, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, names, op};
use crate::Quota;
use crate::credentials::{self, Standing};
use crate::state::{Inner, Store};
use crate::world::books::{Book, FORMATS};

/// The simulated `AppLovin` MAX.
pub struct AppLovin;

pub const ID: &str = "applovin";
const REPORTS: &str = "r.applovin.com";

pub static BOOK: Book = Book {
    sources: &[1, 2],
    impressions: -0.006,
    revenue: 0.004,
    salt: 1101,
    note: "US dollars as text with six decimals, days in UTC; the last 45 days",
};

static LISTING: Listing = Listing { app: app_id, unit: unit_id, format: |format| seed::ad_format(FORMATS[format]) };

static OPERATIONS: [Operation; 21] = [
    op(Read, "applovin_list_ad_units", "GET", "", "/mediation/v1/ad_units"),
    op(Write, "applovin_create_ad_unit", "POST", "", "/mediation/v1/ad_unit"),
    op(Read, "applovin_get_ad_unit", "GET", "", "/mediation/v1/ad_unit/{}"),
    op(Write, "applovin_update_ad_unit", "POST", "", "/mediation/v1/ad_unit/{}"),
    op(Read, "applovin_get_waterfall", "GET", "", "/mediation/v1/ad_unit/{}/{}"),
    op(Write, "applovin_update_waterfall", "POST", "", "/mediation/v1/ad_unit/{}/{}"),
    op(Read, "applovin_get_experiment", "GET", "", "/mediation/v1/ad_unit_experiment/{}"),
    op(Write, "applovin_manage_experiment", "POST", "", "/mediation/v1/ad_unit_experiment/{}"),
    op(Read, "applovin_get_segment_experiment", "GET", "", "/mediation/v1/ad_unit_experiment/{}/{}"),
    op(Write, "applovin_manage_segment_experiment", "POST", "", "/mediation/v1/ad_unit_experiment/{}/{}"),
    op(Read, "applovin_list_test_devices", "GET", "", "/mediation/v1/test_devices"),
    op(Write, "applovin_create_test_device", "POST", "", "/mediation/v1/test_device"),
    op(Read, "applovin_get_test_device", "GET", "", "/mediation/v1/test_device/{}"),
    op(Write, "applovin_update_test_device", "POST", "", "/mediation/v1/test_device/{}"),
    op(Read, "applovin_get_max_report", "GET", REPORTS, "/maxReport"),
    op(Read, "applovin_get_report", "GET", REPORTS, "/report"),
    op(Read, "applovin_get_cohort_report", "GET", REPORTS, "/maxCohort"),
    op(Read, "applovin_get_cohort_impressions_report", "GET", REPORTS, "/maxCohort/imp"),
    op(Read, "applovin_get_cohort_sessions_report", "GET", REPORTS, "/maxCohort/session"),
    op(Read, "applovin_get_user_ad_revenue", "GET", REPORTS, "/max/userAdRevenueReport"),
    op(Token, "applovin_download", "GET", REPORTS, "/files/{}"),
];

/// Returns the ID of an app; MAX identifies apps by their package.
fn app_id(app: usize) -> String {
    names::package(&crate::world::apps::APPS[app])
}

/// Returns the ID of the MAX ad unit for an ad unit of the sandbox.
pub fn unit_id(unit: usize) -> String {
    names::hex_id(&[1102, unit as u64], 16)
}

/// Returns the zone in the network's own report for an ad unit and one of its two ad sources.
pub fn zone_id(source: usize, unit: usize) -> String {
    names::hex_id(&[1104, source as u64, unit as u64], 16)
}

/// Refuses a request in `AppLovin`'s form: the code in the body and again in headers.
fn refusal(status: u16, message: &str) -> Answer {
    Answer::json(status, json!({ "code": status, "message": message }))
        .with("x-al-error-code", &status.to_string())
        .with("x-al-error-message", message)
}

fn bad(message: impl AsRef<str>) -> Answer {
    refusal(400, message.as_ref())
}

fn is_report(call: &Call) -> bool {
    call.operation.host == REPORTS
}

impl Network for AppLovin {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        "o.applovin.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &OPERATIONS
    }

    fn hidden(&self) -> &'static [&'static str] {
        &["api_key"]
    }

    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
        let (field, value, place) = if is_report(call) {
            ("report_key", request.query("api_key"), "the api_key parameter")
        } else {
            ("management_key", request.header("api-key"), "the Api-Key header")
        };
        let value = value.filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| refusal(401, &format!("Missing API key: send it in {place}.")))?;
        match credentials::standing(inner, ID, field, value) {
            Some(Standing::Valid)
                if !credentials::opens(
                    ID,
                    field,
                    value,
                    call.operation.kind == crate::networks::Kind::Write,
                    is_report(call),
                ) =>
            {
                Err(refusal(403, "This account has no permission to use this API."))
            }
            Some(Standing::Valid) if !part::opens(inner, call, request) => {
                Err(refusal(404, &format!("{} was not found.", call.ids.join("/"))))
            }
            Some(Standing::Valid) => Ok(Caller {
                email: credentials::owner().to_owned(),
                credential: field.to_owned(),
                scope: String::new(),
            }),
            Some(Standing::Revoked) => Err(refusal(401, "This API key has been revoked.")),
            Some(Standing::Expired) => Err(refusal(401, "This API key has expired; generate a new one.")),
            Some(Standing::NotAllowed) => Err(refusal(403, "This account has no permission to use this API.")),
            None => Err(refusal(401, "Invalid API key.")),
        }
    }

    fn limit(&self, call: &Call) -> Option<(&'static str, Quota)> {
        // The network allows 2000 requests per hour.
        (!is_report(call)).then_some(("management", Quota { burst: 2000, per_minute: 33 }))
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let answer = match exchange.call.operation.name {
            "applovin_get_max_report" => report::max(inner, &exchange.request),
            "applovin_get_report" => report::network(inner, &exchange.request),
            "applovin_get_cohort_report" => report::cohort(inner, &exchange.request, report::Cohort::Revenue),
            "applovin_get_cohort_impressions_report" => {
                report::cohort(inner, &exchange.request, report::Cohort::Impressions)
            }
            "applovin_get_cohort_sessions_report" => report::cohort(inner, &exchange.request, report::Cohort::Sessions),
            "applovin_get_user_ad_revenue" => user_revenue::links(inner, &exchange.request),
            name if name.contains("experiment") => {
                experiments::read(&inner.store(), &exchange.call.ids, &exchange.request)
            }
            _ => manage::read(&inner.store(), exchange),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    fn write(&self, _inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let body = exchange.request.json().map_err(|error| bad(format!("Invalid JSON: {error}")))?;
        if exchange.call.operation.name.contains("experiment") {
            return experiments::write(store, &exchange.call.ids, &body);
        }
        manage::write(store, exchange, &body)
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        user_revenue::file(inner, asked.call.ids.first().map_or("", String::as_str))
    }

    fn refuse(&self, why: &Refusal) -> Answer {
        match why {
            Refusal::Unknown { method, path } => refusal(404, &format!("{method} {path} does not exist.")),
            Refusal::TooLarge => refusal(413, "The request body is too large."),
            Refusal::Quota(seconds) => refusal(429, "Rate limit exceeded.").with("retry-after", &seconds.to_string()),
            Refusal::Injected(429) => refusal(429, "Rate limit exceeded.").with("retry-after", "1"),
            Refusal::Injected(status) => refusal(*status, &format!("Injected fault: status {status}.")),
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

/// The optional parts of an ad unit; shown only if `fields` names them.
const PARTS: [&str; 7] = [
    "ad_network_settings",
    "disabled_ad_network_settings",
    "frequency_capping_settings",
    "bid_floors",
    "segments",
    "banner_refresh_settings",
    "mrec_refresh_settings",
];

/// Returns the object as it is shown, without the optional parts that nobody asked for.
fn shown(object: &Value, request: &Request) -> Result<Value, Answer> {
    let wanted = super::table::list(request.query("fields").unwrap_or_default());
    if let Some(unknown) = wanted.iter().find(|name| !PARTS.contains(&name.as_str())) {
        return Err(bad(format!("fields: \"{unknown}\" does not exist; one of {} is expected.", PARTS.join(", "))));
    }
    let map = object.as_object().cloned().unwrap_or_default();
    let keep = |name: &str| !PARTS.contains(&name) || wanted.iter().any(|it| it == name);
    Ok(Value::Object(map.into_iter().filter(|(name, _)| keep(name) && name != part::OWNER).collect()))
}
