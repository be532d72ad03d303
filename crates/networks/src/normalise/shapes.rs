//! The form of each network's reports, as data: where the rows and dates are, what the columns mean, and their units. Read once from the
//! files that the registry names. Holds no numbers of reports.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use adagent_contract::ColumnKind;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{pipeline::dotted, registry};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    columns: BTreeMap<String, Column>,
    reports: BTreeMap<String, Shape>,
    /// Data format → columns that have it, for networks with hundreds of metrics.
    #[serde(default)]
    formats: BTreeMap<Format, Vec<String>>,
}

/// A column of a network, with our key and label for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub key: String,
    pub label: String,
    pub kind: ColumnKind,
    /// How numbers are written; needed for money and rates.
    #[serde(default)]
    pub unit: Unit,
    /// The column with the names of the entities whose IDs this column holds.
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Money in units of its currency, rates in percent.
    #[default]
    Whole,
    /// Money in millionths.
    Micros,
    /// Rates between 0 and 1.
    Ratio,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Format {
    Money,
    Percent,
    Double,
    Integer,
    Date,
}

/// A value that applies to the whole report.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Dotted path into the arguments.
    #[serde(default)]
    pub arg: Option<String>,
    /// The value if the arguments do not give one.
    #[serde(default)]
    pub default: Option<String>,
}

/// One report.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Dotted path to the rows, if it differs from that of the operation's result.
    #[serde(default)]
    pub rows: Option<String>,
    /// Dotted paths into the arguments with the names of the columns, in their order.
    #[serde(default)]
    pub order: Vec<String>,
    /// Columns that every report has even if nobody asks for them; they come first.
    #[serde(default)]
    pub always: Vec<String>,
    #[serde(default)]
    pub currency: Said,
    /// The name of a zone, or hours from UTC.
    #[serde(default)]
    pub time_zone: Said,
    /// Dotted paths to the first and the last day. If `from` leads to both (`first:last`), it counts for both.
    #[serde(default)]
    pub from: Option<String>,
    #[serde(default)]
    pub to: Option<String>,
    /// Where the reply holds the links to report files.
    #[serde(default)]
    pub files: Vec<String>,
    /// The operation that returns the columns, if rows hold values by position.
    #[serde(default)]
    pub definition: Option<String>,
    /// A place in the reply and the value there that means "no data". Then a reply without rows is no error.
    #[serde(default)]
    pub nothing: Option<(String, String)>,
    /// What people should know about these numbers.
    #[serde(default)]
    pub warnings: Vec<String>,
    #[serde(skip)]
    pub columns: Arc<BTreeMap<String, Column>>,
    #[serde(skip)]
    formats: Arc<BTreeMap<String, Format>>,
}

impl Shape {
    /// Returns the columns that these arguments ask for, by name.
    pub fn asked(&self, args: &Json) -> Vec<String> {
        let named = |path: &String| match dotted::get(args, path) {
            Some(Json::Array(list)) => list.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            Some(Json::String(list)) => list.split(',').map(|name| name.trim().to_owned()).collect(),
            _ => Vec::new(),
        };
        self.order.iter().flat_map(named).collect()
    }

    pub fn format(&self, wire: &str) -> Option<Format> {
        self.formats.get(wire).copied()
    }
}

static SHAPES: LazyLock<BTreeMap<String, Shape>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    for (name, text) in registry::reports() {
        let file: File = serde_json::from_str(text).unwrap_or_else(|error| panic!("reports/{name}: {error}"));
        let columns = Arc::new(file.columns);
        let formats =
            file.formats.into_iter().flat_map(|(format, names)| names.into_iter().map(move |name| (name, format)));
        let formats = Arc::new(formats.collect());
        all.extend(file.reports.into_iter().map(|(tool, shape)| {
            (tool, Shape { columns: Arc::clone(&columns), formats: Arc::clone(&formats), ..shape })
        }));
    }
    all
});

/// Returns the shape of an operation's report; `None` for reports with their own reader (AdMob's).
pub fn of(tool: &str) -> Option<&'static Shape> {
    SHAPES.get(tool)
}

#[cfg(test)]
pub fn all() -> impl Iterator<Item = (&'static str, &'static Shape)> {
    SHAPES.iter().map(|(tool, shape)| (tool.as_str(), shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_readable_and_keys_are_the_desks_own() {
        assert!(SHAPES.len() >= 18, "{}", SHAPES.len());
        for (tool, shape) in SHAPES.iter() {
            for (wire, column) in shape.columns.iter() {
                let plain = column.key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
                assert!(plain && !column.label.is_empty(), "{tool} {wire}");
                let named = column.name.as_ref().is_none_or(|name| name != wire);
                assert!(named, "{tool} {wire} names itself");
            }
        }
    }

    #[test]
    fn money_is_revenue_in_every_network() {
        for tool in [
            "applovin_get_max_report",
            "unity_get_levelplay_report",
            "mintegral_get_report",
            "liftoff_get_performance_report",
            "inmobi_get_report",
            "pangle_get_report",
            "dtexchange_create_report",
        ] {
            let shape = of(tool).unwrap_or_else(|| panic!("{tool}"));
            let revenue =
                shape.columns.values().any(|column| column.key == "revenue" && column.kind == ColumnKind::Money);
            assert!(revenue && shape.currency.default.is_some(), "{tool}");
        }
    }
}
