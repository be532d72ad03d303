//! Limits the size of one answer, because no model's context holds megabytes. Cuts the ends of the longest lists of a long answer, and says
//! so.

use serde_json::{Value as Json, json};

/// The most bytes of data in one answer.
const MOST: usize = 40_000;
/// Up to this size, the text contains the data as well, for clients that read only text.
const TWICE: usize = 16_000;
/// Of longer data, such clients get this many bytes.
const GLIMPSE: usize = 4_000;
/// The most characters of a text that is too long by itself.
const LINE: usize = 1_000;
/// Each round cuts part of the longest list, so a few rounds are enough.
const ROUNDS: usize = 64;

/// Data that fits, and its text.
pub(crate) struct Fitted {
    pub data: Json,
    pub text: String,
    /// Whether part of the data was left out.
    pub cut: bool,
}

/// Returns as much of the data as an answer may hold.
pub(crate) fn fit(data: Json) -> Fitted {
    let (data, cut) = within(data, MOST);
    let whole = data.to_string();
    let text = if whole.len() <= TWICE { whole } else { within(data.clone(), GLIMPSE).0.to_string() };
    Fitted { data, text, cut }
}

/// Cuts the data to at most `most` bytes. Also returns whether something was left out.
pub(crate) fn within(mut data: Json, most: usize) -> (Json, bool) {
    if size(&data) <= most {
        return (data, false);
    }
    let mut lists: Vec<(String, usize)> = Vec::new();
    for _ in 0..ROUNDS {
        let bytes = size(&data) + 200 * (lists.len() + 1);
        if bytes <= most {
            break;
        }
        let Some(at) = longest(&data, bytes) else {
            shorten(&mut data);
            break;
        };
        let Some(list) = data.pointer_mut(&at).and_then(Json::as_array_mut) else { break };
        let before = list.len();
        list.truncate((before * most * 9 / 10 / bytes).clamp(1, before - 1));
        if !lists.iter().any(|(known, _)| *known == at) {
            lists.push((at, before));
        }
    }
    if size(&data) > most || !data.is_object() {
        data = json!({});
    }
    let cut = |(at, of): &(String, usize)| {
        let shown = data.pointer(at).and_then(Json::as_array).map_or(0, Vec::len);
        json!({"at": at, "shown": shown, "of": of})
    };
    let cut: Vec<Json> = lists.iter().map(cut).collect();
    data["truncated"] = true.into();
    data["cut"] = cut.into();
    (data, true)
}

/// Returns the approximate size as JSON, without writing it.
fn size(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 5,
        Json::Number(number) => number.to_string().len(),
        Json::String(text) => text.len() + 2,
        Json::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Json::Object(fields) => 2 + fields.iter().map(|(name, field)| name.len() + 4 + size(field)).sum::<usize>(),
    }
}

/// Returns the pointer to the list with the most entries, among those that are a large part of the whole.
fn longest(data: &Json, whole: usize) -> Option<String> {
    fn look(at: &str, value: &Json, least: usize, best: &mut Option<(usize, String)>) {
        if size(value) < least {
            return;
        }
        match value {
            Json::Array(items) => {
                if items.len() > 1 && best.as_ref().is_none_or(|(most, _)| items.len() > *most) {
                    *best = Some((items.len(), at.to_owned()));
                }
                for (index, item) in items.iter().enumerate() {
                    look(&format!("{at}/{index}"), item, least, best);
                }
            }
            Json::Object(fields) => {
                for (name, field) in fields {
                    look(&format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), field, least, best);
                }
            }
            _ => {}
        }
    }
    let mut best = None;
    for part in [16, 256, usize::MAX] {
        look("", data, whole / part, &mut best);
        if best.is_some() {
            break;
        }
    }
    best.map(|(_, at)| at)
}

/// Shortens the texts, for data without a list left to cut.
fn shorten(value: &mut Json) {
    match value {
        Json::String(text) if text.chars().count() > LINE => {
            *text = text.chars().take(LINE).chain(['…']).collect();
        }
        Json::Array(items) => items.iter_mut().for_each(shorten),
        Json::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(rows: usize) -> Json {
        let row = |n: usize| json!([{"type": "date", "value": "2026-11-19"}, {"type": "count", "value": n}]);
        json!({"kind": "report", "columns": ["date", "impressions"], "rows": (0..rows).map(row).collect::<Vec<_>>(), "truncated": false})
    }

    #[test]
    fn what_is_small_stays_as_it_is_and_is_told_twice() {
        let data = report(20);
        let fitted = fit(data.clone());
        assert_eq!((fitted.data, fitted.cut), (data.clone(), false));
        assert_eq!(fitted.text, data.to_string());
        let fitted = fit(report(300));
        assert!(!fitted.cut && fitted.text.len() < GLIMPSE, "{} is no second copy", fitted.text.len());
        assert!(fitted.text.contains("\"truncated\":true"));
    }

    #[test]
    fn what_is_too_long_keeps_its_first_rows_and_says_how_many_there_are() {
        let fitted = fit(report(13_021));
        let (whole, rows) = (fitted.data.to_string().len(), fitted.data["rows"].as_array().unwrap());
        assert!(fitted.cut && whole <= MOST && whole > MOST / 2, "{whole}");
        assert!(fitted.text.len() <= GLIMPSE);
        assert_eq!(rows[..20], report(20)["rows"].as_array().unwrap()[..]);
        assert_eq!(fitted.data["truncated"], true);
        assert_eq!(fitted.data["cut"], json!([{"at": "/rows", "shown": rows.len(), "of": 13_021}]));
        assert_eq!(fitted.data["columns"], json!(["date", "impressions"]), "the rest is there");
    }

    #[test]
    fn several_lists_deep_inside_and_long_texts_fit_too() {
        let tables: Vec<Json> = (0..4).map(|_| json!({"kind": "table", "rows": report(2_000)["rows"]})).collect();
        let fitted = fit(json!({"answer": "x".repeat(500), "artifacts": tables}));
        assert!(fitted.data.to_string().len() <= MOST);
        assert_eq!(fitted.data["artifacts"].as_array().unwrap().len(), 4, "every table keeps some rows");
        assert_eq!(fitted.data["cut"].as_array().unwrap().len(), 4);
        for odd in [json!({"text": "x".repeat(500_000)}), json!("x".repeat(500_000)), json!([["y".repeat(90_000)]])] {
            let fitted = fit(odd);
            assert!(fitted.cut && fitted.data.to_string().len() <= MOST && fitted.data.is_object());
        }
    }
}
