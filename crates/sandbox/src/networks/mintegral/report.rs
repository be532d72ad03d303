//! The reporting API: at most seven days per call, up to sixty days back, in UTC+8 unless the request says otherwise.

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{BOOK, app_id, bad, placement_id, seed, unit_id};
use crate::networks::table::{Ask, Codes, Column, ecpm, list, number, share, table};
use crate::networks::{Answer, Request, names};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::sources::SOURCES;

const DAYS_A_CALL: i64 = 7;
const DAYS_BACK: i64 = 60;
const LARGEST_PAGE: usize = 10_000;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

fn bidding(codes: &Codes) -> bool {
    SOURCES[codes.at(Axis::Source)].bidding
}

static COLUMNS: [Column; 13] = [
    column("date", &[Axis::Date], |_, codes| day_of(codes.code(Axis::Date)).strftime("%Y%m%d").to_string()),
    // The start of the hour in the requested zone. The offset of the zone is subtracted below.
    column("timestamp", &[Axis::Date, Axis::Hour], |_, codes| {
        let hour = i8::try_from(codes.code(Axis::Hour)).unwrap_or(0);
        let at = day_of(codes.code(Axis::Date)).at(hour, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC);
        at.map_or(0, |at| at.timestamp().as_second()).to_string()
    }),
    column("app_id", &[Axis::App], |_, codes| app_id(codes.at(Axis::App)).to_string()),
    column("app_name", &[Axis::App], |_, codes| APPS[codes.at(Axis::App)].name.to_owned()),
    column("app_package", &[Axis::App], |_, codes| names::package(&APPS[codes.at(Axis::App)])),
    column("platform", &[Axis::Platform], |_, codes| {
        if codes.at(Axis::Platform) == 1 { "ios" } else { "android" }.to_owned()
    }),
    column("country", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_owned()),
    column("placement_id", &[Axis::Unit], |_, codes| placement_id(codes.at(Axis::Unit)).to_string()),
    column("placement_name", &[Axis::Unit], |inner, codes| inner.units[codes.at(Axis::Unit)].wire.display_name.clone()),
    column("unit_id", &[Axis::Unit, Axis::Source], |_, codes| {
        unit_id(codes.at(Axis::Unit), codes.at(Axis::Source)).to_string()
    }),
    column("unit_name", &[Axis::Unit, Axis::Source], |inner, codes| {
        seed::unit_name(&inner.units[codes.at(Axis::Unit)].wire.display_name, bidding(codes))
    }),
    column("bidding_type", &[Axis::Source], |_, codes| u8::from(bidding(codes)).to_string()),
    column("ad_format", &[Axis::Unit], |inner, codes| {
        seed::ad_type(inner.units[codes.at(Axis::Unit)].format).to_owned()
    }),
];

/// The groups that a request may ask for, with the columns of each.
const GROUPS: [(&str, &[&str]); 9] = [
    ("date", &["date"]),
    ("app_id", &["app_id", "app_name", "app_package"]),
    ("platform", &["platform"]),
    ("country", &["country"]),
    ("placement_id", &["placement_id", "placement_name"]),
    ("unit_id", &["unit_id", "unit_name"]),
    ("bidding_type", &["bidding_type"]),
    ("ad_format", &["ad_format"]),
    ("timestamp", &["timestamp"]),
];
/// Columns that are numbers in the answer.
const NUMBERS: [&str; 6] = ["date", "timestamp", "app_id", "placement_id", "unit_id", "bidding_type"];

fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

fn day(request: &Request, name: &str, default: Date) -> Result<Date, Answer> {
    let Some(text) = request.query(name) else { return Ok(default) };
    let wrong = || bad(format!("params error: {name} must be a day such as 20261120"));
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    Date::strptime("%Y%m%d", text).map_err(|_| wrong())
}

fn count(request: &Request, name: &str, default: usize, most: usize) -> Result<usize, Answer> {
    match request.query(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| bad(format!("params error: {name} must be a number from 1 to {most}")))
        }
    }
}

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let (today, _) = inner.clock();
    let yesterday = today.saturating_sub(Span::new().days(1));
    let (from, to) = (day(request, "start", yesterday)?, day(request, "end", yesterday)?);
    if from > to {
        return Err(bad("params error: start must not be after end"));
    }
    if to.saturating_sub(Span::new().days(DAYS_A_CALL - 1)) > from {
        return Err(bad("params error: the time range cannot be more than 7 days"));
    }
    if from < today.saturating_sub(Span::new().days(DAYS_BACK)) {
        return Err(bad("params error: only the data of the last 60 days can be queried"));
    }
    let zone: i8 = match request.query("timezone") {
        None => 8,
        Some(text) => {
            let zone = text.parse().ok().filter(|zone| (-12..=12).contains(zone));
            zone.ok_or_else(|| bad("params error: timezone must be an integer from -12 to 12"))?
        }
    };
    let mut columns: Vec<&'static Column> = Vec::new();
    for name in list(request.query("group_by").unwrap_or("date")) {
        let group = GROUPS.iter().find(|(known, _)| *known == name);
        let (_, brings) =
            group.ok_or_else(|| bad(format!("params error: group_by has an unknown dimension {name}")))?;
        columns.extend(brings.iter().filter_map(|name| find(name)));
    }
    let mut filters = Vec::new();
    for name in ["app_id", "placement_id", "unit_id", "country", "platform", "ad_format"] {
        if let (Some(text), Some(column)) = (request.query(name), find(name)) {
            filters.push((column, list(text)));
        }
    }
    let page = count(request, "page", 1, usize::MAX)?;
    let size = count(request, "limit", LARGEST_PAGE, LARGEST_PAGE)?;
    let lines = table(inner, &BOOK, &Ask { from, to, zone, columns: columns.clone(), filters, apps: None });
    let lists: Vec<Value> = lines
        .iter()
        .skip((page - 1).saturating_mul(size))
        .take(size)
        .map(|line| {
            let cell = |(column, text): (&&Column, &String)| {
                let value = match text.parse::<i64>() {
                    Ok(at) if column.name == "timestamp" => json!(at - i64::from(zone) * 3600),
                    Ok(number) if NUMBERS.contains(&column.name) => json!(number),
                    _ => json!(text),
                };
                (column.name.to_owned(), value)
            };
            let mut row: Map<String, Value> = columns.iter().zip(&line.texts).map(cell).collect();
            let it = &line.totals;
            for (name, value) in [
                ("request", json!(it.requests)),
                ("filled", json!(it.matched)),
                ("fill_rate", json!(share(it.matched, it.requests))),
                ("impression", json!(it.impressions)),
                ("click", json!(it.clicks)),
                ("ctr", json!(share(it.clicks, it.impressions))),
                ("est_revenue", json!(number(it.micros))),
                ("ecpm", json!(number(ecpm(it)))),
            ] {
                row.insert(name.to_owned(), value);
            }
            row.into()
        })
        .collect();
    let data = json!({
        "lists": lists,
        "page": page,
        "limit": size,
        "total": lines.len(),
        "total_page": lines.len().div_ceil(size),
    });
    Ok(Answer::ok(json!({ "code": "ok", "data": data })))
}
