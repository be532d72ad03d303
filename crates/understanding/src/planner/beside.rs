//! Questions and wishes about networks other than AdMob alone. Must never take a wish about one network to another.

use super::{Step, analyse, clarify, period, read::Turn, report, things};
use crate::{Capability, Outcome};

pub(super) fn next(turn: &Turn<'_>) -> Step {
    let networks = turn.asked();
    if turn.goes_on || matches!(turn.understood.outcome, Outcome::Approval | Outcome::Clarify) {
        return match networks.as_slice() {
            [one] => things::write(turn, *one),
            _ => clarify::which_network(turn).into(),
        };
    }
    match turn.understood.capability {
        // "List my reports" asks for the saved ones, not for figures.
        Capability::Reporting if turn.understood.slots.is_some() || !saved_reports(turn) => {
            match period::unserved(turn) {
                Some(answer) => answer.into(),
                None if analyse::asks_why(turn) => report::across::explain(turn, &networks),
                None => report::across::next(turn, &networks),
            }
        }
        _ => things::list(turn, &networks),
    }
}

fn saved_reports(turn: &Turn<'_>) -> bool {
    turn.says(&["list", "show", "saved", "which", "operations", "runs"])
        && turn.says(&["reports", "report", "operations"])
}
