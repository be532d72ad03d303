//! Repairs typos in words that the vocabulary knows, and leaves all other words alone.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use adagent_scorer::tables::common::{COMMON, EXTRA};

use super::phrases::Words;
use super::{countries, dimensions, metrics, networks, nouns, verbs};
use crate::text::{Kind, Token, stem};

static COMMON_SET: LazyLock<HashSet<&'static str, Words>> = LazyLock::new(|| COMMON.split_whitespace().collect());

/// Known words by first letter and length.
type Buckets = HashMap<(char, usize), Vec<&'static str>>;

static KNOWN: LazyLock<(HashSet<&'static str, Words>, Buckets)> = LazyLock::new(|| {
    let mut set: HashSet<&'static str, Words> = HashSet::default();
    let mut add = |words: &mut dyn Iterator<Item = &'static str>| {
        for w in words {
            set.insert(w);
        }
    };
    add(&mut networks::NETWORKS.words());
    add(&mut networks::OTHER_SOURCES.words());
    add(&mut metrics::METRICS.words());
    add(&mut dimensions::DIMENSIONS.words());
    add(&mut dimensions::TIME_WORDS.words());
    add(&mut dimensions::FORMATS.words());
    add(&mut dimensions::PLATFORMS.words());
    add(&mut nouns::NOUNS.words());
    add(&mut verbs::WRITES.words());
    add(&mut verbs::READS.words());
    add(&mut verbs::ANALYSIS.words());
    add(&mut EXTRA.split_whitespace());
    let mut buckets = Buckets::new();
    for w in &set {
        if w.is_ascii()
            && w.len() >= 4
            && let Some(first) = w.chars().next()
        {
            buckets.entry((first, w.len())).or_default().push(w);
        }
    }
    for list in buckets.values_mut() {
        list.sort_unstable();
    }
    (set, buckets)
});

/// Words of country names. They are right as they are, and no other word is a typo of one.
static PLACES: LazyLock<HashSet<&'static str, Words>> =
    LazyLock::new(|| countries::COUNTRIES.words().chain(countries::GROUPS.words()).collect());

pub fn is_common(word: &str) -> bool {
    COMMON_SET.contains(word) || KNOWN.0.contains(word)
}

/// Checks for a word of this business, which alone names no app.
pub fn is_domain_word(token: &Token) -> bool {
    matches!(
        token.norm.as_str(),
        "show"
            | "what"
            | "which"
            | "how"
            | "why"
            | "give"
            | "list"
            | "compare"
            | "please"
            | "and"
            | "the"
            | "i"
            | "my"
            | "total"
            | "top"
            | "bottom"
            | "worst"
            | "best"
            | "only"
            | "revenue"
            | "mediation"
            | "all"
            | "for"
            | "by"
            | "is"
            | "did"
            | "does"
            | "in"
            | "on"
            | "per"
            | "a"
            | "an"
            | "of"
            | "from"
            | "to"
            | "report"
            | "csv"
            | "us"
            | "eu"
            | "sdk"
            | "id"
            | "no"
            | "yes"
            | "ok"
            | "hi"
            | "hello"
            | "cfo"
            | "mcm"
            | "kpi"
    ) && !matches!(token.norm.as_str(), "my")
        || token.norm == "my" && !token.capital
}

/// Returns the known word that the person meant, if the token is a likely typo of one.
fn repaired(token: &Token) -> Option<&'static str> {
    let word = token.norm.as_str();
    let len = word.len();
    if !word.is_ascii()
        || len < 3
        || word.bytes().any(|b| b.is_ascii_digit())
        || is_common(word)
        || is_common(&stem(word))
        || PLACES.contains(word)
    {
        return None;
    }
    let inflected = ["d", "ed", "ing", "er", "ly", "r", "n", "es"].iter().any(|s| {
        word.strip_suffix(s).is_some_and(|base| {
            base.len() >= 3
                && (KNOWN.0.contains(base)
                    || COMMON_SET.contains(base)
                    || KNOWN.0.contains(format!("{base}e").as_str()))
        })
    });
    if inflected || crate::route::signals::knows(word) {
        return None;
    }
    match word {
        "fil" => return Some("fill"),
        "teh" | "hte" => return Some("the"),
        "shwo" | "hsow" => return Some("show"),
        "waht" | "wat" | "whta" => return Some("what"),
        "wich" | "whcih" | "whihc" => return Some("which"),
        "eCMP" | "ecmp" | "epcm" => return Some("ecpm"),
        "pls" | "plz" => return None,
        "wek" => return Some("week"),
        "wknd" | "wkend" | "wknds" => return Some("weekend"),
        _ => {}
    }
    if len < 4 {
        return None;
    }
    let first = word.chars().next()?;
    let allowed = if len >= 8 { 2 } else { 1 };
    let mut best: Option<(usize, &'static str)> = None;
    for n in len.saturating_sub(allowed)..=len + allowed {
        for candidate in KNOWN.1.get(&(first, n)).into_iter().flatten() {
            // Short words allow only two swapped letters or a doubled or lost one, not a replaced letter.
            if len == 4 && candidate.len() == 4 && !is_swap(word, candidate) {
                continue;
            }
            let distance = strsim::osa_distance(word, candidate);
            if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
                best = Some((distance, candidate));
            }
        }
    }
    best.map(|(_, w)| w)
}

/// Returns a text in lower case, with its misspelled words replaced by the known ones.
pub fn spelled(text: &str) -> String {
    let mut tokens = crate::text::tokens(text);
    let written: Vec<String> = tokens.iter().map(|token| token.norm.clone()).collect();
    repair(&mut tokens);
    let mut out = text.to_owned();
    for (token, written) in tokens.iter().zip(&written).rev() {
        if token.norm != *written && out.get(token.start..token.end).is_some() {
            out.replace_range(token.start..token.end, &token.norm);
        }
    }
    out.to_lowercase()
}

fn is_swap(a: &str, b: &str) -> bool {
    let (mut x, mut y): (Vec<u8>, Vec<u8>) = (a.bytes().collect(), b.bytes().collect());
    x.sort_unstable();
    y.sort_unstable();
    x == y
}

/// Checks for a question that begins with "y" for "why": "y did Monday drop".
pub fn says_why(tokens: &[Token]) -> bool {
    let asks = ["did", "do", "does", "is", "are", "was", "were", "has", "have", "so", "not"];
    let first = tokens.first().filter(|token| token.norm == "y");
    first.is_some() && tokens.get(1).is_some_and(|next| next.any(&asks))
}

/// Repairs tokens in place. A capitalized name inside a sentence stays, unless it is a typo of a network, a weekday or a month.
pub fn repair(tokens: &mut [Token]) {
    if says_why(tokens) {
        "why".clone_into(&mut tokens[0].norm);
        tokens[0].stem = stem("why");
    }
    for at in 0..tokens.len() {
        if tokens[at].kind != Kind::Word {
            continue;
        }
        let first = at == 0 || tokens[at - 1].is_stop();
        if let Some(word) = repaired(&tokens[at]) {
            let network = networks::NETWORKS.words().any(|w| w == word);
            let time = crate::dates::is_time_word(word);
            if !tokens[at].capital || first || network || time {
                word.clone_into(&mut tokens[at].norm);
                tokens[at].stem = stem(word);
            }
        }
    }
}
