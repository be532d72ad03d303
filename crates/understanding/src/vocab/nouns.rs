//! The things that networks have: the nouns in tool names, what they belong to, and which networks have them.

use std::sync::LazyLock;

use adagent_domain::Network;

use adagent_scorer::tables::nouns as tables;

use super::phrases::Phrases;
use crate::Capability;

pub static NOUNS: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::NOUNS));

/// Returns the capability of a noun, as in the catalog.
pub fn capability(noun: &str) -> Capability {
    match noun {
        "app"
        | "ad_unit"
        | "ad_unit_size"
        | "placement"
        | "ad_slot"
        | "expected_cpm"
        | "site"
        | "test_device"
        | "ad_review_center_ad"
        | "project" => Capability::Inventory,
        "mediation_group" | "floor" | "waterfall" | "instance" | "ad_unit_mapping" | "ad_source"
        | "ad_source_adapter" | "bidder" => Capability::Mediation,
        "experiment" => Capability::Experiments,
        "account" | "network" | "company" | "contact" | "role" | "team" | "user" => Capability::Accounts,
        "order"
        | "line_item"
        | "custom_field"
        | "creative_template"
        | "creative"
        | "creative_set"
        | "line_item_creative_association"
        | "availability_forecast"
        | "delivery_forecast"
        | "traffic_data"
        | "label" => Capability::Orders,
        "private_auction_deal" | "private_auction" | "programmatic_buyer" => Capability::Deals,
        "custom_targeting_key"
        | "custom_targeting_value"
        | "audience_segment"
        | "entity_signals_mapping"
        | "taxonomy_category"
        | "geo_target"
        | "bandwidth_group"
        | "browser_language"
        | "browser"
        | "device_capability"
        | "device_category"
        | "device_manufacturer"
        | "mobile_carrier"
        | "mobile_device"
        | "mobile_device_submodel"
        | "operating_system"
        | "operating_system_version"
        | "targeting_preset" => Capability::Targeting,
        "ad_break" | "live_stream" | "content" | "content_bundle" | "content_label" | "cms_metadata_key"
        | "cms_metadata_value" => Capability::Content,
        _ => Capability::Reporting,
    }
}

/// Returns how deep a noun is. The deepest noun is what a sentence is about ("placement 22 of app X").
pub fn depth(noun: &str) -> u8 {
    match noun {
        "network" | "account" | "user" => 0,
        "company" | "live_stream" | "project" | "report" => 1,
        "app"
        | "order"
        | "private_auction"
        | "custom_targeting_key"
        | "site"
        | "cms_metadata_key"
        | "ad_source"
        | "mobile_device"
        | "campaign" => 2,
        "placement" | "ad_slot" | "ad_unit" | "mediation_group" | "content_bundle" | "content" => 3,
        "audience_segment" | "bidder" | "taxonomy_category" => 4,
        "waterfall" | "ad_source_adapter" => 5,
        _ => 6,
    }
}

use Network::{AdManager, AdMob, AppLovin, DtExchange, InMobi, Liftoff, Mintegral, Pangle, Unity};

/// Returns the networks that can read a noun or, for writes, change it. `verb` is `read`, the class of a write (`create`, `update`,
/// `delete`, `stop`), or `floor`.
pub fn owners(noun: &str, verb: &str) -> &'static [Network] {
    match (noun, verb) {
        ("app", "create") => &[AdMob, Unity, Mintegral, Liftoff, InMobi, Pangle, DtExchange],
        ("app", "update") => &[Mintegral, Liftoff, InMobi, Pangle, DtExchange],
        ("app", "delete") => &[DtExchange],
        ("app", _) => &[AdMob, AdManager, Unity, Mintegral, Liftoff, InMobi, Pangle, DtExchange],
        ("ad_unit", "update") => &[AdManager, AppLovin, Unity, Mintegral, Pangle],
        ("ad_unit", "delete") => &[Mintegral, AdManager],
        ("ad_unit", _) => &[AdMob, AdManager, AppLovin, Unity, Mintegral],
        ("placement", "delete") => &[Unity, Mintegral, DtExchange],
        ("placement", "floor") => &[Liftoff, InMobi, DtExchange],
        ("placement", _) => &[AdManager, Unity, Mintegral, Liftoff, InMobi, DtExchange],
        ("ad_slot" | "expected_cpm", _) => &[Pangle],
        ("mediation_group", _) => &[AdMob, Unity],
        ("waterfall" | "experiment", _) => &[AdMob, AppLovin],
        ("bidder" | "floor", _) => &[AdMob, AppLovin, Unity, DtExchange],
        ("instance", _) => &[Unity, DtExchange],
        ("ad_unit_mapping" | "ad_source" | "ad_source_adapter" | "campaign", _) => &[AdMob],
        ("test_device", _) => &[AppLovin],
        ("project", _) => &[Unity],
        ("account", _) => &[AdMob, AdManager, Liftoff],
        ("report" | "report_run" | "report_row" | "operation", _) => &[AdManager],
        (other, _) if implies_ad_manager(other) => &[AdManager],
        _ => &Network::ALL,
    }
}

/// Checks whether a thing belongs to one network, so that nobody means another network by it.
pub fn names_its_owner(noun: &str) -> bool {
    matches!(noun, "ad_slot" | "expected_cpm" | "test_device" | "project" | "ad_unit_mapping" | "ad_source_adapter")
}

/// Returns what a network calls a thing that the person named with another network's word: an ad unit is a placement at one network and a
/// slot at another.
pub fn called(noun: &str, network: Network) -> &str {
    match (noun, network) {
        ("ad_unit" | "ad_slot", Liftoff | InMobi | DtExchange) => "placement",
        ("ad_unit" | "placement", Pangle) => "ad_slot",
        ("bidder", Unity | DtExchange) => "instance",
        ("placement" | "ad_slot", AppLovin) | ("ad_slot", AdManager | Unity | Mintegral) => "ad_unit",
        _ => noun,
    }
}

/// Checks whether only Ad Manager has a noun, so that the noun alone names the network.
pub fn implies_ad_manager(noun: &str) -> bool {
    matches!(capability(noun), Capability::Orders | Capability::Deals | Capability::Targeting | Capability::Content)
        || matches!(
            noun,
            "company"
                | "contact"
                | "role"
                | "team"
                | "user"
                | "network"
                | "site"
                | "ad_review_center_ad"
                | "ad_unit_size"
                | "report_run"
                | "operation"
        )
}
