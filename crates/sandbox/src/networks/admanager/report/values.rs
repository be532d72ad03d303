//! What a dimension shows for a row, and how a metric is computed from its sums.

use serde_json::{Value, json};

use super::fields::Field;
use crate::networks::admanager::{seed, unit_id};
use crate::networks::names;
use crate::state::Inner;
use crate::world::apps::{APPS, format_label};
use crate::world::books::{Axis, FORMATS, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;

/// Returns the axes of the book that a dimension needs; empty if every row shows the same value.
pub fn axes(name: &str) -> &'static [Axis] {
    match name {
        "DATE" | "WEEK" | "DAY_OF_WEEK" => &[Axis::Date],
        "MONTH_YEAR" => &[Axis::Month],
        "HOUR" => &[Axis::Hour],
        "AD_UNIT_ID" | "AD_UNIT_NAME" | "AD_UNIT_CODE" => &[Axis::Unit],
        "MOBILE_APP_ID" | "MOBILE_APP_NAME" => &[Axis::App],
        "COUNTRY_ID" | "COUNTRY_NAME" | "COUNTRY_CODE" => &[Axis::Country],
        "INVENTORY_FORMAT" | "INVENTORY_FORMAT_NAME" => &[Axis::Format],
        "OPERATING_SYSTEM_CATEGORY"
        | "OPERATING_SYSTEM_CATEGORY_NAME"
        | "MOBILE_APP_STORE"
        | "MOBILE_APP_STORE_NAME" => &[Axis::Platform],
        "DEVICE_CATEGORY" | "DEVICE_CATEGORY_NAME" => &[Axis::Device],
        "LINE_ITEM_ID"
        | "LINE_ITEM_NAME"
        | "LINE_ITEM_TYPE"
        | "LINE_ITEM_TYPE_NAME"
        | "ORDER_ID"
        | "ORDER_NAME"
        | "ADVERTISER_ID"
        | "ADVERTISER_NAME" => &[Axis::App, Axis::Format],
        _ => &[],
    }
}

fn text(text: impl Into<String>) -> Value {
    json!({ "stringValue": text.into() })
}

fn int(number: impl std::fmt::Display) -> Value {
    json!({ "intValue": format!("{number}") })
}

/// Returns Ad Manager's name for a format such as `INTERSTITIAL`.
pub fn inventory_format(format: usize) -> &'static str {
    match FORMATS[format] {
        "APP_OPEN" => "APP_OPEN",
        "BANNER" => "BANNER",
        "NATIVE" => "NATIVE",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "REWARDED",
        _ => "INTERSTITIAL",
    }
}

/// Returns the value of a dimension in a row; `code` returns the row's codes by axis.
pub fn dimension(inner: &Inner, field: &Field, code: &impl Fn(Axis) -> u32) -> Value {
    let at = |axis: Axis| code(axis) as usize;
    let line = || &seed::LINES[seed::line_of(at(Axis::App), at(Axis::Format))];
    let ios = || code(Axis::Platform) == 1;
    match field.name {
        "DATE" => int(day_of(code(Axis::Date)).strftime("%Y%m%d")),
        "WEEK" => {
            let week = day_of(code(Axis::Date)).iso_week_date();
            int(format!("{}{:02}", week.year(), week.week()))
        }
        "DAY_OF_WEEK" => int(day_of(code(Axis::Date)).weekday().to_monday_one_offset()),
        "MONTH_YEAR" => int(format!("{}{:02}", code(Axis::Month) / 12, code(Axis::Month) % 12 + 1)),
        "HOUR" => int(code(Axis::Hour)),
        "AD_UNIT_ID" => int(unit_id(at(Axis::Unit))),
        "AD_UNIT_NAME" => text(seed::unit_name(&inner.units[at(Axis::Unit)])),
        "AD_UNIT_CODE" => text(seed::unit_code(&inner.units[at(Axis::Unit)])),
        "MOBILE_APP_ID" => text(names::package(&APPS[at(Axis::App)])),
        "MOBILE_APP_NAME" => text(APPS[at(Axis::App)].name),
        "COUNTRY_ID" => int(seed::GEO[at(Axis::Country)]),
        "COUNTRY_NAME" => text(COUNTRIES[at(Axis::Country)].name),
        "COUNTRY_CODE" => text(COUNTRIES[at(Axis::Country)].code),
        "INVENTORY_FORMAT" => text(inventory_format(at(Axis::Format))),
        "INVENTORY_FORMAT_NAME" => text(format_label(inventory_format(at(Axis::Format)))),
        "OPERATING_SYSTEM_CATEGORY" => text(if ios() { "APPLE_IOS" } else { "ANDROID" }),
        "OPERATING_SYSTEM_CATEGORY_NAME" => text(if ios() { "Apple iOS" } else { "Android" }),
        "MOBILE_APP_STORE" => text(if ios() { "APPLE_ITUNES" } else { "GOOGLE_PLAY" }),
        "MOBILE_APP_STORE_NAME" => text(if ios() { "Apple App Store" } else { "Google Play" }),
        "DEVICE_CATEGORY" => text(if code(Axis::Device) == 1 { "TABLET" } else { "SMARTPHONE" }),
        "DEVICE_CATEGORY_NAME" => text(if code(Axis::Device) == 1 { "Tablet" } else { "Smartphone" }),
        "LINE_ITEM_ID" => int(line().id),
        "LINE_ITEM_NAME" => text(line().name),
        "LINE_ITEM_TYPE" => text(line().kind),
        "LINE_ITEM_TYPE_NAME" => text(line().kind_name),
        "ORDER_ID" => int(seed::ORDERS[line().order].0),
        "ORDER_NAME" => text(seed::ORDERS[line().order].1),
        "ADVERTISER_ID" => int(seed::ADVERTISERS[line().order].0),
        "ADVERTISER_NAME" => text(seed::ADVERTISERS[line().order].1),
        "DEMAND_CHANNEL" => text("AD_SERVER"),
        "DEMAND_CHANNEL_NAME" => text("Ad server"),
        "INVENTORY_TYPE" | "MOBILE_INVENTORY_TYPE" => text("APP"),
        "INVENTORY_TYPE_NAME" | "MOBILE_INVENTORY_TYPE_NAME" => text("Mobile app"),
        _ => nothing(field),
    }
}

/// Returns the value of a dimension that does not apply, in its own format.
fn nothing(field: &Field) -> Value {
    match field.format {
        "IDENTIFIER" | "INTEGER" | "DATE" | "TIMESTAMP" | "WHOLE_PERCENT" => json!({ "intValue": "0" }),
        "DOUBLE" | "MONEY" | "PERCENT" => json!({ "doubleValue": 0.0 }),
        "BOOLEAN" => json!({ "boolValue": false }),
        "IDENTIFIER_LIST" => json!({ "intListValue": { "values": [] } }),
        "STRING_LIST" | "ENUM_LIST" => json!({ "stringListValue": { "values": [] } }),
        _ => text("(Not applicable)"),
    }
}

/// Returns the part as a share of the whole. The numbers are small enough for an exact conversion.
#[expect(clippy::cast_precision_loss, reason = "figures of this world are far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn money(micros: u64, rate: u64) -> Value {
    json!({ "doubleValue": share(micros * rate / 1000, 1_000_000) })
}

/// Computes a metric from the sums. Here all traffic goes through the ad server; Ad Exchange and the other channels stay at zero.
pub fn metric(field: &Field, totals: &Totals, rate: u64) -> Value {
    let ecpm = || (totals.micros * 1000).checked_div(totals.impressions).unwrap_or(0);
    let percent = |part: u64, whole: u64| json!({ "doubleValue": share(part, whole) });
    let all = |part: u64| json!({ "doubleValue": if part > 0 { 1.0 } else { 0.0 } });
    match field.name {
        "IMPRESSIONS" | "AD_SERVER_IMPRESSIONS" | "AD_SERVER_BEGIN_TO_RENDER_IMPRESSIONS" => int(totals.impressions),
        "CLICKS" | "AD_SERVER_CLICKS" => int(totals.clicks),
        "AD_REQUESTS" => int(totals.requests),
        "RESPONSES_SERVED" | "AD_SERVER_RESPONSES_SERVED" | "CODE_SERVED_COUNT" => int(totals.matched),
        "UNMATCHED_AD_REQUESTS" | "UNFILLED_IMPRESSIONS" => int(totals.requests - totals.matched),
        "REVENUE"
        | "REVENUE_WITHOUT_CPD"
        | "AD_SERVER_REVENUE"
        | "AD_SERVER_REVENUE_WITHOUT_CPD"
        | "AD_SERVER_GROSS_REVENUE"
        | "AD_SERVER_GROSS_REVENUE_WITHOUT_CPD"
        | "CPM_REVENUE" => money(totals.micros, rate),
        "AVERAGE_ECPM"
        | "AVERAGE_ECPM_WITHOUT_CPD"
        | "AD_SERVER_AVERAGE_ECPM"
        | "AD_SERVER_AVERAGE_ECPM_WITHOUT_CPD" => money(ecpm(), rate),
        "CTR" | "AD_SERVER_CTR" => percent(totals.clicks, totals.impressions),
        "FILL_RATE" => percent(totals.matched, totals.requests),
        "AD_SERVER_PERCENT_IMPRESSIONS" => all(totals.impressions),
        "AD_SERVER_PERCENT_CLICKS" => all(totals.clicks),
        "AD_SERVER_PERCENT_REVENUE" | "AD_SERVER_PERCENT_REVENUE_WITHOUT_CPD" => all(totals.micros),
        _ if matches!(field.format, "INTEGER" | "-") => json!({ "intValue": "0" }),
        _ => json!({ "doubleValue": 0.0 }),
    }
}
