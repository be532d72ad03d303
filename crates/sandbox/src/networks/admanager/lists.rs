//! Lookups and lists: filter, order, pages. Nothing here changes an object.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::objects::{self, Call};
use super::{filter, schema};
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::camel;
use crate::networks::admob::paging::Page;

const DEFAULT_PAGE: usize = 50;
const LARGEST_PAGE: usize = 1000;

pub fn get(call: &Call<'_>) -> Result<Value, ApiError> {
    let (_, object) = call.object()?;
    Ok(call.shown(object))
}

/// Returns one page of the items. A page token works only for the same list, filter, order and caller.
pub fn page(
    call: &Call<'_>,
    key: &str,
    items: &[Value],
    sizes: (usize, usize),
    total: &str,
) -> Result<Value, ApiError> {
    let size = match call.query("pageSize").map(str::parse::<i64>) {
        None | Some(Ok(0)) => sizes.0,
        Some(Ok(size)) if size > 0 => usize::try_from(size).unwrap_or(sizes.1).min(sizes.1),
        Some(_) => return Err(ApiError::invalid("pageSize", "must be a whole number that is not negative")),
    };
    let number = |text: &str| text.parse::<usize>().ok();
    let skip = match call.query("skip") {
        None => 0,
        Some(text) => number(text).ok_or_else(|| ApiError::invalid("skip", "must be a number that is not negative"))?,
    };
    let asked = [call.path, call.query("filter").unwrap_or_default(), call.query("orderBy").unwrap_or_default()];
    let mark = Page { size: None, token: None, bound_to: format!("{}|{}", asked.join("|"), call.caller) };
    let start = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => mark.read(token).filter(|start| *start < items.len()).ok_or_else(|| {
            ApiError::invalid("pageToken", "is not valid for this request; start again without a page token")
        })?,
    };
    let start = (start + skip).min(items.len());
    let end = items.len().min(start + size);
    let mut body = Map::new();
    if start < end {
        body.insert(key.to_owned(), items[start..end].into());
    }
    if end < items.len() {
        body.insert("nextPageToken".to_owned(), json!(mark.write(end)));
    }
    if !total.is_empty() {
        body.insert(total.to_owned(), json!(items.len()));
    }
    Ok(Value::Object(body))
}

/// Parses a sort order: any plain field, ascending unless `desc` follows it.
fn order(text: &str, message: &str) -> Result<Vec<(String, bool)>, ApiError> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (path, down) = match part.split_once(char::is_whitespace) {
                None => (part, false),
                Some((path, word)) if word.trim().eq_ignore_ascii_case("desc") => (path, true),
                Some((path, word)) if word.trim().eq_ignore_ascii_case("asc") => (path, false),
                Some(_) => {
                    return Err(ApiError::invalid("orderBy", format!("\"{part}\": only desc may follow a field")));
                }
            };
            let path = path.split('.').map(camel).collect::<Vec<_>>().join(".");
            match schema::at(message, &path) {
                Some(field) if !field.repeated && !matches!(field.kind, schema::Kind::Message(_)) => Ok((path, down)),
                _ => Err(ApiError::invalid("orderBy", format!("{path} is no field that can be sorted by"))),
            }
        })
        .collect()
}

fn compare(a: &Value, b: &Value, path: &str) -> Ordering {
    let pick = |value: &Value| path.split('.').try_fold(value, |at, part| at.get(part)).cloned().unwrap_or(Value::Null);
    let (a, b) = (pick(a), pick(b));
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    match (number(&a), number(&b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.as_str().unwrap_or_default().cmp(b.as_str().unwrap_or_default()),
    }
}

pub fn list(call: &Call<'_>) -> Result<Value, ApiError> {
    let collection = call.collection()?;
    if call.meaning.collection == "lineItemCreativeAssociations" {
        objects::named(call.store, &format!("{}/lineItems/{}", objects::network_name(), call.ids[1]))?;
    }
    if call.meaning.collection == "customTargetingValues" && call.ids.len() == 2 {
        objects::named(call.store, &format!("{}/customTargetingKeys/{}", objects::network_name(), call.ids[1]))?;
    }
    let text = call.query("filter").unwrap_or_default();
    let filter = filter::parse(text, collection.name, collection.message)?;
    let order = order(call.query("orderBy").unwrap_or_default(), collection.message)?;
    let mut items = Vec::new();
    if collection.name == "adBreaks" {
        call.event()?;
    }
    for (id, object) in objects::all(call.store, collection.name) {
        if !call.within(id, object)? {
            continue;
        }
        let shown = call.shown(object);
        if filter.as_ref().is_none_or(|filter| filter.fits(collection.message, &shown)) {
            items.push(shown);
        }
    }
    for (path, down) in order.iter().rev() {
        items.sort_by(|a, b| if *down { compare(b, a, path) } else { compare(a, b, path) });
    }
    page(call, collection.name, &items, (DEFAULT_PAGE, LARGEST_PAGE), "totalSize")
}

/// Returns the ads of one web property that the ad review center holds.
pub fn search(call: &Call<'_>) -> Result<Value, ApiError> {
    let prefix = format!("{}/", call.ids[1]);
    let wanted = |name: &str| -> Vec<&str> {
        call.query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    };
    if let Some(status) = call.query("status") {
        let members = schema::members("AdReviewCenterAdStatus");
        if !members.iter().any(|(name, number)| *name == status || number.to_string() == status) {
            return Err(ApiError::invalid("status", "one of ALLOWED, BLOCKED, UNREVIEWED is expected"));
        }
    }
    let texts = wanted("searchText");
    let ids = wanted("adReviewCenterAdId");
    let items = objects::all(call.store, "adReviewCenterAds").filter(|(id, ad)| {
        let members = schema::members("AdReviewCenterAdStatus");
        let status = call.query("status").is_none_or(|status| {
            let named =
                members.iter().find(|(_, number)| number.to_string() == status).map_or(status, |(name, _)| name);
            ad["status"] == named
        });
        let text = ad.to_string().to_lowercase();
        id.starts_with(&prefix)
            && status
            && (ids.is_empty() || ids.iter().any(|wanted| ad["adReviewCenterAdId"] == *wanted))
            && texts.iter().all(|word| text.contains(&word.to_lowercase()))
    });
    let items: Vec<Value> = items.map(|(_, ad)| ad.clone()).collect();
    page(call, "adReviewCenterAds", &items, (DEFAULT_PAGE, LARGEST_PAGE), "")
}
