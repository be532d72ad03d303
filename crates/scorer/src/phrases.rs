//! A table of phrases that finds the longest one at a position.

use std::collections::HashMap;

/// Phrases by their first word. The map is only used for lookups and never iterated, so its order does not matter.
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
    /// Adds a phrase; the first of two equal ones stays.
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

    /// Returns every word of every phrase, in order.
    pub fn words(&self) -> std::collections::BTreeSet<String> {
        let rest = self.by_first.values().flatten().flat_map(|(rest, _)| rest);
        self.by_first.keys().chain(rest).cloned().collect()
    }

    /// Returns the longest phrase that starts at `at`, and its number of words.
    pub fn at(&self, words: &[String], at: usize) -> Option<(&T, usize)> {
        let list = self.by_first.get(words.get(at)?)?;
        let tail = &words[at + 1..];
        list.iter().find(|(rest, _)| tail.starts_with(rest)).map(|(rest, meaning)| (meaning, rest.len() + 1))
    }

    /// Returns all phrases from left to right, longest first, without overlaps: position, length, meaning.
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
