//! Builds tiles, charts, bars and tables from merged rows. Every value keeps its type. Nothing here rounds; the page does that.

use adagent_contract::{
    Artifact, BarItem, Column, ColumnKind, KpiTile, Point, Series, TableArtifact, TimeseriesArtifact, Tone, Value,
};
use adagent_domain::{Currency, ToolCallId};

use super::{
    merge::{Merged, Row, Sums},
    metric::{Dim, Metric},
};

/// The most bars that stay readable. More rows go into the table.
pub(in crate::planner) const MOST_BARS: usize = 12;

/// Where an artifact comes from, and what it covers.
pub(in crate::planner) struct Frame<'a> {
    pub subtitle: String,
    pub sources: &'a [ToolCallId],
    pub currency: Currency,
}

/// Returns the relative change in percent. For rates, returns the difference in points.
pub(in crate::planner) fn change(metric: Metric, now: &Value, before: &Value) -> Option<f64> {
    let (now, before) = (now.as_f64()?, before.as_f64()?);
    if metric.is_rate() {
        Some(now - before)
    } else if before == 0.0 {
        None
    } else {
        Some((now - before) * 100.0 / before)
    }
}

pub(in crate::planner) const fn unit(metric: Metric) -> &'static str {
    if metric.is_rate() { "pt" } else { "%" }
}

pub(in crate::planner) fn tile(metric: Metric, now: &Sums, before: Option<&Sums>, currency: Currency) -> KpiTile {
    let value = metric.of(now, currency);
    let previous = before.map(|sums| metric.of(sums, currency)).filter(|v| *v != Value::Missing);
    let change = previous.as_ref().and_then(|previous| change(metric, &value, previous));
    KpiTile {
        label: metric.label().to_owned(),
        value,
        previous,
        change,
        change_unit: unit(metric).to_owned(),
        tone: change.map_or(Tone::Neutral, |c| metric.tone(c)),
    }
}

pub(in crate::planner) fn axis_unit(metric: Metric, currency: Currency) -> String {
    match metric.kind() {
        ColumnKind::Money => currency.code().to_owned(),
        ColumnKind::Percent => "%".to_owned(),
        _ if metric == Metric::Latency => "ms".to_owned(),
        _ => metric.word(),
    }
}

/// Draws a line per day, week or month, with the compared period over it, matched by position.
pub(in crate::planner) fn timeseries(
    title: String,
    frame: &Frame<'_>,
    metric: Metric,
    current: &[Row],
    previous: Option<(&[Row], String)>,
    name: String,
) -> Artifact {
    let point =
        |row: &Row| (row.cells.first().map(Value::raw).unwrap_or_default(), metric.of(&row.sums, frame.currency));
    let mut now: Vec<(String, Value)> = current.iter().map(point).collect();
    now.sort_by(|a, b| a.0.cmp(&b.0));
    let mut series = vec![Series {
        name,
        previous: false,
        points: now.iter().map(|(at, value)| Point { at: at.clone(), value: value.clone(), date: None }).collect(),
    }];
    if let Some((rows, name)) = previous {
        let mut before: Vec<(String, Value)> = rows.iter().map(point).collect();
        before.sort_by(|a, b| a.0.cmp(&b.0));
        let points: Vec<Point> = now
            .iter()
            .zip(before)
            .map(|((at, _), (date, value))| Point { at: at.clone(), value, date: Some(date) })
            .collect();
        if !points.is_empty() {
            series.push(Series { name, previous: true, points });
        }
    }
    Artifact::Timeseries {
        title,
        subtitle: frame.subtitle.clone(),
        chart: TimeseriesArtifact { series, unit: axis_unit(metric, frame.currency) },
        sources: frame.sources.to_vec(),
    }
}

/// Draws one line per value of the second dimension, for the largest ones.
pub(in crate::planner) fn many_series(
    title: String,
    frame: &Frame<'_>,
    metric: Metric,
    rows: &[Row],
    (time, by): (usize, usize),
) -> Artifact {
    let mut order: Vec<(String, f64)> = Vec::new();
    for row in rows {
        let name = row.cells.get(by).map(Value::raw).unwrap_or_default();
        let size = metric.of(&row.sums, frame.currency).as_f64().unwrap_or(0.0);
        match order.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += size,
            None => order.push((name, size)),
        }
    }
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let series = order
        .into_iter()
        .take(5)
        .map(|(name, _)| {
            let mut points: Vec<Point> = rows
                .iter()
                .filter(|row| row.cells.get(by).map(Value::raw).unwrap_or_default() == name)
                .map(|row| Point {
                    at: row.cells.get(time).map(Value::raw).unwrap_or_default(),
                    value: metric.of(&row.sums, frame.currency),
                    date: None,
                })
                .collect();
            points.sort_by(|a, b| a.at.cmp(&b.at));
            Series { name, previous: false, points }
        })
        .collect();
    Artifact::Timeseries {
        title,
        subtitle: frame.subtitle.clone(),
        chart: TimeseriesArtifact { series, unit: axis_unit(metric, frame.currency) },
        sources: frame.sources.to_vec(),
    }
}

pub(in crate::planner) fn label(cells: &[Value]) -> String {
    let parts: Vec<String> = cells
        .iter()
        .map(|cell| match cell {
            Value::Missing => "(none)".to_owned(),
            other => {
                let text = other.raw();
                if text.is_empty() { "(none)".to_owned() } else { text }
            }
        })
        .collect();
    parts.join(" · ")
}

pub(in crate::planner) fn bars(
    title: String,
    frame: &Frame<'_>,
    metric: Metric,
    rows: &[Row],
    before: Option<&Merged>,
    total: &Sums,
) -> Artifact {
    let whole = metric.adds_up().then(|| metric.of(total, frame.currency).as_f64()).flatten().filter(|w| *w > 0.0);
    let items = rows
        .iter()
        .take(MOST_BARS)
        .map(|row| {
            let value = metric.of(&row.sums, frame.currency);
            BarItem {
                label: label(&row.cells),
                share: whole.and_then(|whole| value.as_f64().map(|v| v * 100.0 / whole)),
                previous: before.and_then(|b| previous(b, row)).map(|sums| metric.of(sums, frame.currency)),
                value,
            }
        })
        .collect();
    Artifact::Bars {
        title,
        subtitle: frame.subtitle.clone(),
        unit: axis_unit(metric, frame.currency),
        items,
        sources: frame.sources.to_vec(),
    }
}

/// Returns the sums of the same combination in the compared period.
pub(in crate::planner) fn previous<'m>(before: &'m Merged, row: &Row) -> Option<&'m Sums> {
    let key: Vec<String> = row.cells.iter().map(super::merge::identity).collect();
    before
        .rows
        .iter()
        .find(|other| other.cells.iter().map(super::merge::identity).eq(key.iter().cloned()))
        .map(|other| &other.sums)
}

/// What a table shows.
pub(in crate::planner) struct TableSpec<'a> {
    pub dims: &'a [Dim],
    pub metrics: &'a [Metric],
    pub rows: &'a [Row],
    pub total: &'a Sums,
    /// How many rows the total adds up.
    pub of: usize,
    pub before: Option<(&'a Merged, &'a Sums)>,
    /// The rows that are comparable, if the comparison doesn't cover all of a row, and the names of the networks that it leaves out.
    pub alike: Option<(&'a Merged, String)>,
    pub sorted_by: Option<String>,
}

pub(in crate::planner) fn table(title: String, frame: &Frame<'_>, spec: &TableSpec<'_>) -> Artifact {
    let lead = spec.metrics.first().copied();
    let mut columns: Vec<Column> = spec
        .dims
        .iter()
        .enumerate()
        .map(|(at, dim)| Column {
            key: dim.key().to_owned(),
            label: dim.label().to_owned(),
            kind: spec.rows.iter().find_map(|row| kind(row.cells.get(at)?)).unwrap_or(ColumnKind::Text),
            unit: None,
        })
        .collect();
    let without = spec.alike.as_ref().map_or_else(String::new, |(_, names)| format!(", without {names}"));
    for metric in spec.metrics {
        columns.push(Column {
            key: metric.key().to_owned(),
            label: metric.label().to_owned(),
            kind: metric.kind(),
            unit: (metric.kind() == ColumnKind::Money).then(|| frame.currency.code().to_owned()),
        });
        if spec.before.is_some() && Some(*metric) == lead {
            columns.push(Column {
                key: format!("previous_{}", metric.key()),
                label: format!("Before{without}"),
                kind: metric.kind(),
                unit: (metric.kind() == ColumnKind::Money).then(|| frame.currency.code().to_owned()),
            });
            columns.push(Column {
                key: "change".to_owned(),
                label: if metric.is_rate() { format!("Change{without}, pt") } else { format!("Change{without}") },
                kind: if metric.is_rate() { ColumnKind::Number } else { ColumnKind::Percent },
                unit: metric.is_rate().then(|| "pt".to_owned()),
            });
        }
    }
    let whole = lead
        .filter(|lead| spec.of > 1 && spec.before.is_none() && lead.adds_up())
        .and_then(|lead| Some((lead, lead.of(spec.total, frame.currency).as_f64().filter(|w| *w > 0.0)?)));
    if whole.is_some() {
        columns.push(Column {
            key: "share".to_owned(),
            label: "Share".to_owned(),
            kind: ColumnKind::Percent,
            unit: None,
        });
    }
    let figures = |sums: &Sums, alike: Option<&Sums>, before: Option<&Sums>| -> Vec<Value> {
        let mut out = Vec::new();
        for metric in spec.metrics {
            let value = metric.of(sums, frame.currency);
            let compared = (spec.before.is_some() && Some(*metric) == lead).then(|| {
                let previous = before.map_or(Value::Missing, |b| metric.of(b, frame.currency));
                let compared = alike.map_or(Value::Missing, |alike| metric.of(alike, frame.currency));
                let change = change(*metric, &compared, &previous).map_or(Value::Missing, |value| {
                    if metric.is_rate() { Value::Number { value } } else { Value::Percent { value } }
                });
                [previous, change]
            });
            out.push(value);
            out.extend(compared.into_iter().flatten());
        }
        out.extend(whole.map(|(lead, whole)| {
            let part = lead.of(sums, frame.currency).as_f64();
            part.map_or(Value::Missing, |part| Value::Percent { value: part * 100.0 / whole })
        }));
        out
    };
    let rows: Vec<Vec<Value>> = spec
        .rows
        .iter()
        .map(|row| {
            let mut cells: Vec<Value> = row.cells.iter().map(named).collect();
            let alike = spec.alike.as_ref().map_or(Some(&row.sums), |(alike, _)| previous(alike, row));
            cells.extend(figures(&row.sums, alike, spec.before.and_then(|(merged, _)| previous(merged, row))));
            cells
        })
        .collect();
    let total = (spec.of > 1).then(|| {
        let text = if spec.of > rows.len() { format!("All {}", spec.of) } else { "Total".to_owned() };
        let mut cells = vec![Value::Text { value: text }];
        cells.resize(spec.dims.len().max(1), Value::Text { value: String::new() });
        let alike = spec.alike.as_ref().map(|(alike, _)| alike.total());
        cells.extend(figures(spec.total, alike.as_ref().or(Some(spec.total)), spec.before.map(|(_, sums)| sums)));
        cells
    });
    Artifact::Table {
        title,
        subtitle: frame.subtitle.clone(),
        table: TableArtifact {
            columns,
            row_count: u64::try_from(spec.of).unwrap_or(u64::MAX),
            rows,
            total,
            sorted_by: spec.sorted_by.clone(),
        },
        sources: frame.sources.to_vec(),
    }
}

/// Gives an unnamed thing its ID as a name, because an empty name would be an empty cell.
fn named(cell: &Value) -> Value {
    match cell {
        Value::Entity { id, name } if name.is_empty() => Value::Entity { id: id.clone(), name: id.clone() },
        Value::Missing => Value::Text { value: "(none)".to_owned() },
        other => other.clone(),
    }
}

const fn kind(cell: &Value) -> Option<ColumnKind> {
    Some(match cell {
        Value::Entity { .. } => ColumnKind::Entity,
        Value::Date { .. } => ColumnKind::Date,
        Value::Text { .. } => ColumnKind::Text,
        Value::Money { .. } => ColumnKind::Money,
        Value::Count { .. } => ColumnKind::Count,
        Value::Percent { .. } => ColumnKind::Percent,
        Value::Number { .. } => ColumnKind::Number,
        Value::Missing => return None,
    })
}
