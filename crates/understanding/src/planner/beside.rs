//! Questions and changes that are not about AdMob alone. This must never apply a change meant for one network to another.

use adagent_domain::Network;

use super::{Step, analyse, choose, period, read::Turn, report, talk, things};
use crate::{Capability, Outcome};

pub(super) fn next(turn: &Turn<'_>) -> Step {
    let networks = turn.asked();
    if turn.goes_on || matches!(turn.understood.outcome, Outcome::Approval | Outcome::Clarify) {
        return match networks.as_slice() {
            [one] => things::write(turn, *one),
            // If the message names several networks, it means every one of them. If not, it means the one that has the named thing.
            several if turn.understood.outcome == Outcome::Approval && !turn.goes_on => choose::each(turn, several),
            several => choose::one(turn, several),
        };
    }
    match turn.understood.capability {
        // "List my reports" asks for the saved reports, not for numbers.
        Capability::Reporting if turn.understood.slots.is_some() || !saved_reports(turn) => {
            match period::unserved(turn) {
                Some(answer) => answer.into(),
                None if analyse::asks_where_to_look(turn) => report::across::movers(turn, &networks),
                None if analyse::asks_advice(turn) => talk::no_advice(turn).into(),
                None if analyse::asks_why(turn) => report::across::explain(turn, &networks),
                None => report::across::next(turn, &networks),
            }
        }
        // We only analyze AdMob's mediation. For another network, a list of its groups would not be an answer.
        Capability::Mediation if analyse::wanted(turn) && networks.contains(&Network::AdMob) => {
            analyse::next(&turn.only(Network::AdMob))
        }
        _ => things::list(turn, &networks),
    }
}

fn saved_reports(turn: &Turn<'_>) -> bool {
    turn.says(&["list", "show", "saved", "which", "operations", "runs"])
        && turn.says(&["reports", "report", "operations"])
}
