//! The standard mediation model, which every network's own form is translated into and out of. Pure.

pub mod admob;

use std::collections::BTreeMap;

/// How a line is priced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Price {
    /// The source bids on each request.
    Bidding,
    /// Called in order of priority (1 first) at a fixed price.
    Waterfall { priority: u32, cpm_micros: i64 },
}

/// One source in a mediation group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The network's id; `None` for a line still to be made.
    pub id: Option<String>,
    pub name: Option<String>,
    pub ad_source: String,
    pub price: Price,
    pub enabled: bool,
    /// Ad unit → mapping of it to the source's placement.
    pub mappings: BTreeMap<String, String>,
}

/// A mediation group: what is served to which ad units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediationPlan {
    pub name: String,
    /// `android`, `ios`.
    pub platform: String,
    /// `banner` …
    pub format: String,
    pub ad_units: Vec<String>,
    pub included_regions: Vec<String>,
    pub excluded_regions: Vec<String>,
    pub enabled: bool,
    /// Bidding lines first, then the waterfall from the highest priority down.
    pub lines: Vec<Line>,
}

impl MediationPlan {
    pub fn bidding(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.price == Price::Bidding)
    }

    pub fn waterfall(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.price != Price::Bidding)
    }
}
