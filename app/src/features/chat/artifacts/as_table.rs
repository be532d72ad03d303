//! Charts as tables, so that every number in them can be read, copied and exported. Pure.

use adagent_contract::{BarItem, Column, ColumnKind, TableArtifact, TimeseriesArtifact, Value};

fn kind_of<'a>(mut values: impl Iterator<Item = &'a Value>) -> ColumnKind {
    match values.find(|value| !matches!(value, Value::Missing)) {
        Some(Value::Money { .. }) => ColumnKind::Money,
        Some(Value::Count { .. }) => ColumnKind::Count,
        Some(Value::Percent { .. }) => ColumnKind::Percent,
        _ => ColumnKind::Number,
    }
}

fn table(columns: Vec<Column>, rows: Vec<Vec<Value>>) -> TableArtifact {
    TableArtifact { columns, row_count: rows.len() as u64, rows, total: None, sorted_by: None }
}

/// Makes one row per date and one column per series.
pub fn of_series(chart: &TimeseriesArtifact) -> TableArtifact {
    let mut dates: Vec<&str> =
        chart.series.iter().flat_map(|series| series.points.iter().map(|p| p.at.as_str())).collect();
    dates.sort_unstable();
    dates.dedup();
    let head = Column { key: "date".into(), label: "Date".into(), kind: ColumnKind::Date, unit: None };
    let columns = std::iter::once(head)
        .chain(chart.series.iter().enumerate().map(|(at, series)| Column {
            key: format!("series-{at}"),
            label: series.name.clone(),
            kind: kind_of(series.points.iter().map(|point| &point.value)),
            unit: Some(chart.unit.clone()),
        }))
        .collect();
    let rows = dates
        .into_iter()
        .map(|date| {
            let cells = chart.series.iter().map(|series| {
                series.points.iter().find(|point| point.at == date).map_or(Value::Missing, |point| point.value.clone())
            });
            std::iter::once(Value::Date { value: date.to_owned() }).chain(cells).collect()
        })
        .collect();
    table(columns, rows)
}

/// Makes one row per bar, with its share and its compared value if there are any.
pub fn of_bars(title: &str, unit: &str, items: &[BarItem]) -> TableArtifact {
    let kind = kind_of(items.iter().map(|item| &item.value));
    let column = |key: &str, label: &str, kind, unit: Option<&str>| Column {
        key: key.into(),
        label: label.into(),
        kind,
        unit: unit.map(str::to_owned),
    };
    let shares = items.iter().any(|item| item.share.is_some());
    let before = items.iter().any(|item| item.previous.is_some());
    let mut columns = vec![column("name", "Name", ColumnKind::Text, None), column("value", title, kind, Some(unit))];
    if before {
        columns.push(column("previous", "Before", kind, Some(unit)));
    }
    if shares {
        columns.push(column("share", "Share", ColumnKind::Percent, None));
    }
    let rows = items
        .iter()
        .map(|item| {
            let mut row = vec![Value::Text { value: item.label.clone() }, item.value.clone()];
            if before {
                row.push(item.previous.clone().unwrap_or(Value::Missing));
            }
            if shares {
                row.push(item.share.map_or(Value::Missing, |value| Value::Percent { value }));
            }
            row
        })
        .collect();
    table(columns, rows)
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Point, Series};

    use super::*;

    #[test]
    fn a_date_without_a_point_is_missing_not_zero() {
        let point = |at: &str, value| Point { at: at.into(), value: Value::Count { value }, date: None };
        let chart = TimeseriesArtifact {
            unit: "impressions".into(),
            series: vec![
                Series {
                    name: "A".into(),
                    previous: false,
                    points: vec![point("2026-11-02", 2), point("2026-11-01", 1)],
                },
                Series { name: "B".into(), previous: true, points: vec![point("2026-11-02", 5)] },
            ],
        };
        let table = of_series(&chart);
        assert_eq!(table.columns.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(), ["Date", "A", "B"]);
        assert_eq!(
            table.rows[0],
            [Value::Date { value: "2026-11-01".into() }, Value::Count { value: 1 }, Value::Missing]
        );
        assert_eq!(table.row_count, 2);
    }

    #[test]
    fn bars_gain_only_the_columns_they_have() {
        let item = |share| BarItem { label: "US".into(), value: Value::Count { value: 1 }, previous: None, share };
        assert_eq!(of_bars("Clicks", "clicks", &[item(None)]).columns.len(), 2);
        assert_eq!(of_bars("Clicks", "clicks", &[item(Some(40.0))]).columns.len(), 3);
    }
}
