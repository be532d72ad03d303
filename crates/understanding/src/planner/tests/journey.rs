//! Tests with real questions, as a chat, through `understand` and the planner together.

use adagent_contract::{Artifact, HistoryEntry};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::world::*;
use crate::{Question, ToolResult, Verdict, understand, verify};

#[derive(Clone)]
pub struct Conversation {
    pub world: World,
    pub history: Vec<HistoryEntry>,
}

impl Conversation {
    pub fn new() -> Self {
        Self { world: World::default(), history: Vec::new() }
    }

    pub fn understand(&self, text: &str) -> crate::Understood {
        understand(&Question {
            text: text.into(),
            history: self.history.clone(),
            connected: vec![Network::AdMob],
            disabled: Vec::new(),
            today: TODAY.into(),
            entities: self.world.entities.clone().into(),
            connections: Vec::new(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        })
    }

    pub fn say(&mut self, text: &str) -> Run {
        let understood = self.understand(text);
        let answered = understood.clone();
        let mut request = request(&self.world, text, &understood);
        request.planner.history.clone_from(&self.history);
        let run = run(&self.world, request);
        if run.reply.calls.is_empty() {
            let results: Vec<(&str, &Json, &Json)> = run.results();
            let results: Vec<ToolResult<'_>> =
                results.into_iter().map(|(tool, arguments, output)| ToolResult { tool, arguments, output }).collect();
            let mut answered = answered;
            if results.is_empty() {
                // The runtime does the same: without a result, the answer can only say so.
                answered.services.clear();
                answered.slots = None;
            }
            let verdict = verify(&answered, &run.reply.text, &run.reply.artifacts, &results);
            assert_eq!(verdict, Verdict::Complete, "{text}: {}", run.reply.text);
        }
        for (role, content) in [("user", text), ("assistant", &*run.said())] {
            self.history.push(HistoryEntry { role: role.into(), content: content.into() });
        }
        run
    }
}

#[test]
fn the_main_journey_goes_from_yesterdays_revenue_over_countries_to_a_new_group() {
    let mut talk = Conversation::new();
    let run = talk.say("What was my revenue yesterday?");
    assert!(run.reply.text.starts_with("AdMob earned **$"), "{}", run.reply.text);
    let kinds: Vec<&str> = run
        .reply
        .artifacts
        .iter()
        .map(|a| match a {
            Artifact::Kpi { .. } => "kpi",
            Artifact::Timeseries { .. } => "timeseries",
            Artifact::Bars { .. } => "bars",
            Artifact::Table { .. } => "table",
            Artifact::Json { .. } => "json",
        })
        .collect();
    assert_eq!(kinds, ["kpi", "timeseries", "table"]);
    let run = talk.say("by country, last 30 days, top 5");
    assert!(run.reply.text.contains("Revenue by country, Oct 22 – Nov 20, 2026"), "{}", run.reply.text);
    let run = talk.say("Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding");
    assert_eq!(run.write().name, "admob_create_mediation_group");
    assert_eq!(run.write().args["body"]["displayName"], "Puzzle Game Android · Banner · AppLovin + Unity bidding");
}

#[test]
fn follow_ups_lean_on_the_turn_before() {
    let mut talk = Conversation::new();
    talk.say("AdMob revenue last 7 days");
    let run = talk.say("and by country?");
    assert!(run.reply.text.starts_with("Revenue by country, Nov 14–20, 2026"), "{}", run.reply.text);
    let run = talk.say("make it 30 days");
    assert!(run.reply.text.contains("Oct 22 – Nov 20, 2026"), "{}", run.reply.text);
}

#[test]
fn an_answer_to_a_question_back_goes_on_with_the_change() {
    let mut talk = Conversation::new();
    let run = talk.say("Create an AdMob mediation group for Puzzle Game banner with AppLovin bidding");
    assert!(run.reply.text.starts_with("Two apps match"), "{}", run.reply.text);
    let run = talk.say("I mean Puzzle Game (ca-app-pub-1111111111111111~1000000001)");
    assert_eq!(run.write().args["body"]["targeting"]["platform"], "ANDROID");

    let mut talk = Conversation::new();
    talk.say("Create an AdMob mediation group for Puzzle Game on Android with AppLovin bidding");
    let run = talk.say("Banner");
    assert_eq!(run.write().args["body"]["targeting"]["format"], "BANNER");
    // A different question in between is answered as such.
    let mut talk = Conversation::new();
    talk.say("Create an AdMob mediation group for Puzzle Game on Android with AppLovin bidding");
    let run = talk.say("What was my revenue yesterday?");
    assert!(run.reply.text.starts_with("AdMob earned"), "{}", run.reply.text);
}

#[test]
fn reasons_rest_on_figures_of_the_results() {
    let mut talk = Conversation::new();
    let run = talk.say("Why did our AdMob revenue change this week?");
    assert!(
        run.reply.text.contains("Nov 21 is still in progress, so I compare Nov 16–20, 2026 with Nov 9–13, 2026."),
        "{}",
        run.reply.text
    );
}
