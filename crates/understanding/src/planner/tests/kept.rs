//! Figures of another period, app or account than asked are never shown: each question is answered as it stands, or says what
//! cannot be done.

use super::journey::Conversation;

fn ask(text: &str) -> (String, usize) {
    let run = Conversation::new().say(text);
    (run.reply.text.clone(), run.rounds.iter().flatten().count() + run.reply.calls.len())
}

#[test]
fn probe() {
    for line in std::fs::read_to_string("/tmp/probe.txt").unwrap().lines().filter(|l| !l.is_empty()) {
        let (answer, calls) = std::panic::catch_unwind(|| ask(line)).unwrap_or(("PANIC".into(), 0));
        println!("{line}\n    [{calls}] {}", answer.chars().take(420).collect::<String>());
    }
}

#[test]
fn count_unused() { // temporary
    use serde_json::Value as Json;
    let (mut all, mut alarms, mut refused) = (0, 0, 0);
    for file in std::fs::read_dir(std::env::var("EVALS").unwrap()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "jsonl") || path.file_name().unwrap() == "journeys.jsonl" {
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let record: Json = serde_json::from_str(line).unwrap();
            let expect = &record["expect"];
            if expect["outcome"] != "answer" || expect["capability"] != "reporting" {
                continue;
            }
            if !record["context"]["history"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            all += 1;
            let text = record["query"].as_str().unwrap();
            let talk = Conversation::new();
            let understood = talk.understand(text);
            if understood.capability != crate::Capability::Reporting { continue; }
            let request = super::world::request(&talk.world, text, &understood);
            let turn = crate::planner::read::Turn::read(&request).unwrap();
            let unused = crate::planner::beyond::unused(&turn);
            if !unused.is_empty() {
                alarms += 1;
                println!("{} {text}\n    {unused:?}", record["id"]);
            }
            let answer = crate::planner::period::unserved(&turn).or_else(|| crate::planner::beyond::refused(&turn));
            if let Some(answer) = answer {
                refused += 1;
                println!("{} {text}\n    REFUSED {}", record["id"], answer.text.chars().take(150).collect::<String>());
            }
        }
    }
    println!("{all} questions, {alarms} alarms, {refused} refused");
}
