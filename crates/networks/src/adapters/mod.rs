//! The standard mediation model, and the translation between it and each network's own form. This module is pure.

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
    /// The network calls the source in order of priority (1 first), at a fixed price.
    Waterfall { priority: u32, cpm_micros: i64 },
}

/// One source in a mediation group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The network's ID; `None` for a new line.
    pub id: Option<String>,
    pub name: Option<String>,
    pub ad_source: String,
    pub price: Price,
    pub enabled: bool,
    /// Ad unit → its mapping to a placement of the source.
    pub mappings: BTreeMap<String, String>,
}

/// A mediation group: which sources compete for which ad units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediationPlan {
    pub name: String,
    /// The platform: `android` or `ios`.
    pub platform: String,
    /// The ad format, such as `banner`.
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

/// Fits the plan to a network and lists what it cannot hold; `None` if the network has no mediation of its own.
pub fn fitted(network: Network, plan: &MediationPlan) -> Option<Fitted> {
    registry::row(network).fit.map(|fit| fit(plan))
}

/// Checks whether sending these arguments again has no further effect. The catalog says so of an operation; for some arguments, a network's
/// adapter overrides it.
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
