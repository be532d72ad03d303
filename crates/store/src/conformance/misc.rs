//! Browser sessions, idempotency keys, context settings, audit log, sweeping.

use std::sync::Arc;

use adagent_contract::{ContextMode, ContextSettings};
use adagent_domain::Network;
use serde_json::json;

use super::fixtures::{Must, World};
use crate::{AuditEntry, HttpSession, IdempotentAnswer, OauthAttempt, SignInInto, Store};

pub async fn a_browser_session_ends_with_its_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    let session = HttpSession { id: "s1".to_owned(), data: "{}".to_owned(), expires_at: world.now().plus_seconds(10) };
    let mut unit = world.begin().await;
    assert!(unit.insert_http_session(&session).await.must());
    let clash = HttpSession { data: "other".to_owned(), ..session.clone() };
    assert!(!unit.insert_http_session(&clash).await.must(), "an id is inserted once");
    unit.commit().await.must();
    assert_eq!(world.store.find_http_session("s1", world.now()).await.must(), Some(session.clone()));
    assert_eq!(world.store.find_http_session("s2", world.now()).await.must(), None);
    assert_eq!(world.store.find_http_session("s1", session.expires_at).await.must(), None);
    let longer = HttpSession { data: "more".to_owned(), expires_at: world.now().plus_seconds(99), ..session };
    let mut unit = world.begin().await;
    unit.save_http_session(&longer).await.must();
    unit.commit().await.must();
    let later = world.now().plus_seconds(50);
    assert_eq!(world.store.find_http_session("s1", later).await.must(), Some(longer));
    let mut unit = world.begin().await;
    unit.delete_http_session("s1").await.must();
    unit.delete_http_session("never").await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_http_session("s1", world.now()).await.must(), None);
}

pub async fn an_idempotency_key_is_taken_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let tries = (0..10).map(|number| {
        let (world, ann) = (world.clone(), ann.clone());
        tokio::spawn(async move {
            let answer = IdempotentAnswer { request_digest: "d".to_owned(), answer: number.to_string() };
            let mut unit = world.begin().await;
            let won = unit.insert_idempotent(ann.personal_workspace, ann.id, "key", &answer, world.now()).await.must();
            unit.commit().await.must();
            won.then_some(answer)
        })
    });
    let mut winners = Vec::new();
    for one in tries.collect::<Vec<_>>() {
        winners.extend(one.await.expect("no panic"));
    }
    assert_eq!(winners.len(), 1);
    let found = world.store.find_idempotent(ann.personal_workspace, ann.id, "key").await.must();
    assert_eq!(found.as_ref(), winners.first());
    assert_eq!(world.store.find_idempotent(bob.personal_workspace, bob.id, "key").await.must(), None);
    assert_eq!(world.store.find_idempotent(ann.personal_workspace, ann.id, "other").await.must(), None);
    let mut unit = world.begin().await;
    let bobs = IdempotentAnswer { request_digest: "d".to_owned(), answer: "bob".to_owned() };
    assert!(unit.insert_idempotent(bob.personal_workspace, bob.id, "key", &bobs, world.now()).await.must());
    unit.commit().await.must();
}

pub async fn sweeping_removes_what_is_over_and_nothing_else(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let now = world.now();
    let mut unit = world.begin().await;
    for (name, offset) in [("old", 0), ("new", 1)] {
        let expires_at = now.plus_seconds(offset);
        assert!(
            unit.insert_http_session(&HttpSession { id: name.to_owned(), data: String::new(), expires_at })
                .await
                .must()
        );
        let attempt = OauthAttempt {
            state_hash: name.to_owned(),
            workspace: ann.personal_workspace,
            user: ann.id,
            session_hash: String::new(),
            sealed_verifier: String::new(),
            return_to: None,
            expires_at,
            into: SignInInto::Network {
                network: Network::AdMob,
                sandbox: false,
                connection: None,
                adds: false,
                label: None,
            },
        };
        unit.insert_oauth_attempt(&attempt).await.must();
        let answer = IdempotentAnswer { request_digest: String::new(), answer: String::new() };
        let at = now.plus_seconds(offset - 86_400);
        assert!(unit.insert_idempotent(ann.personal_workspace, ann.id, name, &answer, at).await.must());
    }
    assert_eq!(unit.sweep(now).await.must(), 3);
    assert_eq!(unit.sweep(now).await.must(), 0);
    assert!(unit.take_oauth_attempt("old").await.must().is_none());
    assert!(unit.take_oauth_attempt("new").await.must().is_some());
    unit.commit().await.must();
    assert!(world.store.find_http_session("new", now).await.must().is_some());
    assert!(world.store.find_idempotent(ann.personal_workspace, ann.id, "old").await.must().is_none());
    assert!(world.store.find_idempotent(ann.personal_workspace, ann.id, "new").await.must().is_some());
}

pub async fn context_settings_belong_to_person_and_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let find = async |workspace, user| world.store.find_context(workspace, user).await.must();
    assert_eq!(find(ann.personal_workspace, ann.id).await, ContextSettings::default());
    let mut settings = ContextSettings { mode: ContextMode::Strict, safe_mode: true, ..ContextSettings::default() };
    settings.enabled_accounts.insert(Network::AdMob, vec!["pub-1".to_owned()]);
    for app in ["one", "two"] {
        settings.enabled_apps = Some(vec![app.to_owned()].into());
        let mut unit = world.begin().await;
        unit.put_context(ann.personal_workspace, ann.id, &settings, world.now()).await.must();
        unit.commit().await.must();
        assert_eq!(find(ann.personal_workspace, ann.id).await, settings);
    }
    assert_eq!(find(ann.personal_workspace, bob.id).await, ContextSettings::default());
    assert_eq!(find(bob.personal_workspace, ann.id).await, ContextSettings::default());
}

pub async fn a_reporting_time_zone_belongs_to_its_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let find = async |workspace| world.store.find_time_zone(workspace).await.must();
    assert_eq!(find(ann.personal_workspace).await, None);
    for zone in [Some("America/New_York"), Some("Asia/Tokyo"), None, None] {
        let mut unit = world.begin().await;
        unit.put_time_zone(ann.personal_workspace, zone, world.now()).await.must();
        unit.commit().await.must();
        assert_eq!(find(ann.personal_workspace).await.as_deref(), zone);
        assert_eq!(find(bob.personal_workspace).await, None);
    }
}

pub async fn the_audit_log_lists_newest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let mut unit = world.begin().await;
    let mut entries = Vec::new();
    for number in 0..4 {
        let entry = AuditEntry {
            workspace: ann.personal_workspace,
            user: ann.id,
            action: "approval.approved".to_owned(),
            target: number.to_string(),
            detail: json!({"number": number}),
            // Two entries share each instant; the later one counts as newer.
            at: world.now().plus_seconds(number / 2),
        };
        unit.insert_audit(&entry).await.must();
        entries.insert(0, entry);
    }
    unit.commit().await.must();
    assert_eq!(world.store.list_audit(ann.personal_workspace, 3).await.must(), entries[..3]);
    assert_eq!(world.store.list_audit(bob.personal_workspace, 3).await.must(), []);
}

pub async fn the_store_answers_a_ping(store: Arc<dyn Store>) {
    store.ping().await.must();
}
