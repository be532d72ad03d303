//! The mediation report, a link to CSV that answers 404 at first, and the older report by app and unit.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::{BOOK, ID, REPORTS, app_id, bad, placement_id, refusal, seed};
use crate::networks::body::Fields;
use crate::networks::table::{Ask, Codes, Column, csv_line, decimal, ecpm, number, share, table};
use crate::networks::{Answer, Request, sealed};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, Question, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;
use crate::world::sources::SOURCES;

/// How often a link answers 404 before its file is ready.
const POLLS: usize = 2;
/// The most bytes of a request that fit in a link.
const LARGEST: usize = 3000;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

static COLUMNS: [Column; 10] = [
    column("Date", &[Axis::Date], |_, codes| day_of(codes.code(Axis::Date)).to_string()),
    column("Fyber App ID", &[Axis::App], |_, codes| app_id(codes.at(Axis::App))),
    column("App Name", &[Axis::App], |_, codes| APPS[codes.at(Axis::App)].name.to_owned()),
    column("Country", &[Axis::Country], |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_owned()),
    column("Device OS", &[Axis::Platform], |_, codes| {
        if codes.at(Axis::Platform) == 1 { "iOS" } else { "Android" }.to_owned()
    }),
    column("Placement Type", &[Axis::Unit], |inner, codes| {
        seed::placement_type(inner.units[codes.at(Axis::Unit)].format).to_owned()
    }),
    column("Placement ID", &[Axis::Unit], |_, codes| placement_id(codes.at(Axis::Unit))),
    column("Placement Name", &[Axis::Unit], |inner, codes| inner.units[codes.at(Axis::Unit)].wire.display_name.clone()),
    column("Demand Source Type Name", &[Axis::Source], |_, codes| {
        if SOURCES[codes.at(Axis::Source)].bidding { "Exchange Bidding" } else { "Exchange" }.to_owned()
    }),
    column("Demand Source Name", &[], |_, _| "DT Exchange".to_owned()),
];

type Measure = fn(&Totals) -> String;

static MEASURES: [(&str, Measure); 9] = [
    ("Impressions", |it| it.impressions.to_string()),
    ("Clicks", |it| it.clicks.to_string()),
    ("Revenue (USD)", |it| decimal(it.micros)),
    ("Ad Requests", |it| it.requests.to_string()),
    ("Requests", |it| it.requests.to_string()),
    ("Fills", |it| it.matched.to_string()),
    ("Fill Rate", |it| format!("{:.2}", share(it.matched * 100, it.requests))),
    ("eCPM (USD)", |it| decimal(ecpm(it))),
    ("CTR", |it| format!("{:.2}", share(it.clicks * 100, it.impressions))),
];

/// A checked request.
struct Report {
    from: Date,
    to: Date,
    columns: Vec<&'static Column>,
    measures: Vec<&'static (&'static str, Measure)>,
    filters: Vec<(&'static Column, Vec<String>)>,
}

fn find(name: &str) -> Result<&'static Column, String> {
    let known = || COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    let found = COLUMNS.iter().find(|column| column.name == name);
    found.ok_or_else(|| format!("\"{name}\" is not one of {}", known()))
}

fn checked(body: &Value) -> Result<Report, String> {
    let body = Fields::of(body, "")?;
    body.need_choice("source", &["mediation"])?;
    let range = body.object("dateRange")?.ok_or("dateRange is required")?;
    let day = |name: &str| -> Result<Date, String> {
        let text = range.need_text(name)?;
        text.parse().map_err(|_| format!("dateRange.{name}: \"{text}\" is not of the form YYYY-MM-DD"))
    };
    let (from, to) = (day("start")?, day("end")?);
    if from > to {
        return Err("dateRange: start is after end".to_owned());
    }
    let names = body.texts("metrics")?.unwrap_or_default();
    if names.is_empty() {
        return Err("metrics is required".to_owned());
    }
    let measure = |name: &String| {
        let found = MEASURES.iter().find(|(known, _)| known == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
            format!("metrics: \"{name}\" is not one of {}", known.join(", "))
        })
    };
    let splits = body.texts("splits")?.unwrap_or_default();
    let mut filters = Vec::new();
    for (path, item) in body.list("filters")?.unwrap_or_default() {
        let filter = Fields::of(item, &path)?;
        let values = filter.texts("values")?.ok_or_else(|| format!("{path}.values is required"))?;
        filters.push((find(filter.need_text("dimension")?)?, values));
    }
    Ok(Report {
        from,
        to,
        columns: splits.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
        measures: names.iter().map(measure).collect::<Result<_, _>>()?,
        filters,
    })
}

/// Answers with a link that contains the request.
pub fn create(request: &Request) -> Result<Answer, Answer> {
    let body = request.json().map_err(|error| bad(format!("The body is no JSON: {error}")))?;
    checked(&body).map_err(bad)?;
    if request.query("format").is_some_and(|format| format != "csv") {
        return Err(bad("format must be csv."));
    }
    let text = body.to_string();
    if text.len() > LARGEST {
        return Err(bad("The report request is too long."));
    }
    let link = sealed::link(&text);
    Ok(Answer::ok(
        json!({ "id": &link[link.len() - 16..], "url": format!("{}/{ID}/@{REPORTS}/files/{link}", request.origin()) }),
    ))
}

/// Returns the file behind a link after enough requests for it.
pub fn file(inner: &Inner, request: &Request, link: &str) -> Answer {
    let body = sealed::opened(link).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(report) = body.and_then(|body| checked(&body).ok()) else { return refusal(403, "The link is not valid.") };
    let polls =
        inner.seen().list().filter(|it| it.operation == "dtexchange_download" && it.path == request.path).count();
    if polls < POLLS {
        return refusal(404, "The report is not ready yet.");
    }
    let Report { from, to, columns, measures, filters } = report;
    let heads = columns.iter().map(|column| column.name).chain(measures.iter().map(|(name, _)| *name));
    let mut text = csv_line(heads.collect::<Vec<_>>());
    for line in table(inner, &BOOK, &Ask { from, to, zone: 0, columns, filters, apps: None }) {
        let values = measures.iter().map(|(_, measure)| measure(&line.totals));
        text.push_str(&csv_line(line.texts.iter().cloned().chain(values).collect::<Vec<_>>()));
    }
    Answer::bytes(200, "text/csv; charset=utf-8", text)
}

/// Returns the older report between two instants, in whole days.
pub fn older(inner: &Inner, ids: &[String]) -> Result<Answer, Answer> {
    let [publisher, start, end] = ids else { return Err(bad("publisher, start and end are required.")) };
    if publisher != seed::publisher() {
        return Err(refusal(403, format!("The consumer has no permission for publisher {publisher}.")));
    }
    let day = |text: &str, back: i64| -> Result<Date, Answer> {
        let at = text.parse().ok().and_then(|seconds: i64| Timestamp::from_second(seconds).ok());
        let at = at.ok_or_else(|| bad(format!("\"{text}\" is no time in Unix seconds.")))?;
        Ok((at - SignedDuration::from_secs(back)).to_zoned(jiff::tz::TimeZone::UTC).date())
    };
    // The end is exclusive.
    let (from, to) = (day(start, 0)?, day(end, 1)?);
    if from > to {
        return Err(bad("start must be before end."));
    }
    let axes = vec![Axis::App, Axis::Unit, Axis::Date, Axis::Country];
    let mut apps: Vec<Value> = Vec::new();
    for row in BOOK.sum(inner, &Question { axes, ..Question::days(from, to) }) {
        let [app, unit, date, country] = row.codes[..] else { continue };
        let (app, unit, totals) = (app as usize, unit as usize, &row.totals);
        if apps.last().is_none_or(|last| last["contentId"] != app_id(app)) {
            apps.push(json!({ "contentId": app_id(app), "applicationName": APPS[app].name, "units": [] }));
        }
        let Some(units) = apps.last_mut().and_then(|last| last["units"].as_array_mut()) else { continue };
        if units.last().is_none_or(|last| last["unitId"] != placement_id(unit)) {
            let name = &inner.units[unit].wire.display_name;
            units.push(json!({ "unitId": placement_id(unit), "unitName": name, "data": [] }));
        }
        let Some(lines) = units.last_mut().and_then(|last| last["data"].as_array_mut()) else { continue };
        let mut line = Map::new();
        for (name, value) in [
            ("date", json!(day_of(date).to_string())),
            ("country", json!(COUNTRIES[country as usize].code)),
            ("adRequests", json!(totals.requests)),
            ("impressions", json!(totals.impressions)),
            ("clicks", json!(totals.clicks)),
            ("revenue", json!(number(totals.micros))),
            ("ecpm", json!(number(ecpm(totals)))),
            ("fillRate", json!(share(totals.matched * 100, totals.requests))),
            ("ctr", json!(share(totals.clicks * 100, totals.impressions))),
        ] {
            line.insert(name.to_owned(), value);
        }
        lines.push(line.into());
    }
    Ok(Answer::ok(json!({ "publisherId": publisher, "apps": apps })))
}
