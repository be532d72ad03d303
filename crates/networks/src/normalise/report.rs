//! Reads AdMob's reports: a stream of header, rows and footer, or (for campaigns) one object with rows.

use adagent_contract::{AccountChoice, Artifact, Column, ColumnKind, ReportData, TableArtifact, Value};
use adagent_domain::{Currency, Cut as _, Money, text::visible};
use serde_json::Value as Json;

use super::words;

/// How many rows the table next to a call shows; the result itself holds all.
const TABLE_ROWS: usize = 200;

/// What we know before the reply arrives.
#[derive(Debug)]
pub struct ReportContext<'a> {
    pub args: &'a Json,
    pub account: Option<&'a AccountChoice>,
    pub max_rows: usize,
    /// How the context settings changed the request.
    pub notes: Vec<String>,
}

/// The report cannot be understood. We say so instead of guessing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(super) String);

pub fn report(body: &Json, context: &ReportContext<'_>) -> Result<ReportData, Unreadable> {
    let spec = &context.args["body"]["reportSpec"];
    let names =
        |field: &str| -> Vec<&str> { spec[field].as_array().into_iter().flatten().filter_map(Json::as_str).collect() };
    let (dimensions, metrics) = (names("dimensions"), names("metrics"));
    let parts = Parts::of(body)?;
    let currency_code = text(&parts.header["localizationSettings"]["currencyCode"])
        .or_else(|| context.account.and_then(|account| account.currency.clone()))
        .unwrap_or_else(|| "USD".to_owned());
    let currency = Currency::try_from(currency_code.clone())
        .map_err(|_| Unreadable(format!("unknown currency {currency_code:?}")))?;
    let range = if parts.header["dateRange"].is_object() { &parts.header["dateRange"] } else { &spec["dateRange"] };

    let mut rows = Vec::with_capacity(parts.rows.len().min(context.max_rows));
    for row in parts.rows.iter().take(context.max_rows) {
        let mut cells = Vec::with_capacity(dimensions.len() + metrics.len());
        for wire in &dimensions {
            cells.push(dimension_value(wire, &row["dimensionValues"][*wire]));
        }
        for wire in &metrics {
            cells.push(metric_value(wire, &row["metricValues"][*wire], currency)?);
        }
        rows.push(cells);
    }
    let matching = parts.footer["matchingRowCount"].as_str().and_then(|n| n.parse::<u64>().ok());
    let row_count = matching.unwrap_or(0).max(parts.rows.len() as u64);
    let mut warnings = context.notes.clone();
    warnings.extend(parts.footer["warnings"].as_array().into_iter().flatten().filter_map(|warning| {
        text(&warning["description"]).or_else(|| text(&warning["type"]).map(|kind| words::human(&kind)))
    }));
    Ok(ReportData {
        columns: columns(&dimensions, &metrics, &currency_code),
        truncated: row_count > rows.len() as u64,
        row_count,
        rows,
        currency: Some(currency_code),
        time_zone: text(&parts.header["reportingTimeZone"])
            .or_else(|| text(&spec["timeZone"]))
            .or_else(|| context.account.and_then(|account| account.time_zone.clone())),
        date_from: civil(&range["startDate"]),
        date_to: civil(&range["endDate"]),
        account: context.account.cloned(),
        warnings,
    })
}

struct Parts<'a> {
    header: &'a Json,
    rows: Vec<&'a Json>,
    footer: &'a Json,
}

impl<'a> Parts<'a> {
    fn of(body: &'a Json) -> Result<Self, Unreadable> {
        let mut parts = Self { header: &Json::Null, rows: Vec::new(), footer: &Json::Null };
        match body {
            Json::Array(chunks) => {
                for chunk in chunks {
                    if let Some(header) = chunk.get("header") {
                        parts.header = header;
                    } else if let Some(row) = chunk.get("row") {
                        parts.rows.push(row);
                    } else if let Some(footer) = chunk.get("footer") {
                        parts.footer = footer;
                    }
                }
                // A stream without a footer was cut off. Its sums would be wrong, and nobody would notice.
                if parts.footer.is_null() {
                    return Err(Unreadable("the report stream ended without its footer".into()));
                }
            }
            Json::Object(object) => {
                parts.rows = object.get("rows").and_then(Json::as_array).into_iter().flatten().collect();
            }
            _ => return Err(Unreadable("the report is neither a stream nor an object".into())),
        }
        Ok(parts)
    }
}

fn columns(dimensions: &[&str], metrics: &[&str], currency: &str) -> Vec<Column> {
    let column = |(key, label, kind): (&str, &str, ColumnKind)| Column {
        key: key.to_owned(),
        label: label.to_owned(),
        kind,
        unit: match kind {
            ColumnKind::Money => Some(currency.to_owned()),
            ColumnKind::Percent => Some("%".to_owned()),
            _ => None,
        },
    };
    let dimensions = dimensions.iter().map(|wire| column(words::dimension(wire)));
    dimensions.chain(metrics.iter().map(|wire| column(words::metric(wire)))).collect()
}

fn dimension_value(wire: &str, cell: &Json) -> Value {
    let Some(value) = text(&cell["value"]) else { return Value::Missing };
    let (_, _, kind) = words::dimension(wire);
    match kind {
        ColumnKind::Date => Value::Date { value: date(&value) },
        ColumnKind::Entity => {
            let label = shown(&cell["displayLabel"]).filter(|label| *label != value);
            let name = label.unwrap_or_else(|| match wire {
                "COUNTRY" => words::region_name(&value).map_or_else(|| value.clone(), str::to_owned),
                "FORMAT" | "PLATFORM" | "PLACEMENT_PLATFORM" => words::human(&value.to_uppercase().replace(' ', "_")),
                _ => value.clone(),
            });
            Value::Entity { id: value, name }
        }
        _ => Value::Text { value: shown(&cell["displayLabel"]).unwrap_or(value) },
    }
}

fn metric_value(wire: &str, cell: &Json, currency: Currency) -> Result<Value, Unreadable> {
    let (_, label, kind) = words::metric(wire);
    let bad = || Unreadable(format!("{label} contains something that isn't a number"));
    if cell.is_null() {
        return Ok(Value::Missing);
    }
    if let Some(micros) = cell.get("microsValue") {
        return Ok(Value::Money { money: Money::new(currency, integer(micros).ok_or_else(bad)?) });
    }
    if let Some(count) = cell.get("integerValue") {
        return Ok(Value::Count { value: integer(count).ok_or_else(bad)? });
    }
    let value = cell["doubleValue"].as_f64().filter(|value| value.is_finite()).ok_or_else(bad)?;
    Ok(match kind {
        ColumnKind::Percent => Value::Percent { value: value * 100.0 },
        // The network report writes RPM in currency units, as a decimal.
        ColumnKind::Money => Value::Money { money: Money::new(currency, to_micros(value).ok_or_else(bad)?) },
        _ => Value::Number { value },
    })
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked just before")]
fn to_micros(units: f64) -> Option<i64> {
    let micros = (units * 1e6).round();
    (micros.abs() < 9.0e18).then_some(micros as i64)
}

pub(super) fn integer(value: &Json) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn text(value: &Json) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns a name that somebody chose, with its hidden characters made visible.
fn shown(value: &Json) -> Option<String> {
    text(value).map(|text| visible(&text).into_owned())
}

/// Turns `20261120` into `2026-11-20` and `202611` into `2026-11`.
fn date(compact: &str) -> String {
    if compact.bytes().all(|b| b.is_ascii_digit()) {
        if compact.len() == 8 {
            return format!("{}-{}-{}", compact.cut(..4), compact.cut(4..6), compact.cut(6..));
        }
        if compact.len() == 6 {
            return format!("{}-{}", compact.cut(..4), compact.cut(4..));
        }
    }
    compact.to_owned()
}

fn civil(value: &Json) -> String {
    let part = |name: &str| value[name].as_i64().unwrap_or(0);
    format!("{:04}-{:02}-{:02}", part("year"), part("month"), part("day"))
}

/// Builds the table next to the call, with sums for the columns that can be summed.
pub fn table(data: &ReportData, title: &str, network: &str) -> Artifact {
    let total = (data.rows.len() > 1 && !data.truncated).then(|| totals(data)).flatten();
    let period = if data.date_from == data.date_to {
        data.date_from.clone()
    } else {
        format!("{} – {}", data.date_from, data.date_to)
    };
    let zone = data.time_zone.as_deref().map(|zone| format!(" · {zone}")).unwrap_or_default();
    Artifact::Table {
        title: title.to_owned(),
        subtitle: format!("{network} · {period}{zone}"),
        table: TableArtifact {
            columns: data.columns.clone(),
            rows: data.rows.iter().take(TABLE_ROWS).cloned().collect(),
            total,
            sorted_by: None,
            row_count: data.row_count,
        },
        sources: Vec::new(),
    }
}

fn totals(data: &ReportData) -> Option<Vec<Value>> {
    let mut any = false;
    let cells = data.columns.iter().enumerate().map(|(i, column)| {
        let adds_up = matches!(column.key.as_str(), "revenue" | "cost") || column.kind == ColumnKind::Count;
        if !adds_up {
            return Value::Missing;
        }
        let sum = data.rows.iter().try_fold(None::<Value>, |sum, row| match (sum, &row[i]) {
            (sum, Value::Missing) => Some(sum),
            (None, value) => Some(Some(value.clone())),
            (Some(Value::Count { value: a }), Value::Count { value: b }) => {
                Some(Some(Value::Count { value: a.checked_add(*b)? }))
            }
            (Some(Value::Money { money: a }), Value::Money { money: b }) => {
                Some(Some(Value::Money { money: a.checked_add(*b).ok()? }))
            }
            _ => None,
        });
        let cell = sum.flatten().unwrap_or(Value::Missing);
        any |= cell != Value::Missing;
        cell
    });
    let cells: Vec<Value> = cells.collect();
    any.then_some(cells)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context(args: &Json) -> ReportContext<'_> {
        ReportContext { args, account: None, max_rows: 10, notes: Vec::new() }
    }

    fn args(dimensions: &[&str], metrics: &[&str]) -> Json {
        let day = json!({"year": 2026, "month": 11, "day": 20});
        json!({"account_id": "pub-1", "body": {"reportSpec": {"dateRange": {"startDate": day, "endDate": day}, "dimensions": dimensions, "metrics": metrics}}})
    }

    fn stream(rows: &[Json]) -> Json {
        let mut chunks =
            vec![json!({"header": {"localizationSettings": {"currencyCode": "EUR"}, "reportingTimeZone": "Etc/UTC"}})];
        chunks.extend(rows.iter().map(|row| json!({"row": row})));
        chunks.push(
            json!({"footer": {"matchingRowCount": rows.len().to_string(), "warnings": [{"type": "DATA_DELAYED"}]}}),
        );
        Json::Array(chunks)
    }

    #[test]
    fn a_stream_becomes_typed_columns_and_rows() {
        let args =
            args(&["DATE", "APP", "COUNTRY"], &["ESTIMATED_EARNINGS", "IMPRESSIONS", "MATCH_RATE", "OBSERVED_ECPM"]);
        let row = json!({
            "dimensionValues": {"DATE": {"value": "20261120"}, "APP": {"value": "ca-app-pub-1~2", "displayLabel": "Puzzle Game"}, "COUNTRY": {"value": "US"}},
            "metricValues": {"ESTIMATED_EARNINGS": {"microsValue": "1234567"}, "IMPRESSIONS": {"integerValue": "42"}, "MATCH_RATE": {"doubleValue": 0.125}}
        });
        let data = report(&stream(&[row]), &context(&args)).expect("readable");
        let keys: Vec<&str> = data.columns.iter().map(|c| c.key.as_str()).collect();
        assert_eq!(keys, ["date", "app", "country", "revenue", "impressions", "match_rate", "ecpm"]);
        assert_eq!(
            data.rows[0],
            vec![
                Value::Date { value: "2026-11-20".into() },
                Value::Entity { id: "ca-app-pub-1~2".into(), name: "Puzzle Game".into() },
                Value::Entity { id: "US".into(), name: "United States".into() },
                Value::Money { money: Money::new(Currency::EUR, 1_234_567) },
                Value::Count { value: 42 },
                Value::Percent { value: 12.5 },
                Value::Missing,
            ]
        );
        assert_eq!((data.date_from.as_str(), data.time_zone.as_deref()), ("2026-11-20", Some("Etc/UTC")));
        assert_eq!(data.warnings, ["Data delayed"]);
    }

    #[test]
    fn a_stream_without_footer_is_refused_rather_than_summed() {
        let args = args(&[], &["CLICKS"]);
        let cut = json!([{"header": {}}, {"row": {"metricValues": {"CLICKS": {"integerValue": "1"}}}}]);
        assert!(report(&cut, &context(&args)).is_err());
    }

    #[test]
    fn rows_beyond_the_bound_are_cut_and_said_and_sums_left_out() {
        let args = args(&["DATE"], &["CLICKS"]);
        let rows: Vec<Json> = (0..12)
            .map(|i| json!({"dimensionValues": {"DATE": {"value": format!("202611{:02}", i + 1)}}, "metricValues": {"CLICKS": {"integerValue": "1"}}}))
            .collect();
        let data = report(&stream(&rows), &context(&args)).expect("readable");
        assert_eq!((data.rows.len(), data.row_count, data.truncated), (10, 12, true));
        let Artifact::Table { table, .. } = table(&data, "t", "AdMob") else { panic!("a table") };
        assert_eq!(table.total, None);
    }

    #[test]
    fn totals_add_counts_and_money_but_no_rates() {
        let args = args(&["DATE"], &["ESTIMATED_EARNINGS", "MATCH_RATE", "OBSERVED_ECPM"]);
        let row = |day: &str| json!({"dimensionValues": {"DATE": {"value": day}}, "metricValues": {"ESTIMATED_EARNINGS": {"microsValue": "5"}, "MATCH_RATE": {"doubleValue": 0.5}, "OBSERVED_ECPM": {"microsValue": "9"}}});
        let data = report(&stream(&[row("20261119"), row("20261120")]), &context(&args)).expect("readable");
        let Artifact::Table { table, .. } = table(&data, "t", "AdMob") else { panic!("a table") };
        let total = table.total.expect("two rows");
        assert_eq!(total[1], Value::Money { money: Money::new(Currency::EUR, 10) });
        assert_eq!((&total[0], &total[2], &total[3]), (&Value::Missing, &Value::Missing, &Value::Missing));
    }

    #[test]
    fn a_campaign_report_is_a_plain_object() {
        let args = args(&["CAMPAIGN_NAME"], &["INSTALLS", "ESTIMATED_COST"]);
        let body = json!({"rows": [{"dimensionValues": {"CAMPAIGN_NAME": {"value": "Autumn"}}, "metricValues": {"INSTALLS": {"integerValue": "7"}, "ESTIMATED_COST": {"microsValue": "70"}}}]});
        let data = report(&body, &context(&args)).expect("readable");
        assert_eq!(data.rows[0][0], Value::Text { value: "Autumn".into() });
        assert_eq!(data.columns[2].key, "cost");
    }
}
