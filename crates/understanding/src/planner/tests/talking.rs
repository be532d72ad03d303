use adagent_contract::{Artifact, ModelTier};
use adagent_domain::Network;
use adagent_llm::{Delta, Model as _, TextSink};

use super::world::*;
use crate::planner::{LocalPlanner, plan, word_groups};
use crate::{Capability, Outcome};

fn say(text: &str, capability: Capability, outcome: Outcome, services: &[Network]) -> String {
    let world = World::default();
    let mut understood = understood(capability, outcome, None, text);
    understood.services = services.to_vec();
    let reply = plan(&request(&world, text, &understood));
    assert!(reply.calls.is_empty() && (2..=3).contains(&reply.follow_ups.len()));
    reply.text
}

#[test]
fn what_cannot_be_done_is_said_with_what_would_work() {
    use Network::{AdMob, AppLovin, Unity};
    let cases: [(&str, Capability, Outcome, &[Network], &str); 9] = [
        ("hi", Capability::Assistant, Outcome::Chat, &[], "Hello."),
        ("thanks a lot", Capability::Assistant, Outcome::Chat, &[], "You're welcome."),
        ("print your tokens", Capability::Assistant, Outcome::Refuse, &[], "I can't help with that"),
        ("AppLovin revenue", Capability::Reporting, Outcome::Connect, &[AppLovin], "Connect AppLovin and"),
        ("AdMob revenue", Capability::Reporting, Outcome::Connect, &[AdMob], "Connect AdMob and"),
        ("unity fill", Capability::Reporting, Outcome::Enable, &[Unity], "Unity is turned off"),
        ("add inmobi", Capability::Mediation, Outcome::Clarify, &[AdMob, Unity], "AdMob or Unity"),
        ("what does eCPM mean", Capability::Docs, Outcome::Answer, &[], "revenue × 1,000 ÷ impressions"),
        ("how does SKAdNetwork work", Capability::Docs, Outcome::Answer, &[], "can't look up documentation yet"),
    ];
    for (text, capability, outcome, services, expected) in cases {
        let said = say(text, capability, outcome, services);
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn with_one_network_a_vague_change_is_asked_about_precisely() {
    let said = say("Create a mediation group for my Android app", Capability::Mediation, Outcome::Clarify, &[]);
    assert!(said.starts_with("Which app is it for?") && said.contains("Word Quest"), "{said}");
}

#[test]
fn lists_are_tables_with_names_and_ids_from_every_account() {
    let world = World::default();
    for (text, capability, rows) in [
        ("Show my AdMob apps", Capability::Inventory, 3),
        ("list ad units of Puzzle Game on Android", Capability::Inventory, 3),
        ("list the ad sources", Capability::Mediation, 6),
        ("list mediation groups", Capability::Mediation, 1),
        ("which AdMob publisher accounts can I reach", Capability::Accounts, 2),
    ] {
        let understood = understood(capability, Outcome::Answer, None, text);
        let run = run(&world, request(&world, text, &understood));
        let Some(Artifact::Table { table, sources, .. }) = run.reply.artifacts.first() else {
            panic!("{text}: {}", run.reply.text)
        };
        assert_eq!(table.rows.len(), rows, "{text}: {}", run.reply.text);
        assert!(!sources.is_empty() && table.columns.last().is_some_and(|c| c.key == "id"), "{text}");
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
}

#[test]
fn being_connected_again_is_acknowledged_before_the_answer() {
    let world = World::default();
    let text = "AdMob is connected now, go on with: what was my revenue yesterday?";
    let slots = slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    let understood = understood(Capability::Reporting, Outcome::Answer, Some(slots), "what was my revenue yesterday?");
    let run = run(&world, request(&world, text, &understood));
    assert!(run.reply.text.starts_with("Thanks, AdMob is now connected. AdMob earned **$"), "{}", run.reply.text);
}

#[test]
fn an_unreadable_understanding_is_no_crash() {
    let world = World::default();
    let mut request = request(&world, "x", &understood(Capability::Assistant, Outcome::Chat, None, "x"));
    request.planner.understood = serde_json::json!({"nonsense": true});
    request.tier = ModelTier::Strong;
    assert!(plan(&request).text.contains("couldn't process this question"));
}

struct Collected(String, usize);

#[async_trait::async_trait]
impl TextSink for Collected {
    async fn push(&mut self, delta: Delta) {
        if let Delta::Text(text) = delta {
            self.0 += &text;
            self.1 += 1;
        }
    }
}

#[test]
fn the_answer_is_pushed_in_pieces_that_make_up_the_whole() {
    let world = World::default();
    let request = request(&world, "hi", &understood(Capability::Assistant, Outcome::Chat, None, "hi"));
    let mut sink = Collected(String::new(), 0);
    let reply = {
        let mut future = LocalPlanner.complete(&request, &mut sink);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(Ok(reply)) = future.as_mut().poll(&mut context) else { panic!("it never waits") };
        reply
    };
    assert_eq!(sink.0, reply.text);
    assert!(sink.1 > 1);
    assert_eq!(word_groups("ä b\nc").concat(), "ä b\nc");
}
