//! Names in a text that are no words of it: what follows "called", and what something known is called.
//!
//! Must leave a text without such names as it is.

use crate::link::Linked;
use crate::text::{Kind, Token};
use crate::vocab::verbs::WRITES;

/// Words that end a name in small letters: what follows says where it is, or what else is wished.
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

/// Whether a name in small letters goes on over this word. "and" goes on unless it leads to another order.
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

/// Words after "called" and "named" are one name, quoted or not. In an order the name may stand in small letters; elsewhere only
/// words in capitals are one, because a question goes on after the name.
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

/// The tokens with those of longer known names as literals. A short one is a word as often as a name.
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
        // A question goes on behind the name.
        assert_eq!(of("how is the app called word quest doing last week"), Vec::<String>::new());
        assert_eq!(of("create a banner called \"Level end\""), ["Level end"]);
    }
}
