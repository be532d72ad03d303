//! Forecasts that carry the last weeks of the book forward. They store nothing, and promise no impressions beyond those that were served.

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::objects::{self, Call};
use super::report::dates;
use super::schema::{self, Mode};
use super::{BOOK, delivery, seed, unit_id};
use crate::networks::admob::errors::ApiError;
use crate::world::books::{Axis, Question};

/// How many days a forecast looks back, and how many it covers.
const DAYS: i64 = 28;
/// The most days of traffic data that a request may cover.
const LONGEST: i32 = 366;

fn checked(call: &Call<'_>, message: &str) -> Result<Value, ApiError> {
    let mut body = call.body.as_object().cloned().unwrap_or_default();
    body.insert("parent".to_owned(), json!(objects::network_name()));
    let body = Value::Object(schema::checked(message, &Value::Object(body), "", Mode::Whole)?);
    objects::references(call.store, &body, "")?;
    Ok(body)
}

/// Returns the ad units that a targeting reaches; if it names none, all of them.
fn units(call: &Call<'_>, targeting: &Value) -> Vec<u32> {
    let inventory = &targeting["inventoryTargeting"];
    let each = |name: &str| inventory[name].as_array().into_iter().flatten();
    let mut names: Vec<String> =
        each("targetedAdUnits").filter_map(|it| it["adUnit"].as_str().map(str::to_owned)).collect();
    for placement in each("targetedPlacements").filter_map(Value::as_str) {
        if let Ok((_, _, placement)) = objects::named(call.store, placement) {
            let inside = placement["targetedAdUnits"].as_array().into_iter().flatten();
            names.extend(inside.filter_map(|it| it.as_str().map(str::to_owned)));
        }
    }
    let all = names.is_empty() || names.iter().any(|name| objects::last(name) == seed::ROOT);
    let fits = |index: &usize| all || names.iter().any(|name| objects::last(name) == unit_id(*index));
    (0..call.inner.units.len()).filter(fits).filter_map(|index| u32::try_from(index).ok()).collect()
}

fn countries(targeting: &Value) -> Option<Vec<u32>> {
    let named = targeting["geoTargeting"]["targetedGeos"].as_array().filter(|list| !list.is_empty())?;
    let wanted = |id: &u32| named.iter().filter_map(Value::as_str).any(|name| objects::last(name) == id.to_string());
    let codes = seed::GEO.iter().enumerate().filter(|(_, id)| wanted(id));
    Some(codes.filter_map(|(index, _)| u32::try_from(index).ok()).collect())
}

/// Returns the impressions of each day.
fn served(call: &Call<'_>, targeting: &Value, from: Date, to: Date) -> Vec<(Date, u64)> {
    let mut filters = vec![(Axis::Unit, units(call, targeting))];
    filters.extend(countries(targeting).map(|codes| (Axis::Country, codes)));
    let rows = BOOK.sum(call.inner, &Question { from, to, zone: 0, axes: vec![Axis::Date], filters });
    rows.iter().map(|row| (crate::world::books::day_of(row.codes[0]), row.totals.impressions)).collect()
}

fn before(today: Date, days: i64) -> Date {
    today.saturating_sub(Span::new().days(days))
}

fn matched(call: &Call<'_>, targeting: &Value) -> u64 {
    let (today, _) = call.inner.clock();
    served(call, targeting, before(today, DAYS), before(today, 1)).iter().map(|(_, count)| count).sum()
}

/// Returns the line items that compete for the same impressions: reserved, not archived, and with the same or a better priority.
fn contending(call: &Call<'_>, own: &str, priority: i64) -> Vec<String> {
    let rivals = objects::all(call.store, "lineItems").filter(|(_, line)| {
        line["name"] != own
            && line["archived"] != true
            && line["reservationStatus"] == "RESERVED"
            && line["priority"].as_i64().unwrap_or(16) <= priority
    });
    rivals.filter_map(|(_, line)| line["name"].as_str().map(str::to_owned)).collect()
}

pub fn availability(call: &Call<'_>) -> Result<Value, ApiError> {
    let body = checked(call, "RunAvailabilityForecastRequest")?;
    let name = body["existingLineItem"].as_str();
    let name =
        name.ok_or_else(|| ApiError::invalid("existingLineItem", "Required: name the line item to forecast."))?;
    let (_, _, line) = objects::named(call.store, name)?;
    let matched = matched(call, &line["targeting"]);
    let rivals = contending(call, name, line["priority"].as_i64().unwrap_or(16));
    // All rivals together take half of the traffic, in equal parts.
    let part = if rivals.is_empty() { 0 } else { matched / 2 / rivals.len() as u64 };
    let reserved = part * rivals.len() as u64;
    let mut result = json!({
        "lineItem": name, "order": line["order"], "unitType": "IMPRESSIONS", "matchedUnits": matched.to_string(),
        "possibleUnits": matched.to_string(), "reservedUnits": reserved.to_string(),
        "availableUnits": (matched - reserved).to_string(),
        "deliveredUnits": delivery::impressions(call.inner, line),
    });
    if body["availabilityForecastOptions"]["contendingLineItemsIncluded"] == true {
        let each = |rival: &String| json!({ "lineItem": rival, "contendingUnits": part.to_string() });
        result["contendingLineItems"] = rivals.iter().map(each).collect();
    }
    Ok(json!({ "availabilityForecastResult": result }))
}

pub fn delivery(call: &Call<'_>) -> Result<Value, ApiError> {
    let body = checked(call, "RunDeliveryForecastRequest")?;
    let names = body["existingLineItems"]["lineItems"].as_array().filter(|list| !list.is_empty());
    let names =
        names.ok_or_else(|| ApiError::invalid("existingLineItems", "Required: name the line items to forecast."))?;
    let mut forecasts = Vec::new();
    for name in names.iter().filter_map(Value::as_str) {
        let (_, _, line) = objects::named(call.store, name)?;
        let matched = matched(call, &line["targeting"]);
        let goal = line["goal"]["units"].as_str().and_then(|units| units.parse::<u64>().ok());
        forecasts.push(json!({
            "lineItem": name, "order": line["order"], "unitType": "IMPRESSIONS", "matchedUnits": matched.to_string(),
            "predictedDeliveryUnits": goal.map_or(matched / 2, |goal| goal.min(matched)).to_string(),
            "deliveredUnits": delivery::impressions(call.inner, line),
        }));
    }
    Ok(json!({ "deliveryForecastResult": { "lineItemDeliveryForecasts": forecasts } }))
}

fn range(from: Date, to: Date) -> Value {
    let day = |date: Date| json!({ "year": date.year(), "month": date.month(), "day": date.day() });
    json!({ "startDate": day(from), "endDate": day(to) })
}

pub fn traffic(call: &Call<'_>) -> Result<Value, ApiError> {
    let body = checked(call, "RunTrafficDataRequest")?;
    let asked = &body["requestedDateRange"];
    let from = dates::day(&asked["startDate"], "requestedDateRange.startDate")?;
    let to = dates::day(&asked["endDate"], "requestedDateRange.endDate")?;
    if from > to || from.until(to).map_or(0, |span| span.get_days()) > LONGEST {
        let message = format!("{from} to {to} is no range of at most {LONGEST} days");
        return Err(ApiError::invalid("requestedDateRange", message));
    }
    let (today, _) = call.inner.clock();
    let yesterday = before(today, 1);
    let targeting = &body["targeting"];
    let past = served(call, targeting, from, to.min(yesterday));
    let basis = served(call, targeting, before(today, DAYS), yesterday);
    let daily = |day: Date| {
        let same: Vec<u64> =
            basis.iter().filter(|(date, _)| date.weekday() == day.weekday()).map(|(_, count)| *count).collect();
        if same.is_empty() { 0 } else { same.iter().sum::<u64>() / same.len() as u64 }
    };
    let mut answer = json!({ "overallDateRange": range(from, to) });
    let days = |from: Date, to: Date| from.series(Span::new().days(1)).take_while(move |day| *day <= to);
    if from <= yesterday {
        let end = to.min(yesterday);
        let count = |day: Date| past.iter().find(|(date, _)| *date == day).map_or(0, |(_, count)| *count);
        let values: Vec<Value> = days(from, end).map(|day| json!(count(day).to_string())).collect();
        answer["historicalTimeSeries"] = json!({ "timeSeriesDateRange": range(from, end), "values": values });
    }
    if to >= today {
        let start = from.max(today);
        let values: Vec<u64> = days(start, to).map(daily).collect();
        let texts = |part: u64| values.iter().map(|it| json!((it / part).to_string())).collect::<Vec<_>>();
        answer["forecastedTimeSeries"] = json!({ "timeSeriesDateRange": range(start, to), "values": texts(1) });
        answer["forecastedAssignedTimeSeries"] = json!({ "timeSeriesDateRange": range(start, to), "values": texts(2) });
    }
    Ok(answer)
}
