//! To-dos, as a run reads and changes them.

use adagent_contract::{Access, Artifact, Grant, GrantTarget, Grants, Value};
use adagent_domain::{Role, Source, WorkspaceId};
use adagent_store::User;
use adagent_testkit::stores;
use adagent_tools::{CallScope, ProbeOutcome, Provider as _};
use serde_json::{Value as Json, json};

use super::Desk;

impl Desk {
    /// Makes an organization of two people.
    async fn team(&self) -> (User, User, WorkspaceId) {
        let (ann, bob) = (self.world.person("ann").await, self.world.person("bob").await);
        let acme = self.world.organization(&ann, "acme").await;
        let mut work = self.world.begin().await;
        work.insert_member(acme.id, bob.id, Role::Member, self.world.now()).await.expect("joins");
        work.commit().await.expect("commits");
        (ann, bob, acme.id)
    }

    fn scope_in(&self, person: &User, workspace: WorkspaceId) -> CallScope {
        CallScope { workspace, ..self.scope(person) }
    }

    async fn listed(&self, scope: &CallScope, args: Json) -> Json {
        let scope = CallScope { call: self.scope_of_call(), ..scope.clone() };
        self.call(&scope, "list_todos", &args).await.expect("lists").result
    }

    pub(super) fn scope_of_call(&self) -> adagent_domain::ToolCallId {
        adagent_domain::ToolCallId::new(&*self.world.ids)
    }

    pub(super) async fn change(&self, scope: &CallScope, name: &str, args: &Json) -> Json {
        let scope = CallScope { call: self.scope_of_call(), ..scope.clone() };
        self.call(&scope, name, args).await.expect("changes").result
    }
}

fn texts(listed: &Json) -> Vec<&str> {
    listed["items"].as_array().expect("a list").iter().filter_map(|item| item["text"].as_str()).collect()
}

/// Returns the calls on to-dos whose cards the golden file shows.
pub async fn cards(desk: &Desk, ann: &User) -> Vec<(&'static str, Json)> {
    let new = json!({"text": "Check AppLovin floors", "due": "2026-11-27", "assignee": "me"});
    let made = desk.change(&desk.scope(ann), "create_todo", &new).await;
    let id = &made["item"]["id"];
    vec![
        ("create_todo", new),
        ("update_todo", json!({"id": id, "done": true})),
        ("update_todo", json!({"id": id, "due": "none", "assignee": "nobody", "text": "Check all floors"})),
        ("delete_todo", json!({"id": id})),
    ]
}

#[tokio::test]
async fn a_to_do_is_added_once_however_often_its_call_is_made_and_can_be_taken_back() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let scope = desk.scope(&ann);
        let args = json!({"text": "  Check AppLovin floors ", "due": "2026-11-27", "assignee": "me"});
        let create = desk.tool("create_todo");
        let probed = desk.tools.probe(&scope, &create, &args, None).await.expect("looks");
        assert_eq!(probed, ProbeOutcome::DidNotHappen { looked_at: "the to-dos of this workspace".into() });
        let first = desk.call(&scope, "create_todo", &args).await.expect("adds");
        let item = &first.result["item"];
        assert_eq!((&item["text"], &item["due"]), (&json!("Check AppLovin floors"), &json!("2026-11-27")));
        assert_eq!((&item["mine"], &item["for"], &item["overdue"]), (&json!(true), &json!("ann"), &json!(false)));
        let again = desk.call(&scope, "create_todo", &args).await.expect("the same call");
        assert_eq!(first.result, again.result);
        let probed = desk.tools.probe(&scope, &create, &args, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { result, .. } if result == first.result));
        assert_eq!(desk.listed(&scope, json!({})).await["count"], 1);
        let (name, back) = desk.tools.unmade(&create, &args, &first.result).expect("a way back");
        desk.change(&scope, &name, &back).await;
        assert_eq!(desk.listed(&scope, json!({"status": "all"})).await["count"], 0);
    }
}

#[tokio::test]
async fn to_dos_are_listed_by_state_day_person_and_words() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob, acme) = desk.team().await;
        let scope = desk.scope_in(&ann, acme);
        // Whatever day the test clock has, the first due day is over by then.
        for (text, due, assignee) in [
            ("Check AppLovin floors", Some("2020-01-02"), "me"),
            ("Write to Unity", Some("2999-01-02"), "nobody"),
            ("Clean up line items", None, &*bob.id.to_string()),
        ] {
            let mut args = json!({"text": text, "assignee": assignee});
            if let Some(due) = due {
                args["due"] = json!(due);
            }
            desk.change(&scope, "create_todo", &args).await;
        }
        let all = desk.listed(&scope, json!({})).await;
        assert_eq!(texts(&all), ["Check AppLovin floors", "Write to Unity", "Clean up line items"]);
        assert_eq!((&all["overdue"], &all["without_day"], &all["complete"]), (&json!(1), &json!(1), &json!(true)));
        assert_eq!(all["items"][2]["for"], "bob");
        for (args, wanted) in [
            (json!({"due_to": "2020-12-31"}), vec!["Check AppLovin floors"]),
            (json!({"due_from": "2020-01-03", "due_to": "2999-01-02"}), vec!["Write to Unity"]),
            (json!({"assignee": "me"}), vec!["Check AppLovin floors"]),
            (json!({"assignee": "nobody"}), vec!["Write to Unity"]),
            (json!({"assignee": bob.id.to_string()}), vec!["Clean up line items"]),
            (json!({"text": "FLOORS"}), vec!["Check AppLovin floors"]),
            (json!({"status": "done"}), vec![]),
            (json!({"limit": 1}), vec!["Check AppLovin floors"]),
        ] {
            assert_eq!(texts(&desk.listed(&scope, args.clone()).await), wanted, "{args}");
        }
        // The other member sees the same list, with their own to-do in it.
        let bobs = desk.listed(&desk.scope_in(&bob, acme), json!({"assignee": "me"})).await;
        assert_eq!(texts(&bobs), ["Clean up line items"]);
        assert_eq!(desk.listed(&desk.scope(&bob), json!({})).await["count"], 0, "another workspace has its own");
        let output = desk.call(&scope, "list_todos", &json!({})).await.expect("lists");
        let Some(Artifact::Table { table, .. }) = output.artifact else { panic!("a table") };
        assert_eq!(table.rows[0][1], Value::Date { value: "2020-01-02".into() });
        assert_eq!(table.rows[2][1], Value::Missing);
        let members = desk.call(&scope, "list_members", &json!({})).await.expect("lists").result;
        assert_eq!((&members["items"][0]["name"], &members["items"][0]["you"]), (&json!("ann"), &json!(true)));
        let turned = json!({"due_from": "2026-02-02", "due_to": "2026-02-01"});
        assert!(desk.call(&scope, "list_todos", &turned).await.is_err());
    }
}

#[tokio::test]
async fn what_a_change_names_is_set_put_back_and_nothing_else() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob, acme) = desk.team().await;
        let scope = desk.scope_in(&ann, acme);
        let new = json!({"text": "Check floors", "due": "2999-01-02", "assignee": bob.id.to_string()});
        let made = desk.change(&scope, "create_todo", &new).await;
        let id = made["item"]["id"].clone();
        let update = desk.tool("update_todo");
        let done = json!({"id": id, "done": true});
        let sketch = desk.tools.sketch(&scope, &update, &done).await.expect("draws");
        assert_eq!(sketch.title, "Mark the to-do “Check floors” as done");
        let back = sketch.preview.back.expect("a way back");
        let after = desk.change(&scope, "update_todo", &done).await["item"].clone();
        assert_eq!((&after["done"], &after["due"], &after["for"]), (&json!(true), &new["due"], &json!("bob")));
        let probed = desk.tools.probe(&scope, &update, &done, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { summary, .. } if summary == "marked “Check floors” as done"));
        let same = desk.tools.sketch(&scope, &update, &done).await.expect("draws");
        assert!(same.preview.changes_nothing(), "it is done already");
        desk.change(&scope, "update_todo", &back).await;
        assert_eq!(texts(&desk.listed(&scope, json!({})).await), ["Check floors"]);
        let probed = desk.tools.probe(&scope, &update, &done, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::DidNotHappen { .. }));
        let cleared = json!({"id": id, "due": "none", "assignee": "nobody"});
        let sketch = desk.tools.sketch(&scope, &update, &cleared).await.expect("draws");
        let after = desk.change(&scope, "update_todo", &cleared).await["item"].clone();
        assert_eq!((&after["due"], &after["for"], &after["text"]), (&Json::Null, &Json::Null, &json!("Check floors")));
        desk.change(&scope, "update_todo", &sketch.preview.back.expect("a way back")).await;
        let again = desk.listed(&scope, json!({})).await;
        assert_eq!((&again["items"][0]["due"], &again["items"][0]["for"]), (&new["due"], &json!("bob")));
    }
}

#[tokio::test]
async fn what_does_not_exist_is_named_with_what_does_and_nothing_crosses_workspaces() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob) = (desk.world.person("ann").await, desk.world.person("bob").await);
        let made = desk.change(&desk.scope(&ann), "create_todo", &json!({"text": "Mine"})).await;
        let own = desk.change(&desk.scope(&bob), "create_todo", &json!({"text": "Bob's"})).await;
        let id = &made["item"]["id"];
        for (name, args) in [
            ("update_todo", json!({"id": id, "done": true})),
            ("delete_todo", json!({"id": id})),
            ("update_todo", json!({"id": own["item"]["id"], "assignee": ann.id.to_string()})),
            ("update_todo", json!({"id": own["item"]["id"]})),
            ("create_todo", json!({"text": "x", "due": "2026-02-30"})),
            ("create_todo", json!({"text": "x", "assignee": "ann"})),
        ] {
            let scope = desk.scope(&bob);
            let issues = desk.tools.ground(&scope, &desk.tool(name), &args).await.expect("looks");
            assert_eq!(issues.len(), 1, "{name} {args}");
            assert!(desk.call(&scope, name, &args).await.is_err(), "{name} {args}");
        }
        let scope = desk.scope(&bob);
        let issues = desk.tools.ground(&scope, &desk.tool("delete_todo"), &json!({"id": id})).await.expect("looks");
        assert_eq!(issues[0].candidates, [(own["item"]["id"].as_str().unwrap_or_default().to_owned(), "Bob's".into())]);
        assert_eq!(texts(&desk.listed(&desk.scope(&ann), json!({})).await), ["Mine"]);
    }
}

/// An agent that may read to-dos may not add one, and an agent that may add one may not read them.
#[tokio::test]
async fn an_agent_does_with_to_dos_what_it_was_granted() {
    let kept = adagent_testkit::sqlite_store().await;
    let desk = Desk::new(kept.store());
    let ann = desk.world.person("ann").await;
    let made = desk.change(&desk.scope(&ann), "create_todo", &json!({"text": "Check floors"})).await;
    let id = &made["item"]["id"];
    let calls = [
        ("list_todos", json!({}), Access::List),
        ("list_members", json!({}), Access::List),
        ("create_todo", json!({"text": "x"}), Access::Create),
        ("update_todo", json!({"id": id, "done": true}), Access::Update),
        ("delete_todo", json!({"id": id}), Access::Delete),
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
