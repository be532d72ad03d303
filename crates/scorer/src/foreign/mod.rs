//! Russian, Turkish and Korean questions in English words, for the rules and for the learned scores alike.
//!
//! A language is a table of stems (`tables::{russian, turkish, korean}`) and what its endings and its word order are. A row is
//! `spellings=English`; a spelling that ends in `*` takes the endings of nouns, one in `~` those of orders. English that starts
//! with `!` is an order and opens its clause, with `<` belongs before what stands before it, with `?` asks.
//! What the table does not know, quoted names and ids stay as they are.

mod arrange;
mod korean;
mod pattern;
mod pieces;
mod russian;
mod turkish;

/// The text in English words, if it is in one of these languages.
pub fn to_english(text: &str) -> Option<String> {
    if text.is_ascii() && !turkish::may_be(text) {
        return None;
    }
    let units = korean::units(text).or_else(|| russian::units(text)).or_else(|| turkish::units(text))?;
    Some(arrange::joined(arrange::arranged(units)))
}

/// Each English phrase of the tables with a foreign one, to write questions in other languages with.
#[cfg(feature = "train")]
pub(crate) fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    use crate::tables::{russian, turkish};
    let rows = russian::WORDS.iter().chain(turkish::WORDS).flat_map(|row| pattern::rows(row));
    let plain = |word: &'static str| word.trim_end_matches(['*', '~']);
    rows.map(move |(foreign, english)| (plain(foreign), english.trim_start_matches(['!', '<', '?'])))
        .filter(|(foreign, english)| !foreign.contains(['*', '~']) && !english.is_empty())
}
