//! Joins a wish for a change that we asked about with the answers since. They are one wish, however many questions it took.
//!
//! This module must never read a new question as an answer.

use adagent_contract::HistoryEntry;
use jiff::civil::Date;

use crate::amounts;
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::NETWORKS;
use crate::vocab::nouns::NOUNS;
use crate::vocab::verbs::{READS, WRITES};

/// Ends every question of ours about a change, so that we recognize the answer to it.
pub(crate) use adagent_contract::UNCHANGED;

/// How an answer begins that chooses one of the things we offered.
pub(crate) const CHOSEN: &str = "I mean ";

/// Comes between a choice and its current price, which is not a part of the wish.
pub(crate) const NOW: &str = ", now ";

/// The first order of a message, and the orders after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Orders {
    pub first: String,
    pub later: Vec<String>,
}

/// Splits a message that has several orders.
pub(crate) type Split<'s> = &'s dyn Fn(&str) -> Option<Orders>;

/// A wish, with the answers about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub text: String,
    /// The text without the choices: the name of a thing and its place say nothing about the wish.
    pub plain: String,
    /// How many entries of the history come before the wish.
    pub before: usize,
    /// The wish without the answers, if the message had other orders after it.
    pub order: Option<String>,
    /// The orders that the message had after this wish.
    pub later: Vec<String>,
}

/// Returns the wish for a change with all answers about it since. `None` if we asked nothing or the person now talks about something else.
pub(crate) fn answered(history: &[HistoryEntry], question: &str, split: Split<'_>) -> Option<Wish> {
    if !answers(question) {
        return None;
    }
    let mut parts = vec![said(question)];
    let mut before = history.len();
    // Goes back over every answer to the wish itself: each may hold a country, a format or a price.
    while let Some([wished, asked]) = before.checked_sub(2).and_then(|at| history.get(at..before)) {
        let open = asked.role == "assistant" && asked.content.contains('?') && is_open(&asked.content);
        if !open || wished.role != "user" {
            break;
        }
        before -= 2;
        parts.push(said(&wished.content));
        if !answers(&wished.content) {
            break;
        }
    }
    parts.reverse();
    if parts.len() < 2 {
        return None;
    }
    // Our question was about the first of several orders.
    let (order, later) = match split(&parts[0]) {
        Some(orders) => {
            parts[0].clone_from(&orders.first);
            (Some(orders.first), orders.later)
        }
        None => (None, Vec::new()),
    };
    let said = parts.iter().skip(1).filter(|answer| !answer.starts_with(CHOSEN));
    let plain: Vec<&str> = std::iter::once(&parts[0]).chain(said).map(String::as_str).collect();
    Some(Wish { text: parts.join(", "), plain: plain.join(", "), before, order, later })
}

/// Checks whether an answer asks what a change should be.
pub(crate) fn is_open(answer: &str) -> bool {
    answer.trim_end().ends_with(UNCHANGED)
}

/// Returns what the person said, without the price that a choice shows next to the thing.
fn said(text: &str) -> String {
    let text = text.trim();
    let shown = text.starts_with(CHOSEN).then(|| text.rfind(NOW)).flatten();
    shown.and_then(|at| text.get(..at)).unwrap_or(text).to_owned()
}

/// Returns the last wish with a new amount, for "make it 3.80 instead", whatever the result of that wish was.
pub(crate) fn revalued(history: &[HistoryEntry], question: &str, split: Split<'_>) -> Option<Wish> {
    spoken(history, question, split).filter(|_| amounts::is_alone(question))
}

/// Returns the whole wish that a message belongs to, and where it begins.
fn spoken(history: &[HistoryEntry], text: &str, split: Split<'_>) -> Option<Wish> {
    if let Some(wish) = answered(history, text, split) {
        return Some(wish);
    }
    if !amounts::is_alone(text) {
        let (text, order, later) = match split(text) {
            Some(orders) => (orders.first.clone(), Some(orders.first), orders.later),
            None => (text.to_owned(), None, Vec::new()),
        };
        return Some(Wish { plain: text.clone(), text, before: history.len(), order, later });
    }
    let last = history.iter().rposition(|entry| entry.role == "user")?;
    let wish = spoken(history.get(..last)?, &history.get(last)?.content, split)?;
    let plain = amounts::replaced(&wish.plain, text)?;
    Some(Wish { text: amounts::replaced(&wish.text, text)?, plain, ..wish })
}

/// Checks whether a text reads as the answer to a question and not as a new one.
fn answers(text: &str) -> bool {
    const STARTS: [&str; 24] = [
        "i mean ",
        "in ",
        "for ",
        "with ",
        "without ",
        "everywhere",
        "at ",
        "as ",
        "use ",
        "keep ",
        "the ",
        "android",
        "ios",
        "banner",
        "interstitial",
        "rewarded",
        "native",
        "app open",
        "half",
        "on ",
        "to ",
        "only ",
        "ca-app-pub-",
        "pub-",
    ];
    let lower = text.trim().to_lowercase();
    if lower.ends_with('?') {
        return false;
    }
    let led = lower.split_whitespace().count() <= 14
        && (STARTS.iter().any(|start| lower.starts_with(start))
            || lower.starts_with(|c: char| c.is_ascii_digit() || c == '$'));
    // "setze Meta dort auf 3,2" is an order in any language.
    let tokens = crate::text::tokens(&crate::vocab::languages::to_english(text));
    if led { !orders(&tokens) } else { names_only(&tokens) }
}

/// Checks whether an order comes after the place: "in AdMob create a group".
fn orders(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first().filter(|token| token.any(&["in", "on", "at", "for", "with"])) else {
        return false;
    };
    let place = tokens.iter().skip(1).position(|token| !token.any(&["my", "our", "the"])).map_or(1, |at| at + 1);
    let named = NETWORKS.at(tokens, place).map_or(0, |(_, len)| len);
    let at = place + named + tokens.iter().skip(place + named).take_while(|token| token.is_stop()).count();
    named > 0 && !first.is_stop() && WRITES.at(tokens, at).is_some()
}

/// Checks whether a text is a few words that ask for nothing and order nothing: "Puzzle Game on Android", "AppLovin and Unity bidding".
/// Numbers, lists and small talk are no answers.
fn names_only(tokens: &[Token]) -> bool {
    const MOST: usize = 8;
    let words = tokens.iter().filter(|token| token.kind == Kind::Word).count();
    let something = (0..tokens.len()).any(|at| {
        WRITES.at(tokens, at).is_some()
            || READS.at(tokens, at).is_some()
            || METRICS.at(tokens, at).is_some()
            || NOUNS.at(tokens, at).is_some_and(|(_, len)| tokens[at + len - 1].norm.ends_with('s'))
            || tokens[at].is_punct('?')
    });
    (1..=MOST).contains(&words)
        && !something
        && !tokens[0].any(&["what", "which", "why", "how", "who", "when", "where", "and", "no", "yes", "ok", "okay"])
        && !crate::route::signals::small_talk(tokens)
        && crate::dates::periods(tokens, Date::constant(2026, 1, 1)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_amount_alone_is_the_wish_before_with_it() {
        let entry = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
        let history = [
            entry("user", "set the floor to $4"),
            entry("assistant", "Which line's price should change: A or B? Nothing has been changed."),
            entry("user", "I mean Pangle in Android Banner Global (1048210380), now $0.40"),
            entry("assistant", "Drafted, needs approval, not sent yet: Change Pangle."),
            entry("user", "make it 3.80 instead"),
            entry("assistant", "Drafted, needs approval, not sent yet: Change Pangle."),
        ];
        let again = revalued(&history, "no, $3.70 please", &|_| None).unwrap();
        assert_eq!(again.text, "set the floor to $3.70, I mean Pangle in Android Banner Global (1048210380)");
        assert_eq!((again.plain.as_str(), again.before), ("set the floor to $3.70", 0));
        for other in ["and by country?", "make it cheaper", "3.80"] {
            assert_eq!(revalued(&history, other, &|_| None), None, "{other}");
        }
    }

    #[test]
    fn an_answer_is_a_part_of_the_wish_and_a_new_question_is_none() {
        let entry = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
        let history = [
            entry("user", "revenue yesterday"),
            entry("assistant", "It was $12."),
            entry("user", "set the floor to $2"),
            entry("assistant", "Which network: AdMob or Unity? Nothing has been changed."),
            entry("user", "In AdMob"),
            entry("assistant", "Which line's price should change: A or B? Nothing has been changed."),
        ];
        let wish =
            answered(&history, "I mean Pangle in Android Banner Global (1048210380), now $0.40", &|_| None).unwrap();
        assert_eq!(wish.text, "set the floor to $2, In AdMob, I mean Pangle in Android Banner Global (1048210380)");
        assert_eq!((wish.plain.as_str(), wish.before), ("set the floor to $2, In AdMob", 2));
        for other in ["what was my revenue yesterday", "list my apps", "pause the Unity banner ad unit"] {
            assert_eq!(answered(&history, other, &|_| None), None, "{other}");
        }
        assert_eq!(answered(&history[..2], "In AdMob", &|_| None), None, "nothing was asked");
    }
}
