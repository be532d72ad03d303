//! Finds names whose words mean nothing else in the text: what follows "called", and names of known entities.
//!
//! This module must not change a text without such names.

use crate::link::Linked;
use crate::text::{Kind, Token};
use crate::vocab::verbs::WRITES;

/// Words that end a name in lowercase: after them, the text says where the thing is or what else it should have.
const ENDS: [&str; 27] = [
    "for",
    "in",
    "on",
    "with",
    "to",
    "of",
    "from",
    "at",
    "as",
    "below",
    "under",
    "inside",
    "that",
    "which",
    "should",
    "is",
    "has",
    "please",
    "now",
    "by",
    "without",
    "so",
    "last",
    "this",
    "since",
    "yesterday",
    "today",
];

/// Checks whether a name in lowercase includes this word. "and" belongs to the name unless it leads to another order.
fn goes_on(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let order = |at: usize| WRITES.at(tokens, at).is_some();
    match token.kind {
        Kind::Word if token.norm == "and" => tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Word) && !order(at + 1),
        Kind::Word => !ENDS.contains(&token.norm.as_str()),
        Kind::Number(_) => true,
        _ => false,
    }
}

/// Makes the words after "called" and "named" one name, with or without quotes. In an order, the name may be in lowercase. Elsewhere
/// only capitalized words count, because a question goes on after the name.
pub(super) fn with_names(text: &str, tokens: &[Token]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let order = (0..tokens.len()).find_map(|at| WRITES.at(tokens, at).map(|(_, len)| at + len));
    let mut at = 0;
    while at < tokens.len() {
        let leads = out.last().is_some_and(|t| t.kind == Kind::Word && matches!(t.norm.as_str(), "called" | "named"));
        let ordered = leads && order.is_some_and(|end| end < at);
        let mut end = at;
        while leads
            && tokens.get(end).is_some_and(|t| {
                t.kind == Kind::Word && t.capital
                    || end > at && matches!(t.kind, Kind::Number(_))
                    || ordered && goes_on(tokens, end)
            })
        {
            end += 1;
        }
        if end == at {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let (start, stop) = (tokens[at].start, tokens[end - 1].end);
        out.push(Token {
            norm: text.get(start..stop).unwrap_or_default().to_owned(),
            stem: String::new(),
            kind: Kind::Literal,
            start,
            end: stop,
            capital: false,
        });
        at = end;
    }
    out
}

/// Marks the words of longer known names as literals. A short name is just as often a plain word.
pub(super) fn without_linked(tokens: &[Token], linked: &[Linked]) -> Vec<Token> {
    const LONG: usize = 3;
    let mut out = tokens.to_vec();
    for name in linked.iter().filter(|name| name.last - name.first >= LONG) {
        for token in &mut out[name.first..name.last] {
            token.kind = Kind::Literal;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_after_called_is_one_word() {
        let of = |text: &str| {
            let tokens = with_names(text, &crate::text::tokens(text));
            tokens.into_iter().filter(|t| t.kind == Kind::Literal).map(|t| t.norm).collect::<Vec<_>>()
        };
        assert_eq!(of("Create a rewarded ad unit called Audit Reward for Word Quest"), ["Audit Reward"]);
        assert_eq!(of("one named Tier 1 on Android"), ["Tier 1"]);
        assert_eq!(of("what is it called in AdMob"), Vec::<String>::new());
        assert_eq!(of("create a banner called pause menu for Word Quest"), ["pause menu"]);
        assert_eq!(of("create a banner named remove ads and more, on Android"), ["remove ads and more"]);
        assert_eq!(of("rename the placement called level end and set its floor to $3"), ["level end"]);
        // A question goes on after the name.
        assert_eq!(of("how is the app called word quest doing last week"), Vec::<String>::new());
        assert_eq!(of("create a banner called \"Level end\""), ["Level end"]);
    }
}
