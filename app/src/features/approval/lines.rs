//! The lines of a mediation group as two lists over one JSON object: bidding and waterfall. Pure.
//!
//! New lines get negative placeholder keys. We never drop an existing line from the object but mark it `REMOVED`, because that is
//! how a network removes it.

use adagent_contract::EntityOption;
use serde_json::{Map, Value as Json, json};

use super::args;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// An auction sets the price at every request.
    Bidding,
    /// A fixed floor per line, highest first.
    Waterfall,
}

impl Lane {
    pub const ALL: [Self; 2] = [Self::Bidding, Self::Waterfall];

    /// Returns the name for element IDs and field names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bidding => "bidding",
            Self::Waterfall => "waterfall",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub key: String,
    pub source: String,
    pub name: String,
    pub floor: Option<i64>,
    pub lane: Lane,
    /// What the change does to an existing line, if it only pauses it or turns it on.
    pub fate: Option<&'static str>,
}

/// Returns the pointer of a line's floor, for typed text and errors.
pub fn floor_pointer(lines: &str, key: &str) -> String {
    format!("{lines}/{}/cpmMicros", args::escape(key))
}

/// Returns the current lines without removed ones. `name_of` finds an ad source's name by ID.
pub fn read(lines: Option<&Json>, name_of: impl Fn(&str) -> Option<String>) -> Vec<Line> {
    let Some(map) = lines.and_then(Json::as_object) else { return Vec::new() };
    map.iter()
        .filter(|(_, line)| text(line, "state") != Some("REMOVED"))
        .map(|(key, line)| {
            let source = text(line, "adSourceId").unwrap_or("").to_owned();
            let floor =
                line.get("cpmMicros").and_then(|micros| micros.as_i64().or_else(|| micros.as_str()?.parse().ok()));
            // A change to an existing line holds only what changes.
            let fate = match (key.starts_with('-') || floor.is_some() || !source.is_empty(), text(line, "state")) {
                (true, _) => None,
                (false, Some("DISABLED")) => Some("Will be paused"),
                (false, Some("ENABLED")) => Some("Will be turned on"),
                (false, _) => Some("Will be changed"),
            };
            let bids = text(line, "cpmMode") == Some("LIVE");
            let lane = if bids || fate.is_some() { Lane::Bidding } else { Lane::Waterfall };
            let name = text(line, "displayName")
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .or_else(|| name_of(&source))
                .unwrap_or_else(|| format!("Source {source}"));
            Line { key: key.clone(), source, name, floor, lane, fate }
        })
        .collect()
}

/// Fills in what the change leaves out of existing lines: their names and their pricing.
pub fn with_known(lines: Vec<Line>, known: &[EntityOption]) -> Vec<Line> {
    let with = |line: Line| match known.iter().find(|option| option.id == line.key).filter(|_| line.source.is_empty()) {
        None => line,
        Some(known) => {
            let bids = known.detail.as_deref() == Some("LIVE");
            let lane = if bids { Lane::Bidding } else { Lane::Waterfall };
            Line { name: known.name.clone(), lane, ..line }
        }
    };
    lines.into_iter().map(with).collect()
}

/// Returns the text for an empty list. A change holds only what changes, so this text names the group's lines as unchanged.
pub fn nothing_here(lane: Lane, all: &[Line], known: &[EntityOption]) -> String {
    let bids = |option: &&EntityOption| option.detail.as_deref() == Some("LIVE");
    let kept: Vec<&str> = known
        .iter()
        .filter(|option| bids(option) == (lane == Lane::Bidding) && !all.iter().any(|line| line.key == option.id))
        .map(|option| option.name.as_str())
        .collect();
    match kept.as_slice() {
        [] => "No lines yet".to_owned(),
        names => format!("No change here. The group keeps {}.", names.join(", ")),
    }
}

fn text<'a>(line: &'a Json, key: &str) -> Option<&'a str> {
    line.get(key).and_then(Json::as_str)
}

/// Adds a line at the end of its lane. Returns the object and the new key.
pub fn add(lines: Option<&Json>, lane: Lane, source: &str, name: &str) -> (Json, String) {
    let mut map = lines.and_then(Json::as_object).cloned().unwrap_or_default();
    let lowest = map.keys().filter_map(|key| key.parse::<i64>().ok()).min().unwrap_or(0).min(0);
    let key = (lowest - 1).to_string();
    let mut added = json!({"displayName": name, "adSourceId": source, "state": "ENABLED"});
    let (mode, floor) = match lane {
        Lane::Bidding => ("LIVE", None),
        Lane::Waterfall => ("MANUAL", Some("1000000")),
    };
    if let Some(object) = added.as_object_mut() {
        object.insert("cpmMode".into(), mode.into());
        if let Some(floor) = floor {
            object.insert("cpmMicros".into(), floor.into());
        }
    }
    map.insert(key.clone(), added);
    (Json::Object(map), key)
}

/// Removes a line: deletes a new one, marks an existing one.
pub fn remove(lines: &Json, key: &str) -> Json {
    let mut map = lines.as_object().cloned().unwrap_or_default();
    if key.starts_with('-') {
        map.shift_remove(key);
    } else if let Some(line) = map.get_mut(key).and_then(Json::as_object_mut) {
        line.insert("state".into(), "REMOVED".into());
    }
    Json::Object(map)
}

/// Moves a line to the place of another line of its lane.
pub fn move_to(lines: &Json, key: &str, place_of: &str) -> Json {
    let Some(map) = lines.as_object() else { return lines.clone() };
    let mut entries: Vec<(&String, &Json)> = map.iter().collect();
    let at = |wanted: &str| entries.iter().position(|(key, _)| key.as_str() == wanted);
    if let (Some(from), Some(to)) = (at(key), at(place_of)) {
        let entry = entries.remove(from);
        entries.insert(to.min(entries.len()), entry);
    }
    Json::Object(entries.into_iter().map(|(key, line)| (key.clone(), line.clone())).collect::<Map<_, _>>())
}

/// Returns the key of the next or the previous line in the same lane.
pub fn neighbour(all: &[Line], key: &str, forward: bool) -> Option<String> {
    let lane = all.iter().find(|line| line.key == key)?.lane;
    let own: Vec<&Line> = all.iter().filter(|line| line.lane == lane).collect();
    let at = own.iter().position(|line| line.key == key)?;
    let to = if forward { at.checked_add(1)? } else { at.checked_sub(1)? };
    own.get(to).map(|line| line.key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> Json {
        json!({
            "-1": {"displayName": "AdMob Network", "adSourceId": "1", "cpmMode": "LIVE", "state": "ENABLED"},
            "77": {"adSourceId": "2", "cpmMode": "MANUAL", "cpmMicros": "14500000", "state": "ENABLED"},
            "-2": {"adSourceId": "3", "cpmMode": "MANUAL", "cpmMicros": 9_000_000, "state": "ENABLED"},
            "78": {"adSourceId": "4", "cpmMode": "MANUAL", "cpmMicros": "1", "state": "REMOVED"},
        })
    }

    fn names(lines: &Json, lane: Lane) -> Vec<String> {
        let known = |id: &str| (id == "2").then(|| "AppLovin".to_owned());
        read(Some(lines), known).into_iter().filter(|line| line.lane == lane).map(|line| line.name).collect()
    }

    #[test]
    fn lines_are_split_by_how_they_are_priced_and_removed_ones_are_gone() {
        assert_eq!(names(&group(), Lane::Bidding), ["AdMob Network"]);
        assert_eq!(names(&group(), Lane::Waterfall), ["AppLovin", "Source 3"]);
        let floors: Vec<_> = read(Some(&group()), |_| None).into_iter().map(|line| line.floor).collect();
        assert_eq!(floors, [None, Some(14_500_000), Some(9_000_000)]);
        assert!(read(None, |_| None).is_empty());
    }

    #[test]
    fn of_a_line_that_exists_only_what_changes_is_said_and_the_rest_is_known() {
        let change = json!({"77": {"cpmMicros": "4500000"}, "78": {"state": "DISABLED"}, "79": {"state": "ENABLED"}});
        let option = |id: &str, name: &str, mode: &str| EntityOption {
            id: id.into(),
            name: name.into(),
            parent: None,
            detail: Some(mode.into()),
            network: None,
        };
        let known = [option("77", "Fall", "MANUAL"), option("78", "Bid", "LIVE"), option("79", "Low", "MANUAL")];
        let lines = with_known(read(Some(&change), |_| None), &known);
        let told: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.lane, line.floor, line.fate)).collect();
        assert_eq!(
            told,
            [
                ("Fall", Lane::Waterfall, Some(4_500_000), None),
                ("Bid", Lane::Bidding, None, Some("Will be paused")),
                ("Low", Lane::Waterfall, None, Some("Will be turned on")),
            ]
        );
    }

    #[test]
    fn an_empty_list_names_the_lines_that_stay() {
        let option = |id: &str, name: &str, mode: &str| EntityOption {
            id: id.into(),
            name: name.into(),
            parent: None,
            detail: Some(mode.into()),
            network: None,
        };
        let known =
            [option("77", "Fall", "MANUAL"), option("78", "Meta (bidding)", "LIVE"), option("79", "Bid", "LIVE")];
        let change = json!({"77": {"cpmMicros": "4500000"}});
        let all = with_known(read(Some(&change), |_| None), &known);
        assert_eq!(nothing_here(Lane::Bidding, &all, &known), "No change here. The group keeps Meta (bidding), Bid.");
        assert_eq!(nothing_here(Lane::Waterfall, &all, &known), "No lines yet");
        assert_eq!(nothing_here(Lane::Bidding, &[], &[]), "No lines yet");
    }

    #[test]
    fn a_new_line_gets_a_placeholder_nobody_has() {
        let (more, key) = add(Some(&group()), Lane::Bidding, "5", "Unity Ads");
        assert_eq!(key, "-3");
        assert_eq!(names(&more, Lane::Bidding), ["AdMob Network", "Unity Ads"]);
        assert_eq!(more["-3"].get("cpmMicros"), None);
        let (first, key) = add(None, Lane::Waterfall, "5", "Unity Ads");
        assert_eq!((key.as_str(), first["-1"]["cpmMicros"].as_str()), ("-1", Some("1000000")));
    }

    #[test]
    fn an_existing_line_is_marked_a_new_one_goes() {
        let marked = remove(&group(), "77");
        assert_eq!(marked["77"]["state"], "REMOVED");
        let gone = remove(&marked, "-2");
        assert!(gone.get("-2").is_none());
        assert!(names(&gone, Lane::Waterfall).is_empty());
    }

    #[test]
    fn moving_stays_within_the_lane() {
        let all = read(Some(&group()), |_| None);
        assert_eq!(neighbour(&all, "-2", false).as_deref(), Some("77"));
        assert_eq!(neighbour(&all, "77", false), None);
        assert_eq!(neighbour(&all, "-1", true), None);
        let moved = move_to(&group(), "-2", "77");
        assert_eq!(names(&moved, Lane::Waterfall), ["Source 3", "AppLovin"]);
        assert_eq!(move_to(&group(), "nobody", "77"), group());
    }
}
