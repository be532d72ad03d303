//! The requests to each network in the fault tests, and how each network says yes and no.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::support::operation;
use crate::catalogue::Operation;

/// A read of each network as its catalog binds it, a write if it has one, and a good reply to the read.
pub struct Case {
    pub network: Network,
    pub read: Operation,
    pub write: Operation,
    pub good: Json,
    /// Refusals in the network's own form: wrong credentials, unknown ID.
    pub wrong_credentials: (u16, Json),
    pub unknown_id: (u16, Json),
}

pub fn cases() -> Vec<Case> {
    let mut all = google();
    all.extend(by_status());
    all.extend(by_mark());
    all
}

type No = (u16, Json);

fn case(
    network: Network,
    read: &Json,
    items: &str,
    write: &Json,
    good: Json,
    [wrong_credentials, unknown_id]: [No; 2],
) -> Case {
    Case {
        network,
        read: operation(network, read, "list", &json!(items), true),
        write: operation(network, write, "object", &Json::Null, false),
        good,
        wrong_credentials,
        unknown_id,
    }
}

fn google() -> Vec<Case> {
    let no = |code: u16, status: &str| {
        (code, json!({"error": {"code": code, "status": status, "message": "No such thing"}}))
    };
    [(Network::AdMob, "https://admob.googleapis.com"), (Network::AdManager, "https://admanager.googleapis.com")]
        .into_iter()
        .map(|(network, host)| {
            let read = json!({"method": "GET", "base": host, "path": "/v1/things"});
            let write = json!({"method": "POST", "base": host, "path": "/v1/things", "body": true});
            let noes = [no(401, "UNAUTHENTICATED"), no(404, "NOT_FOUND")];
            case(network, &read, "things", &write, json!({"things": [{"id": 1}]}), noes)
        })
        .collect()
}

/// Returns the networks whose status says yes or no.
fn by_status() -> Vec<Case> {
    let no = |code: u16, words: &str| (code, json!({"message": words}));
    let binding = |method: &str, base: &str, path: &str, auth: &str| json!({"method": method, "base": base, "path": path, "body": method != "GET", "auth": auth});
    let rows = json!([{"id": 1}]);
    let max = |method: &str, path: &str| {
        json!({"method": method, "base": "https://o.applovin.com/mediation/v1", "path": path, "body": method != "GET",
            "header_auth": {"Api-Key": "management_key"}})
    };
    let of = |network, base: &str, path: &str, auth: &str, noes| {
        case(network, &binding("GET", base, path, auth), "", &binding("POST", base, path, auth), rows.clone(), noes)
    };
    vec![
        case(
            Network::AppLovin,
            &max("GET", "/ad_units"),
            "",
            &max("POST", "/ad_unit"),
            rows.clone(),
            [no(401, "Invalid API key"), no(404, "Ad unit not found")],
        ),
        of(
            Network::Unity,
            "https://platform.ironsrc.com",
            "/partners/publisher/applications/v6",
            "levelplay_bearer",
            [no(401, "Invalid token"), no(404, "no such app")],
        ),
        of(
            Network::Liftoff,
            "https://publisher-api.vungle.com/api/v1",
            "/applications",
            "bearer_jwt",
            [no(401, "Unauthorized"), no(404, "Not Found")],
        ),
        of(
            Network::DtExchange,
            "https://console.fyber.com",
            "/api/management/v1/app",
            "management_bearer",
            [no(401, "Invalid token"), no(404, "App not found")],
        ),
    ]
}

/// Returns the networks that answer 200 and say no in the body.
fn by_mark() -> Vec<Case> {
    let mintegral = |method: &str, path: &str| {
        let mut binding =
            json!({"method": method, "base": "https://dev.mintegral.com", "path": path, "auth": "md5_time"});
        if method == "POST" {
            binding["body"] = true.into();
            binding["body_encoding"] = "form".into();
        }
        binding
    };
    let inmobi = |method: &str| json!({"method": method, "base": "https://publisher.inmobi.com", "path": "/rest/api/v2/apps", "body": method != "GET", "auth": "header_key"});
    let pangle = |path: &str| json!({"method": "POST", "base": "https://open-api.pangleglobal.com", "path": path, "body": true, "auth": "sha1_body"});
    let no = |body: Json| (200, body);
    vec![
        case(
            Network::Mintegral,
            &mintegral("GET", "/v2/app/open_api_list"),
            "data.lists",
            &mintegral("POST", "/app/open_api_create"),
            json!({"code": 200, "msg": "success", "data": {"lists": [{"id": 1}]}}),
            [no(json!({"code": -2004, "msg": "sign error"})), no(json!({"code": -2010, "msg": "app not exist"}))],
        ),
        case(
            Network::InMobi,
            &inmobi("GET"),
            "data.records",
            &inmobi("POST"),
            json!({"success": true, "data": {"records": [{"id": 1}]}}),
            [
                no(json!({"success": false, "message": "Invalid credentials"})),
                no(json!({"success": false, "message": "App not found"})),
            ],
        ),
        case(
            Network::Pangle,
            &pangle("/union/media/open_api/site/query"),
            "data.app_list",
            &pangle("/union/media/open_api/site/create"),
            json!({"code": 0, "data": {"app_list": [{"id": 1}]}}),
            [
                no(json!({"code": 21_001, "message": "invalid signature"})),
                no(json!({"code": 50_001, "message": "app does not exist"})),
            ],
        ),
    ]
}
