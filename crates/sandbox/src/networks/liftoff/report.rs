//! The performance report: JSON rows for a client that asks for JSON, otherwise CSV. Without data, the answer is empty.

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{BOOK, application_id, bad, placement_id, seed};
use crate::networks::table::{Ask, Codes, Column, csv_line, decimal, ecpm, list, number, table};
use crate::networks::{Answer, Request};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;

const MONTHS_BACK: i64 = 6;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

fn kind(inner: &Inner, codes: &Codes) -> &'static str {
    seed::placement_type(inner.units[codes.at(Axis::Unit)].format)
}

static COLUMNS: [Column; 11] = [
    column("platform", &[Axis::Platform], |_, codes| {
        if codes.at(Axis::Platform) == 1 { "iOS" } else { "Android" }.to_owned()
    }),
    column("application id", &[Axis::App], |_, codes| application_id(codes.at(Axis::App))),
    column("application name", &[Axis::App], |_, codes| APPS[codes.at(Axis::App)].name.to_owned()),
    column("placement id", &[Axis::Unit], |_, codes| placement_id(codes.at(Axis::Unit))),
    column("placement name", &[Axis::Unit], |inner, codes| inner.units[codes.at(Axis::Unit)].wire.display_name.clone()),
    column("placement reference id", &[Axis::Unit], |inner, codes| {
        let unit = codes.at(Axis::Unit);
        seed::reference(&inner.units[unit].wire.display_name, unit)
    }),
    column("date", &[Axis::Date], |_, codes| day_of(codes.code(Axis::Date)).to_string()),
    column("country", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_owned()),
    column("incentivized", &[Axis::Unit], |inner, codes| (kind(inner, codes) == "rewarded").to_string()),
    column("adType", &[Axis::Unit], |inner, codes| kind(inner, codes).to_owned()),
    column("adSize", &[Axis::Unit], |inner, codes| {
        if kind(inner, codes) == "banner" { "320x50" } else { "fullscreen" }.to_owned()
    }),
];

/// The dimensions that a request may ask for, with the columns of each.
const DIMENSIONS: [(&str, &[&str]); 8] = [
    ("platform", &["platform"]),
    ("application", &["application id", "application name"]),
    ("placement", &["placement id", "placement name", "placement reference id"]),
    ("date", &["date"]),
    ("country", &["country"]),
    ("incentivized", &["incentivized"]),
    ("adType", &["adType"]),
    ("adSize", &["adSize"]),
];
const AGGREGATES: [&str; 6] = ["impressions", "views", "completes", "clicks", "revenue", "ecpm"];

fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

fn measure(name: &str, it: &Totals) -> (Value, String) {
    let count = |value: u64| (json!(value), value.to_string());
    let money = |micros: u64| (json!(number(micros)), decimal(micros));
    match name {
        "impressions" => count(it.impressions),
        "views" => count(it.impressions * 97 / 100),
        "completes" => count(it.impressions * 88 / 100),
        "clicks" => count(it.clicks),
        "revenue" => money(it.micros),
        _ => money(ecpm(it)),
    }
}

fn day(request: &Request, name: &str) -> Result<Date, Answer> {
    let text = request.query(name).ok_or_else(|| bad(format!("The parameter {name} is required.")))?;
    text.parse().map_err(|_| bad(format!("{name}: \"{text}\" is no ISO 8601 date.")))
}

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let (from, to) = (day(request, "start")?, day(request, "end")?);
    let (today, _) = inner.clock();
    if from > to {
        return Err(bad("start must not be after end."));
    }
    if from < today.saturating_sub(Span::new().months(MONTHS_BACK)) {
        return Err(bad("Data is available for the last six months."));
    }
    let mut columns: Vec<&'static Column> = Vec::new();
    for name in list(request.query("dimensions").unwrap_or_default()) {
        let found = DIMENSIONS.iter().find(|(known, _)| *known == name);
        let (_, brings) = found.ok_or_else(|| bad(format!("The dimension {name} does not exist.")))?;
        columns.extend(brings.iter().filter_map(|name| find(name)));
    }
    let aggregates = list(request.query("aggregates").unwrap_or_default());
    if aggregates.is_empty() {
        return Err(bad("The parameter aggregates is required."));
    }
    if let Some(unknown) = aggregates.iter().find(|name| !AGGREGATES.contains(&name.as_str())) {
        return Err(bad(format!("The aggregate {unknown} does not exist.")));
    }
    let mut filters = Vec::new();
    for (name, column) in
        [("applicationId", "application id"), ("country", "country"), ("adType", "adType"), ("adSize", "adSize")]
    {
        if let (Some(text), Some(column)) = (request.query(name), find(column)) {
            filters.push((column, list(text)));
        }
    }
    match (request.query("incentivized"), find("incentivized")) {
        (None | Some("all"), _) => {}
        (Some(text @ ("true" | "false")), Some(column)) => filters.push((column, vec![text.to_owned()])),
        _ => return Err(bad("incentivized must be true, false or all.")),
    }
    let lines = table(inner, &BOOK, &Ask { from, to, zone: 0, columns: columns.clone(), filters, apps: None });
    if lines.is_empty() {
        // The documentation says so: the request was fine, but there is no data.
        return Ok(Answer::bytes(200, "text/plain", Vec::new()));
    }
    if request.header("accept").is_some_and(|accept| accept.contains("application/json")) {
        let rows = lines.iter().map(|line| {
            let cell = |(column, text): (&&Column, &String)| {
                let value = if column.name == "incentivized" { json!(text == "true") } else { json!(text) };
                (column.name.to_owned(), value)
            };
            let mut row: Map<String, Value> = columns.iter().zip(&line.texts).map(cell).collect();
            row.extend(aggregates.iter().map(|name| (name.clone(), measure(name, &line.totals).0)));
            Value::Object(row)
        });
        return Ok(Answer::ok(rows.collect()));
    }
    let heads = columns.iter().map(|column| column.name).chain(aggregates.iter().map(String::as_str));
    let mut text = csv_line(heads.collect::<Vec<_>>());
    for line in &lines {
        let values = aggregates.iter().map(|name| measure(name, &line.totals).1);
        text.push_str(&csv_line(line.texts.iter().cloned().chain(values).collect::<Vec<_>>()));
    }
    Ok(Answer::bytes(200, "text/csv; charset=utf-8", text))
}
