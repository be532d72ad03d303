//! Several accounts of one network: each is added, renewed, named, turned off and removed separately.

use std::collections::BTreeMap;

use adagent_contract::{ConnectTarget, KeyNetworkView, KeyPlace};
use adagent_domain::{ConnectionId, rights::ManageConnections};
use adagent_store::Connection;

use super::*;
use crate::connections::{
    connect::Selection,
    put::{Secret, Tried},
};

impl Desk {
    /// Fetches the keys that the sandbox publishes for AppLovin.
    pub(super) async fn keys(&self, standing: &str) -> BTreeMap<String, SecretString> {
        let url = format!("{}/__sandbox/grant", self.sandbox.base_url());
        let asked = json!({"network": "applovin", "standing": standing});
        let given: Json = self.client.post(url).json(&asked).send().await.unwrap().json().await.unwrap();
        let fields = given["fields"].as_object().unwrap().iter();
        fields.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned().into())).collect()
    }

    async fn give(&self, standing: &str, target: ConnectTarget) -> Result<KeyNetworkView, ServiceError> {
        let given = GivenKeys { fields: self.keys(standing).await, place: Some(KeyPlace::Sandbox), target };
        self.service.connect_keys(&self.actor.grant().unwrap(), Network::AppLovin, given, None).await
    }

    async fn rows(&self, network: Network) -> Vec<Connection> {
        let mut all = self.service.store.list_connections(self.actor.workspace).await.unwrap();
        all.retain(|one| one.network == network);
        all
    }

    async fn labels(&self, network: Network) -> Vec<String> {
        self.rows(network).await.into_iter().map(|one| one.label).collect()
    }

    async fn sign_in(&self, identity: &str, target: ConnectTarget) -> Result<Option<ConnectionId>, ServiceError> {
        let request = ConnectRequest { provider: "admob".into(), return_to: None, target };
        let begun = self.service.connect(&self.actor.grant().unwrap(), request, "session").await?;
        let (state, code) = self.consent(&begun.authorization_url.parse().unwrap(), identity).await;
        Ok(self.finish(&state, Ok(&code), "session").await?.choose)
    }
}

fn one_more(label: Option<&str>) -> ConnectTarget {
    ConnectTarget { add: true, label: label.map(str::to_owned), ..ConnectTarget::default() }
}

fn anew(id: ConnectionId) -> ConnectTarget {
    ConnectTarget { connection_id: Some(id), ..ConnectTarget::default() }
}

/// Returns the field that an error is about.
fn at(error: &ServiceError) -> String {
    match error {
        ServiceError::Validation(errors) => errors[0].pointer.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn one_more_is_added_and_each_is_addressed_by_its_id() {
    let desk = desk().await;
    let admin = desk.actor.grant::<ManageConnections>().unwrap();
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    desk.clock.advance_millis(1000);
    let second = desk.give("lexicon", one_more(Some("  Games EU "))).await.unwrap().provider;
    assert_eq!(second.label.as_deref(), Some("Games EU"));
    assert_eq!(desk.labels(Network::AppLovin).await, ["AppLovin", "Games EU"]);
    // The fields that existed before show the first connection; `connections` lists all.
    let all = desk.service.providers(&desk.actor.grant().unwrap()).await.unwrap();
    let applovin = all.iter().find(|one| one.network == Network::AppLovin).unwrap();
    assert_eq!((applovin.id, applovin.connections.len()), (applovin.connections[0].id, 2));
    assert_eq!(applovin.connections[1].id, second.id);
    // From here on the request must say which connection it means.
    assert_eq!(at(&desk.give("valid", ConnectTarget::default()).await.unwrap_err()), "/connection_id");
    for unsaid in [
        desk.service.test_keys(&admin, Network::AppLovin).await.map(|_| ()),
        desk.service.remove_keys(&admin, Network::AppLovin).await,
    ] {
        assert!(
            matches!(&unsaid, Err(ServiceError::Conflict { detail, .. }) if detail.contains("“Games EU”")),
            "{unsaid:?}"
        );
    }
    // Replace one connection; the other stays.
    let before = desk.rows(Network::AppLovin).await;
    desk.give("valid", anew(before[0].id)).await.unwrap();
    let after = desk.rows(Network::AppLovin).await;
    assert_eq!((after[0].made, after[0].label.as_str()), (2, "AppLovin"));
    assert_eq!(after[1], before[1]);
    assert!(after[0].sealed != before[0].sealed);
    // Each connection can be tested, turned off and removed on its own.
    desk.service.test_provider(&admin, after[1].id).await.unwrap();
    desk.service.enable_provider(&admin, after[0].id, false).await.unwrap();
    let states: Vec<_> = desk.rows(Network::AppLovin).await.iter().map(|one| one.enabled).collect();
    assert_eq!(states, [false, true]);
    desk.service.disconnect_provider(&admin, after[0].id).await.unwrap();
    assert_eq!(desk.labels(Network::AppLovin).await, ["Games EU"]);
    let via = desk.via(Network::AppLovin).await;
    desk.service.connections.source.credentials(via, Network::AppLovin).await.unwrap();
    // With one connection left, requests need not name it.
    desk.service.test_keys(&admin, Network::AppLovin).await.unwrap();
}

#[tokio::test]
async fn what_would_make_sums_wrong_is_refused() {
    let desk = desk().await;
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    let twice = desk.give("acme", one_more(Some("Again"))).await.unwrap_err();
    assert!(matches!(&twice, ServiceError::Conflict { detail, .. } if detail.contains("“AppLovin”")), "{twice:?}");
    assert_eq!(desk.rows(Network::AppLovin).await.len(), 1);
    // The same Google user signs in a second time.
    desk.sign_in("single@sandbox.example", ConnectTarget::default()).await.unwrap();
    let twice = desk.sign_in("single@sandbox.example", one_more(None)).await.unwrap_err();
    assert!(matches!(&twice, ServiceError::Conflict { .. }), "{twice:?}");
    desk.sign_in("lexicon@sandbox.example", one_more(Some("Words"))).await.unwrap();
    assert_eq!(desk.rows(Network::AdMob).await.len(), 2);
    // Make the connection a real one. After that, no simulated one can be added to the network.
    let mut real = desk.rows(Network::AppLovin).await.remove(0);
    real.sandbox = false;
    let mut work = desk.service.store.begin().await.unwrap();
    assert!(work.remake_connection(&real).await.unwrap());
    work.commit().await.unwrap();
    let mixed = desk.give("lexicon", one_more(Some("Simulated"))).await.unwrap_err();
    assert!(
        matches!(&mixed, ServiceError::Conflict { detail, .. } if detail.contains("is a real AppLovin account")),
        "{mixed:?}"
    );
}

#[tokio::test]
async fn labels_are_unique_kept_and_changed() {
    let desk = desk().await;
    let admin = desk.actor.grant().unwrap();
    desk.give("acme", ConnectTarget { label: Some("Acme".into()), ..ConnectTarget::default() }).await.unwrap();
    desk.clock.advance_millis(1000);
    for (label, expected) in [(Some("aCME"), "/label"), (Some("   "), "/label"), (Some(&*"x".repeat(61)), "/label")] {
        assert_eq!(at(&desk.give("lexicon", one_more(label)).await.unwrap_err()), expected, "{label:?}");
    }
    let id = desk.give("lexicon", one_more(None)).await.unwrap().provider.id.unwrap();
    assert_eq!(desk.labels(Network::AppLovin).await, ["Acme", "AppLovin"]);
    assert_eq!(at(&desk.service.rename_connection(&admin, id, "ACME").await.unwrap_err()), "/label");
    let renamed = desk.service.rename_connection(&admin, id, " Words ").await.unwrap();
    assert_eq!(renamed.label.as_deref(), Some("Words"));
    let nobody = ConnectionId(desk.actor.workspace.0);
    assert!(matches!(desk.service.rename_connection(&admin, nobody, "Mine").await, Err(ServiceError::NotFound(_))));
    assert!(matches!(desk.give("valid", anew(nobody)).await, Err(ServiceError::NotFound(_))));
    // Two requests add a connection at once without a label: both succeed, each with its own label.
    let (third, fourth) = tokio::join!(desk.give("valid", one_more(None)), desk.give("read_only", one_more(None)));
    third.unwrap();
    fourth.unwrap();
    let mut labels = desk.labels(Network::AppLovin).await;
    labels.sort();
    assert_eq!(labels, ["Acme", "AppLovin", "AppLovin 2", "Words"]);
    for row in desk.rows(Network::AppLovin).await {
        desk.service
            .connections
            .source
            .credentials(super::super::source::via_of(&row), Network::AppLovin)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_renewal_or_refusal_of_one_does_not_touch_the_other() {
    let desk = desk().await;
    desk.sign_in("single@sandbox.example", ConnectTarget::default()).await.unwrap();
    desk.clock.advance_millis(1_800_000);
    desk.sign_in("lexicon@sandbox.example", one_more(Some("Words"))).await.unwrap();
    let source = &desk.service.connections.source;
    let rows = desk.rows(Network::AdMob).await;
    let via = |at: usize| super::super::source::via_of(&rows[at]);
    // The hour of the first is over; the second has half of it left.
    desk.clock.advance_millis(1_790_000);
    source.credentials(via(0), Network::AdMob).await.unwrap();
    source.credentials(via(1), Network::AdMob).await.unwrap();
    let after = desk.rows(Network::AdMob).await;
    assert_eq!((after[0].version, after[1].version), (2, 1));
    assert_eq!(after[1], rows[1]);
    // If the network refuses one connection, the other still works.
    let refused = source.credentials(via(1), Network::AdMob).await.unwrap();
    source.report_auth_failure(via(1), Network::AdMob, &refused).await;
    let states: Vec<_> = desk.rows(Network::AdMob).await.iter().map(super::super::source::state).collect();
    assert_eq!(states, [NetworkState::Connected, NetworkState::AuthFailed]);
    let apps = desk.service.entities_of(&desk.actor.grant().unwrap(), Network::AdMob, EntityKind::App).await.unwrap();
    assert!(!apps.is_empty() && apps.iter().all(|app| app.connection.as_deref() != Some("Words")));
    // Signing in again to the refused one repairs it and keeps its label.
    desk.sign_in("lexicon@sandbox.example", anew(rows[1].id)).await.unwrap();
    let mended = desk.rows(Network::AdMob).await;
    assert_eq!((mended[1].id, mended[1].label.as_str(), mended[1].made), (rows[1].id, "Words", 2));
    assert_eq!(mended[0], after[0]);
}

#[tokio::test]
async fn a_first_connection_asked_for_twice_is_one() {
    let desk = desk().await;
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    let first = desk.rows(Network::AppLovin).await.remove(0);
    // The keys were tried while there was no connection, and are stored after another connection was.
    let source = &desk.service.connections.source;
    let keys = super::super::keys::StoredKeys::new(&desk.keys("lexicon").await);
    let tried = || Tried {
        network: Network::AppLovin,
        sandbox: true,
        secret: Secret::Keys(&keys),
        accounts: super::super::source::accounts(&first),
        abilities: super::super::source::abilities(&first).unwrap(),
        selection: Selection::Ask,
    };
    desk.service.put_connection(&desk.actor, tried(), &ConnectTarget::default(), None).await.unwrap().unwrap();
    let rows = desk.rows(Network::AppLovin).await;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].id, rows[0].label.as_str(), rows[0].made), (first.id, "AppLovin", 2));
    source.credentials(super::super::source::via_of(&rows[0]), Network::AppLovin).await.unwrap();
    // The same account, added at the same moment under another label, is refused too.
    let twin = one_more(Some("Twin"));
    let refused = desk.service.put_connection(&desk.actor, tried(), &twin, None).await.unwrap_err();
    assert!(matches!(&refused, ServiceError::Conflict { detail, .. } if detail.contains("“AppLovin”")), "{refused:?}");
    assert_eq!(desk.rows(Network::AppLovin).await.len(), 1);
}

#[tokio::test]
async fn the_same_request_twice_at_once_has_one_answer() {
    let desk = desk().await;
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    let fields = desk.keys("lexicon").await;
    let granted = desk.actor.grant().unwrap();
    let give = || {
        let given = GivenKeys { fields: fields.clone(), place: Some(KeyPlace::Sandbox), target: one_more(None) };
        desk.service.connect_keys(&granted, Network::AppLovin, given, Some("the-key"))
    };
    let (one, other) = tokio::join!(give(), give());
    assert_eq!(one.unwrap().provider.id, other.unwrap().provider.id);
    assert_eq!(desk.labels(Network::AppLovin).await.len(), 2);
}

#[tokio::test]
async fn keys_that_would_be_refused_are_refused_when_they_are_tried() {
    let desk = desk().await;
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    let given = async |standing, target| {
        let given = GivenKeys { fields: desk.keys(standing).await, place: Some(KeyPlace::Sandbox), target };
        desk.service.try_keys(&desk.actor.grant().unwrap(), Network::AppLovin, given).await
    };
    let twice = given("acme", one_more(Some("Again"))).await.unwrap_err();
    assert!(matches!(&twice, ServiceError::Conflict { detail, .. } if detail.contains("“AppLovin”")), "{twice:?}");
    assert_eq!(at(&given("lexicon", one_more(Some("applovin"))).await.unwrap_err()), "/label");
    given("acme", ConnectTarget::default()).await.unwrap();
    given("lexicon", one_more(None)).await.unwrap();
    assert_eq!(desk.labels(Network::AppLovin).await, ["AppLovin"]);
}

#[tokio::test]
async fn a_selection_survives_what_it_named() {
    use adagent_contract::{ContextMode, ContextSettings};
    let desk = desk().await;
    let granted = desk.actor.grant().unwrap();
    desk.give("acme", ConnectTarget::default()).await.unwrap();
    let first = desk.rows(Network::AppLovin).await[0].id;
    desk.give("lexicon", one_more(None)).await.unwrap();
    let chosen = ContextSettings {
        mode: ContextMode::Strict,
        enabled_connections: [(Network::AppLovin, vec![first])].into(),
        ..ContextSettings::default()
    };
    desk.service.put_context(&granted, chosen.clone()).await.unwrap();
    desk.service.disconnect_provider(&desk.actor.grant().unwrap(), first).await.unwrap();
    // A page that was open meanwhile sends its old state. Nobody ever chose the other account, so it stays off.
    let safe = ContextSettings { safe_mode: true, ..chosen };
    let kept = desk.service.put_context(&granted, safe).await.unwrap();
    assert!(kept.safe_mode && kept.enabled_connections.is_empty() && !kept.is_on(Network::AppLovin));
    assert_eq!(desk.service.context(&desk.actor).await.unwrap(), kept);
    // An ID that never existed is a mistake.
    let made_up = ContextSettings {
        enabled_connections: [(Network::AppLovin, vec![ConnectionId(desk.actor.workspace.0)])].into(),
        ..ContextSettings::default()
    };
    assert_eq!(at(&desk.service.put_context(&granted, made_up).await.unwrap_err()), "/enabled_connections/applovin/0");
}
