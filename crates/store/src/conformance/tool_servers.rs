//! Tool servers: whose they are, how two people change one, and what stays when a person leaves.

use std::sync::Arc;

use adagent_contract::{ServerAccess, ServerTool, ToolServerSignIn};
use adagent_domain::{ToolServerId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{
    DeletedUser, DeletionReason, OauthAttempt, SealedColumn, SealedKey, SignInInto, Store, StoreError, ToolServer,
    ToolServerBody, User,
};

fn server(world: &World, person: &User, workspace: WorkspaceId, handle: &str) -> ToolServer {
    let now = world.now();
    ToolServer {
        id: ToolServerId::new(&*world.ids),
        workspace,
        handle: handle.into(),
        url: "https://mcp.example.com/mcp".into(),
        sign_in: ToolServerSignIn::Header { name: "x-api-key".into() },
        access: ServerAccess::SignedOut,
        sealed_version: 1,
        body: ToolServerBody {
            name: format!("{handle} \u{1F4B0}"),
            sealed: Some("a..b.c.d".into()),
            enabled: true,
            problem: None,
            tools: vec![ServerTool {
                name: "echo".into(),
                title: None,
                description: "Says it again.".into(),
                input_schema: serde_json::json!({"type": "object"}).into(),
                digest: "d".into(),
                reading: true,
                on: true,
                change: None,
            }],
            left_out: 3,
            checked_at: now,
        },
        by: Some(person.id),
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

async fn insert(world: &World, server: &ToolServer, most: u32) -> Result<bool, StoreError> {
    let mut unit = world.begin().await;
    let kept = unit.insert_tool_server(server, most).await?;
    unit.commit().await?;
    Ok(kept)
}

pub async fn a_tool_server_comes_back_as_it_was_made_and_belongs_to_its_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (home, away) = (ann.personal_workspace, bob.personal_workspace);
    let made = server(&world, &ann, home, "docs");
    assert!(insert(&world, &made, 2).await.must());
    assert_eq!(world.store.find_tool_server(home, made.id).await.must(), Some(made.clone()));
    assert_eq!(world.store.list_tool_servers(home, 10).await.must(), std::slice::from_ref(&made));
    assert_eq!(world.store.find_tool_server(away, made.id).await.must(), None);
    assert_eq!(world.store.list_tool_servers(away, 10).await.must(), []);
    let same = server(&world, &ann, home, "docs");
    assert!(matches!(insert(&world, &same, 2).await, Err(StoreError::Taken { .. })), "one handle, one server");
    assert!(insert(&world, &server(&world, &bob, away, "docs"), 2).await.must(), "elsewhere it is free");
    let mut unit = world.begin().await;
    assert!(!unit.update_tool_server(away, made.id, 1, &made.body, world.now()).await.must());
    assert_eq!(unit.delete_tool_server(away, made.id).await.must(), None);
    unit.commit().await.must();
    assert!(insert(&world, &server(&world, &ann, home, "mail"), 2).await.must());
    assert!(!insert(&world, &server(&world, &ann, home, "third"), 2).await.must(), "two are the most");
    let mut unit = world.begin().await;
    assert_eq!(unit.delete_tool_server(home, made.id).await.must().as_deref(), Some("docs"));
    assert_eq!(unit.delete_tool_server(home, made.id).await.must(), None, "once");
    unit.commit().await.must();
}

pub async fn of_two_changes_of_one_tool_server_the_first_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let made = server(&world, &ann, home, "docs");
    assert!(insert(&world, &made, 10).await.must());
    for (from, name, wins) in [(1, "First", true), (1, "Late", false), (2, "Second", true)] {
        let body = ToolServerBody { name: name.into(), enabled: false, sealed: None, ..made.body.clone() };
        let mut unit = world.begin().await;
        assert_eq!(unit.update_tool_server(home, made.id, from, &body, world.now()).await.must(), wins, "{name}");
        unit.commit().await.must();
    }
    let found = world.store.find_tool_server(home, made.id).await.must().expect("it stays");
    assert_eq!((found.body.name.as_str(), found.version, found.body.enabled), ("Second", 3, false));
    let row = world.store.find_sealed(SealedColumn::ToolServers, &SealedKey::Id(made.id.0)).await.must();
    assert_eq!(row.map(|row| row.sealed), made.body.sealed, "no change writes back what is sealed");
}

pub async fn a_tool_server_of_someone_who_leaves_stays_without_who(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let (shared, own) = (server(&world, &bob, acme.id, "docs"), server(&world, &bob, bob.personal_workspace, "docs"));
    assert!(insert(&world, &shared, 10).await.must() && insert(&world, &own, 10).await.must());
    let mut unit = world.begin().await;
    let record = DeletedUser {
        id: bob.id.0,
        anonymous_id: "anonymous".into(),
        created_on: "2026-01-01".into(),
        deleted_on: "2026-01-02".into(),
        lifetime_days: 1,
        reason: DeletionReason::UserRequested,
    };
    unit.erase_user(&bob, None, &record).await.must();
    unit.commit().await.must();
    let found = world.store.find_tool_server(acme.id, shared.id).await.must().expect("it stays");
    assert_eq!(found.by, None);
    assert_eq!(world.store.find_tool_server(own.workspace, own.id).await.must(), None);
}

pub async fn one_process_refreshes_a_sign_in_and_the_newer_one_counts(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let made = server(&world, &ann, home, "docs");
    assert!(insert(&world, &made, 10).await.must());
    let now = world.now();
    let claim = async |from, now, until| {
        let mut unit = world.begin().await;
        let won = unit.claim_server_refresh(home, made.id, from, now, until).await.must();
        unit.commit().await.must();
        won
    };
    let set = async |from, sealed: &str, access| {
        let mut unit = world.begin().await;
        let set = unit.set_server_access(home, made.id, from, sealed, access).await.must();
        unit.commit().await.must();
        set
    };
    let since = ServerAccess::SignedIn { since: now };
    assert!(set(1, "first", since).await);
    assert!(!set(1, "late", ServerAccess::SignedOut).await, "somebody was faster");
    let until = now.plus_seconds(30);
    assert!(claim(2, now, until).await);
    assert!(!claim(2, now, until).await, "one at a time");
    assert!(!claim(1, now, until).await, "an older version is not refreshed");
    assert!(claim(2, until, until.plus_seconds(30)).await, "a process that died holds it only for a time");
    let mut unit = world.begin().await;
    unit.end_server_refresh(home, made.id, 2).await.must();
    unit.commit().await.must();
    assert!(claim(2, now, until).await, "a claim that brought nothing is given back");
    assert!(set(2, "second", ServerAccess::Expired { since: now }).await);
    assert!(claim(3, now, until).await, "new tokens end the claim");
    let found = world.store.find_tool_server(home, made.id).await.must().expect("it stays");
    assert_eq!((found.access, found.sealed_version), (ServerAccess::Expired { since: now }, 3));
    assert_eq!((found.body.sealed.as_deref(), found.version), (Some("second"), 1), "people's version stays");
    let away = world.person("bob").await.personal_workspace;
    let mut unit = world.begin().await;
    assert!(!unit.set_server_access(away, made.id, 3, "theirs", since).await.must());
    assert!(!unit.claim_server_refresh(away, made.id, 3, until, until).await.must());
}

pub async fn a_round_trip_to_a_tool_server_ends_with_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let made = server(&world, &ann, home, "docs");
    assert!(insert(&world, &made, 10).await.must());
    let attempt = |state: &str| OauthAttempt {
        state_hash: state.to_owned(),
        workspace: home,
        user: ann.id,
        session_hash: "def".to_owned(),
        sealed_verifier: "sealed".to_owned(),
        return_to: None,
        expires_at: world.now().plus_seconds(600),
        into: SignInInto::ToolServer(made.id),
    };
    let mut unit = world.begin().await;
    unit.insert_oauth_attempt(&attempt("one")).await.must();
    unit.insert_oauth_attempt(&attempt("two")).await.must();
    unit.commit().await.must();
    let mut unit = world.begin().await;
    assert_eq!(unit.take_oauth_attempt("one").await.must(), Some(attempt("one")));
    unit.delete_tool_server(home, made.id).await.must();
    assert_eq!(unit.take_oauth_attempt("two").await.must(), None, "gone with the server");
    unit.commit().await.must();
}
