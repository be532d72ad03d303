//! Agents: who owns them, who may use them, and what happens when an owner leaves.

use std::sync::Arc;

use adagent_contract::{Access, AgentBody, Grant, Sharing};
use adagent_domain::{AgentId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{Agent, DeletedUser, DeletionReason, Principal, Store, StoreError, User};

fn agent(world: &World, person: &User, workspace: WorkspaceId, handle: &str, sharing: Sharing) -> Agent {
    let now = world.now();
    Agent {
        id: AgentId::new(&*world.ids),
        workspace,
        owner: person.id,
        owner_name: person.name.clone(),
        body: AgentBody {
            handle: handle.into(),
            name: format!("{handle} \u{0}of {}", person.name),
            position: "Reporting".into(),
            description: String::new(),
            instructions: "Totals first.".into(),
            color: 3,
            model: None,
            grants: serde_json::from_str(r#"[{"on": "applovin", "may": ["read", "list"]}]"#).expect("grants"),
            sharing,
            journal: adagent_contract::JournalSharing::Own,
            active: true,
        },
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

async fn insert(world: &World, agent: &Agent) -> Result<bool, StoreError> {
    let mut unit = world.begin().await;
    let kept = unit.insert_agent(agent, 3).await?;
    unit.commit().await?;
    Ok(kept)
}

fn handles(agents: &[Agent]) -> Vec<&str> {
    agents.iter().map(|agent| agent.body.handle.as_str()).collect()
}

pub async fn an_agent_comes_back_as_it_was_made_and_belongs_to_its_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let home = ann.personal_workspace;
    let made = agent(&world, &ann, home, "reporter", Sharing::Private);
    assert!(insert(&world, &made).await.must());
    let found = world.store.find_agent(home, made.id).await.must().expect("it is kept");
    assert_eq!(found, made);
    assert_eq!(world.store.find_agent(bob.personal_workspace, made.id).await.must(), None);
    let same = agent(&world, &ann, home, "reporter", Sharing::Private);
    assert!(matches!(insert(&world, &same).await, Err(StoreError::Taken { .. })), "one handle, one agent");
    for handle in ["second", "third"] {
        assert!(insert(&world, &agent(&world, &ann, home, handle, Sharing::Private)).await.must());
    }
    assert!(!insert(&world, &agent(&world, &ann, home, "fourth", Sharing::Private)).await.must(), "no more than that");
}

pub async fn agents_are_seen_by_their_owner_and_where_they_are_shared(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    unit.insert_member(acme.id, bob.id, adagent_domain::Role::Member, world.now()).await.must();
    unit.commit().await.must();
    for (person, handle, sharing) in [
        (&ann, "zebra", Sharing::Private),
        (&ann, "reporter", Sharing::Use),
        (&bob, "reporter", Sharing::Edit),
        (&bob, "mine", Sharing::Private),
    ] {
        assert!(insert(&world, &agent(&world, person, acme.id, handle, sharing)).await.must());
    }
    let seen = |user| world.store.list_agents(acme.id, user, 10);
    let anns = seen(ann.id).await.must();
    assert_eq!(handles(&anns), ["reporter", "zebra", "reporter"], "one's own first");
    assert_eq!(anns[0].owner, ann.id);
    assert_eq!(handles(&seen(bob.id).await.must()), ["mine", "reporter", "reporter"]);
    let named = world.store.find_agents_by_handle(acme.id, bob.id, "reporter").await.must();
    assert_eq!(named.iter().map(|agent| agent.owner).collect::<Vec<_>>(), [bob.id, ann.id]);
    assert_eq!(world.store.find_agents_by_handle(acme.id, bob.id, "zebra").await.must(), []);
}

pub async fn the_names_of_agents_begin_with_those_that_a_text_names(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    unit.insert_member(acme.id, bob.id, adagent_domain::Role::Member, world.now()).await.must();
    unit.commit().await.must();
    for (person, handle, name, sharing, active) in [
        (&ann, "alpha", "First", Sharing::Private, true),
        (&ann, "floor-keeper", "Übersicht", Sharing::Private, true),
        (&ann, "off", "Off", Sharing::Private, false),
        (&bob, "shared", "Of%all", Sharing::Use, true),
        (&bob, "mine", "Of Bob", Sharing::Private, true),
    ] {
        let mut made = agent(&world, person, acme.id, handle, sharing);
        (made.body.name, made.body.active) = (name.into(), active);
        assert!(insert(&world, &made).await.must());
    }
    let names = async |text: &str, limit| {
        let all = world.store.list_agent_names(acme.id, ann.id, text, limit).await.must();
        all.into_iter().map(|one| one.handle).collect::<Vec<_>>()
    };
    assert_eq!(names("", 10).await, ["alpha", "floor-keeper", "shared"], "those that are on, one's own first");
    assert_eq!(names("ask @shared and off and mine", 10).await, ["shared", "alpha", "floor-keeper"]);
    for text in ["ask @floor-keeper", "ask the Floor Keeper", "frag die ÜBERSICHT"] {
        assert_eq!(names(text, 1).await, ["floor-keeper"], "{text}");
    }
    assert_eq!(names("what does of%ALL say", 1).await, ["shared"]);
    assert_eq!(names("of nothing at all", 1).await, ["alpha"], "a name is no pattern");
    let found = world.store.list_agent_names(acme.id, ann.id, "shared", 1).await.must().remove(0);
    assert_eq!((found.name.as_str(), found.position.as_str()), ("Of%all", "Reporting"));
    let mut body = agent(&world, &ann, acme.id, "alpha", Sharing::Private).body;
    body.name = "Weekly".into();
    let alpha = world.store.find_agents_by_handle(acme.id, ann.id, "alpha").await.must().remove(0);
    let mut unit = world.begin().await;
    assert!(unit.update_agent(acme.id, alpha.id, 1, ann.id, &body, world.now()).await.must());
    unit.hand_agents_over(bob.id, Some(acme.id), world.now()).await.must();
    unit.commit().await.must();
    let found = world.store.list_agent_names(acme.id, ann.id, "the weekly one", 1).await.must().remove(0);
    assert_eq!((found.id, found.name.as_str()), (alpha.id, "Weekly"), "its new name");
    assert_eq!(names("", 10).await, ["alpha", "floor-keeper"], "those handed over are off");
}

pub async fn of_two_changes_of_one_version_the_first_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let made = agent(&world, &ann, home, "reporter", Sharing::Private);
    assert!(insert(&world, &made).await.must());
    for (from, name, wins) in [(1, "First", true), (1, "Late", false), (2, "Second", true)] {
        let body = AgentBody { name: name.into(), ..made.body.clone() };
        let mut unit = world.begin().await;
        assert_eq!(unit.update_agent(home, made.id, from, ann.id, &body, world.now()).await.must(), wins, "{name}");
        unit.commit().await.must();
    }
    let versions = world.store.list_agent_versions(home, made.id, 10).await.must();
    let told: Vec<_> = versions.iter().map(|one| (one.version, one.body.name.as_str(), one.by)).collect();
    assert_eq!(told[..2], [(3, "Second", Some(ann.id)), (2, "First", Some(ann.id))]);
    assert_eq!(versions.len(), 3);
    let mut unit = world.begin().await;
    assert!(unit.delete_agent(home, made.id).await.must());
    assert!(!unit.delete_agent(home, made.id).await.must(), "once");
    unit.commit().await.must();
    assert_eq!(world.store.list_agent_versions(home, made.id, 10).await.must(), []);
}

pub async fn what_was_granted_of_a_tool_server_goes_with_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (home, away) = (ann.personal_workspace, bob.personal_workspace);
    let grants: Vec<Grant> = ["mcp:docs", "tool:mcp:docs:echo", "mcp:docs-2", "admob"]
        .map(|on| Grant {
            on: on.to_owned().try_into().expect("a target"),
            may: vec![Access::Read],
            connections: Vec::new(),
        })
        .to_vec();
    let of = |person: &User, workspace, handle: &str, grants: &[Grant]| {
        let mut made = agent(&world, person, workspace, handle, Sharing::Private);
        made.body.grants = grants.to_vec();
        made
    };
    let made = of(&ann, home, "reporter", &grants);
    let (same, other) = (of(&ann, home, "same", &grants[2..]), of(&bob, away, "reporter", &grants));
    for one in [&made, &same, &other] {
        assert!(insert(&world, one).await.must());
    }
    let mut unit = world.begin().await;
    unit.drop_server_grants(home, "docs", ann.id, world.now()).await.must();
    unit.commit().await.must();
    for (agent, left, version) in [(&made, 2, 2), (&same, 2, 1), (&other, 4, 1)] {
        let found = world.store.find_agent(agent.workspace, agent.id).await.must().expect("it stays");
        assert_eq!((&found.body.grants[..], found.version), (&grants[4 - left..], version));
    }
}

pub async fn agents_of_someone_who_leaves_pass_to_the_owner_switched_off(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    unit.insert_member(acme.id, bob.id, adagent_domain::Role::Member, world.now()).await.must();
    unit.commit().await.must();
    assert!(insert(&world, &agent(&world, &ann, acme.id, "reporter", Sharing::Private)).await.must());
    let shared = agent(&world, &bob, acme.id, "reporter", Sharing::Use);
    let private = agent(&world, &bob, acme.id, "mine", Sharing::Private);
    let own = agent(&world, &bob, bob.personal_workspace, "home", Sharing::Private);
    for one in [&shared, &private, &own] {
        assert!(insert(&world, one).await.must());
    }
    let mut unit = world.begin().await;
    unit.hand_agents_over(bob.id, Some(acme.id), world.now()).await.must();
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
    for (agent, handle) in [(&shared, "reporter-"), (&private, "mine")] {
        let found = world.store.find_agent(acme.id, agent.id).await.must().expect("it stays");
        assert_eq!((found.owner, found.body.active, found.version), (ann.id, false, 2));
        assert!(found.body.handle.starts_with(handle), "{}", found.body.handle);
        let versions = world.store.list_agent_versions(acme.id, agent.id, 10).await.must();
        assert_eq!(versions.iter().map(|one| one.by).collect::<Vec<_>>(), [Some(ann.id), None], "nobody knows Bob");
    }
    assert_eq!(world.store.find_agent(bob.personal_workspace, own.id).await.must(), None);
}

pub async fn a_chat_knows_the_agent_of_its_newest_run(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Revenue").await;
    let of_chat = |user| world.store.find_agent_of_chat(ann.personal_workspace, user, chat.id);
    assert_eq!(of_chat(ann.id).await.must(), None);
    let id = AgentId::new(&*world.ids);
    let run =
        crate::NewRun { principal: Principal { agent: Some(id), ..Principal::person(ann.id) }, ..world.new_run(&chat) };
    world.begin_run(&run).await;
    assert_eq!(of_chat(ann.id).await.must(), Some(id));
    assert_eq!(of_chat(bob.id).await.must(), None);
    world.begin_run(&world.new_run(&chat)).await;
    assert_eq!(of_chat(ann.id).await.must(), None, "the workspace's own again");
}
