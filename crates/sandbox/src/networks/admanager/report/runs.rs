//! Runs of reports and other long-running operations: started, polled until they are done, canceled, deleted.

use serde_json::{Value, json};

use super::{rows, spec};
use crate::journal::Effect;
use crate::networks::admanager::lists;
use crate::networks::admanager::objects::{self, Call};
use crate::networks::admanager::writes::Changed;
use crate::networks::admob::errors::ApiError;

/// How many polls find a run unfinished; the next one finds it done.
const POLLS: u64 = 2;
const SHELF: &str = "operations";
const METADATA: &str = "type.googleapis.com/google.ads.admanager.v1";
const ROWS: (usize, usize) = (1000, 10_000);

fn next(call: &Call<'_>, shelf: &str, base: u64) -> u64 {
    let numbers = objects::all(call.store, shelf).filter_map(|(id, _)| id.parse::<u64>().ok());
    numbers.max().map_or(base, |highest| base.max(highest + 1))
}

/// Returns the fields of an operation that the service shows; the sandbox stores more.
fn shown(object: &Value) -> Value {
    let mut shown = object.clone();
    if let Some(map) = shown.as_object_mut() {
        map.retain(|name, _| ["name", "metadata", "done", "response", "error"].contains(&name.as_str()));
    }
    shown
}

/// Checks whether an operation still exists. A deleted one keeps its number, so that no later one gets it.
fn alive(object: &Value) -> bool {
    object["forgotten"] != true
}

/// Answers `reports.run`: starts a run of a report.
pub fn run(call: &Call<'_>) -> Changed {
    let (id, report) = call.object()?;
    let definition = &report["reportDefinition"];
    let (today, _) = call.inner.clock();
    spec::read(definition, today)?;
    let number = next(call, SHELF, 7_600_000_002).to_string();
    let operation = json!({
        "name": format!("{}/operations/reports/runs/{number}", objects::network_name()),
        "metadata": {
            "@type": format!("{METADATA}.RunReportMetadata"),
            "percentComplete": 0,
            "report": format!("{}/reports/{id}", objects::network_name()),
        },
        "done": false,
        "polls": 0,
        "definition": definition,
        "day": today.to_string(),
    });
    Ok((shown(&operation), vec![objects::put(SHELF, &number, operation)]))
}

/// Makes the operation that the ad review center answers with. Its work is done when the client first polls it.
pub fn review(call: &Call<'_>, kind: &str) -> (Value, Effect) {
    let number = next(call, SHELF, 7_600_000_002).to_string();
    let operation = json!({
        "name": format!("{}/operations/adReviewCenterAds/{number}", objects::network_name()),
        "metadata": { "@type": format!("{METADATA}.BatchAdReviewCenterAdsOperationMetadata") },
        "done": false,
        "polls": POLLS,
        "answers": format!("{METADATA}.Batch{kind}AdReviewCenterAdsResponse"),
    });
    (shown(&operation), objects::put(SHELF, &number, operation))
}

/// Returns the operation after one more poll, with the changes that the poll makes.
fn looked(call: &Call<'_>, id: &str, object: &Value, taken: u64) -> (Value, Vec<Effect>) {
    if object["done"] == true {
        return (object.clone(), Vec::new());
    }
    let mut object = object.clone();
    let polls = object["polls"].as_u64().unwrap_or(0) + 1;
    object["polls"] = json!(polls);
    let mut effects = Vec::new();
    if polls > POLLS {
        object["done"] = json!(true);
        if let Some(kind) = object["answers"].as_str() {
            object["response"] = json!({ "@type": kind });
        } else {
            let result = next(call, "results", 7_700_000_002) + taken;
            let report = object["metadata"]["report"].as_str().unwrap_or_default();
            let name = format!("{report}/results/{result}");
            let kept = json!({
                "name": name, "definition": object["definition"], "day": object["day"], "at": call.inner.now().to_string(),
            });
            effects.push(objects::put("results", &result.to_string(), kept));
            object["response"] = json!({ "@type": format!("{METADATA}.RunReportResponse"), "reportResult": name });
        }
    }
    if object["metadata"].get("percentComplete").is_some() {
        object["metadata"]["percentComplete"] = json!(if polls > POLLS { 100 } else { polls * 40 });
    }
    effects.push(objects::put(SHELF, id, object.clone()));
    (object, effects)
}

fn find<'a>(call: &'a Call<'_>) -> Result<(String, &'a Value), ApiError> {
    let id = call.ids.last().map(String::as_str).unwrap_or_default();
    let object = objects::get(call.store, SHELF, id).filter(|object| alive(object));
    let object =
        object.ok_or_else(|| objects::not_found(call.path.trim_start_matches("/v1/").trim_end_matches(":cancel")))?;
    Ok((id.to_owned(), object))
}

/// Answers `operations.reports.runs.get`: polls a run.
pub fn get(call: &Call<'_>) -> Changed {
    let (id, object) = find(call)?;
    let (object, effects) = looked(call, &id, object, 0);
    Ok((shown(&object), effects))
}

pub fn list(call: &Call<'_>) -> Changed {
    let (mut items, mut effects) = (Vec::new(), Vec::new());
    let wanted = match call.query("filter").map(str::trim).filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => match text.split_once('=').map(|(field, value)| (field.trim(), value.trim())) {
            Some(("done", "true")) => Some(true),
            Some(("done", "false")) => Some(false),
            _ => return Err(ApiError::invalid("filter", "done = true or done = false is expected")),
        },
    };
    for (id, object) in objects::all(call.store, SHELF).filter(|(_, object)| alive(object)) {
        let (object, more) = looked(call, id, object, effects.len() as u64);
        effects.extend(more);
        if wanted.is_none_or(|done| object["done"] == done) {
            items.push(shown(&object));
        }
    }
    Ok((lists::page(call, "operations", &items, (50, 1000), "")?, effects))
}

pub fn delete(call: &Call<'_>) -> Changed {
    let (id, object) = find(call)?;
    let mut object = object.clone();
    object["forgotten"] = json!(true);
    Ok((json!({}), vec![objects::put(SHELF, &id, object)]))
}

pub fn cancel(call: &Call<'_>) -> Changed {
    let (id, object) = find(call)?;
    if object["done"] == true {
        return Ok((json!({}), Vec::new()));
    }
    let mut object = object.clone();
    object["done"] = json!(true);
    object["error"] = json!({ "code": 1, "message": "The operation was cancelled." });
    Ok((json!({}), vec![objects::put(SHELF, &id, object)]))
}

/// Answers `reports.results.fetchRows`: returns a page of rows.
pub fn fetch(call: &Call<'_>) -> Result<Value, ApiError> {
    let missing = || objects::not_found(call.path.trim_start_matches("/v1/").trim_end_matches(":fetchRows"));
    let result = objects::get(call.store, "results", &call.ids[2]).ok_or_else(missing)?;
    if result["name"] != format!("{}/reports/{}/results/{}", objects::network_name(), call.ids[1], call.ids[2]) {
        return Err(missing());
    }
    // A relative range is still relative to the day of the run.
    let day = result["day"].as_str().and_then(|day| day.parse().ok()).unwrap_or_else(|| call.inner.clock().0);
    let definition = spec::read(&result["definition"], day)?;
    let all = rows::all(call.inner, &definition);
    let mut body = lists::page(call, "rows", &all, ROWS, "totalRowCount")?;
    body["runTime"] = result["at"].clone();
    let range = |(from, to): (jiff::civil::Date, jiff::civil::Date)| {
        let day = |date: jiff::civil::Date| json!({ "year": date.year(), "month": date.month(), "day": date.day() });
        json!({ "startDate": day(from), "endDate": day(to) })
    };
    body["dateRanges"] = json!([range(definition.range)]);
    if let Some(comparison) = definition.comparison {
        body["comparisonDateRanges"] = json!([range(comparison)]);
    }
    Ok(body)
}

/// Refuses a definition that could never run.
pub fn check(call: &Call<'_>, definition: &Value) -> Result<(), ApiError> {
    spec::read(definition, call.inner.clock().0).map(|_| ())
}
