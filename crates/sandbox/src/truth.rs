//! The exact numbers behind the reports of every network, for `GET /__sandbox/truth`.
//!
//! `network=admob` (the default) is described in [`crate::networks::admob::report::truth`]. The other networks take the same parameters and
//! answer in the same form: `from`, `to`, `metric` (`revenue` and `ecpm` as `{micros, currency}`, the others as `{value}`), `by` and
//! filters. They add `note`: the unit and the day in which the network itself reports. The keys of apps, ad units and formats are the
//! network's own; filters take IDs or names. `timezone` (hours east of UTC, default 0) shifts the days. Breakdowns: `date, week, month,
//! app, ad_unit, country, format, ad_source, platform`.

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::networks::{self, Listing, admob};
use crate::state::Inner;
use crate::world::accounts::CURRENCY;
use crate::world::apps::{APPS, format_label};
use crate::world::books::{Axis, Book, FORMATS, Question, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;
use crate::world::sources::SOURCES;

const BREAKDOWNS: [(&str, Axis); 10] = [
    ("date", Axis::Date),
    ("day", Axis::Date),
    ("week", Axis::Week),
    ("month", Axis::Month),
    ("app", Axis::App),
    ("ad_unit", Axis::Unit),
    ("country", Axis::Country),
    ("format", Axis::Format),
    ("ad_source", Axis::Source),
    ("platform", Axis::Platform),
];

/// Answers one question, or says what is wrong with it.
pub(crate) fn answer(inner: &Inner, get: impl Fn(&str) -> Option<String>) -> Result<Value, String> {
    let id = get("network").unwrap_or_else(|| "admob".to_owned());
    if id == "admob" {
        return admob::report::truth::answer(inner, get);
    }
    let network = networks::find(&id)
        .ok_or_else(|| format!("network: \"{id}\" is not simulated; one of {} is", networks::ids()))?;
    match (network.book(), network.listing()) {
        (Some(book), Some(listing)) => of_book(inner, book, listing, get),
        _ => Err(format!("network: \"{id}\" keeps no figures")),
    }
}

fn of_book(
    inner: &Inner,
    book: &Book,
    listing: &Listing,
    get: impl Fn(&str) -> Option<String>,
) -> Result<Value, String> {
    let day = |name: &str| {
        let text = get(name).ok_or_else(|| format!("{name}: a day such as 2026-11-20 is required"))?;
        text.parse::<Date>().map_err(|_| format!("{name}: \"{text}\" is no day; the form is 2026-11-20"))
    };
    let metric = get("metric").unwrap_or_else(|| "revenue".to_owned());
    let metrics = admob::report::truth::METRICS;
    if !metrics.contains(&metric.as_str()) {
        return Err(format!("metric: \"{metric}\" does not exist; one of {} is expected", metrics.join(", ")));
    }
    let by = match get("by").filter(|by| !by.is_empty()) {
        None => None,
        Some(by) => {
            let found = BREAKDOWNS.iter().find(|(name, _)| *name == by);
            Some(found.ok_or_else(|| format!("by: \"{by}\" does not exist; one of date, week, month, app, ad_unit, country, format, ad_source, platform is expected"))?.1)
        }
    };
    let zone = match get("timezone") {
        None => 0,
        Some(text) => text
            .parse::<i8>()
            .ok()
            .filter(|zone| (-12..=14).contains(zone))
            .ok_or_else(|| format!("timezone: \"{text}\" is no number of hours from -12 to 14"))?,
    };
    let (from, to) = (day("from")?, day("to")?);
    if from > to {
        return Err(format!("from: {from} is after to {to}"));
    }
    let mut filters = Vec::new();
    for (name, axis) in BREAKDOWNS.iter().filter(|(_, axis)| !axis.is_time()) {
        if let Some(text) = get(name) {
            let wanted: Vec<String> = text.split(',').map(str::to_lowercase).collect();
            let codes = (0..count(inner, *axis)).filter(|code| {
                let (key, label) = text_of(inner, listing, *axis, *code);
                wanted.contains(&key.to_lowercase()) || wanted.contains(&label.to_lowercase())
            });
            filters.push((*axis, codes.collect()));
        }
    }
    let rows = book.sum(inner, &Question { from, to, zone, axes: by.into_iter().collect(), filters });
    let Some(by) = by else {
        let mut all = Totals::default();
        for row in &rows {
            all.add(&row.totals);
        }
        let mut value = admob::report::truth::value(&metric, &all);
        value["note"] = json!(book.note);
        return Ok(value);
    };
    // Formats may share a word, so rows with the same key are added up.
    let mut sums: Vec<(String, String, Totals)> = Vec::new();
    for row in &rows {
        let (key, label) = text_of(inner, listing, by, row.codes[0]);
        match sums.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, totals)) => totals.add(&row.totals),
            None => sums.push((key, label, row.totals)),
        }
    }
    let mut items: Vec<(Value, u64)> = Vec::new();
    for (key, label, totals) in sums {
        let mut item = admob::report::truth::value(&metric, &totals);
        item["label"] = json!(label);
        item["key"] = json!(key);
        items.push((item, totals.micros));
    }
    if !by.is_time() {
        items.sort_by_key(|(_, micros)| std::cmp::Reverse(*micros));
    }
    let items: Vec<Value> = items.into_iter().map(|(item, _)| item).collect();
    Ok(json!({ "items": items, "currency": CURRENCY, "note": book.note }))
}

fn count(inner: &Inner, axis: Axis) -> u32 {
    let count = match axis {
        Axis::App => APPS.len(),
        Axis::Unit => inner.units.len(),
        Axis::Country => COUNTRIES.len(),
        Axis::Format => FORMATS.len(),
        Axis::Source => SOURCES.len(),
        _ => 2,
    };
    u32::try_from(count).unwrap_or(0)
}

/// Returns the key and the label of a value.
fn text_of(inner: &Inner, listing: &Listing, axis: Axis, code: u32) -> (String, String) {
    let at = code as usize;
    let same = |text: String| (text.clone(), text);
    match axis {
        Axis::Date | Axis::Week => same(day_of(code).to_string()),
        Axis::Month => same(format!("{}-{:02}", code / 12, code % 12 + 1)),
        Axis::App => ((listing.app)(at), APPS[at].name.to_owned()),
        Axis::Unit => ((listing.unit)(at), inner.units[at].wire.display_name.clone()),
        Axis::Country => (COUNTRIES[at].code.to_owned(), COUNTRIES[at].name.to_owned()),
        Axis::Format => ((listing.format)(at).to_owned(), format_label(FORMATS[at]).to_owned()),
        Axis::Source => (SOURCES[at].id.to_owned(), SOURCES[at].title.to_owned()),
        Axis::Platform => same(if at == 1 { "iOS" } else { "Android" }.to_owned()),
        Axis::Hour | Axis::Device => same(code.to_string()),
    }
}
