//! Names in a text that are no words of it: what follows "called", and what something known is called.
//!
//! Must leave a text without such names as it is.

use crate::link::Linked;
use crate::text::{Kind, Token};

/// Words in capitals after "called" and "named", with the numbers among them, are one name: quoted or not.
pub(super) fn with_names(text: &str, tokens: &[Token]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let leads = out.last().is_some_and(|t| t.kind == Kind::Word && matches!(t.norm.as_str(), "called" | "named"));
        let mut end = at;
        while leads
            && tokens
                .get(end)
                .is_some_and(|t| t.kind == Kind::Word && t.capital || end > at && matches!(t.kind, Kind::Number(_)))
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
        assert_eq!(of("create a banner called \"Level end\""), ["Level end"]);
    }
}
