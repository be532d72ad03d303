//! The parts of a number: what each report adds to it. Pure. If the parts do not add up exactly, it claims nothing.

use adagent_contract::{Artifact, ColumnKind, Covers, StepView, TableArtifact, TurnView, Value};
use adagent_domain::{Money, ToolCallId};

/// What one report adds to a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub call: ToolCallId,
    pub value: Value,
}

/// The rows of a report that count.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Days {
    All,
    /// The days that the answer covers.
    Covered(Covers),
    /// The days of the earlier period that the answer is compared with.
    Before(String),
    One(String),
}

impl Days {
    fn has(&self, date: Option<&str>) -> bool {
        match (self, date) {
            (Self::All, _) => true,
            (_, None) => false,
            (Self::Covered(covers), Some(date)) => covers.from.as_str() <= date && date <= covers.to.as_str(),
            (Self::Before(from), Some(date)) => date < from.as_str(),
            (Self::One(day), Some(date)) => date == day,
        }
    }
}

/// Returns the part of each report, in order; `None` if they do not add up to the number. `day` is the number's own day, if it
/// has one.
pub fn parts(turn: &TurnView, calls: &[ToolCallId], figure: &Value, day: Option<&str>) -> Option<Vec<Part>> {
    let tables: Vec<(ToolCallId, &TableArtifact)> =
        calls.iter().map(|call| Some((*call, table_of(turn, *call)?))).collect::<Option<_>>()?;
    let covered =
        turn.covers.iter().flat_map(|covers| [Days::Covered(covers.clone()), Days::Before(covers.from.clone())]);
    let days = day.map(|day| Days::One(day.to_owned())).into_iter().chain(covered).chain([Days::All]);
    let kind = kind_of(figure)?;
    let (_, first) = tables.first()?;
    let keys: Vec<&str> =
        first.columns.iter().filter(|column| column.kind == kind).map(|column| column.key.as_str()).collect();
    for days in days {
        for key in &keys {
            let part = |(call, table): &(ToolCallId, &TableArtifact)| {
                Some(Part { call: *call, value: sum(table, key, &days)? })
            };
            let Some(parts) = tables.iter().map(part).collect::<Option<Vec<_>>>() else { continue };
            if total(parts.iter().map(|part| &part.value)).as_ref() == Some(figure) {
                return Some(parts);
            }
        }
    }
    None
}

/// Returns the whole table of a call; a shortened table would add up to less.
fn table_of(turn: &TurnView, wanted: ToolCallId) -> Option<&TableArtifact> {
    turn.steps.iter().find_map(|step| match step {
        StepView::Tool { tool_call_id, artifact: Some(Artifact::Table { table, .. }), .. }
            if *tool_call_id == wanted =>
        {
            (table.row_count == table.rows.len() as u64).then_some(table)
        }
        _ => None,
    })
}

/// Returns the kind of column to add up. Rates and shares are never added.
const fn kind_of(figure: &Value) -> Option<ColumnKind> {
    match figure {
        Value::Money { .. } => Some(ColumnKind::Money),
        Value::Count { .. } => Some(ColumnKind::Count),
        _ => None,
    }
}

fn sum(table: &TableArtifact, key: &str, days: &Days) -> Option<Value> {
    let at = table.columns.iter().position(|column| column.key == key)?;
    let date = table.columns.iter().position(|column| column.kind == ColumnKind::Date);
    let counts = |row: &&Vec<Value>| {
        let date = date.and_then(|date| row.get(date)).and_then(|value| match value {
            Value::Date { value } => Some(value.as_str()),
            _ => None,
        });
        days.has(date)
    };
    total(table.rows.iter().filter(counts).filter_map(|row| row.get(at)))
}

/// Adds up money of one currency, or counts.
fn total<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let mut sum = None::<Value>;
    for value in values {
        sum = Some(match (sum, value) {
            (sum, Value::Missing) => sum.unwrap_or(Value::Missing),
            (None | Some(Value::Missing), value) => value.clone(),
            (Some(Value::Money { money: a }), Value::Money { money: b }) if a.currency == b.currency => {
                Value::Money { money: Money { micros: a.micros.checked_add(b.micros)?, ..a } }
            }
            (Some(Value::Count { value: a }), Value::Count { value: b }) => Value::Count { value: a.checked_add(*b)? },
            _ => return None,
        });
    }
    sum.filter(|sum| *sum != Value::Missing)
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Column, StepState};
    use adagent_domain::{Currency, Ids as _, Network, RunId, SequentialIds, Timestamp};
    use serde_json::json;

    use super::*;

    fn usd(micros: i64) -> Value {
        Value::Money { money: Money::new(Currency::USD, micros) }
    }

    fn report(id: ToolCallId, days: &[(&str, i64, i64)]) -> StepView {
        let column = |key: &str, kind| Column { key: key.into(), label: key.into(), kind, unit: None };
        let rows: Vec<Vec<Value>> = days
            .iter()
            .map(|(day, micros, count)| {
                vec![Value::Date { value: (*day).into() }, usd(*micros), Value::Count { value: *count }]
            })
            .collect();
        let table = TableArtifact {
            columns: vec![
                column("date", ColumnKind::Date),
                column("revenue", ColumnKind::Money),
                column("impressions", ColumnKind::Count),
            ],
            row_count: rows.len() as u64,
            rows,
            total: None,
            sorted_by: None,
        };
        StepView::Tool {
            at: Timestamp::EPOCH,
            tool_call_id: id,
            name: "admob_generate_network_report".into(),
            source: Network::AdMob.into(),
            params: json!({}),
            read_only: true,
            state: StepState::Ok,
            message: None,
            progress: None,
            summary: None,
            result: None,
            artifact: Some(Artifact::Table { title: "R".into(), subtitle: String::new(), table, sources: vec![id] }),
            duration_ms: None,
            cached: false,
            done_at: None,
            to: None,
        }
    }

    #[test]
    fn the_days_of_the_answer_add_up_over_its_reports() {
        let ids = SequentialIds::default();
        let calls: Vec<ToolCallId> = (0..3).map(|_| ToolCallId(ids.next_uuid())).collect();
        let mut turn = TurnView::new(RunId::new(&ids));
        for (at, call) in calls.iter().enumerate() {
            let micros = 1_000_000 * (i64::try_from(at).unwrap() + 1);
            turn.steps.push(report(*call, &[("2026-11-17", 5, 1), ("2026-11-18", micros, 2), ("2026-11-19", 1, 3)]));
        }
        turn.covers = Some(Covers { from: "2026-11-18".into(), to: "2026-11-19".into() });
        let values = |figure: Value, day: Option<&str>| {
            parts(&turn, &calls, &figure, day).map(|parts| parts.into_iter().map(|part| part.value).collect::<Vec<_>>())
        };
        assert_eq!(values(usd(6_000_003), None), Some(vec![usd(1_000_001), usd(2_000_001), usd(3_000_001)]));
        assert_eq!(values(usd(15), None), Some(vec![usd(5), usd(5), usd(5)]), "the days before");
        assert_eq!(values(usd(3), Some("2026-11-19")), Some(vec![usd(1), usd(1), usd(1)]), "a day of a chart");
        let count = |value| Value::Count { value };
        assert_eq!(values(count(15), None), Some(vec![count(5), count(5), count(5)]));
        assert_eq!(values(usd(7), None), None, "nothing is claimed");
        assert_eq!(values(Value::Percent { value: 8.0 }, None), None, "rates are not added");
    }
}
