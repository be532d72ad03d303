//! Reads which end of the list the words put first, and whether they rank rows by how much they moved.

use super::limits::{BEST, WORST};
use crate::text::{Kind, Token};
use crate::vocab::dimensions::DIMENSIONS;
use crate::vocab::networks::NETWORKS;

/// Returns whether the largest comes first, for "worst first", "smallest on top" or "in ascending order".
pub(super) fn first(tokens: &[Token]) -> Option<bool> {
    let small = |t: &Token| t.any(WORST) || t.any(&["low", "lower", "small", "bad", "least", "fewest"]);
    let large = |t: &Token| t.any(BEST) || t.any(&["high", "higher", "big", "good", "large", "most"]);
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    // "and the worst?" names only an end of the list, so it sorts what was shown by that end.
    let filler =
        ["and", "the", "what", "about", "which", "one", "ones", "is", "now", "show", "me", "only", "just", "then"];
    let mut words = tokens.iter().filter(|t| t.kind == Kind::Word && !t.any(&filler));
    if let (Some(end), None) = (words.next(), words.next())
        && (end.any(WORST) || end.any(BEST))
    {
        return Some(end.any(BEST));
    }
    (0..tokens.len()).find_map(|at| {
        let token = &tokens[at];
        if token.any(&["ascending", "asc"]) {
            return Some(false);
        }
        if token.any(&["descending", "desc"]) {
            return Some(true);
        }
        if !small(token) && !large(token) {
            return None;
        }
        // "from lowest to highest"
        let other = |at: usize| tokens.get(at).is_some_and(|t| if small(token) { large(t) } else { small(t) });
        let range = is(at + 1, &["to"]) && other(at + 2);
        let leads = is(at + 1, &["first"]) && !is(at + 2, &["day", "week", "month"])
            || is(at + 1, &["on", "at"]) && (is(at + 2, &["top"]) || is(at + 2, &["the"]) && is(at + 3, &["top"]));
        (range || leads).then(|| large(token))
    })
}

const FALLS: [&str; 16] = [
    "lost",
    "lose",
    "loses",
    "losing",
    "dropped",
    "drops",
    "dropping",
    "fell",
    "fallen",
    "falling",
    "declined",
    "declining",
    "decreased",
    "decreasing",
    "shrank",
    "tanked",
];
const RISES: [&str; 15] = [
    "gained",
    "gain",
    "gaining",
    "grew",
    "grown",
    "growing",
    "increased",
    "increasing",
    "improved",
    "improving",
    "climbed",
    "climbing",
    "rose",
    "risen",
    "rising",
];
const FALL: [&str; 8] = ["drop", "loss", "decline", "decrease", "fall", "dip", "losses", "decliner"];
const RISE: [&str; 7] = ["gain", "growth", "increase", "rise", "jump", "improvement", "climb"];

/// Checks whether the text says that something moved, up or down.
pub(crate) fn moves(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| [&FALLS[..], &RISES, &FALL, &RISE].iter().any(|words| token.any(words)))
}

/// Reads a ranking by how much rows moved: "which app lost the most", "biggest drop", "losers", "what fell". Returns `true` for rows that
/// lost. "did revenue drop" and "why did it fall" ask something else.
pub(crate) fn moved(tokens: &[Token]) -> Option<bool> {
    if tokens.iter().any(|t| t.any(&["why", "reason", "explain"])) {
        return None;
    }
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    let way = |t: &Token, falls: &[&str], rises: &[&str]| match (t.any(falls), t.any(rises)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    (0..tokens.len()).find_map(|at| {
        let token = &tokens[at];
        if token.kind != Kind::Word {
            return None;
        }
        if let Some(way) = way(token, &["losers", "loser", "decliners"], &["gainers", "gainer", "winners", "climbers"])
        {
            return Some(way);
        }
        // "the biggest drop", "largest losses"
        if token.any(&["biggest", "largest", "steepest", "greatest", "most", "worst", "top", "sharpest", "hardest"]) {
            let adjective = usize::from(is(at + 1, &["revenue", "ecpm", "fill", "impression", "daily", "single"]));
            if let Some(found) = tokens.get(at + 1 + adjective).and_then(|t| way(t, &FALL, &RISE)) {
                return Some(found);
            }
        }
        // "what fell", "which app lost the most", "which of my countries grew"
        if !token.any(&["which", "what", "who"]) {
            return None;
        }
        let network = |at: usize| NETWORKS.at(tokens, at).map(|(_, len)| len);
        let thing = |at: usize| DIMENSIONS.at(tokens, at).map(|(_, len)| len).or_else(|| network(at));
        let mut next = at + 1;
        while next < tokens.len() && next <= at + 5 {
            if let Some(found) = way(&tokens[next], &FALLS, &RISES) {
                // "which apps grew slower" and "grew the least" put the other end first.
                let slow = tokens[next..].iter().any(|t| t.any(&["slower", "slowest", "slowly", "least"]));
                return Some(found != slow);
            }
            let len = thing(next);
            let filler =
                ["of", "my", "our", "the", "has", "have", "is", "are", "was", "were", "3", "5", "10", "single"];
            if len.is_none() && !tokens[next].any(&filler) {
                return None;
            }
            next += len.unwrap_or(1);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    #[test]
    fn which_end_comes_first_is_read_from_the_words() {
        for (text, expected) in [
            ("worst first", Some(false)),
            ("and the worst?", Some(false)),
            ("what about the best ones", Some(true)),
            ("the worst app of last week", None),
            ("lowest first please", Some(false)),
            ("revenue by country, ascending", Some(false)),
            ("smallest on top", Some(false)),
            ("countries with the weakest at the top", Some(false)),
            ("from lowest to highest", Some(false)),
            ("best first", Some(true)),
            ("highest to lowest", Some(true)),
            ("in descending order", Some(true)),
            ("the worst first day of the month", None),
            ("top 5 apps", None),
            ("revenue on the first day of the month", None),
        ] {
            assert_eq!(first(&tokens(text)), expected, "{text}");
        }
    }

    #[test]
    fn what_moved_is_told_from_whether_and_why_it_did() {
        for (text, expected) in [
            ("which app lost the most", Some(true)),
            ("biggest drop", Some(true)),
            ("biggest revenue drop by country last week", Some(true)),
            ("losers yesterday", Some(true)),
            ("what fell", Some(true)),
            ("which of my countries dropped", Some(true)),
            ("which AdMob apps lost the most revenue yesterday", Some(true)),
            ("which ad units grew last week", Some(false)),
            ("which ad units grew slower than average", Some(true)),
            ("which apps grew the least", Some(true)),
            ("which apps lost the least", Some(false)),
            ("top gainers", Some(false)),
            ("did revenue drop yesterday", None),
            ("why did revenue fall", None),
            ("what was the fill rate", None),
            ("drop the app split", None),
            ("which app earned the most", None),
        ] {
            assert_eq!(moved(&tokens(text)), expected, "{text}");
        }
    }
}
