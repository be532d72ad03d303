//! The days that figures cover, and what they are without.

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

/// The first day that is not over where the networks of a question count their days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub day: Date,
    /// The zone in which it still runs, where it is over in the workspace's.
    pub zone: Option<String>,
}

impl Open {
    /// "Nov 18 is still in progress", "Nov 18 is still in progress in UTC".
    pub fn words(&self) -> String {
        let day = short(self.day);
        self.zone.as_ref().map_or_else(
            || format!("{day} is still in progress"),
            |zone| format!("{day} is still in progress in {}", zone_name(zone)),
        )
    }
}

/// A time zone as it is called in answers.
pub fn zone_name(zone: &str) -> &str {
    if matches!(zone, "Etc/UTC" | "UTC" | "Etc/GMT") { "UTC" } else { zone }
}

/// What figures are without.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    /// Networks that were meant and are not in the figures, by name.
    pub without: Vec<String>,
    /// Why they are not; said under the answer.
    pub lacks: Vec<String>,
    /// Networks whose reports do not reach back to the first day, with the day they begin on.
    pub begins: Vec<(Network, Date)>,
    /// A single figure is read by day alone: what is read cannot be split further.
    pub bare: bool,
}
