//! A run's steps as rows of bars on one axis. This module computes them; the page only draws them.

use adagent_contract::{StepKind, StepTiming};
use adagent_domain::Timestamp;

/// A stretch of time, in microseconds after the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub from: i64,
    pub took: i64,
    pub ok: bool,
}

/// A row of the timeline: every step of one kind and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub kind: StepKind,
    pub spans: Vec<Span>,
}

impl Row {
    pub fn took(&self) -> i64 {
        self.spans.iter().map(|span| span.took).sum()
    }
}

/// Returns rows in the order in which they first began. Calls and model requests come below the step that made them.
pub fn rows(steps: &[StepTiming], start: Timestamp) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for step in steps {
        let span = Span {
            from: (step.started_at.as_micros() - start.as_micros()).max(0),
            took: i64::try_from(step.duration_us).unwrap_or(i64::MAX),
            ok: step.ok,
        };
        match rows.iter_mut().find(|row| row.kind == step.kind && row.label == step.name) {
            Some(row) => row.spans.push(span),
            None => rows.push(Row { label: step.name.clone(), kind: step.kind, spans: vec![span] }),
        }
    }
    let first = |row: &Row| row.spans.iter().map(|span| span.from).min();
    rows.sort_by_key(|row| (first(row), !matches!(row.kind, StepKind::Queue | StepKind::Node)));
    rows
}

/// Returns when the run waited for a person: start and end, in order.
pub fn waits(rows: &[Row]) -> Vec<(i64, i64)> {
    let mut waits: Vec<(i64, i64)> = Vec::new();
    let spans = rows.iter().filter(|row| row.kind == StepKind::Person).flat_map(|row| &row.spans);
    let mut all: Vec<(i64, i64)> = spans.map(|span| (span.from, span.from + span.took)).collect();
    all.sort_unstable();
    for (from, to) in all {
        match waits.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => waits.push((from, to)),
        }
    }
    waits
}

/// Returns the total length in microseconds, at least one.
pub fn total(rows: &[Row]) -> i64 {
    rows.iter().flat_map(|row| &row.spans).map(|span| span.from + span.took).max().unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, kind: StepKind, from: i64, took: u64, ok: bool) -> StepTiming {
        let started_at = Timestamp::from_micros(from);
        StepTiming { name: name.into(), kind, started_at, duration_ms: took / 1000, duration_us: took, ok }
    }

    #[test]
    fn what_comes_again_stays_in_its_row() {
        let steps = [
            step("router", StepKind::Node, 0, 10, true),
            step("specialist", StepKind::Node, 10, 10, true),
            step("list_apps", StepKind::Tool, 20, 30, false),
            step("tool_executor", StepKind::Node, 20, 40, true),
            step("specialist", StepKind::Node, 60, 5, true),
        ];
        let rows = rows(&steps, Timestamp::EPOCH);
        let told: Vec<_> = rows.iter().map(|row| (row.label.as_str(), row.took())).collect();
        assert_eq!(told, [("router", 10), ("specialist", 15), ("tool_executor", 40), ("list_apps", 30)]);
        assert_eq!(rows[1].spans.len(), 2);
        assert_eq!((total(&rows), rows[3].spans[0].ok), (65, false));
        assert_eq!((super::rows(&[], Timestamp::EPOCH), total(&[])), (vec![], 1));
    }

    #[test]
    fn waits_that_touch_are_one() {
        let span = |from, took| Span { from, took, ok: true };
        let spans = vec![span(50, 10), span(0, 20), span(10, 15)];
        let row = Row { label: "approval".into(), kind: StepKind::Person, spans };
        assert_eq!(waits(&[row]), vec![(0, 25), (50, 60)]);
    }
}
