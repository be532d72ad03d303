//! Turns reports of named values (JSON or CSV) into typed columns and rows, by the network's shape. Numbers in text become numbers; money
//! becomes millionths without floating point. This module must never add or guess a number.

use std::collections::BTreeSet;

use adagent_contract::{Column, ColumnKind, ReportData, Value};
use adagent_domain::{Currency, Cut as _, Money, text::visible};
use serde_json::{Map, Value as Json};

use super::{
    report::{ReportContext, Unreadable, integer},
    shapes::{self, Format, Shape, Unit},
    words,
};
use crate::pipeline::dotted;

pub fn report(
    body: &Json,
    shape: &Shape,
    items_path: Option<&str>,
    truncated: bool,
    context: &ReportContext<'_>,
) -> Result<ReportData, Unreadable> {
    let raw = rows(body, shape, items_path, context.args)?;
    let names = columns_in_order(&raw, shape, context.args);
    // If the network has no fixed currency, that of the report's definition counts, then that of the account.
    let definition = &body["definition"]["reportDefinition"];
    let account =
        |part: fn(&adagent_contract::AccountChoice) -> &Option<String>| context.account.and_then(|a| part(a).clone());
    let currency_code = said(&shape.currency, context.args)
        .or_else(|| text(&definition["currencyCode"]))
        .or_else(|| account(|account| &account.currency))
        .map(|code| code.to_uppercase());
    let time_zone = said(&shape.time_zone, context.args)
        .or_else(|| text(&definition["timeZone"]))
        .or_else(|| account(|account| &account.time_zone));
    let currency = currency_code.clone().map(Currency::try_from).transpose();
    let currency = currency.map_err(|error| Unreadable(error.to_string()))?;

    let described: Vec<(String, shapes::Column)> =
        names.iter().map(|wire| (wire.clone(), describe(wire, shape, &raw))).collect();
    let shown: Vec<&(String, shapes::Column)> = described
        .iter()
        // A column with names is merged into the column with their IDs.
        .filter(|(wire, _)| !described.iter().any(|(_, other)| other.name.as_deref() == Some(wire)))
        .collect();
    let mut out = Vec::with_capacity(raw.len().min(context.max_rows));
    for row in raw.iter().take(context.max_rows) {
        let cells = shown.iter().map(|(wire, column)| cell(row, wire, column, currency));
        out.push(cells.collect::<Result<Vec<Value>, _>>()?);
    }
    let columns = shown.iter().map(|(_, column)| Column {
        key: column.key.clone(),
        label: column.label.clone(),
        kind: column.kind,
        unit: match column.kind {
            ColumnKind::Money => currency_code.clone(),
            ColumnKind::Percent => Some("%".to_owned()),
            _ => None,
        },
    });
    let (from, to) = period(shape, context.args, &shown, &out);
    let mut warnings = context.notes.clone();
    warnings.extend(shape.warnings.iter().cloned());
    Ok(ReportData {
        columns: columns.collect(),
        truncated: truncated || raw.len() > out.len(),
        row_count: raw.len() as u64,
        rows: out,
        currency: currency_code,
        time_zone: time_zone.map(|zone| zone_name(&zone)),
        date_from: from,
        date_to: to,
        account: context.account.cloned(),
        warnings,
    })
}

/// Returns the rows as objects. If the reply has no list of rows, that is an error, unless the network says that there are none.
fn rows<'a>(
    body: &'a Json,
    shape: &Shape,
    items_path: Option<&str>,
    args: &Json,
) -> Result<Vec<std::borrow::Cow<'a, Map<String, Json>>>, Unreadable> {
    use std::borrow::Cow;
    let nothing = shape.nothing.as_ref();
    if nothing.is_some_and(|(at, says)| dotted::get(body, at).and_then(Json::as_str) == Some(says)) {
        return Ok(Vec::new());
    }
    let path = dotted::fill(shape.rows.as_deref().or(items_path).unwrap_or_default(), args);
    // A reply that arrived as CSV is the list itself.
    let list = if body.is_array() { Some(body) } else { dotted::get(body, &path) };
    let list = match list {
        Some(Json::Array(list)) => list,
        Some(Json::Null) => return Ok(Vec::new()),
        _ => return Err(Unreadable(format!("it has no rows at {path:?}"))),
    };
    if shape.definition.is_some() {
        return by_position(list, &body["definition"]).map(|rows| rows.into_iter().map(Cow::Owned).collect());
    }
    let rows = list.iter().map(|row| row.as_object().map(Cow::Borrowed));
    rows.collect::<Option<_>>().ok_or_else(|| Unreadable("a row is not an object".into()))
}

/// Reads Ad Manager's rows, whose values follow the order of the report's dimensions and metrics.
fn by_position(list: &[Json], definition: &Json) -> Result<Vec<Map<String, Json>>, Unreadable> {
    let definition = &definition["reportDefinition"];
    let names = |field: &str| -> Vec<&str> {
        definition[field].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
    };
    let (dimensions, metrics) = (names("dimensions"), names("metrics"));
    let values = |row: &Json, at: &str| row.pointer(at).and_then(Json::as_array).cloned().unwrap_or_default();
    list.iter()
        .map(|row| {
            let (left, right) = (values(row, "/dimensionValues"), values(row, "/metricValueGroups/0/primaryValues"));
            if left.len() != dimensions.len() || right.len() != metrics.len() {
                return Err(Unreadable("a row's values don't match the report's columns".into()));
            }
            let names = dimensions.iter().chain(&metrics).map(|name| (*name).to_owned());
            let values = left.iter().chain(&right).map(|value| {
                let Some(fields) = value.as_object() else { return Json::Null };
                let leaf = fields.values().next().cloned().unwrap_or_default();
                leaf.get("values").and_then(Json::as_array).map_or(leaf.clone(), |values| {
                    let texts: Vec<String> = values.iter().filter_map(text).collect();
                    texts.join(", ").into()
                })
            });
            Ok(names.zip(values).collect())
        })
        .collect()
}

fn columns_in_order(raw: &[std::borrow::Cow<'_, Map<String, Json>>], shape: &Shape, args: &Json) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut push = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let present = |name: &str| raw.is_empty() || raw.iter().any(|row| row.contains_key(name));
    shape.always.iter().filter(|name| present(name)).for_each(|name| push(name));
    shape.asked(args).iter().filter(|name| present(name)).for_each(|name| push(name));
    for row in raw {
        row.iter().filter(|(_, value)| !value.is_object() && !value.is_array()).for_each(|(name, _)| push(name));
    }
    names
}

/// Turns `adUnitName` and `AD_UNIT_NAME` into `ad_unit_name`.
fn key_of(wire: &str) -> String {
    let (mut key, mut small) = (String::new(), false);
    for c in wire.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => {
                key.extend((c.is_ascii_uppercase() && small).then_some('_'));
                key.push(c.to_ascii_lowercase());
            }
            _ if key.ends_with('_') || key.is_empty() => {}
            _ => key.push('_'),
        }
        small = c.is_ascii_lowercase();
    }
    key.trim_end_matches('_').to_owned()
}

/// Describes a column: as the shape says, else by its data format, else by its values.
fn describe(wire: &str, shape: &Shape, raw: &[std::borrow::Cow<'_, Map<String, Json>>]) -> shapes::Column {
    if let Some(column) = shape.columns.get(wire) {
        return column.clone();
    }
    let key = key_of(wire);
    let numeric = raw.iter().any(|row| row.get(wire).is_some_and(Json::is_number))
        && raw.iter().all(|row| row.get(wire).is_none_or(|value| value.is_number() || value.is_null()));
    let (kind, unit) = match shape.format(wire) {
        Some(Format::Money) => (ColumnKind::Money, Unit::Whole),
        Some(Format::Percent) => (ColumnKind::Percent, Unit::Ratio),
        Some(Format::Integer) => (ColumnKind::Count, Unit::Whole),
        Some(Format::Double) => (ColumnKind::Number, Unit::Whole),
        Some(Format::Date) => (ColumnKind::Date, Unit::Whole),
        None if numeric && !key.ends_with("id") => (ColumnKind::Number, Unit::Whole),
        None => (ColumnKind::Text, Unit::Whole),
    };
    shapes::Column { label: words::human(&wire.replace(['-', ' '], "_").to_uppercase()), key, kind, unit, name: None }
}

fn cell(
    row: &Map<String, Json>,
    wire: &str,
    column: &shapes::Column,
    currency: Option<Currency>,
) -> Result<Value, Unreadable> {
    let Some(value) = row.get(wire).and_then(text) else { return Ok(Value::Missing) };
    let bad =
        || Unreadable(format!("{wire} is {:?}, which isn't a number", value.chars().take(40).collect::<String>()));
    let number = || decimal(&value).ok_or_else(bad);
    Ok(match column.kind {
        ColumnKind::Text => Value::Text { value: visible(&value).into_owned() },
        ColumnKind::Date => Value::Date { value: day(&value) },
        ColumnKind::Entity => {
            let name = column.name.as_deref().and_then(|name| row.get(name)).and_then(text);
            let name = name.map(|name| visible(&name).into_owned());
            Value::Entity { name: name.unwrap_or_else(|| known_name(&column.key, &value)), id: value }
        }
        ColumnKind::Count => Value::Count { value: whole(&value).ok_or_else(bad)? },
        ColumnKind::Money => {
            let currency = currency.ok_or_else(|| Unreadable("the report does not say its currency".into()))?;
            let micros = match column.unit {
                Unit::Micros => whole(&value).ok_or_else(bad)?,
                Unit::Whole | Unit::Ratio => {
                    let amount = number()?;
                    if !agrees(amount.sign, currency) {
                        let code = currency.code();
                        return Err(Unreadable(format!("{wire} is {value:?}, but the report is said to be in {code}")));
                    }
                    amount.micros().ok_or_else(bad)?
                }
            };
            Value::Money { money: Money::new(currency, micros) }
        }
        ColumnKind::Percent => {
            let rate = number()?;
            let said = rate.sign == Some('%');
            let value = rate.float();
            Value::Percent { value: if column.unit == Unit::Ratio && !said { value * 100.0 } else { value } }
        }
        ColumnKind::Number => Value::Number { value: number()?.float() },
    })
}

/// Returns the name for a code of a country, platform or format.
fn known_name(key: &str, id: &str) -> String {
    let known = match key {
        "country" => words::region_name(&id.to_uppercase()).map(str::to_owned),
        "platform" => words::platform_name(id).map(str::to_owned),
        "format" => Some(words::human(&id.to_uppercase())),
        _ => None,
    };
    known.unwrap_or_else(|| visible(id).into_owned())
}

/// A decimal number as digits. It is not rounded until we know what it means.
struct Decimal {
    negative: bool,
    digits: String,
    /// How many digits are after the point.
    places: i64,
    /// The currency sign, or `%`, if the text has one.
    sign: Option<char>,
}

const SIGNS: [char; 5] = ['$', '€', '£', '¥', '%'];

/// Parses `1,234.5`, `$0.002`, `12.5%` or `1e-7`. A comma may only separate thousands: `1,5` means a decimal elsewhere and is an error
/// here.
fn decimal(text: &str) -> Option<Decimal> {
    let (negative, plain) = minus(text.trim());
    let (sign, plain) = match plain.strip_prefix(SIGNS).or_else(|| plain.strip_suffix(SIGNS)) {
        Some(rest) => (plain.chars().find(|c| SIGNS.contains(c)), rest.trim()),
        None => (None, plain),
    };
    // The minus may come before or after the sign (`-$1.5`, `$-1.5`), but not both.
    let (second, plain) = minus(plain);
    if negative && second {
        return None;
    }
    let (mantissa, exponent) = match plain.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok().filter(|e| (-60..=60).contains(e))?),
        None => (plain, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", thousands(whole)?);
    if digits.is_empty() || digits.len() > 60 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let places = i64::try_from(fraction.len()).ok()? - exponent;
    Some(Decimal { negative: negative || second, digits, places, sign })
}

fn minus(text: &str) -> (bool, &str) {
    text.strip_prefix('-').map_or((false, text), |rest| (true, rest))
}

/// Removes the commas between groups of three digits; `None` if the groups have other lengths.
fn thousands(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    if rest.peek().is_some() && (first.is_empty() || first.len() > 3) {
        return None;
    }
    rest.all(|group| group.len() == 3).then(|| whole.replace(',', ""))
}

/// Currencies whose amounts are written with `$`.
const DOLLARS: [&str; 8] = ["USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD"];

/// Checks whether a text with this sign may be an amount in the currency; several currencies use `$`.
fn agrees(sign: Option<char>, currency: Currency) -> bool {
    match sign {
        None => true,
        Some('$') => DOLLARS.contains(&currency.code()),
        Some('€') => currency.code() == "EUR",
        Some('£') => currency.code() == "GBP",
        Some('¥') => matches!(currency.code(), "JPY" | "CNY"),
        Some(_) => false,
    }
}

impl Decimal {
    /// Returns the value in millionths, with halves rounded away from zero.
    fn micros(&self) -> Option<i64> {
        let value: i128 = self.digits.parse().ok()?;
        let shift = 6 - self.places;
        let scale = 10_i128.checked_pow(u32::try_from(shift.unsigned_abs()).ok()?);
        let micros = match scale {
            Some(scale) if shift >= 0 => value.checked_mul(scale)?,
            Some(scale) => (value + scale / 2) / scale,
            None if shift < 0 || value == 0 => 0,
            None => return None,
        };
        i64::try_from(if self.negative { -micros } else { micros }).ok()
    }

    fn float(&self) -> f64 {
        let value: f64 = format!("{}e{}", self.digits, -self.places).parse().unwrap_or(f64::NAN);
        if self.negative { -value } else { value }
    }
}

/// Parses a decimal text as millionths.
pub fn micros(text: &str) -> Option<i64> {
    decimal(text)?.micros()
}

/// Parses a whole number; `12.0` counts as one.
fn whole(text: &str) -> Option<i64> {
    integer(&Json::from(text.trim())).or_else(|| {
        let micros = micros(text)?;
        (micros % 1_000_000 == 0).then_some(micros / 1_000_000)
    })
}

fn text(value: &Json) -> Option<String> {
    crate::pipeline::plain(value).filter(|text| !text.trim().is_empty())
}

fn said(said: &shapes::Said, args: &Json) -> Option<String> {
    said.arg.as_deref().and_then(|path| dotted::get(args, path)).and_then(text).or_else(|| said.default.clone())
}

/// Turns `8` into `UTC+8`.
fn zone_name(zone: &str) -> String {
    match zone.parse::<i32>() {
        Ok(0) => "Etc/UTC".to_owned(),
        Ok(hours) => format!("UTC{hours:+}"),
        Err(_) => zone.to_owned(),
    }
}

/// Turns `20261120`, `2026-11-20T00:00:00Z` or Unix seconds into `2026-11-20`. Any other text stays as it is.
fn day(text: &str) -> String {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    if digits && text.len() == 8 {
        return format!("{}-{}-{}", text.cut(..4), text.cut(4..6), text.cut(6..));
    }
    if digits && text.len() == 10 {
        let moment = text.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        return moment
            .map_or_else(|| text.to_owned(), |moment| moment.to_zoned(jiff::tz::TimeZone::UTC).date().to_string());
    }
    match text.get(..10).filter(|start| start.parse::<jiff::civil::Date>().is_ok()) {
        // Keep the time of day, except midnight.
        Some(start) if text.len() == 10 || text.cut(10..).trim_start_matches(['T', ' ']).starts_with("00:00") => {
            start.to_owned()
        }
        _ => text.to_owned(),
    }
}

/// Returns the first and last day: from the arguments, or else from the rows.
fn period(shape: &Shape, args: &Json, shown: &[&(String, shapes::Column)], rows: &[Vec<Value>]) -> (String, String) {
    let asked = |path: &Option<String>| path.as_deref().and_then(|path| dotted::get(args, path)).and_then(text);
    if let Some(from) = asked(&shape.from) {
        if let Some((first, last)) = from.split_once(':').filter(|(first, _)| first.len() == 10) {
            return (first.to_owned(), last.to_owned());
        }
        return (day(&from), day(&asked(&shape.to).unwrap_or_else(|| from.clone())));
    }
    let column = shown.iter().position(|(_, column)| column.kind == ColumnKind::Date);
    let days = column.into_iter().flat_map(|at| rows.iter().map(move |row| &row[at]));
    let days: BTreeSet<&str> =
        days.filter_map(|cell| if let Value::Date { value } = cell { Some(value.as_str()) } else { None }).collect();
    let end = |day: Option<&&str>| day.map(|day| (*day).to_owned()).unwrap_or_default();
    (end(days.first()), end(days.last()))
}

#[cfg(test)]
mod tests;
