mod removal;
mod revocations;
mod several;
mod vault;

use std::{sync::Arc, time::Duration};

use adagent_contract::{
    ConnectRequest, ConnectTarget, EntityKind, ModelTier, NetworkState, ProviderView, SandboxInfo, SignUpRequest,
};
use adagent_domain::{Actor, Clock, ManualClock, Network, SequentialIds, WorkspaceId};
use adagent_identity::{HashParams, KeyRing, PasswordHasher, Vault};
use adagent_llm::{Checked, Judgment, Question, Routing, Understanding};
use adagent_llm::{Model, Models};
use adagent_networks::{CredentialSource as _, NetworkEndpoints, Tuning, http_client};
use adagent_runtime::{RuntimeConfig, RuntimeDeps};
use adagent_sandbox::{DEFAULT_CLIENT_ID, DEFAULT_CLIENT_SECRET, RunningSandbox, Sandbox, SandboxConfig};
use adagent_store::Connection;
use adagent_tools::ToolErrorClass;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value as Json, json};

use super::*;
use crate::{ClientInfo, LimitSettings, Mailing, Parts, Service, ServiceError};

/// These tests ask no questions.
struct Unasked;

impl Understanding for Unasked {
    fn route(&self, _: &Question) -> Routing {
        Routing::to(Vec::new(), "assistant")
    }

    fn retrieve(&self, _: &serde_json::Value, _: &[Arc<adagent_tools::ToolInfo>]) -> Vec<String> {
        Vec::new()
    }

    fn verify(&self, _: &Checked<'_>) -> Judgment {
        Judgment::Holds
    }
}

struct NoModels;

impl Models for NoModels {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        unreachable!("connecting asks no model")
    }
}

pub(crate) struct Desk {
    pub(crate) service: Arc<Service>,
    actor: Actor,
    pub(crate) clock: Arc<ManualClock>,
    sandbox: RunningSandbox,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

pub(crate) async fn desk() -> Desk {
    desk_with("k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").await
}

async fn desk_with(ring: &str) -> Desk {
    desk_of(ring, false).await
}

/// Makes a desk whose sign-in claims to lead to the live network. Its numbers still come from the sandbox.
async fn live_desk() -> Desk {
    desk_of("k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", true).await
}

async fn desk_of(ring: &str, live: bool) -> Desk {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at("2026-11-21T09:41:00Z".parse().unwrap()));
    let shared = clock.clone();
    let config = SandboxConfig::new(folder.path().join("sandbox"), Arc::new(move || shared.now().to_jiff()));
    let sandbox = Sandbox::start_on_free_port(config).await.unwrap();
    let base: Url = sandbox.base_url().parse().unwrap();
    let store = adagent_store_sqlite::open(&folder.path().join("desk.db")).await.unwrap();
    let tuning = Tuning::default();
    let client = http_client(&tuning).unwrap();
    let keys = KeyRing::parse(ring).unwrap();
    let secret: SecretString = DEFAULT_CLIENT_SECRET.to_owned().into();
    let live = live.then(|| {
        let admob = NetworkEndpoints::sandbox(Network::AdMob, &base, DEFAULT_CLIENT_ID, secret.clone()).unwrap();
        Live { oauth: [(Network::AdMob, admob)].into() }
    });
    let connections = ConnectionParts::new(ConnectionSetup {
        store: store.clone(),
        clock: clock.clone(),
        vault: Arc::new(Vault::new(keys)),
        client: client.clone(),
        jitter: Arc::new(|| 0.0),
        tuning,
        endpoints: Endpoints { live, sandbox: Simulated::new(&base, DEFAULT_CLIENT_ID, &secret) },
        public_url: "http://127.0.0.1:3000".parse().unwrap(),
        sandbox: Some(SandboxInfo {
            base_url: sandbox.base_url(),
            networks: std::collections::BTreeMap::default(),
            today: String::new(),
        }),
    })
    .unwrap();
    let runtime = RuntimeDeps {
        store: Arc::clone(&store) as _,
        understanding: Arc::new(Unasked),
        tools: connections.networks.clone(),
        gateway: connections.networks.clone(),
        models: Arc::new(NoModels),
        clock: clock.clone(),
        ids: Arc::new(SequentialIds::default()),
        config: Arc::new(RuntimeConfig::default()),
        flows: None,
        cuts: None,
    };
    let vault = Arc::new(Vault::new(KeyRing::parse(ring).unwrap()));
    let way = adagent_networks::WayOut::default();
    let tool_servers = crate::ToolServerParts::new(store.clone(), vault, clock.clone(), Vec::new(), way).unwrap();
    let service = Service::new(Parts {
        store,
        tool_servers,
        runtime: Arc::new(runtime),
        hasher: PasswordHasher::new(HashParams { memory_kib: 64, passes: 1, lanes: 1 }, 1).unwrap(),
        models: vec!["local".into()],
        connections,
        limits: LimitSettings::default(),
        sign_in: crate::SignInParts::default(),
        mail: Mailing::off(),
        retention: crate::RetentionBounds::default(),
    });
    let request: SignUpRequest =
        serde_json::from_value(json!({"email": "ada@example.com", "password": "correct horse battery", "name": "Ada"}))
            .unwrap();
    let crate::SignedUp::In(user) = service.sign_up(request, ClientInfo::default()).await.unwrap() else {
        panic!("signed in at once")
    };
    let actor = service.resolve_actor(user.id, None).await.unwrap();
    Desk { service, actor, clock, sandbox, client, _folder: folder }
}

/// Returns the oldest connection of a network.
async fn oldest(service: &Service, workspace: WorkspaceId, network: Network) -> Option<Connection> {
    let all = service.store.list_connections(workspace).await.unwrap();
    all.into_iter().find(|one| one.network == network)
}

impl Desk {
    async fn begin(&self, return_to: Option<&str>) -> Url {
        let request = ConnectRequest {
            provider: "admob".into(),
            return_to: return_to.map(str::to_owned),
            target: ConnectTarget::default(),
        };
        self.service
            .connect(&self.actor.grant().unwrap(), request, "session")
            .await
            .unwrap()
            .authorization_url
            .parse()
            .unwrap()
    }

    async fn finish(
        &self,
        state: &str,
        code: Result<&str, &str>,
        session: &str,
    ) -> Result<super::OauthFinished, ServiceError> {
        self.service.finish_oauth(state, code, session).await.map_err(|failed| failed.error)
    }

    /// Consents as a person would. Returns the parameters that the network sends back.
    async fn consent(&self, authorization: &Url, identity: &str) -> (String, String) {
        let mut form: Vec<(String, String)> = authorization.query_pairs().into_owned().collect();
        form.push(("identity".into(), identity.into()));
        form.push(("decision".into(), "allow".into()));
        let response =
            self.client.post(authorization.as_str().split('?').next().unwrap()).form(&form).send().await.unwrap();
        let back: Url = response.headers()["location"].to_str().unwrap().parse().unwrap();
        let get = |name: &str| back.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        (get("state"), get("code"))
    }

    async fn control(&self, path: &str, body: Json) {
        let url = format!("{}/__sandbox/{path}", self.sandbox.base_url());
        assert!(self.client.post(url).json(&body).send().await.unwrap().status().is_success());
    }

    async fn admob(&self) -> ProviderView {
        let all = self.service.providers(&self.actor.grant().unwrap()).await.unwrap();
        all.into_iter().find(|provider| provider.network == Network::AdMob).unwrap()
    }

    /// Returns the oldest connection of a network.
    async fn via(&self, network: Network) -> adagent_networks::Via {
        let found = oldest(&self.service, self.actor.workspace, network).await;
        super::source::via_of(&found.expect("is connected"))
    }

    async fn token(&self) -> Result<String, ToolErrorClass> {
        let via = self.via(Network::AdMob).await;
        let found = self.service.connections.source.credentials(via, Network::AdMob).await;
        found
            .map(|credentials| credentials.fields.get("access_token").expect("a token").expose_secret().to_owned())
            .map_err(|error| error.class)
    }
}

#[tokio::test]
async fn several_accounts_are_chosen_from_and_a_state_works_once_in_its_own_session() {
    let desk = desk().await;
    let authorization = desk.begin(Some("/chat/1")).await;
    let (state, code) = desk.consent(&authorization, "demo@sandbox.example").await;
    // In somebody else's browser the link does nothing, and the round trip can still finish.
    assert!(matches!(desk.finish(&state, Ok(&code), "other").await, Err(ServiceError::Validation(_))));
    let done = desk.finish(&state, Ok(&code), "session").await.unwrap();
    assert_eq!(done.return_to.as_deref(), Some("/chat/1"));
    let id = done.choose.expect("three accounts");
    assert_eq!(desk.admob().await.state, NetworkState::ChooseAccount);
    assert_eq!(desk.token().await, Err(ToolErrorClass::NotConnected));
    assert!(matches!(desk.finish(&state, Ok(&code), "session").await, Err(ServiceError::Validation(_))));
    assert!(desk.service.choose_accounts(&desk.actor.grant().unwrap(), id, vec!["pub-0".into()]).await.is_err());
    let chosen = vec!["pub-3940256099942544".to_owned()];
    assert_eq!(
        desk.service.choose_accounts(&desk.actor.grant().unwrap(), id, chosen).await.unwrap().state,
        NetworkState::Connected
    );
    let apps = desk.service.entities_of(&desk.actor.grant().unwrap(), Network::AdMob, EntityKind::App).await.unwrap();
    assert!(apps.iter().all(|app| app.account.as_deref() == Some("pub-3940256099942544")) && !apps.is_empty());

    // In another browser, or too late: nothing is connected, and the state is used up.
    for (session, wait) in [("other", 0), ("session", 601)] {
        let (state, code) = desk.consent(&desk.begin(Some("//evil.example")).await, "demo@sandbox.example").await;
        desk.clock.advance_millis(wait * 1000);
        let refused = desk.finish(&state, Ok(&code), session).await;
        assert!(matches!(refused, Err(ServiceError::Validation(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn one_account_connects_at_once_and_a_refusal_does_not() {
    let desk = desk().await;
    let (state, code) = desk.consent(&desk.begin(Some("//evil.example")).await, "single@sandbox.example").await;
    let done = desk.finish(&state, Ok(&code), "session").await.unwrap();
    assert_eq!((done.choose, done.return_to), (None, None));
    assert_eq!(desk.admob().await.state, NetworkState::Connected);
    let (state, _) = desk.consent(&desk.begin(None).await, "single@sandbox.example").await;
    assert!(matches!(desk.finish(&state, Err("access_denied"), "session").await, Err(ServiceError::Network { .. })));
}

#[tokio::test]
async fn exploring_refreshing_and_losing_access() {
    let desk = desk().await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    let provider = desk.admob().await;
    assert!(
        provider.sandbox && provider.accounts.len() == 3 && provider.accounts.iter().all(|account| account.selected)
    );
    let first = desk.token().await.unwrap();
    assert_eq!(desk.token().await.unwrap(), first);
    // Many ask at once shortly before the hour is over: one refresh, and one token for all.
    desk.clock.advance_millis(3_541_000);
    let all = futures::future::join_all((0..8).map(|_| desk.token())).await;
    assert!(all.iter().all(|token| token == &all[0] && token.as_ref().unwrap() != &first), "{all:?}");
    let kept = oldest(&desk.service, desk.actor.workspace, Network::AdMob).await.unwrap();
    assert_eq!(kept.version, 2);
    assert!(!kept.sealed.contains("ya29"));
    // After a revocation at the network, the refresh is refused and the connection says so.
    desk.control("oauth", json!({"revoke_all": true})).await;
    desk.clock.advance_millis(3_600_000);
    assert_eq!(desk.token().await, Err(ToolErrorClass::AuthFailed));
    assert_eq!(desk.admob().await.state, NetworkState::AuthFailed);
    // Connecting again repairs it.
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    assert_eq!(desk.admob().await.state, NetworkState::Connected);
}

#[tokio::test]
async fn a_refusal_of_old_credentials_does_not_fail_a_connection_somebody_mended() {
    let desk = desk().await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    let (via, source) = (desk.via(Network::AdMob).await, &desk.service.connections.source);
    let old = source.credentials(via, Network::AdMob).await.unwrap();
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    source.report_auth_failure(via, Network::AdMob, &old).await;
    assert_eq!(desk.admob().await.state, NetworkState::Connected);
    let current = source.credentials(via, Network::AdMob).await.unwrap();
    source.report_auth_failure(via, Network::AdMob, &current).await;
    assert_eq!(desk.admob().await.state, NetworkState::AuthFailed);
}

#[tokio::test]
async fn a_real_connection_that_was_refused_is_not_replaced_by_a_simulated_one() {
    let desk = desk().await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    let store = &desk.service.store;
    let mut real = oldest(&desk.service, desk.actor.workspace, Network::AdMob).await.unwrap();
    (real.sandbox, real.state) = (false, adagent_store::ConnectionState::AuthFailed);
    let mut work = store.begin().await.unwrap();
    assert!(work.remake_connection(&real).await.unwrap());
    work.commit().await.unwrap();
    let refused = desk.service.explore_network(&desk.actor, Network::AdMob).await;
    assert!(matches!(refused, Err(ServiceError::Conflict { .. })), "{refused:?}");
    let kept = oldest(&desk.service, desk.actor.workspace, Network::AdMob).await.unwrap();
    assert!(!kept.sandbox && kept.sealed == real.sealed);
}

#[tokio::test]
async fn a_refresh_is_kept_although_its_caller_went_away() {
    let desk = desk().await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    desk.clock.advance_millis(3_541_000);
    desk.control("faults", json!({"operation": "oauth_token", "kind": "delay", "ms": 300})).await;
    let caller = desk.token();
    assert!(tokio::time::timeout(Duration::from_millis(100), caller).await.is_err(), "the reply is still out");
    let kept = async {
        loop {
            let found = oldest(&desk.service, desk.actor.workspace, Network::AdMob).await;
            if found.unwrap().version == 2 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), kept).await.expect("the renewed access is kept");
}

#[tokio::test]
async fn a_connection_is_switched_off_paged_through_and_removed() {
    let desk = desk().await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    let id = desk.admob().await.id.unwrap();
    let page =
        desk.service.entities(&desk.actor.grant().unwrap(), id, EntityKind::App, false, None, Some(5)).await.unwrap();
    let next = desk
        .service
        .entities(&desk.actor.grant().unwrap(), id, EntityKind::App, false, page.next_cursor, Some(5))
        .await
        .unwrap();
    assert!(page.items.len() == 5 && page.items.iter().all(|item| next.items.iter().all(|other| other.id != item.id)));
    assert_eq!(
        desk.service.enable_provider(&desk.actor.grant().unwrap(), id, false).await.unwrap().state,
        NetworkState::Disabled
    );
    assert_eq!(desk.token().await, Err(ToolErrorClass::Disabled));
    desk.service.enable_provider(&desk.actor.grant().unwrap(), id, true).await.unwrap();
    desk.service.disconnect_provider(&desk.actor.grant().unwrap(), id).await.unwrap();
    assert_eq!(desk.admob().await.state, NetworkState::NotConnected);
    assert!(matches!(
        desk.service.disconnect_provider(&desk.actor.grant().unwrap(), id).await,
        Err(ServiceError::NotFound(_))
    ));
}

#[tokio::test]
async fn a_repeated_request_to_connect_is_answered_with_the_same_round_trip() {
    let desk = desk().await;
    let granted = desk.actor.grant().unwrap();
    let begin = |return_to: &str, session: &'static str| {
        let request = ConnectRequest {
            provider: "admob".into(),
            return_to: Some(return_to.into()),
            target: ConnectTarget::default(),
        };
        desk.service.connect_once(&granted, request, session, Some("k1"))
    };
    let first = begin("/chat/1", "session").await.unwrap();
    assert_eq!(begin("/chat/1", "session").await.unwrap(), first);
    assert!(matches!(begin("/chat/2", "session").await, Err(ServiceError::IdempotencyMismatch)));
    assert!(matches!(begin("/chat/1", "other").await, Err(ServiceError::IdempotencyMismatch)));
    let (state, code) = desk.consent(&first.authorization_url.parse().unwrap(), "demo@sandbox.example").await;
    assert!(desk.finish(&state, Ok(&code), "session").await.is_ok());
}
