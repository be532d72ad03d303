//! Limits on the figures of rows: a number, or the average of all rows.

use super::{
    merge::{Merged, Sums},
    metric::Metric,
    spec::Plan,
};
use crate::slots::{ABOVE_AVERAGE, BELOW_AVERAGE};

/// From here on a float has no room for cents.
const LARGEST_EXACT: f64 = 1e12;

#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct Threshold {
    pub metric: Metric,
    pub operator: String,
    pub limit: f64,
    /// As it was written, where it is larger than a float can hold exactly.
    pub written: Option<String>,
    /// The limit is the average of the rows, or the rate of all of them together.
    pub average: bool,
}

impl Threshold {
    pub fn of(metric: Metric, (operator, limit): (&String, &f64), question: &str) -> Self {
        let written = (*limit >= LARGEST_EXACT).then(|| written(question, *limit)).flatten();
        let average = [BELOW_AVERAGE, ABOVE_AVERAGE].contains(&operator.as_str());
        Self { metric, operator: operator.clone(), limit: *limit, written, average }
    }
}

/// A number in the person's own digits.
fn written(question: &str, limit: f64) -> Option<String> {
    let found = crate::text::tokens(question).into_iter().find(|token| token.number().is_some_and(|n| n >= limit))?;
    question.get(found.start..found.end).map(str::to_owned)
}

/// The plan with what "average" comes to in these rows: of what adds up, the sum by rows; of a rate, that of all together.
pub(super) fn against_average(plan: &Plan, now: &Merged) -> Option<Plan> {
    if !plan.thresholds.iter().any(|threshold| threshold.average) {
        return None;
    }
    let mut own = plan.clone();
    let total = now.total();
    for threshold in own.thresholds.iter_mut().filter(|threshold| threshold.average) {
        let all = threshold.metric.of(&total, now.currency()).as_f64().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "rows of a report are few")]
        let rows = now.rows.len().max(1) as f64;
        threshold.limit = if threshold.metric.adds_up() { all / rows } else { all };
        threshold.operator = if threshold.operator == BELOW_AVERAGE { "lt" } else { "gt" }.to_owned();
    }
    Some(own)
}

pub(super) fn passes(threshold: &Threshold, sums: &Sums, merged: &Merged) -> bool {
    let Some(value) = threshold.metric.of(sums, merged.currency()).as_f64() else { return false };
    match threshold.operator.as_str() {
        "lt" => value < threshold.limit,
        "lte" => value <= threshold.limit,
        "gt" => value > threshold.limit,
        "gte" => value >= threshold.limit,
        _ => true,
    }
}
