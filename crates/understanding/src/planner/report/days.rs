//! The days that figures cover, and what they are without.

use adagent_contract::Covers;
use adagent_domain::Network;
use jiff::civil::Date;

use super::spec::Plan;
use crate::planner::{
    Answer,
    format::{and, range, short},
};

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

/// An answer in place of figures of a day that has not begun where the networks count their days.
pub(super) fn not_begun(period: &Period, last: &Open, networks: &[Network]) -> Result<(), Box<Answer>> {
    let Some(zone) = last.zone.as_deref().filter(|_| period.from > last.day) else { return Ok(()) };
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    let text = format!(
        "{} hasn't begun yet in {}, where {} days. There are no numbers for it so far; {} is still in progress there.",
        range(period.from, period.to),
        zone_name(zone),
        if names.len() == 1 { format!("{} counts its", and(&names)) } else { format!("{} count their", and(&names)) },
        short(last.day)
    );
    Err(Box::new(Answer::text(text).following(["And yesterday?"])))
}

/// A day that is not over must not pass for a whole one.
pub(in crate::planner) fn partial_note(plan: &Plan) -> Option<String> {
    if plan.period.from > plan.open.day {
        let days = range(plan.period.from, plan.period.to);
        let zone = plan.open.zone.as_deref().map_or("UTC", zone_name);
        return Some(format!(
            "{days} hasn't begun yet in {zone}, so not every network has numbers for it, and the others' are partial."
        ));
    }
    plan.is_partial().then(|| format!("{}, so its numbers are partial.", plan.open.words()))
}
