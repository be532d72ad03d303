//! The audit log: its chain stays intact with many writers, shows every change, and survives the erasure of a person.

use std::sync::Arc;

use adagent_domain::{Ids as _, UserId, WorkspaceId};
use serde_json::json;

use super::fixtures::{Must, World};
use crate::{AuditCheck, AuditEntry, AuditFilter, AuditRecord, Store};

async fn chain(world: &World, workspace: WorkspaceId) -> Vec<AuditRecord> {
    world.store.list_audit_chain(workspace, 0, 1000).await.must()
}

/// Returns how many rows it checked and how many of them were erased. Panics if the chain is broken.
async fn followed(world: &World, workspace: WorkspaceId) -> (u64, u64) {
    let head = world.store.find_audit_head(workspace).await.must().expect("a chain");
    let mut check = AuditCheck::new(workspace, &head);
    for record in chain(world, workspace).await {
        check.follow(&record).expect("the chain holds");
    }
    check.end(&head, world.store.count_unchained_audit(workspace).await.must()).expect("the chain is whole");
    (check.rows, check.erased)
}

fn entry(world: &World, workspace: WorkspaceId, user: UserId, target: &str) -> AuditEntry {
    AuditEntry {
        workspace,
        user,
        action: "connection.connected".to_owned(),
        target: target.to_owned(),
        detail: json!({"network": "admob", "zeta": 1, "alpha": "ünïcode"}),
        at: world.now(),
    }
}

async fn write(world: &World, entry: &AuditEntry) {
    let mut unit = world.begin().await;
    unit.insert_audit(entry).await.must();
    unit.commit().await.must();
}

pub async fn the_audit_log_is_one_chain_for_each_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    assert!(world.store.find_audit_head(ann.personal_workspace).await.must().is_none());
    for number in 0..3 {
        let mut unit = world.begin().await;
        // Several workspaces, and several rows of one, in one transaction.
        unit.insert_audit(&entry(&world, bob.personal_workspace, bob.id, "b")).await.must();
        unit.insert_audit(&entry(&world, ann.personal_workspace, ann.id, &format!("a{number}"))).await.must();
        unit.insert_audit(&entry(&world, bob.personal_workspace, bob.id, "c")).await.must();
        unit.commit().await.must();
    }
    let mut unit = world.begin().await;
    unit.insert_audit(&entry(&world, ann.personal_workspace, ann.id, "never")).await.must();
    drop(unit);
    assert_eq!(followed(&world, ann.personal_workspace).await, (3, 0));
    assert_eq!(followed(&world, bob.personal_workspace).await, (6, 0));
    let targets: Vec<String> = chain(&world, bob.personal_workspace).await.into_iter().map(|row| row.target).collect();
    assert_eq!(targets, ["b", "c", "b", "c", "b", "c"]);
    let mut all = [ann.personal_workspace, bob.personal_workspace];
    all.sort();
    assert_eq!(world.store.list_audit_workspaces(None, 10).await.must(), all);
    assert_eq!(world.store.list_audit_workspaces(Some(all[0]), 10).await.must(), all[1..]);
}

pub async fn many_writers_at_once_keep_one_chain(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let writers = (0..12).map(|number: u32| {
        let (world, ann, bob) = (world.clone(), ann.clone(), bob.clone());
        tokio::spawn(async move {
            for step in 0..4 {
                let mut unit = world.begin().await;
                // Every second task takes the opposite order: two transactions must never wait for each other.
                let mut places = [ann.personal_workspace, bob.personal_workspace];
                if number.is_multiple_of(2) {
                    places.reverse();
                }
                for place in places {
                    unit.insert_audit(&entry(&world, place, ann.id, &format!("{number}/{step}"))).await.must();
                }
                unit.commit().await.must();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("written");
    }
    assert_eq!(followed(&world, ann.personal_workspace).await, (48, 0));
    assert_eq!(followed(&world, bob.personal_workspace).await, (48, 0));
}

/// A forbidden change to rows.
type Change<'c> = &'c dyn Fn(&mut Vec<AuditRecord>);

pub async fn a_changed_row_a_missing_one_and_a_false_end_are_seen(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let workspace = ann.personal_workspace;
    for number in 0..4 {
        write(&world, &entry(&world, workspace, ann.id, &number.to_string())).await;
    }
    let head = world.store.find_audit_head(workspace).await.must().expect("a chain");
    let rows = chain(&world, workspace).await;
    let broken = |change: Change<'_>| {
        let mut rows = rows.clone();
        change(&mut rows);
        let mut check = AuditCheck::new(workspace, &head);
        let followed = rows.iter().try_for_each(|row| check.follow(row));
        followed.and_then(|()| check.end(&head, 0)).is_err()
    };
    assert!(!broken(&|_| {}));
    let changes: [Change<'_>; 9] = [
        &|rows| rows[1].target = "9".into(),
        &|rows| rows[1].detail = rows[1].detail.replace("admob", "unity"),
        &|rows| rows[1].action = "connection.removed".into(),
        &|rows| rows[1].at = rows[1].at.plus_seconds(1),
        &|rows| rows[1].user = Some(UserId(workspace.0)),
        &|rows| rows[1].user = None,
        &|rows| drop(rows.remove(1)),
        &|rows| drop(rows.pop()),
        &|rows| rows.swap(1, 2),
    ];
    for (number, change) in changes.iter().enumerate() {
        assert!(broken(*change), "change {number} is not seen");
    }
}

pub async fn the_audit_log_is_filtered_and_paged(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let workspace = ann.personal_workspace;
    for (number, (action, user)) in [
        ("connection.connected", ann.id),
        ("connections.other", bob.id),
        ("connection.removed", bob.id),
        ("role.changed", ann.id),
    ]
    .into_iter()
    .enumerate()
    {
        let action = action.to_owned();
        write(&world, &AuditEntry { action, ..entry(&world, workspace, user, &number.to_string()) }).await;
        world.clock.advance_millis(1000);
    }
    write(&world, &entry(&world, bob.personal_workspace, ann.id, "elsewhere")).await;
    let targets = async |filter: AuditFilter, limit| -> Vec<String> {
        let found = world.store.list_audit_records(workspace, &filter, limit).await.must();
        found.into_iter().map(|row| row.target).collect()
    };
    assert_eq!(targets(AuditFilter::default(), 10).await, ["3", "2", "1", "0"]);
    let action = |action: &str| AuditFilter { action: action.into(), ..AuditFilter::default() };
    assert_eq!(targets(action("connection"), 10).await, ["2", "0"]);
    assert_eq!(targets(action("connection.removed"), 10).await, ["2"]);
    assert!(targets(action("%"), 10).await.is_empty());
    assert_eq!(targets(AuditFilter { user: Some(bob.id), ..AuditFilter::default() }, 10).await, ["2", "1"]);
    let start = world.now().plus_seconds(-4);
    let between =
        AuditFilter { from: Some(start.plus_seconds(1)), until: Some(start.plus_seconds(3)), ..AuditFilter::default() };
    assert_eq!(targets(between, 10).await, ["2", "1"]);
    let first = world.store.list_audit_records(workspace, &AuditFilter::default(), 2).await.must();
    assert_eq!(first[0].user_name.as_deref(), Some("ann"));
    let rest = AuditFilter { before: Some(first[1].id), ..AuditFilter::default() };
    assert_eq!(targets(rest, 10).await, ["1", "0"]);
}

pub async fn the_beginning_of_a_chain_may_go_and_the_rest_holds(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let workspace = ann.personal_workspace;
    for number in 0..5 {
        write(&world, &entry(&world, workspace, ann.id, &number.to_string())).await;
        world.clock.advance_millis(1000);
    }
    let prune = async |before, limit| {
        let mut unit = world.begin().await;
        let gone = unit.prune_audit(workspace, before, limit).await.must();
        unit.commit().await.must();
        gone
    };
    let third = world.now().plus_seconds(-2);
    assert_eq!(prune(third.plus_seconds(-10), 10).await, 0);
    assert_eq!(prune(third, 2).await, 2);
    assert_eq!(followed(&world, workspace).await, (3, 0));
    assert_eq!(prune(third, 10).await, 1);
    assert_eq!(prune(third, 10).await, 0);
    write(&world, &entry(&world, workspace, ann.id, "later")).await;
    assert_eq!(followed(&world, workspace).await, (3, 0));
    let head = world.store.find_audit_head(workspace).await.must().expect("a chain");
    assert_eq!((head.number, head.pruned.expect("some are gone").0), (6, 3));
    let mut unit = world.begin().await;
    unit.delete_audit(workspace).await.must();
    unit.commit().await.must();
    assert!(chain(&world, workspace).await.is_empty() && world.store.find_audit_head(workspace).await.must().is_none());
    write(&world, &entry(&world, workspace, ann.id, "a new beginning")).await;
    assert_eq!(followed(&world, workspace).await, (1, 0));
}

pub async fn how_far_a_chain_was_followed_is_kept_and_only_what_is_new_is_read(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let workspace = ann.personal_workspace;
    let head = async || world.store.find_audit_head(workspace).await.must().expect("a chain");
    for number in 0..5 {
        write(&world, &entry(&world, workspace, ann.id, &number.to_string())).await;
    }
    assert_eq!(head().await.verified, None);
    let rows = chain(&world, workspace).await;
    let hash = |number: usize| rows[number - 1].link.as_ref().map(|link| link.hash.clone()).unwrap_or_default();
    for number in [3, 2] {
        let mut unit = world.begin().await;
        unit.set_audit_verified(workspace, number as u64, &hash(number)).await.must();
        unit.commit().await.must();
        assert_eq!(head().await.verified, Some((3, hash(3))), "never further back");
    }
    let (head, mut check) = (head().await, AuditCheck::resumed(workspace, &head().await));
    assert_eq!(check.number(), 3);
    for record in world.store.list_audit_chain(workspace, check.number(), 100).await.must() {
        check.follow(&record).expect("the rest holds");
    }
    check.end(&head, 0).expect("to its end");
    assert_eq!(check.rows, 2);
    // A wrong note of the last verified row does not hide a break.
    let elsewhere = crate::AuditHead { verified: Some((3, hash(2))), ..head.clone() };
    assert!(AuditCheck::resumed(workspace, &elsewhere).follow(&rows[3]).is_err());
    let beyond = crate::AuditHead { verified: Some((9, hash(2))), ..head };
    assert_eq!(AuditCheck::resumed(workspace, &beyond).number(), 0);
}

pub async fn of_a_workspace_that_is_gone_the_last_row_stays(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, gone) = (world.person("ann").await, WorkspaceId(world.ids.next_uuid()));
    for workspace in [ann.personal_workspace, gone] {
        for number in 0..5 {
            write(&world, &entry(&world, workspace, ann.id, &number.to_string())).await;
        }
    }
    assert_eq!(world.store.list_ownerless_audits(None, 10).await.must(), [gone]);
    assert_eq!(world.store.list_ownerless_audits(Some(gone), 10).await.must(), []);
    let entomb = async || {
        let mut unit = world.begin().await;
        let went = unit.entomb_audit(gone, 3).await.must();
        unit.commit().await.must();
        went
    };
    assert_eq!((entomb().await, entomb().await, entomb().await), (3, 1, 0));
    assert_eq!(chain(&world, gone).await.iter().map(|row| row.target.as_str()).collect::<Vec<_>>(), ["4"]);
    assert_eq!(followed(&world, gone).await, (1, 0));
    assert_eq!(world.store.list_ownerless_audits(None, 10).await.must(), []);
    assert_eq!(followed(&world, ann.personal_workspace).await, (5, 0));
}
