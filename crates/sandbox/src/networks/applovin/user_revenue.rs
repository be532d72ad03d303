//! The user-level revenue of one app and day: a link to a CSV file whose rows add up to the revenue of that day.

use jiff::civil::Date;
use jiff::{SignedDuration, Span, Timestamp};
use serde_json::json;

use super::report::WINDOW;
use super::{BOOK, REPORTS, bad, part, refusal, seed, unit_id};
use crate::networks::table::{csv_line, decimal};
use crate::networks::{Answer, Request, names, sealed};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, Question};
use crate::world::countries::COUNTRIES;
use crate::world::mix;

/// How many minutes a link is valid.
const MINUTES: i64 = 60;

pub fn links(inner: &Inner, request: &Request) -> Result<Answer, Answer> {
    let (today, hour) = inner.clock();
    let text = request.query("date").ok_or_else(|| bad("Missing parameter: date."))?;
    let date: Date = text.parse().map_err(|_| bad(format!("Invalid date: \"{text}\"; the form is YYYY-MM-DD.")))?;
    if date < today.saturating_sub(Span::new().days(WINDOW)) {
        return Err(bad("The date is beyond our 45 day request window."));
    }
    let ready = date < today.saturating_sub(Span::new().days(1)) || (date < today && hour >= 8);
    if !ready {
        return Err(bad("Data for this date is not available yet; it is ready 8 hours after the day ends (UTC)."));
    }
    let platform = request.query("platform").unwrap_or_default();
    if !["ios", "android", "fireos"].contains(&platform) {
        return Err(bad("Invalid platform: ios, android or fireos is expected."));
    }
    let (package, store) = (request.query("application"), request.query("store_id"));
    if package.is_some() == store.is_some() {
        return Err(bad("Give either application or store_id."));
    }
    let app = APPS.iter().position(|app| {
        names::platform(app) == platform
            && package.is_none_or(|wanted| wanted == names::package(app))
            && store.is_none_or(|wanted| app.store == Some(wanted))
            && part::of(request).is_none_or(|account| app.publisher() == account)
    });
    let app = app.ok_or_else(|| refusal(404, "No application of this account matches."))?;
    let aggregated = request.query("aggregated") != Some("false");
    let until = (inner.now() + SignedDuration::from_mins(MINUTES)).as_second();
    let link = sealed::link(&format!("{app}|{date}|{aggregated}|{until}"));
    let url = format!("{}/applovin/@{REPORTS}/files/{link}", request.origin());
    Ok(Answer::ok(json!({
        "status": 200,
        "url": url,
        "ad_revenue_report_url": url,
        "fb_estimated_revenue_url": url,
    })))
}

/// Returns the file behind a link.
pub fn file(inner: &Inner, link: &str) -> Answer {
    let Some(text) = sealed::opened(link) else { return refusal(403, "The link is not valid.") };
    let parts: Vec<&str> = text.split('|').collect();
    let [app, date, aggregated, until] = parts[..] else { return refusal(403, "The link is not valid.") };
    let expired =
        until.parse().ok().and_then(|until| Timestamp::from_second(until).ok()).is_none_or(|it| it < inner.now());
    let (Ok(app), Ok(date), false) = (app.parse::<u32>(), date.parse::<Date>(), expired) else {
        return refusal(403, "The link has expired.");
    };
    let question = Question {
        axes: vec![Axis::Unit, Axis::Country, Axis::Source],
        filters: vec![(Axis::App, vec![app])],
        ..Question::days(date, date)
    };
    let mut file = if aggregated == "true" {
        csv_line(["Ad Unit ID", "Ad Unit Name", "Placement", "IDFA", "IDFV", "User ID", "Impressions", "Revenue"])
    } else {
        csv_line([
            "Date",
            "Ad Unit ID",
            "Ad Unit Name",
            "Waterfall",
            "Ad Format",
            "Placement",
            "Country",
            "Device Type",
            "IDFA",
            "IDFV",
            "User ID",
            "Revenue",
            "Network",
        ])
    };
    for row in BOOK.sum(inner, &question) {
        let (unit, country) = (row.codes[0] as usize, row.codes[1] as usize);
        let totals = row.totals;
        let seed = &inner.units[unit];
        // A user sees about nine ads of a placement.
        let pieces = if aggregated == "true" { totals.impressions.div_ceil(9) } else { totals.impressions };
        for piece in 0..pieces {
            let part = |whole: u64| whole * (piece + 1) / pieces - whole * piece / pieces;
            let person = mix(&[1109, unit as u64, country as u64, piece / 9]);
            let user = format!("u-{person:016x}");
            let (idfv, money) = (format!("{:016X}", mix(&[person])), decimal(part(totals.micros)));
            let name = seed.wire.display_name.as_str();
            file.push_str(&if aggregated == "true" {
                csv_line([&unit_id(unit), name, "", "", &idfv, &user, &part(totals.impressions).to_string(), &money])
            } else {
                let second = mix(&[person, piece]) % 86_400;
                let at = format!("{date} {:02}:{:02}:{:02}.000000", second / 3600, second / 60 % 60, second % 60);
                csv_line([
                    at.as_str(),
                    &unit_id(unit),
                    name,
                    "Default Waterfall",
                    seed::ad_format(seed.format),
                    "",
                    &COUNTRIES[country].code.to_lowercase(),
                    "PHONE",
                    "",
                    &idfv,
                    &user,
                    &money,
                    "APPLOVIN",
                ])
            });
        }
    }
    Answer::bytes(200, "text/csv; charset=utf-8", file)
}
