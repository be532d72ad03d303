//! This program's own tools: the changes of a person's chats, and saved questions to ask again.

use std::borrow::Cow;

use jiff::civil::Date;
use serde_json::{Value as Json, json};

use super::{
    Answer, Call, Step,
    format::{and, plain, spoken},
    journal::{self, doer},
    names,
    read::{Done, Turn},
    report::{
        metric::{Dim, Metric},
        spec::period,
    },
    talk, unmade,
};
use crate::dates::periods;
use crate::text::{Kind, Token, tokens};
use crate::{Capability, Comparison, FilterValue, Question, Slots, understand};

const LIST: &str = "list_changes";
const SAVE: &str = "save_question";
const SAVED: &str = "list_saved_questions";

/// What a message wants with saved questions. Each question is saved once.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Keep { question: String, pinned: bool },
    Show,
}

/// Lists changes. If `outcome` or the question names an outcome, lists only the changes with that outcome.
pub(super) fn changes(turn: &Turn<'_>, outcome: Option<&str>) -> Step {
    let mut args = json!({});
    let found = periods(&tokens(turn.question()), turn.today);
    let when = found.first().map(|period| spoken(period.span.from, period.span.to, turn.today));
    if let Some(period) = found.first() {
        args["from"] = period.span.from.to_string().into();
        args["to"] = period.span.to.to_string().into();
    }
    if let Some(agent) = doer(turn) {
        args["agent"] = agent.into();
    }
    let outcome = outcome.or_else(|| became(&tokens(turn.question())));
    if let Some(outcome) = outcome {
        args["outcome"] = outcome.into();
    }
    let beside = journal::beside(turn, &args);
    match turn.done.iter().rfind(|done| done.name == LIST) {
        None => {
            let mut step = read("Looking through the changes of your chats", LIST, args);
            if let Step::Calls { calls, .. } = &mut step {
                calls.extend(beside);
            }
            step
        }
        Some(done) if !done.ok => failed(done),
        Some(done) => {
            let mut answer = told(done.content, (outcome, args["agent"].as_str()), when.as_deref());
            if let Some(refused) = beside.and_then(|_| journal::refusals(turn)) {
                answer.text = format!("{refused} {}", answer.text);
            }
            answer.into()
        }
    }
}

/// Returns the outcome of the changes that the question asks for. "What did I approve", for example, does not ask for changes that still
/// wait.
fn became(tokens: &[Token]) -> Option<&'static str> {
    let has = |words: &[&str]| tokens.iter().any(|token| token.any(words));
    [
        ("made", &["approve", "approved", "sent", "live"][..]),
        ("failed", &["fail", "failed", "failing"]),
        ("denied", &["deny", "denied", "rejected", "declined"]),
        ("waiting", &["waiting", "pending"]),
    ]
    .into_iter()
    .find(|(_, words)| has(words))
    .map(|(outcome, _)| outcome)
}

fn read(say: &str, name: &'static str, args: Json) -> Step {
    Step::Calls { say: say.to_owned(), calls: vec![Call { name: Cow::Borrowed(name), args }] }
}

fn failed(done: &Done<'_>) -> Step {
    let problem = plain(&done.problem());
    Answer::text(format!("I couldn't do that: {problem}.")).following(talk::EXAMPLES).into()
}

/// Counts the changes of each outcome. A table with all of them follows.
fn told(content: &Json, (outcome, agent): (Option<&str>, Option<&str>), when: Option<&str>) -> Answer {
    const ELSEWHERE: &str = "Changes that people made on a network's own site aren't recorded here.";
    let by = agent.map_or_else(String::new, |handle| format!(" by @{handle}"));
    let when = format!("{by}{}", when.map_or_else(String::new, |when| format!(" {when}")));
    let items = content["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        let what = match outcome {
            Some("waiting") => "No change is waiting for approval",
            Some("made") => "No change was made from your chats",
            Some("failed") => "No change failed",
            Some("denied") => "No change was denied",
            _ => "No change was drafted in your chats",
        };
        return Answer::text(format!("{what}{when}. {ELSEWHERE}")).following(talk::EXAMPLES);
    }
    let count = |of: &str| items.iter().filter(|item| item["outcome"] == of).count();
    let named = [
        ("made", "made"),
        ("undone", "made and undone later"),
        ("asked_again", "asked again on a newer card"),
        ("waiting", "waiting for approval"),
        ("denied", "denied"),
        ("failed", "not made"),
        ("unknown", "with an unknown outcome"),
        ("expired", "expired"),
        ("canceled", "canceled"),
    ];
    let parts: Vec<String> = named
        .iter()
        .map(|(id, words)| (count(id), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let all = content["count"].as_u64().unwrap_or(items.len() as u64);
    let changes = if all == 1 { "1 change".to_owned() } else { format!("{all} changes") };
    let newest = items[0]["change"].as_str().map(plain).unwrap_or_default();
    let shown =
        if all > items.len() as u64 { format!(" The newest {} are shown.", items.len()) } else { String::new() };
    Answer::text(format!(
        "{changes}{when}: {}.{shown} The newest is “{newest}”. Each has its card on the [Approvals](/approvals) page. {ELSEWHERE}",
        and(&parts)
    ))
    .following(["What is waiting for my approval?", "What was my revenue yesterday?"])
}

/// Handles "save this question", "pin it to home", "show my saved questions". `None` if the question asks for something else.
pub(super) fn saving(turn: &Turn<'_>) -> Option<Step> {
    let last = last_question(turn);
    match wish(turn.question(), last.as_ref().map(|(_, text)| *text))? {
        Wish::Keep { question, .. } if last.as_ref().is_some_and(|(_, text)| *text == question) && whole(turn).is_none() => Some(
            Answer::text("That question goes on from the one before it, so by itself it would ask something else. Write all of it after *Save the question:*.")
                .following(talk::EXAMPLES)
                .into(),
        ),
        Wish::Show => Some(match turn.done.iter().rfind(|done| done.name == SAVED) {
            None => read("Looking up your saved questions", SAVED, json!({})),
            Some(done) if !done.ok => failed(done),
            Some(done) => listed(done.content).into(),
        }),
        Wish::Keep { question, pinned } => Some(match turn.done.iter().rfind(|done| done.name == SAVE) {
            None if question.is_empty() => {
                Answer::text("Which question should I save? Write it after *Save the question:*, or ask it first and then say *save this question*.")
                    .following(talk::EXAMPLES)
                    .into()
            }
            None => {
                let own = last.is_none_or(|(_, text)| text != question);
                let question = if own { question } else { whole(turn).unwrap_or(question) };
                read("Preparing to save it", SAVE, json!({"question": question, "pinned": pinned}))
            }
            Some(done) if done.ok => kept(done).into(),
            Some(done) if done.waits_already() => {
                unmade::waiting(done).following(["Show my saved questions"]).into()
            }
            Some(done) if done.denied() => Answer::text("I didn't save the question.").following(talk::EXAMPLES).into(),
            Some(done) => failed(done),
        }),
    }
}

/// Returns the person's message before this one, with its position in the history.
fn last_question<'t>(turn: &'t Turn<'_>) -> Option<(usize, &'t str)> {
    let entries = turn.request.planner.history.iter().enumerate().rev();
    entries.filter(|(_, entry)| entry.role == "user").map(|(at, entry)| (at, entry.content.trim())).next()
}

/// Writes the question before in words that need no history: "and by country?" is saved with its full meaning. `None` if one sentence can't
/// express that.
pub(super) fn whole(turn: &Turn<'_>) -> Option<String> {
    let context = &turn.request.planner;
    let (at, text) = last_question(turn)?;
    let meant = understand(&Question {
        text: text.to_owned(),
        history: context.history.get(..at).unwrap_or_default().to_vec(),
        connected: context.connected.clone(),
        disabled: context.disabled.clone(),
        today: context.today.clone(),
        entities: context.entities.clone(),
        connections: context.connections.clone(),
        own_tools: context.own_tools.clone(),
        colleagues: context.colleagues.clone(),
    });
    if meant.standalone.trim() == text {
        return Some(text.to_owned());
    }
    let slots = meant.slots.clone().filter(|_| meant.capability == Capability::Reporting)?;
    let all = meant.services.len() > 1 && context.connected.iter().all(|network| meant.services.contains(network));
    let whose: Vec<String> = meant.services.iter().map(|network| network.display_name().to_owned()).collect();
    let metrics: Option<Vec<String>> =
        slots.metrics.iter().map(|slot| Metric::parse_any(slot).map(Metric::word)).collect();
    let dims: Option<Vec<String>> = slots.dimensions.iter().map(|slot| Dim::parse_any(slot).map(Dim::word)).collect();
    let only: Option<Vec<String>> = slots
        .filters
        .iter()
        .map(|filter| match (filter.field.as_str(), &filter.value) {
            ("country", FilterValue::In(of)) => {
                Some(format!("in {}", and(&of.iter().map(|code| names::country_label(code)).collect::<Vec<_>>())))
            }
            ("platform", FilterValue::In(of)) => Some(format!(
                "on {}",
                and(&of.iter().map(|own| names::platform_label(own).to_owned()).collect::<Vec<_>>())
            )),
            ("app", FilterValue::In(of)) => Some(format!("for {}", and(of))),
            ("format", FilterValue::In(of)) => Some(format!("for {} ads", and(of).replace('_', " ").to_lowercase())),
            _ => None,
        })
        .collect();
    let (dims, only) = (dims?, only?);
    let by = if dims.is_empty() { String::new() } else { format!(" by {}", and(&dims)) };
    let only = if only.is_empty() { String::new() } else { format!(" {}", only.join(" ")) };
    let (days, assumed) = period(&slots, turn.today);
    let when = if assumed { "last 7 days".to_owned() } else { spoken(days.from, days.to, turn.today) };
    let top = slots.limit.map_or_else(String::new, |limit| format!(", top {limit}"));
    let whose = if all || whose.is_empty() { "Total".to_owned() } else { and(&whose) };
    let versus = slots.compare_to.as_ref().map_or_else(|| Some(String::new()), |other| versus(other, turn.today))?;
    let text = format!("{whose} {}{only} {when}{by}{top}{versus}", and(&metrics?));
    // Save the sentence only if we understand it in the same way as the question.
    let again = understand(&Question {
        text: text.clone(),
        history: Vec::new(),
        connected: context.connected.clone(),
        disabled: context.disabled.clone(),
        today: context.today.clone(),
        entities: context.entities.clone(),
        connections: context.connections.clone(),
        own_tools: context.own_tools.clone(),
        colleagues: context.colleagues.clone(),
    });
    let days = |slots: &Slots| slots.compare_to.as_ref().map(|other| (other.date_from.clone(), other.date_to.clone()));
    let same = again.slots.is_some_and(|own| days(&own) == days(&slots) && own.dimensions == slots.dimensions);
    (versus.is_empty() || same).then_some(text)
}

/// Returns " compared with the week before".
fn versus(other: &Comparison, today: Date) -> Option<String> {
    let words = match other.kind.as_str() {
        "previous_year" => "the same period last year",
        "previous_month" => "the month before",
        "same_day_last_week" => "the same day last week",
        "previous_week" => "the week before",
        "previous_day" => "the day before",
        "previous_quarter" => "the quarter before",
        "previous_period" => "the period before",
        _ => {
            let (from, to) = (other.date_from.parse().ok()?, other.date_to.parse().ok()?);
            return Some(format!(" compared with {}", spoken(from, to, today)));
        }
    };
    Some(format!(" compared with {words}"))
}

fn kept(done: &Done<'_>) -> Answer {
    let item = &done.content["item"];
    let title = item["title"].as_str().map(plain).unwrap_or_default();
    let pinned = item["pinned"] == true;
    let home =
        if pinned { " Its newest answer is on [Home](/)." } else { " You find it on [Home](/), where you can pin it." };
    Answer::text(format!("I saved “{title}”.{home}")).following(["Show my saved questions"])
}

fn listed(content: &Json) -> Answer {
    let items = content["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return Answer::text("You have no saved questions. *Save* under an answer keeps its question.")
            .following(talk::EXAMPLES);
    }
    let line = |item: &Json| {
        let question = item["question"].as_str().map(plain).unwrap_or_default();
        let home = if item["pinned"] == true { ", on Home" } else { "" };
        format!("- {question}{home}")
    };
    let lines: Vec<String> = items.iter().map(line).collect();
    let questions = if items.len() == 1 { "1 saved question" } else { "saved questions" };
    let count = if items.len() == 1 { String::new() } else { format!("{} ", items.len()) };
    let first = items.iter().filter_map(|item| item["question"].as_str()).take(3).map(str::to_owned);
    Answer::text(format!("You have {count}{questions}:\n\n{}", lines.join("\n"))).following(first.collect::<Vec<_>>())
}

/// Words that lead to a name.
const NAMED: [&str; 4] = ["called", "named", "titled", "as"];

/// Returns what the person asked for but we don't save with a question: a name for it.
pub(super) fn not_used(tool: &str, text: &str) -> Vec<String> {
    if tool != SAVE {
        return Vec::new();
    }
    let all = tokens(text);
    let named = all.iter().position(|token| token.any(&NAMED)).and_then(|at| all.get(at + 1));
    let name = named
        .and_then(|first| text.get(first.start..))
        .map(|name| name.trim().trim_matches(['"', '“', '”', '.', '\'']));
    let asks = wish(text, Some("?")).is_some_and(|wish| matches!(wish, Wish::Keep { .. }));
    name.filter(|name| asks && !name.is_empty()).map(str::to_owned).into_iter().collect()
}

/// Checks whether the person asks for the saved questions: "my saved questions", "which questions did I save".
fn shows_kept(words: &[&Token]) -> bool {
    let kept = ["saved", "pinned", "bookmarked", "kept", "bookmarks", "favorites", "favorite"];
    let has = |any: &[&str]| words.iter().any(|token| token.any(any));
    let question = has(&["question", "questions", "queries"]);
    let show = ["show", "list", "what", "which", "my", "see", "where", "any", "all", "open", "have"];
    let asks = words.iter().take(4).any(|token| token.any(&show));
    let did = has(&["save", "pin", "bookmark"]) && has(&["did", "have", "i", "we"]);
    let short = words.len() <= 4 && has(&["bookmarks", "saved", "favorites", "pinned"]) && has(&["my", "show", "list"]);
    // "my saved reports" means other saved things.
    let other =
        words.iter().any(|token| token.any(&["report", "reports", "view", "views", "ad", "unit", "app", "apps"]));
    !other && (question && (has(&kept) && (asks || words.len() <= 3) || did && asks) || short)
}

/// Reads what a message wants with saved questions. `before` is the person's message before this one.
fn wish(text: &str, before: Option<&str>) -> Option<Wish> {
    let all = tokens(text);
    let words: Vec<&Token> = all.iter().filter(|token| !matches!(token.kind, Kind::Punct(_))).collect();
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|token| token.any(any));
    // Only polite words may precede the verb.
    let polite = [
        "please", "can", "could", "would", "you", "now", "ok", "okay", "and", "also", "i", "d", "id", "want", "like",
        "to", "let", "us", "me", "lets", "pls",
    ];
    let start = words.iter().position(|token| !token.any(&polite))?;
    let home = ["home", "homepage", "dashboard"];
    let puts = is(start, &["add", "put", "show"]) && words[start..].iter().any(|token| token.any(&home));
    if !is(start, &["save", "pin", "keep", "bookmark", "remember", "store", "favorite"]) && !puts {
        return shows_kept(&words).then_some(Wish::Show);
    }
    let pinned = puts
        || is(start, &["pin"])
        || words.iter().any(|token| token.any(&["home", "homepage", "dashboard", "pinned"]));
    // Text after a colon or in quotes is the question itself.
    if let Some((lead, rest)) = text.split_once(':')
        && tokens(lead).iter().any(|token| token.any(&["question"]))
        && !rest.trim().is_empty()
    {
        return Some(Wish::Keep { question: rest.trim().trim_matches(['"', '“', '”']).to_owned(), pinned });
    }
    let pointing = [
        "this",
        "that",
        "the",
        "it",
        "my",
        "last",
        "previous",
        "question",
        "to",
        "on",
        "home",
        "homepage",
        "page",
        "for",
        "later",
        "as",
        "a",
        "and",
        "pin",
        "please",
        "pls",
        "now",
        "again",
        "one",
        "dashboard",
        "screen",
        "me",
        "favorite",
        "in",
        "i",
        "just",
        "asked",
        "query",
    ];
    // A name is not part of the question. The card says what the question will be called.
    let called = words.iter().skip(start + 1).position(|token| token.any(&NAMED));
    let rest = &words[start + 1..called.map_or(words.len(), |at| start + 1 + at)];
    // A text in quotes is the question itself.
    if let Some(own) = rest.iter().find(|token| token.kind == Kind::Literal)
        && rest.iter().all(|token| token.kind == Kind::Literal || token.any(&pointing))
    {
        let question = text.get(own.start..own.end).unwrap_or_default().trim_matches(['"', '“', '”', '\'', ' ']);
        return Some(Wish::Keep { question: question.to_owned(), pinned });
    }
    // "save the question revenue by app last week": the text after the word "question" is the question.
    let named = rest.iter().position(|token| token.any(&["question"])).filter(|at| *at <= 2);
    let told = named.and_then(|at| rest.get(at + 1..)).filter(|told| !told.is_empty() && !told[0].any(&pointing));
    if let Some(first) = told.and_then(|told| told.first()) {
        let question = text.get(first.start..).unwrap_or_default().trim().trim_matches(['"', '“', '”', '\'']);
        return Some(Wish::Keep { question: question.to_owned(), pinned });
    }
    let only = rest.iter().all(|token| token.any(&pointing));
    let about = rest.iter().any(|token| token.any(&["question", "query"])) || pinned;
    let it = rest.first().is_some_and(|token| token.any(&["this", "that", "it"]));
    (only && !rest.is_empty() && (about || it && rest.len() <= 5))
        .then(|| Wish::Keep { question: before.unwrap_or_default().trim().to_owned(), pinned })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_kept_only_where_that_is_asked() {
        let keep = |question: &str, pinned| Some(Wish::Keep { question: question.into(), pinned });
        let before = Some("Revenue by app, last 7 days");
        for (text, wanted) in [
            ("save this question", keep("Revenue by app, last 7 days", false)),
            ("Please save it", keep("Revenue by app, last 7 days", false)),
            ("can you pin that to home?", keep("Revenue by app, last 7 days", true)),
            ("Save the question: eCPM by country yesterday?", keep("eCPM by country yesterday?", false)),
            ("show my saved questions", Some(Wish::Show)),
            ("what are my saved questions?", Some(Wish::Show)),
            ("bookmark this", keep("Revenue by app, last 7 days", false)),
            ("save that for later please", keep("Revenue by app, last 7 days", false)),
            ("put this on my home page", keep("Revenue by app, last 7 days", true)),
            ("add it to home", keep("Revenue by app, last 7 days", true)),
            ("I'd like to save this question", keep("Revenue by app, last 7 days", false)),
            ("remember my last question", keep("Revenue by app, last 7 days", false)),
            ("keep the question I just asked", keep("Revenue by app, last 7 days", false)),
            ("pin this", keep("Revenue by app, last 7 days", true)),
            ("save the question revenue by country last week", keep("revenue by country last week", false)),
            ("save it as weekly revenue", keep("Revenue by app, last 7 days", false)),
            ("save \"eCPM by format yesterday\" to home", keep("eCPM by format yesterday", true)),
            ("do I have saved questions", Some(Wish::Show)),
            ("which questions did I save?", Some(Wish::Show)),
            ("do I have any saved questions", Some(Wish::Show)),
            ("saved questions", Some(Wish::Show)),
            ("show me the questions I saved", Some(Wish::Show)),
            ("list my bookmarks", Some(Wish::Show)),
            ("where are my pinned questions?", Some(Wish::Show)),
            ("show my saved", Some(Wish::Show)),
            ("list my saved reports", None),
            ("show revenue on my home page apps", None),
            ("add a banner to Home Screen in Puzzle Game", None),
            ("save the ad unit", None),
            ("keep the floor at $5", None),
            ("pin the floor of Puzzle Game to $5", None),
            ("save 10% on the waterfall", None),
            ("What was my revenue yesterday?", None),
        ] {
            assert_eq!(wish(text, before), wanted, "{text}");
        }
        assert_eq!(wish("save this question", None), keep("", false));
        assert_eq!(not_used(SAVE, "save it as weekly revenue"), ["weekly revenue"]);
        assert_eq!(not_used(SAVE, "save this question"), Vec::<String>::new());
    }

    #[test]
    fn what_was_changed_is_counted_by_what_became_of_it() {
        let item = |outcome: &str| json!({"change": "Pause *Banner*", "outcome": outcome});
        let content = json!({"items": [item("made"), item("made"), item("waiting")], "count": 3});
        let text = told(&content, (None, None), Some("today")).text;
        assert!(text.starts_with("3 changes today: 2 made and 1 waiting for approval."), "{text}");
        let content = json!({"items": [item("made"), item("undone"), item("asked_again")], "count": 3});
        let text = told(&content, (None, Some("keeper")), Some("this week")).text;
        let all = "3 changes by @keeper this week: 1 made, 1 made and undone later and 1 asked again on a newer card.";
        assert!(text.starts_with(all), "every change is counted once: {text}");
        let none = told(&json!({"items": [], "count": 0}), (Some("waiting"), None), None).text;
        assert!(none.starts_with("No change is waiting for approval."), "{none}");
    }
}
