//! Statistics of Unity Ads: measures per time step, as JSON if the client asks for it, otherwise as CSV.
//!
//! `end` is exclusive if it names an instant. A day without a time means the whole day.

use jiff::civil::{Date, DateTime, Weekday, date};
use jiff::{Span, Timestamp};
use serde_json::{Map, Value, json};

use super::{BOOK, problem, seed};
use crate::networks::table::{Codes, csv_line, decimal, list, number};
use crate::networks::{Answer, Request};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, Question, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;
use crate::world::sources::SOURCES;

const FIELDS: [&str; 5] = ["adrequest_count", "available_sum", "start_count", "view_count", "revenue_sum"];
const GROUPS: [&str; 4] = ["placement", "country", "platform", "game"];
/// The most days that an hourly report may cover.
const DAYS_BY_HOUR: i64 = 92;
const SCALES: [&str; 6] = ["hour", "day", "week", "month", "year", "all"];

fn bad(message: impl AsRef<str>) -> Answer {
    problem(400, message.as_ref())
}

/// Returns an instant as a UTC hour. A day without a time is its start or, for `whole`, the start of the next day.
fn instant(request: &Request, name: &str, whole: bool) -> Result<DateTime, Answer> {
    let text = request.query(name).ok_or_else(|| bad(format!("{name} is required")))?;
    let wrong = || bad(format!("{name}: \"{text}\" is no ISO 8601 time such as 2026-11-20T00:00:00Z"));
    if let Ok(day) = text.parse::<Date>().map_err(|_| ())
        && text.len() == 10
    {
        return Ok(day.saturating_add(Span::new().days(i64::from(whole))).at(0, 0, 0, 0));
    }
    let at: Timestamp = text.parse().map_err(|_| wrong())?;
    let at = at.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    // Numbers are stored by the hour.
    let hour = at.date().at(at.hour(), 0, 0, 0);
    Ok(if whole && hour != at { hour.saturating_add(Span::new().hours(1)) } else { hour })
}

fn checked(request: &Request, name: &str, known: &[&str]) -> Result<Vec<String>, Answer> {
    let names = list(request.query(name).unwrap_or_default());
    match names.iter().find(|it| !known.contains(&it.as_str())) {
        Some(unknown) => Err(bad(format!("{name}: \"{unknown}\" is not one of {}", known.join(", ")))),
        None => Ok(names),
    }
}

/// Returns the start of the step that an hour belongs to.
fn step(scale: &str, at: DateTime, start: DateTime) -> DateTime {
    let day = at.date();
    match scale {
        "hour" => at,
        "day" => day.at(0, 0, 0, 0),
        "week" => {
            let back = i64::from(day.weekday().since(Weekday::Monday));
            day.saturating_sub(Span::new().days(back)).at(0, 0, 0, 0)
        }
        "month" => date(day.year(), day.month(), 1).at(0, 0, 0, 0),
        "year" => date(day.year(), 1, 1).at(0, 0, 0, 0),
        _ => start,
    }
}

/// Returns the axes that a group depends on.
fn axes(group: &str) -> &'static [Axis] {
    match group {
        "placement" => &[Axis::Unit, Axis::Source],
        "country" => &[Axis::Country],
        "platform" => &[Axis::Platform],
        _ => &[Axis::App],
    }
}

fn cell(inner: &Inner, group: &str, codes: &Codes) -> Vec<(&'static str, String)> {
    match group {
        "placement" => {
            let seed = &inner.units[codes.at(Axis::Unit)];
            let bidding = SOURCES[codes.at(Axis::Source)].bidding;
            vec![("placement", seed::placement_name(seed.format, APPS[seed.app].platform, bidding))]
        }
        "country" => vec![("country", COUNTRIES[codes.at(Axis::Country)].code.to_owned())],
        "platform" => vec![("platform", if codes.at(Axis::Platform) == 1 { "ios" } else { "android" }.to_owned())],
        _ => {
            let app = codes.at(Axis::App);
            vec![("source_game_id", seed::game_id(app)), ("source_name", APPS[app].name.to_owned())]
        }
    }
}

fn measure(name: &str, totals: &Totals) -> (Value, String) {
    let count = |value: u64| (json!(value), value.to_string());
    match name {
        "adrequest_count" => count(totals.requests),
        "available_sum" => count(totals.matched),
        "start_count" => count(totals.impressions),
        "view_count" => count(totals.impressions * 91 / 100),
        _ => (json!(number(totals.micros)), decimal(totals.micros)),
    }
}

/// Identifies a row: its step and its cells.
type Key = (DateTime, Vec<(&'static str, String)>);

pub fn answer(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let fields = checked(request, "fields", &FIELDS)?;
    if fields.is_empty() {
        return Err(bad("fields is required"));
    }
    let groups = checked(request, "groupBy", &GROUPS)?;
    let scale = request.query("scale").ok_or_else(|| bad("scale is required"))?;
    if !SCALES.contains(&scale) {
        return Err(bad(format!("scale: \"{scale}\" is not one of {}", SCALES.join(", "))));
    }
    let (start, end) = (instant(request, "start", false)?, instant(request, "end", true)?);
    if start >= end {
        return Err(bad("start must be before end"));
    }
    let games = list(request.query("gameIds").unwrap_or_default());
    let hourly = scale == "hour" || start.hour() != 0 || end.hour() != 0;
    if hourly && start.saturating_add(Span::new().days(DAYS_BY_HOUR)) < end {
        return Err(bad(format!("at most {DAYS_BY_HOUR} days can be told by the hour")));
    }
    let mut asked = vec![Axis::Date];
    if hourly {
        asked.push(Axis::Hour);
    }
    for axis in groups.iter().flat_map(|group| axes(group)) {
        if !asked.contains(axis) {
            asked.push(*axis);
        }
    }
    let mut filters = Vec::new();
    if !games.is_empty() {
        let apps = (0..APPS.len()).filter(|app| games.contains(&seed::game_id(*app)));
        filters.push((Axis::App, apps.filter_map(|app| u32::try_from(app).ok()).collect()));
    }
    let last = end.saturating_sub(Span::new().hours(1)).date();
    let rows = BOOK.sum(inner, &Question { from: start.date(), to: last, zone: 0, axes: asked.clone(), filters });
    let mut sums: std::collections::BTreeMap<Key, Totals> = std::collections::BTreeMap::new();
    for row in rows {
        let codes = Codes::of(&asked, &row.codes);
        let hour = i8::try_from(codes.code(Axis::Hour)).unwrap_or(0);
        let at = day_of(codes.code(Axis::Date)).at(hour, 0, 0, 0);
        if at >= start && at < end {
            let cells = groups.iter().flat_map(|group| cell(inner, group, &codes)).collect();
            sums.entry((step(scale, at, start), cells)).or_default().add(&row.totals);
        }
    }
    let time = |at: &DateTime| format!("{}T{:02}:00:00.000Z", at.date(), at.hour());
    if request.header("accept").is_some_and(|accept| accept.contains("application/json")) {
        let row = |((at, cells), totals): (&Key, &Totals)| {
            let mut row = Map::from_iter([("timestamp".to_owned(), json!(time(at)))]);
            row.extend(cells.iter().map(|(name, text)| ((*name).to_owned(), json!(text))));
            row.extend(fields.iter().map(|name| (name.clone(), measure(name, totals).0)));
            Value::Object(row)
        };
        return Ok(Answer::ok(sums.iter().map(row).collect()));
    }
    let heads = groups.iter().flat_map(|group| match group.as_str() {
        "game" => vec!["source_game_id", "source_name"],
        other => vec![other],
    });
    let heads = std::iter::once("timestamp").chain(heads).chain(fields.iter().map(String::as_str));
    let mut text = csv_line(heads.collect::<Vec<_>>());
    for ((at, cells), totals) in &sums {
        let cells = cells.iter().map(|(_, text)| text.clone());
        let values = fields.iter().map(|name| measure(name, totals).1);
        text.push_str(&csv_line(std::iter::once(time(at)).chain(cells).chain(values).collect::<Vec<_>>()));
    }
    Ok(Answer::bytes(200, "text/csv; charset=utf-8", text))
}
