//! The golden flows: what the model does, what the person does, and what must have reached the network in the end.

use std::sync::Arc;

use adagent_contract::RunStatus;
use adagent_domain::RunId;
use adagent_runtime::cancel;
use adagent_tools::ToolErrorClass;
use serde_json::{Value as Json, json};

use crate::world::{Script, World, calls, group, no, planned, says, told, yes};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    Absent,
    Approves,
    /// Approves the last question first.
    ApprovesBackwards,
    Edits,
    Denies,
    Cancels,
    Leaves,
    /// Approves while somebody else changes the same thing at the network.
    Overtaken,
}

#[derive(Clone)]
pub struct Scenario {
    pub name: &'static str,
    pub script: Script,
    pub person: Person,
    pub faults: Vec<(&'static str, ToolErrorClass)>,
    pub lose_replies: u32,
    pub status: RunStatus,
    /// What must be written in the end, each once.
    pub written: Vec<Json>,
    pub answer: Option<&'static str>,
}

fn scenario(name: &'static str, script: Script) -> Scenario {
    Scenario {
        name,
        script,
        person: Person::Absent,
        faults: vec![],
        lose_replies: 0,
        status: RunStatus::Completed,
        written: vec![],
        answer: None,
    }
}

fn write_then_tell() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) => calls(&[("list_apps", json!({})), ("create_group", group("Banner"))]),
        (_, results) => match results.last() {
            Some((true, _)) => says("The group exists."),
            Some((false, why)) if why["denied"] == true => says("All right, nothing was changed."),
            other => panic!("unexpected {other:?}"),
        },
    })
}

/// Returns every flow.
pub fn all() -> Vec<Scenario> {
    single().into_iter().chain(plans()).collect()
}

fn single() -> Vec<Scenario> {
    let read: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("report", json!({"n": 1}))]),
        (_, results) => {
            assert!(results[0].0 && results[0].1["rows"][0]["revenue"] == 7, "the result came back from the journal");
            says("You earned 7.")
        }
    });
    let parallel: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("report", json!({"n": 1})), ("report", json!({"n": 2}))]),
        (_, results) => {
            assert_eq!(results.iter().map(|r| r.1["asked"]["n"].clone()).collect::<Vec<_>>(), [json!(1), json!(2)]);
            says("You earned 14.")
        }
    });
    let corrected: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", json!({"name": "Banner", "app": "made-up"}))]),
        (1, results) => {
            let id = results[0].1["error"]["issues"][0]["candidates"][0]["id"].clone();
            calls(&[("create_group", json!({"name": "Banner", "app": id}))])
        }
        _ => says("The group exists."),
    });
    let stubborn: Script = Arc::new(|_| calls(&[("report", json!({"n": 1}))]));
    let two_writes: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("A")), ("create_group", group("B"))]),
        _ => says("Both exist."),
    });
    vec![
        Scenario { answer: Some("You earned 7."), ..scenario("a read question", read) },
        Scenario { answer: Some("You earned 14."), ..scenario("two reads side by side", parallel) },
        Scenario {
            person: Person::Approves,
            written: vec![group("Banner")],
            answer: Some("The group exists."),
            ..scenario("an approved write", write_then_tell())
        },
        Scenario {
            person: Person::Edits,
            written: vec![group("Edited")],
            answer: Some("The group exists."),
            ..scenario("an edited write", write_then_tell())
        },
        Scenario {
            person: Person::Denies,
            answer: Some("All right, nothing was changed."),
            ..scenario("a denied write", write_then_tell())
        },
        Scenario {
            person: Person::Approves,
            written: vec![group("Banner")],
            answer: Some("The group exists."),
            ..scenario("a made-up id corrected before the form", corrected)
        },
        Scenario {
            // The failure stays, so that a worker that takes over meets it too.
            faults: vec![("report", ToolErrorClass::Retryable); 50],
            status: RunStatus::Stopped,
            ..scenario("retryable failures, then a stop", stubborn)
        },
        Scenario {
            person: Person::Approves,
            lose_replies: 1,
            written: vec![group("Banner")],
            answer: Some("The group exists."),
            ..scenario("a write whose reply is lost", write_then_tell())
        },
        Scenario {
            person: Person::Approves,
            written: vec![group("A"), group("B")],
            answer: Some("Both exist."),
            ..scenario("two writes decided one by one", two_writes)
        },
        Scenario {
            person: Person::Overtaken,
            written: vec![group("Banner")],
            answer: Some("The group exists."),
            ..scenario("an approval that rests on what is no longer there", write_then_tell())
        },
        Scenario {
            person: Person::Cancels,
            status: RunStatus::Cancelled,
            ..scenario("a stop while an approval waits", write_then_tell())
        },
        Scenario {
            person: Person::Leaves,
            status: RunStatus::Cancelled,
            ..scenario("a person who is removed while an approval waits", write_then_tell())
        },
    ]
}

fn plans() -> Vec<Scenario> {
    let plan: Script = Arc::new(|request| match told(request) {
        (0, _) => planned(calls(&[("create_group", group("A")), ("create_group", group("B"))])),
        (_, results) if results.iter().all(|(ok, _)| *ok) => says("Both exist."),
        _ => says("The plan broke off."),
    });
    // A plan as a hosted model gives it. The model reads in its next round, after the changes.
    let given: Script = Arc::new(|request| match told(request) {
        (0, _) => {
            assert!(request.tools.iter().any(|tool| tool.name == "make_plan"), "it is offered");
            let step = |tool: &str, arguments| json!({"description": "A step", "tool": tool, "arguments": arguments});
            let steps =
                [step("create_group", group("A")), step("create_group", group("B")), step("report", json!({"n": 1}))];
            calls(&[("make_plan", json!({"goal": "Do it all", "steps": steps}))])
        }
        (1, results) => {
            assert_eq!(results.len(), 2, "both changes, and nothing of the plan itself: {results:?}");
            calls(&[("report", json!({"n": 1}))])
        }
        _ => says("Both exist, and you earned 7."),
    });
    vec![
        Scenario {
            person: Person::Approves,
            written: vec![group("A"), group("B")],
            answer: Some("Both exist, and you earned 7."),
            ..scenario("a plan that a hosted model gives", given)
        },
        Scenario {
            person: Person::ApprovesBackwards,
            written: vec![group("A"), group("B")],
            answer: Some("Both exist."),
            ..scenario("a plan whose last step is approved first", plan.clone())
        },
        Scenario {
            person: Person::ApprovesBackwards,
            // The failure stays, so that a worker that takes over meets it too.
            faults: vec![("create_group", ToolErrorClass::Deterministic); 50],
            answer: Some("The plan broke off."),
            ..scenario("a plan whose first step fails", plan)
        },
    ]
}

impl Scenario {
    pub fn prepare(&self, world: &World) {
        let mut network = world.network.lock();
        network.lose_replies = self.lose_replies;
        network.before = (self.person == Person::Overtaken).then(|| "Old".to_owned());
        for (tool, class) in &self.faults {
            network.faults.entry((*tool).into()).or_default().push(*class);
        }
    }

    /// Lets the person answer one of the waiting cards.
    pub async fn act(&self, world: &World, run: RunId) {
        let mut waiting: Vec<_> = world.pending().await.into_iter().filter(|view| view.run_id == run).collect();
        waiting.sort_by_key(|view| view.tool_input.to_string());
        if self.person == Person::ApprovesBackwards {
            waiting.reverse();
        }
        let Some(approval) = waiting.into_iter().next() else {
            panic!("{}: the run waits for nothing", self.name);
        };
        match self.person {
            Person::Absent => panic!("{}: nobody is there to answer", self.name),
            Person::Approves | Person::ApprovesBackwards => drop(world.answer(yes(approval.id)).await.expect("taken")),
            Person::Edits => {
                let edited = adagent_contract::AnswerRequest { edited_args: Some(group("Edited")), ..yes(approval.id) };
                world.answer(edited).await.expect("taken");
            }
            Person::Denies => drop(world.answer(no(approval.id)).await.expect("taken")),
            Person::Overtaken => {
                let shown = approval.preview.changes[0].before.clone().expect("it replaces something");
                // An interruption is another reason to ask again.
                let told =
                    approval.warnings.iter().any(|w| w.contains("“Old”, is now “New”") || w.contains("interrupted"));
                assert_eq!(told, shown == "New", "{:?}", approval.warnings);
                world.network.lock().before = Some("New".into());
                world.answer(yes(approval.id)).await.expect("taken");
            }
            Person::Cancels => assert!(cancel(&world.deps("web", None), &world.actor(), run).await.expect("asked")),
            Person::Leaves => {
                assert_eq!(world.stop_all().await, [run]);
            }
        }
    }
}
