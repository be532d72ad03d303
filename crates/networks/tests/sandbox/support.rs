//! A sandbox on a free port, and a gateway that uses it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use adagent_contract::{AccountChoice, ContextSettings, NetworkState, Progress};
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds, ToolCallId, UserId, WorkspaceId};
use adagent_networks::{
    BreakerPolicy, Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, SecretFields, Tuning,
    Via, http_client,
};
use adagent_sandbox::{OFFICIAL_CLIENT_TOKEN, RunningSandbox, Sandbox, SandboxConfig};
use adagent_tools::{CallScope, ProgressSink, Provider as _, ToolError, ToolOutput, WriteTicket};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

pub const ACME: &str = "pub-3940256099942544";
pub const LEXICON: &str = "pub-7682510348291046";

pub struct Source {
    base: url::Url,
    accounts: Vec<AccountChoice>,
    /// How often credentials were requested, and how often they were renewed.
    pub asked: AtomicU32,
    pub renewed: AtomicU32,
    pub failed: AtomicU32,
    /// Counts up when a person connects again.
    pub version: AtomicU32,
    connection: ConnectionId,
    /// Whether to return an expired token until it is renewed.
    pub stale: bool,
}

#[async_trait]
impl CredentialSource for Source {
    async fn credentials(&self, _: Via, _: Network) -> Result<Credentials, ToolError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let token =
            if self.stale && self.renewed.load(Ordering::SeqCst) == 0 { "expired" } else { OFFICIAL_CLIENT_TOKEN };
        Ok(Credentials {
            fields: SecretFields::bearer(token.to_owned().into()),
            base_url: self.base.clone(),
            sandbox: true,
            accounts: self.accounts.clone(),
            connection: Some(self.connection),
            version: 1,
            made: 1,
        })
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.renewed.fetch_add(1, Ordering::SeqCst);
        self.credentials(via, network).await
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {
        self.failed.fetch_add(1, Ordering::SeqCst);
    }

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let version = i64::from(self.version.load(Ordering::SeqCst));
        let mark = ConnectionMark {
            id: self.connection,
            version,
            sandbox: true,
            selected: vec![ACME.into(), LEXICON.into()],
            made: 1,
            abilities: None,
            label: "AdMob".to_owned(),
        };
        let (state, accounts) = (NetworkState::Connected, self.accounts.clone());
        Ok(vec![Connected { network: Network::AdMob, state, accounts, mark }])
    }
}

#[derive(Default)]
pub struct Told(pub Vec<String>);

#[async_trait]
impl ProgressSink for Told {
    async fn progress(&mut self, message: &str, _: Option<Progress>) {
        self.0.push(message.to_owned());
    }
}

pub struct World {
    pub networks: Networks,
    pub source: Arc<Source>,
    pub clock: Arc<ManualClock>,
    pub scope: CallScope,
    sandbox: RunningSandbox,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

pub async fn world() -> World {
    world_with(false).await
}

pub async fn world_with(stale: bool) -> World {
    // The second test of a process finds the provider already installed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().expect("a folder");
    let now: jiff::Timestamp = "2026-11-21T09:41:00Z".parse().expect("valid");
    let config = SandboxConfig::new(folder.path(), Arc::new(move || now));
    let sandbox = Sandbox::start_on_free_port(config).await.expect("starts");
    let account = |id: &str| AccountChoice {
        id: id.into(),
        name: id.into(),
        currency: Some("USD".into()),
        time_zone: Some("Etc/UTC".into()),
        selected: true,
        label: None,
    };
    let source = Arc::new(Source {
        base: format!("{}/admob", sandbox.base_url()).parse().expect("valid"),
        accounts: vec![account(ACME), account(LEXICON)],
        asked: AtomicU32::new(0),
        renewed: AtomicU32::new(0),
        failed: AtomicU32::new(0),
        version: AtomicU32::new(1),
        connection: ConnectionId::new(&SequentialIds::default()),
        stale,
    });
    let client = http_client(&tuning()).expect("builds");
    let clock = Arc::new(ManualClock::at("2026-11-21T09:41:00Z".parse().expect("valid")));
    let networks = gateway(&client, &source, &clock);
    let ids = SequentialIds::default();
    let scope = CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants: adagent_contract::Grants::everything(),
        connection: None,
    };
    World { networks, source, clock, scope, sandbox, client, _folder: folder }
}

fn tuning() -> Tuning {
    Tuning {
        total_timeout: Duration::from_millis(900),
        breaker: BreakerPolicy { failures: 3, open_millis: 1000 },
        ..Tuning::default()
    }
}

fn gateway(client: &reqwest::Client, source: &Arc<Source>, clock: &Arc<ManualClock>) -> Networks {
    let parts = Parts {
        client: client.clone(),
        credentials: source.clone(),
        clock: clock.clone(),
        jitter: Arc::new(|| 0.0),
        tuning: tuning(),
    };
    Networks::new(parts).expect("the catalogue loads")
}

impl World {
    /// Returns the gateway of another server: the same connection, but a separate cache.
    pub fn another_server(&self) -> Networks {
        gateway(&self.client, &self.source, &self.clock)
    }

    pub async fn read(&self, tool: &str, args: Json) -> Result<ToolOutput, ToolError> {
        let tool = self.networks.tool(tool).expect("known");
        self.networks.execute(&self.scope, &tool, &args, None, &mut Told::default()).await
    }

    /// Sends a write with the ticket for exactly these arguments.
    pub async fn write(&self, tool: &str, args: Json) -> Result<ToolOutput, ToolError> {
        self.write_through(&self.networks, tool, args).await
    }

    pub async fn write_through(&self, networks: &Networks, tool: &str, args: Json) -> Result<ToolOutput, ToolError> {
        let tool = networks.tool(tool).expect("known");
        let ticket = WriteTicket { call: self.scope.call, digest: networks.digest(&tool, &args), place: None };
        networks.execute(&self.scope, &tool, &args, Some(&ticket), &mut Told::default()).await
    }

    pub async fn fault(&self, fault: Json) {
        let url = format!("{}/__sandbox/faults", self.sandbox.base_url());
        let response = self.client.post(url).json(&fault).send().await.expect("sent");
        assert_eq!(response.status(), 201, "{fault}");
    }

    /// Returns the writes that the sandbox received.
    pub async fn writes(&self) -> Vec<Json> {
        let url = format!("{}/__sandbox/writes", self.sandbox.base_url());
        let body: Json = self.client.get(url).send().await.expect("sent").json().await.expect("json");
        body["items"].as_array().expect("items").clone()
    }

    pub async fn truth(&self, query: &str) -> Json {
        let url = format!("{}/__sandbox/truth?{query}", self.sandbox.base_url());
        self.client.get(url).send().await.expect("sent").json().await.expect("json")
    }

    /// Returns the ID of the entity of this kind with this name (and platform or format).
    pub async fn id(&self, kind: adagent_contract::EntityKind, name: &str, detail: &str) -> String {
        let all = self.networks.entities_of(self.scope.workspace, Network::AdMob, kind, false).await.expect("loads");
        let found = all.iter().find(|item| {
            let fits = |text: &Option<String>| text.as_deref() == Some(detail);
            item.name == name && (detail.is_empty() || fits(&item.platform) || fits(&item.format))
        });
        found
            .unwrap_or_else(|| panic!("no {name} among {:?}", all.iter().map(|i| &i.name).collect::<Vec<_>>()))
            .id
            .clone()
    }

    /// Returns the main menu banner of Puzzle Game on Android.
    pub async fn banner(&self) -> String {
        let app = self.id(adagent_contract::EntityKind::App, "Puzzle Game", "android").await;
        let units = self
            .networks
            .entities_of(self.scope.workspace, Network::AdMob, adagent_contract::EntityKind::AdUnit, false)
            .await
            .expect("loads");
        let unit =
            units.iter().find(|unit| unit.parent.as_deref() == Some(&app) && unit.format.as_deref() == Some("banner"));
        unit.expect("it has a banner").id.clone()
    }
}

/// Returns a group over one Android banner, with a bidding line and a waterfall line.
pub fn group(name: &str, unit: &str, bidding: &str, waterfall: &str) -> Json {
    json!({"account_id": ACME, "body": {
        "displayName": name,
        "state": "ENABLED",
        "targeting": {"platform": "ANDROID", "format": "BANNER", "adUnitIds": [unit]},
        "mediationGroupLines": {
            "-1": {"id": "-1", "adSourceId": bidding, "cpmMode": "LIVE", "state": "ENABLED", "displayName": "Bid"},
            "-2": {"id": "-2", "adSourceId": waterfall, "cpmMode": "MANUAL", "cpmMicros": "2000000", "state": "ENABLED", "displayName": "Fall"}
        }
    }})
}

pub const APPLOVIN_BID: &str = "1328079684332308356";
pub const UNITY: &str = "4970775877303683148";

pub fn report(
    account: &str,
    from: (i32, i32, i32),
    to: (i32, i32, i32),
    dimensions: &[&str],
    metrics: &[&str],
) -> Json {
    let day = |(year, month, day): (i32, i32, i32)| json!({"year": year, "month": month, "day": day});
    json!({"account_id": account, "body": {"reportSpec": {
        "dateRange": {"startDate": day(from), "endDate": day(to)}, "dimensions": dimensions, "metrics": metrics
    }}})
}
