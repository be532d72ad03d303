//! Takes parts of a text by byte positions, and never cuts a character that a person or a network wrote.
//!
//! A slice `text[a..b]` panics if a position lies inside a character or past the end. This trait moves such a position to the character's
//! start or the text's end. `clippy::string_slice` makes the crates that read foreign text use it.

use std::ops::{Bound, RangeBounds};

/// A trait to cut text without ever panicking.
pub trait Cut {
    /// Returns the text in this range of bytes. A position inside a character counts as that character's first byte, and one past the end
    /// as the end. A range that ends before it begins is empty.
    fn cut(&self, range: impl RangeBounds<usize>) -> &str;
}

impl Cut for str {
    fn cut(&self, range: impl RangeBounds<usize>) -> &str {
        let start = match range.start_bound() {
            Bound::Included(at) => *at,
            Bound::Excluded(at) => at.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let start = self.floor_char_boundary(start);
        let end = match range.end_bound() {
            // Include the whole character that begins there.
            Bound::Included(at) => self.ceil_char_boundary(at.saturating_add(1)),
            Bound::Excluded(at) => self.floor_char_boundary(*at),
            Bound::Unbounded => self.len(),
        };
        self.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_positions_only_whole_characters_come_out() {
        let text = "a€–é→“x”";
        for from in 0..text.len() + 3 {
            for to in 0..text.len() + 3 {
                let part = text.cut(from..to);
                assert!(text.contains(part), "{from}..{to}: {part:?}");
                if text.get(from..to).is_some() {
                    assert_eq!(part, &text[from..to], "{from}..{to}: what can be sliced is cut the same");
                }
            }
        }
        assert_eq!((text.cut(1..4), text.cut(2..4), text.cut(1..3), text.cut(1..=1)), ("€", "€", "", "€"));
        #[expect(clippy::reversed_empty_ranges, reason = "that it is empty is what is looked at")]
        let reversed = text.cut(4..1);
        assert_eq!((reversed, text.cut(99..), text.cut(..99)), ("", "", text));
    }
}
