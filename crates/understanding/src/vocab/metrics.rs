//! Metrics of reports and the words for them.

use std::sync::LazyLock;

use adagent_scorer::tables::metrics as tables;

use super::phrases::Phrases;

pub static METRICS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::METRICS));

/// Phrases that contain a metric's word but name a setting or a concept.
pub static NOT_METRICS: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::new(tables::NOT_METRICS));
