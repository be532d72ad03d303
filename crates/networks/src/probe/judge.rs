//! Judges what we found: is it what the write would have created? This module is pure.
//!
//! Says `Happened` only if it is certain. An entity that looks like the wanted one may have existed before.

use adagent_contract::EntityKind;
use serde_json::{Value as Json, json};

use super::Look;
use crate::{
    entities::{self, Found},
    normalise,
};
use adagent_tools::ProbeOutcome;

/// The names of the entities that looked like each wanted one just before the write was sent. For an update that adds lines, it is one list
/// with the IDs of the existing lines.
pub type Baseline = Vec<Vec<String>>;

/// Returns the baseline; `None` if a list was too long to read to its end, because then we do not know what existed.
pub fn baseline(looks: &[Look]) -> Option<Baseline> {
    let names = |look: &Look| look.equal().filter_map(|raw| raw["name"].as_str().map(str::to_owned)).collect();
    looks.iter().all(|look| look.whole).then(|| looks.iter().map(names).collect())
}

enum Verdict<'a> {
    There(&'a Json),
    Absent,
    Unsure(String),
}

/// Judges entities that were to be created. Without a baseline, an equal entity is proof only if the network does not allow a second one.
pub fn created(looks: &[Look], baseline: Option<&Baseline>) -> ProbeOutcome {
    let verdicts: Vec<Verdict<'_>> = looks
        .iter()
        .enumerate()
        .map(|(i, look)| verdict(look, baseline.map(|lists| lists.get(i).map_or(&[][..], Vec::as_slice))))
        .collect();
    let there: Vec<&Json> = verdicts
        .iter()
        .filter_map(|verdict| if let Verdict::There(raw) = verdict { Some(*raw) } else { None })
        .collect();
    let unsure =
        verdicts.iter().find_map(|verdict| if let Verdict::Unsure(why) = verdict { Some(why.clone()) } else { None });
    match (looks, there.as_slice(), unsure) {
        (_, _, Some(why)) => ProbeOutcome::CannotTell { why },
        ([look], [one], None) => ProbeOutcome::Happened {
            summary: format!("The {} exists", look.kind.label()),
            result: normalise::object(Some(look.kind), one),
        },
        (_, [], None) => ProbeOutcome::DidNotHappen { looked_at: looked_at(looks) },
        (all, some, None) if all.len() == some.len() => ProbeOutcome::Happened {
            summary: format!("{} exist", normalise::counted(Some(EntityKind::AdUnitMapping), all.len())),
            result: normalise::object(Some(EntityKind::AdUnitMapping), &json!({"adUnitMappings": some})),
        },
        (all, some, None) => {
            ProbeOutcome::CannotTell { why: format!("only {} of {} mappings exist", some.len(), all.len()) }
        }
    }
}

fn looked_at(looks: &[Look]) -> String {
    match looks {
        [look] => format!("{} of the account", normalise::counted(Some(look.kind), look.items.len())),
        _ => "the mappings of the named ad units".to_owned(),
    }
}

fn verdict<'a>(look: &'a Look, before: Option<&[String]>) -> Verdict<'a> {
    let noun = look.kind.label();
    let equal: Vec<&Json> = look.equal().collect();
    let fresh: Vec<&Json> = equal
        .iter()
        .copied()
        .filter(|raw| before.is_none_or(|names| !names.iter().any(|name| raw["name"] == name.as_str())))
        .collect();
    // AdMob allows each mediation group name only once, so a group that is equal in everything is the wanted one.
    let unique = look.kind == EntityKind::MediationGroup;
    match fresh.as_slice() {
        [] if look.whole => Verdict::Absent,
        [] => {
            Verdict::Unsure(format!("there are too many {noun}s to check them all, and it isn't among the first ones"))
        }
        [one] if before.is_some() || unique => Verdict::There(one),
        _ => Verdict::Unsure(format!(
            "{}; we can't tell whether this change created {}",
            seen(look, &fresh),
            which(&fresh)
        )),
    }
}

fn which(found: &[&Json]) -> &'static str {
    if found.len() == 1 { "it, or whether it already existed" } else { "one of them" }
}

/// Describes what was found: "1 app looks exactly like it: “Puzzle” (ca-app-…)".
fn seen(look: &Look, found: &[&Json]) -> String {
    const MOST: usize = 3;
    let noun = look.kind.label();
    let names: Vec<String> = found
        .iter()
        .take(MOST)
        .filter_map(|raw| entities::item(&look.facts, look.kind, raw, Found { account: None, parent: None }))
        .map(|item| format!("“{}” ({})", item.name, item.id))
        .collect();
    let more = if found.len() > MOST { " and others" } else { "" };
    let verb = if found.len() == 1 { format!("1 {noun} looks") } else { format!("{} {noun}s look", found.len()) };
    format!("{verb} exactly like it: {}{more}", names.join(", "))
}

/// Judges an update. `before` holds the IDs of the group's lines just before, if they are known; it matters for added lines.
pub fn updated(group: &Json, args: &Json, before: Option<&[String]>) -> ProbeOutcome {
    // Targeting lists are replaced as a whole, so they must be equal, not only contained.
    let units = |value: &Json| {
        let mut ids: Vec<String> = value["targeting"]["adUnitIds"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect();
        ids.sort();
        ids
    };
    let body = &args["body"];
    let same_units = body.pointer("/targeting/adUnitIds").is_none() || units(group) == units(body);
    if !same_units || !holds(group, body) || !lines_hold(&without(group, before.unwrap_or_default()), &added(body)) {
        return ProbeOutcome::DidNotHappen { looked_at: "the mediation group (different from what we sent)".into() };
    }
    let name = group["displayName"].as_str().unwrap_or("the group").to_owned();
    // AdMob allows one bidding line per ad source, but a waterfall line may exist twice.
    let unique = added(body).as_object().into_iter().flatten().all(|(_, line)| line["cpmMode"] == "LIVE");
    if before.is_none() && !unique {
        let why = format!("{name} has a line exactly like the new one, and we can't tell whether it was already there");
        return ProbeOutcome::CannotTell { why };
    }
    ProbeOutcome::Happened {
        summary: format!("{name} has the new values"),
        result: normalise::object(Some(EntityKind::MediationGroup), group),
    }
}

fn added(body: &Json) -> Json {
    let lines = body["mediationGroupLines"].as_object().into_iter().flatten();
    lines.filter(|(key, _)| key.starts_with('-')).map(|(key, line)| (key.clone(), line.clone())).collect()
}

/// Returns the lines of the group without these IDs.
fn without(group: &Json, ids: &[String]) -> Json {
    let lines = group["mediationGroupLines"].as_object().into_iter().flatten();
    lines.filter(|(id, _)| !ids.contains(id)).map(|(id, line)| (id.clone(), line.clone())).collect()
}

pub fn experiment(group: &Json, started: bool) -> ProbeOutcome {
    let running = match group["mediationAbExperimentState"].as_str() {
        Some("RUNNING") => true,
        Some("NOT_RUNNING") => false,
        _ => {
            return ProbeOutcome::CannotTell {
                why: "AdMob doesn't say whether an A/B test is running on the group".into(),
            };
        }
    };
    let state = if running { "an A/B test is running" } else { "no A/B test is running" };
    if running == started {
        return ProbeOutcome::Happened {
            summary: format!("On this group {state}"),
            result: normalise::object(Some(EntityKind::MediationGroup), group),
        };
    }
    ProbeOutcome::DidNotHappen { looked_at: format!("the mediation group ({state})") }
}

/// Checks whether `actual` has every field of `wanted`. The order of lists does not matter. New lines match whatever ID they got. Numbers
/// in quotes equal plain numbers. A removed line must be absent or marked as removed.
pub fn holds(actual: &Json, wanted: &Json) -> bool {
    match wanted {
        Json::Object(fields) => fields.iter().all(|(name, wanted)| match name.as_str() {
            "mediationGroupLines" => lines_hold(&actual[name.as_str()], wanted),
            // These are a placeholder ID, and a price that bidding lines ignore.
            "id" if wanted.as_str().is_some_and(|id| id.starts_with('-')) => true,
            "cpmMicros" if fields.get("cpmMode").is_some_and(|mode| mode == "LIVE") => true,
            _ => holds(&actual[name.as_str()], wanted),
        }),
        Json::Array(items) => {
            let actual = actual.as_array().map_or(&[][..], Vec::as_slice);
            items.iter().all(|item| actual.iter().any(|other| holds(other, item)))
        }
        leaf => plain(actual) == plain(leaf),
    }
}

fn lines_hold(actual: &Json, wanted: &Json) -> bool {
    let none = serde_json::Map::new();
    let actual = actual.as_object().unwrap_or(&none);
    let mut taken: Vec<&String> = Vec::new();
    wanted.as_object().into_iter().flatten().all(|(key, line)| {
        if !key.starts_with('-') {
            return match actual.get(key) {
                None => line["state"] == "REMOVED",
                Some(there) => there["state"] == line["state"] && line["state"] == "REMOVED" || holds(there, line),
            };
        }
        let found = actual.iter().find(|(id, there)| !taken.contains(id) && holds(there, line));
        taken.extend(found.map(|(id, _)| id));
        found.is_some()
    })
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_the_network_adds_do_not_matter_and_missing_ones_do() {
        let actual =
            json!({"displayName": "G", "state": "ENABLED", "targeting": {"adUnitIds": ["b", "a"], "format": "BANNER"}});
        assert!(holds(&actual, &json!({"displayName": "G", "targeting": {"adUnitIds": ["a", "b"]}})));
        assert!(!holds(&actual, &json!({"displayName": "H"})));
        assert!(!holds(&actual, &json!({"displayName": "G", "other": "x"})));
        assert!(holds(&json!({"n": "10"}), &json!({"n": 10})));
    }

    #[test]
    fn new_lines_match_whatever_id_they_got_but_each_once() {
        let actual =
            json!({"mediationGroupLines": {"77": {"adSourceId": "1", "cpmMode": "LIVE", "cpmMicros": "10000"}}});
        let one = json!({"-1": {"id": "-1", "adSourceId": "1", "cpmMode": "LIVE", "cpmMicros": "5"}});
        assert!(holds(&actual, &json!({"mediationGroupLines": one})));
        let two = json!({"-1": {"adSourceId": "1"}, "-2": {"adSourceId": "1"}});
        assert!(!holds(&actual, &json!({"mediationGroupLines": two})));
        assert!(holds(&actual, &json!({"mediationGroupLines": {"5": {"state": "REMOVED"}}})));
    }

    fn look(kind: EntityKind, names: &[&str], whole: bool) -> Look {
        let items =
            names.iter().map(|name| json!({"name": name, "displayName": "N", "mediationGroupId": name})).collect();
        let catalogue = crate::catalogue::Catalogue::built_in().expect("loads");
        let facts = catalogue.network(adagent_domain::Network::AdMob).expect("described").clone();
        Look { facts, kind, wanted: json!({"displayName": "N"}), items, whole }
    }

    fn outcome(kind: EntityKind, names: &[&str], whole: bool, before: Option<&[&str]>) -> &'static str {
        let before = before.map(|names| vec![names.iter().map(|&name| name.to_owned()).collect()]);
        match created(&[look(kind, names, whole)], before.as_ref()) {
            ProbeOutcome::Happened { .. } => "happened",
            ProbeOutcome::DidNotHappen { .. } => "did not",
            ProbeOutcome::CannotTell { .. } => "cannot tell",
        }
    }

    #[test]
    fn an_equal_object_proves_nothing_when_it_may_have_been_there_before() {
        for kind in [EntityKind::App, EntityKind::AdUnit, EntityKind::AdUnitMapping] {
            assert_eq!(outcome(kind, &["a"], true, None), "cannot tell");
            assert_eq!(outcome(kind, &["a"], true, Some(&["a"])), "did not");
            assert_eq!(outcome(kind, &["a", "b"], true, Some(&["a"])), "happened");
            assert_eq!(outcome(kind, &["a", "b", "c"], true, Some(&["a"])), "cannot tell");
            assert_eq!(outcome(kind, &[], true, None), "did not");
        }
        assert_eq!(outcome(EntityKind::MediationGroup, &["a"], true, None), "happened");
        assert_eq!(outcome(EntityKind::MediationGroup, &["a", "b"], true, None), "cannot tell");
    }

    #[test]
    fn a_list_that_was_not_read_to_its_end_does_not_prove_that_nothing_happened() {
        assert_eq!(outcome(EntityKind::App, &[], false, None), "cannot tell");
        assert_eq!(outcome(EntityKind::App, &["a"], false, Some(&["a"])), "cannot tell");
        assert_eq!(outcome(EntityKind::MediationGroup, &[], false, Some(&[])), "cannot tell");
        assert_eq!(baseline(&[look(EntityKind::App, &["a"], false)]), None);
        assert_eq!(baseline(&[look(EntityKind::App, &["a"], true)]), Some(vec![vec!["a".to_owned()]]));
    }

    #[test]
    fn the_doubt_names_what_was_found() {
        let ProbeOutcome::CannotTell { why } = created(&[look(EntityKind::MediationGroup, &["7", "8"], true)], None)
        else {
            panic!("two")
        };
        assert!(why.contains("“N” (7), “N” (8)"), "{why}");
    }

    #[test]
    fn of_several_objects_all_must_be_there() {
        let looks = |second: &[&str]| {
            [look(EntityKind::AdUnitMapping, &["a"], true), look(EntityKind::AdUnitMapping, second, true)]
        };
        let none = vec![Vec::new(), Vec::new()];
        assert!(matches!(created(&looks(&["b"]), Some(&none)), ProbeOutcome::Happened { .. }));
        assert!(matches!(created(&looks(&[]), Some(&none)), ProbeOutcome::CannotTell { .. }));
    }

    #[test]
    fn an_update_of_ad_units_must_be_equal() {
        let group = json!({"displayName": "G", "targeting": {"adUnitIds": ["a", "b"]}});
        let args = |ids: &[&str]| json!({"body": {"targeting": {"adUnitIds": ids}}});
        assert!(matches!(updated(&group, &args(&["b", "a"]), None), ProbeOutcome::Happened { .. }));
        assert!(matches!(updated(&group, &args(&["a"]), None), ProbeOutcome::DidNotHappen { .. }));
    }

    #[test]
    fn a_line_that_was_there_before_is_not_the_added_one() {
        let line = |mode: &str| json!({"adSourceId": "1", "cpmMode": mode, "cpmMicros": "5"});
        let group = |mode: &str| json!({"displayName": "G", "mediationGroupLines": {"7": line(mode)}});
        let args = |mode: &str| json!({"body": {"mediationGroupLines": {"-1": line(mode)}}});
        let outcome = |mode: &str, before: Option<&[String]>| updated(&group(mode), &args(mode), before);
        assert!(matches!(outcome("MANUAL", Some(&["7".to_owned()])), ProbeOutcome::DidNotHappen { .. }));
        assert!(matches!(outcome("MANUAL", Some(&[])), ProbeOutcome::Happened { .. }));
        assert!(matches!(outcome("MANUAL", None), ProbeOutcome::CannotTell { .. }));
        assert!(matches!(outcome("LIVE", None), ProbeOutcome::Happened { .. }));
    }
}
