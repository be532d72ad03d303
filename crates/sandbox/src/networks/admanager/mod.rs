//! Google Ad Manager: one network that sells its own campaigns in the apps of the sandbox, behind Google's sign-in.
//!
//! It is driven by tables: `data/operations.txt` lists the operations, `data/schema.json` the fields of each object, and `data/actions.txt`
//! what the batch verbs set. It must never answer a report with numbers that the book does not have.
//!
//! Its campaigns run in addition to `AdMob`'s mediation and serve about a quarter of what the `AdMob` Network serves in an app.

mod delivery;
mod filter;
mod forecast;
mod lists;
mod objects;
mod report;
mod rules;
mod schema;
mod seed;
mod tables;
mod writes;

use serde_json::{Value, json};

use self::objects::{Call as Asked, NETWORK};
use self::writes::Changed;
use super::admob::errors::ApiError;
use super::admob::oauth;
use super::admob::tokens::AD_MANAGER_SCOPES;
use super::{Answer, Call, Caller, Done, Exchange, Kind, Listing, Network, Operation, Refusal, Request, Seeded, Seeds};
use super::{Unsigned, admob};
use crate::journal::{Effect, Entry};
use crate::state::{Inner, Store};
use crate::world::accounts;
use crate::world::books::Book;

/// The simulated Google Ad Manager.
pub struct AdManager;

pub const ID: &str = "admanager";
const HOST: &str = "admanager.googleapis.com";

pub static BOOK: Book = Book {
    sources: &[0],
    impressions: -0.75,
    revenue: -0.7,
    salt: 1701,
    note: "US dollars as numbers, days in UTC; about a quarter of what the AdMob Network serves in the same app",
};

static LISTING: Listing = Listing {
    app: |app| super::names::package(&crate::world::apps::APPS[app]),
    unit: unit_id,
    format: report::inventory_format,
};

/// Returns the Ad Manager ID of an ad unit, from its index in the sandbox.
pub fn unit_id(unit: usize) -> String {
    (22_800_000_011 + unit as u64).to_string()
}

fn refused(error: ApiError) -> Answer {
    error.of_service(HOST).into()
}

/// How a segment of a path compares with a segment of a template.
enum Segment<'a> {
    Other,
    Same,
    Id(&'a str),
}

/// Compares two segments: `{}` matches an ID, `{}:run` an ID with a verb.
fn segment<'a>(template: &str, part: &'a str) -> Segment<'a> {
    match template.strip_prefix("{}") {
        None if template == part => Segment::Same,
        None => Segment::Other,
        Some(verb) => match part.strip_suffix(verb) {
            Some(id) if !id.is_empty() && !id.contains(':') => Segment::Id(id),
            _ => Segment::Other,
        },
    }
}

/// Finds the operation of a path. The client cancels a run by its full name, which means the same as the short path.
fn find(method: &str, path: &str) -> Option<Call> {
    let short: Option<String> = path
        .strip_suffix(":cancel")
        .and_then(|run| run.rsplit_once("/operations/"))
        .map(|(_, run)| format!("/v1/operations/{}:cancel", objects::last(run)));
    let path = short.as_deref().unwrap_or(path);
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    tables::OPERATIONS.iter().filter(|it| it.method == method).find_map(|operation| {
        let template: Vec<&str> = operation.path.trim_matches('/').split('/').collect();
        if template.len() != parts.len() {
            return None;
        }
        let mut ids = Vec::new();
        for (template, part) in template.iter().zip(&parts) {
            match segment(template, part) {
                Segment::Other => return None,
                Segment::Same => {}
                Segment::Id(id) => ids.push(id.to_owned()),
            }
        }
        Some(Call { operation, ids })
    })
}

/// Checks scope, network and body.
fn admit<'a>(inner: &'a Inner, store: &'a Store, exchange: &'a Exchange) -> Result<Asked<'a>, ApiError> {
    let (request, caller, call) = (&exchange.request, &exchange.caller, &exchange.call);
    let allowed = if call.operation.kind == Kind::Write { &AD_MANAGER_SCOPES[..1] } else { &AD_MANAGER_SCOPES[..] };
    if !caller.may(allowed) {
        return Err(ApiError::scope_insufficient());
    }
    let identity = accounts::identity(&caller.email)
        .ok_or_else(|| ApiError::forbidden("API access is not enabled for this user in the Ad Manager network."))?;
    let meaning = tables::meaning(call.operation.name).ok_or_else(|| ApiError::internal("no such operation"))?;
    let empty = identity.accounts.is_empty();
    if call.operation.path.starts_with("/v1/networks/") {
        let code = call.ids.first().map_or("", String::as_str);
        if code.is_empty() || !code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ApiError::invalid("parent", format!("\"{code}\" is no network code; the form is {NETWORK}")));
        }
        if empty || code != NETWORK {
            let message = format!("The caller does not have permission for network {code}, or it does not exist.");
            return Err(ApiError::forbidden(message));
        }
    } else if empty && meaning.collection == "operations" && meaning.action != "list" {
        return Err(objects::not_found(request.path.trim_start_matches("/v1/")));
    }
    let body =
        request.json().map_err(|error| ApiError::malformed(format!("Invalid JSON payload received. {error}")))?;
    if !body.is_object() {
        return Err(ApiError::malformed("Invalid JSON payload received. The body must be an object."));
    }
    Ok(Asked {
        inner,
        store,
        meaning,
        path: &request.path,
        ids: &call.ids,
        query: &request.query,
        body: admob::normalised(body),
        caller: &caller.email,
    })
}

/// Answers a read. Starting a report run, and polling one, also change the store.
fn read(call: &Asked<'_>) -> Changed {
    let only = |answer: Result<Value, ApiError>| answer.map(|body| (body, Vec::new()));
    match (call.meaning.action, call.meaning.collection) {
        ("get", "operations") => report::runs::get(call),
        ("list", "operations") => report::runs::list(call),
        ("run", _) => report::runs::run(call),
        ("fetchRows", _) => only(report::runs::fetch(call)),
        ("search", _) => only(lists::search(call)),
        ("runAvailabilityForecast", _) => only(forecast::availability(call)),
        ("runDeliveryForecast", _) => only(forecast::delivery(call)),
        ("runTrafficData", _) => only(forecast::traffic(call)),
        ("list", _) => only(lists::list(call)),
        _ => only(lists::get(call)),
    }
}

fn write(call: &Asked<'_>) -> Changed {
    match (call.meaning.action, call.meaning.collection) {
        ("delete", "operations") => report::runs::delete(call),
        ("cancel", _) => report::runs::cancel(call),
        ("delete", _) => writes::delete(call),
        ("create", _) => writes::create(call),
        ("update", _) => writes::update(call),
        ("batchCreate", _) => writes::batch_create(call),
        ("batchUpdate", _) => writes::batch_update(call),
        ("batchAllow", _) => review(call, "Allow", "ALLOWED"),
        ("batchBlock", _) => review(call, "Block", "BLOCKED"),
        _ => writes::act(call),
    }
}

/// Allows or blocks ads of the ad review center. The answer is a long-running operation.
fn review(call: &Asked<'_>, kind: &str, status: &str) -> Changed {
    let mut effects: Vec<Effect> = Vec::new();
    for name in writes::names(call)? {
        let (shelf, id, ad) = objects::named(call.store, name)?;
        if shelf != "adReviewCenterAds" || !id.starts_with(&format!("{}/", call.ids[1])) {
            return Err(ApiError::invalid("names", format!("{name} is no ad of this web property")));
        }
        let mut ad = ad.clone();
        ad["status"] = json!(status);
        ad["manualReviewStatuses"] = json!([status]);
        effects.push(objects::put(shelf, &id, ad));
    }
    let (operation, effect) = report::runs::review(call, kind);
    effects.push(effect);
    Ok((operation, effects))
}

impl Network for AdManager {
    fn id(&self) -> &'static str {
        ID
    }

    fn host(&self) -> &'static str {
        HOST
    }

    fn operations(&self) -> &'static [Operation] {
        &tables::OPERATIONS
    }

    fn find(&self, request: &Request) -> Option<Call> {
        if let Some(endpoint) = oauth::endpoint(&request.method, &request.path) {
            let operation = tables::OPERATIONS.iter().find(|it| it.name == endpoint.row().name)?;
            return Some(Call { operation, ids: Vec::new() });
        }
        find(request.method.as_str(), &request.path)
    }

    fn authenticate(&self, inner: &Inner, _call: &Call, request: &Request) -> Result<Caller, Answer> {
        let token = request.authorization("bearer");
        let caller = token.and_then(|token| {
            oauth::published(inner, token).or_else(|| inner.store().tokens.caller(token, inner.now()))
        });
        caller.ok_or_else(|| refused(ApiError::unauthenticated()))
    }

    fn seed(&self, seeds: &Seeds) -> Vec<Seeded> {
        seed::objects(seeds)
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        let mut store = inner.store();
        let (body, effects) = match admit(inner, &store, exchange).and_then(|call| read(&call)) {
            Ok(done) => done,
            Err(error) => return refused(error),
        };
        if !effects.is_empty()
            && let Err(error) = store.commit(Entry::Kept { effects })
        {
            tracing::error!(%error, "the sandbox log cannot be written");
            return self.refuse(&Refusal::NotStored);
        }
        Answer::ok(body)
    }

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let done = admit(inner, store, exchange).and_then(|call| write(&call));
        done.map(|(body, effects)| (Answer::ok(body), effects)).map_err(refused)
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        admob::AdMob.token(inner, asked)
    }

    fn refuse(&self, refusal: &Refusal) -> Answer {
        refused(admob::error_of(refusal))
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
    fn verbs_and_ids_are_told_apart() {
        let name = |method: &str, path: &str| find(method, path).map(|call| (call.operation.name, call.ids));
        let ids = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(name("POST", "/v1/networks/7/reports/5:run"), Some(("admanager_run_report", ids(&["7", "5"]))));
        assert_eq!(
            name("GET", "/v1/networks/7/reports/5/results/9:fetchRows"),
            Some(("admanager_fetch_report_rows", ids(&["7", "5", "9"])))
        );
        assert_eq!(name("GET", "/v1/networks/7/orders/5").map(|it| it.0), Some("admanager_get_order"));
        assert_eq!(
            name("POST", "/v1/networks/7/orders:batchPause").map(|it| it.0),
            Some("admanager_batch_pause_orders")
        );
        assert_eq!(name("POST", "/v1/networks/7:runTrafficData").map(|it| it.0), Some("admanager_run_traffic_data"));
        assert_eq!(
            name("POST", "/v1/networks/7/operations/reports/runs/5:cancel"),
            Some(("admanager_cancel_operation", ids(&["5"])))
        );
        assert_eq!(name("DELETE", "/v1/networks/7/orders/5"), None);
    }
}
