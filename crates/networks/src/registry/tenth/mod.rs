//! A made-up tenth network: a catalog file, the shape of its report, a signer, an adapter and a row. The rest of this crate does not know
//! it, and everything works.
//!
//! The names of networks are an enum in `adagent-domain`, where a real tenth network would get a row too. A test cannot add one there, so
//! this network borrows the name of another one and has its own catalog.

mod adapter;
mod sign;

use std::sync::{Arc, Mutex};

use adagent_contract::{ContextSettings, EntityKind, NetworkState, ReportData, Value};
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use super::Row;
use crate::{
    Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, Price, SecretFields, Tuning, Via,
    adapters,
    catalogue::Catalogue,
    http_client,
    networks::Quiet,
    pipeline::tests::server::{Answer, Asked, Server, json as reply},
};
use adagent_tools::{CallScope, ProbeOutcome, Provider as _, ToolError, ToolErrorClass as Class, WriteTicket};

/// The name that it borrows.
const LENT: Network = Network::Liftoff;
const NOW: &str = "2026-11-22T09:00:00Z";
const FILE: &str = include_str!("catalogue.json");

pub static ROW: Row = Row {
    network: LENT,
    file: "tenth.json",
    text: FILE,
    values: "{}",
    profile: &sign::PROFILE,
    reports: include_str!("reports.json"),
    fit: Some(adapter::fit),
};

/// Returns a catalog that contains only the tenth network.
fn catalogue() -> Arc<Catalogue> {
    let text = FILE.replacen("\"network\": \"tenth\"", &format!("\"network\": \"{LENT}\""), 1);
    let row: &'static Row = Box::leak(Box::new(Row { text: Box::leak(text.into_boxed_str()), ..ROW }));
    Arc::new(Catalogue::read([row].into_iter()).expect("is read as any other"))
}

struct Source {
    base: String,
    secret: Mutex<&'static str>,
    connection: ConnectionId,
}

#[async_trait]
impl CredentialSource for Source {
    async fn credentials(&self, _: Via, _: Network) -> Result<Credentials, ToolError> {
        let secret = *self.secret.lock().expect("free");
        let fields = [("stall_id", "corner".to_owned().into()), ("stall_secret", secret.to_owned().into())];
        Ok(Credentials {
            fields: fields.into_iter().collect::<SecretFields>(),
            base_url: self.base.parse().expect("valid"),
            sandbox: true,
            accounts: Vec::new(),
            connection: Some(self.connection),
            version: 1,
            made: 1,
        })
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.credentials(via, network).await
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {}

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let mark = ConnectionMark {
            id: self.connection,
            version: 1,
            sandbox: true,
            selected: Vec::new(),
            made: 1,
            abilities: None,
            label: "Corner".to_owned(),
        };
        Ok(vec![Connected { network: LENT, state: NetworkState::Connected, accounts: Vec::new(), mark }])
    }
}

/// Answers as the network: two games, a booth, the revenue of one day.
fn answer(asked: &Asked, floor: &Mutex<f64>) -> Answer {
    let time = asked.header("x-time").unwrap_or_default();
    if asked.header("x-stall") != Some("corner") || asked.header("x-proof") != Some(&sign::proof("s-1", time)) {
        return reply(200, &json!({"ok": false, "no": 7, "why": "Who are you?"}));
    }
    let booth = |floor: f64| json!({"ok": true, "bid": "b1", "label": "Front", "state": "open", "floor": floor});
    match asked.path.as_str() {
        "/games" => reply(
            200,
            &json!({"ok": true, "games": [{"gid": "g1", "title": "Puzzle", "os": "ANDROID"}, {"gid": "g2", "title": "Words", "os": "IOS"}]}),
        ),
        "/games/g1/booths" => reply(200, &json!({"ok": true, "booths": [booth(*floor.lock().expect("free"))]})),
        "/games/g1/booths/b1" => {
            let wanted = asked.json()["floor"].as_f64().expect("a floor");
            *floor.lock().expect("free") = wanted;
            reply(200, &booth(wanted))
        }
        "/takings" => reply(
            200,
            &json!({"ok": true, "rows": [{"day": "2026-11-18", "game": "g1", "shown": 1200, "taken": "3.4567"}]}),
        ),
        _ => reply(200, &json!({"ok": true, "booths": []})),
    }
}

struct World {
    networks: Networks,
    source: Arc<Source>,
    scope: CallScope,
    server: Server,
}

async fn world() -> World {
    // The second test of a process finds the provider already installed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let floor = Mutex::new(1.5);
    let server = Server::start(move |asked, _| answer(asked, &floor)).await;
    let ids = SequentialIds::default();
    let source =
        Arc::new(Source { base: server.base.clone(), secret: Mutex::new("s-1"), connection: ConnectionId::new(&ids) });
    let tuning = Tuning::default();
    let parts = Parts {
        client: http_client(&tuning).expect("builds"),
        credentials: source.clone(),
        clock: Arc::new(ManualClock::at(NOW.parse().expect("valid"))),
        jitter: Arc::new(|| 0.0),
        tuning,
    };
    let scope = CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants: adagent_contract::Grants::everything(),
        connection: None,
    };
    World { networks: Networks::over(catalogue(), parts), source, scope, server }
}

impl World {
    fn via(&self) -> Via {
        Via { workspace: self.scope.workspace, connection: self.source.connection }
    }

    async fn run(&self, tool: &str, args: &Json) -> Result<adagent_tools::ToolOutput, ToolError> {
        let tool = self.networks.tool(tool).expect("known");
        let ticket = WriteTicket { call: self.scope.call, digest: self.networks.digest(&tool, args), place: None };
        self.networks.execute(&self.scope, &tool, args, Some(&ticket), &mut Quiet).await
    }
}

#[test]
fn its_file_keeps_the_rules_of_every_file() {
    let file: Json = serde_json::from_str(FILE).expect("JSON");
    assert_eq!(crate::catalogue::rules::problems(&[("tenth".to_owned(), file)]), Vec::<String>::new());
}

#[tokio::test]
async fn it_is_connected_listed_and_asked_like_any_other() {
    let world = world().await;
    let credentials = world.source.credentials(world.via(), LENT).await.expect("given");
    let accounts = world.networks.reachable_accounts(LENT, &credentials).await.expect("opens one");
    assert_eq!((accounts[0].id.as_str(), accounts[0].currency.as_deref()), ("corner", Some("EUR")));
    let booths =
        world.networks.entities_of(world.scope.workspace, LENT, EntityKind::AdUnit, false).await.expect("lists");
    assert_eq!((booths[0].id.as_str(), booths[0].name.as_str()), ("b1", "Front"));
    assert_eq!((booths[0].parent.as_deref(), booths[0].status.as_deref()), (Some("g1"), Some("open")));
    let report =
        world.run("tenth_get_takings", &json!({"from": "2026-11-18", "to": "2026-11-18"})).await.expect("answers");
    let data: ReportData = serde_json::from_value(report.result).expect("a report");
    assert_eq!(data.currency.as_deref(), Some("EUR"));
    assert!(data.rows[0].iter().any(|cell| matches!(cell, Value::Money { money } if money.micros == 3_456_700)));
    let error = world.run("tenth_list_booths", &json!({"game_id": "Puzle"})).await.expect_err("no id");
    assert_eq!(error.class, Class::Invalid);
    assert!(error.errors[0].message.contains("Puzzle (g1)"), "{error:?}");
    *world.source.secret.lock().expect("free") = "s-2";
    let error =
        world.run("tenth_get_takings", &json!({"from": "2026-11-17", "to": "2026-11-17"})).await.expect_err("no");
    assert_eq!((error.class, error.code.as_str()), (Class::AuthFailed, "AUTH_FAILED"));
}

#[tokio::test]
async fn a_change_of_it_is_described_sent_once_and_looked_for() {
    let world = world().await;
    let args = json!({"game_id": "g1", "booth_id": "b1", "body": {"floor": 2.5}});
    let tool = world.networks.tool("tenth_update_booth").expect("known");
    let sketch = world.networks.sketch(&world.scope, &tool, &args).await.expect("drawn");
    assert_eq!(sketch.title, "Change ad unit “Front” in Puzzle (Android): floor");
    let row = &sketch.preview.changes[0];
    assert_eq!((row.label.as_str(), row.before.as_deref(), row.after.as_deref()), ("Floor", Some("1.5"), Some("2.5")));
    let look = async || world.networks.probe(&world.scope, &tool, &args, None).await.expect("looks");
    assert!(matches!(look().await, ProbeOutcome::DidNotHappen { .. }));
    let done = world.run("tenth_update_booth", &args).await.expect("sent");
    assert_eq!(done.summary, "Changed ad unit Front (b1)");
    assert!(matches!(look().await, ProbeOutcome::Happened { .. }));
    assert_eq!(world.server.asked().iter().filter(|asked| !asked.body.is_empty()).count(), 1);
}

#[test]
fn its_mediation_is_translated_both_ways_and_what_it_cannot_hold_is_named() {
    let line = |price| crate::Line {
        id: None,
        name: Some("L".into()),
        ad_source: "s".into(),
        price,
        enabled: true,
        mappings: std::collections::BTreeMap::new(),
    };
    let wanted = adapters::MediationPlan {
        name: "N".into(),
        platform: "android".into(),
        format: "banner".into(),
        ad_units: vec!["b1".into()],
        included_regions: vec!["US".into()],
        excluded_regions: Vec::new(),
        enabled: true,
        lines: vec![line(Price::Bidding), line(Price::Waterfall { priority: 1, cpm_micros: 5 })],
    };
    let fitted = ROW.fit.expect("it mediates")(&wanted);
    assert_eq!(fitted.lost.len(), 2, "{:?}", fitted.lost);
    assert_eq!(adapter::plan(&adapter::native(&fitted.plan)), fitted.plan);
}
