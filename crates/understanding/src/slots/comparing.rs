//! The words that compare ("under", "at least"), the metrics that are rates, and limits on the floors of listed things.

use std::sync::LazyLock;

use crate::text::{Kind, Token};
use crate::vocab::phrases::Phrases;

pub(super) static COMPARATORS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| {
    Phrases::new(&[
        (
            "lt",
            "under|below|less than|lower than|smaller than|beneath|fewer than|lesser than|worse than|poorer than|weaker than|underneath",
        ),
        (
            "gt",
            "over|above|more than|greater than|exceeding|higher than|bigger than|larger than|exceeds|exceed|better than|more then|stronger than",
        ),
        ("gte", "at least|minimum|min|no less than|not less than|minimum of"),
        ("lte", "at most|up to|no more than|not more than|maximum|maximum of"),
    ])
});

/// Metrics that are percentages.
pub(super) const RATES: &[&str] = &["fill_rate", "match_rate", "show_rate", "ctr", "viewability", "retention"];

/// Checks whether a metric is a rate, which can't be added up.
pub(crate) fn is_rate(metric: &str) -> bool {
    RATES.contains(&metric) || matches!(metric, "ecpm" | "arpu" | "arpdau" | "rpm")
}

/// A limit on the floors of listed things: "with a floor above $1".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FloorLimit {
    /// The tokens of the limit, from "floor" on.
    pub at: usize,
    pub end: usize,
    pub above: bool,
    pub inclusive: bool,
    pub limit: f64,
}

pub(crate) fn floor_limit(tokens: &[Token]) -> Option<FloorLimit> {
    const BETWEEN: [&str; 9] = ["price", "cpm", "is", "are", "of", "that", "set", "at", "which"];
    let at = tokens.iter().position(|t| t.any(&["floor", "floors"]))?;
    let mut op = at + 1;
    while tokens.get(op).is_some_and(|t| t.any(&BETWEEN)) {
        op += 1;
    }
    let (word, len) = match tokens.get(op)?.kind {
        Kind::Punct('<') => ("lt", 1),
        Kind::Punct('>') => ("gt", 1),
        _ => COMPARATORS.at(tokens, op)?,
    };
    let mut end = op + len;
    while tokens.get(end).is_some_and(|t| matches!(t.kind, Kind::Punct('$' | '€' | '£' | '='))) {
        end += 1;
    }
    let limit = tokens.get(end)?.number()?;
    end += 1;
    while tokens.get(end).is_some_and(|t| t.any(&["usd", "dollar", "eur", "euro"])) {
        end += 1;
    }
    Some(FloorLimit { at, end, above: word.starts_with('g'), inclusive: word.ends_with('e'), limit })
}
