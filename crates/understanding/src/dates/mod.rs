//! Reads the periods in a question: which days it means, and what it compares them with.
//!
//! Today is an argument; this module never reads a clock.

pub mod calendar;
mod compare;
mod correction;
mod edges;
mod periods;
mod points;
mod unserved;

pub use calendar::Span;
pub(crate) use compare::leaning;
pub use compare::{CompareRef, comparison};
pub(crate) use periods::unit_word;
pub use periods::{Edge, Period, Unit, named_periods, period_at, periods};
pub use points::month_of;
pub use unserved::{Unserved, Why, unserved};

pub(crate) fn is_weekday(word: &str) -> bool {
    points::weekday_of(word).is_some()
}

/// Checks whether a word is a weekday or a month.
pub(crate) fn is_time_word(word: &str) -> bool {
    month_of(word).is_some() || points::weekday_of(word).is_some()
}

/// Returns the number of an ordinal word: 2 for "second".
pub(crate) fn place_number(word: &str) -> Option<i8> {
    Some(match word {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "sixth" => 6,
        "seventh" => 7,
        "eighth" => 8,
        "ninth" => 9,
        "tenth" => 10,
        _ => return None,
    })
}

pub(crate) fn is_place(word: &str) -> bool {
    place_number(word).is_some()
}
