//! The tables behind the network: operations, collections, batch actions. They say what exists and decide nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::networks::{Kind, Operation, op};

/// Name, kind, method, path, action and collection of each operation, as in the discovery document and the client.
const LINES: &str = include_str!("data/operations.txt");
/// Collection, action, the field and value that it sets, and the states that refuse it.
const ACTIONS: &str = include_str!("data/actions.txt");

/// What an operation does, and to which collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    pub action: &'static str,
    pub collection: &'static str,
}

/// Parses one line of the table of operations.
fn parse(line: &'static str) -> Option<(Operation, Meaning)> {
    let mut words = line.split(' ');
    let mut next = || words.next();
    let (name, kind, method, path) = (next()?, next()?, next()?, next()?);
    let kind = if kind == "write" { Kind::Write } else { Kind::Read };
    Some((op(kind, name, method, "", path), Meaning { action: next()?, collection: next()? }))
}

/// The operations of the API, then the sign-in.
pub static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let mut all: Vec<Operation> = LINES.lines().filter_map(parse).map(|(operation, _)| operation).collect();
    all.push(op(Kind::Token, "oauth_authorize", "", "", ""));
    all.push(op(Kind::Token, "oauth_token", "", "", ""));
    all.push(op(Kind::Token, "oauth_revoke", "", "", ""));
    all
});

static MEANINGS: LazyLock<HashMap<&'static str, Meaning>> =
    LazyLock::new(|| LINES.lines().filter_map(parse).map(|(operation, meaning)| (operation.name, meaning)).collect());

/// Returns what the operation of this name does; `None` for a sign-in.
pub fn meaning(name: &str) -> Option<Meaning> {
    MEANINGS.get(name).copied()
}

/// A collection: objects of one kind under a network.
#[derive(Debug)]
pub struct Collection {
    pub name: &'static str,
    /// The name of the message in the schema. In lower camel case, it is also the name in a batch request.
    pub message: &'static str,
    /// The first ID of a new object; 0 if no object can be created.
    pub base: u64,
}

const fn c(name: &'static str, message: &'static str, base: u64) -> Collection {
    Collection { name, message, base }
}

pub static COLLECTIONS: [Collection; 46] = [
    c("networks", "Network", 0),
    c("companies", "Company", 4_600_000_301),
    c("contacts", "Contact", 4_600_000_401),
    c("roles", "Role", 0),
    c("sites", "Site", 91_000_001),
    c("teams", "Team", 600_201),
    c("users", "User", 0),
    c("audienceSegments", "AudienceSegment", 0),
    c("entitySignalsMappings", "EntitySignalsMapping", 700_151),
    c("taxonomyCategories", "TaxonomyCategory", 0),
    c("adReviewCenterAds", "AdReviewCenterAd", 0),
    c("creativeTemplates", "CreativeTemplate", 0),
    c("contentLabels", "ContentLabel", 0),
    c("privateAuctionDeals", "PrivateAuctionDeal", 880_101),
    c("privateAuctions", "PrivateAuction", 870_101),
    c("programmaticBuyers", "ProgrammaticBuyer", 0),
    c("adUnits", "AdUnit", 22_800_000_501),
    c("adUnitSizes", "AdUnitSize", 0),
    c("applications", "Application", 0),
    c("bandwidthGroups", "BandwidthGroup", 0),
    c("browserLanguages", "BrowserLanguage", 0),
    c("browsers", "Browser", 0),
    c("customFields", "CustomField", 12_401),
    c("customTargetingKeys", "CustomTargetingKey", 13_500_101),
    c("customTargetingValues", "CustomTargetingValue", 0),
    c("deviceCapabilities", "DeviceCapability", 0),
    c("deviceCategories", "DeviceCategory", 0),
    c("deviceManufacturers", "DeviceManufacturer", 0),
    c("geoTargets", "GeoTarget", 0),
    c("mobileCarriers", "MobileCarrier", 0),
    c("mobileDevices", "MobileDevice", 0),
    c("mobileDeviceSubmodels", "MobileDeviceSubmodel", 0),
    c("operatingSystems", "OperatingSystem", 0),
    c("operatingSystemVersions", "OperatingSystemVersion", 0),
    c("placements", "Placement", 31_900_101),
    c("lineItems", "LineItem", 6_500_000_101),
    c("orders", "Order", 3_200_000_101),
    c("adBreaks", "AdBreak", 1),
    c("cmsMetadataKeys", "CmsMetadataKey", 0),
    c("cmsMetadataValues", "CmsMetadataValue", 0),
    c("contentBundles", "ContentBundle", 0),
    c("content", "Content", 0),
    c("reports", "Report", 5_900_000_101),
    c("creatives", "Creative", 0),
    c("creativeSets", "CreativeSet", 138_500_000_101),
    c("lineItemCreativeAssociations", "LineItemCreativeAssociation", 0),
];

/// Collections that can only be read, and that have no other details here.
static MORE: [Collection; 2] = [c("labels", "Label", 0), c("targetingPresets", "TargetingPreset", 0)];

pub fn collection(name: &str) -> Option<&'static Collection> {
    COLLECTIONS.iter().chain(&MORE).find(|it| it.name == name)
}

impl Collection {
    /// Returns the name of a field that holds one object: `adUnit`.
    pub fn singular(&self) -> String {
        let mut letters = self.message.chars();
        letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str()).unwrap_or_default()
    }
}

/// What a batch action sets, and the states in which it is not allowed.
#[derive(Debug)]
pub struct Change {
    pub field: &'static str,
    pub value: &'static str,
    pub refusing: Vec<&'static str>,
}

/// Returns the change that a batch action makes to a collection, such as `batchPause` to orders.
pub fn change(collection: &str, action: &str) -> Option<Change> {
    let verb = action.strip_prefix("batch")?;
    ACTIONS.lines().find_map(|line| {
        let mut words = line.split(' ');
        let fits = words.next() == Some(collection) && words.next().is_some_and(|it| verb.eq_ignore_ascii_case(it));
        let (field, value) = words.next().filter(|_| fits)?.split_once('=')?;
        Some(Change { field, value, refusing: words.next()?.split(',').collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_an_operation_on_a_known_collection() {
        assert_eq!(OPERATIONS.len(), LINES.lines().count() + 3);
        for line in LINES.lines() {
            let (operation, meaning) = parse(line).unwrap();
            let known = collection(meaning.collection).is_some() || meaning.collection == "operations";
            assert!(known, "{}: {}", operation.name, meaning.collection);
            let shared = ["batchCreate", "batchUpdate", "batchAllow", "batchBlock"];
            if meaning.action.starts_with("batch") && !shared.contains(&meaning.action) {
                assert!(change(meaning.collection, meaning.action).is_some(), "{}", operation.name);
            }
        }
    }
}
