//! The rows of a report: sums of the book, filtered, grouped by the dimensions of the definition, and sorted in its order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::spec::Definition;
use super::{fields, filters, values};
use crate::networks::admanager::BOOK;
use crate::state::Inner;
use crate::world::books::{Axis, Question};
use crate::world::figures::Totals;

type Groups = BTreeMap<String, (Vec<Value>, Totals)>;

fn groups(inner: &Inner, definition: &Definition, (from, to): (Date, Date)) -> Groups {
    let (late, early): (Vec<&Value>, Vec<&Value>) = definition.filters.iter().partition(|it| filters::has_metric(it));
    let mut asked: Vec<&str> = definition.dimensions.iter().map(|field| field.name).collect();
    for filter in &early {
        filters::dimensions(filter, &mut asked);
    }
    let mut axes: Vec<Axis> = Vec::new();
    for axis in asked.iter().flat_map(|name| values::axes(name)) {
        if !axes.contains(axis) {
            axes.push(*axis);
        }
    }
    let mut groups = Groups::new();
    let question = Question { from, to, zone: definition.zone, axes: axes.clone(), filters: Vec::new() };
    let rows = if definition.historical { BOOK.sum(inner, &question) } else { Vec::new() };
    for row in rows {
        let code = |axis: Axis| axes.iter().position(|it| *it == axis).map_or(0, |at| row.codes[at]);
        let value = |letter: char, name: &str| {
            let field = fields::find(letter, &json!(name));
            field.map_or(Value::Null, |field| values::dimension(inner, field, &code))
        };
        if !early.iter().all(|filter| filters::fits(filter, &value)) {
            continue;
        }
        let shown: Vec<Value> =
            definition.dimensions.iter().map(|field| values::dimension(inner, field, &code)).collect();
        let key = Value::Array(shown.clone()).to_string();
        groups.entry(key).or_insert_with(|| (shown, Totals::default())).1.add(&row.totals);
    }
    groups.retain(|_, (shown, totals)| {
        let value = |letter: char, name: &str| {
            if letter == 'M' {
                return fields::find('M', &json!(name))
                    .map_or(Value::Null, |field| values::metric(field, totals, definition.rate));
            }
            let at = definition.dimensions.iter().position(|field| field.name == name);
            at.map_or(Value::Null, |at| shown[at].clone())
        };
        late.iter().all(|filter| filters::fits(filter, &value))
    });
    groups
}

/// Compares numbers by size, and everything else as text.
fn compare(a: &Value, b: &Value) -> Ordering {
    let inner = |value: &Value| value.as_object().and_then(|map| map.values().next().cloned()).unwrap_or(Value::Null);
    let (a, b) = (inner(a), inner(b));
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    match (number(&a), number(&b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.to_string().cmp(&b.to_string()),
    }
}

/// Returns all rows of a definition, in the form that `fetchRows` shows.
pub fn all(inner: &Inner, definition: &Definition) -> Vec<Value> {
    let main = groups(inner, definition, definition.range);
    let other = definition.comparison.map(|range| groups(inner, definition, range));
    let mut merged: BTreeMap<&String, (&Vec<Value>, Totals, Totals)> = BTreeMap::new();
    for (key, (shown, totals)) in &main {
        merged.insert(key, (shown, *totals, Totals::default()));
    }
    for (key, (shown, totals)) in other.iter().flatten() {
        merged.entry(key).or_insert((shown, Totals::default(), Totals::default())).2 = *totals;
    }
    let values_of = |totals: &Totals| -> Vec<Value> {
        definition.metrics.iter().map(|field| values::metric(field, totals, definition.rate)).collect()
    };
    let mut rows: Vec<Value> = Vec::new();
    for (shown, totals, before) in merged.into_values() {
        let mut group = json!({ "primaryValues": values_of(&totals) });
        if other.is_some() {
            group["comparisonValues"] = values_of(&before).into();
        }
        rows.push(json!({ "dimensionValues": shown, "metricValueGroups": [group] }));
    }
    rows.sort_by(|a, b| order(definition, a, b));
    rows
}

fn order(definition: &Definition, a: &Value, b: &Value) -> Ordering {
    for sort in &definition.sorts {
        let (letter, name) = filters::field_of(&sort["field"]);
        let list = if letter == 'M' { &definition.metrics } else { &definition.dimensions };
        let at = list.iter().position(|field| field.name == name).unwrap_or(0);
        let path = if letter == 'M' {
            format!("/metricValueGroups/0/primaryValues/{at}")
        } else {
            format!("/dimensionValues/{at}")
        };
        let pick = |row: &Value| row.pointer(&path).cloned().unwrap_or(Value::Null);
        let found = compare(&pick(a), &pick(b));
        let found = if sort["descending"] == true { found.reverse() } else { found };
        if found.is_ne() {
            return found;
        }
    }
    let shown = |row: &Value| row["dimensionValues"].as_array().cloned().unwrap_or_default();
    let pairs = shown(a).into_iter().zip(shown(b));
    pairs.map(|(a, b)| compare(&a, &b)).find(|found| found.is_ne()).unwrap_or(Ordering::Equal)
}
