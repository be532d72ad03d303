//! Finds what a question holds besides the kind of thing it is about: IDs, names of things, numbers, yes-or-no conditions.
//!
//! This must lose none of them: a list that can't filter by one says so instead of showing everything.

mod fate;

pub(super) use fate::{Fate, Item, Lister, fate, walk};

use adagent_domain::Network;

use super::{
    names,
    read::Turn,
    unused::{is_plain, known},
};
use crate::route::reading::{Reading, is_id};
use crate::text::{Kind, Token};
use crate::vocab::countries::GROUPS;
use crate::vocab::dimensions::{DIMENSIONS, FORMATS, PLATFORMS};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
use crate::vocab::nouns::NOUNS;
use crate::vocab::verbs::{READS, WRITES};

/// One thing or condition that the question holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    /// "order 5500000002", "Nordic Sneakers": a thing by its ID or name, with the word for its kind, if the question has one.
    Thing { noun: Option<&'static str>, said: String, id: bool },
    /// "test mode on", "with header bidding": a yes-or-no condition.
    Condition { said: String, words: Vec<String>, wanted: bool },
}

/// Words between a kind of thing and its ID or name.
const JOINS: [&str; 9] = ["id", "ids", "number", "no", "nr", "named", "called", "with", "name"];

/// What a table shows in any case.
const SHOWN: [&str; 22] = [
    "id", "name", "state", "status", "platform", "format", "type", "detail", "account", "parent", "app", "network",
    "line", "floor", "country", "source", "ad", "unit", "all", "any", "no", "more",
];

/// How many words of a question we look at. A longer text is one that somebody pasted, and it asks for no list.
const MOST_TOKENS: usize = 400;

/// Returns everything that the question holds, in its order.
pub(super) fn held(turn: &Turn<'_>) -> Vec<Held> {
    let mut reading = Reading::new(&turn.text, turn.today, &turn.entities);
    reading.tokens.truncate(MOST_TOKENS);
    reading.mentions.retain(|mention| mention.end <= reading.tokens.len());
    reading.named = spans(turn, &reading.tokens);
    let tokens = &reading.tokens;
    let mut taken = vec![false; tokens.len()];
    for period in crate::dates::named_periods(tokens, turn.today) {
        taken[period.at..period.end().min(tokens.len())].fill(true);
    }
    // The list itself applies a limit on floors.
    if let Some(limit) = crate::slots::floor_limit(tokens).filter(|_| turn.view != [Network::AdMob]) {
        taken[limit.at..limit.end.min(tokens.len())].fill(true);
    }
    for mention in &reading.mentions {
        taken[mention.at..mention.end].fill(true);
    }
    for at in 0..tokens.len() {
        let len = [
            NETWORKS.at(tokens, at).map(|f| f.1),
            OTHER_SOURCES.at(tokens, at).map(|f| f.1),
            PLATFORMS.at(tokens, at).map(|f| f.1),
            FORMATS.at(tokens, at).map(|f| f.1),
            GROUPS.at(tokens, at).map(|f| f.1),
            crate::slots::country_at(&reading.text, tokens, at).map(|f| f.1),
        ];
        if let Some(len) = len.into_iter().flatten().max()
            && !reading.named.iter().any(|(from, to)| (*from..*to).contains(&at))
        {
            taken[at..(at + len).min(tokens.len())].fill(true);
        }
    }
    let mut out = things(&reading, &taken);
    out.extend(conditions(&reading, &taken));
    out
}

/// Returns where known names of two or more words are. If names overlap, the longest comes first.
fn spans(turn: &Turn<'_>, tokens: &[Token]) -> Vec<(usize, usize)> {
    let words: Vec<String> = tokens.iter().map(|token| names::simple(&token.norm)).collect();
    let text = format!(" {} ", words.join(" "));
    let mut out: Vec<(usize, usize)> = Vec::new();
    for item in turn.entities.iter().filter(|item| turn.view.contains(&item.network)) {
        let name = names::simple(&item.name);
        if !name.contains(' ') || !text.contains(&format!(" {name} ")) {
            continue;
        }
        for from in 0..words.len() {
            let mut own = String::new();
            let end = (from..words.len()).find(|at| {
                if !words[*at].is_empty() {
                    own += if own.is_empty() { "" } else { " " };
                    own += &words[*at];
                }
                own.len() >= name.len()
            });
            if let Some(end) = end.filter(|_| own == name) {
                out.push((from, end + 1));
            }
        }
    }
    out.sort_by_key(|(from, to)| (std::cmp::Reverse(to - from), *from));
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (from, to) in out {
        if !kept.iter().any(|(own, end)| from < *end && *own < to) {
            kept.push((from, to));
        }
    }
    kept
}

fn things(reading: &Reading, taken: &[bool]) -> Vec<Held> {
    let tokens = &reading.tokens;
    let mut out: Vec<Held> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let end = if taken[at] { at } else { thing_end(reading, taken, at) };
        if end == at {
            at += 1;
            continue;
        }
        let said = written(reading, at, end);
        let id = end == at + 1 && !matches!(tokens[at].kind, Kind::Word | Kind::Literal);
        let held = Held::Thing { noun: noun_of(reading, at, end), said, id };
        if !out.contains(&held) {
            out.push(held);
        }
        at = end;
    }
    out
}

/// Returns the text of a span, without its quotes and its genitive ending.
fn written(reading: &Reading, at: usize, end: usize) -> String {
    let text = match &reading.tokens[at] {
        token if token.kind == Kind::Literal => token.norm.as_str(),
        token => reading.text.get(token.start..reading.tokens[end - 1].end).unwrap_or(&token.norm),
    };
    let text = text.trim();
    ["'s", "’s"].iter().find_map(|s| text.strip_suffix(s)).unwrap_or(text).to_owned()
}

/// Returns where the ID or name that begins at `at` ends. Returns `at` if none begins here.
fn thing_end(reading: &Reading, taken: &[bool], at: usize) -> usize {
    let tokens = &reading.tokens;
    let first = &tokens[at];
    if first.kind == Kind::Literal {
        return at + 1;
    }
    if let Some((_, to)) = reading.named.iter().find(|(from, _)| *from == at) {
        return *to;
    }
    let after_noun = noun_before(reading, at).is_some();
    match first.kind {
        Kind::Id => return if is_id(first) { at + 1 } else { at },
        Kind::Number(_) => {
            let counted = tokens.get(at + 1).is_some_and(|t| t.is_punct('%') || NOUNS.at(tokens, at + 1).is_some());
            let own = after_noun && !counted && first.norm.bytes().all(|b| b.is_ascii_digit());
            return if own || is_id(first) && !counted { at + 1 } else { at };
        }
        Kind::Word => {}
        _ => return at,
    }
    // A name is a run of capitalized words with the numbers among them. Right after a kind of thing, it may also be a run of unknown words.
    let opens = at == 0 || tokens[at - 1].is_stop();
    let strange = |i: usize| !known(&reading.text, tokens, i) && !is_plain(&tokens[i].norm);
    let part = |i: usize| {
        !taken[i]
            && match tokens[i].kind {
                Kind::Word => tokens[i].capital || after_noun && strange(i) && tokens[i].norm.len() > 2,
                Kind::Number(_) => i > at,
                _ => false,
            }
    };
    let mut end = at;
    while end < tokens.len() && part(end) {
        end += 1;
    }
    if end == at {
        return at;
    }
    if after_noun && tokens[at].capital {
        // "order House campaigns": a capitalized name may continue in lower case.
        while tokens.get(end).is_some_and(|t| t.kind == Kind::Word && !taken[end] && !t.any(&ENDS)) {
            end += 1;
        }
        return end;
    }
    let opens = opens && (READS.at(tokens, at).is_some() || WRITES.at(tokens, at).is_some() || end == at + 1);
    let several = end > at + 1 && !titled(tokens, at, end) && !vocabulary(tokens, at, end);
    if !opens && (several || (at..end).any(|i| tokens[i].kind == Kind::Word && strange(i))) { end } else { at }
}

/// Words that end a name.
const ENDS: [&str; 27] = [
    "in",
    "on",
    "of",
    "for",
    "with",
    "without",
    "and",
    "or",
    "to",
    "from",
    "by",
    "at",
    "is",
    "are",
    "was",
    "has",
    "have",
    "that",
    "which",
    "who",
    "please",
    "now",
    "again",
    "last",
    "this",
    "yesterday",
    "today",
];

/// Checks for a text such as "Show My Ad Units", in which most words are capitalized, so that capitals mark no name.
fn titled(tokens: &[Token], at: usize, end: usize) -> bool {
    let others = tokens.iter().enumerate().skip(1).filter(|(i, t)| t.kind == Kind::Word && !(at..end).contains(i));
    let (large, all) = others.fold((0, 0), |(large, all), (_, t)| (large + usize::from(t.capital), all + 1));
    all > 1 && large * 10 > all * 7
}

/// Checks whether the span consists only of our own vocabulary: kinds of things, metrics, dimensions and verbs.
fn vocabulary(tokens: &[Token], at: usize, end: usize) -> bool {
    let mut from = at;
    while from < end {
        let lens = [
            NOUNS.at(tokens, from).map(|f| f.1),
            METRICS.at(tokens, from).map(|f| f.1),
            DIMENSIONS.at(tokens, from).map(|f| f.1),
            READS.at(tokens, from).map(|f| f.1),
            WRITES.at(tokens, from).map(|f| f.1),
        ];
        match lens.into_iter().flatten().max() {
            Some(len) => from += len,
            None => return false,
        }
    }
    true
}

/// Returns the kind of thing that is named right before `at`. A word in the name of a known thing is no kind: "Puzzle Game with floor".
fn noun_before(reading: &Reading, at: usize) -> Option<&'static str> {
    let tokens = &reading.tokens;
    let named = |at: usize| reading.named.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut end = at;
    while end > 0 && (tokens[end - 1].any(&JOINS) || tokens[end - 1].is_punct('#') || tokens[end - 1].is_punct(':')) {
        end -= 1;
    }
    (end.saturating_sub(4)..end)
        .filter(|from| !named(*from))
        .find_map(|from| NOUNS.at(tokens, from).filter(|(_, len)| from + len == end))
        .map(|f| f.0)
}

/// Returns the kind of thing that the text calls a span, by the word before it or the word after it.
fn noun_of(reading: &Reading, at: usize, end: usize) -> Option<&'static str> {
    let tokens = &reading.tokens;
    let after = NOUNS.at(tokens, end).filter(|(_, len)| !tokens.get(end + len).is_some_and(is_id)).map(|f| f.0);
    noun_before(reading, at).or(after)
}

/// Returns yes-or-no conditions: "test mode on", "with header bidding", "without a floor".
fn conditions(reading: &Reading, taken: &[bool]) -> Vec<Held> {
    const SWITCH: [&str; 8] = ["on", "off", "enabled", "disabled", "activated", "deactivated", "true", "false"];
    const HAS: [&str; 6] = ["with", "without", "have", "has", "having", "lacking"];
    let tokens = &reading.tokens;
    let off = |t: &Token| t.any(&["off", "disabled", "deactivated", "false", "without", "lacking"]);
    let content = |i: usize| {
        let word = &tokens[i];
        word.kind == Kind::Word
            && !taken[i]
            && !word.capital
            && !reading.named.iter().any(|(from, to)| (*from..*to).contains(&i))
            && !word.any(&HAS)
            && !word.any(&SWITCH)
            && !word
                .any(&["is", "are", "was", "the", "a", "an", "its", "their", "my", "our", "not", "in", "of", "which"])
    };
    let mut out = Vec::new();
    for at in 0..tokens.len() {
        let word = &tokens[at];
        if reading.named.iter().any(|(from, to)| (*from..*to).contains(&at)) {
            continue;
        }
        let switched = word.any(&SWITCH)
            && tokens.get(at + 1).is_none_or(|t| t.is_stop() || t.any(&["in", "for", "and", "or", "now", "please"]));
        let (from, to) = if switched {
            let mut from = at;
            while from > 0 && content(from - 1) && at - from < 3 {
                from -= 1;
            }
            (from, at)
        } else if word.any(&HAS) {
            let from = at + 1 + tokens[at + 1..].iter().take_while(|t| t.any(&["a", "an", "the", "no", "any"])).count();
            let mut to = from;
            while to < tokens.len() && content(to) && to - from < 3 {
                to += 1;
            }
            (from, to)
        } else {
            continue;
        };
        let words: Vec<String> = tokens[from..to].iter().map(|t| t.norm.clone()).collect();
        let stems =
            || tokens[from..to].iter().map(|t| if t.stem.is_empty() { t.norm.as_str() } else { t.stem.as_str() });
        let shown = || stems().all(|word| SHOWN.contains(&word) || is_plain(word));
        // "which units are paused", "have impressions": other code handles states and metrics.
        let figure = (from..to).any(|i| METRICS.at(tokens, i).is_some());
        let thing = (from..to).any(|i| NOUNS.at(tokens, i).is_some_and(|(_, len)| i + len == to)) && !switched;
        let whose = tokens.get(at + 1).is_some_and(|t| t.any(&["its", "their"]));
        let negated = off(word)
            || at > 0 && tokens[at - 1].any(&["not", "no"])
            || tokens[at..from.max(at)].iter().any(|t| t.is("no"));
        let plain_thing = thing && !word.any(&["with", "without"]);
        if words.is_empty() || shown() || figure || whose || plain_thing {
            continue;
        }
        let end = if switched { at + 1 } else { to };
        let said = reading.text.get(tokens[from].start..tokens[end - 1].end).unwrap_or_default().to_owned();
        let overlaps = out.iter().any(|held| matches!(held, Held::Condition { words: own, .. } if *own == words));
        if !overlaps {
            let wanted = !negated;
            out.push(Held::Condition { said, words, wanted });
        }
    }
    out
}

/// Returns "order Nordic Sneakers 2026", for a condition of a list.
pub(super) fn in_words(noun: Option<&str>, said: &str) -> String {
    let said = super::format::plain(said);
    noun.map_or_else(|| format!("“{said}”"), |noun| format!("{} {said}", noun.replace('_', " ")))
}

/// Checks whether two words mean the same kind of thing. Ad units are called placements at one network and ad slots at another.
pub(super) fn same_kind(one: &str, other: &str) -> bool {
    let plain = |noun: &str| match noun {
        "ad_slot" | "placement" | "ad_unit" => "ad_unit".to_owned(),
        "application" => "app".to_owned(),
        other => other.to_owned(),
    };
    let (one, other) = (plain(one), plain(other));
    one == other || one.strip_suffix("_by_key").is_some_and(|short| short == other)
}

/// Checks whether one of the calls asked for this thing, so that its result is about it.
pub(super) fn asked_for(turn: &Turn<'_>, held: &Held, calls: &[super::Call]) -> bool {
    let Held::Thing { said, .. } = held else { return false };
    let is = |id: &str| id == said || id.rsplit(['/', '~']).next() == Some(said);
    calls.iter().any(|call| {
        let mut ids = Vec::new();
        fate::walk(&call.args, "", &mut ids);
        ids.iter().any(|(_, id)| {
            is(id)
                || turn.entities.iter().any(|item| {
                    (item.id == *id || item.id.rsplit('/').next() == Some(id)) && name_holds(&item.name, said)
                })
        })
    })
}

/// Checks whether `name` contains `said` as whole words.
pub(super) fn name_holds(name: &str, said: &str) -> bool {
    let (name, said) = (names::simple(name), names::simple(said));
    !said.is_empty() && names::holds(&name, &said)
}
