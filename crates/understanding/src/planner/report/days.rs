//! The days that figures cover, and what they are without.

use adagent_contract::Covers;
use adagent_domain::Network;
use jiff::civil::Date;

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
