//! Reads operations by their names, `network_verb_noun`: which of those bound to a turn the message means, and which one lists what.

use std::borrow::Cow;

use adagent_contract::EntityKind;
use adagent_domain::Network;
use adagent_llm::ToolSpec;

use crate::planner::{
    names,
    read::{Turn, contains_word},
};

/// A bound operation with the parts of its name.
#[derive(Debug, Clone)]
pub(super) struct Tool<'t> {
    pub spec: &'t ToolSpec,
    pub network: Network,
    /// `list`, `create`, `archive` …
    pub verb: &'t str,
    /// The noun in the singular, in our words.
    pub noun: String,
    /// Whether the operation takes several things at once.
    pub batch: bool,
}

impl<'t> Tool<'t> {
    pub fn of(spec: &'t ToolSpec) -> Option<Self> {
        let (network, rest) = spec.name.split_once('_')?;
        let network = network.parse().ok()?;
        let batch = rest.starts_with("batch_");
        let (verb, noun) = rest.trim_start_matches("batch_").split_once('_').unwrap_or((rest, ""));
        Some(Self { spec, network, verb, noun: singular(noun), batch })
    }

    /// Returns the verb in an operation's name.
    pub fn verb_of(name: &str) -> &str {
        let rest = name.split_once('_').map_or("", |(_, rest)| rest);
        rest.trim_start_matches("batch_").split('_').next().unwrap_or_default()
    }

    pub fn words(&self) -> String {
        self.noun.replace('_', " ")
    }
}

/// Returns the network that an operation belongs to.
pub(in crate::planner) fn network_of(tool: &str) -> Option<Network> {
    tool.split_once('_')?.0.parse().ok()
}

/// Returns the noun that an operation is about, in our words.
pub(super) fn noun_of(tool: &str) -> String {
    let rest = tool.split_once('_').map_or("", |(_, rest)| rest).trim_start_matches("batch_");
    singular(rest.split_once('_').map_or("", |(_, noun)| noun))
}

fn singular(noun: &str) -> String {
    let one = match noun {
        "companies" | "taxonomy_categories" | "device_categories" | "device_capabilities" | "web_properties" => {
            noun.replace("ies", "y")
        }
        "content" | "cms" => noun.to_owned(),
        other => other.strip_suffix('s').filter(|rest| !rest.ends_with('s')).unwrap_or(other).to_owned(),
    };
    match one.as_str() {
        "application" => "app".to_owned(),
        "ad_slot" => "ad_unit".to_owned(),
        "publisher" => "account".to_owned(),
        _ => one,
    }
}

/// Returns the bound operations of a network, best first.
pub(super) fn bound<'t>(turn: &Turn<'t>, network: Network) -> Vec<Tool<'t>> {
    turn.request.tools.iter().filter_map(Tool::of).filter(|tool| tool.network == network).collect()
}

/// Returns how well an operation fits the message; larger is better.
pub(super) fn fit(turn: &Turn<'_>, tool: &Tool<'_>) -> u32 {
    let words = tool.words();
    let wanted = turn.understood.noun.as_deref().map(singular);
    let says = |word: &str| {
        contains_word(&turn.lower, word)
            || contains_word(&turn.lower, &format!("{word}s"))
            || word.strip_suffix('y').is_some_and(|stem| contains_word(&turn.lower, &format!("{stem}ies")))
    };
    let named = if says(&words) {
        20 + u32::try_from(words.len()).unwrap_or(0)
    } else if says("ad unit") && is_unit(tool) {
        20 + u32::try_from("ad unit".len()).unwrap_or(0)
    } else if tool.noun == "ad_unit" && says("ad slot") || tool.noun == "app" && says("application") {
        20
    } else {
        0
    };
    // If the message names an ad unit by its own name, it means the ad unit, not the app.
    let part = matches!(tool.noun.as_str(), "ad_unit" | "placement" | "expected_cpm") && !tool.spec.read_only;
    let by_name = u32::from(part && names_part(turn, tool.network)) * 12;
    let understood = wanted.as_deref().is_some_and(|noun| {
        noun == tool.noun
            || tool.noun == "placement" && noun == "ad_unit"
            || tool.noun == "ad_unit" && noun == "placement"
    });
    // A floor is a field of any thing that has one.
    let priced = wanted.as_deref() == Some("floor")
        && !tool.spec.read_only
        && tool.spec.input_schema["properties"]["body"].to_string().contains("loor");
    // If several operations have one, the message means the ad unit's.
    let own = u32::from(priced && matches!(tool.noun.as_str(), "ad_unit" | "placement"));
    named + own + by_name + if understood || priced { 10 } else { 0 }
}

/// Checks for placements that are the network's ad units, because it has no other ad units.
fn is_unit(tool: &Tool<'_>) -> bool {
    tool.noun == "placement" && own_kind(tool.network, EntityKind::Placement) == EntityKind::AdUnit
}

/// Checks whether the message contains the whole name of an ad unit of the network.
fn names_part(turn: &Turn<'_>, network: Network) -> bool {
    let text = names::simple(&turn.text);
    turn.entities
        .iter()
        .filter(|item| item.network == network && matches!(item.kind, EntityKind::AdUnit | EntityKind::Placement))
        .any(|item| item.name.contains(' ') && names::holds(&text, &names::simple(&item.name)))
}

/// Returns the operation that lists things of a kind in a network.
pub(super) fn lister(network: Network, kind: EntityKind) -> Option<Cow<'static, str>> {
    let plural = |kind: EntityKind| match kind.as_str() {
        noun if noun.ends_with('y') && !noun.ends_with("ey") => format!("{}ies", noun.trim_end_matches('y')),
        "content" => "content".to_owned(),
        noun => format!("{noun}s"),
    };
    Some(match (network, kind.as_str()) {
        (Network::AdManager, "account") => "admanager_list_networks".into(),
        (Network::AdMob, "account") => "admob_list_accounts".into(),
        (_, "account") => return None,
        // Some kinds are only searched or read by ID.
        (Network::AdManager | Network::AdMob, _) => {
            let name = format!("{network}_list_{}", plural(kind));
            return crate::operations::is_known(&name).then(|| name.into());
        }
        (Network::AppLovin, "ad_unit") => "applovin_list_ad_units".into(),
        (Network::AppLovin, "test_device") => "applovin_list_test_devices".into(),
        (Network::Unity, "app") => "unity_list_applications".into(),
        (Network::Unity, "ad_unit" | "mediation_group" | "instance" | "placement") => {
            format!("unity_list_{}", plural(kind)).into()
        }
        (Network::Mintegral, "app" | "placement" | "ad_unit") => format!("mintegral_list_{}", plural(kind)).into(),
        (Network::Liftoff, "app") => "liftoff_list_applications".into(),
        (Network::Liftoff, "ad_unit" | "placement") => "liftoff_list_placements".into(),
        (Network::InMobi, "app") => "inmobi_list_apps".into(),
        (Network::InMobi, "ad_unit" | "placement") => "inmobi_list_placements".into(),
        (Network::Pangle, "app") => "pangle_query_apps".into(),
        (Network::Pangle, "ad_unit" | "placement") => "pangle_query_ad_slots".into(),
        (Network::DtExchange, "app") => "dtexchange_list_apps".into(),
        (Network::DtExchange, "ad_unit" | "placement") => "dtexchange_list_placements".into(),
        (Network::DtExchange, "instance") => "dtexchange_list_instances".into(),
        _ => return None,
    })
}

/// Returns the operation that reads a part of one thing that lists leave out, and its parameters for the thing and the part.
pub(super) fn reader(network: Network, kind: EntityKind) -> Option<(&'static str, &'static str, &'static str)> {
    match (network, kind) {
        (Network::AppLovin, EntityKind::AdUnit) => Some(("applovin_get_ad_unit", "ad_unit_id", "fields")),
        _ => None,
    }
}

/// Returns the kind under which a network lists a thing. Placements count as ad units if both come from the same list.
pub(super) fn own_kind(network: Network, kind: EntityKind) -> EntityKind {
    let same = kind == EntityKind::Placement && lister(network, kind) == lister(network, EntityKind::AdUnit);
    if same { EntityKind::AdUnit } else { kind }
}

/// Returns the kind of thing whose ID a parameter takes.
pub(in crate::planner) fn kind_of_param(name: &str) -> Option<EntityKind> {
    let snake = snake(name);
    let noun = snake.strip_suffix("_ids").or_else(|| snake.strip_suffix("_id")).or_else(|| snake.strip_suffix("_key"));
    let noun = match snake.as_str() {
        "network_code" | "publisher_id" | "organization_id" => "account",
        "instance_internal_id" => "instance",
        "mediation_ad_unit_id" | "ad_slot_id" | "parent_ad_unit" | "targeted_ad_units" | "unit_id" | "unit_ids" => {
            "ad_unit"
        }
        "group_id" => "mediation_group",
        "advertiser" | "agency" => "company",
        "trafficker" | "salesperson" => "user",
        "order" => "order",
        "application" | "site_id" => "app",
        "line_item" => "line_item",
        "segment_id" => "waterfall",
        _ => noun.unwrap_or_default(),
    };
    let noun = if noun == "application" { "app" } else { noun };
    EntityKind::parse(noun)
}

/// Turns `mediationAdUnitName` into `mediation_ad_unit_name`.
pub(in crate::planner) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out.replace('-', "_")
}
