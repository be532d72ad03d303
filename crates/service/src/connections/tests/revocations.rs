//! We revoke access after its connection was removed, however often the process dies in between.

use adagent_contract::DeleteOrganization;
use adagent_domain::{ConnectionId, WorkspaceId};
use adagent_store::{AuditEntry, Queue, QueueBacklog};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::WorkedOff;

impl Desk {
    async fn connected(&self) -> ConnectionId {
        self.service.explore_network(&self.actor, Network::AdMob).await.unwrap();
        self.admob().await.id.unwrap()
    }

    /// Signs in as a person does at the network.
    async fn signed_in(&self) -> ConnectionId {
        let (state, code) = self.consent(&self.begin(None).await, "single@sandbox.example").await;
        self.finish(&state, Ok(&code), "session").await.unwrap();
        let admob = self.admob().await;
        assert!(!admob.sandbox);
        admob.id.unwrap()
    }

    /// Replaces the vault's keys, so that earlier texts no longer open.
    fn lose_the_keys(&mut self) {
        let other = Arc::new(Vault::new(KeyRing::parse("other:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA").unwrap()));
        let service = Arc::get_mut(&mut self.service).expect("nobody else has it");
        let source = &service.connections.source;
        service.connections.source = super::super::StoredCredentials::new(
            Arc::clone(&service.store),
            other,
            Arc::clone(&service.clock),
            source.oauth.clone(),
            source.endpoints.clone(),
            Arc::new(|| 0.0),
        );
    }

    /// Makes the network fail until every attempt was made. Returns how many there were.
    async fn try_in_vain(&self) -> u64 {
        let never =
            json!({"network": "admob", "operation": "oauth_revoke", "kind": "status", "status": 503, "times": 100});
        self.control("faults", never).await;
        let mut tries = 0;
        while self.service.store.queue_backlog(Queue::Revocations).await.unwrap().waiting > 0 {
            let worked = self.work_off().await;
            tries += worked.done + worked.again + worked.given_up;
            self.clock.advance_millis(6 * 3_600_000);
        }
        tries
    }

    async fn disconnect(&self, id: ConnectionId) {
        self.service.disconnect_provider(&self.actor.grant().unwrap(), id).await.unwrap();
    }

    /// Works off the queue as a process does after its start.
    async fn work_off(&self) -> WorkedOff {
        self.service.take_due_consents_back(&CancellationToken::new()).await.unwrap()
    }

    /// Counts how often the network was asked.
    async fn asked(&self) -> usize {
        let url = format!("{}/__sandbox/requests?operation=oauth_revoke", self.sandbox.base_url());
        let answer: Json = self.client.get(url).send().await.unwrap().json().await.unwrap();
        answer["items"].as_array().unwrap().len()
    }

    async fn log(&self, workspace: WorkspaceId) -> Vec<AuditEntry> {
        let mut lines = self.service.store.list_audit(workspace, 50).await.unwrap();
        lines.retain(|line| line.action.starts_with("connection.") && line.action != "connection.connected");
        lines.reverse();
        lines
    }
}

fn told(lines: &[AuditEntry]) -> Vec<&str> {
    lines.iter().map(|line| line.action.as_str()).collect()
}

#[tokio::test]
async fn the_removal_leaves_a_job_and_the_job_asks_the_network_once() {
    let desk = desk().await;
    let id = desk.connected().await;
    desk.disconnect(id).await;
    // The removal is committed and the network was not asked yet: the process may die here.
    assert_eq!(desk.asked().await, 0);
    assert_eq!(desk.work_off().await, WorkedOff { done: 1, ..WorkedOff::default() });
    assert_eq!(desk.work_off().await, WorkedOff::default());
    assert_eq!(desk.asked().await, 1);
    let lines = desk.log(desk.actor.workspace).await;
    assert_eq!(told(&lines), ["connection.disconnected", "connection.consent_taken_back"]);
    assert_eq!((&lines[0].detail["consent"], &lines[1].target), (&json!("being_taken_back"), &id.to_string()));
    assert_eq!((lines[0].user, lines[1].user), (desk.actor.user, adagent_store::audit::NOBODY));
    assert!(desk.service.failed_revocations(&desk.actor.grant().unwrap()).await.unwrap().is_empty());
}

/// The network revoked the access, and the process died before it could store that.
#[tokio::test]
async fn what_nobody_heard_of_is_asked_again_and_the_network_says_that_it_is_done() {
    let desk = desk().await;
    let id = desk.connected().await;
    desk.disconnect(id).await;
    desk.control("faults", json!({"network": "admob", "operation": "oauth_revoke", "kind": "status", "status": 503, "apply": true, "times": 1}))
        .await;
    assert_eq!(desk.work_off().await, WorkedOff { again: 1, ..WorkedOff::default() });
    assert_eq!(desk.work_off().await, WorkedOff::default(), "not at once");
    desk.clock.advance_millis(30_000);
    assert_eq!(desk.work_off().await, WorkedOff { done: 1, ..WorkedOff::default() });
    assert_eq!(told(&desk.log(desk.actor.workspace).await).len(), 2);
}

/// A person has one consent, so revoking the old one would also end what was connected since.
#[tokio::test]
async fn what_is_connected_anew_meanwhile_is_left_alone() {
    let desk = desk().await;
    let id = desk.connected().await;
    desk.disconnect(id).await;
    desk.connected().await;
    assert_eq!(desk.work_off().await, WorkedOff { done: 1, ..WorkedOff::default() });
    assert_eq!(desk.asked().await, 0);
    let lines = desk.log(desk.actor.workspace).await;
    assert_eq!(told(&lines), ["connection.disconnected", "connection.consent_in_use_again"]);
}

#[tokio::test]
async fn what_a_network_never_takes_back_is_a_persons_to_do() {
    let desk = live_desk().await;
    let id = desk.signed_in().await;
    desk.disconnect(id).await;
    let store = &desk.service.store;
    assert_eq!(desk.try_in_vain().await, 18);
    assert_eq!(store.queue_backlog(Queue::Revocations).await.unwrap(), QueueBacklog { waiting: 0, failed: 1 });
    let lines = desk.log(desk.actor.workspace).await;
    assert_eq!(told(&lines), ["connection.disconnected", "connection.consent_not_taken_back"]);
    assert_eq!(lines[1].detail["attempts"], 18);
    let failed = desk.service.failed_revocations(&desk.actor.grant().unwrap()).await.unwrap();
    assert!(failed.len() == 1 && failed[0].message.contains("503"), "{failed:?}");
    let rows = store.list_sealed(adagent_store::SealedColumn::Revocations, None, 10).await.unwrap();
    assert!(rows.is_empty(), "a token that nobody needs is not kept");
    let granted = desk.actor.grant().unwrap();
    desk.service.forget_revocation(&granted, failed[0].id).await.unwrap();
    assert!(matches!(desk.service.forget_revocation(&granted, failed[0].id).await, Err(ServiceError::NotFound(_))));
    assert!(desk.service.failed_revocations(&desk.actor.grant().unwrap()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_token_that_cannot_be_opened_is_said_at_once_and_a_key_is_nobodys_consent() {
    let mut desk = live_desk().await;
    let id = desk.signed_in().await;
    desk.service.explore_network(&desk.actor, Network::Unity).await.unwrap();
    desk.lose_the_keys();
    desk.disconnect(id).await;
    let unity = oldest(&desk.service, desk.actor.workspace, Network::Unity).await.unwrap();
    desk.disconnect(unity.id).await;
    let lines = desk.log(desk.actor.workspace).await;
    let consents: Vec<&Json> = lines.iter().map(|line| &line.detail["consent"]).collect();
    assert_eq!(consents, [&json!("by_hand"), &json!("none")]);
    assert_eq!(desk.work_off().await, WorkedOff::default());
    let failed = desk.service.failed_revocations(&desk.actor.grant().unwrap()).await.unwrap();
    assert!(failed.len() == 1 && failed[0].message.contains("can't decrypt"), "{failed:?}");
}

#[tokio::test]
async fn consents_of_a_deleted_organisation_are_taken_back_and_nobody_is_told() {
    let desk = desk().await;
    let name: adagent_contract::NewOrganization = serde_json::from_value(json!({"name": "Acme"})).unwrap();
    let acme = desk.service.create_organization(desk.actor.user, name).await.unwrap();
    let owner = desk.service.resolve_actor(desk.actor.user, Some(acme.id)).await.unwrap();
    desk.service.explore_network(&owner, Network::AdMob).await.unwrap();
    let typed: DeleteOrganization = serde_json::from_value(json!({"name": "Acme"})).unwrap();
    desk.service.delete_organization(&owner.grant().unwrap(), &typed).await.unwrap();
    assert_eq!(desk.asked().await, 0);
    assert_eq!(desk.work_off().await, WorkedOff { done: 1, ..WorkedOff::default() });
    assert_eq!(desk.asked().await, 1);
    assert_eq!(told(&desk.log(acme.id).await), Vec::<&str>::new(), "the log of what is gone is over");
}

/// One Google user in two workspaces: the network has one consent for both.
#[tokio::test]
async fn a_consent_that_another_connection_rests_on_goes_with_the_last_one() {
    let desk = desk().await;
    let id = desk.connected().await;
    let name: adagent_contract::NewOrganization = serde_json::from_value(json!({"name": "Acme"})).unwrap();
    let acme = desk.service.create_organization(desk.actor.user, name).await.unwrap();
    let there = desk.service.resolve_actor(desk.actor.user, Some(acme.id)).await.unwrap();
    desk.service.explore_network(&there, Network::AdMob).await.unwrap();
    desk.disconnect(id).await;
    assert_eq!(desk.work_off().await, WorkedOff { done: 1, ..WorkedOff::default() });
    assert_eq!(desk.asked().await, 0, "nobody asked the network");
    let lines = desk.log(desk.actor.workspace).await;
    assert_eq!(told(&lines), ["connection.disconnected", "connection.consent_in_use_again"]);
    let left = desk.service.store.list_connections(acme.id).await.unwrap().remove(0);
    desk.service.disconnect_provider(&there.grant().unwrap(), left.id).await.unwrap();
    assert_eq!(desk.work_off().await.done, 1);
    assert_eq!(desk.asked().await, 1);
}

/// A person is not asked to revoke a consent that no network has.
#[tokio::test]
async fn a_simulated_consent_that_is_not_taken_back_is_forgotten() {
    let mut desk = desk().await;
    let id = desk.connected().await;
    desk.disconnect(id).await;
    assert_eq!(desk.try_in_vain().await, 18, "tried as any other");
    let id = desk.connected().await;
    desk.lose_the_keys();
    desk.disconnect(id).await;
    assert_eq!(desk.work_off().await, WorkedOff::default(), "nobody can open it");
    assert_eq!(desk.service.store.queue_backlog(Queue::Revocations).await.unwrap(), QueueBacklog::default());
    assert!(desk.service.failed_revocations(&desk.actor.grant().unwrap()).await.unwrap().is_empty());
    let lines = desk.log(desk.actor.workspace).await;
    assert_eq!(told(&lines), ["connection.disconnected", "connection.disconnected"]);
    assert_eq!(
        (&lines[0].detail["consent"], &lines[1].detail["consent"]),
        (&json!("being_taken_back"), &json!("none"))
    );
}

/// The page that would show this is deleted with the workspace, so the person who deletes it learns it before and after.
#[tokio::test]
async fn what_a_person_must_remove_by_hand_is_said_to_who_deletes_an_organisation_or_an_account() {
    let mut desk = live_desk().await;
    let name: adagent_contract::NewOrganization = serde_json::from_value(json!({"name": "Acme"})).unwrap();
    let acme = desk.service.create_organization(desk.actor.user, name).await.unwrap();
    let home = desk.actor;
    desk.actor = desk.service.resolve_actor(home.user, Some(acme.id)).await.unwrap();
    let left = async |desk: &Desk| desk.service.consents_left(&desk.actor.grant().unwrap()).await.unwrap();
    // A revocation that we gave up is left to the person. While we can still revoke an access, no person has to.
    let id = desk.signed_in().await;
    assert_eq!(left(&desk).await, []);
    desk.disconnect(id).await;
    desk.try_in_vain().await;
    assert_eq!(left(&desk).await, [Network::AdMob]);
    let typed: DeleteOrganization = serde_json::from_value(json!({"name": "Acme"})).unwrap();
    let told = desk.service.delete_organization(&desk.actor.grant().unwrap(), &typed).await.unwrap();
    assert_eq!(told, [Network::AdMob]);

    // The access of a connection that we cannot open is left too; the simulated one is not. The person learns this from the organization
    // and from the account.
    let name: adagent_contract::NewOrganization = serde_json::from_value(json!({"name": "Alone"})).unwrap();
    let alone = desk.service.create_organization(home.user, name).await.unwrap();
    desk.actor = desk.service.resolve_actor(home.user, Some(alone.id)).await.unwrap();
    desk.signed_in().await;
    desk.service.explore_network(&desk.actor, Network::AdManager).await.unwrap();
    assert_eq!(desk.service.account(&home).await.unwrap().consents_left, []);
    desk.lose_the_keys();
    assert_eq!(left(&desk).await, [Network::AdMob]);
    assert_eq!(desk.service.account(&home).await.unwrap().consents_left, [Network::AdMob]);
    let ask = json!({"email": "ada@example.com", "password": "correct horse battery"});
    let ask = serde_json::from_value(ask).unwrap();
    let told = desk.service.erase_account(home.user, &ask, ClientInfo::default(), None).await.unwrap();
    assert_eq!(told, [Network::AdMob]);
}
