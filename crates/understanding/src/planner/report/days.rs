//! The days that numbers cover, and what the numbers lack.

use adagent_contract::Covers;
use adagent_domain::Network;
use jiff::civil::Date;

use crate::planner::format::short;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    pub from: Date,
    pub to: Date,
}

impl Period {
    pub fn covers(&self) -> Covers {
        Covers { from: self.from.to_string(), to: self.to.to_string() }
    }

    pub fn days(&self) -> i32 {
        (self.to - self.from).get_days() + 1
    }
}

/// The first day that is not over in the time zones of all asked networks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub day: Date,
    /// The zone where the day is not over yet, if it is over in the workspace's zone.
    pub zone: Option<String>,
}

impl Open {
    /// Returns "Nov 18 is still in progress" or "Nov 18 is still in progress in UTC".
    pub fn words(&self) -> String {
        let day = short(self.day);
        self.zone.as_ref().map_or_else(
            || format!("{day} is still in progress"),
            |zone| format!("{day} is still in progress in {}", zone_name(zone)),
        )
    }
}

/// Returns the name of a time zone in answers.
pub fn zone_name(zone: &str) -> &str {
    if matches!(zone, "Etc/UTC" | "UTC" | "Etc/GMT") { "UTC" } else { zone }
}

/// What the numbers lack.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    /// The names of asked networks that are not in the numbers.
    pub without: Vec<String>,
    /// Why they are missing; shown under the answer.
    pub lacks: Vec<String>,
    /// Networks whose reports don't reach back to the first day, with the day on which they begin.
    pub begins: Vec<(Network, Date)>,
    /// Whether a single number is read only by day, so that it can't be split further.
    pub bare: bool,
}
