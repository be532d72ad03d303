//! The `LevelPlay` report: measures by breakdowns, filtered and paged.
//!
//! Active and engaged users are a model on top of requests and impressions. Everything else is in the truth.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{BOOK, app_key, bad, seed, unit_id};
use crate::networks::table::{Ask, Codes, Column, ecpm, list, number, share, table};
use crate::networks::{Answer, Request};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;
use crate::world::sources::SOURCES;

const LARGEST_PAGE: usize = 5000;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

fn format(inner: &Inner, codes: &Codes) -> String {
    seed::ad_format(inner.units[codes.at(Axis::Unit)].format).to_owned()
}

static COLUMNS: [Column; 13] = [
    column("date", &[Axis::Date], |_, codes| day_of(codes.code(Axis::Date)).to_string()),
    column("appKey", &[Axis::App], |_, codes| app_key(codes.at(Axis::App))),
    column("appName", &[Axis::App], |_, codes| APPS[codes.at(Axis::App)].name.to_owned()),
    column("platform", &[Axis::Platform], |_, codes| {
        if codes.at(Axis::Platform) == 1 { "iOS" } else { "Android" }.to_owned()
    }),
    column("country", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_owned()),
    column("adFormat", &[Axis::Unit], format),
    column("adNetwork", &[], |_, _| "UnityAds".to_owned()),
    column("isBidder", &[Axis::Source], |_, codes| SOURCES[codes.at(Axis::Source)].bidding.to_string()),
    column("instanceId", &[Axis::Unit, Axis::Source], |_, codes| {
        seed::instance_id(codes.at(Axis::Unit), codes.at(Axis::Source)).to_string()
    }),
    column("instanceName", &[Axis::Source], |_, codes| {
        if SOURCES[codes.at(Axis::Source)].bidding { "UnityAds Bidding" } else { "UnityAds Waterfall" }.to_owned()
    }),
    column("mediationGroup", &[], |_, _| "All Countries".to_owned()),
    column("mediationAdUnitId", &[Axis::Unit], |_, codes| unit_id(codes.at(Axis::Unit))),
    column("mediationAdUnitName", &[Axis::Unit], |inner, codes| {
        inner.units[codes.at(Axis::Unit)].wire.display_name.clone()
    }),
];

/// Other spellings in the documentation for a breakdown.
const SPELLINGS: [(&str, &str); 6] = [
    ("day", "date"),
    ("app", "appKey"),
    ("network", "adNetwork"),
    ("adSource", "adNetwork"),
    ("instance", "instanceId"),
    ("mediationAdUnit", "mediationAdUnitId"),
];

/// Each ID column, with the column of its name.
const NAMED: [(&str, &str); 3] =
    [("appKey", "appName"), ("instanceId", "instanceName"), ("mediationAdUnitId", "mediationAdUnitName")];

type Measure = fn(&Totals) -> Value;

fn users(it: &Totals) -> u64 {
    it.requests / 14
}

fn engaged(it: &Totals) -> u64 {
    it.impressions / 9
}

fn sessions(it: &Totals) -> u64 {
    it.requests / 6
}

fn per(part: u64, whole: u64) -> Value {
    json!(share(part, whole))
}

fn per_cent(part: u64, whole: u64) -> Value {
    json!(share(part * 100, whole))
}

fn money_per(micros: u64, whole: u64) -> Value {
    json!(number(micros.checked_div(whole).unwrap_or(0)))
}

/// The measures of the report; rates are in percent.
static MEASURES: [(&str, Measure); 26] = [
    ("revenue", |it| json!(number(it.micros))),
    ("eCPM", |it| json!(number(ecpm(it)))),
    ("impressions", |it| json!(it.impressions)),
    ("clicks", |it| json!(it.clicks)),
    ("clickThroughRate", |it| per_cent(it.clicks, it.impressions)),
    ("appRequests", |it| json!(it.requests)),
    ("appFills", |it| json!(it.matched)),
    ("appFillRate", |it| per_cent(it.matched, it.requests)),
    ("adSourceChecks", |it| json!(it.requests)),
    ("adSourceResponses", |it| json!(it.matched)),
    ("adSourceAvailabilityRate", |it| per_cent(it.matched, it.requests)),
    ("useRate", |it| per_cent(it.impressions, it.matched)),
    ("completions", |it| json!(it.impressions * 91 / 100)),
    ("completionRate", |it| per_cent(it.impressions * 91 / 100, it.impressions)),
    ("activeUsers", |it| json!(users(it))),
    ("engagedUsers", |it| json!(engaged(it))),
    ("engagedUsersRate", |it| per_cent(engaged(it), users(it))),
    ("sessions", |it| json!(sessions(it))),
    ("engagedSessions", |it| json!(sessions(it) / 2)),
    ("sessionsPerActiveUser", |it| per(sessions(it), users(it))),
    ("impressionPerSessions", |it| per(it.impressions, sessions(it))),
    ("impressionPerEngagedSessions", |it| per(it.impressions, sessions(it) / 2)),
    ("impressionsPerActiveUser", |it| per(it.impressions, users(it))),
    ("impressionsPerEngagedUser", |it| per(it.impressions, engaged(it))),
    ("revenuePerActiveUser", |it| money_per(it.micros, users(it))),
    ("revenuePerEngagedUser", |it| money_per(it.micros, engaged(it))),
];

fn find(name: &str) -> Option<&'static Column> {
    let name = SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
    COLUMNS.iter().find(|column| column.name.eq_ignore_ascii_case(name))
}

fn day(request: &Request, name: &str) -> Result<Date, Answer> {
    let text = request.query(name).ok_or_else(|| bad(format!("{name} is required")))?;
    text.parse().map_err(|_| bad(format!("{name}: \"{text}\" is no day; the form is YYYY-MM-DD")))
}

fn count(request: &Request, name: &str, default: usize, most: usize) -> Result<usize, Answer> {
    match request.query(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| bad(format!("{name}: \"{text}\" is no number from 1 to {most}")))
        }
    }
}

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let (from, to) = (day(request, "startDate")?, day(request, "endDate")?);
    if from > to {
        return Err(bad(format!("startDate {from} is after endDate {to}")));
    }
    let names = list(request.query("breakdowns").unwrap_or_default());
    let columns = names.iter().map(|name| {
        find(name).ok_or_else(|| {
            let known: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
            bad(format!("breakdowns: \"{name}\" does not exist; one of {} is expected", known.join(", ")))
        })
    });
    let mut columns = columns.collect::<Result<Vec<_>, _>>()?;
    for (id, name) in NAMED {
        let has = |name: &str| columns.iter().any(|column| column.name == name);
        if has(id) && !has(name) {
            columns.extend(find(name));
        }
    }
    let wanted = list(request.query("metrics").unwrap_or_default());
    let measure = |name: &String| MEASURES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    if let Some(name) = wanted.iter().find(|name| measure(name).is_none()) {
        let known: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(bad(format!("metrics: \"{name}\" does not exist; one of {} is expected", known.join(", "))));
    }
    let measures: Vec<&(&str, Measure)> =
        if wanted.is_empty() { MEASURES.iter().collect() } else { wanted.iter().filter_map(measure).collect() };
    let mut filters = Vec::new();
    for name in
        ["appKey", "country", "adFormat", "adNetwork", "platform", "isBidder", "mediationAdUnitId", "mediationGroup"]
    {
        if let (Some(text), Some(column)) = (request.query(name), find(name)) {
            filters.push((column, list(text)));
        }
    }
    let page = count(request, "page", 1, usize::MAX)?;
    let size = count(request, "resultsPerPage", LARGEST_PAGE, LARGEST_PAGE)?;
    let lines = table(inner, &BOOK, &Ask { from, to, zone: 0, columns: columns.clone(), filters, apps: None });
    let data: Vec<Value> = lines
        .iter()
        .skip((page - 1).saturating_mul(size))
        .take(size)
        .map(|line| {
            let splits = columns.iter().zip(&line.texts).map(|(column, text)| (column.name.to_owned(), json!(text)));
            let values = measures.iter().map(|(name, measure)| ((*name).to_owned(), measure(&line.totals)));
            Value::Object(splits.chain(values).collect::<Map<_, _>>())
        })
        .collect();
    let paging = json!({
        "page": page,
        "resultsPerPage": size,
        "totalPages": lines.len().div_ceil(size),
        "totalResults": lines.len(),
    });
    Ok(Answer::ok(json!({ "data": data, "paging": paging })))
}
