//! Things without a row in a report. AdMob sends no row for a thing without traffic, but "which ad units had no impressions" asks about
//! exactly those things.
//!
//! This must never count a thing as without traffic if the report may just lack it. A report that was cut, failed or covers other accounts
//! says nothing about it.

use adagent_contract::{EntityItem, EntityKind, Value};

use super::{
    merge::{Merged, Row, Sums, identity, told_apart_by},
    metric::{Dim, Metric},
    spec::{Plan, Threshold},
};
use crate::planner::read::Turn;

/// What we know about things without a row, for a question with limits on numbers.
#[derive(Debug, Default)]
pub(super) struct Absent {
    /// Known things without a row, with zero for the metrics of the limits.
    pub rows: Vec<Row>,
    /// Whether there may be more such things that are not in `rows`.
    pub unknown: bool,
}

/// Checks whether zero is within the limit. A rate has no value for a thing without traffic.
fn meets_zero(threshold: &Threshold) -> bool {
    threshold.metric.adds_up()
        && !threshold.average
        && match threshold.operator.as_str() {
            "lt" => threshold.limit > 0.0,
            "lte" => threshold.limit >= 0.0,
            "gt" => threshold.limit < 0.0,
            _ => threshold.limit <= 0.0,
        }
}

pub(super) fn of(turn: &Turn<'_>, plan: &Plan, complete: bool, now: &Merged) -> Absent {
    let asked = !plan.thresholds.is_empty() && plan.thresholds.iter().all(meets_zero);
    if !asked || plan.dims.iter().any(|dim| dim.is_time()) {
        return Absent::default();
    }
    let kind = match plan.dims.as_slice() {
        [Dim::App] => EntityKind::App,
        [Dim::AdUnit] => EntityKind::AdUnit,
        _ => return Absent { unknown: true, ..Absent::default() },
    };
    if !complete || now.truncated || turn.of_kind(kind).next().is_none() {
        return Absent { unknown: true, ..Absent::default() };
    }
    let rows = turn
        .of_kind(kind)
        .filter(|item| plan.accounts.iter().any(|account| item.account.as_deref() == Some(account.id.as_str())))
        .filter(|item| asked_for(turn, plan, item))
        .filter(|item| !now.rows.iter().any(|row| row.cells.first().is_some_and(|cell| identity(cell) == item.id)))
        .map(|item| {
            let twice = turn.of_kind(kind).any(|other| other.name == item.name && other.id != item.id);
            let more = told_apart_by(turn, item).filter(|_| twice).map_or_else(String::new, |more| format!("{more}, "));
            let name = format!("{} ({more}not in the report)", item.name);
            Row { cells: vec![Value::Entity { id: item.id.clone(), name }], sums: zero(plan) }
        })
        .collect();
    Absent { rows, unknown: false }
}

/// Checks whether the filters keep this thing. Filters on countries and ad sources restrict numbers, not things.
fn asked_for(turn: &Turn<'_>, plan: &Plan, item: &EntityItem) -> bool {
    let has = |dim: Dim, value: &str| {
        let same = |own: Option<&str>| own.is_some_and(|own| own.eq_ignore_ascii_case(value));
        let app = item.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id));
        match dim {
            Dim::AdUnit if item.kind == EntityKind::AdUnit => same(Some(&item.id)),
            Dim::App if item.kind == EntityKind::AdUnit => same(item.parent.as_deref()),
            Dim::App => same(Some(&item.id)),
            Dim::Format if item.kind == EntityKind::AdUnit => same(item.format.as_deref()),
            Dim::Platform if item.kind == EntityKind::AdUnit => same(app.and_then(|a| a.platform.as_deref())),
            Dim::Platform => same(item.platform.as_deref()),
            _ => false,
        }
    };
    let of_things = |dim: Dim| match item.kind {
        EntityKind::AdUnit => matches!(dim, Dim::AdUnit | Dim::App | Dim::Format | Dim::Platform),
        _ => matches!(dim, Dim::App | Dim::Platform),
    };
    plan.filters.iter().all(|f| !of_things(f.dim) || f.values.iter().any(|(value, _)| has(f.dim, value)))
        && plan.exclude.iter().all(|(dim, values)| !of_things(*dim) || !values.iter().any(|value| has(*dim, value)))
}

fn zero(plan: &Plan) -> Sums {
    let mut sums = Sums::default();
    for threshold in &plan.thresholds {
        match threshold.metric {
            Metric::Revenue => sums.revenue = Some(0),
            Metric::Cost => sums.cost = Some(0),
            Metric::Impressions => sums.impressions = Some(0),
            Metric::Clicks => sums.clicks = Some(0),
            Metric::Requests => sums.requests = Some(0),
            Metric::Fills => sums.fills = Some(0),
            Metric::Installs => sums.installs = Some(0),
            Metric::Interactions => sums.interactions = Some(0),
            _ => {}
        }
    }
    sums
}
