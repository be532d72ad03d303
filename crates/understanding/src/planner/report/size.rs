//! Estimates whether an answer can hold what a question asks for, before anything is read, because all runs share the memory.

use adagent_contract::EntityKind;

use super::{
    metric::Dim,
    spec::{Period, Plan, Shape},
};
use crate::planner::{
    Answer,
    format::{and, thousands},
    read::Turn,
    talk,
};

/// The most rows by this estimate, which tends to be too high. A run counts its real rows when they arrive.
const MOST_ROWS: u64 = 200_000;

/// Says that the question asks for too much, and what would fit.
pub(super) fn too_much(turn: &Turn<'_>, plan: &Plan) -> Option<Answer> {
    if plan.shape == Shape::Figure {
        return None;
    }
    let networks = plan.networks.len().max(1) as u64;
    let periods = [Some(&plan.period), plan.against.as_ref().map(|against| &against.period)];
    let rows: u64 = periods.into_iter().flatten().map(|period| rows(turn, plan, period)).sum::<u64>() * networks;
    if rows <= MOST_ROWS {
        return None;
    }
    let dims: Vec<String> = plan.dims.iter().map(|dim| dim.word()).collect();
    let over = if networks > 1 { format!(" over {networks} networks") } else { String::new() };
    Some(
        Answer::text(format!(
            "That's too much for one answer: {} days by {}{over} is about {} rows. Ask for fewer days, use weeks or months, or drop a breakdown.",
            plan.period.days(),
            and(&dims),
            thousands(i64::try_from(rounded(rows)).unwrap_or(i64::MAX)),
        ))
        .following(talk::EXAMPLES),
    )
}

fn rows(turn: &Turn<'_>, plan: &Plan, period: &Period) -> u64 {
    let days = u64::from(period.days().unsigned_abs());
    let mut rows = 1u64;
    for dim in &plan.dims {
        // Ad units belong to apps, and instances to ad sources, so only the finer dimension counts.
        let finer = match dim {
            Dim::App => Some(Dim::AdUnit),
            Dim::AdSource => Some(Dim::Instance),
            Dim::Platform => Some(Dim::App),
            _ => None,
        };
        if finer.is_some_and(|finer| plan.dims.contains(&finer)) {
            continue;
        }
        let all = match dim {
            Dim::Date => days,
            Dim::Week => days.div_ceil(7),
            Dim::Month => days.div_ceil(30),
            Dim::Quarter => days.div_ceil(91),
            Dim::App => known(turn, plan, EntityKind::App, 15),
            Dim::AdUnit => known(turn, plan, EntityKind::AdUnit, 30),
            Dim::AdSource => 10,
            Dim::Instance => 30,
            Dim::MediationGroup | Dim::AppVersion | Dim::OsVersion | Dim::SdkVersion => 15,
            Dim::Country => 40,
            Dim::Campaign => 20,
            Dim::Format => 5,
            Dim::Platform => 2,
            Dim::Network | Dim::Account => 1,
        };
        let named = plan.filters.iter().find(|filter| filter.dim == *dim).map(|filter| filter.values.len() as u64);
        rows = rows.saturating_mul(named.map_or(all, |named| named.min(all)).max(1));
    }
    rows
}

/// Estimates how many things of a kind one network has.
fn known(turn: &Turn<'_>, plan: &Plan, kind: EntityKind, usual: u64) -> u64 {
    let networks = plan.networks.len().max(1) as u64;
    match turn.of_kind(kind).count() as u64 {
        0 => usual,
        all => all.div_ceil(networks),
    }
}

/// Rounds down to two digits, because it is an estimate.
fn rounded(rows: u64) -> u64 {
    let step = 10u64.pow(rows.ilog10().saturating_sub(1));
    rows / step * step
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn an_estimate_has_two_figures() {
        assert_eq!([7, 42, 183_120, 3_531_600].map(rounded), [7, 42, 180_000, 3_500_000]);
    }
}
