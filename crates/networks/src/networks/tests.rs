//! Tests of how the gateway treats refused credentials: it renews OAuth tokens but not keys. In both cases it marks the connection if
//! nothing helps.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds, WorkspaceId};
use async_trait::async_trait;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{Networks, Parts, Quiet};
use crate::{Connected, CredentialSource, Credentials, SecretFields, Tuning, Via, catalogue::Operation, http_client};
use adagent_tools::{ToolError, ToolErrorClass};

struct Source {
    base: String,
    asked: Mutex<Vec<&'static str>>,
    connection: ConnectionId,
}

impl Source {
    fn note(&self, what: &'static str) {
        self.asked.lock().expect("free").push(what);
    }
}

#[async_trait]
impl CredentialSource for Source {
    async fn credentials(&self, _: Via, network: Network) -> Result<Credentials, ToolError> {
        self.note("credentials");
        let fields = ["access_token", "management_key"].map(|name| (name, "k".to_owned().into()));
        Ok(Credentials {
            fields: fields.into_iter().collect::<SecretFields>(),
            base_url: format!("{}/{}", self.base, network.id()).parse().expect("valid"),
            sandbox: true,
            accounts: Vec::new(),
            connection: Some(self.connection),
            version: 1,
            made: 1,
        })
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.note("renew");
        self.credentials(via, network).await
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {
        self.note("failed");
    }

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        Ok(Vec::new())
    }
}

/// Starts a network that answers every request with this status.
async fn answering(status: u16) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("bound"));
    let task = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0_u8; 4096];
            // Requests here are small, so one read gets head and body.
            drop(stream.read(&mut asked).await);
            let reply = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}");
            drop(stream.write_all(reply.as_bytes()).await);
        }
    });
    (base, task)
}

fn networks(base: String, tuning: Tuning) -> (Networks, Arc<Source>) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let ids = SequentialIds::default();
    let source = Arc::new(Source { base, asked: Mutex::default(), connection: ConnectionId::new(&ids) });
    let parts = Parts {
        client: http_client(&tuning).expect("builds"),
        credentials: source.clone(),
        clock: Arc::new(ManualClock::at("2026-11-22T09:00:00Z".parse().expect("valid"))),
        jitter: Arc::new(|| 0.0),
        tuning,
    };
    (Networks::new(parts).expect("loads"), source)
}

fn operation(network: Network) -> Operation {
    let http = json!({"method": "GET", "path": "/x", "header_auth": {"Api-Key": "management_key"}});
    let tool = json!({"name": "x", "title": "X", "description": "", "capability": "inventory", "tags": [], "read_only": true,
        "destructive": false, "idempotent": true, "http": http, "input_schema": {"type": "object"}, "entity_params": {},
        "result": {"kind": "object", "items_path": null, "pagination": null}});
    Operation::for_tests(network, tool)
}

#[tokio::test]
async fn keys_that_are_refused_are_reported_and_never_renewed() {
    let (base, server) = answering(401).await;
    for (network, expected) in [
        (Network::AppLovin, &["credentials", "failed"][..]),
        (Network::AdMob, &["credentials", "renew", "credentials", "failed"][..]),
    ] {
        let (networks, source) = networks(base.clone(), Tuning::default());
        let via = Via { workspace: WorkspaceId::new(&SequentialIds::default()), connection: source.connection };
        let error = networks.send(via, &operation(network), &json!({}), None, &mut Quiet).await.expect_err("refused");
        assert_eq!((error.class, error.code.as_str()), (ToolErrorClass::AuthFailed, "AUTH_FAILED"), "{network}");
        assert_eq!(*source.asked.lock().expect("free"), expected, "{network}");
    }
    server.abort();
}

#[tokio::test]
async fn a_workspaces_calls_are_paced_for_each_network_by_itself() {
    let tuning = Tuning { limit_patience: Duration::ZERO, ..Tuning::default() };
    let (networks, _) = networks("http://127.0.0.1:9".to_owned(), tuning);
    let ids = SequentialIds::default();
    let (mine, yours) = (WorkspaceId::new(&ids), WorkspaceId::new(&ids));
    for _ in 0..54 {
        networks.transport.pace(Network::Unity, mine, true, &mut Quiet).await.expect("room");
    }
    networks.transport.pace(Network::Unity, mine, true, &mut Quiet).await.expect_err("full for reads");
    for _ in 0..6 {
        networks.transport.pace(Network::Unity, mine, false, &mut Quiet).await.expect("room kept for writes");
    }
    let error = networks.transport.pace(Network::Unity, mine, false, &mut Quiet).await.expect_err("full");
    assert_eq!((error.class, error.code.as_str()), (ToolErrorClass::Retryable, "RATE_LIMITED"));
    assert!(error.message.contains("60 s") && error.message.contains("Nothing was sent"), "{error:?}");
    networks.transport.pace(Network::Unity, yours, true, &mut Quiet).await.expect("another workspace");
    networks.transport.pace(Network::Liftoff, mine, true, &mut Quiet).await.expect("another network");
}

#[test]
fn only_files_and_reports_that_take_time_are_followed() {
    let (networks, _) = networks("http://127.0.0.1:9".to_owned(), Tuning::default());
    let mut followed = Vec::new();
    for tool in networks.catalogue.tools() {
        let operation = networks.catalogue.get(&tool.name).expect("there");
        let follow = networks.follow(operation);
        if !follow.is_nothing() {
            let poll = follow.poll.as_ref().map(|poll| poll.info.name.clone());
            followed.push((tool.name.clone(), poll.unwrap_or_else(|| follow.files.join(" "))));
        }
    }
    followed.sort();
    let expected = [
        ("admanager_run_report", "admanager_get_report_run"),
        ("applovin_get_user_ad_revenue", "ad_revenue_report_url url"),
        ("dtexchange_create_report", "url"),
        ("unity_get_impression_revenue", "urls url"),
        ("unity_get_user_revenue", "urls url"),
    ];
    assert_eq!(followed, expected.map(|(tool, by)| (tool.to_owned(), by.to_owned())));
}
