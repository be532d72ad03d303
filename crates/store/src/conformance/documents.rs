//! Tests of documents: versions and who wrote them, search, the trash, and what stays when somebody leaves.

use std::sync::Arc;

use adagent_domain::{DocumentId, Role, ToolCallId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{DeletedUser, DeletionReason, Document, ExportMark, ExportSection, NewVersion, Store, User, asked_words};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn written(world: &World, person: &User, title: &str, text: &str) -> NewVersion {
    NewVersion {
        title: title.into(),
        folder: "/".into(),
        text: text.into(),
        by: person.id,
        agent: None,
        call: None,
        at: world.now(),
    }
}

async fn insert(world: &World, workspace: WorkspaceId, version: &NewVersion, most: u32) -> Option<DocumentId> {
    let id = DocumentId::new(&*world.ids);
    let mut unit = world.begin().await;
    let kept = unit.insert_document(workspace, id, version, most).await.must();
    unit.commit().await.must();
    kept.then_some(id)
}

async fn write(world: &World, workspace: WorkspaceId, id: DocumentId, from: i64, version: &NewVersion) -> bool {
    let mut unit = world.begin().await;
    let kept = unit.write_document(workspace, id, from, version, 3).await.must();
    unit.commit().await.must();
    kept
}

async fn trash(world: &World, workspace: WorkspaceId, id: DocumentId, inside: bool) -> bool {
    let mut unit = world.begin().await;
    let changed = unit.trash_document(workspace, id, inside.then(|| world.now())).await.must();
    unit.commit().await.must();
    changed
}

async fn found(world: &World, workspace: WorkspaceId, query: &str) -> Vec<String> {
    titles(&world.store.search_documents(workspace, &asked_words(query), 10).await.must())
}

fn titles(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| document.title.clone()).collect()
}

pub async fn a_document_comes_back_as_it_was_written_and_belongs_to_its_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let home = ann.personal_workspace;
    let text = "# Floors \u{1F4B0}\n\nUS is $9.\u{0}";
    let first = NewVersion { folder: "/floors/2026".into(), ..written(&world, &ann, "US floors", text) };
    let id = insert(&world, home, &first, 2).await.expect("room for it");
    let document = world.store.find_document(home, id).await.must().expect("it is kept");
    assert_eq!((document.title.as_str(), document.folder.as_str(), document.version), ("US floors", "/floors/2026", 1));
    assert_eq!((document.by_name.as_deref(), document.written.by), (Some("ann"), Some(ann.id)));
    assert_eq!((document.size, document.trashed_at), (text.len().try_into().expect("small"), None));
    let (version, kept) = world.store.find_document_version(home, id, 1).await.must().expect("it is kept");
    assert_eq!((version.number, kept.as_str()), (1, "# Floors \u{1F4B0}\n\nUS is $9.\u{FFFD}"));
    let other = bob.personal_workspace;
    assert_eq!(world.store.find_document(other, id).await.must(), None);
    assert_eq!(world.store.find_document_version(other, id, 1).await.must(), None);
    assert_eq!(world.store.list_document_versions(other, id).await.must(), []);
    assert_eq!(world.store.list_documents(other, false, 10).await.must(), []);
    assert!(found(&world, other, "floors").await.is_empty());
    assert!(!write(&world, other, id, 1, &written(&world, &bob, "Bob's", "")).await);
    assert!(!trash(&world, other, id, true).await);
    assert!(insert(&world, home, &written(&world, &ann, "second", ""), 2).await.is_some());
    assert!(insert(&world, home, &written(&world, &ann, "third", ""), 2).await.is_none(), "two are the most");
}

pub async fn of_two_saves_of_one_version_the_first_wins_and_the_newest_versions_stay(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let home = ann.personal_workspace;
    let id = insert(&world, home, &written(&world, &ann, "Plan", "one"), 10).await.expect("room for it");
    world.clock.advance_millis(1000);
    let second = NewVersion { agent: Some("helper".into()), ..written(&world, &bob, "Plan B", "two") };
    assert!(write(&world, home, id, 1, &second).await);
    assert!(!write(&world, home, id, 1, &written(&world, &ann, "Plan", "late")).await);
    let document = world.store.find_document(home, id).await.must().expect("it is kept");
    assert_eq!((document.title.as_str(), document.version, document.size), ("Plan B", 2, 3));
    assert_eq!((document.by_name.as_deref(), document.written.by_name.as_deref()), (Some("ann"), Some("bob")));
    assert_eq!((document.written.agent.as_deref(), document.written.at), (Some("helper"), world.now()));
    for (from, text) in [(2, "three"), (3, "four")] {
        assert!(write(&world, home, id, from, &written(&world, &ann, "Plan", text)).await);
    }
    let versions = world.store.list_document_versions(home, id).await.must();
    assert_eq!(versions.iter().map(|version| version.number).collect::<Vec<_>>(), [4, 3, 2], "newest first");
    assert_eq!(world.store.find_document_version(home, id, 1).await.must(), None, "three are kept");
    assert_eq!(world.store.find_document_version(home, id, 2).await.must().expect("it is kept").1, "two");
}

pub async fn a_version_names_the_run_whose_call_wrote_it_and_a_call_writes_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (person, chat, lease) = world.held_run().await;
    let record = world.call(chat.workspace, lease.run);
    let mut unit = world.begin().await;
    unit.insert_call(&lease, &record).await.must();
    unit.commit().await.must();
    let by_call = NewVersion { call: Some(record.id), ..written(&world, &person, "Floors", "US is $9.") };
    let id = insert(&world, chat.workspace, &by_call, 10).await.expect("room for it");
    let found = world.store.find_document(chat.workspace, id).await.must().expect("it is kept");
    assert_eq!(found.written.run, Some((lease.run, person.id)));
    assert_eq!(world.store.find_version_of_call(chat.workspace, record.id).await.must(), Some((id, 1)));
    let other = ToolCallId::new(&*world.ids);
    assert_eq!(world.store.find_version_of_call(chat.workspace, other).await.must(), None);
    let mut unit = world.begin().await;
    assert!(unit.write_document(chat.workspace, id, 1, &by_call, 3).await.is_err(), "once");
}

pub async fn documents_are_found_by_their_words_and_the_beginning_of_the_last(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let mut ids = Vec::new();
    for (title, folder, text) in [
        ("Weekly report", "/", "The floors of AppLovin went to $14.00 in the US."),
        ("Floor plan", "/", "Bidding first. Fußgänger, naïve CAFÉ, 日本語 テスト, user-agent."),
        ("Contacts", "/teams/floors", "Ask Tomi."),
        ("Hostile", "/", "Robert'); drop table documents; -- NEAR(\"a\" b) title_words: {x} & | ! <->"),
    ] {
        world.clock.advance_millis(1000);
        let version = NewVersion { folder: folder.into(), ..written(&world, &ann, title, text) };
        ids.push(insert(&world, home, &version, 10).await.expect("room for it"));
    }
    for (query, wanted) in [
        ("floors", vec!["Contacts", "Weekly report"]),
        ("FLOOR", vec!["Floor plan", "Contacts", "Weekly report"]),
        ("applovin flo", vec!["Weekly report"]),
        ("flo applovin", vec![]),
        ("cafe", vec!["Floor plan"]),
        ("Nàïve", vec!["Floor plan"]),
        ("fussganger", vec!["Floor plan"]),
        ("日本語", vec!["Floor plan"]),
        ("user agent", vec!["Floor plan"]),
        ("14", vec!["Weekly report"]),
        ("drop", vec!["Hostile"]),
        ("a b", vec!["Hostile"]),
        ("near or and not", vec![]),
        ("nothing", vec![]),
        ("…", vec![]),
    ] {
        assert_eq!(found(&world, home, query).await, wanted, "{query}");
    }
    let some = world.store.search_documents(home, &asked_words("floor"), 1).await.must();
    assert_eq!(titles(&some), ["Floor plan"], "the title counts more");
    // A search for words that were removed no longer finds the document.
    let changed = written(&world, &ann, "Weekly report", "Nothing moved.");
    assert!(write(&world, home, ids[0], 1, &changed).await);
    assert_eq!(found(&world, home, "floors").await, ["Contacts"]);
    assert_eq!(found(&world, home, "moved").await, ["Weekly report"]);
    assert!(trash(&world, home, ids[0], true).await);
    assert!(found(&world, home, "moved").await.is_empty(), "the trash is not searched");
    assert!(trash(&world, home, ids[0], false).await);
    assert_eq!(found(&world, home, "moved").await, ["Weekly report"]);
}

pub async fn the_trash_keeps_a_document_for_thirty_days(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let (one, other) = (
        insert(&world, home, &written(&world, &ann, "One", "first"), 10).await.expect("room for it"),
        insert(&world, home, &written(&world, &ann, "Other", "second"), 10).await.expect("room for it"),
    );
    assert!(trash(&world, home, one, true).await);
    assert!(!trash(&world, home, one, true).await, "it is there");
    assert!(!write(&world, home, one, 1, &written(&world, &ann, "One", "changed")).await, "it is in the trash");
    assert_eq!(titles(&world.store.list_documents(home, false, 10).await.must()), ["Other"]);
    world.clock.advance_millis(1000);
    assert!(trash(&world, home, other, true).await);
    assert_eq!(titles(&world.store.list_documents(home, true, 10).await.must()), ["Other", "One"]);
    assert!(trash(&world, home, other, false).await && !trash(&world, home, other, false).await);
    let sweep = async |days: i64| {
        world.clock.advance_millis(days * DAY);
        let mut unit = world.begin().await;
        unit.sweep(world.now()).await.must();
        unit.commit().await.must();
    };
    sweep(29).await;
    assert!(world.store.find_document(home, one).await.must().is_some());
    sweep(2).await;
    assert!(world.store.find_document(home, one).await.must().is_none());
    assert!(world.store.find_document_version(home, one, 1).await.must().is_none());
    assert_eq!(titles(&world.store.list_documents(home, false, 10).await.must()), ["Other"]);
    // The index no longer holds the deleted document, and still holds the other one.
    assert!(found(&world, home, "first").await.is_empty());
    assert_eq!(found(&world, home, "second").await, ["Other"]);
}

pub async fn documents_of_someone_who_leaves_stay_without_who_wrote_them(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    unit.insert_member(acme.id, bob.id, Role::Member, world.now()).await.must();
    unit.commit().await.must();
    let version = NewVersion { agent: Some("bobs".into()), ..written(&world, &bob, "Shared", "text") };
    let shared = insert(&world, acme.id, &version, 10).await.expect("room for it");
    let own =
        insert(&world, bob.personal_workspace, &written(&world, &bob, "Own", "secret"), 10).await.expect("room for it");
    for section in [ExportSection::Documents, ExportSection::DocumentVersions] {
        let rows = world.store.export_page(bob.id, section, ExportMark::default(), 10).await.must();
        assert_eq!(rows.len(), 2, "{section:?}");
        assert!(rows.iter().any(|row| row.row["text"] == "secret" && row.row["title"] == "Own"), "{rows:?}");
        let rest = world.store.export_page(bob.id, section, rows[0].mark, 10).await.must();
        assert_eq!(rest, rows[1..], "it goes on behind a row");
        assert!(world.store.export_page(ann.id, section, ExportMark::default(), 10).await.must().is_empty());
    }
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
    let left = world.store.find_document(acme.id, shared).await.must().expect("it is kept");
    assert_eq!((left.by_name, left.written.by, left.written.by_name, left.written.agent), (None, None, None, None));
    assert_eq!(world.store.find_document(bob.personal_workspace, own).await.must(), None);
    assert_eq!(found(&world, acme.id, "shared").await, ["Shared"]);
    assert!(found(&world, bob.personal_workspace, "secret").await.is_empty());
}
