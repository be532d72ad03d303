//! People export their own data, and nobody else's.

use std::sync::Arc;

use adagent_domain::UserId;
use uuid::Uuid;

use super::fixtures::{Must, World};
use crate::{DeletedUser, DeletionReason, ExportSection, Invitation, InvitationStatus, Store, User};

async fn exported(world: &World, user: UserId) -> Vec<String> {
    let page = world.store.export_page(user, ExportSection::Invitations, (Uuid::nil(), 0), 10).await.must();
    page.iter().map(|one| one.row["id"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn settle(world: &World, invitation: &Invitation, status: InvitationStatus) {
    let mut unit = world.begin().await;
    assert!(unit.settle_invitation(invitation.id, status, world.now()).await.must());
    unit.commit().await.must();
    world.clock.advance_millis(1000);
}

/// Makes the address the user's own, as verified.
async fn moved_to(world: &World, user: &User, address: &str) {
    let mut unit = world.begin().await;
    unit.set_email(user.id, address, address, Some(world.now())).await.must();
    unit.commit().await.must();
    world.clock.advance_millis(1000);
}

pub async fn a_flow_is_taken_home_and_erased_with_its_person(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let (own, shared, of_bob) = (
        world.new_flow(ann.personal_workspace, ann.id),
        world.new_flow(acme.id, ann.id),
        world.new_flow(bob.personal_workspace, bob.id),
    );
    for flow in [&own, &shared, &of_bob] {
        world.begin_run(flow).await;
    }
    let page = world.store.export_page(ann.id, ExportSection::Runs, (Uuid::nil(), 0), 10).await.must();
    let ids: Vec<_> = page.iter().map(|one| one.row["id"].as_str().unwrap_or_default()).collect();
    assert_eq!(ids, [own.id.to_string(), shared.id.to_string()]);
    assert_eq!(page[0].row["subject"]["flow"]["inputs"]["day"], "Monday", "as data, not as text");
    assert_eq!((&page[0].row["kind"], &page[0].row["session_id"]), (&"flow".into(), &serde_json::Value::Null));
    let mut unit = world.begin().await;
    unit.delete_organization(acme.id).await.must();
    unit.commit().await.must();
    let found = async |run| world.store.find_run_unscoped(run).await.must().is_some();
    assert!(found(own.id).await && !found(shared.id).await, "it goes with its organization");
    let record = DeletedUser {
        id: Uuid::from_u128(9),
        anonymous_id: "anonymous".to_owned(),
        created_on: "2026-11-01".to_owned(),
        deleted_on: "2026-11-25".to_owned(),
        lifetime_days: 24,
        reason: DeletionReason::UserRequested,
    };
    let mut unit = world.begin().await;
    unit.erase_user(&ann, None, &record).await.must();
    unit.commit().await.must();
    assert!(!found(own.id).await && found(of_bob.id).await, "hers is gone, his is not");
}

pub async fn an_answered_invitation_is_exported_to_who_had_the_address_then(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let mut places = Vec::new();
    for name in ["one", "two", "three", "four"] {
        let place = world.organization(&ann, name).await;
        let invitation = world.invitation(place.id, &ann, "bob@example.com");
        world.invite(&invitation).await;
        places.push(invitation);
    }
    world.clock.advance_millis(1000);
    let id = |at: usize| places[at].id.to_string();
    assert_eq!(exported(&world, ann.id).await.len(), 4, "who invited knows of all");
    assert_eq!(exported(&world, bob.id).await, Vec::<String>::new(), "the address is not shown to be his");
    settle(&world, &places[0], InvitationStatus::Accepted).await;
    settle(&world, &places[1], InvitationStatus::Revoked).await;
    assert_eq!(exported(&world, bob.id).await, [id(0)], "the answer was his");
    moved_to(&world, &bob, "bob@elsewhere.example").await;
    assert_eq!(exported(&world, bob.id).await, Vec::<String>::new());
    // Another person now has the address. Invitations answered before that are not theirs; pending ones are.
    let eve = world.person("eve").await;
    moved_to(&world, &eve, "bob@example.com").await;
    assert_eq!(exported(&world, eve.id).await, [id(2), id(3)]);
    settle(&world, &places[2], InvitationStatus::Rejected).await;
    settle(&world, &places[3], InvitationStatus::Revoked).await;
    assert_eq!(exported(&world, eve.id).await, [id(2), id(3)]);
}
