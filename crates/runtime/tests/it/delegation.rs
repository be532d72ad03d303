//! Agents that ask agents. Wherever the journal is cut, the end is the same; an agent gets no more rights by asking; and a stop reaches the
//! last of them.

use std::{sync::Arc, time::Duration};

use adagent_contract::{ASK_AGENT, AgentBody, OverrideRequest, RunStatus, StepState, StepView, TurnView};
use adagent_domain::{AgentId, RunId};
use adagent_llm::ModelRequest;
use adagent_run_core::{Limits, Turn, from_text};
use adagent_runtime::{Advanced, Cuts, Runtime, cancel, fork_run, override_run};
use adagent_store::{Agent, Run, Store};
use adagent_testkit::{
    fixtures::{Must, World as Base},
    postgres_store, sqlite_store,
};
use serde_json::{Value as Json, json};

use crate::{
    cut::comparable,
    network::FakeNetwork,
    world::{DieAt, Script, World, calls, group, says, told, yes},
};

const ROUNDS: u32 = 160;

/// Stores an agent with these grants, which its person may ask.
async fn agent(world: &World, handle: &str, grants: Json) {
    let body = json!({"handle": handle, "name": handle.to_uppercase(), "grants": grants});
    let body: AgentBody = serde_json::from_value(body).expect("an agent");
    let now = world.base.now();
    let agent = Agent {
        id: AgentId::new(&*world.base.ids),
        workspace: world.person.personal_workspace,
        owner: world.person.id,
        owner_name: String::new(),
        body,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let mut work = world.base.begin().await;
    assert!(work.insert_agent(&agent, 1_000).await.must());
    work.commit().await.must();
}

fn everything() -> Json {
    json!([{"on": "everything", "may": ["read", "list", "create", "update", "delete"]}])
}

fn ask(agent: &str, task: &str) -> (&'static str, Json) {
    (ASK_AGENT, json!({"agent": agent, "task": task}))
}

/// Returns the result of the last call.
fn last(request: &ModelRequest) -> Json {
    told(request).1.last().expect("a result").1.clone()
}

/// The person asks the manager, who has the worker make a group. The person's run and the manager also read a report each.
fn two_levels() -> Script {
    Arc::new(|request| match (request.planner.question.as_str(), told(request).0) {
        ("Please.", 0) => calls(&[ask("manager", "Hand it on"), ("report", json!({"n": 1}))]),
        ("Hand it on", 0) => calls(&[("report", json!({"n": 2})), ask("worker", "Make it")]),
        ("Make it", 0) => calls(&[("create_group", group("Banner"))]),
        ("Make it", _) => says("Made."),
        ("Hand it on", _) => {
            assert_eq!(last(request)["answer"], "Made.");
            says("The worker made it.")
        }
        _ => {
            let answers: Vec<Json> = told(request).1.into_iter().map(|(_, result)| result["answer"].clone()).collect();
            assert!(answers.contains(&json!("The worker made it.")), "{answers:?}");
            says("It is made.")
        }
    })
}

/// Plays it to its end. The first worker dies at the cut, others take over, and the person approves whatever waits.
async fn play(world: &World, cuts: Option<Arc<dyn Cuts>>) -> RunId {
    let run = world.ask("Please.").await;
    let mut runtime = Runtime::new(world.deps("first", cuts));
    for round in 0..ROUNDS {
        for advanced in runtime.run_until_idle().await.expect("the store works") {
            if let Advanced::LetGo(_) = advanced {
                world.outlive_leases();
                runtime = world.runtime(&format!("worker {round}"));
            }
        }
        runtime.run_until_idle().await.expect("the store works");
        if world.status(run).await.is_final() {
            return run;
        }
        if let Some(view) = world.pending().await.into_iter().next() {
            assert_eq!(view.session_id, Some(world.chat.id), "it is asked in the chat");
            let waits = world.status(run).await;
            assert_ne!(waits, RunStatus::Queued, "the run at the top waits");
            world.answer(yes(view.id)).await.expect("taken");
            continue;
        }
        world.outlive_leases();
        runtime = world.runtime(&format!("late worker {round}"));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it never ended");
}

async fn children(world: &World, run: RunId) -> Vec<Run> {
    world.base.store.list_children(run).await.must()
}

async fn check_end(world: &World, run: RunId, what: &str) -> Json {
    assert_eq!(world.status(run).await, RunStatus::Completed, "{what}");
    assert_eq!(world.written(), [group("Banner")], "{what}: the change went out once");
    assert!(world.pending().await.is_empty(), "{what}");
    let managers = children(world, run).await;
    assert_eq!(managers.len(), 1, "{what}: the manager was asked once");
    let workers = children(world, managers[0].id).await;
    assert_eq!(workers.len(), 1, "{what}: the worker was asked once");
    assert_eq!(workers[0].status, RunStatus::Completed, "{what}");
    let listed = world.base.store.list_messages(world.chat.workspace, world.chat.id, None, 50).await.must();
    assert_eq!(listed.len(), 1, "{what}: what agents ask each other is no message of the chat");
    let view = world.view(run).await;
    assert_eq!(view.answer, "It is made.", "{what}");
    let below = world.view(managers[0].id).await;
    json!([comparable(view), comparable(below), comparable(world.view(workers[0].id).await)])
}

async fn cut_everywhere(store: Arc<dyn Store>) -> usize {
    let base = Base::new(store);
    let person = base.person("ann").await;
    let world = World::of(base.clone(), person.clone(), two_levels()).await;
    agent(&world, "manager", everything()).await;
    agent(&world, "worker", everything()).await;
    let run = play(&world, None).await;
    let whole = check_end(&world, run, "whole").await;
    for at in 0.. {
        let what = format!("cut at {at}");
        let world = World::of(base.clone(), person.clone(), two_levels()).await;
        let die = DieAt::new(at);
        let run = play(&world, Some(Arc::clone(&die) as _)).await;
        if !die.died() {
            assert!(at > 20, "there were hardly any commits to cut");
            return at;
        }
        assert_eq!(check_end(&world, run, &what).await, whole, "{what}");
    }
    unreachable!("a play has an end")
}

#[tokio::test]
async fn agents_that_ask_agents_survive_a_cut_at_every_commit_on_sqlite() {
    let store = sqlite_store().await;
    let cuts = cut_everywhere(store.store()).await;
    println!("{cuts} cuts");
}

#[tokio::test]
async fn agents_that_ask_agents_survive_a_cut_at_every_commit_on_postgres() {
    let store = postgres_store().await;
    cut_everywhere(store.store()).await;
}

fn failure(view: &TurnView, call: &str) -> Option<String> {
    view.steps.iter().find_map(|step| match step {
        StepView::Tool { name, state: StepState::Failed | StepState::Denied, summary, .. } if name == call => {
            summary.clone()
        }
        _ => None,
    })
}

#[tokio::test]
async fn nobody_gets_more_by_asking_another_agent() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), two_levels()).await;
    agent(
        &world,
        "manager",
        json!([
            {"on": "admob", "may": ["read", "list"]}, {"on": "native", "may": ["read", "list"]},
        ]),
    )
    .await;
    agent(&world, "worker", everything()).await;
    let run = play(&world, None).await;
    assert_eq!(world.written(), [] as [Json; 0], "the worker may, and the manager who asked it may not");
    let manager = children(&world, run).await.remove(0);
    let worker = children(&world, manager.id).await.remove(0);
    let why = failure(&world.view(worker.id).await, "create_group").expect("it was refused");
    assert!(why.starts_with("@manager isn't allowed to create"), "{why}");
}

/// Each agent asks the next one. The last one asks an agent that already works on this.
fn chain() -> Script {
    Arc::new(|request| {
        let (question, turns) = (request.planner.question.as_str(), told(request).0);
        let next = match question {
            "Please." => Some(("a", "one")),
            "one" => Some(("b", "two")),
            "two" => Some(("c", "three")),
            "three" => Some(("d", "four")),
            "back" => Some(("a", "again")),
            _ => None,
        };
        match next {
            Some((agent, task)) if turns == 0 => calls(&[ask(agent, task)]),
            _ => says("Done."),
        }
    })
}

#[tokio::test]
async fn a_task_is_handed_on_three_times_at_most_and_never_back() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), chain()).await;
    for handle in ["a", "b", "c", "d"] {
        agent(&world, handle, everything()).await;
    }
    let mut run = play(&world, None).await;
    for depth in 1..=3 {
        run = children(&world, run).await.remove(0).id;
        let row = world.base.store.find_run_unscoped(run).await.must().expect("it");
        assert_eq!((row.depth, row.status), (depth, RunStatus::Completed));
    }
    assert!(children(&world, run).await.is_empty(), "the last one asks nobody");
    let why = failure(&world.view(run).await, ASK_AGENT).expect("it was refused");
    assert!(why.contains("3 times at most"), "{why}");

    let script: Script = Arc::new(|request| match (request.planner.question.as_str(), told(request).0) {
        ("Please.", 0) => calls(&[ask("a", "back")]),
        ("back", 0) => calls(&[ask("a", "again")]),
        _ => says("Done."),
    });
    let world = World::of(world.base.clone(), world.person.clone(), script).await;
    let run = play(&world, None).await;
    let below = children(&world, run).await.remove(0).id;
    let why = failure(&world.view(below).await, ASK_AGENT).expect("it was refused");
    assert!(why.contains("@a is at work on this already"), "{why}");
}

#[tokio::test]
async fn a_stop_reaches_every_agent_and_withdraws_what_they_ask() {
    for store in [sqlite_store().await.store(), postgres_store().await.store()] {
        let world = World::new(store, two_levels()).await;
        agent(&world, "manager", everything()).await;
        agent(&world, "worker", everything()).await;
        let run = world.ask("Please.").await;
        let runtime = world.runtime("worker");
        runtime.run_until_idle().await.must();
        assert_eq!(world.pending().await.len(), 1);
        assert_eq!(world.status(run).await, RunStatus::AwaitingApproval, "those below wait for a person, so it does");
        // A later message need not wait for that answer.
        let next = world.ask("Other.").await;
        runtime.run_until_idle().await.must();
        assert!(world.status(next).await.is_final());
        assert!(cancel(&world.deps("web", None), &world.actor(), run).await.expect("asked"));
        runtime.run_until_idle().await.must();
        let manager = children(&world, run).await.remove(0);
        let worker = children(&world, manager.id).await.remove(0);
        for run in [run, manager.id, worker.id] {
            assert_eq!(world.status(run).await, RunStatus::Cancelled);
        }
        assert!(world.pending().await.is_empty());
        assert_eq!(world.written(), [] as [Json; 0]);
    }
}

/// The person asks a worker for a change and reads a report itself.
fn beside_a_report() -> Script {
    Arc::new(|request| match (request.planner.question.as_str(), told(request).0) {
        ("Please.", 0) => calls(&[ask("worker", "Make it"), ("report", json!({"n": 1}))]),
        ("Make it", 0) => calls(&[("create_group", group("Banner"))]),
        _ => says("Done."),
    })
}

/// Checks that an agent that waited for a person ended with the run that asked it.
async fn check_stopped_below(world: &World, run: RunId, ended: RunStatus) {
    let runtime = world.runtime("late worker");
    runtime.run_until_idle().await.must();
    assert_eq!(world.status(run).await, ended);
    let worker = children(world, run).await.remove(0);
    assert_eq!(worker.status, RunStatus::Cancelled, "the run that asked it is {ended:?}");
    assert!(world.pending().await.is_empty());
    assert_eq!(world.written(), [] as [Json; 0]);
}

#[tokio::test]
async fn a_run_that_breaks_stops_an_agent_that_waits_for_a_person() {
    for store in [sqlite_store().await.store(), postgres_store().await.store()] {
        let mut world = World::new(store, beside_a_report()).await;
        world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(700)));
        world.network.lock().break_reads = true;
        agent(&world, "worker", everything()).await;
        let run = world.ask("Please.").await;
        let (first, second) = (world.runtime("first"), world.runtime("second"));
        let below = async {
            while world.pending().await.is_empty() {
                second.run_once().await.must();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(world.status(run).await, RunStatus::Running, "it still reads its report");
        };
        let (ended, ()) = tokio::join!(first.run_once(), below);
        assert_eq!(ended.must(), Some(Advanced::Ended(run)));
        check_stopped_below(&world, run, RunStatus::Failed).await;
    }
}

#[tokio::test]
async fn a_run_that_cannot_go_on_stops_an_agent_that_waits_for_a_person() {
    for store in [sqlite_store().await.store(), postgres_store().await.store()] {
        let world = World::new(store, beside_a_report()).await;
        agent(&world, "worker", everything()).await;
        let run = world.ask("Please.").await;
        world.runtime("first").run_until_idle().await.must();
        assert_eq!((world.status(run).await, world.pending().await.len()), (RunStatus::AwaitingApproval, 1));
        let mut work = world.base.begin().await;
        work.ready_run(run, world.base.now()).await.must();
        work.commit().await.must();
        // Each of these workers dies before it can write anything.
        for round in 0..ROUNDS {
            let dies = world.deps(&format!("worker {round}"), Some(DieAt::new(0) as _));
            if Runtime::new(dies).run_once().await.must() == Some(Advanced::Ended(run)) {
                break;
            }
            world.outlive_leases();
            // A database may hold the rows of a dead worker a little longer.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        check_stopped_below(&world, run, RunStatus::Failed).await;
    }
}

/// The run and the agent that it asked wait for a person each.
#[tokio::test]
async fn a_person_who_leaves_ends_a_run_and_the_agents_it_asked() {
    let script: Script = Arc::new(|request| match (request.planner.question.as_str(), told(request).0) {
        ("Please.", 0) => calls(&[ask("worker", "Make it"), ("create_group", group("Own"))]),
        ("Make it", 0) => calls(&[("create_group", group("Banner"))]),
        _ => says("Done."),
    });
    for store in [sqlite_store().await.store(), postgres_store().await.store()] {
        let world = World::new(store, Arc::clone(&script)).await;
        agent(&world, "worker", everything()).await;
        let run = world.ask("Please.").await;
        let runtime = world.runtime("worker");
        runtime.run_until_idle().await.must();
        assert_eq!(world.pending().await.len(), 2);
        world.stop_all().await;
        runtime.run_until_idle().await.must();
        let worker = children(&world, run).await.remove(0);
        for run in [run, worker.id] {
            let kinds: Vec<_> = world.events(run).await.iter().map(|event| event.body.kind()).collect();
            assert_eq!(world.status(run).await, RunStatus::Cancelled, "{kinds:?}");
        }
        assert!(world.pending().await.is_empty());
    }
}

#[tokio::test]
async fn a_run_that_asked_agents_is_not_copied_and_a_task_is_not_corrected_apart() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), chain()).await;
    for handle in ["a", "b", "c", "d"] {
        agent(&world, handle, everything()).await;
    }
    let run = play(&world, None).await;
    let mut last = run;
    for _ in 0..3 {
        last = children(&world, last).await.remove(0).id;
    }
    let deps = world.deps("web", None);
    for run in [run, last] {
        let saved = world.base.store.find_latest_checkpoint(run).await.must().expect("saved").id;
        let why = fork_run(&deps, &world.actor(), run, saved).await.expect_err("refused").to_string();
        assert!(why.contains("Agents were asked in this run"), "{why}");
    }
    let request = OverrideRequest { tool_call_id: None, args: json!({}) };
    let why = override_run(&deps, &world.actor(), last, request).await.expect_err("refused").to_string();
    assert!(why.contains("An agent was asked"), "{why}");
}

/// Tells which agents the model heard of.
fn heard() -> Script {
    Arc::new(|request| {
        let handles: Vec<_> = request.planner.colleagues.iter().map(|one| one.handle.as_str()).collect();
        says(&format!("{} {}", handles.len(), handles.first().unwrap_or(&"none")))
    })
}

#[tokio::test]
async fn an_agent_that_is_named_is_found_among_hundreds() {
    for store in [sqlite_store().await.store(), postgres_store().await.store()] {
        let world = World { local: true, ..World::new(store, heard()).await };
        for number in 0..250 {
            agent(&world, &format!("agent-{number:03}"), everything()).await;
        }
        agent(&world, "zebra-last", everything()).await;
        let told = async |text: &str| {
            let run = world.ask(text).await;
            world.runtime("worker").run_until_idle().await.must();
            world.view(run).await.answer
        };
        assert_eq!(told("Revenue yesterday").await, "0 none", "nothing here may name an agent");
        assert_eq!(told("Ask @zebra-last for it").await, "200 zebra-last");
        assert_eq!(told("and by app?").await, "200 zebra-last", "it may go on with the task before it");
    }
}

#[tokio::test]
async fn a_hosted_model_hears_of_agents_with_every_message() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), heard()).await;
    agent(&world, "reporter", everything()).await;
    let run = world.ask("Revenue yesterday").await;
    world.runtime("worker").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "1 reporter");
}

#[tokio::test]
async fn agents_that_are_asked_at_once_share_what_is_left() {
    let script: Script = Arc::new(|request| match (request.planner.question.as_str(), told(request).0) {
        ("Please.", 0) => calls(&[ask("a", "one"), ask("b", "two")]),
        _ => says("Done."),
    });
    let store = sqlite_store().await;
    let world = World::new(store.store(), script).await;
    agent(&world, "a", everything()).await;
    agent(&world, "b", everything()).await;
    let run = play(&world, None).await;
    let mut granted = Vec::new();
    for child in children(&world, run).await {
        let saved = world.base.store.find_latest_checkpoint(child.id).await.must().expect("saved");
        granted.push(from_text::<Turn>(&saved.state).expect("a state").ledger.limits.tokens);
    }
    // The other one may have ended by the time the second begins: then it gets what is left.
    let rest = Limits::default().tokens - 15;
    assert!(granted.iter().min().is_some_and(|least| *least == rest / 2), "{granted:?}");
}

#[tokio::test]
async fn an_agent_may_spend_what_is_left() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), two_levels()).await;
    agent(&world, "manager", everything()).await;
    agent(&world, "worker", everything()).await;
    let run = play(&world, None).await;
    let manager = children(&world, run).await.remove(0);
    let worker = children(&world, manager.id).await.remove(0);
    let limits = Limits::default();
    let state = |run: RunId| {
        let store = Arc::clone(&world.base.store);
        async move {
            let saved = store.find_latest_checkpoint(run).await.must().expect("saved");
            from_text::<Turn>(&saved.state).expect("a state").ledger
        }
    };
    // Each run above has asked one question: 15 tokens, 1 millionth.
    assert_eq!(state(manager.id).await.limits.tokens, limits.tokens - 15);
    assert_eq!(state(worker.id).await.limits.tokens, limits.tokens - 30);
    let top = state(run).await;
    assert_eq!((top.spent.cost_micros, top.used().cost_micros), (2, 6), "six questions in all");
}
