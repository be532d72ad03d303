//! How people prove who they are: what works once, what is a person's own, what we count.

use std::sync::Arc;

use adagent_domain::{Timestamp, UserId};

use super::fixtures::{Must, World};
use crate::{
    AccountToken, BrowserSession, FailedSignIns, HttpSession, Identity, SignInAttempt, Store, StoreError, TokenPurpose,
    User,
};

fn token(world: &World, user: UserId, purpose: TokenPurpose) -> AccountToken {
    let now = world.now();
    AccountToken {
        user,
        purpose,
        email: "ann@example.com".to_owned(),
        created_at: now,
        expires_at: now.plus_seconds(60),
    }
}

pub async fn an_address_is_proven_once_and_replaced_with_its_proof(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    assert!(!ann.has_proven_email());
    let at = |seconds| world.now().plus_seconds(seconds);
    let mut unit = world.begin().await;
    unit.set_email_verified(ann.id, at(1)).await.must();
    unit.set_email_verified(ann.id, at(2)).await.must();
    unit.commit().await.must();
    let found = async |user: &User| world.store.find_user(user.id).await.must().expect("is there");
    assert_eq!(found(&ann).await.email_verified_at, Some(at(1)), "the first proof is kept");
    assert_eq!(found(&bob).await.email_verified_at, None);
    let mut unit = world.begin().await;
    unit.set_email(ann.id, "Ann@new.example", "ann@new.example", Some(at(3))).await.must();
    unit.commit().await.must();
    let ann = found(&ann).await;
    assert_eq!((ann.email.as_str(), ann.email_verified_at), ("Ann@new.example", Some(at(3))));
    assert_eq!(world.store.find_user_by_email("ann@new.example").await.must(), Some(ann.clone()));
    assert_eq!(world.store.find_user_by_email("ann@example.com").await.must(), None);
    let mut unit = world.begin().await;
    let error = unit.set_email(ann.id, "b", "bob@example.com", None).await.expect_err("bob has it");
    assert!(matches!(&error, StoreError::Taken { table, .. } if table == "users"), "{error:?}");
}

pub async fn a_providers_account_is_one_persons(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let identity = |user, issuer: &str, subject: &str| Identity {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
        user,
        email: "a@example.com".to_owned(),
        created_at: world.now(),
        used_at: None,
    };
    let anns = identity(ann.id, "https://one", "42");
    let mut unit = world.begin().await;
    unit.insert_identity(&anns).await.must();
    unit.insert_identity(&identity(bob.id, "https://two", "42")).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_identity("https://one", "42").await.must(), Some(anns.clone()));
    assert_eq!(world.store.find_identity("https://one", "43").await.must(), None);
    assert_eq!(world.store.list_identities(ann.id).await.must(), std::slice::from_ref(&anns));
    for taken in [identity(bob.id, "https://one", "42"), identity(ann.id, "https://one", "44")] {
        let error = world.begin().await.insert_identity(&taken).await.expect_err("is taken");
        assert!(matches!(&error, StoreError::Taken { table, .. } if table == "identities"), "{error:?}");
    }
    let mut unit = world.begin().await;
    let used = world.now().plus_seconds(5);
    unit.touch_identity("https://one", "42", used, "b@example.com").await.must();
    assert!(!unit.delete_identity(bob.id, "https://one").await.must(), "not bob's");
    unit.commit().await.must();
    let found = world.store.find_identity("https://one", "42").await.must();
    assert_eq!(found, Some(Identity { used_at: Some(used), email: "b@example.com".to_owned(), ..anns }));
    let mut unit = world.begin().await;
    assert!(unit.delete_identity(ann.id, "https://one").await.must());
    unit.commit().await.must();
    assert_eq!(world.store.list_identities(ann.id).await.must(), []);
}

pub async fn of_many_who_use_a_link_one_does(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let reset = token(&world, ann.id, TokenPurpose::ResetPassword);
    let mut unit = world.begin().await;
    unit.replace_account_token(&token(&world, ann.id, TokenPurpose::VerifyEmail), "v").await.must();
    unit.replace_account_token(&reset, "old").await.must();
    unit.replace_account_token(&reset, "new").await.must();
    unit.commit().await.must();
    let find = async |hash: &str, purpose, at| world.store.find_account_token(hash, purpose, at).await.must();
    assert_eq!(find("old", TokenPurpose::ResetPassword, world.now()).await, None, "one live link");
    assert_eq!(find("new", TokenPurpose::VerifyEmail, world.now()).await, None, "for something else");
    assert_eq!(find("new", TokenPurpose::ResetPassword, reset.expires_at).await, None, "over");
    assert_eq!(find("new", TokenPurpose::ResetPassword, world.now()).await, Some(reset.clone()));
    let of_ann = world.store.find_account_token_of(ann.id, TokenPurpose::ResetPassword, world.now()).await.must();
    assert_eq!(of_ann, Some(reset));
    let tries = (0..8).map(|_| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut unit = world.begin().await;
            let won = unit.take_account_token("new", TokenPurpose::ResetPassword).await.must().is_some();
            unit.commit().await.must();
            won
        })
    });
    let mut winners = 0;
    for one in tries.collect::<Vec<_>>() {
        winners += u32::from(one.await.expect("no panic"));
    }
    assert_eq!(winners, 1);
    let verify = world.store.find_account_token_of(ann.id, TokenPurpose::VerifyEmail, world.now()).await.must();
    assert!(verify.is_some(), "the other kind is left alone");
}

pub async fn a_second_factor_is_confirmed_as_it_was_seen_and_no_step_counts_twice(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let now = world.now();
    let mut unit = world.begin().await;
    assert!(unit.put_second_factor(ann.id, "first", now).await.must());
    assert!(unit.put_second_factor(ann.id, "second", now).await.must(), "begun anew");
    assert!(!unit.use_totp_step(ann.id, 1).await.must(), "not confirmed");
    assert!(!unit.confirm_second_factor(ann.id, "first", "x", now, 10).await.must(), "another one was seen");
    assert!(unit.confirm_second_factor(ann.id, "second", "sealed anew", now, 10).await.must());
    assert!(!unit.put_second_factor(ann.id, "third", now).await.must(), "confirmed");
    for (step, counts) in [(10, false), (9, false), (11, true), (11, false), (12, true)] {
        assert_eq!(unit.use_totp_step(ann.id, step).await.must(), counts, "{step}");
    }
    unit.replace_recovery_codes(ann.id, &["a".to_owned(), "b".to_owned()]).await.must();
    assert!(unit.use_recovery_code(ann.id, "a").await.must());
    assert!(!unit.use_recovery_code(ann.id, "a").await.must(), "used");
    unit.commit().await.must();
    assert_eq!(world.store.count_recovery_codes(ann.id).await.must(), 1);
    let factor = world.store.find_second_factor(ann.id).await.must().expect("is there");
    assert_eq!((factor.sealed.as_str(), factor.last_step, factor.confirmed_at), ("sealed anew", Some(12), Some(now)));
    let mut unit = world.begin().await;
    assert!(unit.delete_second_factor(ann.id).await.must());
    assert!(!unit.delete_second_factor(ann.id).await.must());
    unit.commit().await.must();
    assert_eq!(world.store.count_recovery_codes(ann.id).await.must(), 0);
}

async fn guess(world: &World, user: UserId, now: Timestamp) -> Option<u64> {
    let mut unit = world.begin().await;
    let counted = unit.count_second_factor_attempt(user, now, now.plus_seconds(60), 3).await.must();
    unit.commit().await.must();
    counted
}

pub async fn guesses_are_counted_and_every_third_blocks(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let mut unit = world.begin().await;
    for user in [ann.id, bob.id] {
        assert!(unit.put_second_factor(user, "s", world.now()).await.must());
        assert!(unit.confirm_second_factor(user, "s", "s", world.now(), 1).await.must());
    }
    unit.commit().await.must();
    let guess = async |user, now| guess(&world, user, now).await;
    let now = world.now();
    let tries = (0..10).map(|_| {
        let (world, user) = (world.clone(), ann.id);
        tokio::spawn(async move { self::guess(&world, user, world.now()).await })
    });
    let mut counted = Vec::new();
    for one in tries.collect::<Vec<_>>() {
        counted.extend(one.await.expect("no panic"));
    }
    counted.sort_unstable();
    assert_eq!(counted, [1, 2, 3], "however many at once");
    assert_eq!(guess(bob.id, now).await, Some(1), "nobody else is held up");
    assert_eq!(guess(ann.id, now.plus_seconds(59)).await, None);
    assert_eq!(guess(ann.id, now.plus_seconds(60)).await, Some(4));
    let mut unit = world.begin().await;
    assert!(unit.use_totp_step(ann.id, 2).await.must());
    unit.forgive_second_factor(bob.id).await.must();
    unit.commit().await.must();
    assert_eq!((guess(ann.id, now).await, guess(bob.id, now).await), (Some(1), Some(1)), "right ones begin anew");
    assert_eq!(guess(UserId::new(&*world.ids), now).await, None);
}

pub async fn a_trip_to_a_provider_ends_once_and_with_what_its_browser_holds(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let attempt = |state: &str, user| SignInAttempt {
        state_hash: state.to_owned(),
        binding_hash: "b".to_owned(),
        user,
        return_to: Some("/chat".to_owned()),
        expires_at: world.now().plus_seconds(60),
    };
    let (signs_in, links) = (attempt("s1", None), attempt("s2", Some(ann.id)));
    let mut unit = world.begin().await;
    unit.insert_sign_in_attempt(&signs_in).await.must();
    unit.insert_sign_in_attempt(&links).await.must();
    assert_eq!(unit.take_sign_in_attempt("s1", "other").await.must(), None, "another browser");
    assert_eq!(unit.take_sign_in_attempt("s1", "b").await.must(), Some(signs_in));
    assert_eq!(unit.take_sign_in_attempt("s1", "b").await.must(), None);
    assert_eq!(unit.sweep(links.expires_at).await.must(), 1);
    assert_eq!(unit.take_sign_in_attempt("s2", "b").await.must(), None);
    unit.commit().await.must();
}

pub async fn browser_sessions_are_their_persons_and_stay_ended(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let now = world.now();
    let row = |id: &str| HttpSession { id: id.to_owned(), data: "{}".to_owned(), expires_at: now.plus_seconds(60) };
    let session = |id: &str, user, seen: i64| BrowserSession {
        id: id.to_owned(),
        user,
        created_at: now,
        seen_at: now.plus_seconds(seen),
        agent: "Browser/1.0".to_owned(),
        address: "192.0.2.1".to_owned(),
    };
    let anns = [session("a2", ann.id, 2), session("a1", ann.id, 1)];
    let mut unit = world.begin().await;
    for owned in anns.iter().chain([&session("b1", bob.id, 3)]) {
        assert!(unit.insert_http_session(&row(&owned.id)).await.must());
        unit.own_http_session(owned).await.must();
    }
    assert!(unit.insert_http_session(&row("nobody")).await.must());
    unit.commit().await.must();
    let list = async |user, at| world.store.list_browser_sessions(user, at, 10).await.must();
    assert_eq!(list(ann.id, now).await, anns);
    assert_eq!(list(ann.id, now.plus_seconds(60)).await, [], "over");
    let mut unit = world.begin().await;
    assert!(!unit.end_browser_session(bob.id, "a1").await.must(), "not bob's");
    assert!(unit.end_browser_session(ann.id, "a1").await.must());
    // A request of the ended session is still running.
    assert!(!unit.renew_http_session(&row("a1")).await.must());
    assert!(unit.renew_http_session(&row("a2")).await.must());
    unit.commit().await.must();
    assert_eq!(world.store.find_http_session("a1", now).await.must(), None);
    let mut unit = world.begin().await;
    assert_eq!(unit.end_other_sessions(ann.id, "a2").await.must(), 0);
    assert_eq!(unit.end_other_sessions(ann.id, "").await.must(), 1);
    unit.commit().await.must();
    assert_eq!(list(ann.id, now).await, []);
    assert_eq!(list(bob.id, now).await.len(), 1);
    assert!(world.store.find_http_session("nobody", now).await.must().is_some());
}

pub async fn of_many_sessions_those_used_last_stay(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let now = world.now();
    let mut unit = world.begin().await;
    // Two sessions have expired; one of those was used last of all.
    for (id, user, seen, lasts) in [
        ("a1", ann.id, 1, 60),
        ("a2", ann.id, 5, 60),
        ("a3", ann.id, 3, 60),
        ("a4", ann.id, 4, 60),
        ("a5", ann.id, 9, 0),
        ("a6", ann.id, 0, -1),
        ("b1", bob.id, 0, 60),
    ] {
        let row = HttpSession { id: id.to_owned(), data: "{}".to_owned(), expires_at: now.plus_seconds(lasts) };
        assert!(unit.insert_http_session(&row).await.must());
        let (agent, address) = (String::new(), String::new());
        let seen_at = now.plus_seconds(seen);
        let owned = BrowserSession { id: id.to_owned(), user, created_at: now, seen_at, agent, address };
        unit.own_http_session(&owned).await.must();
    }
    unit.commit().await.must();
    let mut unit = world.begin().await;
    assert_eq!(unit.end_oldest_sessions(ann.id, 4, "", now).await.must(), 0);
    assert_eq!(unit.end_oldest_sessions(ann.id, 3, "a1", now).await.must(), 0, "a1 is not counted");
    assert_eq!(unit.end_oldest_sessions(ann.id, 2, "a1", now).await.must(), 1);
    unit.commit().await.must();
    let left = async |user| {
        let list = world.store.list_browser_sessions(user, now, 10).await.must();
        list.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(left(ann.id).await, ["a2", "a4", "a1"], "a1 is spared, though it was used longest ago");
    let mut unit = world.begin().await;
    assert_eq!(unit.end_oldest_sessions(ann.id, 2, "", now).await.must(), 1);
    unit.commit().await.must();
    assert_eq!((left(ann.id).await, left(bob.id).await), (vec!["a2".to_owned(), "a4".into()], vec!["b1".to_owned()]));
}

pub async fn wrong_passwords_are_counted_by_place_and_noted_now_and_then(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let at = |seconds| world.now().plus_seconds(seconds);
    let count = async |user, address: &str, second| {
        let mut unit = world.begin().await;
        let counted = unit.count_failed_sign_in(user, address, at(second), 2).await.must();
        let noted = unit.note_failed_sign_in(user, &counted.address, at(second), at(second - 60)).await.must();
        unit.commit().await.must();
        (counted.address, counted.attempts, noted)
    };
    for (address, second, attempts, noted) in
        [("one", 0, 1, true), ("one", 59, 2, false), ("two", 59, 1, true), ("one", 60, 3, true), ("one", 61, 4, false)]
    {
        assert_eq!(count(ann.id, address, second).await, (address.to_owned(), attempts, noted), "{address} {second}");
    }
    // Attempts from further addresses count together; known addresses are still counted one by one.
    assert_eq!(count(ann.id, "three", 70).await, (String::new(), 1, true));
    assert_eq!(count(ann.id, "four", 71).await, (String::new(), 2, false));
    assert_eq!(count(ann.id, "two", 72).await, ("two".to_owned(), 2, false));
    assert_eq!(count(bob.id, "three", 73).await, ("three".to_owned(), 1, true));
    let list = async |user, since, limit| world.store.list_failed_sign_ins(user, since, limit).await.must();
    let failed = |address: &str, attempts, first, last| FailedSignIns {
        address: address.to_owned(),
        attempts,
        first_at: at(first),
        last_at: at(last),
    };
    let anns = [failed("two", 2, 59, 72), failed("", 2, 70, 71), failed("one", 4, 0, 61)];
    assert_eq!(list(ann.id, at(-1), 10).await, anns);
    assert_eq!(list(ann.id, at(61), 10).await, anns[..2]);
    assert_eq!(list(ann.id, at(-1), 1).await, anns[..1]);
    assert_eq!(list(bob.id, at(-1), 10).await.len(), 1);
    // Old attempts are forgotten.
    let mut unit = world.begin().await;
    unit.sweep(at(61 + 30 * 24 * 60 * 60)).await.must();
    unit.commit().await.must();
    assert_eq!(list(ann.id, at(-1), 10).await, anns[..2]);
}
