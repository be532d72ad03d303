//! What must be true afterwards, whatever happened.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    person::Person,
    story::{Story, Wish},
    world::{Networks, names},
};

/// What a long run saw, for its report.
#[derive(Debug, Default)]
pub struct Verdict {
    pub runs: usize,
    pub writes: usize,
    /// Runs that asked a person again after an interruption.
    pub asked_again: usize,
    /// Writes that were found at the network after an interruption.
    pub found: usize,
}

impl Verdict {
    /// Prints one line for the report of a long run.
    pub fn tell(&self, part: &str, seed: u64, kills: u64) {
        let told = json!({
            "part": part, "seed": seed, "kills": kills, "runs": self.runs, "writes": self.writes,
            "found_after_an_interruption": self.found, "asked_again": self.asked_again,
        });
        println!("fire: {told}");
    }

    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.writes += other.writes;
        self.asked_again += other.asked_again;
        self.found += other.found;
    }
}

/// Checks, before the people come back, that approvals left for later are still pending and in the inbox.
pub async fn waiting(person: &Person, stories: &[Story]) {
    let inbox = person.get("/api/approvals?status=pending&limit=100").await.body;
    let inbox: Vec<&str> = inbox["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    for story in stories.iter().filter(|story| !Story::is_over(&story.events)) {
        let open = story.asked.iter().find(|asked| asked.approved.is_none()).expect("it waits for an answer");
        assert!(inbox.contains(&open.id.as_str()), "approval {} of {} is lost", open.id, story.name);
        let run = person.get(&format!("/api/runs/{}", story.run)).await.body;
        assert_eq!(run["status"], "awaiting_approval", "{run}");
    }
}

/// Checks everything after all runs have ended.
pub async fn all(networks: &Networks, person: &Person, stories: &[Story]) -> Verdict {
    let writes = networks.writes().await;
    let mut verdict = Verdict { runs: stories.len(), ..Verdict::default() };
    for story in stories {
        one(person, story).await;
        verdict.asked_again += usize::from(story.asked.len() > 1);
        verdict.found += usize::from(shown(story, "found on the network after an interruption"));
        verdict.writes += counted(story, &writes);
    }
    let open = person.get("/api/approvals?status=pending&limit=100").await.body;
    assert_eq!(open["items"], json!([]), "nothing is left open");
    verdict
}

/// Checks that nothing reached the networks that these stories did not approve.
pub async fn nothing_unasked(networks: &Networks, stories: &[&Story]) {
    let approved: BTreeMap<&str, &Story> =
        stories.iter().filter(|story| was_approved(story)).map(|story| (story.name.as_str(), *story)).collect();
    for write in networks.writes().await {
        let name = names(&write).unwrap_or("without a name");
        let story = approved.get(name).unwrap_or_else(|| panic!("nobody approved {write}"));
        let sent = &write["body"];
        assert!(story.asked.iter().any(|asked| asked.args["body"] == *sent), "not what was approved: {write}");
    }
}

async fn one(person: &Person, story: &Story) {
    let mut whole = Vec::new();
    person.follow(&story.run, &mut whole, Story::is_over).await;
    assert_eq!(whole[..story.events.len()], story.events, "what was read once has changed");
    assert_eq!(whole[0]["type"], "run_started");
    assert_eq!(whole.iter().filter(|event| event["type"] == "done").count(), 1, "{} ended twice", story.name);
    let run = person.get(&format!("/api/runs/{}", story.run)).await.body;
    assert_eq!(run["status"], whole.last().unwrap()["status"], "{run}");
    for asked in &story.asked {
        let view = person.get(&format!("/api/approvals/{}", asked.id)).await.body;
        let expected = if asked.approved == Some(true) { "approved" } else { "denied" };
        assert_eq!(view["status"], expected, "{}: {view}", story.name);
    }
}

fn was_approved(story: &Story) -> bool {
    story.asked.iter().any(|asked| asked.approved == Some(true))
}

fn shown(story: &Story, words: &str) -> bool {
    story.events.iter().any(|event| event["summary"].as_str().is_some_and(|text| text.contains(words)))
}

/// Counts how often the write of a story was made: once if the run says so, never if the run says it was not made, and never
/// twice.
fn counted(story: &Story, writes: &[Value]) -> usize {
    let made =
        writes.iter().filter(|write| write["applied"] == json!(true) && names(write) == Some(&story.name)).count();
    if matches!(story.wish, Wish::Read(_)) {
        assert_eq!((made, story.asked.len()), (0, 0), "a question changed something: {}", story.name);
        return 0;
    }
    let result = story.events.iter().rev().find(|event| {
        (event["type"] == "tool_result" || event["type"] == "tool_denied")
            && story.asked.iter().any(|asked| asked.call == event["tool_call_id"])
    });
    let Some(result) = result else {
        // The run never asked, and says why.
        assert!(
            story.asked.is_empty() && made == 0,
            "{} says nothing about its write: {:#?}",
            story.name,
            story.events
        );
        return 0;
    };
    let last = story.asked.last().expect("a write is asked for");
    match (result["type"].as_str().unwrap(), last.approved) {
        ("tool_result", _) if result["ok"] == json!(true) => assert_eq!(made, 1, "{}: {result}", story.name),
        // Denied; or denied when asked a second time, because the write had already been made.
        ("tool_denied", Some(false)) => {
            assert_eq!(made, usize::from(story.asked.len() > 1), "{}: {result}", story.name);
        }
        _ => {
            let told = result["summary"].as_str().unwrap_or_default();
            let unclear = told.contains("not known") || told.contains("could not find out");
            assert!(
                made == 0 || (made == 1 && unclear),
                "{} was made {made} times, and the run says: {result}",
                story.name
            );
        }
    }
    made
}
