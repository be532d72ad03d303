//! Operations in the form of the catalog files, credentials for every network, and a transport with short waits.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use adagent_contract::Progress;
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::{
    Credentials, SecretFields, Tuning,
    catalogue::Operation,
    pipeline::{Call, Follow, Reply, SendError, Transport, breaker::BreakerPolicy, http_client},
};
use adagent_tools::{ProgressSink, ToolError};

pub const NOW: &str = "2026-11-22T09:00:00Z";

/// Every field that any network asks for.
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

/// Returns the connection that all calls here use.
pub fn connection() -> ConnectionId {
    ConnectionId::new(&SequentialIds::default())
}

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
        connection: Some(connection()),
        version: 1,
        made: 1,
    }
}

pub fn tuning() -> Tuning {
    Tuning {
        total_timeout: Duration::from_secs(20),
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

/// Returns a client that is built once, because reading the machine's certificates takes longer than most of these tests.
fn client() -> reqwest::Client {
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    let build = || {
        // The second test of a process finds the provider already installed.
        drop(rustls::crypto::ring::default_provider().install_default());
        http_client(&tuning()).expect("builds")
    };
    CLIENT.get_or_init(build).clone()
}

pub fn desk_with(tuning: Tuning) -> Desk {
    let clock = Arc::new(ManualClock::at(NOW.parse().expect("valid")));
    // No randomness, so the waits are the shortest possible.
    Desk { transport: Transport::new(client(), clock.clone(), Arc::new(|| 0.0), tuning), clock }
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
        self.transport.call(&Call { operation, args, credentials, follow }, told).await
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

/// Returns a good reply of a network's token endpoint; `None` for any other path.
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
