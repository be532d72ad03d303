//! Recognizes questions about a change: "what would happen if I …", "should I …", "how could we …". They don't order the change.
//!
//! This module looks only at words and their order. "Could you …" is a polite order and stays one.

use crate::text::{Kind, Token};

/// Checks whether the words ask about a change instead of ordering it.
pub(super) fn supposed(tokens: &[Token]) -> bool {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    let who = |at: usize| is(at, &["i", "we", "one", "anyone", "somebody"]);
    (0..tokens.len()).any(|at| {
        let token = &tokens[at];
        if token.kind != Kind::Word || token.capital && at > 0 && !tokens[at - 1].is_stop() && token.norm != "i" {
            return false;
        }
        let opens = at == 0 || tokens[at - 1].is_stop() || is(at - 1, &["and", "but", "so", "or", "ok", "okay", "hey", "hi", "then", "also"]);
        let asked = opens || at > 0 && is(at - 1, &["what", "which", "when", "where", "why", "how", "much", "far", "low", "high", "who", "floor", "line", "unit", "group", "app", "source"]);
        // "what if I …", "what would happen if …", "what happens when …"
        (token.is("what") && is(at + 1, &["if"]))
            || (token.any(&["happen", "happens", "change", "changes", "difference"])
                && is(at + 1, &["if", "when", "once"])
                && tokens[..at].iter().any(|t| t.any(&["what", "would", "will"])))
            // "should I …", "can we …", "how would one …"; "we should …" is a wish.
            || (token.any(&["should", "shall", "could", "can", "would", "may", "might", "must", "do", "did"])
                && who(at + 1)
                && (asked || tokens.get(at + 2).is_none_or(Token::is_stop))
                && (!token.any(&["do", "did"]) || at > 0 && is(at - 1, &["how", "why"]) || is(at + 2, &["need", "have", "want"])))
            // "would it help to …", "is it worth …", "does it make sense to …"
            || (opens
                && token.any(&["would", "will", "is", "does", "do", "are", "could", "can"])
                && is(at + 1, &["it", "that", "this", "there"])
                && tokens[at + 2..].iter().take(4).any(|t| {
                    t.any(&[
                        "help", "hurt", "worth", "wise", "good", "bad", "better", "worse", "safe", "risky", "smart", "ok", "okay",
                        "sense", "possible", "pay", "matter", "idea", "allowed", "fine", "bring", "cost",
                    ])
                }))
            // "do you think …", "would you recommend …"
            || (token.any(&["do", "would"])
                && is(at + 1, &["you"])
                && is(at + 2, &["think", "recommend", "advise", "suggest", "expect", "believe"]))
            || (token.any(&["how"]) && is(at + 1, &["to"]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_about_a_change_is_no_order() {
        let of = |text: &str| supposed(&crate::text::tokens(text));
        for asked in [
            "what would happen if I drop the floor on AppLovin in Android Rewarded Tier 1 to $10?",
            "What if we pause Unity in every group?",
            "should I raise the floor to $5",
            "Shall we archive order 12?",
            "can we lower the floor on this line to $3?",
            "how do I pause a placement?",
            "How could we add Unity to Android Banner?",
            "when should I raise the floors",
            "would it help to remove InMobi from the group?",
            "is it worth adding Meta to the banner group",
            "do you think I should pause it",
            "which line should I pause?",
        ] {
            assert!(of(asked), "{asked}");
        }
        for order in [
            "could you set up a new interstitial unit in Puzzle Game android?",
            "can you raise the floor to $5",
            "please pause it",
            "US Rewarded should also run in Mexico from now on",
            "we should pause Unity in Android Banner",
            "I want to lower the floor to $3",
            "would you pause it please",
            "create an app called Should I Stay",
        ] {
            assert!(!of(order), "{order}");
        }
    }
}
