//! Word tables: what people call networks, metrics, things and actions, in English and other languages. Data only.

pub mod common;
pub mod dictionary;
pub mod dimensions;
pub mod korean;
pub mod metrics;
pub mod networks;
pub mod nouns;
pub mod russian;
pub mod trade;
pub mod turkish;
pub mod verbs;

/// A meaning and its spellings, separated by `|`.
pub type Rows<T> = &'static [(T, &'static str)];
