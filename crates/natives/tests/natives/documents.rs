//! Documents, as a run reads and changes them.

use adagent_contract::{Access, Artifact, Grant, GrantTarget, Grants, ROOT_FOLDER};
use adagent_domain::{DocumentId, Source};
use adagent_store::User;
use adagent_testkit::stores;
use adagent_tools::{CallScope, ProbeOutcome, Provider as _};
use serde_json::{Value as Json, json};

use super::Desk;

const TEXT: &str = "The floor of the US is $9.\nThe floor of Germany is $4.\n\nAsk Tomi before changing it.";

/// Returns the calls on documents whose cards the golden file shows.
pub async fn cards(desk: &Desk, ann: &User) -> Vec<(&'static str, Json)> {
    let new = json!({"title": "US floors", "folder": "floors", "text": TEXT});
    let made = desk.change(&desk.scope(ann), "create_document", &new).await;
    let id = &made["item"]["id"];
    let changed = TEXT.replace("$9", "$14") + "\nDone on Friday.";
    vec![
        ("create_document", new),
        ("create_document", json!({"title": "Empty"})),
        ("update_document", json!({"id": id, "text": changed, "version": 1})),
        ("update_document", json!({"id": id, "append": "## Later\n\nLook again."})),
        ("update_document", json!({"id": id, "title": "Floors"})),
        ("update_document", json!({"id": id, "restore": 1})),
        ("move_document", json!({"id": id, "folder": "/"})),
        ("delete_document", json!({"id": id})),
    ]
}

fn titles(listed: &Json) -> Vec<&str> {
    listed["items"].as_array().expect("a list").iter().filter_map(|item| item["title"].as_str()).collect()
}

impl Desk {
    async fn read(&self, scope: &CallScope, id: &Json) -> Json {
        self.listed_by(scope, "read_document", json!({"id": id})).await["item"].clone()
    }

    async fn listed_by(&self, scope: &CallScope, name: &str, args: Json) -> Json {
        let scope = CallScope { call: self.scope_of_call(), ..scope.clone() };
        self.call(&scope, name, &args).await.expect("reads").result
    }

    async fn refused(&self, scope: &CallScope, name: &str, args: Json) -> String {
        let scope = CallScope { call: self.scope_of_call(), ..scope.clone() };
        let issues = self.tools.ground(&scope, &self.tool(name), &args).await.expect("looks");
        assert_eq!(issues.len(), 1, "{name} {args}: {issues:?}");
        assert!(self.call(&scope, name, &args).await.is_err(), "{name} {args}");
        issues[0].message.clone()
    }
}

#[tokio::test]
async fn a_document_is_created_once_however_often_its_call_is_made_and_can_be_taken_back() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let scope = desk.scope(&ann);
        let args = json!({"title": " US floors ", "folder": "floors/2026/", "text": TEXT});
        let create = desk.tool("create_document");
        let probed = desk.tools.probe(&scope, &create, &args, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::DidNotHappen { .. }));
        let first = desk.call(&scope, "create_document", &args).await.expect("creates");
        let item = &first.result["item"];
        assert_eq!((&item["title"], &item["folder"]), (&json!("US floors"), &json!("/floors/2026")));
        assert_eq!((&item["version"], &item["written_by"]), (&json!(1), &json!("ann")));
        let again = desk.call(&scope, "create_document", &args).await.expect("the same call");
        assert_eq!(first.result, again.result);
        let probed = desk.tools.probe(&scope, &create, &args, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { result, .. } if result == first.result));
        assert_eq!(desk.read(&scope, &item["id"]).await["text"], TEXT);
        let sketch = desk.tools.sketch(&desk.scope(&ann), &create, &args).await.expect("draws");
        assert_eq!(sketch.warnings, ["This folder has a document called “US floors” already."]);
        let (name, back) = desk.tools.unmade(&create, &args, &first.result).expect("a way back");
        desk.change(&scope, &name, &back).await;
        assert_eq!(desk.listed_by(&scope, "list_documents", json!({})).await["count"], 0);
        let id: DocumentId = item["id"].as_str().expect("an ID").parse().expect("an ID");
        let kept = desk.world.store.find_document(ann.personal_workspace, id).await.expect("reads");
        assert!(kept.is_some_and(|document| document.trashed_at.is_some()), "it is in the trash");
    }
}

#[tokio::test]
async fn documents_are_listed_by_folder_and_found_by_their_words() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob) = (desk.world.person("ann").await, desk.world.person("bob").await);
        let scope = desk.scope(&ann);
        for (title, folder, text) in [
            ("US floors", "/floors/2026", TEXT),
            ("Ideas", "/floors", "Bidding first."),
            ("Contacts", ROOT_FOLDER, &format!("{} Google writes to Tomi.", "Nothing here. ".repeat(60))),
        ] {
            desk.change(&scope, "create_document", &json!({"title": title, "folder": folder, "text": text})).await;
        }
        let all = desk.listed_by(&scope, "list_documents", json!({})).await;
        assert_eq!((&all["count"], &all["complete"]), (&json!(3), &json!(true)));
        assert_eq!(all["folders"][1], json!({"folder": "/floors", "documents": 1}));
        let some = desk.listed_by(&scope, "list_documents", json!({"folder": "Floors"})).await;
        assert_eq!(some["count"], 2, "{some}");
        let one = desk.listed_by(&scope, "list_documents", json!({"folder": "/floors", "limit": 1})).await;
        assert_eq!((titles(&one).len(), &one["complete"]), (1, &json!(false)));
        for (query, wanted) in [
            ("floor", vec!["US floors", "Ideas"]),
            ("germany", vec!["US floors"]),
            ("tomi", vec!["Contacts", "US floors"]),
            ("Unity", vec![]),
        ] {
            let found = desk.listed_by(&scope, "search_documents", json!({"query": query})).await;
            let mut found = titles(&found);
            found.sort_unstable();
            let mut wanted = wanted;
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{query}");
        }
        let found =
            desk.call(&scope, "search_documents", &json!({"query": "google", "limit": 1})).await.expect("finds");
        let snippet = found.result["items"][0]["snippet"].as_str().expect("a snippet");
        assert!(snippet.starts_with('…') && snippet.ends_with("Google writes to Tomi."), "{snippet}");
        assert!(matches!(found.artifact, Some(Artifact::Table { .. })));
        assert_eq!(found.result["complete"], true);
        let bobs = desk.scope(&bob);
        assert_eq!(desk.listed_by(&bobs, "search_documents", json!({"query": "floor"})).await["count"], 0);
        desk.refused(&scope, "search_documents", json!({"query": " – "})).await;
        desk.refused(&scope, "list_documents", json!({"folder": "a/../b"})).await;
    }
}

#[tokio::test]
async fn a_long_text_is_read_in_parts() {
    let kept = adagent_testkit::sqlite_store().await;
    let desk = Desk::new(kept.store());
    let ann = desk.world.person("ann").await;
    let scope = desk.scope(&ann);
    let text = "é".repeat(25_000);
    let made = desk.change(&scope, "create_document", &json!({"title": "Long", "text": text})).await;
    let (mut whole, mut from) = (String::new(), json!(0));
    while from.is_u64() {
        let args = json!({"id": made["item"]["id"], "from": from});
        let part = desk.listed_by(&scope, "read_document", args).await["item"].clone();
        whole.push_str(part["text"].as_str().expect("a text"));
        assert_eq!(part["complete"], false);
        from = part["next"].clone();
    }
    assert_eq!(whole, text);
}

#[tokio::test]
async fn what_a_change_names_is_written_put_back_and_nothing_else() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let scope = desk.scope(&ann);
        let new = json!({"title": "US floors", "folder": "/floors", "text": TEXT});
        let id = desk.change(&scope, "create_document", &new).await["item"]["id"].clone();
        let update = desk.tool("update_document");
        let append = json!({"id": id, "append": "Done."});
        let once = desk.scope(&ann);
        let sketch = desk.tools.sketch(&once, &update, &append).await.expect("draws");
        let back = sketch.preview.back.expect("a way back");
        let first = desk.call(&once, "update_document", &append).await.expect("adds");
        let again = desk.call(&once, "update_document", &append).await.expect("the same call");
        assert_eq!((&first.result, &first.result["item"]["version"]), (&again.result, &json!(2)));
        let probed = desk.tools.probe(&once, &update, &append, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { result, .. } if result == first.result));
        assert_eq!(desk.read(&scope, &id).await["text"], format!("{TEXT}\n\nDone."));
        desk.change(&scope, "update_document", &back).await;
        let read = desk.read(&scope, &id).await;
        assert_eq!((&read["text"], &read["version"], &read["folder"]), (&json!(TEXT), &json!(3), &json!("/floors")));
        let same = json!({"id": id, "text": TEXT, "version": 3});
        let sketch = desk.tools.sketch(&scope, &update, &same).await.expect("draws");
        assert!(sketch.preview.changes_nothing(), "{:?}", sketch.preview);
        let moved = json!({"id": id, "folder": "/"});
        let sketch = desk.tools.sketch(&scope, &desk.tool("move_document"), &moved).await.expect("draws");
        assert_eq!(desk.change(&scope, "move_document", &moved).await["item"]["folder"], "/");
        desk.change(&scope, "move_document", &sketch.preview.back.expect("a way back")).await;
        assert_eq!(desk.read(&scope, &id).await["folder"], "/floors");
        desk.change(&scope, "delete_document", &json!({"id": id})).await;
        let (delete, gone) = (desk.tool("delete_document"), json!({"id": id}));
        let probed = desk.tools.probe(&scope, &delete, &gone, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { .. }));
        desk.refused(&scope, "update_document", json!({"id": id, "append": "more"})).await;
    }
}

#[tokio::test]
async fn a_text_that_replaces_an_old_version_is_refused_with_what_changed() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let scope = desk.scope(&ann);
        let id = desk.change(&scope, "create_document", &json!({"title": "Floors", "text": TEXT})).await["item"]["id"]
            .clone();
        let changed = TEXT.replace("$9", "$14");
        desk.change(&scope, "update_document", &json!({"id": id, "text": changed, "version": 1})).await;
        let late = json!({"id": id, "text": "Mine.", "version": 1});
        assert_eq!(
            desk.refused(&scope, "update_document", late).await,
            "ann wrote version 2 since version 1. Line 1, now: “The floor of the US is $14.”. Read it again and make your change there."
        );
        assert_eq!(desk.read(&scope, &id).await["text"], changed);
        for wrong in [
            json!({"id": id}),
            json!({"id": id, "text": "Mine."}),
            json!({"id": id, "append": "x", "restore": 1}),
            json!({"id": id, "restore": 7}),
            json!({"id": id, "append": "é".repeat(100_001)}),
        ] {
            desk.refused(&scope, "update_document", wrong).await;
        }
    }
}

#[tokio::test]
async fn nothing_crosses_workspaces_and_an_agent_signs_what_it_writes() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob) = (desk.world.person("ann").await, desk.world.person("bob").await);
        let grant =
            Grant { on: GrantTarget::Source(Source::Native), may: Access::ALL.to_vec(), connections: Vec::new() };
        let helper = CallScope { grants: Grants::of("helper", vec![grant]), ..desk.scope(&ann) };
        let made = desk.change(&helper, "create_document", &json!({"title": "Mine", "text": "x"})).await;
        assert_eq!(made["item"]["agent"], "helper");
        let own = desk.change(&desk.scope(&bob), "create_document", &json!({"title": "Bob's"})).await;
        let id = &made["item"]["id"];
        let scope = desk.scope(&bob);
        for (name, args) in [
            ("read_document", json!({"id": id})),
            ("update_document", json!({"id": id, "append": "x"})),
            ("move_document", json!({"id": id, "folder": "/x"})),
            ("delete_document", json!({"id": id})),
        ] {
            desk.refused(&scope, name, args).await;
        }
        let issues = desk.tools.ground(&scope, &desk.tool("delete_document"), &json!({"id": id})).await.expect("looks");
        assert_eq!(issues[0].candidates, [(own["item"]["id"].as_str().unwrap_or_default().to_owned(), "Bob's".into())]);
    }
}

/// An agent that may read documents may not write one, and an agent that may write may not read.
#[tokio::test]
async fn an_agent_does_with_documents_what_it_was_granted() {
    let kept = adagent_testkit::sqlite_store().await;
    let desk = Desk::new(kept.store());
    let ann = desk.world.person("ann").await;
    let made = desk.change(&desk.scope(&ann), "create_document", &json!({"title": "Floors"})).await;
    let id = &made["item"]["id"];
    let calls = [
        ("list_documents", json!({}), Access::List),
        ("search_documents", json!({"query": "floors"}), Access::Read),
        ("read_document", json!({"id": id}), Access::Read),
        ("create_document", json!({"title": "x"}), Access::Create),
        ("update_document", json!({"id": id, "append": "x"}), Access::Update),
        ("move_document", json!({"id": id, "folder": "/x"}), Access::Update),
        ("delete_document", json!({"id": id}), Access::Delete),
    ];
    for (name, args, needs) in calls {
        for granted in Access::ALL {
            for on in [GrantTarget::Source(Source::Native), GrantTarget::Tool(name.into())] {
                let grant = Grant { on, may: vec![granted], connections: Vec::new() };
                let scope = CallScope { grants: Grants::of("helper", vec![grant]), ..desk.scope(&ann) };
                let looked = desk.tools.ground(&scope, &desk.tool(name), &args).await;
                assert_eq!(looked.is_ok(), granted == needs, "{name} with {granted:?}");
            }
        }
    }
}
