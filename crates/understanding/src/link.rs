//! Links names in a text to the IDs of known entities, and returns all candidates if several fit.
//!
//! This module never guesses an ID: it links only entities from the list it is given.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use crate::text::{Kind, Token, fold, tokens};

/// A mention of known entities in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityMention {
    /// Byte offsets in the text.
    pub span: (usize, usize),
    /// The text of the mention, as the person wrote it.
    pub text: String,
    /// Everything the mention can mean, best first. One candidate if it is clear.
    pub candidates: Vec<EntityItem>,
}

/// A mention as a range of tokens, with indexes into the list of entities.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linked {
    pub first: usize,
    pub last: usize,
    pub kind: EntityKind,
    pub candidates: Vec<usize>,
}

fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()) {
        out.push(fold(word));
    }
    out
}

fn token_words(token: &Token) -> Vec<String> {
    match token.kind {
        Kind::Punct(_) => Vec::new(),
        _ => words(&token.norm),
    }
}

fn platform_word(word: &str) -> Option<&'static str> {
    match word {
        "ios" | "iphone" | "ipad" => Some("ios"),
        "android" => Some("android"),
        _ => None,
    }
}

/// How a word of the text fits a word of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Exact,
    /// Differs by one letter (added, missing or replaced) or by two swapped letters. Only words of five letters and more may differ.
    Near,
}

/// Compares a word of the text, which is folded, with a word of a name as the network spells it. This runs for every word of every known
/// name, so it must not allocate for ASCII letters.
fn fit(said: &str, name: &str) -> Option<Fit> {
    if !said.is_ascii() || !name.is_ascii() {
        let name = fold(name);
        let long = said.chars().count() >= 5 && name.chars().count() >= 5;
        let near = long && strsim::osa_distance(said, &name) <= 1;
        return if said == name { Some(Fit::Exact) } else { near.then_some(Fit::Near) };
    }
    if said.eq_ignore_ascii_case(name) {
        return Some(Fit::Exact);
    }
    near(said.as_bytes(), name.as_bytes()).then_some(Fit::Near)
}

/// Checks whether one insertion, deletion, replacement or swap turns one word into the other. It looks only at what is between the common
/// start and the common end.
fn near(a: &[u8], b: &[u8]) -> bool {
    if a.len() < 5 || b.len() < 5 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = |(x, y): &(&u8, &u8)| x.eq_ignore_ascii_case(y);
    let start = a.iter().zip(b).take_while(same).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    match (&a[..a.len() - end], &b[..b.len() - end]) {
        ([] | [_], [] | [_]) => true,
        ([one, two], [other, swapped]) => one.eq_ignore_ascii_case(swapped) && two.eq_ignore_ascii_case(other),
        _ => false,
    }
}

/// Returns the words of a name without the platform at its end, because people also leave it out: "Puzzle Game (Android)".
fn name_words(name: &str) -> impl Iterator<Item = &str> {
    let parts = || name.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
    let mut count = parts().count();
    if count > 1 && parts().next_back().is_some_and(|w| platform_word(&w.to_ascii_lowercase()).is_some()) {
        count -= 1;
    }
    parts().take(count)
}

/// The shortest text that can only be an ID.
pub(crate) const SHORTEST_ID: usize = 5;

/// Returns the words of a text that may be IDs: those with a digit.
pub(crate) fn spoken_ids(text: &str) -> Vec<&str> {
    let edge = |c: char| !c.is_alphanumeric();
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '\'' | '"'))
        .map(|word| word.trim_matches(edge))
        .filter(|word| word.len() >= SHORTEST_ID && word.bytes().any(|byte| byte.is_ascii_digit()))
        .collect()
}

/// Returns the network and kind of every known thing whose ID, or the last part of it, is among these words.
pub(crate) fn by_id(words: &[&str], entities: &[EntityItem]) -> Vec<(Network, EntityKind)> {
    if words.is_empty() {
        return Vec::new();
    }
    let meant = |entity: &&EntityItem| {
        let tail = entity.id.rsplit(['/', '~']).next().unwrap_or_default();
        words.iter().any(|word| *word == entity.id || word.len() > SHORTEST_ID && *word == tail)
    };
    let mut found: Vec<(Network, EntityKind)> =
        entities.iter().filter(meant).map(|entity| (entity.network, entity.kind)).collect();
    found.sort_by_key(|(network, kind)| (network.id(), kind.as_str()));
    found.dedup();
    found
}

/// Finds known names and IDs among tokens. Of overlapping ones, the longest counts.
pub(crate) fn link_tokens(text: &str, all: &[Token], entities: &[EntityItem]) -> Vec<Linked> {
    let mut hits: Vec<(usize, usize, usize, bool)> = Vec::new();
    if entities.is_empty() {
        return Vec::new();
    }
    let flat: Vec<(usize, String)> =
        all.iter().enumerate().flat_map(|(i, t)| token_words(t).into_iter().map(move |w| (i, w))).collect();
    // Names often share their first word (the app's), so we keep its matches for the next name.
    let mut known: (&str, Vec<usize>) = ("", Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for (index, entity) in entities.iter().enumerate() {
        let tail = entity.id.rsplit(['/', '~']).next().unwrap_or("");
        for (i, token) in all.iter().enumerate() {
            if !matches!(token.kind, Kind::Punct(_))
                && (token.norm.eq_ignore_ascii_case(&entity.id)
                    || text.get(token.start..token.end) == Some(entity.id.as_str())
                    || token.norm.len() >= 6 && tail == token.norm)
            {
                hits.push((i, i + 1, index, true));
            }
        }
        let mut starts = entity.name.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let Some(first) = starts.find(|w| !w.is_empty()) else { continue };
        if known.0 != first {
            known.0 = first;
            known.1.clear();
            known.1.extend((0..flat.len()).filter(|at| fit(&flat[*at].1, first).is_some()));
        }
        if known.1.is_empty() {
            continue;
        }
        names.clear();
        names.extend(name_words(&entity.name));
        for &start in &known.1 {
            let mut end = start;
            let mut exact = true;
            let all_fit = names.iter().all(|name| {
                let fits = flat.get(end).and_then(|(_, said)| fit(said, name));
                exact &= fits == Some(Fit::Exact);
                end += 1;
                fits.is_some()
            });
            if all_fit {
                hits.push((flat[start].0, flat[end - 1].0 + 1, index, exact));
            }
        }
    }
    hits.sort_by_key(|(a, b, i, exact)| (*a, std::cmp::Reverse(b - a), !exact, *i));
    let mut out: Vec<Linked> = Vec::new();
    let mut best: Vec<(usize, usize)> = hits.iter().map(|h| (h.0, h.1)).collect();
    best.sort_by_key(|(a, b)| (std::cmp::Reverse(b - a), *a));
    best.dedup();
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (a, b) in best {
        if kept.iter().all(|(x, y)| b <= *x || a >= *y) {
            kept.push((a, b));
        }
    }
    kept.sort_unstable();
    for (a, b) in kept {
        let here: Vec<_> = hits.iter().filter(|h| (h.0, h.1) == (a, b)).collect();
        let exact = here.iter().any(|h| h.3);
        let mut candidates: Vec<usize> = here.iter().filter(|h| h.3 || !exact).map(|h| h.2).collect();
        candidates.dedup();
        // A platform next to the name picks the candidates: "Puzzle Game iOS", "the Android Puzzle Game".
        let near = all[a.saturating_sub(2)..(b + 3).min(all.len())].iter().find_map(|t| platform_word(&t.norm));
        if let Some(platform) = near {
            let fitting: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|i| entities[*i].platform.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(platform)))
                .collect();
            if !fitting.is_empty() {
                candidates = fitting;
            }
        }
        if let Some(first) = candidates.first() {
            out.push(Linked { first: a, last: b, kind: entities[*first].kind, candidates });
        }
    }
    out
}

/// Finds names and IDs of known entities in a text.
pub fn link_entities(text: &str, entities: &[EntityItem]) -> Vec<EntityMention> {
    let all = tokens(text);
    link_tokens(text, &all, entities)
        .into_iter()
        .map(|l| {
            let span = (all[l.first].start, all[l.last - 1].end);
            EntityMention {
                span,
                text: text.get(span.0..span.1).unwrap_or("").to_owned(),
                candidates: l.candidates.into_iter().map(|i| entities[i].clone()).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(id: &str, name: &str, platform: &str) -> EntityItem {
        serde_json::from_value(
            serde_json::json!({"network": "admob", "kind": "app", "id": id, "name": name, "platform": platform}),
        )
        .unwrap()
    }

    #[test]
    fn one_slip_of_the_finger_is_forgiven_as_the_edit_distance_says() {
        for (a, b) in [
            ("puzzle", "Puzzle"),
            ("puzle", "Puzzle"),
            ("puzzel", "Puzzle"),
            ("pzuzle", "puzzle"),
            ("puzzles", "Puzzle"),
            ("pusle", "Puzzle"),
            ("quest", "Guest"),
            ("word", "Ward"),
            ("eltis", "elits"),
            ("aaaaa", "aaaaaa"),
            ("abcde", "edcba"),
        ] {
            let lower = b.to_lowercase();
            let slow = a == lower || (a.len() >= 5 && b.len() >= 5 && strsim::osa_distance(a, &lower) <= 1);
            assert_eq!(fit(a, b).is_some(), slow, "{a} {b}");
        }
    }

    #[test]
    fn a_platform_word_decides_between_apps_of_one_name() {
        let known = [app("a", "Puzzle Game", "android"), app("i", "Puzzle Game", "ios"), app("w", "Word Quest", "ios")];
        let found = link_entities("revenue of Puzzle Game iOS yesterday", &known);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "Puzzle Game");
        assert_eq!(found[0].candidates.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["i"]);
        assert_eq!(link_entities("revenue of puzzle game", &known)[0].candidates.len(), 2);
        assert!(link_entities("revenue of Star Farm", &known).is_empty());
    }
}
