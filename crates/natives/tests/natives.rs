//! The native tools on both database engines. The tests call them as a run does, through the registry of all tools.

use std::sync::Arc;

use adagent_contract::{
    ApprovalStatus, Artifact, ConnectionName, ContextSettings, EntityItem, EntityKind, NetworkState, Value,
};
use adagent_domain::{Network, Source, ToolCallId, WorkspaceId};
use adagent_natives::Natives;
use adagent_store::{ApprovalAnswer, Store, User};
use adagent_testkit::{clock, fixtures::World, stores};
use adagent_tools::{
    CallScope, EntityFilter, Gateway, ProbeOutcome, ProgressSink, Provider, Registry, ToolError, ToolErrorClass,
    ToolInfo, ToolOutput, WriteTicket,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

/// A gateway with no connected network, where days begin in Kyiv.
struct Kyiv;

#[async_trait]
impl Gateway for Kyiv {
    async fn networks(&self, _: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        Ok(Vec::new())
    }

    async fn connections(&self, _: WorkspaceId, _: &ContextSettings) -> Result<Vec<ConnectionName>, ToolError> {
        Ok(Vec::new())
    }

    async fn entities(
        &self,
        _: &CallScope,
        network: Network,
        _: EntityKind,
        _: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        Err(ToolError::not_connected(network))
    }

    async fn today(&self, _: WorkspaceId) -> (String, String) {
        ("2026-11-21".into(), "Europe/Kyiv".into())
    }
}

#[path = "../../networks/tests/sandbox/card.rs"]
mod card;

#[path = "natives/documents.rs"]
mod documents;

#[path = "natives/todos.rs"]
mod todos;

struct Quiet;

#[async_trait]
impl ProgressSink for Quiet {
    async fn progress(&mut self, _: &str, _: Option<adagent_contract::Progress>) {}
}

struct Desk {
    world: World,
    tools: Registry,
}

impl Desk {
    fn new(store: Arc<dyn Store>) -> Self {
        let natives = Natives::new(Arc::clone(&store), Arc::new(Kyiv), Arc::new(clock()));
        let tools = Registry::new(vec![Arc::new(natives)]).expect("no name twice");
        Self { world: World::new(store), tools }
    }

    fn tool(&self, name: &str) -> Arc<ToolInfo> {
        self.tools.tool(name).expect("known")
    }

    fn scope(&self, person: &User) -> CallScope {
        CallScope {
            workspace: person.personal_workspace,
            user: person.id,
            call: ToolCallId::new(&*self.world.ids),
            settings: ContextSettings::default(),
            grants: adagent_contract::Grants::everything(),
            connection: None,
        }
    }

    async fn call(&self, scope: &CallScope, name: &str, args: &Json) -> Result<ToolOutput, ToolError> {
        let tool = self.tool(name);
        let ticket = WriteTicket { call: scope.call, digest: self.tools.digest(&tool, args), place: None };
        let ticket = (!tool.read_only).then_some(&ticket);
        self.tools.execute(scope, &tool, args, ticket, &mut Quiet).await
    }

    async fn saved(&self, person: &User) -> Vec<Json> {
        let listed = self.call(&self.scope(person), "list_saved_questions", &json!({})).await.expect("lists");
        listed.result["items"].as_array().expect("a list").clone()
    }
}

#[tokio::test]
async fn a_question_is_saved_once_however_often_its_call_is_made() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let (scope, args) = (desk.scope(&ann), json!({"question": "  Revenue yesterday? ", "pinned": true}));
        let save = desk.tool("save_question");
        let probed = desk.tools.probe(&scope, &save, &args, None).await.expect("looks");
        assert_eq!(probed, ProbeOutcome::DidNotHappen { looked_at: "your saved questions".into() });
        let first = desk.call(&scope, "save_question", &args).await.expect("saves");
        assert_eq!(first.result["item"]["title"], "Revenue yesterday");
        let again = desk.call(&scope, "save_question", &args).await.expect("the same call");
        assert_eq!(first.result, again.result);
        let probed = desk.tools.probe(&scope, &save, &args, None).await.expect("looks");
        assert!(matches!(probed, ProbeOutcome::Happened { result, .. } if result == first.result));
        assert_eq!(desk.saved(&ann).await, [first.result["item"].clone()]);
        // Another call with the same question is a new call, so it is refused.
        let other = desk.scope(&ann);
        let issues = desk.tools.ground(&other, &save, &args).await.expect("looks");
        assert_eq!(issues[0].message, "You saved this question already, as “Revenue yesterday”.");
        assert!(desk.call(&other, "save_question", &args).await.is_err());
        // Then undo it.
        let (name, back) = desk.tools.unmade(&save, &args, &first.result).expect("a way back");
        desk.call(&desk.scope(&ann), &name, &back).await.expect("deletes");
        assert!(desk.saved(&ann).await.is_empty());
    }
}

#[tokio::test]
async fn nothing_is_changed_without_its_own_approval() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let (scope, args) = (desk.scope(&ann), json!({"question": "Revenue yesterday?"}));
        let save = desk.tool("save_question");
        let other = WriteTicket {
            call: scope.call,
            digest: desk.tools.digest(&save, &json!({"question": "Another"})),
            place: None,
        };
        let digest = desk.tools.digest(&save, &args);
        let stranger = WriteTicket { call: desk.scope(&ann).call, digest: digest.clone(), place: None };
        for ticket in [None, Some(&other), Some(&stranger)] {
            let refused = desk.tools.execute(&scope, &save, &args, ticket, &mut Quiet).await.expect_err("refused");
            assert_eq!(refused.code, "NEEDS_APPROVAL");
        }
        // A caller's own copy of the description has no effect.
        let lie = ToolInfo { read_only: true, ..ToolInfo::clone(&save) };
        assert!(desk.tools.execute(&scope, &lie, &args, None, &mut Quiet).await.is_err());
        let ticket = WriteTicket { call: scope.call, digest, place: None };
        let mut guarded = scope.clone();
        guarded.settings.safe_mode = true;
        let refused = desk.tools.execute(&guarded, &save, &args, Some(&ticket), &mut Quiet).await.expect_err("refused");
        assert_eq!(refused.class, ToolErrorClass::OutOfContext);
        assert!(desk.saved(&ann).await.is_empty());
    }
}

#[tokio::test]
async fn another_persons_questions_are_not_there() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let (ann, bob) = (desk.world.person("ann").await, desk.world.person("bob").await);
        let scope = desk.scope(&ann);
        let saved = desk.call(&scope, "save_question", &json!({"question": "Mine"})).await.expect("saves");
        assert!(desk.saved(&bob).await.is_empty());
        let id = json!({"id": saved.result["item"]["id"]});
        let delete = desk.tool("delete_saved_question");
        let issues = desk.tools.ground(&desk.scope(&bob), &delete, &id).await.expect("looks");
        assert_eq!(issues[0].message, "You have no saved question with this ID.");
        assert!(issues[0].candidates.is_empty());
        assert!(desk.tools.sketch(&desk.scope(&bob), &delete, &id).await.is_err());
        assert!(desk.call(&desk.scope(&bob), "delete_saved_question", &id).await.is_err());
        assert_eq!(desk.saved(&ann).await.len(), 1);
    }
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let kept = adagent_testkit::sqlite_store().await;
    let desk = Desk::new(kept.store());
    let ann = desk.world.person("ann").await;
    let check = |name: &str, args: Json| {
        let errors = desk.tools.check(&desk.tool(name), &args);
        errors.into_iter().map(|error| format!("{} {}", error.pointer, error.message)).collect::<Vec<_>>()
    };
    assert_eq!(check("save_question", json!({"question": " "})), ["/question must not be blank"]);
    assert_eq!(check("list_changes", json!({"outcome": "lost"})).len(), 1);
    assert_eq!(check("list_changes", json!({"from": "yesterday"})).len(), 1);
    assert_eq!(check("list_changes", json!({"until": "2026-11-21"})).len(), 1);
    let turned = json!({"from": "2026-11-21", "to": "2026-11-20"});
    let refused = desk.call(&desk.scope(&ann), "list_changes", &turned).await.expect_err("refused");
    assert_eq!(refused.message, "The last day is before the first.");
}

#[tokio::test]
async fn changes_are_listed_with_what_became_of_them_by_the_days_of_the_workspace() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let world = &desk.world;
        let stranger = world.person("stranger").await;
        let (person, chat, lease) = world.held_run().await;
        let record = world.approval(&person, &chat, lease.run);
        let mut work = world.begin().await;
        work.insert_approval(&lease, &record).await.expect("inserts");
        work.commit().await.expect("commits");
        let listed = desk.call(&desk.scope(&person), "list_changes", &json!({})).await.expect("lists");
        assert_eq!((listed.summary.as_str(), &listed.result["time_zone"]), ("1 change", &json!("Europe/Kyiv")));
        let row = &listed.result["items"][0];
        assert_eq!((&row["outcome"], &row["source"]), (&json!("waiting"), &json!("admob")));
        // 22:30 in UTC is the next day in Kyiv.
        let at = "2026-11-20T22:30:00Z".parse().expect("valid");
        let answer = ApprovalAnswer {
            status: ApprovalStatus::Denied,
            by: person.id,
            by_name: "Ann".into(),
            at,
            edited_args: None,
            sent: None,
            digest: record.digest.clone(),
            reason: Some("Too early".into()),
        };
        let mut work = world.begin().await;
        assert!(work.answer_approval(person.personal_workspace, record.view.id, &answer).await.expect("answers"));
        work.commit().await.expect("commits");
        for (args, count) in [
            (json!({"from": "2026-11-21", "to": "2026-11-21"}), 1),
            (json!({"to": "2026-11-20"}), 0),
            (json!({"outcome": "denied"}), 1),
            (json!({"agent": "desk"}), 1),
            (json!({"outcome": "made"}), 0),
        ] {
            let listed = desk.call(&desk.scope(&person), "list_changes", &args).await.expect("lists");
            assert_eq!(listed.result["count"], count, "{args}");
        }
        let listed = desk.call(&desk.scope(&person), "list_changes", &json!({})).await.expect("lists");
        let Some(Artifact::Table { table, .. }) = listed.artifact else { panic!("a table") };
        assert_eq!(table.rows[0][0], Value::Text { value: "2026-11-21 00:30".into() });
        assert_eq!(table.rows[0][3], Value::Text { value: "@desk".into() });
        assert_eq!(table.rows[0][6], Value::Text { value: "Too early".into() });
        let listed = desk.call(&desk.scope(&stranger), "list_changes", &json!({})).await.expect("lists");
        assert_eq!(listed.result["count"], 0);
    }
}

#[tokio::test]
async fn two_sources_with_a_tool_of_one_name_are_refused() {
    let kept = adagent_testkit::sqlite_store().await;
    let natives = || -> Arc<dyn Provider> { Arc::new(Natives::new(kept.store(), Arc::new(Kyiv), Arc::new(clock()))) };
    assert!(Registry::new(vec![natives(), natives()]).is_err());
    let registry = Registry::new(vec![natives()]).expect("fine");
    assert!(registry.tools().iter().all(|tool| tool.source == Source::Native));
    let unknown = ToolInfo::named("nothing", Source::Native);
    assert_eq!(registry.check(&unknown, &json!({}))[0].message, "There is no tool named `nothing`.");
}

/// Draws the cards that a person approves in the same form as those of the networks.
#[tokio::test]
async fn every_card_reads_as_its_golden_file() {
    for kept in stores().await {
        let desk = Desk::new(kept.store());
        let ann = desk.world.person("ann").await;
        let new = json!({"question": "What did each network earn yesterday?", "pinned": true});
        let scope = desk.scope(&ann);
        let saved = desk.call(&scope, "save_question", &new).await.expect("saves");
        let which = json!({"id": saved.result["item"]["id"]});
        let another = json!({"question": "Which apps lost the most last week?"});
        let mut calls = vec![("save_question", another), ("delete_saved_question", which)];
        calls.extend(todos::cards(&desk, &ann).await);
        calls.extend(documents::cards(&desk, &ann).await);
        let mut drawn = Vec::new();
        for (name, args) in calls {
            let sketch = desk.tools.sketch(&desk.scope(&ann), &desk.tool(name), &args).await.expect("draws");
            // The ID differs from run to run, and the person does not see it.
            let text = card::card(name, &sketch, &args);
            let id = args["id"].as_str().unwrap_or("no ID");
            drawn.push(text.replace(id, "<ID>"));
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("cards");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("natives", drawn.join("\n")));
    }
}
