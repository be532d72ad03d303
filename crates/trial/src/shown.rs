//! Compares what a report shows with the labels: days, metrics, breakdowns, filters, rows and the comparison.

use adagent_contract::{Artifact, TurnView};
use adagent_eval::Case;
use serde_json::Value as Json;

use crate::judge::Deeds;

/// Checks whether an answer asks something back: a paragraph ends with a question mark, apart from the note that nothing was changed.
pub(crate) fn asks(answer: &str) -> bool {
    answer.split("\n\n").any(|text| {
        let text = text.trim();
        text.strip_suffix("Nothing has been changed.").unwrap_or(text).trim_end().ends_with(['?', '？'])
    })
}

/// Checks whether an answer says that it read nothing and did nothing.
pub(crate) fn declines(answer: &str) -> bool {
    ["I can't ", "I didn't ", "so I read nothing", "so I didn't"].iter().any(|words| answer.contains(words))
}

/// Returns the first thing that the answer lacks or has too much of.
pub(crate) fn lacks(case: &Case, slots: &Json, deeds: &Deeds<'_>) -> Option<(&'static str, String)> {
    let turn = deeds.turn;
    if turn.artifacts.is_empty() {
        return Some(("no figures", turn.answer.chars().take(120).collect()));
    }
    days(case, slots, turn)
        .or_else(|| metrics(case, slots, turn))
        .or_else(|| dimensions(case, slots, turn))
        .or_else(|| filters(slots, deeds))
        .or_else(|| rows(slots, turn))
        .or_else(|| comparison(case, slots, turn))
}

fn text<'a>(value: &'a Json, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Json::as_str)
}

/// Returns the two days of an alternative, which is a pair or an object.
fn pair(value: &Json) -> Option<(&str, &str)> {
    match value {
        Json::Array(pair) => Some((pair.first()?.as_str()?, pair.get(1)?.as_str()?)),
        other => Some((text(other, "date_from")?, text(other, "date_to")?)),
    }
}

fn days(case: &Case, slots: &Json, turn: &TurnView) -> Option<(&'static str, String)> {
    let wanted = pair(slots)?;
    let covered = turn.covers.as_ref().map(|covers| (covers.from.as_str(), covers.to.as_str()));
    let fits = |days: (&str, &str)| covered == Some(days);
    // A network that keeps no older days shows the rest, and says since when.
    let (from, to) = covered.unwrap_or_default();
    if to == wanted.1 && from > wanted.0 && turn.answer.contains("reports start on") {
        return None;
    }
    // A day that still runs is compared with nothing, so an explanation leaves it out.
    let explains = case.expect.path == Some(adagent_contract::Path::Workflow)
        || slots.get("compare_to").is_some_and(Json::is_object);
    if explains && from == wanted.0 && wanted.1 == case.question.today && next_day(to) == wanted.1 {
        return None;
    }
    if fits(wanted) || case.expect.dates_also.iter().filter_map(pair).any(fits) {
        return None;
    }
    Some(("other days", format!("{covered:?}, not {wanted:?}")))
}

/// Returns the day after one, as text. Enough for days within a month.
fn next_day(day: &str) -> String {
    let (head, last) = day.split_at(day.len().saturating_sub(2));
    last.parse::<u8>().map_or_else(|_| String::new(), |last| format!("{head}{:02}", last + 1))
}

fn list(slots: &Json, key: &str) -> Vec<String> {
    let names = slots.get(key).and_then(Json::as_array).into_iter().flatten();
    names.filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Returns the lists that an alternative label allows.
fn lists(alternatives: &[Json]) -> impl Iterator<Item = Vec<String>> {
    alternatives.iter().map(|value| match value {
        Json::Array(names) => names.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        other => other.as_str().map(|name| vec![name.to_owned()]).unwrap_or_default(),
    })
}

/// Writes a label as a key: `Fill rate` as `fill_rate`.
fn key(label: &str) -> String {
    label.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Returns the keys of everything that the answer shows.
fn keys(turn: &TurnView) -> Vec<String> {
    let mut keys = Vec::new();
    for artifact in &turn.artifacts {
        match artifact {
            Artifact::Table { table, title, .. } => {
                keys.extend(table.columns.iter().map(|column| key(&column.key)));
                keys.push(key(title));
            }
            Artifact::Kpi { tiles, .. } => keys.extend(tiles.iter().map(|tile| key(&tile.label))),
            Artifact::Timeseries { title, .. } => {
                keys.push("date".into());
                keys.push(key(title));
            }
            Artifact::Bars { title, .. } => keys.push(key(title)),
            Artifact::Json { .. } => {}
        }
    }
    keys
}

/// Two names for one figure: networks call it differently.
const SAME: [(&str, &str); 3] =
    [("fill_rate", "match_rate"), ("fills", "matched_requests"), ("completes", "completed_views")];

/// Checks that a key is shown: as a column or tile, or in the title of a chart ("Revenue by country").
fn is_shown(keys: &[String], wanted: &str) -> bool {
    let word = |key: &String| {
        key == wanted || key.split("_by_").any(|part| part == wanted || part.split("_and_").any(|it| it == wanted))
    };
    keys.iter().any(word)
}

fn missing(wanted: &[String], keys: &[String]) -> Option<String> {
    let known = |name: &str| {
        let mut others =
            SAME.iter().filter_map(|(a, b)| if *a == name { Some(*b) } else { (*b == name).then_some(*a) });
        is_shown(keys, name) || others.any(|other| is_shown(keys, other))
    };
    wanted.iter().find(|name| !known(name)).cloned()
}

/// Checks whether an answer says that a part of it cannot be had.
fn says_no(answer: &str) -> bool {
    ["isn't available", "aren't available", "doesn't report", "don't report"].iter().any(|words| answer.contains(words))
}

fn metrics(case: &Case, slots: &Json, turn: &TurnView) -> Option<(&'static str, String)> {
    let keys = keys(turn);
    let lacks = missing(&list(slots, "metrics"), &keys)?;
    if lists(&case.expect.metrics_also).any(|names| missing(&names, &keys).is_none()) {
        return None;
    }
    let kind = if says_no(&turn.answer) { "a metric is declined" } else { "a metric is missing" };
    Some((kind, format!("{lacks}; shown {keys:?}")))
}

fn dimensions(case: &Case, slots: &Json, turn: &TurnView) -> Option<(&'static str, String)> {
    let keys = keys(turn);
    let lacks = missing(&list(slots, "dimensions"), &keys)?;
    if lists(&case.expect.dimensions_also).any(|names| missing(&names, &keys).is_none()) {
        return None;
    }
    Some(("a breakdown is missing", format!("{lacks}; shown {keys:?}")))
}

/// Returns what the subtitles say after "only".
fn restriction(turn: &TurnView) -> String {
    let subtitles = turn.artifacts.iter().filter_map(|artifact| match artifact {
        Artifact::Kpi { subtitle, .. }
        | Artifact::Timeseries { subtitle, .. }
        | Artifact::Bars { subtitle, .. }
        | Artifact::Table { subtitle, .. } => Some(subtitle.as_str()),
        Artifact::Json { .. } => None,
    });
    subtitles
        .flat_map(|text| text.split(" · "))
        .find_map(|part| part.strip_prefix("only "))
        .unwrap_or_default()
        .to_owned()
}

fn leaves(value: &Json, out: &mut Vec<String>) {
    match value {
        Json::Object(map) => map.values().for_each(|value| leaves(value, out)),
        Json::Array(items) => items.iter().for_each(|value| leaves(value, out)),
        Json::String(text) => out.push(text.to_lowercase()),
        other => out.push(other.to_string()),
    }
}

fn filters(slots: &Json, deeds: &Deeds<'_>) -> Option<(&'static str, String)> {
    let wanted = slots.get("filters").and_then(Json::as_object)?;
    let said = restriction(deeds.turn);
    let (low, answer) = (said.to_lowercase(), deeds.turn.answer.to_lowercase());
    let left_out = answer.contains("excludes ");
    let mut sent = Vec::new();
    deeds.reads.iter().for_each(|read| leaves(read.params, &mut sent));
    let mut count = 0;
    for (field, value) in wanted {
        let values: Vec<String> = match value {
            Json::Array(values) => values.iter().filter_map(Json::as_str).map(str::to_lowercase).collect(),
            Json::Object(map) => {
                let mut inner = Vec::new();
                map.values().for_each(|value| leaves(value, &mut inner));
                inner
            }
            other => other.as_str().map(str::to_lowercase).into_iter().collect(),
        };
        count += values.len();
        for value in values {
            let spoken = value.replace('_', " ");
            let number = value.trim_end_matches(".0").to_owned();
            let shown = value.len() == 2 && left_out && names_country(&answer, &value)
                || low.contains(&spoken)
                || low.contains(&number)
                || answer.contains(&spoken);
            // An ID is shown by the name of its thing.
            let id = value.len() > 5 && value.bytes().any(|byte| byte.is_ascii_digit()) && !said.is_empty();
            let named = field == "country" && names_country(&low, &value);
            if !(id || shown || named || sent.contains(&value)) {
                return Some(("a filter is missing", format!("{field} {value}; said {said:?}")));
            }
        }
    }
    let pieces = said.split(", ").flat_map(|part| part.split(" and ")).filter(|part| !part.is_empty()).count();
    (pieces > count).then(|| ("a filter too much", format!("{said:?}, not {}", slots["filters"])))
}

/// Checks whether a text names a country by more than its code.
fn names_country(said: &str, code: &str) -> bool {
    adagent_networks::region_name(&code.to_uppercase()).is_some_and(|name| said.contains(&name.to_lowercase()))
}

fn rows(slots: &Json, turn: &TurnView) -> Option<(&'static str, String)> {
    let limit = slots.get("limit").and_then(Json::as_u64)?;
    let longest = turn.artifacts.iter().filter_map(|artifact| match artifact {
        Artifact::Table { table, .. } => u64::try_from(table.rows.len()).ok(),
        Artifact::Bars { items, .. } => u64::try_from(items.len()).ok(),
        _ => None,
    });
    let longest = longest.max().unwrap_or_default();
    // A ranking shows the one that was asked for first.
    (longest > limit && limit > 1).then(|| ("more rows than asked for", format!("{longest}, not {limit}")))
}

fn comparison(case: &Case, slots: &Json, turn: &TurnView) -> Option<(&'static str, String)> {
    let wanted = slots.get("compare_to").filter(|value| value.is_object())?;
    if case.expect.compare_also.iter().any(Json::is_null) {
        return None;
    }
    let previous = turn.artifacts.iter().any(|artifact| match artifact {
        Artifact::Kpi { tiles, .. } => tiles.iter().any(|tile| tile.previous.is_some()),
        Artifact::Bars { items, .. } => items.iter().any(|item| item.previous.is_some()),
        Artifact::Timeseries { chart, .. } => chart.series.iter().any(|series| series.previous),
        Artifact::Table { table, .. } => {
            table.columns.iter().any(|column| column.key.contains("change") || column.key.contains("previous"))
        }
        Artifact::Json { .. } => false,
    });
    (!previous).then(|| ("no comparison", wanted.to_string()))
}
