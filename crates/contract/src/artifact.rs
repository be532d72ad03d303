//! Typed results the interface can draw. Every figure is a typed value, formatted at the edge, exported raw.

mod cell;

use adagent_domain::{Money, ToolCallId};
use serde::{Deserialize, Serialize};

/// An answer with how it was counted, where it cannot be folded away: for programs, and for later turns of the chat.
pub fn with_method(answer: &str, method: &[String]) -> String {
    if method.is_empty() {
        return answer.to_owned();
    }
    format!("{answer}{METHOD}{}", method.join("\n- "))
}

/// The answer alone again.
pub fn without_method(text: &str) -> &str {
    text.split_once(METHOD).map_or(text, |(answer, _)| answer)
}

const METHOD: &str = "\n\nHow this was counted:\n- ";

/// First and last day that the figures of an answer cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covers {
    /// `2026-11-16`.
    pub from: String,
    pub to: String,
}

/// One cell, tile or bar value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Value {
    Money {
        money: Money,
    },
    Count {
        value: i64,
    },
    /// 12.5 means 12.5 %.
    Percent {
        value: f64,
    },
    Number {
        value: f64,
    },
    /// A civil date (`2026-11-20`), month (`2026-11`), or week named by its Monday.
    Date {
        value: String,
    },
    Text {
        value: String,
    },
    /// Something of a network: shown by name, copied by id.
    Entity {
        id: String,
        name: String,
    },
    /// No figure: a rate without a denominator, a field the network left out.
    Missing,
}

impl Value {
    /// For sorting and drawing; `None` where there is no number.
    #[expect(clippy::cast_precision_loss, reason = "drawing needs no more than 53 bits")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Money { money } => Some(money.micros as f64 / 1e6),
            Self::Count { value } => Some(*value as f64),
            Self::Percent { value } | Self::Number { value } => Some(*value),
            Self::Date { .. } | Self::Text { .. } | Self::Entity { .. } | Self::Missing => None,
        }
    }

    /// Unformatted, for CSV and the clipboard.
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
    /// The same figure in the compared period.
    pub previous: Option<Value>,
    /// Relative change in percent; for percentages the difference in points (see `change_unit`).
    pub change: Option<f64>,
    /// `%` or `pt`.
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
    /// Shown in the head of numeric columns, e.g. `USD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableArtifact {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
    /// A last row of sums, where sums mean something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Vec<Value>>,
    /// Key of the column the rows are sorted by; `-` in front means largest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sorted_by: Option<String>,
    /// How many rows there were before a cut; equal to `rows.len()` when nothing was cut.
    pub row_count: u64,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    /// The compared period is drawn dashed in its own colour.
    pub previous: bool,
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Position on the axis: a date of the current period, also for the compared one.
    pub at: String,
    pub value: Value,
    /// The point's own date when it differs from `at` (compared period).
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
    /// Part of the whole in percent, where parts add up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// A typed result the interface can draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Artifact {
    Kpi {
        title: String,
        /// Period, network and time zone, as people check them.
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
