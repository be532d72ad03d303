//! A table of phrases that finds the longest one at a place.

use std::collections::HashMap;

/// Phrases by their first word; only looked up, never walked, so that its order means nothing.
#[derive(Debug, Clone)]
pub struct Phrases<T> {
    by_first: HashMap<String, Vec<(Vec<String>, T)>>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { by_first: HashMap::new() }
    }
}

impl<T> Phrases<T> {
    /// Adds a phrase; of two equal ones the first stays.
    pub fn add(&mut self, mut words: Vec<String>, meaning: T) {
        if words.is_empty() {
            return;
        }
        let first = words.remove(0);
        let list = self.by_first.entry(first).or_default();
        if list.iter().any(|(rest, _)| *rest == words) {
            return;
        }
        // Longest first.
        let at = list.iter().position(|(rest, _)| rest.len() < words.len()).unwrap_or(list.len());
        list.insert(at, (words, meaning));
    }

    /// Every word of every phrase, in order.
    pub fn words(&self) -> std::collections::BTreeSet<String> {
        let rest = self.by_first.values().flatten().flat_map(|(rest, _)| rest);
        self.by_first.keys().chain(rest).cloned().collect()
    }

    /// The longest phrase that starts at `at`, and how many words it takes.
    pub fn at(&self, words: &[String], at: usize) -> Option<(&T, usize)> {
        let list = self.by_first.get(words.get(at)?)?;
        let tail = &words[at + 1..];
        list.iter().find(|(rest, _)| tail.starts_with(rest)).map(|(rest, meaning)| (meaning, rest.len() + 1))
    }

    /// All phrases, left to right, longest first, not overlapping: place, length, meaning.
    pub fn all<'a>(&'a self, words: &'a [String]) -> impl Iterator<Item = (usize, usize, &'a T)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < words.len() {
                if let Some((meaning, len)) = self.at(words, at) {
                    let found = (at, len, meaning);
                    at += len;
                    return Some(found);
                }
                at += 1;
            }
            None
        })
    }
}
