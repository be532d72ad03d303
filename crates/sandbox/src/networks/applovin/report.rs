//! The reports of `r.applovin.com`: MAX, the network's own, and cohorts; as JSON or CSV, filtered, sorted and paged.
//!
//! Cohorts are a model on top of the day's impressions (installs, returning users). Only the other two reports are in the truth.

use std::cmp::Ordering;

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::columns::{COHORT, MAX, MAX_MEASURES, Measure, NETWORK, NETWORK_MEASURES};
use super::{BOOK, bad, part};
use crate::networks::table::{Ask, Column, csv_line, decimal, list, share, table};
use crate::networks::{Answer, Request};
use crate::state::Inner;
use crate::world::figures::Totals;

/// How many days a report may look back.
pub const WINDOW: i64 = 45;
const DAYS_AFTER: [u64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 10, 14, 18, 21, 24, 27, 30, 45];

/// What a column is.
enum Kind<'a> {
    Split(&'a Column),
    Measure(Measure),
    /// A measure of a cohort, by its name.
    Later(String),
}

fn day(request: &Request, name: &str, today: Date) -> Result<Date, Answer> {
    let text = request.query(name).ok_or_else(|| bad(format!("Missing parameter: {name}.")))?;
    if text == "now" {
        return Ok(today);
    }
    text.parse().map_err(|_| bad(format!("Invalid {name}: \"{text}\"; the form is YYYY-MM-DD.")))
}

/// Returns the first and last day, inside the window.
pub fn range(inner: &Inner, request: &Request) -> Result<(Date, Date), Answer> {
    let (today, _) = inner.clock();
    let (start, end) = (day(request, "start", today)?, day(request, "end", today)?);
    if start > end {
        return Err(bad("The start date is after the end date."));
    }
    if start < today.saturating_sub(Span::new().days(WINDOW)) {
        return Err(bad("The date is beyond our 45 day request window."));
    }
    Ok((start, end))
}

pub fn max(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let kind = |name: &str| measure(&MAX_MEASURES, name);
    answer(inner, request, &MAX, kind)
}

pub fn network(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    match request.query("report_type") {
        Some("publisher") => answer(inner, request, &NETWORK, |name| measure(&NETWORK_MEASURES, name)),
        Some("advertiser") => {
            // This account buys no ads.
            range(inner, request)?;
            Ok(Answer::ok(json!({ "code": 200, "count": 0, "results": [] })))
        }
        _ => Err(bad("Invalid report_type: publisher or advertiser is expected.")),
    }
}

fn measure(measures: &[(&str, Measure)], name: &str) -> Option<Kind<'static>> {
    measures.iter().find(|(known, _)| *known == name).map(|(_, measure)| Kind::Measure(*measure))
}

/// The three cohort reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cohort {
    Revenue,
    Impressions,
    Sessions,
}

impl Cohort {
    fn admits(self, name: &str) -> bool {
        if name == "installs" {
            return true;
        }
        let Some((base, _)) = later(name) else { return false };
        let formats = ["", "inter_", "reward_", "banner_", "mrec_"];
        let any =
            |stems: &[&str]| stems.iter().any(|stem| formats.iter().any(|format| base == format!("{format}{stem}")));
        match self {
            Self::Revenue => {
                any(&["pub_revenue", "rpi"])
                    || ["ads_pub_revenue", "iap_pub_revenue", "ads_rpi", "iap_rpi"].contains(&base)
            }
            Self::Impressions => any(&["imp", "imp_per_user"]),
            Self::Sessions => {
                ["daily_usage", "session_count", "session_length", "user_count", "retention"].contains(&base)
            }
        }
    }
}

/// Splits `ads_pub_revenue_7` into `ads_pub_revenue` and 7.
fn later(name: &str) -> Option<(&str, u64)> {
    let (base, days) = name.rsplit_once('_')?;
    let days = days.parse().ok().filter(|days| DAYS_AFTER.contains(days))?;
    Some((base, days))
}

pub fn cohort(inner: &Inner, request: &Request, which: Cohort) -> Result<Answer, Answer> {
    answer(inner, request, &COHORT, |name| which.admits(name).then(|| Kind::Later(name.to_owned())))
}

/// Returns one install per 37 impressions. The numbers only need to be consistent with each other.
fn installs(totals: &Totals) -> u64 {
    totals.impressions / 37
}

/// Returns how many users of a cohort remain after this many days.
fn users(totals: &Totals, days: u64) -> u64 {
    installs(totals) * 1000 / (1000 + days * 450)
}

fn cohort_value(name: &str, totals: &Totals) -> String {
    let all = installs(totals);
    let Some((base, days)) = later(name) else { return all.to_string() };
    let part = if base.starts_with("reward_") {
        45
    } else if base.starts_with("inter_") {
        35
    } else if base.starts_with("banner_") {
        20
    } else if base.starts_with("mrec_") || base.starts_with("iap_") {
        0
    } else {
        100
    };
    // The sum up to that day.
    let stays: u64 = (0..=days).map(|day| users(totals, day)).sum();
    let revenue = totals.micros / 12 * stays / all.max(1) * part / 100;
    let impressions = stays * 9 * part / 100;
    match base {
        "user_count" => users(totals, days).to_string(),
        "retention" => format!("{:.4}", share(users(totals, days), all)),
        "session_count" => format!("{:.2}", 1.0 + 3.0 * share(users(totals, days), all)),
        "session_length" => (240 + 600 * users(totals, days) / all.max(1)).to_string(),
        "daily_usage" => (300 + 1500 * users(totals, days) / all.max(1)).to_string(),
        base if base.ends_with("rpi") => decimal(revenue / all.max(1)),
        base if base.ends_with("imp_per_user") => format!("{:.4}", share(impressions, all)),
        base if base.ends_with("imp") => impressions.to_string(),
        _ => decimal(revenue),
    }
}

fn answer(
    inner: &Inner,
    request: &Request,
    splits: &'static [Column],
    other: impl Fn(&str) -> Option<Kind<'static>>,
) -> Result<Answer, Answer> {
    let (from, to) = range(inner, request)?;
    let find = |name: &str| splits.iter().find(|column| column.name == name);
    let unknown = |name: &str| bad(format!("Invalid column: {name}."));
    let names = list(request.query("columns").ok_or_else(|| bad("Missing parameter: columns."))?);
    if names.is_empty() {
        return Err(bad("Missing parameter: columns."));
    }
    let kind = |name: &str| find(name).map(Kind::Split).or_else(|| other(name)).ok_or_else(|| unknown(name));
    let kinds: Vec<Kind> = names.iter().map(|name| kind(name)).collect::<Result<_, _>>()?;
    let mut filters = Vec::new();
    for (key, value) in &request.query {
        if let Some(name) = key.strip_prefix("filter_") {
            filters.push((find(name).ok_or_else(|| unknown(name))?, list(value)));
        }
    }
    let columns = kinds.iter().filter_map(|kind| if let Kind::Split(column) = kind { Some(*column) } else { None });
    let lines =
        table(inner, &BOOK, &Ask { from, to, zone: 0, columns: columns.collect(), filters, apps: part::apps(request) });
    let mut rows: Vec<Vec<String>> = Vec::new();
    let drop_zero = request.query("not_zero") == Some("1");
    for line in lines.iter().filter(|line| !drop_zero || line.totals.impressions > 0) {
        let mut texts = line.texts.iter();
        let cell = |kind: &Kind| match kind {
            Kind::Split(_) => texts.next().cloned().unwrap_or_default(),
            Kind::Measure(measure) => measure(&line.totals),
            Kind::Later(name) => cohort_value(name, &line.totals),
        };
        rows.push(kinds.iter().map(cell).collect());
    }
    sort(&mut rows, &names, request)?;
    let number = |name: &str, default: usize| match request.query(name) {
        None => Ok(default),
        Some(text) => text.parse::<usize>().map_err(|_| bad(format!("Invalid {name}: \"{text}\" is no number."))),
    };
    let (offset, limit) = (number("offset", 0)?, number("limit", usize::MAX)?);
    let page = rows.iter().skip(offset).take(limit);
    match request.query("format").unwrap_or("json") {
        "csv" => {
            let mut text = csv_line(&names);
            text.extend(page.map(csv_line));
            Ok(Answer::bytes(200, "text/csv; charset=utf-8", text))
        }
        "json" => {
            let object = |row: &Vec<String>| {
                let pairs = names.iter().zip(row).map(|(name, cell)| (name.clone(), json!(cell)));
                Value::Object(pairs.collect::<Map<_, _>>())
            };
            let results: Vec<Value> = page.map(object).collect();
            Ok(Answer::ok(json!({ "code": 200, "count": rows.len(), "results": results })))
        }
        other => Err(bad(format!("Invalid format: \"{other}\"; json or csv is expected."))),
    }
}

/// Sorts by the `sort_x` parameters, in their order.
fn sort(rows: &mut [Vec<String>], names: &[String], request: &Request) -> Result<(), Answer> {
    let mut by: Vec<(usize, bool)> = Vec::new();
    for (key, value) in &request.query {
        if let Some(name) = key.strip_prefix("sort_") {
            let at = names.iter().position(|it| it == name);
            let at = at.ok_or_else(|| bad(format!("Invalid sort column: {name} is not among the columns.")))?;
            let descending = match value.to_ascii_uppercase().as_str() {
                "ASC" => false,
                "DESC" => true,
                _ => return Err(bad(format!("Invalid sort order: \"{value}\"; ASC or DESC is expected."))),
            };
            by.push((at, descending));
        }
    }
    rows.sort_by(|a, b| {
        by.iter().fold(Ordering::Equal, |found, (at, descending)| {
            let order = match (a[*at].parse::<f64>(), b[*at].parse::<f64>()) {
                (Ok(a), Ok(b)) => a.total_cmp(&b),
                _ => a[*at].cmp(&b[*at]),
            };
            found.then(if *descending { order.reverse() } else { order })
        })
    });
    Ok(())
}
