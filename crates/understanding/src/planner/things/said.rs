//! What a wish says about the thing it is about: name, platform, format, price, countries, state, store. Must never guess.

use adagent_contract::EntityKind;
use serde_json::Value as Json;

use crate::planner::{
    Step, names,
    read::{Turn, contains_word},
    writes::wish,
};
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

/// Longer names are refused by every network; the exact limit is theirs to say.
const LONGEST: usize = 255;

/// What was said, each only where it was.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub name: Option<String>,
    pub package: Option<String>,
    pub url: Option<String>,
    /// `android` or `ios`.
    pub platform: Option<&'static str>,
    /// As the desk calls it: `rewarded_interstitial`.
    pub format: Option<String>,
    pub micros: Option<i64>,
    pub countries: Vec<String>,
    pub bidding: Option<bool>,
    /// Switched on or off.
    pub active: Option<bool>,
    pub for_children: Option<bool>,
    /// A demand source, as it was written.
    pub source: Option<String>,
}

impl Said {
    pub fn of(turn: &Turn<'_>) -> Result<Self, Box<Step>> {
        let lower = &turn.lower;
        let has = |words: &[&str]| words.iter().any(|word| contains_word(lower, word));
        let mut name = wish::name(turn, LONGEST)?;
        // "rename A to B": what comes after is the name.
        if name.is_none() && has(&["rename"]) {
            name = lower.rfind(" to ").and_then(|at| turn.text.get(at + 4..)).map(|rest| clean(rest).to_owned());
        }
        let micros = match wish::amounts(&turn.text).as_slice() {
            [(_, micros), ..] => Some(*micros),
            [] if has(&["floor", "price", "cpm", "ecpm", "rate", "bid"]) => wish::bare_amount(lower),
            [] => None,
        };
        Ok(Self {
            name: name.filter(|name| !name.is_empty()),
            package: package(&turn.text),
            url: turn
                .text
                .split_whitespace()
                .map(clean)
                .find(|word| word.starts_with("https://") || word.starts_with("http://"))
                .map(str::to_owned),
            platform: names::platform_in(lower).map(|wire| if wire == "IOS" { "ios" } else { "android" }),
            format: format_in(lower),
            micros,
            countries: names::countries_in(&without_names(turn)),
            bidding: match (has(&["bidding", "bidder"]), has(&["waterfall", "fixed price", "fixed cpm", "manual"])) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            },
            active: active(turn),
            for_children: children(lower),
            source: source(turn),
        })
    }

    /// The value said right after a field's own words ("category Puzzle", "position: 2").
    pub fn after(turn: &Turn<'_>, label: &str) -> Option<String> {
        let at = turn.lower.match_indices(label).map(|(at, _)| at).find(|at| {
            let before = turn.lower[..*at].chars().next_back();
            let after = turn.lower[at + label.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })?;
        // Lower case may be longer than what was written.
        let rest = turn.text.get(at + label.len()..)?.trim_start_matches([' ', ':', '=']);
        let rest = ["is ", "to ", "of ", "as "].iter().find_map(|lead| rest.strip_prefix(lead)).unwrap_or(rest);
        let end = [", ", "; ", " with ", " for ", " in ", " on ", " and ", ". "]
            .iter()
            .filter_map(|stop| rest.find(stop))
            .min()
            .unwrap_or(rest.len());
        let value = clean(&rest[..end]);
        let names = ["called ", "named ", "called", "named"].iter().any(|lead| value.starts_with(lead));
        (!value.is_empty() && !names).then(|| value.to_owned())
    }
}

fn clean(text: &str) -> &str {
    text.trim()
        .trim_end_matches(['.', ',', ';', '?', '!'])
        .trim_matches(['"', '\'', '“', '”', '„', '‘', '’', '`'])
        .trim()
}

/// Countries may be part of a name.
fn without_names(turn: &Turn<'_>) -> String {
    let mut text = turn.text.clone();
    let quoted = names::quoted(&turn.text);
    let known = turn.entities.iter().filter(|e| e.name.len() > 3).map(|e| e.name.clone());
    for name in quoted.into_iter().chain(known) {
        text = text.replace(&name, " ");
    }
    text
}

fn format_in(lower: &str) -> Option<String> {
    if ["mrec", "medium rectangle"].iter().any(|word| contains_word(lower, word)) {
        return Some("mrec".to_owned());
    }
    names::format_in(lower).map(str::to_lowercase)
}

/// `com.example.puzzle`, also in a store's address.
fn package(text: &str) -> Option<String> {
    let fits = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() >= 3
            && parts.iter().all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic())
                    && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            })
    };
    text.split(|c: char| c.is_whitespace() || matches!(c, '=' | '&' | '?' | '/' | ',' | '"' | '\'' | '(' | ')'))
        .map(clean)
        .find(|word| {
            fits(word) && !word.starts_with("www.") && !word.starts_with("apps.") && !word.starts_with("play.")
        })
        .map(str::to_owned)
}

fn active(turn: &Turn<'_>) -> Option<bool> {
    let off = turn.says(&[
        "pause",
        "paused",
        "disable",
        "deactivate",
        "switch off",
        "turn off",
        "stop",
        "inactive",
        "suspend",
    ]);
    let on = turn.says(&["resume", "enable", "activate", "switch on", "turn on", "unpause", "reactivate", "active"]);
    match (off, on) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}

/// Another network than the one asked, in the person's own spelling: how a mediator spells it is not known here.
fn source(turn: &Turn<'_>) -> Option<String> {
    let mut text = turn.text.clone();
    for quoted in names::quoted(&turn.text) {
        text = text.replace(&quoted, " ");
    }
    let tokens = crate::text::tokens(&text);
    (0..tokens.len()).find_map(|at| {
        let len = match (NETWORKS.at(&tokens, at), OTHER_SOURCES.at(&tokens, at)) {
            (Some((network, len)), _) if !turn.view.contains(&network) => len,
            (None, Some((_, len))) => len,
            _ => return None,
        };
        text.get(tokens[at].start..tokens[at + len - 1].end).map(str::to_owned)
    })
}

fn children(lower: &str) -> Option<bool> {
    let has = |words: &[&str]| words.iter().any(|word| contains_word(lower, word));
    if has(&[
        "not directed to children",
        "not directed at children",
        "not child directed",
        "not child-directed",
        "no coppa",
        "coppa no",
        "coppa false",
        "coppa: no",
        "coppa: false",
        "coppa off",
        "coppa 0",
        "not for children",
        "not for kids",
        "without coppa",
        "non-coppa",
    ]) {
        Some(false)
    } else if has(&[
        "directed to children",
        "directed at children",
        "child directed",
        "child-directed",
        "coppa yes",
        "coppa true",
        "coppa: yes",
        "coppa: true",
        "coppa on",
        "coppa 1",
        "for children",
        "for kids",
    ]) {
        Some(true)
    } else {
        None
    }
}

/// Things of a kind that the wish names, in this network.
pub(super) fn named<'t>(
    turn: &'t Turn<'_>,
    network: adagent_domain::Network,
    kind: EntityKind,
) -> Vec<&'t adagent_contract::EntityItem> {
    let kind = super::tool::own_kind(network, kind);
    names::mentioned(turn, kind, &turn.text).into_iter().filter(|item| item.network == network).collect()
}

/// A number, yes or no, or text said for a field, in the type the schema wants.
pub(super) fn typed(text: &str, schema: &Json) -> Option<Json> {
    if let Some(options) = schema["enum"].as_array() {
        let same = |option: &&Json| {
            let own = option.as_str().map_or_else(|| option.to_string(), str::to_owned);
            names::simple(&own) == names::simple(text)
        };
        return options.iter().find(same).cloned();
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    match schema["type"].as_str()? {
        "integer" => first.parse::<i64>().ok().map(Json::from),
        "number" => first.trim_start_matches('$').parse::<f64>().ok().filter(|n| n.is_finite()).map(Json::from),
        "boolean" => match first.to_lowercase().as_str() {
            "yes" | "true" | "on" => Some(true.into()),
            "no" | "false" | "off" => Some(false.into()),
            _ => None,
        },
        "string" => Some(text.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_bare_and_in_store_addresses() {
        assert_eq!(package("create app com.example.puzzle on android").as_deref(), Some("com.example.puzzle"));
        let store = "https://play.google.com/store/apps/details?id=com.example.puzzle&hl=en";
        assert_eq!(package(store).as_deref(), Some("com.example.puzzle"));
        assert_eq!(package("set the floor to 2.5.").as_deref(), None);
    }

    #[test]
    fn children_are_only_taken_from_words_about_them() {
        assert_eq!(children("not directed at children"), Some(false));
        assert_eq!(children("coppa yes"), Some(true));
        assert_eq!(children("create an app"), None);
    }
}
