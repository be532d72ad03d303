//! The common form of every network's report: columns with shared names, typed rows, and the period that the numbers cover.
//!
//! The column keys are these. Metrics: `revenue, impressions, requests, fills, match_rate, show_rate, ecpm, clicks, ctr, installs, cost,
//! cpi, interactions, latency`. Dimensions: `date, week, month, app, ad_unit, ad_source, instance, mediation_group, country, format,
//! platform, app_version, os_version, sdk_version, restriction, ad_type, campaign, campaign_name, ad, ad_name, placement, placement_name`.
//! Dimension columns come first, then metric columns, each in the order of the request. A report must never hold a number that no network
//! sent.

use serde::{Deserialize, Serialize};

use crate::{AccountChoice, Column, ColumnKind, Value};

/// A normalized report. In the result of a tool, it is the object with `"kind": "report"`.
///
/// `app`, `ad_unit`, `ad_source`, `instance`, `mediation_group`, `country`, `format`, `platform`, `campaign`, `ad` and
/// `placement` are [`Value::Entity`] (wire value and name); dates, weeks and months are [`Value::Date`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "report")]
pub struct ReportData {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
    /// How many rows match, as the network says. Larger than `rows.len()` if a limit cut them.
    pub row_count: u64,
    pub truncated: bool,
    pub currency: Option<String>,
    pub time_zone: Option<String>,
    /// The first and last day that the report covers, both included (`2026-11-20`).
    pub date_from: String,
    pub date_to: String,
    /// The publisher account that the report is about, with its ID and name.
    pub account: Option<AccountChoice>,
    /// The network's notes about the numbers ("data for the last day is not complete").
    pub warnings: Vec<String>,
}

impl ReportData {
    /// Reads the result of a tool. `None` if it is not a report.
    pub fn from_result(result: &serde_json::Value) -> Option<Self> {
        if result.get("kind")?.as_str()? != "report" {
            return None;
        }
        Self::deserialize(result).ok()
    }

    /// Finds the position of the column with this key.
    pub fn column(&self, key: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.key == key)
    }

    /// Checks whether the column at this position is a dimension (otherwise it is a metric).
    pub fn is_dimension(&self, index: usize) -> bool {
        self.columns
            .get(index)
            .is_some_and(|column| matches!(column.kind, ColumnKind::Text | ColumnKind::Entity | ColumnKind::Date))
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Currency, Money};

    use super::*;

    fn report() -> ReportData {
        ReportData {
            columns: vec![
                Column { key: "app".into(), label: "App".into(), kind: ColumnKind::Entity, unit: None },
                Column {
                    key: "revenue".into(),
                    label: "Revenue".into(),
                    kind: ColumnKind::Money,
                    unit: Some("USD".into()),
                },
            ],
            rows: vec![vec![
                Value::Entity { id: "ca-app-pub-1~2".into(), name: "Puzzle Game".into() },
                Value::Money { money: Money::new(Currency::USD, 1_234_567) },
            ]],
            row_count: 1,
            truncated: false,
            currency: Some("USD".into()),
            time_zone: Some("Etc/UTC".into()),
            date_from: "2026-11-20".into(),
            date_to: "2026-11-20".into(),
            account: None,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_report_round_trips_as_a_tool_result_and_other_results_are_none() {
        let json = serde_json::to_value(report()).expect("serialises");
        assert_eq!(json["kind"], "report");
        assert_eq!(json["rows"][0][1]["money"]["micros"], 1_234_567);
        assert_eq!(ReportData::from_result(&json), Some(report()));
        assert_eq!(ReportData::from_result(&serde_json::json!({"kind": "list", "items": []})), None);
    }

    #[test]
    fn columns_are_found_by_key_and_told_apart() {
        let report = report();
        assert_eq!(report.column("revenue"), Some(1));
        assert_eq!(report.column("clicks"), None);
        assert!(report.is_dimension(0) && !report.is_dimension(1) && !report.is_dimension(9));
    }
}
