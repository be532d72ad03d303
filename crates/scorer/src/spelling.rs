//! Repairs typing errors in words that the tables know, and leaves all other words alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::tables::common::{COMMON, EXTRA};

/// Shorter words are too similar to each other.
const LEAST: usize = 5;

#[derive(Debug, Clone, Default)]
pub struct Spelling {
    known: HashSet<String>,
    /// Words by first letter, in order.
    targets: BTreeMap<char, Vec<Vec<char>>>,
}

impl Spelling {
    /// Makes a repairer for these words.
    pub fn new(words: &BTreeSet<String>) -> Self {
        let mut known: HashSet<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        let targets = words.iter().map(String::as_str).chain(EXTRA.split_whitespace());
        let mut by_first: BTreeMap<char, Vec<Vec<char>>> = BTreeMap::new();
        for word in targets {
            known.insert(word.to_owned());
            if word.len() >= LEAST && word.is_ascii() {
                let letters: Vec<char> = word.chars().collect();
                by_first.entry(letters[0]).or_default().push(letters);
            }
        }
        Self { known, targets: by_first }
    }

    /// Returns the intended word if exactly one letter is wrong, missing, extra or swapped.
    pub fn repaired(&self, word: &str) -> Option<String> {
        if word.len() < LEAST || !word.bytes().all(|b| b.is_ascii_lowercase()) || self.is_known(word) {
            return None;
        }
        let letters: Vec<char> = word.chars().collect();
        let targets = self.targets.get(&letters[0])?;
        targets.iter().find(|target| is_one_slip(&letters, target)).map(|target| target.iter().collect())
    }

    fn is_known(&self, word: &str) -> bool {
        self.known.contains(word) || self.known.contains(crate::lexicon::stem(word))
    }
}

fn is_one_slip(a: &[char], b: &[char]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    // In a short word, a different letter makes a different word: "older", "order".
    let whole = a.len();
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Less => a == &b[1..],
        std::cmp::Ordering::Greater => &a[1..] == b,
        std::cmp::Ordering::Equal => {
            a.is_empty()
                || (whole > LEAST && a[1..] == b[1..])
                || (a.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_repaired_and_words_that_exist_are_left_alone() {
        let words: BTreeSet<String> = ["levelplay", "impression", "waterfall", "order"].map(str::to_owned).into();
        let spelling = Spelling::new(&words);
        for (said, meant) in [("levleplay", "levelplay"), ("impresion", "impression"), ("watterfall", "waterfall")] {
            assert_eq!(spelling.repaired(said).as_deref(), Some(meant));
        }
        for word in ["older", "offer", "levels", "waterfall", "gestern"] {
            assert_eq!(spelling.repaired(word), None, "{word}");
        }
    }
}
