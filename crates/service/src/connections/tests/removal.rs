//! An admin is removed or demoted while we ask a network: what they began must connect and replace nothing.

use adagent_domain::{ConnectionId, JobId, Role, UserId, WorkspaceId};
use adagent_store::{NewRevocation, Workspace, WorkspaceKind};

use super::*;

struct Team {
    desk: Desk,
    owner: Actor,
    admin: Actor,
}

/// Makes an organization of the desk's first person, with one admin.
async fn team() -> Team {
    let desk = desk().await;
    let request: SignUpRequest =
        serde_json::from_value(json!({"email": "bob@example.com", "password": "correct horse battery", "name": "Bob"}))
            .unwrap();
    let crate::SignedUp::In(bob) = desk.service.sign_up(request, ClientInfo::default()).await.unwrap() else {
        panic!("signed in at once")
    };
    let id = WorkspaceId::new(&*desk.service.ids);
    let now = desk.clock.now();
    let (kind, name, slug) = (WorkspaceKind::Organization, "Acme".to_owned(), "acme".to_owned());
    let mut work = desk.service.store.begin().await.unwrap();
    work.insert_organization(&Workspace { id, kind, name, slug, created_at: now }, desk.actor.user).await.unwrap();
    assert!(work.insert_member(id, bob.id, Role::Admin, now).await.unwrap());
    work.commit().await.unwrap();
    let of = async |user: UserId| desk.service.resolve_actor(user, Some(id)).await.unwrap();
    let (owner, admin) = (of(desk.actor.user).await, of(bob.id).await);
    Team { desk, owner, admin }
}

impl Team {
    /// Makes the network answer slowly, so that something can happen meanwhile.
    async fn slow(&self, fault: Json) {
        self.desk.control("faults", fault).await;
    }

    async fn remove(&self) {
        tokio::time::sleep(Duration::from_millis(250)).await;
        self.desk.service.remove_member(&self.owner.grant().unwrap(), self.admin.user).await.unwrap();
    }

    async fn demote(&self) {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let patch = serde_json::from_value(json!({"role": "member"})).unwrap();
        self.desk.service.change_role(&self.owner.grant().unwrap(), self.admin.user, patch).await.unwrap();
    }

    async fn rows(&self) -> Vec<Connection> {
        self.desk.service.store.list_connections(self.owner.workspace).await.unwrap()
    }

    /// Begins a sign-in as the admin, consents, and comes back while the network answers slowly.
    async fn come_back(&self) -> Result<crate::connections::OauthFinished, ServiceError> {
        let request = ConnectRequest { provider: "admob".into(), return_to: None, target: ConnectTarget::default() };
        let begun = self.desk.service.connect(&self.admin.grant().unwrap(), request, "session").await.unwrap();
        let (state, code) =
            self.desk.consent(&begun.authorization_url.parse().unwrap(), "single@sandbox.example").await;
        self.slow(json!({"operation": "oauth_token", "kind": "delay", "ms": 900, "times": 1})).await;
        self.desk.finish(&state, Ok(&code), "session").await
    }
}

#[tokio::test]
async fn a_sign_in_of_somebody_removed_meanwhile_connects_nothing() {
    let team = team().await;
    let (came_back, ()) = futures::join!(team.come_back(), async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        team.remove().await;
    });
    assert!(matches!(came_back, Err(ServiceError::NotFound(_))), "{came_back:?}");
    assert!(team.rows().await.is_empty());
}

#[tokio::test]
async fn keys_of_somebody_demoted_meanwhile_replace_nothing() {
    let team = team().await;
    let give = async |actor: &Actor, standing: &str, target: ConnectTarget| {
        let given = GivenKeys {
            fields: team.desk.keys(standing).await,
            place: Some(adagent_contract::KeyPlace::Sandbox),
            target,
        };
        team.desk.service.connect_keys(&actor.grant().unwrap(), Network::AppLovin, given, None).await
    };
    give(&team.owner, "acme", ConnectTarget::default()).await.unwrap();
    let before = team.rows().await;
    let target = ConnectTarget { connection_id: Some(before[0].id), ..ConnectTarget::default() };
    team.slow(json!({"network": "applovin", "kind": "delay", "ms": 900, "times": 1})).await;
    let (given, ()) = futures::join!(give(&team.admin, "lexicon", target), team.demote());
    assert_eq!(given.unwrap_err().problem().status, 403);
    assert_eq!(team.rows().await, before);
}

#[tokio::test]
async fn exploring_of_somebody_removed_meanwhile_connects_nothing() {
    let team = team().await;
    team.slow(json!({"network": "admob", "kind": "delay", "ms": 900, "times": 1})).await;
    let request = adagent_contract::ExploreRequest { networks: None };
    let admin = team.admin.grant().unwrap();
    let (explored, ()) = futures::join!(team.desk.service.explore(&admin, request), team.remove());
    assert!(matches!(explored, Err(ServiceError::NotFound(_))), "{explored:?}");
    assert!(team.rows().await.is_empty());
}

#[tokio::test]
async fn a_token_is_not_made_for_somebody_who_was_removed() {
    let team = team().await;
    let grant = team.admin.grant().unwrap();
    team.remove().await;
    let request =
        serde_json::from_value(json!({"name": "cli", "scopes": ["api"], "password": "correct horse battery"})).unwrap();
    let proof = crate::Proof::default();
    let made = team.desk.service.create_token(&grant, request, proof).await;
    assert!(matches!(made, Err(ServiceError::NotFound(_))), "{made:?}");
    let kept = team.desk.service.store.list_access_tokens(team.admin.workspace, team.admin.user, 10).await.unwrap();
    assert!(kept.is_empty());
}

#[tokio::test]
async fn what_must_be_revoked_by_hand_stays_when_somebody_removed_says_that_it_was_done() {
    let team = team().await;
    let service = &team.desk.service;
    let id = JobId::new(&*service.ids);
    let revocation = NewRevocation {
        id,
        workspace: team.owner.workspace,
        connection: ConnectionId::new(&*service.ids),
        network: Network::AdMob,
        sandbox: false,
        sealed: Err("the key is gone".into()),
        created_at: team.desk.clock.now(),
    };
    let mut work = service.store.begin().await.unwrap();
    work.insert_revocation(&revocation).await.unwrap();
    work.commit().await.unwrap();
    let (removed, owner) = (team.admin.grant().unwrap(), team.owner.grant().unwrap());
    team.remove().await;
    let told = service.forget_revocation(&removed, id).await;
    assert!(matches!(told, Err(ServiceError::NotFound("organization"))), "{told:?}");
    assert_eq!(service.failed_revocations(&team.owner.grant().unwrap()).await.unwrap().len(), 1);
    service.forget_revocation(&owner, id).await.unwrap();
}
