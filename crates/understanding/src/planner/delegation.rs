//! Tasks for other agents. Each task is a run of its own, and we quote the agent's answer.

use std::borrow::Cow;

use adagent_contract::{ASK_AGENT, RunStatus};
use serde::Deserialize as _;
use serde_json::json;

use super::{
    Answer, Call, Step,
    format::{and, plain},
    read::{Done, Turn},
    talk,
};
use crate::types::Task;

/// How many agents we name if the message asks one that doesn't exist.
const NAMED: usize = 5;

/// Returns `None` if the message hands on no task.
pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    let tasks = &turn.understood.tasks;
    if tasks.is_empty() {
        return None;
    }
    if let Some(task) = tasks.iter().find(|task| task.text.is_empty()) {
        return Some(Answer::text(format!("What should @{} do?", plain(&task.agent))).into());
    }
    if let Some(task) = tasks.iter().find(|task| !is_known(turn, task)) {
        return Some(unknown(turn, task).into());
    }
    let done: Vec<&Done<'_>> = turn.done.iter().filter(|done| done.name == ASK_AGENT).collect();
    if done.len() < tasks.len() {
        let mut names: Vec<String> = tasks.iter().map(|task| format!("@{}", task.agent)).collect();
        names.dedup();
        let say = format!("Asking {}", and(&names));
        let call = |task: &Task| Call {
            name: Cow::Borrowed(ASK_AGENT),
            args: json!({"agent": task.agent, "task": task.text}),
        };
        return Some(Step::Calls { say, calls: tasks.iter().map(call).collect() });
    }
    let mut answer = Answer::default();
    let mut told = Vec::new();
    for (task, done) in tasks.iter().zip(&done) {
        let several = tasks.len() > 1;
        told.push(words_of(task, done, several));
        answer.artifacts.extend(list(done, "artifacts"));
        for line in list::<String>(done, "method") {
            answer.count(if several { format!("@{}: {line}", task.agent) } else { line });
        }
        // A suggested follow-up goes to the same agent.
        let next =
            list::<String>(done, "follow_ups").into_iter().filter(|text| !talk::EXAMPLES.contains(&text.as_str()));
        let next = next.map(|text| format!("Ask @{}: {text}", task.agent));
        answer.follow_ups.extend(next);
    }
    answer.text = told.join("\n\n");
    Some(answer.into())
}

fn is_known(turn: &Turn<'_>, task: &Task) -> bool {
    turn.request.planner.colleagues.iter().any(|one| one.handle == task.agent)
}

fn unknown(turn: &Turn<'_>, task: &Task) -> Answer {
    let known = &turn.request.planner.colleagues;
    let agent = plain(&task.agent);
    if turn.request.planner.agent.as_ref().is_some_and(|own| own.handle == task.agent) {
        return Answer::text(format!("That's me, @{agent}. Ask me without my name.")).following([task.text.as_str()]);
    }
    if known.is_empty() {
        let told = format!(
            "There is no agent named @{agent} that I can ask. [Agents](/agents) lists those of this workspace."
        );
        return Answer::text(told).following(talk::EXAMPLES);
    }
    let names: Vec<String> = known.iter().take(NAMED).map(|one| format!("@{}", one.handle)).collect();
    let asks = known.iter().take(2).map(|one| format!("Ask @{}: {}", one.handle, task.text));
    Answer::text(format!("There is no agent named @{agent} that I can ask. I can ask {}.", and(&names))).choosing(asks)
}

/// Returns what an agent said, in its own words.
fn words_of(task: &Task, done: &Done<'_>, several: bool) -> String {
    let agent = &task.agent;
    if !done.ok {
        return format!("@{agent} was not asked: {}.", plain(done.problem().trim_end_matches('.')));
    }
    let said = done.content["answer"].as_str().unwrap_or_default().trim();
    let status = done.content["status"].as_str().and_then(RunStatus::parse);
    match status {
        Some(RunStatus::Completed) if several => format!("**@{agent}**\n\n{said}"),
        Some(RunStatus::Completed) => format!("@{agent} answers:\n\n{said}"),
        Some(RunStatus::Cancelled) => format!("@{agent} was stopped before it was done. {said}").trim_end().to_owned(),
        _ => format!("@{agent} could not finish. {said}").trim_end().to_owned(),
    }
}

fn list<T: serde::de::DeserializeOwned>(done: &Done<'_>, name: &str) -> Vec<T> {
    Vec::deserialize(&done.content[name]).unwrap_or_default()
}
