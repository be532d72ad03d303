//! Documents in a chat: save an answer, search, list, open, write, move, delete. Answers only say what the store has.

mod matching;
mod told;
mod vocab;
mod wish;
mod words;

use std::borrow::Cow;

use adagent_contract::{HistoryEntry, MOST_DOCUMENT, MOST_DOCUMENT_TITLE, UNANSWERED, title_of, without_method};
use serde_json::{Value as Json, json};

use self::wish::{Added, Wish};
use super::{
    Answer, Call, Step, own,
    read::{Done, Turn},
};

const LIST: &str = "list_documents";
const SEARCH: &str = "search_documents";
const READ: &str = "read_document";
const CREATE: &str = "create_document";
const UPDATE: &str = "update_document";
const MOVE: &str = "move_document";
const DELETE: &str = "delete_document";

const FOLLOWING: [&str; 2] = ["Show our documents", "What was my revenue yesterday?"];

/// Checks whether a message is about the documents of the workspace, and about nothing else.
pub(crate) fn is_of_documents(text: &str) -> bool {
    wish::wish(text).is_some()
}

pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    let wish = wish::wish(turn.question())?;
    let changed = turn.done.iter().rfind(|done| [CREATE, UPDATE, MOVE, DELETE].contains(&done.name));
    if let Some(done) = changed {
        return Some(told::changed(done).into());
    }
    Some(match wish {
        Wish::Save { title, folder } => save(turn, title, folder),
        Wish::New { title, folder, text } => new(&title, folder, &text),
        Wish::Find { query } => find(turn, &query),
        Wish::List { folder } => list(turn, folder.as_deref()),
        Wish::Open { what } => open(turn, &what),
        Wish::Append { what, text } => append(turn, &what, text),
        Wish::Move { what, folder } => one(turn, &what, MOVE, json!({"folder": folder})),
        Wish::Rename { what, title } => one(turn, &what, UPDATE, json!({"title": title})),
        Wish::Delete { what } => one(turn, &what, DELETE, json!({})),
        Wish::Rewrite { what } => match meant(turn, &what, true) {
            Ok(item) => told::to_edit(item).into(),
            Err(step) => *step,
        },
        Wish::Restore => told::to_restore().into(),
        Wish::More { rest } => told::more(&rest).into(),
    })
}

fn call(say: &str, name: &'static str, args: Json) -> Step {
    Step::Calls { say: say.to_owned(), calls: vec![Call { name: Cow::Borrowed(name), args }] }
}

fn last<'t>(turn: &'t Turn<'_>, name: &str) -> Option<&'t Done<'t>> {
    turn.done.iter().rfind(|done| done.name == name)
}

/// Returns the newest answer that is not about documents, with its question.
fn answer_before<'t>(turn: &'t Turn<'_>) -> Option<(&'t HistoryEntry, &'t str)> {
    let history = &turn.request.planner.history;
    let at = (1..history.len()).rev().find(|at| {
        let (question, answer) = (&history[at - 1], &history[*at]);
        answer.role == "assistant" && question.role == "user" && !is_of_documents(&question.content)
    })?;
    let text = without_method(&history[at].content).trim();
    (!text.is_empty() && !text.starts_with(UNANSWERED)).then(|| (&history[at - 1], text))
}

/// Makes a title of the question before. If that question was a follow-up, the title comes from the whole question it means.
fn title_before(turn: &Turn<'_>, question: &HistoryEntry) -> String {
    let is_last = turn.request.planner.history.iter().rfind(|entry| entry.role == "user") == Some(question);
    let whole = if is_last { own::whole(turn) } else { None };
    title_of(whole.as_deref().unwrap_or(&question.content))
}

fn nothing_before() -> Step {
    Answer::text("There is no answer in this chat yet that I could save. Ask something first, then say *save this as a document*.")
        .following(FOLLOWING)
        .into()
}

fn too_long() -> Step {
    Answer::text(format!(
        "The answer before is longer than a document may be ({MOST_DOCUMENT} bytes). I saved nothing."
    ))
    .following(FOLLOWING)
    .into()
}

fn save(turn: &Turn<'_>, title: Option<String>, folder: Option<String>) -> Step {
    let Some((question, text)) = answer_before(turn) else { return nothing_before() };
    if text.len() > MOST_DOCUMENT {
        return too_long();
    }
    let title = title.unwrap_or_else(|| title_before(turn, question));
    let title: String = title.chars().take(MOST_DOCUMENT_TITLE).collect();
    let mut args = json!({"title": title, "text": text});
    if let Some(folder) = folder {
        args["folder"] = folder.into();
    }
    call("Preparing the document", CREATE, args)
}

fn new(title: &str, folder: Option<String>, text: &str) -> Step {
    if title.is_empty() {
        return Answer::text("What should the document be called, and what should it say? Write, for example, *create a document called Floor plan: US floors stay at $9*.")
            .following(FOLLOWING)
            .into();
    }
    let title: String = title.chars().take(MOST_DOCUMENT_TITLE).collect();
    let mut args = json!({"title": title, "text": text});
    if let Some(folder) = folder {
        args["folder"] = folder.into();
    }
    call("Preparing the document", CREATE, args)
}

/// Returns the words to search for. A plural loses its "s", because the search also matches the beginning of a word: "floors" then finds
/// "floor" too.
fn asked(query: &str) -> String {
    let shorter = query.strip_suffix('s').filter(|rest| rest.chars().count() > 3 && !rest.ends_with('s'));
    shorter.unwrap_or(query).chars().take(200).collect()
}

fn find(turn: &Turn<'_>, query: &str) -> Step {
    match last(turn, SEARCH) {
        None => call("Searching the documents", SEARCH, json!({"query": asked(query)})),
        Some(done) if !done.ok => told::failed(done).into(),
        Some(done) => told::found(query, done.content).into(),
    }
}

fn list(turn: &Turn<'_>, folder: Option<&str>) -> Step {
    match last(turn, LIST) {
        None => {
            let args = folder.map_or_else(|| json!({}), |folder| json!({"folder": folder}));
            call("Looking through the documents", LIST, args)
        }
        Some(done) if !done.ok => told::failed(done).into(),
        Some(done) => told::listed(done.content, folder).into(),
    }
}

/// Returns the document that the text means. `Err` holds the next step or an answer instead.
fn meant<'t>(turn: &'t Turn<'_>, what: &str, changes: bool) -> Result<&'t Json, Box<Step>> {
    let items = match last(turn, LIST) {
        None => return Err(Box::new(call("Looking through the documents", LIST, json!({"limit": 200})))),
        Some(done) if !done.ok => return Err(Box::new(told::failed(done).into())),
        Some(done) => done.content["items"].as_array().map(Vec::as_slice).unwrap_or_default(),
    };
    let said = turn.request.planner.history.iter().rfind(|entry| entry.role == "assistant");
    let found = matching::document(what, items, said.map_or("", |entry| entry.content.as_str()));
    match found.as_slice() {
        [item] => Ok(*item),
        [] => Err(Box::new(told::none(what, items, changes).into())),
        several => Err(Box::new(told::several(turn.question(), what, several, changes).into())),
    }
}

/// Calls a tool with the document that the text means.
fn one(turn: &Turn<'_>, what: &str, tool: &'static str, mut args: Json) -> Step {
    match meant(turn, what, true) {
        Ok(item) => {
            args["id"] = item["id"].clone();
            call("Preparing the change", tool, args)
        }
        Err(step) => *step,
    }
}

fn open(turn: &Turn<'_>, what: &str) -> Step {
    if let Some(done) = last(turn, READ) {
        return if done.ok { told::opened(done.content).into() } else { told::failed(done).into() };
    }
    match meant(turn, what, false) {
        Ok(item) => call("Reading the document", READ, json!({"id": item["id"]})),
        Err(step) => *step,
    }
}

fn append(turn: &Turn<'_>, what: &str, added: Added) -> Step {
    let text = match added {
        Added::Text(text) if text.is_empty() => {
            return Answer::text("What should I add? Write it after a colon: *add to the document Floors: US stays at $9*. I changed nothing.")
                .following(FOLLOWING)
                .into();
        }
        Added::Text(text) => text,
        Added::Answer => match answer_before(turn) {
            None => return nothing_before(),
            Some((_, text)) if text.len() > MOST_DOCUMENT => return too_long(),
            Some((_, text)) => text.to_owned(),
        },
    };
    one(turn, what, UPDATE, json!({"append": text}))
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
    fn a_document_leads_to_no_network_whatever_it_names() {
        for text in
            ["what do we have on AppLovin floors?", "save this in /admob", "add to the document X: Unity revenue"]
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
    fn a_question_goes_on_from_the_one_before_the_document() {
        let history = [
            ("user", "AdMob revenue last week"),
            ("assistant", "AdMob earned $10.00."),
            ("user", "save this in /unity"),
            ("assistant", "I saved “AdMob revenue last week”."),
        ];
        let meant = understand(&question("and by country?", &history));
        assert_eq!((meant.services.as_slice(), meant.capability), (&[Network::AdMob][..], Capability::Reporting));
    }

    #[test]
    fn a_plural_is_looked_for_by_its_beginning() {
        assert_eq!(super::asked("floors"), "floor");
        assert_eq!(super::asked("US"), "US");
        assert_eq!(super::asked("loss"), "loss");
    }
}
