//! A dictionary of phrases that finds the longest phrase starting at a token.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::text::{Kind, Token};

/// A fast hash for tables whose keys are our own words. Nobody can choose keys that collide.
#[derive(Debug, Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        // The table uses the upper and the lower bits, and a product has its best bits at the top.
        self.0 ^ (self.0 >> 32)
    }
}

/// The hasher of the word tables.
pub type Words = BuildHasherDefault<WordHasher>;

/// Phrases by their first word.
#[derive(Debug)]
pub struct Phrases<T> {
    by_first: HashMap<&'static str, Vec<(Vec<&'static str>, T)>, Words>,
}

impl<T: Copy> Phrases<T> {
    /// Builds the phrases from rows of a meaning and its spellings, which `|` separates.
    pub fn new(rows: &[(T, &'static str)]) -> Self {
        let mut by_first: HashMap<&'static str, Vec<(Vec<&'static str>, T)>, Words> = HashMap::default();
        for (meaning, spellings) in rows {
            for spelling in spellings.split('|') {
                let words: Vec<&'static str> = spelling.split_whitespace().collect();
                if let Some((first, rest)) = words.split_first() {
                    by_first.entry(first).or_default().push((rest.to_vec(), *meaning));
                }
            }
        }
        for list in by_first.values_mut() {
            list.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        Self { by_first }
    }

    /// Returns every word that occurs in a phrase.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by_first.iter().flat_map(|(first, list)| {
            std::iter::once(*first).chain(list.iter().flat_map(|(rest, _)| rest.iter().copied()))
        })
    }

    /// Returns every meaning, once for each of its spellings.
    pub fn meanings(&self) -> impl Iterator<Item = T> + '_ {
        self.by_first.values().flatten().map(|(_, meaning)| *meaning)
    }

    /// Returns the longest phrase that starts at `at`, and how many tokens it takes.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<(T, usize)> {
        let token = tokens.get(at)?;
        if token.kind != Kind::Word {
            return None;
        }
        let exact = self.by_first.get(token.norm.as_str());
        let by_stem = if token.stem == token.norm { None } else { self.by_first.get(token.stem.as_str()) };
        let mut best: Option<(T, usize)> = None;
        for (rest, meaning) in exact.into_iter().chain(by_stem).flatten() {
            let mut next = at + 1;
            let mut fits = true;
            for word in rest {
                // A hyphen inside a phrase means nothing: "ad-unit", "key/value".
                if tokens.get(next).is_some_and(|t| matches!(t.kind, Kind::Punct('-' | '/' | '&'))) {
                    next += 1;
                }
                if tokens.get(next).is_some_and(|t| t.kind == Kind::Word && t.is(word)) {
                    next += 1;
                } else {
                    fits = false;
                    break;
                }
            }
            if fits && best.is_none_or(|(_, n)| n < next - at) {
                best = Some((*meaning, next - at));
            }
        }
        best
    }

    /// Returns all phrases of a text from left to right, longest first, without overlaps.
    pub fn all(&self, tokens: &[Token]) -> Vec<Found<T>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if let Some((what, len)) = self.at(tokens, at) {
                out.push(Found { what, at, len });
                at += len;
            } else {
                at += 1;
            }
        }
        out
    }
}

/// A phrase found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<T> {
    pub what: T,
    pub at: usize,
    pub len: usize,
}

impl<T> Found<T> {
    pub const fn end(&self) -> usize {
        self.at + self.len
    }
}
