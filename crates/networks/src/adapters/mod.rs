//! The standard mediation model, which every network's own form is translated into and out of. Pure.

pub mod admob;
mod amount;
pub mod applovin;
pub mod fairbid;
mod field_mask;
pub mod fit;
pub mod levelplay;
pub mod mask;

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde_json::Value as Json;

pub use fit::{Fitted, Loss};

use crate::registry;
use adagent_tools::ToolInfo;

/// How a line is priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The plan as a network can hold it, with what it has no place for; `None` where the network has no mediation of its own.
pub fn fitted(network: Network, plan: &MediationPlan) -> Option<Fitted> {
    registry::row(network).fit.map(|fit| fit(plan))
}

/// Whether sending these arguments again changes nothing more than sending them once. The catalogue says it of an operation;
/// a network may take it back for some arguments.
pub fn may_repeat(tool: &ToolInfo, args: &Json) -> bool {
    tool.read_only || tool.idempotent && !admob::adds_lines(args)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn an_update_may_be_repeated_unless_it_adds_lines() {
        let catalogue = Catalogue::built_in().expect("loads");
        let repeats = |name: &str, lines: Json| {
            let tool = catalogue.get(name).expect("known").info.clone();
            may_repeat(&tool, &json!({"body": {"mediationGroupLines": lines}}))
        };
        assert!(repeats("admob_update_mediation_group", json!({"12": {"cpmMicros": "5"}})));
        assert!(!repeats("admob_update_mediation_group", json!({"12": {"cpmMicros": "5"}, "-1": {"adSourceId": "1"}})));
        assert!(!repeats("admob_create_mediation_group", json!({})));
        assert!(repeats("admob_list_apps", json!({})));
    }
}
