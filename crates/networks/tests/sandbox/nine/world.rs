//! A sandbox with every network, and a gateway whose connections use the keys that the sandbox publishes.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use adagent_contract::{Abilities, AccountChoice, ContextSettings, EntityItem, EntityKind, NetworkState};
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds, ToolCallId, UserId, WorkspaceId};
use adagent_networks::{
    Attempted, BreakerPolicy, Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, SecretFields,
    Tuning, Via, http_client,
};
use adagent_sandbox::{OFFICIAL_CLIENT_TOKEN, RunningSandbox, Sandbox, SandboxConfig, Standing, credentials as keys};
use adagent_tools::{CallScope, Provider as _, ToolError, ToolOutput, WriteTicket};
use async_trait::async_trait;
use secrecy::ExposeSecret as _;
use serde_json::Value as Json;

use crate::support::{ACME, Told};

pub const NOW: &str = "2026-11-22T09:00:00Z";

/// Connections to every network, with one kind of keys.
pub struct Source {
    base: String,
    pub standing: Mutex<Standing>,
    /// Whether to use keys that were never issued.
    pub wrong: Mutex<bool>,
    /// Whether the connections are live instead of sandbox connections. Unconfirmed operations are off on live ones.
    pub live: Mutex<bool>,
    /// How often the connections were made again, and what is known of their permissions.
    pub made: Mutex<i64>,
    pub abilities: Mutex<Option<Abilities>>,
    /// What was learned about their permissions since.
    pub told: Mutex<Vec<(Network, Attempted, Option<String>)>>,
    pub failed: AtomicU32,
    pub renewed: AtomicU32,
    connection: ConnectionId,
    accounts: Mutex<Vec<(Network, AccountChoice)>>,
}

impl Source {
    pub fn standing(&self) -> Standing {
        *self.standing.lock().expect("free")
    }

    pub fn fields(network: Network, standing: Standing) -> SecretFields {
        match keys::of(network.id(), standing) {
            Some(set) => set.fields.iter().map(|(name, value)| (*name, (*value).to_owned().into())).collect(),
            // The sandbox's AdMob publishes one token, which always works.
            None if standing == Standing::Valid => SecretFields::bearer(OFFICIAL_CLIENT_TOKEN.to_owned().into()),
            None => SecretFields::bearer(format!("{standing:?}").into()),
        }
    }

    pub fn given(&self, network: Network, fields: SecretFields) -> Credentials {
        let accounts = self.accounts.lock().expect("free");
        Credentials {
            fields,
            base_url: format!("{}/{}", self.base, network.id()).parse().expect("valid"),
            sandbox: true,
            accounts: accounts.iter().filter(|(of, _)| *of == network).map(|(_, choice)| choice.clone()).collect(),
            connection: Some(self.connection),
            // Other keys are another version of the connection.
            version: self.standing() as i64,
            made: *self.made.lock().expect("free"),
        }
    }
}

#[async_trait]
impl CredentialSource for Source {
    async fn credentials(&self, _: Via, network: Network) -> Result<Credentials, ToolError> {
        let mut fields = Self::fields(network, self.standing());
        if *self.wrong.lock().expect("free") {
            let names: Vec<String> = fields.names().map(str::to_owned).collect();
            let wrong = |name: &String| {
                let value = fields.get(name).map(|value| value.expose_secret().to_owned()).unwrap_or_default();
                // Keep IDs as they are: they are not secret, and some must be numbers.
                let value = if name.ends_with("_id") { value } else { format!("{value}0") };
                (name.clone(), value.into())
            };
            fields = names.iter().map(wrong).collect();
        }
        Ok(self.given(network, fields))
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.renewed.fetch_add(1, Ordering::SeqCst);
        self.credentials(via, network).await
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {
        self.failed.fetch_add(1, Ordering::SeqCst);
    }

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let of = |network: Network| {
            let mark = ConnectionMark {
                id: self.connection,
                version: self.standing() as i64,
                sandbox: !*self.live.lock().expect("free"),
                selected: Vec::new(),
                made: *self.made.lock().expect("free"),
                abilities: self.abilities.lock().expect("free").clone(),
                label: network.display_name().to_owned(),
            };
            let accounts = self.given(network, SecretFields::default()).accounts;
            Connected { network, state: NetworkState::Connected, accounts, mark }
        };
        Ok(Network::ALL.map(of).to_vec())
    }

    async fn learned(&self, _: Via, network: Network, _: &Credentials, what: Attempted, refused: Option<&str>) {
        self.told.lock().expect("free").push((network, what, refused.map(str::to_owned)));
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

pub fn tuning() -> Tuning {
    let many = 100_000.try_into().expect("not zero");
    Tuning {
        total_timeout: Duration::from_secs(20),
        limit_patience: Duration::from_millis(50),
        requests_per_second: many,
        calls_per_minute: many,
        poll_first: Duration::from_millis(1),
        poll_most: Duration::from_millis(5),
        breaker: BreakerPolicy { failures: 1000, open_millis: 1000 },
        ..Tuning::default()
    }
}

pub async fn world() -> World {
    world_with(tuning()).await
}

pub async fn world_with(tuning: Tuning) -> World {
    // The second test of a process finds the provider already installed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().expect("a folder");
    let now: jiff::Timestamp = NOW.parse().expect("valid");
    let config = SandboxConfig::new(folder.path(), Arc::new(move || now));
    let sandbox = Sandbox::start_on_free_port(config).await.expect("starts");
    let admob = AccountChoice {
        id: ACME.into(),
        name: "Acme Games".into(),
        currency: Some("USD".into()),
        time_zone: Some("Etc/UTC".into()),
        selected: true,
        label: None,
    };
    let source = Arc::new(Source {
        base: sandbox.base_url(),
        standing: Mutex::new(Standing::Valid),
        wrong: Mutex::new(false),
        live: Mutex::new(false),
        made: Mutex::new(1),
        abilities: Mutex::new(None),
        told: Mutex::default(),
        failed: AtomicU32::new(0),
        renewed: AtomicU32::new(0),
        connection: ConnectionId::new(&SequentialIds::default()),
        accounts: Mutex::new(vec![(Network::AdMob, admob)]),
    });
    let client = http_client(&tuning).expect("builds");
    let clock = Arc::new(ManualClock::at(NOW.parse().expect("valid")));
    let parts = Parts {
        client: client.clone(),
        credentials: source.clone(),
        clock: clock.clone(),
        jitter: Arc::new(|| 0.0),
        tuning,
    };
    let networks = Networks::new(parts).expect("the catalogue loads");
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

impl World {
    pub fn via(&self) -> Via {
        Via { workspace: self.scope.workspace, connection: self.source.connection }
    }

    /// Runs an operation as an approved call: a write gets the ticket for exactly these arguments.
    pub async fn run(&self, tool: &str, args: &Json) -> Result<ToolOutput, ToolError> {
        let tool = self.networks.tool(tool).unwrap_or_else(|| panic!("no {tool}"));
        let ticket = WriteTicket { call: self.scope.call, digest: self.networks.digest(&tool, args), place: None };
        let ticket = (!tool.read_only).then_some(&ticket);
        self.networks.execute(&self.scope, &tool, args, ticket, &mut Told::default()).await
    }

    pub async fn all(&self, network: Network, kind: EntityKind) -> Vec<EntityItem> {
        let found = self.networks.entities_of(self.scope.workspace, network, kind, false).await;
        found.unwrap_or_else(|error| panic!("{network} {kind:?}: {error:?}"))
    }

    pub async fn control(&self, path: &str, body: &Json) {
        let url = format!("{}/__sandbox/{path}", self.sandbox.base_url());
        let response = self.client.post(url).json(body).send().await.expect("sent");
        assert!(response.status().is_success(), "{path} {body}: {}", response.status());
    }

    /// Returns the writes that a network received.
    pub async fn writes(&self, network: Network) -> Vec<Json> {
        let url = format!("{}/__sandbox/writes?network={network}", self.sandbox.base_url());
        let body: Json = self.client.get(url).send().await.expect("sent").json().await.expect("json");
        body["items"].as_array().expect("items").clone()
    }
}
