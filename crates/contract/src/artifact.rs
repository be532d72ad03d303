//! Typed results that the interface can draw. Every number is a typed value: pages format it, exports write it raw.

mod cell;

use adagent_domain::{Money, ToolCallId};
use serde::{Deserialize, Serialize};

/// Returns an answer followed by how it was counted, for readers that cannot fold it away: programs, and later turns of the chat.
pub fn with_method(answer: &str, method: &[String]) -> String {
    if method.is_empty() {
        return answer.to_owned();
    }
    format!("{answer}{METHOD}{}", method.join("\n- "))
}

/// Returns the answer without the part that says how it was counted.
pub fn without_method(text: &str) -> &str {
    text.split_once(METHOD).map_or(text, |(answer, _)| answer)
}

const METHOD: &str = "\n\nHow this was counted:\n- ";

/// The first and last day that the numbers of an answer cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covers {
    /// The first day, such as `2026-11-16`.
    pub from: String,
    pub to: String,
}

/// The value of one cell, tile or bar.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Value {
    Money {
        money: Money,
    },
    Count {
        value: i64,
    },
    /// 12.5 means 12.5%.
    Percent {
        value: f64,
    },
    Number {
        value: f64,
    },
    /// A calendar date (`2026-11-20`), a month (`2026-11`), or a week, named by its Monday.
    Date {
        value: String,
    },
    Text {
        value: String,
    },
    /// An entity of a network: pages show its name and copy its ID.
    Entity {
        id: String,
        name: String,
    },
    /// No number: a rate without a denominator, or a field that the network left out.
    Missing,
}

impl Value {
    /// Returns the number for sorting and drawing. `None` if the value holds no number.
    #[expect(clippy::cast_precision_loss, reason = "drawing needs no more than 53 bits")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Money { money } => Some(money.micros as f64 / 1e6),
            Self::Count { value } => Some(*value as f64),
            Self::Percent { value } | Self::Number { value } => Some(*value),
            Self::Date { .. } | Self::Text { .. } | Self::Entity { .. } | Self::Missing => None,
        }
    }

    /// Returns the value without formatting, for CSV and the clipboard.
    pub fn raw(&self) -> String {
        match self {
            Self::Money { money } => money.display(6).replace(&money.currency.symbol(), "").replace(',', ""),
            Self::Count { value } => value.to_string(),
            Self::Percent { value } | Self::Number { value } => value.to_string(),
            Self::Date { value } | Self::Text { value } => value.clone(),
            Self::Entity { name, .. } => name.clone(),
            Self::Missing => String::new(),
        }
    }
}

/// Whether a change is welcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Good,
    Bad,
    Neutral,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KpiTile {
    pub label: String,
    pub value: Value,
    /// The same value in the compared period.
    pub previous: Option<Value>,
    /// The relative change in percent. For percentages, the difference in points (see `change_unit`).
    pub change: Option<f64>,
    /// The unit of `change`: `%` or `pt`.
    pub change_unit: String,
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    Text,
    Entity,
    Date,
    Money,
    Count,
    Percent,
    Number,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub key: String,
    pub label: String,
    pub kind: ColumnKind,
    /// The unit in the heading of a numeric column, for example `USD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableArtifact {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
    /// A last row of sums, if sums make sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Vec<Value>>,
    /// The key of the column that sorts the rows. A leading `-` means largest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sorted_by: Option<String>,
    /// How many rows there were before the table was cut. Equal to `rows.len()` if it was not cut.
    pub row_count: u64,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    /// The series is the compared period, which the chart draws dashed in its own color.
    pub previous: bool,
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The position on the axis: a date of the current period, for the compared one too.
    pub at: String,
    pub value: Value,
    /// The point's own date if it differs from `at` (compared period).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeseriesArtifact {
    pub series: Vec<Series>,
    /// `USD`, `impressions`, `%` …
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BarItem {
    pub label: String,
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Value>,
    /// The share of the whole in percent, if the parts add up to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// A typed result that the interface can draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Artifact {
    Kpi {
        title: String,
        /// The period, network and time zone, for people to check.
        subtitle: String,
        tiles: Vec<KpiTile>,
        #[serde(default)]
        sources: Vec<ToolCallId>,
    },
    Timeseries {
        title: String,
        subtitle: String,
        #[serde(flatten)]
        chart: TimeseriesArtifact,
        #[serde(default)]
        sources: Vec<ToolCallId>,
    },
    Bars {
        title: String,
        subtitle: String,
        unit: String,
        items: Vec<BarItem>,
        #[serde(default)]
        sources: Vec<ToolCallId>,
    },
    Table {
        title: String,
        subtitle: String,
        #[serde(flatten)]
        table: TableArtifact,
        #[serde(default)]
        sources: Vec<ToolCallId>,
    },
    Json {
        title: String,
        value: serde_json::Value,
        #[serde(default)]
        sources: Vec<ToolCallId>,
    },
}

impl Artifact {
    pub fn title(&self) -> &str {
        match self {
            Self::Kpi { title, .. }
            | Self::Timeseries { title, .. }
            | Self::Bars { title, .. }
            | Self::Table { title, .. }
            | Self::Json { title, .. } => title,
        }
    }
}
