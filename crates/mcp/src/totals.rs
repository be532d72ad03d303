//! Exact totals of a report whose rows do not all fit into an answer.

use adagent_contract::{ColumnKind, ReportData, Value};
use adagent_domain::Money;
use serde_json::{Map, Value as Json, json};

/// Returns the totals by column key. `None` if the result is not a report or has nothing to sum. Rates are never summed, nor are amounts in
/// several currencies.
pub(crate) fn of(result: &Json) -> Option<Json> {
    let report = ReportData::from_result(result)?;
    let columns = report.columns.iter().enumerate();
    let sums: Map<String, Json> = columns
        .filter_map(|(at, column)| {
            let values = report.rows.iter().filter_map(|row| row.get(at));
            let sum = match column.kind {
                ColumnKind::Count => counted(values),
                ColumnKind::Money => paid(values),
                _ => None,
            };
            Some((column.key.clone(), json!(sum?)))
        })
        .collect();
    (!sums.is_empty()).then_some(Json::Object(sums))
}

fn counted<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let mut sum = 0_i64;
    for value in values {
        match value {
            Value::Count { value } => sum = sum.checked_add(*value)?,
            Value::Missing => {}
            _ => return None,
        }
    }
    Some(Value::Count { value: sum })
}

fn paid<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let mut sum: Option<Money> = None;
    for value in values {
        match (value, &mut sum) {
            (Value::Money { money }, None) => sum = Some(*money),
            (Value::Money { money }, Some(sum)) if money.currency == sum.currency => {
                sum.micros = sum.micros.checked_add(money.micros)?;
            }
            (Value::Missing, _) => {}
            _ => return None,
        }
    }
    sum.map(|money| Value::Money { money })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(revenue: &[Json]) -> Json {
        let column = |key: &str, kind: &str| json!({"key": key, "label": key, "kind": kind});
        let row = |money: &Json| json!([{"type": "text", "value": "x"}, money, {"type": "count", "value": 7}, {"type": "percent", "value": 50.0}]);
        json!({
            "kind": "report", "rows": revenue.iter().map(row).collect::<Vec<_>>(), "row_count": revenue.len(), "truncated": false,
            "columns": [column("app", "text"), column("revenue", "money"), column("impressions", "count"), column("match_rate", "percent")],
            "currency": null, "time_zone": null, "date_from": "2026-11-19", "date_to": "2026-11-19", "account": null, "warnings": []
        })
    }

    #[test]
    fn amounts_of_one_currency_and_counts_are_summed_and_rates_are_not() {
        let money =
            |currency: &str, micros: i64| json!({"type": "money", "money": {"currency": currency, "micros": micros}});
        let told = of(&result(&[money("USD", 1_500_001), money("USD", 2), json!({"type": "missing"})])).unwrap();
        assert_eq!(told["revenue"], money("USD", 1_500_003));
        assert_eq!(told["impressions"], json!({"type": "count", "value": 21}));
        assert!(told["match_rate"].is_null() && told["app"].is_null());
        let mixed = of(&result(&[money("USD", 1), money("EUR", 1)])).unwrap();
        assert!(mixed["revenue"].is_null() && mixed["impressions"].is_object());
        assert_eq!(of(&json!({"kind": "list", "items": []})), None);
    }
}
