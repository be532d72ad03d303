//! Writes a report as Google streams it: a JSON array of header, rows and footer.

use std::cmp::Ordering;

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::run::{Groups, Row};
use super::spec::{Metric, SortBy, Spec};
use crate::state::Inner;
use crate::world::accounts::{CURRENCY, TIME_ZONE};
use crate::world::figures::Totals;

pub fn date_json(date: Date) -> Value {
    json!({ "year": date.year(), "month": date.month(), "day": date.day() })
}

/// Returns `part / whole`; `None` if `whole` is zero.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Returns the micros per thousand impressions, rounded.
pub fn per_thousand(micros: u64, impressions: u64) -> Option<u64> {
    (impressions > 0).then(|| (micros * 1000 + impressions / 2) / impressions)
}

pub fn integer(value: u64) -> Value {
    json!({ "integerValue": value.to_string() })
}

pub fn micros(value: u64) -> Value {
    json!({ "microsValue": value.to_string() })
}

pub fn double(value: f64) -> Value {
    json!({ "doubleValue": value })
}

/// Returns a metric of a group; `None` if it has no value.
fn metric(metric: Metric, totals: &Totals, rate: u64) -> Option<Value> {
    let money = totals.micros * rate / 1000;
    match metric {
        Metric::AdRequests => Some(integer(totals.requests)),
        Metric::MatchedRequests => Some(integer(totals.matched)),
        Metric::Impressions => Some(integer(totals.impressions)),
        Metric::Clicks => Some(integer(totals.clicks)),
        Metric::EstimatedEarnings => Some(micros(money)),
        Metric::ImpressionCtr => ratio(totals.clicks, totals.impressions).map(double),
        Metric::ImpressionRpm | Metric::ObservedEcpm => per_thousand(money, totals.impressions).map(micros),
        Metric::MatchRate => ratio(totals.matched, totals.requests).map(double),
        Metric::ShowRate => ratio(totals.impressions, totals.matched).map(double),
        Metric::AdLoadLatency => ratio(totals.latency, totals.matched * 1000).map(double),
    }
}

fn size(metric: Metric, totals: &Totals) -> f64 {
    let value = self::metric(metric, totals, 1000);
    let number = value.as_ref().and_then(|value| value.as_object()?.values().next());
    number.and_then(|value| value.as_f64().or_else(|| value.as_str()?.parse().ok())).unwrap_or(-1.0)
}

struct Line<'a> {
    row: &'a Row,
    /// The value and the label of each dimension of the request.
    texts: Vec<(String, Option<String>)>,
}

fn compare(spec: &Spec, a: &Line<'_>, b: &Line<'_>) -> Ordering {
    for (by, descending) in &spec.sort {
        let order = match by {
            SortBy::Metric(metric) => size(*metric, &a.row.totals).total_cmp(&size(*metric, &b.row.totals)),
            SortBy::Dimension(dimension) => {
                let at = spec.dimensions.iter().position(|it| it == dimension).unwrap_or(0);
                a.texts[at].0.cmp(&b.texts[at].0)
            }
        };
        if order != Ordering::Equal {
            return if *descending { order.reverse() } else { order };
        }
    }
    Ordering::Equal
}

pub fn write(inner: &Inner, spec: &Spec, groups: &Groups, rows: &[Row]) -> Value {
    let mut lines: Vec<Line<'_>> = rows
        .iter()
        .map(|row| {
            let mut codes = row.codes.iter();
            let text = |dimension: &super::dimension::Dimension| {
                if dimension.is_time() {
                    (row.period.clone(), None)
                } else {
                    dimension.text(inner, codes.next().copied().unwrap_or(0))
                }
            };
            Line { row, texts: groups.dimensions.iter().map(text).collect() }
        })
        .collect();
    lines.sort_by(|a, b| compare(spec, a, b));
    let mut chunks = vec![json!({ "header": {
        "dateRange": { "startDate": date_json(spec.start), "endDate": date_json(spec.end) },
        "localizationSettings": { "currencyCode": spec.currency, "languageCode": spec.language },
        "reportingTimeZone": TIME_ZONE,
    } })];
    for line in lines.iter().take(spec.limit) {
        let mut row = Map::new();
        if !spec.dimensions.is_empty() {
            let values = spec.dimensions.iter().zip(&line.texts).map(|(dimension, (value, label))| {
                let mut entry = json!({ "value": value });
                if let Some(label) = label {
                    entry["displayLabel"] = json!(label);
                }
                (dimension.name().to_owned(), entry)
            });
            row.insert("dimensionValues".to_owned(), Value::Object(values.collect()));
        }
        let metrics = spec
            .metrics
            .iter()
            .filter_map(|it| Some((it.name().to_owned(), metric(*it, &line.row.totals, spec.rate)?)));
        row.insert("metricValues".to_owned(), Value::Object(metrics.collect()));
        chunks.push(json!({ "row": row }));
    }
    let mut footer = json!({ "matchingRowCount": rows.len().to_string() });
    if spec.currency != CURRENCY {
        footer["warnings"] = json!([{
            "type": "REPORT_CURRENCY_NOT_ACCOUNT_CURRENCY",
            "description": "The report's currency is not the account's; amounts are converted.",
        }]);
    }
    chunks.push(json!({ "footer": footer }));
    Value::Array(chunks)
}
