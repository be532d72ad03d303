//! The publisher report 3.0: what the posted request asks for, at most 5000 rows at a time.

use std::cmp::Ordering;

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{BOOK, app_id, placement_id, refused, seed};
use crate::credentials::{self, Standing};
use crate::networks::body::Fields;
use crate::networks::table::{Ask, Codes, Column, ecpm, list, number, share, table};
use crate::networks::{Answer, Request, names};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;

const LARGEST_PAGE: i64 = 5000;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

static COLUMNS: [Column; 12] = [
    column("date", &[Axis::Date], |_, codes| format!("{} 00:00:00", day_of(codes.code(Axis::Date)))),
    column("country", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_owned()),
    column("platform", &[Axis::Platform], |_, codes| {
        if codes.at(Axis::Platform) == 1 { "iOS" } else { "Android" }.to_owned()
    }),
    column("account", &[], |_, _| {
        credentials::of(super::ID, Standing::Valid)
            .and_then(|set| set.field("account_id"))
            .unwrap_or_default()
            .to_owned()
    }),
    column("inmobiAppId", &[Axis::App], |_, codes| app_id(codes.at(Axis::App)).to_string()),
    column("inmobiAppName", &[Axis::App], |_, codes| APPS[codes.at(Axis::App)].name.to_owned()),
    column("placementId", &[Axis::Unit], |_, codes| placement_id(codes.at(Axis::Unit)).to_string()),
    column("placementName", &[Axis::Unit], |inner, codes| inner.units[codes.at(Axis::Unit)].wire.display_name.clone()),
    column("adUnitType", &[Axis::Unit], |inner, codes| {
        seed::placement_type(inner.units[codes.at(Axis::Unit)].format).to_owned()
    }),
    column("requestSlot", &[Axis::Unit], |inner, codes| {
        if inner.units[codes.at(Axis::Unit)].format == "BANNER" { "15" } else { "14" }.to_owned()
    }),
    column("integrationDirect", &[], |_, _| "true".to_owned()),
    column("requestBundleId", &[Axis::App], |_, codes| names::package(&APPS[codes.at(Axis::App)])),
];

/// The groups that a request may ask for, with the columns of each.
const GROUPS: [(&str, &[&str]); 10] = [
    ("date", &["date"]),
    ("country", &["country"]),
    ("platform", &["platform"]),
    ("account", &["account"]),
    ("inmobiAppId", &["inmobiAppId", "inmobiAppName"]),
    ("placement", &["placementId", "placementName"]),
    ("adUnitType", &["adUnitType"]),
    ("requestSlot", &["requestSlot"]),
    ("integrationDirect", &["integrationDirect"]),
    ("requestBundleId", &["requestBundleId"]),
];
const METRICS: [&str; 7] =
    ["adRequests", "adImpressions", "servedImpressions", "clicks", "earnings", "costPerMille", "fillRate"];

fn bad(message: impl AsRef<str>) -> Answer {
    refused(5010, message)
}

fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

fn metric(name: &str, it: &Totals) -> Value {
    match name {
        "adRequests" => json!(it.requests),
        "adImpressions" => json!(it.impressions),
        "servedImpressions" => json!(it.matched),
        "clicks" => json!(it.clicks),
        "earnings" => json!(number(it.micros)),
        "costPerMille" => json!(number(ecpm(it))),
        _ => json!(share(it.matched * 100, it.requests)),
    }
}

fn frame(text: &str) -> Option<(Date, Date)> {
    let (from, to) = text.split_once(':')?;
    Some((from.parse().ok()?, to.parse().ok()?)).filter(|(from, to)| from <= to)
}

/// Filters on columns, and conditions on measures.
struct Filters {
    columns: Vec<(&'static Column, Vec<String>)>,
    measures: Vec<(String, String, f64)>,
}

fn filters(asked: &Fields) -> Result<Filters, String> {
    let mut found = Filters { columns: Vec::new(), measures: Vec::new() };
    for (path, item) in asked.list("filterBy")?.unwrap_or_default() {
        let filter = Fields::of(item, &path)?;
        let (name, comparator) = (filter.need_text("filterName")?, filter.need_text("comparator")?);
        let value = filter.need("filterValue")?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if METRICS.contains(&name) {
            let bound = value.parse().map_err(|_| format!("{path}.filterValue must be a number"))?;
            if ![">", "<", ">=", "<=", "="].contains(&comparator) {
                return Err(format!("{path}.comparator: \"{comparator}\" does not go with a measure"));
            }
            found.measures.push((name.to_owned(), comparator.to_owned(), bound));
            continue;
        }
        let group = GROUPS.iter().find(|(known, _)| *known == name);
        let column = group.and_then(|(_, brings)| find(brings[0]));
        let column = column.ok_or_else(|| format!("{path}.filterName: \"{name}\" does not exist"))?;
        if !["in", "=", "IN"].contains(&comparator) {
            return Err(format!("{path}.comparator: \"{comparator}\" is not one of in, ="));
        }
        found.columns.push((column, list(&value)));
    }
    Ok(found)
}

fn holds((name, comparator, bound): &(String, String, f64), totals: &Totals) -> bool {
    let value = metric(name, totals).as_f64().unwrap_or(0.0);
    match comparator.as_str() {
        ">" => value > *bound,
        "<" => value < *bound,
        ">=" => value >= *bound,
        "<=" => value <= *bound,
        _ => value.total_cmp(bound) == Ordering::Equal,
    }
}

/// A checked request.
struct Report {
    days: (Date, Date),
    columns: Vec<&'static Column>,
    metrics: Vec<String>,
    filters: Filters,
    order: Vec<String>,
    descending: bool,
    offset: usize,
    length: usize,
}

fn checked(body: &Value) -> Result<Report, String> {
    let body = Fields::of(body, "")?;
    let asked = body.object("reportRequest")?.ok_or("reportRequest is required")?;
    let metrics = asked.texts("metrics")?.unwrap_or_default();
    if metrics.is_empty() {
        return Err("reportRequest.metrics is required".to_owned());
    }
    if let Some(unknown) = metrics.iter().find(|name| !METRICS.contains(&name.as_str())) {
        return Err(format!("reportRequest.metrics: \"{unknown}\" is not one of {}", METRICS.join(", ")));
    }
    let text = asked.need_text("timeFrame")?;
    let days = frame(text)
        .ok_or_else(|| format!("reportRequest.timeFrame: \"{text}\" is not of the form yyyy-MM-dd:yyyy-MM-dd"))?;
    let mut columns: Vec<&'static Column> = Vec::new();
    for name in asked.texts("groupBy")?.unwrap_or_default() {
        let group = GROUPS.iter().find(|(known, _)| *known == name);
        let (_, brings) = group.ok_or_else(|| format!("reportRequest.groupBy: \"{name}\" does not exist"))?;
        columns.extend(brings.iter().filter_map(|name| find(name)));
    }
    let order = asked.texts("orderBy")?.unwrap_or_default();
    let known = |name: &String| metrics.contains(name) || columns.iter().any(|column| column.name == name);
    if let Some(unknown) = order.iter().find(|name| !known(name)) {
        return Err(format!("reportRequest.orderBy: \"{unknown}\" is not asked for"));
    }
    Ok(Report {
        days,
        filters: filters(&asked)?,
        descending: asked.choice("orderType", &["asc", "desc"])? == Some("desc"),
        offset: usize::try_from(asked.integer("offset", 0, i64::MAX)?.unwrap_or(0)).unwrap_or(0),
        length: usize::try_from(asked.integer("length", 1, LARGEST_PAGE)?.unwrap_or(LARGEST_PAGE)).unwrap_or(1),
        columns,
        metrics,
        order,
    })
}

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let body = request.json().map_err(|error| bad(format!("The body is no JSON: {error}")))?;
    let report = checked(&body).map_err(bad)?;
    let Filters { columns: filters, measures } = report.filters;
    let ask =
        Ask { from: report.days.0, to: report.days.1, zone: 0, columns: report.columns.clone(), filters, apps: None };
    let mut rows: Vec<Map<String, Value>> = table(inner, &BOOK, &ask)
        .into_iter()
        .filter(|line| measures.iter().all(|condition| holds(condition, &line.totals)))
        .map(|line| {
            let cell = |(column, text): (&&Column, &String)| {
                let value = match text.parse::<u64>() {
                    Ok(id) if column.name.ends_with("Id") && column.name != "requestBundleId" => json!(id),
                    _ => json!(text),
                };
                (column.name.to_owned(), value)
            };
            let mut row: Map<String, Value> = report.columns.iter().zip(&line.texts).map(cell).collect();
            row.extend(report.metrics.iter().map(|name| (name.clone(), metric(name, &line.totals))));
            row
        })
        .collect();
    rows.sort_by(|a, b| {
        let order =
            report.order.iter().fold(Ordering::Equal, |found, name| found.then_with(|| compare(&a[name], &b[name])));
        if report.descending { order.reverse() } else { order }
    });
    let page: Vec<_> = rows.into_iter().skip(report.offset).take(report.length).collect();
    Ok(Answer::ok(json!({ "respList": page, "error": false, "errorList": [] })))
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.as_str().cmp(&b.as_str()),
    }
}
