//! Sums leaves into groups. The group of a leaf is found once, so that each day costs one addition per leaf.

use std::collections::HashMap;

use jiff::civil::Date;

use super::Kind;
use super::dimension::{Dimension, PARTS, part_bounds};
use crate::state::Inner;
use crate::world::books::DAYS_KEPT;
use crate::world::figures::{self, Totals};
use crate::world::sources::SOURCES;

/// What to sum: the kind of report, the accounts, the days, the dimensions to group by, and the filters that a `figures::Leaf` must pass.
pub struct Groups {
    pub kind: Kind,
    pub accounts: Vec<usize>,
    pub start: Date,
    pub end: Date,
    pub dimensions: Vec<Dimension>,
    /// Dimension and its lowercase values.
    pub filters: Vec<(Dimension, Vec<String>)>,
}

/// One line of the result: the period (empty without a time dimension), the codes of the other dimensions, and the sums.
pub struct Row {
    pub period: String,
    pub codes: Vec<u32>,
    pub totals: Totals,
}

/// Checks the filters. They ignore case, so that `iOS` and `IOS`, `banner` and `BANNER` are the same.
fn admits(inner: &Inner, filters: &[(Dimension, Vec<String>)], leaf: &figures::Leaf, part: usize) -> bool {
    filters.iter().filter(|(dimension, _)| !dimension.is_time()).all(|(dimension, values)| {
        let (value, label) = dimension.text(inner, dimension.code(inner, leaf, part));
        let by_label =
            *dimension == Dimension::Format && label.is_some_and(|label| values.contains(&label.to_lowercase()));
        by_label || values.contains(&value.to_lowercase())
    })
}

/// Sums the leaves. Rows are sorted by period, then by codes.
pub fn sum(inner: &Inner, groups: &Groups) -> Vec<Row> {
    let time = groups.dimensions.iter().copied().find(|dimension| dimension.is_time());
    let others: Vec<Dimension> = groups.dimensions.iter().copied().filter(|dimension| !dimension.is_time()).collect();
    let device = others.iter().any(|it| it.is_device()) || groups.filters.iter().any(|(it, _)| it.is_device());
    let parts = if device { PARTS } else { 1 };
    let mut ids: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut members: Vec<(usize, usize, usize)> = Vec::new();
    for (index, leaf) in inner.leaves.iter().enumerate() {
        let account = crate::world::apps::APPS[inner.units[leaf.unit].app].account;
        let network = groups.kind == Kind::Mediation || SOURCES[leaf.source].id == crate::world::sources::ADMOB_NETWORK;
        if !network || !groups.accounts.contains(&account) {
            continue;
        }
        for part in 0..parts {
            if admits(inner, &groups.filters, leaf, part) {
                let codes = others.iter().map(|dimension| dimension.code(inner, leaf, part)).collect();
                let next = ids.len();
                members.push((index, part, *ids.entry(codes).or_insert(next)));
            }
        }
    }
    let (today, hours) = inner.clock();
    let oldest = today.saturating_sub(jiff::Span::new().days(DAYS_KEPT));
    let periods = groups.filters.iter().filter(|(dimension, _)| dimension.is_time());
    let periods: Vec<_> = periods.collect();
    let mut sums: Vec<(String, Vec<Totals>)> = Vec::new();
    let mut date = groups.start.max(oldest);
    while date <= groups.end.min(today) {
        if periods.iter().all(|(dimension, values)| values.contains(&dimension.period(date))) {
            let period = time.map_or_else(String::new, |dimension| dimension.period(date));
            if sums.last().is_none_or(|(last, _)| *last != period) {
                sums.push((period, vec![Totals::default(); ids.len()]));
            }
            let day = figures::day(&inner.units, date, if date == today { hours } else { 24 });
            if let Some((_, totals)) = sums.last_mut() {
                for (leaf, part, group) in &members {
                    let whole = inner.leaves[*leaf].on(&day);
                    if device {
                        let (from, to) = part_bounds(*part);
                        totals[*group].add(&whole.part(from, to));
                    } else {
                        totals[*group].add(&whole);
                    }
                }
            }
        }
        date = date.saturating_add(jiff::Span::new().days(1));
    }
    let mut keys: Vec<(&Vec<u32>, usize)> = ids.iter().map(|(codes, id)| (codes, *id)).collect();
    keys.sort_unstable();
    let mut rows = Vec::new();
    for (period, totals) in sums {
        for (codes, id) in keys.iter().filter(|(_, id)| totals[*id].requests > 0) {
            rows.push(Row { period: period.clone(), codes: (*codes).clone(), totals: totals[*id] });
        }
    }
    rows
}
