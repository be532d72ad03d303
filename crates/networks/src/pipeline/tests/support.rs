//! Operations in the form of the catalogue files, credentials for every network, and a transport with short waits.

use std::{sync::Arc, time::Duration};

use adagent_contract::Progress;
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::{
    Credentials, ProgressSink, SecretFields, ToolError, Tuning,
    catalogue::Operation,
    pipeline::{Call, Follow, Reply, SendError, Transport, breaker::BreakerPolicy, http_client},
};

pub const NOW: &str = "2026-11-22T09:00:00Z";

/// Every field any network asks for.
const FIELDS: [&str; 24] = [
    "access_token",
    "management_key",
    "report_key",
    "secret_key",
    "refresh_token",
    "organization_id",
    "key_id",
    "service_secret_key",
    "stats_api_key",
    "skey",
    "secret",
    "secret_token",
    "reporting_api_key",
    "user_name",
    "account_id",
    "user_id",
    "role_id",
    "security_key",
    "client_id",
    "client_secret",
    "reporting_client_id",
    "reporting_client_secret",
    "consumer_key",
    "consumer_secret",
];

pub fn credentials(base: &str, network: Network) -> Credentials {
    let value = |name: &str| match name {
        "user_id" | "role_id" => "459".to_owned(),
        name => format!("{name}-hush"),
    };
    Credentials {
        fields: FIELDS.iter().map(|name| ((*name).to_owned(), value(name).into())).collect::<SecretFields>(),
        base_url: format!("{base}/{}", network.id()).parse().expect("valid"),
        sandbox: true,
        accounts: Vec::new(),
        connection: Some(ConnectionId::new(&SequentialIds::default())),
        version: 1,
    }
}

pub fn tuning() -> Tuning {
    Tuning {
        total_timeout: Duration::from_millis(300),
        limit_patience: Duration::from_millis(50),
        poll_first: Duration::from_millis(1),
        poll_most: Duration::from_millis(2),
        poll_total: Duration::from_millis(40),
        breaker: BreakerPolicy { failures: 1000, open_millis: 1000 },
        ..Tuning::default()
    }
}

pub struct Desk {
    pub transport: Transport,
    pub clock: Arc<ManualClock>,
}

pub fn desk() -> Desk {
    desk_with(tuning())
}

pub fn desk_with(tuning: Tuning) -> Desk {
    // A second test of the same process finds it installed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let clock = Arc::new(ManualClock::at(NOW.parse().expect("valid")));
    let client = http_client(&tuning).expect("builds");
    // No chance: waits are the shortest there are.
    Desk { transport: Transport::new(client, clock.clone(), Arc::new(|| 0.0), tuning), clock }
}

#[derive(Default)]
pub struct Told(pub Vec<String>);

#[async_trait]
impl ProgressSink for Told {
    async fn progress(&mut self, message: &str, _: Option<Progress>) {
        self.0.push(message.to_owned());
    }
}

impl Desk {
    pub async fn call(
        &self,
        operation: &Operation,
        args: &Json,
        credentials: &Credentials,
    ) -> Result<Reply, SendError> {
        self.follow(operation, args, credentials, &Follow::default(), &mut Told::default()).await
    }

    pub async fn follow(
        &self,
        operation: &Operation,
        args: &Json,
        credentials: &Credentials,
        follow: &Follow,
        told: &mut Told,
    ) -> Result<Reply, SendError> {
        self.transport.call(&Call { workspace: None, operation, args, credentials, follow }, told).await
    }
}

pub fn failed(result: Result<Reply, SendError>) -> ToolError {
    match result {
        Err(SendError::Failed(error)) => error,
        Err(SendError::Unauthorized) => ToolError::auth_failed(Network::AdMob),
        Ok(reply) => panic!("it worked: {:?}", reply.body),
    }
}

pub fn operation(network: Network, http: &Json, kind: &str, items_path: &Json, read_only: bool) -> Operation {
    let name = format!("{}_test", network.id());
    Operation::for_tests(
        network,
        json!({"name": name, "title": "Test", "description": "", "capability": "inventory", "tags": [],
            "read_only": read_only, "destructive": false, "idempotent": read_only, "http": http,
            "input_schema": {"type": "object"}, "entity_params": {},
            "result": {"kind": kind, "items_path": items_path, "pagination": null}}),
    )
}

/// A read of each network as its catalogue binds it, a write where it has one, and a good reply to the read.
pub struct Case {
    pub network: Network,
    pub read: Operation,
    pub write: Operation,
    pub good: Json,
    /// Replies that say no in the network's own way: wrong credentials, unknown id.
    pub wrong_credentials: (u16, Json),
    pub unknown_id: (u16, Json),
}

pub fn cases() -> Vec<Case> {
    let case =
        |network, read: Json, items: Json, write: Json, good: Json, wrong: (u16, Json), unknown: (u16, Json)| Case {
            network,
            read: operation(network, &read, "list", &items, true),
            write: operation(network, &write, "object", &Json::Null, false),
            good,
            wrong_credentials: wrong,
            unknown_id: unknown,
        };
    let google = |host: &str| {
        (
            json!({"method": "GET", "base": host, "path": "/v1/things"}),
            json!({"method": "POST", "base": host, "path": "/v1/things", "body": true}),
        )
    };
    let google_no = |code: u16, status: &str| {
        (code, json!({"error": {"code": code, "status": status, "message": "No such thing"}}))
    };
    let plain_no = |code: u16, words: &str| (code, json!({"message": words}));
    let (admob_read, admob_write) = google("https://admob.googleapis.com");
    let (gam_read, gam_write) = google("https://admanager.googleapis.com");
    let key = json!({"Api-Key": "management_key"});
    vec![
        case(
            Network::AdMob,
            admob_read,
            json!("things"),
            admob_write,
            json!({"things": [{"id": 1}]}),
            google_no(401, "UNAUTHENTICATED"),
            google_no(404, "NOT_FOUND"),
        ),
        case(
            Network::AdManager,
            gam_read,
            json!("things"),
            gam_write,
            json!({"things": [{"id": 1}]}),
            google_no(401, "UNAUTHENTICATED"),
            google_no(404, "NOT_FOUND"),
        ),
        case(
            Network::AppLovin,
            json!({"method": "GET", "base": "https://o.applovin.com/mediation/v1", "path": "/ad_units", "header_auth": key}),
            json!(""),
            json!({"method": "POST", "base": "https://o.applovin.com/mediation/v1", "path": "/ad_unit", "body": true, "header_auth": key}),
            json!([{"id": 1}]),
            plain_no(401, "Invalid API key"),
            plain_no(404, "Ad unit not found"),
        ),
        case(
            Network::Unity,
            json!({"method": "GET", "base": "https://platform.ironsrc.com", "path": "/partners/publisher/applications/v6", "auth": "levelplay_bearer"}),
            json!(""),
            json!({"method": "POST", "base": "https://platform.ironsrc.com", "path": "/partners/publisher/applications/v6", "body": true, "auth": "levelplay_bearer"}),
            json!([{"id": 1}]),
            plain_no(401, "Invalid token"),
            plain_no(404, "no such app"),
        ),
        case(
            Network::Mintegral,
            json!({"method": "GET", "base": "https://dev.mintegral.com", "path": "/v2/app/open_api_list", "auth": "md5_time"}),
            json!("data.lists"),
            json!({"method": "POST", "base": "https://dev.mintegral.com", "path": "/app/open_api_create", "body": true, "body_encoding": "form", "auth": "md5_time"}),
            json!({"code": 200, "msg": "success", "data": {"lists": [{"id": 1}]}}),
            (200, json!({"code": -2004, "msg": "sign error"})),
            (200, json!({"code": -2010, "msg": "app not exist"})),
        ),
        case(
            Network::Liftoff,
            json!({"method": "GET", "base": "https://publisher-api.vungle.com/api/v1", "path": "/applications", "auth": "bearer_jwt"}),
            json!(""),
            json!({"method": "POST", "base": "https://publisher-api.vungle.com/api/v1", "path": "/applications", "body": true, "auth": "bearer_jwt"}),
            json!([{"id": 1}]),
            plain_no(401, "Unauthorized"),
            plain_no(404, "Not Found"),
        ),
        case(
            Network::InMobi,
            json!({"method": "GET", "base": "https://publisher.inmobi.com", "path": "/rest/api/v2/apps", "auth": "header_key"}),
            json!("data.records"),
            json!({"method": "POST", "base": "https://publisher.inmobi.com", "path": "/rest/api/v2/apps", "body": true, "auth": "header_key"}),
            json!({"success": true, "data": {"records": [{"id": 1}]}}),
            (200, json!({"success": false, "message": "Invalid credentials"})),
            (200, json!({"success": false, "message": "App not found"})),
        ),
        case(
            Network::Pangle,
            json!({"method": "POST", "base": "https://open-api.pangleglobal.com", "path": "/union/media/open_api/site/query", "body": true, "auth": "sha1_body"}),
            json!("data.app_list"),
            json!({"method": "POST", "base": "https://open-api.pangleglobal.com", "path": "/union/media/open_api/site/create", "body": true, "auth": "sha1_body"}),
            json!({"code": 0, "data": {"app_list": [{"id": 1}]}}),
            (200, json!({"code": 21_001, "message": "invalid signature"})),
            (200, json!({"code": 50_001, "message": "app does not exist"})),
        ),
        case(
            Network::DtExchange,
            json!({"method": "GET", "base": "https://console.fyber.com", "path": "/api/management/v1/app", "auth": "management_bearer"}),
            json!(""),
            json!({"method": "POST", "base": "https://console.fyber.com", "path": "/api/management/v1/app", "body": true, "auth": "management_bearer"}),
            json!([{"id": 1}]),
            plain_no(401, "Invalid token"),
            plain_no(404, "App not found"),
        ),
    ]
}

/// The token endpoints of the networks, all good.
pub fn token(path: &str) -> Option<Json> {
    Some(match path {
        "/unity/partners/publisher/auth" => json!("header.e30.sig"),
        "/liftoff/@auth-api.vungle.com/v2/auth" => json!({"token": "jwt-1"}),
        "/dtexchange/api/v2/management/auth" | "/dtexchange/@reporting.fyber.com/auth/v1/token" => {
            json!({"accessToken": "at-1", "expiresIn": 3600})
        }
        "/inmobi/@api.inmobi.com/v1.0/generatesession/generate" => {
            json!({"error": false, "respList": [{"sessionId": "s-1", "accountId": "a-1"}]})
        }
        _ => return None,
    })
}
