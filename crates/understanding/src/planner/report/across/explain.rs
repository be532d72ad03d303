//! Answers "Why did it change": compares the total with the earlier period, then shows what moved, by breakdowns that networks have. This
//! must never name a reason that no number shows.

use adagent_contract::Artifact;
use adagent_domain::Network;

use jiff::ToSpan as _;

use super::{assemble, calls, open, plan};
use crate::Slots;
use crate::planner::{Answer, Step, analyse, read::Turn, report::spec::premise};

/// The breakdowns that we look at, in this order.
const DIMS: [&str; 3] = ["app", "country", "format"];

/// Shows what moved on the last whole day, against the day before.
pub(in crate::planner) fn movers(turn: &Turn<'_>, networks: &[Network]) -> Step {
    let day = turn.today.saturating_sub(1.day()).to_string();
    let mut slots = turn.understood.slots.clone().unwrap_or_default();
    slots.metrics = vec!["revenue".to_owned()];
    (slots.date_from, slots.date_to) = (Some(day.clone()), Some(day));
    of_slots(turn, slots, networks, true)
}

pub(in crate::planner) fn next(turn: &Turn<'_>, networks: &[Network]) -> Step {
    let slots = turn.understood.slots.clone().unwrap_or_default();
    of_slots(turn, slots, networks, analyse::asks_odd(turn))
}

/// `both`: shows what rose and what fell.
fn of_slots(turn: &Turn<'_>, mut slots: Slots, networks: &[Network], both: bool) -> Step {
    slots.limit = None;
    slots.rank = None;
    // For three or more networks we only look at which network moved, because each further breakdown is a call to each of them.
    let dims: &[&str] = match networks.len() {
        1 => &DIMS,
        2 => &["network", "app"],
        _ => &["network"],
    };
    slots.dimensions.clear();
    let mut total = match plan::of(turn, &slots, networks) {
        Ok(across) => across,
        Err(answer) => return (*answer).into(),
    };
    // The question asks for the comparison, so we read it even if it takes more calls.
    if let Some(against) = &mut total.plan.against {
        against.asked = true;
    }
    let (period, against) = (total.plan.period.clone(), total.plan.against.clone());
    let mut parts = vec![total];
    for by in dims {
        slots.dimensions = vec![(*by).to_owned()];
        // Skip a breakdown that the networks don't have.
        let Ok(mut across) = plan::of(turn, &slots, networks) else { continue };
        across.plan.period.clone_from(&period);
        across.plan.against.clone_from(&against);
        across.plan.explains = true;
        across.plan.limit = None;
        plan::comparable(&mut across.plan, &mut across.readings, true, true);
        parts.push(across);
    }
    let mut wanted = Vec::with_capacity(parts.len());
    for across in &parts {
        match calls::all(turn, across) {
            Ok(calls) => wanted.push(calls),
            Err(step) => return *step,
        }
    }
    for (across, wanted) in parts.iter().zip(&wanted) {
        if let Some(step) = open(turn, across, wanted) {
            return step;
        }
    }
    let mut parts = parts.into_iter().zip(&wanted);
    let mut all = parts.next().map(|(across, wanted)| assemble(turn, across, wanted)).unwrap_or_default();
    // Use the direction in which it really went. If we don't know it, use the direction that the question assumes.
    let falls = fell(&all).or_else(|| premise(turn)).unwrap_or(false);
    // Something unusual may have moved either way.
    let ways = if both { vec![falls, !falls] } else { vec![falls] };
    for (across, wanted) in parts {
        for (at, falls) in ways.iter().enumerate() {
            let mut across = across.clone();
            across.plan.movers = across.plan.against.is_some().then_some(*falls);
            let more = assemble(turn, across, wanted);
            if !more.artifacts.is_empty() {
                all.text.push_str("\n\n");
                all.text += &more.text;
            }
            more.method.into_iter().for_each(|line| all.count(line));
            // The table holds every row for both directions, so we add it only once.
            if at == 0 {
                all.artifacts.extend(more.artifacts.into_iter().rev().take(1));
            }
        }
    }
    all.into()
}

/// Checks whether the first number is lower than the one that it is compared with.
fn fell(answer: &Answer) -> Option<bool> {
    let Some(Artifact::Kpi { tiles, .. }) = answer.artifacts.first() else { return None };
    Some(tiles.first()?.change? < 0.0)
}
