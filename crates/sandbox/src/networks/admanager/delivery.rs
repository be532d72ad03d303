//! Returns what line items and orders have delivered so far: the same sums as a report over all available days.

use std::sync::{Mutex, PoisonError};

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::{BOOK, seed};
use crate::state::Inner;
use crate::world::books::{Axis, DAYS_KEPT, Question};
use crate::world::figures::Totals;

/// Caches the sums per line item for one full hour. The data is the same in every sandbox, so the hour alone decides.
static LAST: Mutex<Option<(Date, usize, Vec<Totals>)>> = Mutex::new(None);

fn totals(inner: &Inner) -> Vec<Totals> {
    let (today, hours) = inner.clock();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((date, hour, totals)) = last.as_ref()
        && (*date, *hour) == (today, hours)
    {
        return totals.clone();
    }
    let from = today.saturating_sub(Span::new().days(DAYS_KEPT));
    let axes = vec![Axis::App, Axis::Format];
    let mut totals = vec![Totals::default(); seed::LINES.len()];
    for row in BOOK.sum(inner, &Question { axes, ..Question::days(from, today) }) {
        totals[seed::line_of(row.codes[0] as usize, row.codes[1] as usize)].add(&row.totals);
    }
    *last = Some((today, hours, totals.clone()));
    totals
}

/// Writes the delivery of a line item, order or association into the object; new ones have delivered nothing.
pub fn fill(inner: &Inner, collection: &str, object: &mut Value) {
    let name = object["name"].as_str().unwrap_or_default().to_owned();
    let own = |id: u64| name.split('/').any(|part| part == id.to_string());
    let served = |line: &seed::Line| match collection {
        "orders" => own(seed::ORDERS[line.order].0),
        _ => own(line.id),
    };
    if !["orders", "lineItems", "lineItemCreativeAssociations"].contains(&collection) || !seed::LINES.iter().any(served)
    {
        return;
    }
    let mut sum = Totals::default();
    for (_, totals) in seed::LINES.iter().zip(totals(inner)).filter(|(line, _)| served(line)) {
        sum.add(&totals);
    }
    let (impressions, clicks) = (json!(sum.impressions.to_string()), json!(sum.clicks.to_string()));
    if collection == "orders" {
        object["impressionsDelivered"] = impressions;
        object["totalClicksDelivered"] = clicks;
    } else {
        object["stats"] = json!({ "impressionsDelivered": impressions, "clicksDelivered": clicks });
    }
}

/// Returns the impressions that a line item has delivered.
pub fn impressions(inner: &Inner, line: &Value) -> Value {
    let mut line = line.clone();
    fill(inner, "lineItems", &mut line);
    json!(line["stats"]["impressionsDelivered"].as_str().unwrap_or("0"))
}
