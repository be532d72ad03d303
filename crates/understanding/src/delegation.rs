//! Reads messages that give a task to another agent: "ask @reporter for yesterday's revenue, and let @floors raise the floor of Home".
//!
//! Two things count: the name of an agent, and a verb that gives a task, at the beginning of the message or of its next part. This module
//! must never read an agent's name as a task for it if the message gives it none.

use std::ops::Range;

use adagent_contract::HistoryEntry;
use adagent_domain::Cut as _;
use adagent_llm::Colleague;

use crate::{
    text::{Kind, Token, tokens},
    types::{Task, Understood},
    vocab::verbs::WRITES,
    wish::is_open,
};

/// Verbs whose object is an agent.
const HANDS: [&str; 23] = [
    "ask",
    "tell",
    "have",
    "let",
    "get",
    "instruct",
    "frag",
    "frage",
    "bitte",
    "sag",
    "sage",
    "lass",
    "lasse",
    "pide",
    "pídele",
    "pidele",
    "pregunta",
    "pregúntale",
    "preguntale",
    "dile",
    "di",
    "demande",
    "vraag",
];
/// Verbs that mostly hand over nothing: "get floors by country" names no agent @floors.
const EVERYDAY: [&str; 7] = ["have", "let", "get", "bitte", "lass", "lasse", "di"];
/// Verbs that name the task before the agent: "delegate the report to @reporter".
const GIVES: [&str; 9] = ["delegate", "hand", "give", "pass", "forward", "assign", "übergib", "delegiere", "delega"];
/// Words that may occur between the verb and the agent.
const BETWEEN: [&str; 17] = [
    "the", "my", "our", "agent", "a", "an", "al", "el", "la", "den", "die", "das", "dem", "der", "unseren", "meinen",
    "to",
];
/// Words that lead from the agent to the task and are not a part of it.
const LEADS: [&str; 14] =
    ["to", "for", "about", "that", "please", "nach", "zu", "dass", "que", "por", "sobre", "mal", "bitte", "um"];
/// Words that lead from the agent to a thing instead of to something that it does.
const THINGS: [&str; 8] = ["for", "about", "nach", "um", "por", "sobre", "over", "naar"];
const POLITE: [&str; 12] =
    ["please", "pls", "can", "could", "would", "will", "you", "hey", "hi", "bitte", "kannst", "du"];
const JOINTS: [&str; 8] = ["and", "then", "also", "und", "dann", "y", "luego", "e"];

/// A place in the text that gives a task to agents.
struct Place {
    /// The token of the verb.
    from: usize,
    /// The first token after the agents.
    to: usize,
    agents: Vec<String>,
    /// The tokens of the task, if the text names it before the agent.
    before: Option<Range<usize>>,
}

/// Checks whether a text may give a task to agents: it has an `@`, or a verb that gives a task stands where one is read. What this denies,
/// [`meant`] finds in no text, whichever agents there are.
pub(crate) fn may_be_meant(text: &str) -> bool {
    if text.contains('@') {
        return true;
    }
    let words = tokens(text);
    let gives = |at: usize| words.get(at).is_some_and(|word| word.any(&HANDS) || word.any(&GIVES));
    (0..words.len()).filter(|at| *at == 0 || is_joined(&words, *at)).any(|at| gives(at) || gives(begins(&words, at)))
}

/// Checks whether the next part of a message may begin here.
fn is_joined(words: &[Token], at: usize) -> bool {
    at > 0 && (words[at - 1].any(&JOINTS) || matches!(words[at - 1].kind, Kind::Punct(',' | ';' | '.')))
}

/// Returns the tasks that the text gives to agents. `None` if it gives none.
pub(crate) fn meant(text: &str, colleagues: &[Colleague]) -> Option<Vec<Task>> {
    // Most messages name no agent.
    if colleagues.is_empty() && !text.contains('@') {
        return None;
    }
    let words = tokens(text);
    let mut tasks = Vec::new();
    let mut places = places(text, &words, colleagues)?.into_iter().peekable();
    while let Some(place) = places.next() {
        let end = places.peek().map_or(words.len(), |next| next.from);
        let range = place.before.unwrap_or_else(|| led(&words, place.to, end));
        let said = written(text, &words, range);
        tasks.extend(place.agents.into_iter().map(|agent| Task { agent, text: said.clone() }));
    }
    Some(tasks)
}

/// Returns the places that give a task, in their order. `None` if the text does not begin with one.
fn places(text: &str, words: &[Token], colleagues: &[Colleague]) -> Option<Vec<Place>> {
    let place = |at: usize| {
        let here = |from: usize| self::place(text, words, from, colleagues);
        here(at).or_else(|| here(begins(words, at)))
    };
    let mut all = vec![place(0)?];
    loop {
        let from = all.last().map_or(0, |last| last.to);
        match (from..words.len()).find_map(|at| is_joined(words, at).then(|| place(at)).flatten()) {
            Some(next) => all.push(next),
            None => return Some(all),
        }
    }
}

/// Splits off what follows the last task and is no part of it: "ask @reporter for revenue, then pause Home". An agent that is asked for a
/// thing gets no order after it. An agent that is asked to do something may get several: "ask @floors to list them, then pause Home".
pub(crate) fn apart<'t>(text: &'t str, colleagues: &[Colleague]) -> Option<(&'t str, &'t str)> {
    if colleagues.is_empty() && !text.contains('@') {
        return None;
    }
    let words = tokens(text);
    let last = places(text, &words, colleagues)?.pop()?;
    let thing = last.before.is_some() || words.get(last.to).is_some_and(|word| word.any(&THINGS));
    let orders = |at: usize| {
        let verb = begins(&words, at);
        WRITES.at(&words, verb).is_some_and(|(_, length)| verb + length < words.len())
    };
    let at = (last.to + 1..words.len()).filter(|_| thing).find(|at| is_joined(&words, *at) && orders(*at))?;
    let mut end = at;
    while end > last.to && (words[end - 1].any(&JOINTS) || matches!(words[end - 1].kind, Kind::Punct(',' | ';' | '.')))
    {
        end -= 1;
    }
    Some((text.cut(..words[end.checked_sub(1)?].end), text.cut(words[at].start..)))
}

/// The longest reply to an agent's question, in words. A longer message asks something of its own.
const MOST_REPLY: usize = 8;

/// Returns a short reply as a task for the agent that asked the question.
pub(crate) fn answered(text: &str, history: &[HistoryEntry], colleagues: &[Colleague]) -> Option<Vec<Task>> {
    let [.., asked, said] = history else { return None };
    let asks_back = said.role == "assistant" && is_open(&said.content) && said.content.contains('?');
    if asked.role != "user" || !asks_back {
        return None;
    }
    let tasks = meant(&asked.content, colleagues)
        .or_else(|| answered(&asked.content, &history[..history.len() - 2], colleagues))?;
    let [task] = tasks.as_slice() else { return None };
    let words = tokens(text);
    let first = words.first()?;
    let fresh =
        words.len() > MOST_REPLY || first.any(&["what", "how", "which", "who", "why", "show", "list", "no", "never"]);
    (!fresh).then(|| vec![Task { agent: task.agent.clone(), text: text.trim().to_owned() }])
}

fn begins(words: &[Token], mut at: usize) -> usize {
    while words.get(at).is_some_and(|word| word.any(&POLITE) || word.is_punct(',')) {
        at += 1;
    }
    at
}

/// Reads the task that the verb at `from` gives.
fn place(text: &str, words: &[Token], from: usize, colleagues: &[Colleague]) -> Option<Place> {
    let verb = words.get(from)?;
    if verb.any(&HANDS) {
        let mut at = from + 1;
        while words.get(at).is_some_and(|word| word.any(&BETWEEN)) && agent(text, words, at, colleagues).is_none() {
            at += 1;
        }
        let sure = !verb.any(&EVERYDAY) || is_clear(text, words, at, colleagues);
        if let Some((agents, to)) = agents(text, words, at, colleagues).filter(|_| sure) {
            return Some(Place { from, to, agents, before: None });
        }
    }
    if !verb.any(&GIVES) {
        return None;
    }
    // "delegate yesterday's report to @reporter"
    let to = (from + 1..words.len())
        .find(|at| words[*at].any(&["to", "an", "a"]) && is_clear(text, words, at + 1, colleagues))?;
    let (agents, end) = agents(text, words, to + 1, colleagues)?;
    let before = (to > from + 1).then_some(from + 1..to);
    Some(Place { from, to: end, agents, before })
}

/// Whether an agent is named here in a way that means nothing else: with an `@`, behind the word "agent", or by a name of several words.
fn is_clear(text: &str, words: &[Token], at: usize, colleagues: &[Colleague]) -> bool {
    let named = at.checked_sub(1).is_some_and(|before| words[before].any(&["agent"]));
    let Some((_, end)) = agent(text, words, at, colleagues) else { return false };
    let at_sign = words.get(at).is_some_and(|word| text.get(word.start..).is_some_and(|rest| rest.starts_with('@')));
    at_sign || named || end > at + 1
}

/// Reads a list of agents: "@a, @b and @c".
fn agents(text: &str, words: &[Token], from: usize, colleagues: &[Colleague]) -> Option<(Vec<String>, usize)> {
    let (first, mut end) = agent(text, words, from, colleagues)?;
    let mut all = vec![first];
    loop {
        let mut at = end;
        while words
            .get(at)
            .is_some_and(|word| word.any(&["and", "und", "y"]) || word.is_punct(',') || word.is_punct('&'))
        {
            at += 1;
        }
        match agent(text, words, at, colleagues).filter(|_| at > end) {
            Some((next, to)) => {
                if !all.contains(&next) {
                    all.push(next);
                }
                end = to;
            }
            None => return Some((all, end)),
        }
    }
}

/// Reads an agent at `at`: its handle after an `@`, or the name or handle of a known agent.
fn agent(text: &str, words: &[Token], at: usize, colleagues: &[Colleague]) -> Option<(String, usize)> {
    let word = words.get(at)?;
    let rest = text.get(word.start..)?;
    if let Some((handle, _)) = adagent_contract::mention(rest).filter(|_| rest.starts_with('@')) {
        let end = word.start + 1 + handle.len();
        let to = (at..words.len()).find(|at| words[*at].start >= end).unwrap_or(words.len());
        return Some((handle.to_lowercase(), to));
    }
    let named = |name: &str| {
        let same = rest.get(..name.len()).is_some_and(|start| start.to_lowercase() == name.to_lowercase());
        let ends = rest
            .get(name.len()..)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_'));
        (!name.is_empty() && same && ends).then_some(word.start + name.len())
    };
    let spaced = |handle: &str| handle.replace(['-', '_'], " ");
    let of = |one: &Colleague| {
        let ends = [one.name.as_str(), one.handle.as_str(), &spaced(&one.handle)].into_iter().filter_map(named).max();
        ends.map(|end| (one.handle.clone(), end))
    };
    let (handle, end) = colleagues.iter().filter_map(of).max_by_key(|(_, end)| *end)?;
    let to = (at..words.len()).find(|at| words[*at].start >= end).unwrap_or(words.len());
    Some((handle, to))
}

/// Returns the words of the task, without those that only lead to it or on to the next one.
fn led(words: &[Token], mut from: usize, mut to: usize) -> Range<usize> {
    while from < to && (words[from].any(&LEADS) || matches!(words[from].kind, Kind::Punct(',' | ':' | ';' | '-'))) {
        from += 1;
    }
    while from < to && (words[to - 1].any(&JOINTS) || matches!(words[to - 1].kind, Kind::Punct(',' | ';' | '.' | '!')))
    {
        to -= 1;
    }
    from..to
}

fn written(text: &str, words: &[Token], range: Range<usize>) -> String {
    let (Some(first), Some(last)) = (words.get(range.start), range.end.checked_sub(1).and_then(|last| words.get(last)))
    else {
        return String::new();
    };
    if range.is_empty() {
        return String::new();
    }
    adagent_contract::capital(text.cut(first.start..).cut(..last.end - first.start).trim())
}

pub(crate) fn understood(text: &str, tasks: Vec<Task>) -> Understood {
    Understood { thinking: "a task for another agent".into(), tasks, ..crate::desk::understood(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colleagues() -> Vec<Colleague> {
        let one =
            |handle: &str, name: &str| Colleague { handle: handle.into(), name: name.into(), about: String::new() };
        vec![
            one("reporter", "Revenue reporter"),
            one("floor-keeper", "Floor keeper"),
            one("floors", "Floors"),
            one("apps", "Apps"),
        ]
    }

    fn read(text: &str) -> Option<Vec<(String, String)>> {
        Some(meant(text, &colleagues())?.into_iter().map(|task| (task.agent, task.text)).collect())
    }

    #[test]
    fn a_task_goes_to_the_agent_that_is_named() {
        for (text, wanted) in [
            ("Ask @reporter for yesterday's revenue", vec![("reporter", "Yesterday's revenue")]),
            ("please ask @reporter what we earned yesterday.", vec![("reporter", "What we earned yesterday")]),
            (
                "can you have the floor keeper raise the floor of Home to $2?",
                vec![("floor-keeper", "Raise the floor of Home to $2?")],
            ),
            ("let Revenue reporter show revenue by app", vec![("reporter", "Show revenue by app")]),
            (
                "delegate the AppLovin report of yesterday to @reporter",
                vec![("reporter", "The AppLovin report of yesterday")],
            ),
            ("Frag @reporter nach dem Umsatz von gestern", vec![("reporter", "Dem Umsatz von gestern")]),
            ("Pide a @reporter los ingresos de ayer", vec![("reporter", "Los ingresos de ayer")]),
            (
                "ask @reporter and @floor-keeper for revenue yesterday",
                vec![("reporter", "Revenue yesterday"), ("floor-keeper", "Revenue yesterday")],
            ),
            (
                "Ask @reporter for yesterday's revenue, and tell @floor-keeper to pause Home",
                vec![("reporter", "Yesterday's revenue"), ("floor-keeper", "Pause Home")],
            ),
            (
                "Frag @reporter nach dem Umsatz von gestern und bitte @floor-keeper um die Liste der Apps",
                vec![("reporter", "Dem Umsatz von gestern"), ("floor-keeper", "Die Liste der Apps")],
            ),
            ("ask @nobody for revenue", vec![("nobody", "Revenue")]),
            ("Assign yesterday's report to @reporter", vec![("reporter", "Yesterday's report")]),
            ("tell floors to pause Home", vec![("floors", "Pause Home")]),
            ("ask @reporter", vec![("reporter", "")]),
        ] {
            let wanted = wanted.into_iter().map(|(agent, text)| (agent.to_owned(), text.to_owned())).collect();
            assert_eq!(read(text), Some(wanted), "{text}");
            assert!(may_be_meant(text), "{text}");
        }
    }

    #[test]
    fn an_order_after_a_thing_that_an_agent_is_asked_for_is_not_that_agents() {
        let own = |text: &str| apart(text, &colleagues()).map(|(asks, own)| format!("{asks} | {own}"));
        for (text, wanted) in [
            ("Ask @reporter for revenue, then pause Home", "Ask @reporter for revenue | pause Home"),
            (
                "ask @reporter about yesterday and set the floor of Home to $2",
                "ask @reporter about yesterday | set the floor of Home to $2",
            ),
            (
                "delegate the report to @reporter. Please pause Home",
                "delegate the report to @reporter | Please pause Home",
            ),
            ("Frag @reporter nach dem Umsatz, then pause Home", "Frag @reporter nach dem Umsatz | pause Home"),
            (
                "Ask @floors to list them, ask @reporter for revenue; pause Home and resume Bonus",
                "Ask @floors to list them, ask @reporter for revenue | pause Home and resume Bonus",
            ),
        ] {
            assert_eq!(own(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "Ask @floors to list the floors, then pause Home",
            "Ask @reporter for revenue and impressions",
            "Ask @reporter for revenue, eCPM and the floor of Home",
            "Ask @reporter for revenue, then pause",
            "Ask @reporter for revenue, then ask @floors to pause Home",
            "Ask @reporter what we earned, then pause Home",
            "Pause Home",
        ] {
            assert_eq!(own(text), None, "{text}");
        }
    }

    #[test]
    fn other_messages_hand_nothing_on() {
        for text in [
            "What did @reporter do yesterday?",
            "Revenue yesterday",
            "Get revenue by app",
            "have we earned more than last week?",
            "Which floors did the floor keeper raise?",
            "Tell me yesterday's revenue",
            "ask for a rebate",
            "Let me see the waterfall of Home",
            "give me the report of Floor keeper",
            "Get floors by country",
            "get apps",
            "let me see the floors",
            "bitte floors nach Land",
            "have floors changed since yesterday?",
            "pass floors to apps",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn most_messages_need_no_names_of_agents() {
        for text in [
            "Revenue yesterday",
            "What was my AdMob revenue yesterday?",
            "which apps have lost the most, and why?",
            "Pause the mediation group Home",
            "tell",
        ] {
            assert_eq!(may_be_meant(text), text == "tell", "{text}");
        }
    }

    #[test]
    fn a_short_reply_to_what_an_agent_asked_back_goes_to_that_agent() {
        let entry = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
        let back = entry("assistant", "@reporter answers:\n\nWhich app do you mean? Nothing has been changed.");
        let asked = vec![entry("user", "ask @reporter to pause Home"), back.clone()];
        let to = |text: &str, history: &[HistoryEntry]| {
            answered(text, history, &colleagues()).map(|tasks| (tasks[0].agent.clone(), tasks[0].text.clone()))
        };
        let one = Some(("reporter".to_owned(), "the iOS one".to_owned()));
        assert_eq!(to("the iOS one", &asked), one);
        let again = [asked.clone(), vec![entry("user", "Puzzle Game"), back]].concat();
        assert_eq!(to("the iOS one", &again), one, "the second question back is the same agent's");
        assert_eq!(to("What was my revenue yesterday?", &asked), None);
        assert_eq!(to("no, leave it", &asked), None);
        let question = adagent_llm::Question {
            text: "the iOS one".into(),
            history: asked.clone(),
            colleagues: colleagues(),
            today: "2026-11-26".into(),
            ..adagent_llm::Question::default()
        };
        assert_eq!(crate::understand(&question).tasks.len(), 1);
        let done = [entry("user", "ask @reporter for revenue"), entry("assistant", "@reporter answers:\n\n$5.")];
        assert_eq!(to("by app", &done), None, "it asked nothing");
    }
}
