//! Makes a failing plan smaller as long as it still fails, so that only the necessary parts remain.

use crate::{
    plan::{Answer, Decision, Plan, When},
    world::play,
};

/// How many plays one shrink makes at most.
const PLAYS: usize = 600;

/// Returns the smallest plan found that still fails.
pub fn shrink(plan: Plan) -> Plan {
    let mut left = PLAYS;
    let mut best = plan;
    loop {
        let Some(smaller) = smaller(&best).into_iter().take(left).find(|plan| {
            left = left.saturating_sub(1);
            !play(plan.clone(), false).violations.is_empty()
        }) else {
            return best;
        };
        best = smaller;
        if left == 0 {
            return best;
        }
    }
}

/// Returns plans with one part less.
fn smaller(plan: &Plan) -> Vec<Plan> {
    let mut out = Vec::new();
    macro_rules! without_one {
        ($list:ident) => {
            for at in (0..plan.$list.len()).rev() {
                let mut less = plan.clone();
                less.$list.remove(at);
                // Each play numbers the faults again by their position in the list, so nothing else must change.
                out.push(less);
            }
        };
    }
    without_one!(faults);
    without_one!(questions);
    without_one!(deeds);
    without_one!(commits);
    without_one!(writes);
    without_one!(reads);
    without_one!(blind);
    without_one!(sketches);
    without_one!(asked);
    if plan.workers > 1 {
        let workers = plan.workers - 1;
        let needs = |when: &When| matches!(when, When::Step { place, .. } if *place >= workers);
        if !plan.faults.iter().any(|fault| needs(&fault.when) || fault.what.place().is_some_and(|at| at >= workers)) {
            out.push(Plan { workers, ..plan.clone() });
        }
    }
    for (at, decision) in plan.decisions.iter().enumerate() {
        let simple = Decision { after_ms: 100, answer: Answer::Approve };
        for answer in [simple, Decision { answer: decision.answer, ..simple }] {
            if *decision != answer && decision.answer != Answer::Approve || decision.after_ms > 100 {
                let mut less = plan.clone();
                less.decisions[at] = answer;
                if less.decisions[at] != *decision {
                    out.push(less);
                }
            }
        }
    }
    for simple in [
        Plan { slow: 0, ..plan.clone() },
        Plan { parallel: 1, ..plan.clone() },
        Plan { one_writer: false, ..plan.clone() },
        Plan { keep: 24, ..plan.clone() },
    ] {
        if simple != *plan {
            out.push(simple);
        }
    }
    out
}
