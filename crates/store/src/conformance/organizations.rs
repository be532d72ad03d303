//! Organizations: members, invitations, links, and the one owner.

use std::sync::Arc;

use adagent_contract::TokenScope;
use adagent_domain::{AccessTokenId, InviteLinkId, MailId, Role, UserId, WorkspaceId};

use super::fixtures::{Must, World, together};
use crate::{
    AccessToken, Invitation, InvitationStatus, InviteLink, MailState, NewMail, Store, StoreError, User, Workspace,
};

async fn joined(world: &World, organization: &Workspace, user: &User, role: Role) {
    let mut unit = world.begin().await;
    assert!(unit.insert_member(organization.id, user.id, role, world.now()).await.must());
    assert!(!unit.insert_member(organization.id, user.id, Role::Admin, world.now()).await.must(), "in already");
    unit.commit().await.must();
}

async fn roles(world: &World, organization: &Workspace) -> Vec<(String, Role)> {
    let members = world.store.list_members(organization.id, 100).await.must();
    members.into_iter().map(|member| (member.name, member.role)).collect()
}

fn link(world: &World, organization: &Workspace, by: &User) -> InviteLink {
    InviteLink {
        id: InviteLinkId::new(&*world.ids),
        workspace: organization.id,
        role: Role::Admin,
        sealed: "sealed".to_owned(),
        created_by: by.id,
        created_at: world.now(),
        expires_at: Some(world.now().plus_seconds(100)),
        max_uses: Some(3),
        uses: 0,
        deactivated_at: None,
    }
}

pub async fn an_organisation_has_its_founder_as_owner_and_an_address_of_its_own(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let found = world.store.find_membership(acme.id, ann.id).await.must().expect("she founded it");
    assert_eq!((found.role, &found.workspace), (Role::Owner, &acme));
    assert_eq!(world.store.find_membership(acme.id, bob.id).await.must(), None);
    let mut unit = world.begin().await;
    let same = Workspace { id: WorkspaceId::new(&*world.ids), ..acme.clone() };
    let error = unit.insert_organization(&same, bob.id).await.expect_err("the address is used");
    assert!(
        matches!(&error, StoreError::Taken { table, column } if table == "workspaces" && column == "slug"),
        "{error:?}"
    );
    drop(unit);
    let mut unit = world.begin().await;
    assert_eq!((unit.count_owned(ann.id).await.must(), unit.count_owned(bob.id).await.must()), (1, 0));
    assert_eq!(unit.lock_organization(acme.id).await.must().as_ref(), Some(&acme));
    assert_eq!(unit.lock_organization(ann.personal_workspace).await.must(), None, "a personal workspace is none");
    assert!(unit.lock_workspace(acme.id).await.must() && unit.lock_workspace(ann.personal_workspace).await.must());
    assert!(!unit.lock_workspace(WorkspaceId::new(&*world.ids)).await.must(), "there is none");
    unit.rename_organization(acme.id, "Umbrella").await.must();
    assert!(unit.rename_organization(ann.personal_workspace, "Mine").await.is_err());
    unit.commit().await.must();
    let renamed = world.store.find_membership(acme.id, ann.id).await.must().expect("is in").workspace;
    assert_eq!((renamed.name.as_str(), renamed.slug.as_str()), ("Umbrella", "acme"));
}

pub async fn members_come_go_and_change_roles_and_the_owner_does_not(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob, cy) = (world.person("ann").await, world.person("bob").await, world.person("cy").await);
    let acme = world.organization(&ann, "acme").await;
    joined(&world, &acme, &cy, Role::Member).await;
    joined(&world, &acme, &bob, Role::Admin).await;
    let named = |pairs: &[(&str, Role)]| -> Vec<(String, Role)> {
        pairs.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect()
    };
    let all = [("ann", Role::Owner), ("bob", Role::Admin), ("cy", Role::Member)];
    assert_eq!(roles(&world, &acme).await, named(&all));
    assert_eq!(world.store.count_members(acme.id).await.must(), 3);
    let mut unit = world.begin().await;
    assert_eq!(unit.count_people(acme.id, world.now()).await.must(), 3);
    assert!(unit.change_role(acme.id, cy.id, Role::Member, Role::Admin).await.must());
    assert!(!unit.change_role(acme.id, cy.id, Role::Member, Role::Admin).await.must(), "no member any more");
    assert!(unit.change_role(acme.id, cy.id, Role::Admin, Role::Owner).await.is_err());
    assert!(unit.change_role(acme.id, ann.id, Role::Owner, Role::Member).await.is_err());
    assert!(!unit.delete_member(acme.id, ann.id).await.must(), "the owner stays");
    assert!(unit.delete_member(acme.id, bob.id).await.must());
    assert!(!unit.delete_member(acme.id, bob.id).await.must(), "once");
    assert_eq!(unit.membership(acme.id, bob.id).await.must(), None);
    unit.commit().await.must();
    assert_eq!(roles(&world, &acme).await, named(&[("ann", Role::Owner), ("cy", Role::Admin)]));
}

pub async fn of_many_transfers_at_a_time_one_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob, cy) = (world.person("ann").await, world.person("bob").await, world.person("cy").await);
    let acme = world.organization(&ann, "acme").await;
    joined(&world, &acme, &bob, Role::Admin).await;
    joined(&world, &acme, &cy, Role::Member).await;
    let hand_over = |to: UserId| {
        let (world, organization, from) = (world.clone(), acme.id, ann.id);
        async move {
            let mut unit = world.begin().await;
            unit.lock_organization(organization).await.must();
            let moved = unit.transfer_ownership(organization, from, to).await.must();
            if moved {
                unit.commit().await.must();
            }
            moved
        }
    };
    let moved = together([bob.id, cy.id, bob.id, cy.id].map(hand_over)).await;
    assert_eq!(moved.iter().filter(|moved| **moved).count(), 1, "{moved:?}");
    let now = roles(&world, &acme).await;
    assert_eq!(now.iter().filter(|(_, role)| *role == Role::Owner).count(), 1, "{now:?}");
    assert!(now.contains(&("ann".to_owned(), Role::Admin)), "{now:?}");
    // A transfer to oneself, or by a person who is not the owner, changes nothing: the organization keeps its owner.
    let stranger = world.person("eve").await;
    for (from, to) in [(ann.id, bob.id), (stranger.id, ann.id)] {
        let mut unit = world.begin().await;
        assert!(!unit.transfer_ownership(acme.id, from, to).await.must());
    }
    assert_eq!(roles(&world, &acme).await, now);
}

pub async fn two_owners_are_not_possible(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    let second = unit.insert_member(acme.id, bob.id, Role::Owner, world.now()).await;
    assert!(matches!(second, Err(StoreError::Taken { .. })), "{second:?}");
    drop(unit);
    assert_eq!(roles(&world, &acme).await.len(), 1);
}

pub async fn an_address_is_invited_once_and_answers_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (acme, other) = (world.organization(&ann, "acme").await, world.organization(&bob, "other").await);
    let first = world.invitation(acme.id, &ann, "Cy@Example.com");
    world.invite(&first).await;
    world.invite(&world.invitation(other.id, &bob, "cy@example.com")).await;
    let mut unit = world.begin().await;
    let again = unit.insert_invitation(&world.invitation(acme.id, &ann, "cy@example.com")).await;
    assert!(matches!(again, Err(StoreError::Taken { .. })), "{again:?}");
    drop(unit);
    let received = world.store.list_received_invitations("cy@example.com", world.now(), 10).await.must();
    let told: Vec<_> = received.iter().map(|one| (one.organization.as_str(), one.invited_by_name.as_deref())).collect();
    assert_eq!(told, [("The acme", Some("ann")), ("The other", Some("bob"))]);
    assert_eq!(received[0].invitation, first);
    let over = world.now().plus_seconds(100);
    assert_eq!(world.store.list_received_invitations("cy@example.com", over, 10).await.must(), []);
    assert_eq!(world.store.list_received_invitations("Cy@Example.com", world.now(), 10).await.must(), []);
    let listed = world.store.list_invitations(acme.id, world.now(), 10).await.must();
    assert_eq!((listed.len(), &listed[0].invitation, listed[0].mail_state), (1, &first, None));

    let settle = |to| {
        let (world, id) = (world.clone(), first.id);
        async move {
            let mut unit = world.begin().await;
            let settled = unit.settle_invitation(id, to, world.now()).await.must();
            unit.commit().await.must();
            settled
        }
    };
    let answers = [InvitationStatus::Accepted, InvitationStatus::Revoked, InvitationStatus::Rejected];
    let settled = together(answers.map(settle)).await;
    assert_eq!(settled.iter().filter(|settled| **settled).count(), 1, "{settled:?}");
    assert_eq!(world.store.list_invitations(acme.id, world.now(), 10).await.must(), []);
    world.invite(&world.invitation(acme.id, &ann, "cy@example.com")).await;
    let mut unit = world.begin().await;
    assert!(!unit.remail_invitation(first.id, first.mail, world.now(), over).await.must(), "it is over");
    assert_eq!(unit.invitation(first.id).await.must().map(|one| one.id), Some(first.id));
    assert!(unit.pending_invitation(acme.id, "cy@example.com").await.must().is_some_and(|one| one.id != first.id));
    assert_eq!(unit.count_people(acme.id, world.now()).await.must(), 2, "an open invitation holds a seat");
    assert_eq!(unit.count_people(acme.id, over).await.must(), 1);
}

pub async fn an_invitation_says_what_became_of_its_newest_mail(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let acme = world.organization(&ann, "acme").await;
    let first = world.invitation(acme.id, &ann, "cy@example.com");
    world.invite(&first).await;
    let mail = NewMail {
        id: MailId::new(&*world.ids),
        kind: "invitation".to_owned(),
        sealed: "sealed".to_owned(),
        created_at: world.now(),
        expires_at: world.now().plus_seconds(500),
    };
    let later = world.now().plus_seconds(500);
    let mut unit = world.begin().await;
    unit.insert_mail(&mail).await.must();
    assert!(unit.remail_invitation(first.id, mail.id, world.now(), later).await.must());
    unit.commit().await.must();
    let listed = world.store.list_invitations(acme.id, world.now(), 10).await.must().remove(0);
    assert_eq!((listed.invitation.mails, listed.mail_state), (2, Some(MailState::Waiting)));
    assert_eq!((listed.invitation.mail, listed.invitation.expires_at), (mail.id, later));
}

pub async fn a_link_is_used_as_often_as_it_may_however_many_try(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let acme = world.organization(&ann, "acme").await;
    let kept = link(&world, &acme, &ann);
    let mut unit = world.begin().await;
    unit.insert_invite_link(&kept, "digest").await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_invite_link("digest").await.must(), Some((kept.clone(), acme.clone())));
    assert_eq!(world.store.find_invite_link("").await.must(), None);
    let take = |_| {
        let (world, id) = (world.clone(), kept.id);
        async move {
            let mut unit = world.begin().await;
            let taken = unit.use_invite_link(id, world.now()).await.must();
            unit.commit().await.must();
            taken
        }
    };
    let taken = together((0..8).map(take)).await;
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 3, "{taken:?}");
    let mut unit = world.begin().await;
    assert_eq!(unit.count_invite_links(acme.id, world.now()).await.must(), 0);
    drop(unit);
    assert_eq!(world.store.list_invite_links(acme.id, world.now(), 10).await.must()[0].uses, 3);
}

pub async fn a_link_that_is_over_or_deactivated_lets_nobody_in(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (acme, other) = (world.organization(&ann, "acme").await, world.organization(&bob, "other").await);
    let open = InviteLink { expires_at: None, max_uses: None, ..link(&world, &acme, &ann) };
    let ends = link(&world, &acme, &ann);
    let mut unit = world.begin().await;
    unit.insert_invite_link(&open, "one").await.must();
    unit.insert_invite_link(&ends, "two").await.must();
    assert_eq!(unit.count_invite_links(acme.id, world.now()).await.must(), 2);
    let over = world.now().plus_seconds(100);
    assert!(unit.use_invite_link(open.id, over).await.must());
    assert!(!unit.use_invite_link(ends.id, over).await.must());
    assert!(!unit.deactivate_invite_link(other.id, open.id, world.now()).await.must(), "another organisation's");
    assert!(unit.deactivate_invite_link(acme.id, open.id, world.now()).await.must());
    assert!(!unit.deactivate_invite_link(acme.id, open.id, world.now()).await.must(), "once");
    assert!(!unit.use_invite_link(open.id, world.now()).await.must());
    unit.commit().await.must();
    let left: Vec<_> =
        world.store.list_invite_links(acme.id, world.now(), 10).await.must().into_iter().map(|one| one.id).collect();
    assert_eq!(left, [ends.id]);
    assert!(world.store.find_invite_link("one").await.must().is_some_and(|(one, _)| one.deactivated_at.is_some()));
}

pub async fn what_still_lets_people_in_is_listed_before_what_is_over(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let acme = world.organization(&ann, "acme").await;
    let old = InviteLink { expires_at: None, max_uses: None, ..link(&world, &acme, &ann) };
    let old_invitation = Invitation {
        expires_at: world.now().plus_seconds(10_000),
        ..world.invitation(acme.id, &ann, "old@example.com")
    };
    world.invite(&old_invitation).await;
    let mut unit = world.begin().await;
    unit.insert_invite_link(&old, "old").await.must();
    for number in 0..3_u32 {
        let newer = InviteLink { created_at: world.now().plus_seconds(1), ..link(&world, &acme, &ann) };
        let used = InviteLink { expires_at: None, uses: 3, ..newer.clone() };
        let ended = InviteLink { id: InviteLinkId::new(&*world.ids), ..newer };
        unit.insert_invite_link(&used, &format!("used {number}")).await.must();
        unit.insert_invite_link(&ended, &format!("ended {number}")).await.must();
        let newer = world.invitation(acme.id, &ann, &format!("new{number}@example.com"));
        let newer = Invitation { created_at: world.now().plus_seconds(1), ..newer };
        unit.insert_invitation(&newer).await.must();
    }
    unit.commit().await.must();
    let later = world.now().plus_seconds(200);
    let links = world.store.list_invite_links(acme.id, later, 2).await.must();
    assert_eq!((links.len(), links[0].id), (2, old.id));
    let invitations = world.store.list_invitations(acme.id, later, 2).await.must();
    assert_eq!((invitations.len(), invitations[0].invitation.id), (2, old_invitation.id));
    let now = world.store.list_invitations(acme.id, world.now(), 10).await.must();
    assert_eq!((now.len(), now[3].invitation.id), (4, old_invitation.id), "newest first while all stand");
}

pub async fn what_somebody_may_know_or_sent_lets_nobody_in_any_more(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (acme, other) = (world.organization(&ann, "acme").await, world.organization(&ann, "other").await);
    joined(&world, &acme, &bob, Role::Admin).await;
    let (sent, theirs, anns, elsewhere) = (
        world.invitation(acme.id, &bob, "second@example.com"),
        world.invitation(acme.id, &ann, &bob.email),
        world.invitation(acme.id, &ann, "cy@example.com"),
        world.invitation(other.id, &bob, "second@example.com"),
    );
    for one in [&sent, &theirs, &anns, &elsewhere] {
        world.invite(one).await;
    }
    let over = world.now().plus_seconds(500);
    let mut unit = world.begin().await;
    for id in [sent.mail, anns.mail] {
        let (kind, sealed) = ("invitation".to_owned(), "sealed".to_owned());
        let (created_at, expires_at) = (world.now(), over);
        unit.insert_mail(&NewMail { id, kind, sealed, created_at, expires_at }).await.must();
    }
    unit.insert_invite_link(&link(&world, &acme, &ann), "acme").await.must();
    unit.insert_invite_link(&link(&world, &other, &ann), "other").await.must();
    assert_eq!(unit.revoke_invitations_of(acme.id, bob.id, world.now()).await.must(), 2);
    assert_eq!(unit.deactivate_invite_links(acme.id, world.now()).await.must(), 1);
    assert_eq!(unit.deactivate_invite_links(acme.id, world.now()).await.must(), 0, "once");
    assert!(!unit.cancel_mail(sent.mail).await.must(), "its mail does not leave any more");
    unit.commit().await.must();
    let ids = async |organization: &Workspace| {
        let listed = world.store.list_invitations(organization.id, world.now(), 10).await.must();
        listed.into_iter().map(|one| one.invitation.id).collect::<Vec<_>>()
    };
    assert_eq!((ids(&acme).await, ids(&other).await), (vec![anns.id], vec![elsewhere.id]));
    assert!(world.store.list_invite_links(acme.id, world.now(), 10).await.must().is_empty());
    assert_eq!(world.store.list_invite_links(other.id, world.now(), 10).await.must().len(), 1);
    let mut unit = world.begin().await;
    unit.delete_organization(acme.id).await.must();
    assert!(!unit.cancel_mail(anns.mail).await.must(), "nothing arrives for what is gone");
}

pub async fn who_comes_back_begins_anew(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let token = AccessToken {
        id: AccessTokenId::new(&*world.ids),
        workspace: acme.id,
        user: bob.id,
        name: "made while being removed".to_owned(),
        hint: "adat_abc".to_owned(),
        scopes: vec![TokenScope::Api],
        created_at: world.now(),
        expires_at: None,
        last_used_at: None,
    };
    let mut unit = world.begin().await;
    assert!(unit.insert_access_token(&token, "digest", 100).await.must());
    unit.commit().await.must();
    joined(&world, &acme, &bob, Role::Member).await;
    assert_eq!(world.store.find_access_token("digest").await.must(), None);
}

pub async fn deleting_an_organisation_takes_everything_in_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    joined(&world, &acme, &bob, Role::Member).await;
    let member = User { personal_workspace: acme.id, ..bob.clone() };
    let chat = world.chat(&member, "Revenue").await;
    let run = world.ask(&chat, "What was my revenue yesterday?").await;
    let own = world.chat(&bob, "Mine").await;
    world.invite(&world.invitation(acme.id, &ann, "cy@example.com")).await;
    let mut unit = world.begin().await;
    unit.insert_invite_link(&link(&world, &acme, &ann), "digest").await.must();
    let open = unit.lock_open_runs_of(acme.id, None).await.must();
    assert_eq!(open.iter().map(|one| one.id).collect::<Vec<_>>(), [run.id]);
    unit.delete_organization(acme.id).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_membership(acme.id, bob.id).await.must(), None);
    assert_eq!(world.store.find_chat(acme.id, bob.id, chat.id).await.must(), None);
    assert_eq!(world.store.find_run_unscoped(run.id).await.must(), None);
    assert_eq!(world.store.find_invite_link("digest").await.must(), None);
    assert_eq!(world.store.list_received_invitations("cy@example.com", world.now(), 10).await.must(), []);
    assert!(world.store.find_chat(bob.personal_workspace, bob.id, own.id).await.must().is_some());
    let mut unit = world.begin().await;
    assert!(unit.delete_organization(ann.personal_workspace).await.is_err(), "a personal workspace stays");
}

pub async fn open_runs_are_found_by_workspace_and_person(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    joined(&world, &acme, &bob, Role::Member).await;
    let mut asked = Vec::new();
    for person in [&ann, &bob] {
        let inside = User { personal_workspace: acme.id, ..person.clone() };
        let chat = world.chat(&inside, "Ours").await;
        asked.push(world.ask(&chat, "Hello").await.id);
        let chat = world.chat(person, "Mine").await;
        world.ask(&chat, "Hello").await;
    }
    let mut unit = world.begin().await;
    for (of, expected) in [(Some(ann.id), vec![asked[0]]), (Some(bob.id), vec![asked[1]]), (None, asked.clone())] {
        let open = unit.lock_open_runs_of(acme.id, of).await.must();
        assert_eq!(open.iter().map(|run| run.id).collect::<Vec<_>>(), expected);
    }
}

pub async fn a_thing_is_found_where_its_person_is_a_member_and_by_nobody_else(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    joined(&world, &acme, &bob, Role::Member).await;
    let inside = User { personal_workspace: acme.id, ..bob.clone() };
    let (shared, own) = (world.chat(&inside, "Ours").await, world.chat(&bob, "Mine").await);
    let run = world.ask(&shared, "Hello").await.id;
    let chat = async |user, id| world.store.place_of_chat(user, id).await.must();
    let asked = async |user, id| world.store.place_of_run(user, id).await.must();
    assert_eq!(chat(bob.id, shared.id).await, Some(acme.id));
    assert_eq!(chat(bob.id, own.id).await, Some(bob.personal_workspace));
    assert_eq!(asked(bob.id, run).await, Some(acme.id));
    assert_eq!((chat(ann.id, shared.id).await, asked(ann.id, run).await), (None, None), "somebody else's");
    let mut unit = world.begin().await;
    assert!(unit.delete_member(acme.id, bob.id).await.must());
    unit.commit().await.must();
    assert_eq!((chat(bob.id, shared.id).await, asked(bob.id, run).await), (None, None), "a member no more");
}
