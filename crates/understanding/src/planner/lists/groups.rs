//! Describes what a mediation group holds. This must name only lines that the group really has.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Currency, Money};
use serde_json::Value as Json;

use super::{lines_of, source_name};
use crate::planner::{
    format::{and, plain},
    names,
    read::Turn,
};
use crate::route::implied::source_words;

/// Handles "which groups use AppLovin": keeps the groups with a line of that source, bidding or not.
pub(super) fn with_sources(turn: &Turn<'_>, items: &mut Vec<EntityItem>, conditions: &mut Vec<String>) {
    let named = names::mentioned(turn, EntityKind::AdSource, turn.question());
    let Some(first) = named.first() else {
        // If AdMob does not list a source, no group has it.
        if let Some(word) = source_words(turn.question()).first() {
            items.clear();
            conditions.push(format!("with {}", plain(word)));
        }
        return;
    };
    let stems: Vec<String> = named.iter().map(|source| names::stem(source)).collect();
    let of_named = |line: &Json| {
        let source = line.get("adSourceId").and_then(Json::as_str).and_then(|id| turn.entity(EntityKind::AdSource, id));
        source.is_some_and(|source| stems.contains(&names::stem(source)))
    };
    items.retain(|group| lines_of(group).iter().any(|(_, line)| of_named(line)));
    conditions.push(format!("with {}", plain(first.name.trim_end_matches(" (bidding)"))));
}

/// Handles "which groups target Germany": keeps the groups that name the country, and those that name no country and so serve all.
pub(super) fn with_countries(turn: &Turn<'_>, items: &mut Vec<EntityItem>, conditions: &mut Vec<String>) {
    if !turn.says(&["target", "targets", "targeting", "targeted", "serve", "serves", "for", "in", "country", "region"])
    {
        return;
    }
    let wanted = names::countries_in(turn.question());
    let Some(first) = wanted.first() else { return };
    let without = turn.says(&["not", "don't", "dont", "doesn't", "without", "except", "exclude", "excludes"]);
    items.retain(|group| {
        let list = |key: &str| -> Option<Vec<&str>> {
            let codes = group.raw.pointer(&format!("/targeting/{key}"))?.as_array()?;
            Some(codes.iter().filter_map(Json::as_str).collect())
        };
        let holds = |codes: &[&str]| wanted.iter().all(|want| codes.iter().any(|code| code.eq_ignore_ascii_case(want)));
        let serves = match (list("targetedRegionCodes").filter(|codes| !codes.is_empty()), list("excludedRegionCodes"))
        {
            (Some(targeted), _) => holds(&targeted),
            (None, excluded) => !excluded.is_some_and(|codes| holds(&codes)),
        };
        serves != without
    });
    let serving = if without { "not serving" } else { "serving" };
    conditions.push(format!("{serving} {}", names::country_label(first)));
}

/// Returns "AppLovin (bidding)", "InMobi (waterfall at $3.00)" or "Pangle (bidding, disabled)".
fn line_words(turn: &Turn<'_>, line: &Json) -> String {
    let get = |key: &str| line.get(key).and_then(Json::as_str);
    let name = source_name(turn, line);
    let name = plain(name.trim_end_matches(" (bidding)"));
    let micros = get("cpmMicros").and_then(|micros| micros.parse::<i64>().ok());
    let price = match (get("cpmMode"), micros) {
        (Some("MANUAL"), Some(micros)) => {
            format!("waterfall at {}", Money::new(Currency::USD, micros).display(2))
        }
        (Some("MANUAL"), None) => "waterfall".to_owned(),
        _ => "bidding".to_owned(),
    };
    let off = if get("state") == Some("DISABLED") { ", disabled" } else { "" };
    format!("{name} ({price}{off})")
}

/// Describes one group by its state and lines.
pub(super) fn group_sentence(turn: &Turn<'_>, group: &EntityItem) -> String {
    let lines: Vec<String> = lines_of(group).iter().map(|(_, line)| line_words(turn, line)).collect();
    let state = group.status.as_deref().map(|s| format!(" is {} and", s.to_lowercase())).unwrap_or_default();
    if lines.is_empty() {
        return format!("**{}** (`{}`){state} has no lines.", plain(&group.name), group.id);
    }
    format!("**{}** (`{}`){state} has {}.", plain(&group.name), group.id, and(&lines))
}
