//! Prices that change by a step: "raise the floor by 10%". Every new price comes from the current one.

use serde_json::{Map, Value as Json};

use super::{amount::amount, tool::snake};
use crate::planner::writes::wish::Move;

/// Returns the value with its prices moved. `None` if it has no price, or none for the countries that the message names.
pub(super) fn moved(now: &Json, step: Move, codes: &[String]) -> Option<Json> {
    let mut changed = false;
    let out = walk(now, step, codes, codes.is_empty(), &mut changed);
    changed.then_some(out)
}

/// Moves the prices in a value. `meant`: whether the step applies here, because the countries match or the message names none.
fn walk(now: &Json, step: Move, codes: &[String], meant: bool, changed: &mut bool) -> Json {
    match now {
        Json::Number(_) | Json::String(_) => match micros(now).filter(|_| meant) {
            Some(old) => {
                *changed = true;
                let text = now.is_string();
                amount(step.from(old), &serde_json::json!({"type": if text { "string" } else { "number" }}))
            }
            None => now.clone(),
        },
        Json::Array(entries) => entries.iter().map(|entry| entry_at(entry, step, codes, meant, changed)).collect(),
        Json::Object(fields) if meant && fields.contains_key("units") => {
            let Some(old) = money_micros(fields) else { return now.clone() };
            *changed = true;
            let new = step.from(old);
            let mut out = fields.clone();
            out.insert("units".into(), (new / 1_000_000).to_string().into());
            out.insert("nanos".into(), (new % 1_000_000 * 1000).into());
            Json::Object(out)
        }
        Json::Object(fields) => {
            let one = |(key, value): (&String, &Json)| {
                let named = codes.iter().any(|code| code.eq_ignore_ascii_case(key));
                let inside = value.is_object() || meant || named;
                let value = if inside { walk(value, step, codes, meant || named, changed) } else { value.clone() };
                (key.clone(), value)
            };
            Json::Object(fields.iter().map(one).collect())
        }
        other => other.clone(),
    }
}

/// Moves the price in one entry of a list of prices, and leaves its countries as they are.
fn entry_at(entry: &Json, step: Move, codes: &[String], meant: bool, changed: &mut bool) -> Json {
    let Some(fields) = entry.as_object() else { return entry.clone() };
    let own = codes_of(fields);
    let meant =
        meant || !own.is_empty() && own.iter().all(|code| codes.iter().any(|said| said.eq_ignore_ascii_case(code)));
    let mut out = fields.clone();
    for (name, value) in fields {
        if matches!(snake(name).as_str(), "price" | "cpm" | "rate" | "floor" | "floor_price") {
            out.insert(name.clone(), walk(value, step, codes, meant, changed));
        }
    }
    Json::Object(out)
}

fn codes_of(fields: &Map<String, Json>) -> Vec<String> {
    let values = fields.get("countries").and_then(|rule| rule["values"].as_array());
    let single = fields.iter().find(|(name, _)| matches!(snake(name).as_str(), "country" | "country_code"));
    let texts = |values: &Vec<Json>| values.iter().filter_map(Json::as_str).map(str::to_owned).collect();
    let alone = || single.and_then(|(_, code)| code.as_str()).map(str::to_owned).into_iter().collect();
    values.map_or_else(alone, texts)
}

/// Reads Google's form of an amount: whole units as text, and billionths.
fn money_micros(fields: &Map<String, Json>) -> Option<i64> {
    let units: i64 = match fields.get("units")? {
        Json::String(text) => text.parse().ok()?,
        other => other.as_i64()?,
    };
    let nanos = fields.get("nanos").and_then(Json::as_i64).unwrap_or(0);
    Some(units.checked_mul(1_000_000)?.checked_add(nanos / 1000)?).filter(|micros| *micros > 0)
}

fn micros(value: &Json) -> Option<i64> {
    use adagent_domain::{Currency, Money};
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Money::parse_amount(Currency::USD, &text).ok().map(|money| money.micros).filter(|micros| *micros > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_price_that_is_meant_moves_and_nothing_else() {
        let by = Move::Percent(10);
        let us = ["US".to_owned()];
        assert_eq!(moved(&json!(0.4), by, &[]), Some(json!(0.44)));
        let floors = json!({"default": 0.5, "geo": {"US": 4.0}});
        assert_eq!(moved(&floors, by, &[]), Some(json!({"default": 0.55, "geo": {"US": 4.4}})));
        assert_eq!(moved(&floors, by, &us), Some(json!({"default": 0.5, "geo": {"US": 4.4}})));
        assert_eq!(moved(&floors, by, &["DE".to_owned()]), None);
        let groups = json!([{"country_group_name": "Tier 1", "cpm": "1.50", "countries": {"type": "INCLUDE", "values": ["us", "gb"]}}]);
        assert_eq!(moved(&groups, Move::Micros(-500_000), &[]).unwrap()[0]["cpm"], "1.00");
        assert_eq!(moved(&json!([]), by, &[]), None);
        let deal = json!({"currencyCode": "USD", "units": "3", "nanos": 0});
        let lower = json!({"currencyCode": "USD", "units": "2", "nanos": 700_000_000});
        assert_eq!(moved(&deal, Move::Percent(-10), &[]), Some(lower));
    }
}
