//! To-dos in a chat: add, list, mark as done, move, assign, delete. Answers only say what the store has.

mod due;
mod matching;
mod told;
mod wish;
mod words;

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use self::wish::{Asked, Status, What, Whom, Wish};
use super::{
    Answer, Call, Step,
    format::plain,
    read::{Done, Turn},
};

const LIST: &str = "list_todos";
const CREATE: &str = "create_todo";
const UPDATE: &str = "update_todo";
const DELETE: &str = "delete_todo";
const MEMBERS: &str = "list_members";

pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    let wish = wish::wish(turn.question(), turn.today)?;
    let changed = turn.done.iter().rfind(|done| [CREATE, UPDATE, DELETE].contains(&done.name));
    if let Some(done) = changed {
        return Some(told::changed(done).into());
    }
    Some(match wish {
        Wish::List(asked) => list(turn, &asked),
        Wish::Add { text, due, whom } => add(turn, &text, due.map(|day| day.to_string()), &whom),
        Wish::Mark { what, done } => {
            one(turn, &what, if done { Status::Open } else { Status::Done }, UPDATE, |_| Ok(json!({"done": done})))
        }
        Wish::Move { what, due: Some(due) } => {
            one(turn, &what, Status::Open, UPDATE, |_| Ok(json!({"due": due.to_string()})))
        }
        Wish::Move { what, due: None } => one(turn, &what, Status::Open, UPDATE, |item| {
            let text = item["text"].as_str().map(plain).unwrap_or_default();
            Err(Answer::text(format!(
                "To which day should I move “{text}”? Say, for example, *move the to-do {text} to Monday*."
            ))
            .into())
        }),
        Wish::Delete { what } => one(turn, &what, Status::Open, DELETE, |_| Ok(json!({}))),
        Wish::Assign { what, whom } => {
            let assignee = match assignee(turn, &whom) {
                Ok(assignee) => assignee,
                Err(step) => return Some(*step),
            };
            one(turn, &what, Status::Open, UPDATE, |_| Ok(json!({"assignee": assignee})))
        }
    })
}

/// Checks whether a message is about the to-dos of the workspace, and about nothing else.
pub(crate) fn is_of_todos(text: &str, today: jiff::civil::Date) -> bool {
    wish::wish(text, today).is_some()
}

fn call(say: &str, name: &'static str, args: Json) -> Step {
    Step::Calls { say: say.to_owned(), calls: vec![Call { name: Cow::Borrowed(name), args }] }
}

fn last<'t>(turn: &'t Turn<'_>, name: &str) -> Option<&'t Done<'t>> {
    turn.done.iter().rfind(|done| done.name == name)
}

/// Returns the assignee in the form that the tools take. Looks up a name among the members first.
fn assignee(turn: &Turn<'_>, whom: &Whom) -> Result<String, Box<Step>> {
    let name = match whom {
        Whom::Me => return Ok("me".into()),
        Whom::Nobody => return Ok("nobody".into()),
        Whom::Named(name) => name,
    };
    let found = match last(turn, MEMBERS) {
        None => return Err(Box::new(call("Looking up who is in this workspace", MEMBERS, json!({})))),
        Some(done) if !done.ok => return Err(Box::new(told::failed(done).into())),
        Some(done) => done.content["items"].as_array().map(Vec::as_slice).unwrap_or_default(),
    };
    matching::person(name, found).map_err(|names| Box::new(told::nobody(name, &names).into()))
}

fn add(turn: &Turn<'_>, text: &str, due: Option<String>, whom: &Whom) -> Step {
    let assignee = match assignee(turn, whom) {
        Ok(assignee) => assignee,
        Err(step) => return *step,
    };
    let mut args = json!({"text": text, "assignee": assignee});
    if let Some(due) = due {
        args["due"] = due.into();
    }
    call("Preparing the to-do", CREATE, args)
}

fn list(turn: &Turn<'_>, asked: &Asked) -> Step {
    let mut args = json!({});
    if let Some(whom) = &asked.whom {
        args["assignee"] = match assignee(turn, whom) {
            Ok(assignee) => assignee.into(),
            Err(step) => return *step,
        };
    }
    if asked.status == Status::Done {
        args["status"] = "done".into();
    } else {
        for (key, day) in [("due_from", asked.from), ("due_to", asked.to)] {
            if let Some(day) = day {
                args[key] = day.to_string().into();
            }
        }
    }
    match last(turn, LIST) {
        None => call("Looking through the to-dos", LIST, args),
        Some(done) if !done.ok => told::failed(done).into(),
        Some(done) => told::listed(done.content, asked).into(),
    }
}

/// Calls a tool with the one to-do that the message means.
fn one(
    turn: &Turn<'_>,
    what: &What,
    status: Status,
    tool: &'static str,
    args: impl FnOnce(&Json) -> Result<Json, Step>,
) -> Step {
    let items = match last(turn, LIST) {
        None => {
            let wanted = if status == Status::Done { "done" } else { "open" };
            return call("Looking through the to-dos", LIST, json!({"status": wanted, "limit": 200}));
        }
        Some(done) if !done.ok => return told::failed(done).into(),
        Some(done) => done.content["items"].as_array().map(Vec::as_slice).unwrap_or_default(),
    };
    let said = turn.request.planner.history.iter().rfind(|entry| entry.role == "assistant");
    let found = matching::todo(&what.0, items, said.map_or("", |entry| entry.content.as_str()));
    let item = match found.as_slice() {
        [item] => *item,
        [] => return told::none(&what.0, items, status).into(),
        several => return told::several(turn.question(), &what.0, several).into(),
    };
    match args(item) {
        Ok(mut args) => {
            args["id"] = item["id"].clone();
            call("Preparing the change", tool, args)
        }
        Err(step) => step,
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::HistoryEntry;
    use adagent_domain::Network;

    use crate::{Capability, Outcome, Question, understand};

    fn question(text: &str, history: &[(&str, &str)]) -> Question {
        let entry = |(role, content): &(&str, &str)| HistoryEntry { role: (*role).into(), content: (*content).into() };
        Question {
            text: text.into(),
            history: history.iter().map(entry).collect(),
            connected: vec![Network::AdMob, Network::Unity],
            today: "2026-11-26".into(),
            ..Question::default()
        }
    }

    #[test]
    fn a_to_do_leads_to_no_network_whatever_it_names() {
        for text in
            ["remind me to check AppLovin floors on Friday", "what is open this week?", "mark check floors as done"]
        {
            let meant = understand(&question(text, &[]));
            assert_eq!(
                (meant.services.len(), meant.capability, meant.outcome),
                (0, Capability::Assistant, Outcome::Chat),
                "{text}"
            );
        }
    }

    #[test]
    fn a_question_goes_on_from_the_one_before_the_to_do() {
        let history = [
            ("user", "AdMob revenue last week"),
            ("assistant", "AdMob earned $10.00."),
            ("user", "remind me to check Unity floors tomorrow"),
            ("assistant", "I added “Check Unity floors”."),
        ];
        let meant = understand(&question("and by country?", &history));
        assert_eq!((meant.services.as_slice(), meant.capability), (&[Network::AdMob][..], Capability::Reporting));
    }
}
