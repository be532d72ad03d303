//! Dimensions of reports and the words for them.

use std::sync::LazyLock;

use adagent_scorer::tables::dimensions as tables;

use super::phrases::Phrases;

pub static DIMENSIONS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::DIMENSIONS));

/// Words that split a report by a unit of time without "by".
pub static TIME_WORDS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::TIME_WORDS));

/// Ad formats as filter values.
pub static FORMATS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::FORMATS));

pub static PLATFORMS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::PLATFORMS));
