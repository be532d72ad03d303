//! Answers questions about what was done, only from the journal.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{
    Answer, Call, Step,
    format::{plain, spoken},
    read::{Done, Turn},
    talk,
};
use crate::dates::periods;
use crate::text::{Kind, Token, tokens};

const LIST: &str = "list_journal";
/// How many entries the text lists; the table has them all.
const TOLD: usize = 8;

/// Whose work the question is about.
#[derive(Debug, PartialEq, Eq)]
enum Who {
    /// The agent that answers.
    You,
    Named(String),
}

pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    let agent = match asked(turn.question())? {
        Who::Named(handle) => Some(handle),
        Who::You => itself(turn),
    };
    let mut args = json!({});
    let mut when = None;
    if let Some(period) = periods(&tokens(turn.question()), turn.today).first() {
        when = Some(spoken(period.span.from, period.span.to, turn.today));
        args["from"] = period.span.from.to_string().into();
        args["to"] = period.span.to.to_string().into();
    }
    if let Some(agent) = &agent {
        args["agent"] = agent.clone().into();
    }
    Some(match turn.done.iter().rfind(|done| done.name == LIST) {
        None => {
            Step::Calls { say: "Reading the journal".to_owned(), calls: vec![Call { name: Cow::Borrowed(LIST), args }] }
        }
        Some(done) if !done.ok => failed(done),
        Some(done) => told(done.content, agent.as_deref(), when.as_deref()).into(),
    })
}

/// Returns a call that reads the journal if the question also asks what an agent refused, besides what it changed.
pub(super) fn beside(turn: &Turn<'_>, args: &Json) -> Option<Call> {
    let asks = tokens(turn.question()).iter().any(|token| token.any(&["refuse", "refused", "refusal"]));
    let mut own = json!({});
    for key in ["from", "to", "agent"].into_iter().filter(|key| args[*key].is_string()) {
        own[key] = args[key].clone();
    }
    asks.then(|| Call { name: Cow::Borrowed(LIST), args: own })
}

/// Says what was refused, from the journal: "Refused: “pause the banner”."
pub(super) fn refusals(turn: &Turn<'_>) -> Option<String> {
    const NAMED: usize = 3;
    let done = turn.done.iter().rfind(|done| done.name == LIST && done.ok)?;
    let items = done.content["items"].as_array()?;
    let refused: Vec<String> = items
        .iter()
        .filter(|item| item["refused"] == true)
        .filter_map(|item| Some(format!("“{}”", plain(item["question"].as_str()?))))
        .collect();
    let named = super::format::and(refused.get(..NAMED).unwrap_or(&refused));
    Some(match refused.len() {
        0 => "Nothing was refused.".to_owned(),
        1 => format!("Refused: {named}."),
        count if count > NAMED => format!("{count} were refused, the newest: {named}."),
        count => format!("{count} were refused: {named}."),
    })
}

/// Returns the agent that answers. `None` for the workspace's own agent, which answers for all.
fn itself(turn: &Turn<'_>) -> Option<String> {
    turn.request.planner.agent.as_ref().map(|agent| agent.handle.clone())
}

/// Returns whose changes the question asks for: those of an agent that it names, or those of the answering agent if it says "you".
pub(super) fn doer(turn: &Turn<'_>) -> Option<String> {
    let you = tokens(turn.question()).iter().any(|token| token.any(&["you", "your"]));
    named(turn.question()).or_else(|| itself(turn).filter(|_| you))
}

fn failed(done: &Done<'_>) -> Step {
    Answer::text(format!("I couldn't read the journal: {}.", done.problem())).following(talk::EXAMPLES).into()
}

fn told(content: &Json, agent: Option<&str>, when: Option<&str>) -> Answer {
    let items = content["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let who = agent.map_or_else(String::new, |handle| format!(" by @{handle}"));
    let when = when.map_or_else(String::new, |when| format!(" {when}"));
    if items.is_empty() {
        return Answer::text(format!("Nothing was done{who} for you{when}.")).following(talk::EXAMPLES);
    }
    let text = |item: &Json, key: &str| item[key].as_str().map(plain).unwrap_or_default();
    let made: usize = items.iter().filter_map(|item| item["changes"].as_array()).map(Vec::len).sum();
    let refused = items.iter().filter(|item| item["refused"] == true).count();
    let answered = items.len() - refused;
    let questions = if answered == 1 { "1 question".to_owned() } else { format!("{answered} questions") };
    let refusals = if refused == 0 { String::new() } else { format!(", {refused} refused") };
    let changes = match made {
        0 => "no change was made".to_owned(),
        1 => "1 change was made".to_owned(),
        more => format!("{more} changes were made"),
    };
    let line = |item: &Json| {
        let question = text(item, "question");
        let question = match item["session_id"].as_str() {
            Some(chat) => format!("[{}](/chat/{chat})", question.replace(['[', ']'], "")),
            None => question,
        };
        let by = if agent.is_some() { String::new() } else { format!("@{}, ", text(item, "agent")) };
        let status = match item["status"].as_str() {
            _ if item["refused"] == true => " (refused)".to_owned(),
            Some("done") | None => String::new(),
            Some(other) => format!(" ({other})"),
        };
        let sent: Vec<String> =
            item["changes"].as_array().into_iter().flatten().filter_map(Json::as_str).map(plain).collect();
        let sent = if sent.is_empty() { String::new() } else { format!(" Changed: {}.", sent.join("; ")) };
        format!("- {by}{}: {question}{status}.{sent}", text(item, "at"))
    };
    let lines: Vec<String> = items.iter().take(TOLD).map(line).collect();
    let more = if items.len() > TOLD || content["complete"] == false { "\n\nThe table has more." } else { "" };
    Answer::text(format!("{questions} answered{refusals}{who}{when}; {changes}.\n\n{}{more}", lines.join("\n")))
        .following(["What did I change today?", "What is waiting for my approval?"])
}

/// Reads "what did you do yesterday", "what has @reporter done this week", "show the journal". `None` if the question asks for something
/// else.
fn asked(text: &str) -> Option<Who> {
    const MOST: usize = 12;
    let all = tokens(text);
    let words: Vec<&Token> = all.iter().filter(|token| !matches!(token.kind, Kind::Punct(_))).collect();
    if words.len() > MOST {
        return None;
    }
    let named = named(text);
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|token| token.any(any));
    let asks = words
        .iter()
        .take(4)
        .any(|token| token.any(&["what", "which", "anything", "show", "list", "tell", "see", "open"]));
    if asks && words.iter().any(|token| token.any(&["journal", "diary", "logbook"])) {
        return Some(named.map_or(Who::You, Who::Named));
    }
    let doer = |at: usize| is(at, &["you"]) || named.as_deref().is_some_and(|handle| words[at].norm == handle);
    let at = (1..words.len()).find(|at| doer(*at) && is(at - 1, &["did", "have", "has", "had"]))?;
    let deed =
        is(at + 1, &["do", "done", "work", "worked"]) || is(at + 1, &["been"]) && is(at + 2, &["doing", "working"]);
    // The rest may say when, for whom or where, but it must not name a thing that was changed.
    let rest = words.iter().skip(at + 2);
    let open = rest.clone().all(|token| !token.any(&["to", "with", "about", "change", "floor", "revenue"]));
    (asks && deed && open).then(|| named.map_or(Who::You, Who::Named))
}

/// Returns an agent that the message names.
fn named(text: &str) -> Option<String> {
    let (_, after) = text.split_once('@')?;
    let handle: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    (!handle.is_empty()).then(|| handle.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_asked_in_many_words_and_what_changed_is_something_else() {
        for (text, wanted) in [
            ("what did you do yesterday?", Some(Who::You)),
            ("What have you done for me this week", Some(Who::You)),
            ("ok what did you work on today", Some(Who::You)),
            ("what have you been doing since Monday?", Some(Who::You)),
            ("show me the journal", Some(Who::You)),
            ("what did @reporter do yesterday?", Some(Who::Named("reporter".into()))),
            ("what did you do to the floor of Puzzle Game?", None),
            ("what did you change today?", None),
            ("what did AdMob do yesterday?", None),
            ("do you have numbers for Pangle?", None),
            ("what did you earn yesterday", None),
        ] {
            assert_eq!(asked(text), wanted, "{text}");
        }
    }

    #[test]
    fn entries_are_told_with_their_changes_and_a_way_to_their_chat() {
        let item = json!({
            "at": "2026-11-25 14:02", "agent": "desk", "question": "Pause *Banner* [x]", "summary": "Done.", "status": "done",
            "changes": ["Pause Banner"], "session_id": "s"
        });
        let answer = told(&json!({"items": [item], "complete": true}), None, Some("today")).text;
        assert!(
            answer.starts_with("1 question answered today; 1 change was made.\n\n- @desk, 2026-11-25 14:02: ["),
            "{answer}"
        );
        assert!(answer.ends_with("](/chat/s). Changed: Pause Banner."), "{answer}");
        let refused = json!({"at": "2026-11-25 14:02", "agent": "desk", "question": "Pause it", "refused": true, "status": "done"});
        let answer = told(&json!({"items": [refused]}), Some("keeper"), None).text;
        assert!(answer.starts_with("0 questions answered, 1 refused by @keeper; no change was made."), "{answer}");
        assert!(answer.ends_with("Pause it (refused)."), "{answer}");
        let none = told(&json!({"items": []}), Some("reporter"), None).text;
        assert_eq!(none, "Nothing was done by @reporter for you.");
    }
}
