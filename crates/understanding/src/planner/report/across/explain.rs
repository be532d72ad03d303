//! "Why did it change": the total against the time before, then what moved in it, by the breakdowns every network has. Must never
//! name a reason that no figure shows.

use adagent_domain::Network;

use super::{assemble, calls, open, plan};
use crate::planner::{
    Answer, Step,
    read::Turn,
    report::{
        metric::{Dim, Metric},
        spec::Against,
    },
};

/// Breakdowns looked at, in this order.
const DIMS: [&str; 3] = ["app", "country", "format"];

pub(in crate::planner) fn next(turn: &Turn<'_>, networks: &[Network]) -> Step {
    let mut slots = turn.understood.slots.clone().unwrap_or_default();
    slots.limit = None;
    slots.rank = None;
    // Of many networks only which of them moved: each further breakdown is a call to every one of them.
    let dims: &[&str] = match networks.len() {
        1 => &DIMS,
        2 => &["network", "app"],
        _ => &["network"],
    };
    let mut parts = Vec::new();
    let mut against: Option<Against> = None;
    for by in std::iter::once(None).chain(dims.iter().copied().map(Some)) {
        slots.dimensions = by.into_iter().map(str::to_owned).collect();
        let mut across = match plan::of(turn, &slots, networks) {
            Ok(across) => across,
            Err(answer) if by.is_none() => return (*answer).into(),
            // What a network cannot be broken down by explains nothing here.
            Err(_) => continue,
        };
        if by.is_none() {
            against.clone_from(&across.plan.against);
        } else {
            across.plan.against.clone_from(&against);
            plan::comparable(&mut across.plan, &mut across.readings, true);
            across.plan.notes.clear();
            across.plan.assumed_period = false;
            across.plan.limit = None;
        }
        // The comparison is what is asked; it is read even where it costs more calls.
        if let Some(against) = &mut across.plan.against {
            against.asked = true;
        }
        let wanted = match calls::all(turn, &across) {
            Ok(wanted) => wanted,
            Err(step) => return *step,
        };
        parts.push((across, wanted));
    }
    for (across, wanted) in &parts {
        if let Some(step) = open(turn, across, wanted) {
            return step;
        }
    }
    let mut out: Option<Answer> = None;
    for (across, mut wanted) in parts {
        match &mut out {
            None => out = Some(assemble(turn, across, &wanted)),
            Some(all) => {
                wanted.notes.clear();
                let dim = across.plan.dims.first().copied().unwrap_or(Dim::App);
                let falls = turn
                    .says(&["drop", "dropped", "fall", "fell", "down", "decline", "declined", "less", "lower", "lost"]);
                let mut across = across;
                across.plan.movers = across.plan.against.is_some().then_some(falls);
                if dim == Dim::Network && across.plan.asked.first() == Some(&Metric::Revenue) {
                    across.plan.movers = None;
                }
                let more = assemble(turn, across, &wanted);
                all.text.push_str("\n\n");
                all.text += &more.text;
                all.artifacts.extend(more.artifacts.into_iter().rev().take(1));
            }
        }
    }
    out.unwrap_or_default().into()
}
