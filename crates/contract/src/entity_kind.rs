//! The kinds of entities at networks, in words that all networks share. This file holds only data. The catalog says which network has which
//! kinds and how it lists them. The catalog also maps a network's own word (ad slot, application, publisher) to one of these kinds.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($kind:ident = $name:literal, $one:literal, $many:literal;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EntityKind {
            $(#[serde(rename = $name)] $kind,)+
        }

        impl EntityKind {
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Returns the name on the wire and in the catalog.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// Returns the singular for people: "ad unit".
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$kind => $one,)+
                }
            }

            /// Returns the plural for people: "ad units".
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Self::$kind => $many,)+
                }
            }
        }
    };
}

kinds! {
    Account = "account", "account", "accounts";
    App = "app", "app", "apps";
    AdUnit = "ad_unit", "ad unit", "ad units";
    AdSource = "ad_source", "ad source", "ad sources";
    AdSourceAdapter = "ad_source_adapter", "adapter", "adapters";
    AdUnitMapping = "ad_unit_mapping", "ad unit mapping", "ad unit mappings";
    MediationGroup = "mediation_group", "mediation group", "mediation groups";
    Placement = "placement", "placement", "placements";
    Instance = "instance", "instance", "instances";
    Waterfall = "waterfall", "waterfall", "waterfalls";
    TestDevice = "test_device", "test device", "test devices";
    Project = "project", "project", "projects";
    Order = "order", "order", "orders";
    LineItem = "line_item", "line item", "line items";
    Creative = "creative", "creative", "creatives";
    CreativeSet = "creative_set", "creative set", "creative sets";
    CreativeTemplate = "creative_template", "creative template", "creative templates";
    Company = "company", "company", "companies";
    Contact = "contact", "contact", "contacts";
    User = "user", "user", "users";
    Role = "role", "role", "roles";
    Team = "team", "team", "teams";
    Label = "label", "label", "labels";
    Site = "site", "site", "sites";
    Report = "report", "report", "reports";
    ReportResult = "report_result", "report result", "report results";
    Operation = "operation", "running operation", "running operations";
    AudienceSegment = "audience_segment", "audience segment", "audience segments";
    EntitySignalsMapping = "entity_signals_mapping", "entity signals mapping", "entity signals mappings";
    TaxonomyCategory = "taxonomy_category", "taxonomy category", "taxonomy categories";
    ContentLabel = "content_label", "content label", "content labels";
    PrivateAuction = "private_auction", "private auction", "private auctions";
    PrivateAuctionDeal = "private_auction_deal", "private auction deal", "private auction deals";
    ProgrammaticBuyer = "programmatic_buyer", "programmatic buyer", "programmatic buyers";
    AdUnitSize = "ad_unit_size", "ad unit size", "ad unit sizes";
    CustomField = "custom_field", "custom field", "custom fields";
    CustomTargetingKey = "custom_targeting_key", "custom targeting key", "custom targeting keys";
    CustomTargetingValue = "custom_targeting_value", "custom targeting value", "custom targeting values";
    TargetingPreset = "targeting_preset", "targeting preset", "targeting presets";
    CmsMetadataKey = "cms_metadata_key", "CMS metadata key", "CMS metadata keys";
    CmsMetadataValue = "cms_metadata_value", "CMS metadata value", "CMS metadata values";
    Content = "content", "piece of content", "pieces of content";
    ContentBundle = "content_bundle", "content bundle", "content bundles";
    WebProperty = "web_property", "web property", "web properties";
    AdReviewCenterAd = "ad_review_center_ad", "ad under review", "ads under review";
    LiveStreamEvent = "live_stream_event", "live stream event", "live stream events";
    AdBreak = "ad_break", "ad break", "ad breaks";
    GeoTarget = "geo_target", "place", "places";
    BandwidthGroup = "bandwidth_group", "bandwidth group", "bandwidth groups";
    Browser = "browser", "browser", "browsers";
    BrowserLanguage = "browser_language", "browser language", "browser languages";
    DeviceCapability = "device_capability", "device capability", "device capabilities";
    DeviceCategory = "device_category", "device category", "device categories";
    DeviceManufacturer = "device_manufacturer", "device manufacturer", "device manufacturers";
    MobileCarrier = "mobile_carrier", "mobile carrier", "mobile carriers";
    MobileDevice = "mobile_device", "mobile device", "mobile devices";
    MobileDeviceSubmodel = "mobile_device_submodel", "mobile device submodel", "mobile device submodels";
    OperatingSystem = "operating_system", "operating system", "operating systems";
    OperatingSystemVersion = "operating_system_version", "operating system version", "operating system versions";
}

impl EntityKind {
    /// Finds the kind by its name in the catalog.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_written_as_it_is_parsed_and_no_name_stands_for_two() {
        for kind in EntityKind::ALL.iter().copied() {
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.as_str().into()));
            assert_eq!(EntityKind::parse(kind.as_str()), Some(kind));
            assert!(!kind.label().is_empty() && kind.label() != kind.plural(), "{kind:?}");
            let same = EntityKind::ALL.iter().filter(|other| other.as_str() == kind.as_str()).count();
            assert_eq!(same, 1, "{kind:?}");
        }
        assert_eq!(EntityKind::parse("orderly"), None);
    }
}
