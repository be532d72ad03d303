//! Takes the condition off an order: "Pause it if its eCPM is below $1". We send a change once it is approved and wait for nothing else. So
//! the condition is not a part of the change, and the card says so.
//!
//! This module must never read a question as an order with a condition, nor courtesy ("if you can") as a condition.

use crate::text::{Kind, Token, tokens};
use crate::vocab::languages;
use crate::vocab::verbs::WRITES;

/// How a condition begins, in the languages in which people give orders; the longest phrases come first.
const BEGINS: [&[&str]; 24] = [
    &["but", "only", "after"],
    &["but", "only", "if"],
    &["but", "only", "when"],
    &["but", "not", "before"],
    &["as", "soon", "as"],
    &["aber", "erst", "wenn"],
    &["aber", "nur", "wenn"],
    &["pero", "solo", "si"],
    &["pero", "solo", "cuando"],
    &["mais", "seulement", "si"],
    &["only", "after"],
    &["only", "if"],
    &["only", "when"],
    &["erst", "wenn"],
    &["nur", "wenn"],
    &["solo", "si"],
    &["solo", "cuando"],
    &["if"],
    &["unless"],
    &["when"],
    &["once"],
    &["wenn"],
    &["falls"],
    &["sobald"],
];

/// Words that open a condition at the start of a message. "si" and "cuando" count elsewhere only after a comma, because they are other
/// words in other languages.
const OPENS: [&str; 4] = ["si", "cuando", "if", "wenn"];

/// After "if", these words are polite and set no condition.
const COURTESY: [&str; 9] = ["possible", "you", "can", "could", "please", "needed", "necessary", "ok", "moglich"];

/// An order, and the conditions that we took off it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub text: String,
    pub conditions: Vec<String>,
}

/// Returns the order and its conditions, as the person wrote them. `None` if the text has no condition.
pub(crate) fn taken_off(text: &str) -> Option<Order> {
    if text.contains('?') {
        return None;
    }
    let mut order = Order { text: text.to_owned(), conditions: Vec::new() };
    while order.conditions.len() < 3
        && let Some((rest, condition)) = trailing(&order.text).or_else(|| leading(&order.text))
    {
        order.conditions.insert(0, condition);
        order.text = rest;
    }
    (!order.conditions.is_empty()).then_some(order)
}

fn begins(words: &[Token], at: usize) -> Option<usize> {
    let is = |phrase: &&&[&str]| {
        phrase.iter().enumerate().all(|(i, word)| words.get(at + i).is_some_and(|t| plain(t) == *word))
    };
    BEGINS.iter().find(is).map(|phrase| phrase.len())
}

fn plain(token: &Token) -> String {
    languages::plain(&token.norm)
}

fn polite(words: &[Token], at: usize) -> bool {
    words.get(at).is_some_and(|t| COURTESY.contains(&plain(t).as_str())) && words.len() - at <= 4
}

/// Takes off a condition at the beginning: "if …, pause X".
fn leading(text: &str) -> Option<(String, String)> {
    let words = tokens(text);
    let len = begins(&words, 0).or_else(|| words.first().filter(|t| OPENS.contains(&plain(t).as_str())).map(|_| 1))?;
    let stop = |at: usize| words[at].is_punct(',') || words[at].any(&["then", "dann", "entonces"]);
    let end = (len..words.len())
        .find(|at| stop(*at))
        .or_else(|| (len + 1..words.len()).find(|at| !words[*at].capital && WRITES.at(&words, *at).is_some()))?;
    let mut from = end;
    while words.get(from).is_some_and(|t| t.is_punct(',') || t.any(&["then", "dann", "entonces", "please"])) {
        from += 1;
    }
    let rest = text.get(words.get(from)?.start..)?;
    let condition = text.get(words[0].start..words[end - 1].end)?;
    Some((rest.trim().to_owned(), condition.to_owned()))
}

/// Takes off a condition at the end: "pause X if …", "pause X, but only after I say so".
fn trailing(text: &str) -> Option<(String, String)> {
    let words = tokens(text);
    let (at, len) = (1..words.len()).find_map(|at| {
        let comma = words[at - 1].is_punct(',');
        let foreign = comma && words[at].any(&["si", "cuando"]);
        let quoted = words[at].kind == Kind::Literal || words[at].capital;
        let len = begins(&words, at).or(foreign.then_some(1)).filter(|_| !quoted)?;
        (at + len < words.len()).then_some((at, len))
    })?;
    if polite(&words, at + len) {
        return None;
    }
    let rest = text.get(..words[at - 1].end)?.trim_end_matches([',', ' ', ';']);
    let condition = text.get(words[at].start..)?.trim_end_matches(['.', '!', ' ']);
    let condition =
        ["but ", "aber ", "pero ", "mais "].iter().find_map(|lead| condition.strip_prefix(lead)).unwrap_or(condition);
    (!rest.is_empty()).then(|| (rest.to_owned(), condition.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_no_part_of_its_order() {
        for (text, order, conditions) in [
            ("pause X on Liftoff if its eCPM is below $1", "pause X on Liftoff", vec!["if its eCPM is below $1"]),
            ("pause X, but only after I say so", "pause X", vec!["only after I say so"]),
            (
                "if Pangle earned less than $100 yesterday pause X, if not then not",
                "pause X",
                vec!["if Pangle earned less than $100 yesterday", "if not then not"],
            ),
            ("When revenue drops, set the floor of X to $2.", "set the floor of X to $2.", vec!["When revenue drops"]),
            ("Pausiere X, aber erst wenn ich es sage", "Pausiere X", vec!["erst wenn ich es sage"]),
            ("Falls der eCPM unter 1 liegt, pausiere X", "pausiere X", vec!["Falls der eCPM unter 1 liegt"]),
            ("pausa X, pero solo cuando yo lo diga", "pausa X", vec!["solo cuando yo lo diga"]),
        ] {
            let found = taken_off(text).unwrap_or_else(|| panic!("{text}"));
            let conditions: Vec<String> = conditions.into_iter().map(str::to_owned).collect();
            assert_eq!(found, Order { text: order.to_owned(), conditions }, "{text}");
        }
        for text in [
            "pause X if you can",
            "pause X, if possible",
            "what if I pause X?",
            "pause X on Liftoff",
            "set the floor of \"When in Rome\" to $2",
            "pause If Only Banner",
        ] {
            assert_eq!(taken_off(text), None, "{text}");
        }
    }
}
