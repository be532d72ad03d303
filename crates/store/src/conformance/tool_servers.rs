//! Tool servers: whose they are, how two people change one, and what stays when a person leaves.

use std::sync::Arc;

use adagent_contract::{ServerTool, ToolServerSignIn};
use adagent_domain::{ToolServerId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{
    DeletedUser, DeletionReason, SealedColumn, SealedKey, Store, StoreError, ToolServer, ToolServerBody, User,
};

fn server(world: &World, person: &User, workspace: WorkspaceId, handle: &str) -> ToolServer {
    let now = world.now();
    ToolServer {
        id: ToolServerId::new(&*world.ids),
        workspace,
        handle: handle.into(),
        url: "https://mcp.example.com/mcp".into(),
        sign_in: ToolServerSignIn::Header { name: "x-api-key".into() },
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
