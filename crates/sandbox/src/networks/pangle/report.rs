//! Report 2.0, with one day per call and rows under the day, and the three older reports.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{BOOK, Code, app_id, bad, ok, refused, seed, slot_id};
use crate::networks::table::{Ask, Codes, Column, Line, decimal, ecpm, list, number, share, table};
use crate::networks::{Answer, Request, names};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::sources::SOURCES;

/// The price of one dollar in hundredths of a yuan.
const YUAN: u64 = 710;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

fn slot_name(inner: &Inner, codes: &Codes) -> String {
    inner.units[codes.at(Axis::Unit)].wire.display_name.clone()
}

fn app_name(_: &Inner, codes: &Codes) -> String {
    APPS[codes.at(Axis::App)].name.to_owned()
}

static COLUMNS: [Column; 13] = [
    column("stat_datetime", &[Axis::Date], |_, codes| day_of(codes.code(Axis::Date)).to_string()),
    column("app_id", &[Axis::App], |_, codes| app_id(codes.at(Axis::App)).to_string()),
    column("media_name", &[Axis::App], app_name),
    column("app_name", &[Axis::App], app_name),
    column("package_name", &[Axis::App], |_, codes| names::package(&APPS[codes.at(Axis::App)])),
    column("os", &[Axis::App], |_, codes| names::platform(&APPS[codes.at(Axis::App)]).to_owned()),
    column("ad_slot_id", &[Axis::Unit], |_, codes| slot_id(codes.at(Axis::Unit)).to_string()),
    column("code_name", &[Axis::Unit], slot_name),
    column("ad_slot_name", &[Axis::Unit], slot_name),
    column("ad_slot_type", &[Axis::Unit], |inner, codes| {
        seed::type_text(inner.units[codes.at(Axis::Unit)].format).to_owned()
    }),
    column("region", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_lowercase()),
    column("bidding_type", &[Axis::Source], |_, codes| u8::from(SOURCES[codes.at(Axis::Source)].bidding).to_string()),
    column("user_id", &[], |_, _| {
        let set = crate::credentials::of(super::ID, crate::Standing::Valid);
        set.and_then(|set| set.field("user_id")).unwrap_or_default().to_owned()
    }),
];
const ALWAYS: [&str; 6] = ["app_id", "media_name", "package_name", "os", "ad_slot_id", "code_name"];
const DIMENSIONS: [&str; 4] = ["user_id", "ad_slot_type", "region", "bidding_type"];

fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// Returns the measures that both kinds of report share: money in the requested currency, rates in percent.
fn measures(line: &Line, yuan: bool) -> Vec<(&'static str, Value)> {
    let it = &line.totals;
    let money = |micros: u64| json!(decimal(if yuan { micros * YUAN / 100 } else { micros }));
    let rate = |part: u64, whole: u64| json!(format!("{:.2}", share(part * 100, whole)));
    vec![
        ("request", json!(it.requests)),
        ("return", json!(it.matched)),
        ("fill_rate", rate(it.matched, it.requests)),
        ("show", json!(it.impressions)),
        ("click", json!(it.clicks)),
        ("click_rate", rate(it.clicks, it.impressions)),
        ("ad_request", json!(it.requests)),
        ("response", json!(it.matched)),
        ("ad_fill_rate", rate(it.matched, it.requests)),
        ("ad_impression_rate", rate(it.impressions, it.matched)),
        ("revenue", money(it.micros)),
        ("ecpm", money(ecpm(it))),
    ]
}

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let wrong = |message: String| refused(Code::Parameter, format!("parameter error: {message}"));
    let text = request.query("date").ok_or_else(|| wrong("date is required".to_owned()))?;
    let date: Date = text.parse().map_err(|_| wrong(format!("date: \"{text}\" is not of the form YYYY-MM-DD")))?;
    let zone = match request.query("time_zone") {
        None | Some("8") => 8,
        Some("0") => 0,
        Some(other) => return Err(wrong(format!("time_zone: \"{other}\" is not one of 0, 8"))),
    };
    let yuan = match request.query("currency") {
        None | Some("cny") => true,
        Some("usd") => false,
        Some(other) => return Err(wrong(format!("currency: \"{other}\" is not one of usd, cny"))),
    };
    let asked = list(request.query("dimensions").unwrap_or_default());
    if let Some(unknown) = asked.iter().find(|name| !DIMENSIONS.contains(&name.as_str())) {
        return Err(wrong(format!("dimensions: \"{unknown}\" is not one of {}", DIMENSIONS.join(", "))));
    }
    let columns: Vec<&Column> =
        ALWAYS.iter().copied().chain(asked.iter().map(String::as_str)).filter_map(find).collect();
    let region = request.query("region").filter(|region| !region.is_empty()).zip(find("region"));
    let filters = region.map(|(region, column)| (column, vec![region.to_owned()])).into_iter().collect();
    let lines = table(inner, &BOOK, &Ask { from: date, to: date, zone, columns: columns.clone(), filters, apps: None });
    if lines.is_empty() {
        return Ok(Answer::ok(json!({ "Code": "PD0004", "Message": "no data" })));
    }
    let rows = lines.iter().map(|line| {
        let cells = columns.iter().zip(&line.texts).map(|(column, text)| (column.name.to_owned(), json!(text)));
        let mut row: Map<String, Value> = cells.collect();
        row.insert("date".to_owned(), json!(date.to_string()));
        row.insert("time_zone".to_owned(), json!(zone));
        row.insert("currency".to_owned(), json!(if yuan { "cny" } else { "usd" }));
        row.extend(measures(line, yuan).into_iter().map(|(name, value)| (name.to_owned(), value)));
        Value::Object(row)
    });
    let rows: Vec<Value> = rows.collect();
    let mut by_day = Map::new();
    by_day.insert(date.to_string(), rows.into());
    Ok(Answer::ok(json!({ "Code": "100", "Message": "", "Data": by_day })))
}

/// Returns the older reports: days in UTC+8, US dollars.
pub fn older(inner: &Inner, request: &Request, splits: &[&str]) -> Result<Answer, Answer> {
    let day = |name: &str| -> Result<Date, Answer> {
        let text = request.query(name).ok_or_else(|| bad(format!("parameter error: {name} is required")))?;
        text.parse().map_err(|_| bad(format!("parameter error: {name}: \"{text}\" is not of the form YYYY-MM-DD")))
    };
    let (from, to) = (day("start_date")?, day("end_date")?);
    if from > to {
        return Err(bad("parameter error: start_date is after end_date"));
    }
    if request.query("time_granularity").is_some_and(|it| it != "STAT_TIME_GRANULARITY_DAILY") {
        return Err(bad("parameter error: time_granularity must be STAT_TIME_GRANULARITY_DAILY"));
    }
    let columns: Vec<&Column> = ["stat_datetime"].iter().chain(splits).copied().filter_map(find).collect();
    let lines =
        table(inner, &BOOK, &Ask { from, to, zone: 8, columns: columns.clone(), filters: Vec::new(), apps: None });
    let rows = lines.iter().map(|line| {
        let it = &line.totals;
        let cells = columns.iter().zip(&line.texts).map(|(column, text)| {
            let id = text.parse::<u64>().ok().filter(|_| column.name.ends_with("_id"));
            (column.name.to_owned(), id.map_or_else(|| json!(text), |id| json!(id)))
        });
        let mut row: Map<String, Value> = cells.collect();
        for (name, value) in [
            ("request", json!(it.requests)),
            ("return", json!(it.matched)),
            ("show", json!(it.impressions)),
            ("click", json!(it.clicks)),
            ("cost", json!(number(it.micros))),
            ("ecpm", json!(number(ecpm(it)))),
        ] {
            row.insert(name.to_owned(), value);
        }
        Value::Object(row)
    });
    let rows: Vec<Value> = rows.collect();
    Ok(ok(&rows.into()))
}
