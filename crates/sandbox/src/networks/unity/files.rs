//! Revenue per impression and per user: links that are valid for an hour, to gzipped CSV whose rows add up to the app's day.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::civil::Date;
use jiff::{SignedDuration, Span, Timestamp};
use serde_json::json;

use super::{BOOK, FILES, app_key, bad, refusal, seed};
use crate::networks::table::{csv_line, decimal};
use crate::networks::{Answer, Request, sealed};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, Question};
use crate::world::countries::COUNTRIES;
use crate::world::mix;

/// How many days a file exists.
const KEPT: i64 = 14;
const MINUTES: i64 = 60;

/// What one row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    Impression,
    User,
}

pub fn links(inner: &Inner, request: &Request, grain: Grain) -> Result<Answer, Answer> {
    let (today, hour) = inner.clock();
    let text = request.query("date").ok_or_else(|| bad("date is required"))?;
    let date: Date = text.parse().map_err(|_| bad(format!("date: \"{text}\" is no day; the form is YYYY-MM-DD")))?;
    let key = request.query("appKey").ok_or_else(|| bad("appKey is required"))?;
    super::app(&inner.store(), key)?;
    if request.query("reportType").is_some_and(|kind| kind != "1") {
        return Err(bad("reportType: 1 is expected"));
    }
    if date < today.saturating_sub(Span::new().days(KEPT)) {
        return Err(bad(format!("date: {date} is more than {KEPT} days ago")));
    }
    let yesterday = today.saturating_sub(Span::new().days(1));
    if date > yesterday || (date == yesterday && hour < 10) {
        return Err(bad(format!("date: the data of {date} is not ready; it is from 10:00 UTC of the next day")));
    }
    let until = (inner.now() + SignedDuration::from_mins(MINUTES)).as_second();
    let kind = if grain == Grain::User { "user" } else { "impression" };
    let link = sealed::link(&format!("{key}|{date}|{kind}|{until}"));
    let url = format!("{}/unity/@{FILES}/files/{link}", request.origin());
    Ok(Answer::ok(
        json!({ "urls": [url], "expiration": Timestamp::from_second(until).map_or_else(|_| String::new(), |it| it.to_string()) }),
    ))
}

/// Returns the file behind a link.
pub fn file(inner: &Inner, link: &str) -> Answer {
    let Some(text) = sealed::opened(link) else { return refusal(403, "The link is not valid.") };
    let parts: Vec<&str> = text.split('|').collect();
    let [key, date, kind, until] = parts[..] else { return refusal(403, "The link is not valid.") };
    let expires = until.parse().ok().and_then(|until| Timestamp::from_second(until).ok());
    let (Ok(date), false) = (date.parse::<Date>(), expires.is_none_or(|it| it < inner.now())) else {
        return refusal(403, "The link has expired.");
    };
    // An app that was made in the sandbox has no traffic, so its file contains only the header.
    let app = (0..APPS.len()).find(|app| app_key(*app) == key);
    let text =
        app.map_or_else(|| rows(inner, None, date, kind), |app| rows(inner, u32::try_from(app).ok(), date, kind));
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    let written = packer.write_all(text.as_bytes()).and_then(|()| packer.finish());
    written.map_or_else(
        |_| refusal(500, "The file could not be packed."),
        |bytes| Answer::bytes(200, "application/gzip", bytes),
    )
}

fn rows(inner: &Inner, app: Option<u32>, date: Date, kind: &str) -> String {
    let per_user = kind == "user";
    let mut text = if per_user {
        csv_line([
            "advertising_id",
            "advertising_id_type",
            "user_id",
            "segment",
            "placement",
            "ad_unit",
            "ad_network",
            "AB_Testing",
            "impressions",
            "revenue",
        ])
    } else {
        csv_line([
            "event_timestamp",
            "advertising_id",
            "user_id",
            "country",
            "ad_unit",
            "ad_network",
            "instance_name",
            "placement",
            "AB_Testing",
            "revenue",
        ])
    };
    let Some(app) = app else { return text };
    let question = Question {
        axes: vec![Axis::Unit, Axis::Country, Axis::Source],
        filters: vec![(Axis::App, vec![app])],
        ..Question::days(date, date)
    };
    for row in BOOK.sum(inner, &question) {
        let (unit, country, totals) = (row.codes[0] as usize, row.codes[1] as usize, row.totals);
        let format = seed::old_format(seed::ad_format(inner.units[unit].format)).to_owned();
        let pieces = if per_user { totals.impressions.div_ceil(9) } else { totals.impressions };
        for piece in 0..pieces {
            let part = |whole: u64| whole * (piece + 1) / pieces - whole * piece / pieces;
            let person = mix(&[1216, unit as u64, country as u64, if per_user { piece } else { piece / 9 }]);
            let (id, user, money) =
                (format!("{:016x}", mix(&[person])), format!("u-{person:016x}"), decimal(part(totals.micros)));
            text.push_str(&if per_user {
                csv_line([
                    &id,
                    "GAID",
                    &user,
                    "",
                    "DefaultPlacement",
                    &format,
                    "UnityAds",
                    "",
                    &part(totals.impressions).to_string(),
                    &money,
                ])
            } else {
                let second = mix(&[person, piece]) % 86_400;
                let at = format!("{date} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
                csv_line([
                    &at,
                    &id,
                    &user,
                    COUNTRIES[country].code,
                    &format,
                    "UnityAds",
                    "Default",
                    "DefaultPlacement",
                    "",
                    &money,
                ])
            });
        }
    }
    text
}
