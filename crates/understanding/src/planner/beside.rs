//! Questions and wishes about networks other than AdMob alone. Must never take a wish about one network to another.

use adagent_domain::Network;

use super::{Answer, Step, clarify, period, read::Turn, report, talk};
use crate::{Capability, Outcome};

pub(super) fn next(turn: &Turn<'_>) -> Step {
    let networks = turn.asked();
    if turn.goes_on || turn.understood.outcome == Outcome::Approval {
        return match networks.as_slice() {
            [one] => change(turn, *one),
            _ => clarify::which_network(turn).into(),
        };
    }
    match turn.understood.capability {
        Capability::Reporting => match period::unserved(turn) {
            Some(answer) => answer.into(),
            None => report::across::next(turn, &networks),
        },
        _ => talk::not_served(turn).into(),
    }
}

fn change(turn: &Turn<'_>, _: Network) -> Step {
    let answer: Answer = talk::not_served(turn);
    answer.into()
}
