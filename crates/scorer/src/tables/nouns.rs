//! Things that networks have: the nouns of operations, and the words that people use for them.

use super::Rows;

pub const NOUNS: Rows<&'static str> = &[
    (
        "app",
        "app|application|game|app key|bundle id|application list|mobile app|my game|store listing|app store listing|linked to a store|linked to the store|linked to a store listing|store id|store link",
    ),
    ("ad_unit", "ad unit|adunit|unit|inventory unit|bidding unit|waterfall unit|interstitials|banners|rewarded videos"),
    ("ad_unit_size", "ad unit size|ad size|size of ad unit|banner size"),
    ("placement", "placement|zone|ad placement|placment|ad spot"),
    ("ad_slot", "ad slot|slot|adslot|ad placement slot"),
    ("expected_cpm", "expected cpm|expected ecpm"),
    ("site", "site|website|web site|domain"),
    ("test_device", "test device|test phone|testing device|test ad|test mode|test phones|device for testing|device"),
    (
        "ad_review_center_ad",
        "ad review center|ad review centre|review center|arc|arc ad|review center ad|creative review|web property|property",
    ),
    ("project", "project|unity project|project list"),
    (
        "mediation_group",
        "mediation group|group|mediation setup|mediation config|mediation configuration|mediation|mediation stack|yield group",
    ),
    (
        "waterfall",
        "waterfall|manual line|bidding line|manual entry|waterfall entry|default waterfall|waterfall line|segment waterfall|waterfall order|waterfall tier",
    ),
    ("instance", "instance|network instance|fairbid instance|ad source instance|bidding instance|levelplay instance"),
    (
        "ad_unit_mapping",
        "ad unit mapping|mapping|network mapping|third party placement|third party mapping|third party id|external placement",
    ),
    (
        "ad_source",
        "ad source|demand source|mediated network|mediation network|mediation partner|demand partner|bidding network|as a source|as source|as an ad source|as a demand source",
    ),
    (
        "ad_source_adapter",
        "adapter|ad source adapter|config key|configuration key|adapter version|sdk adapter|adapter config|configuration field",
    ),
    ("bidder", "bidder|bidding|bidding partner"),
    (
        "experiment",
        "a b test|ab test|split test|experiment|a b experiment|ab experiment|mediation experiment|test group|variant b|variant a|tested|being tested|test setting|a b testing|ab testing|abtest|split testing|treatment|test",
    ),
    (
        "account",
        "account|publisher id|publisher account|publisher|publisher code|account detail|reporting currency|time zone|timezone|currency|account currency|account setting|pub id|login|publisher name",
    ),
    ("network", "network code|ad manager network|gam network"),
    ("company", "company|agency|agencies|companies|advertiser company|advertiser|advertisers"),
    ("contact", "contact|contact person|contact people|our contact"),
    ("role", "role|user role|permission role|permission"),
    ("team", "team|agency team|sales team|user group"),
    (
        "user",
        "gam user|ad manager user|user account|people with access|person with access|colleagues with access|with access to|who has access|trafficker|traffickers|seat",
    ),
    (
        "order",
        "order|direct order|insertion order|salesperson|advertiser order|advertiser campaign|direct campaign|booked campaign|campaign order",
    ),
    ("line_item", "line item|lineitem|line itme|li|direct line|flight|flights"),
    ("custom_field", "custom field|extra field|additional field|own field"),
    ("creative_template", "creative template|template|native template|native style"),
    ("creative", "creative|ad creative|ad copy|creative asset|banner file|artwork"),
    ("creative_set", "creative set|set of creatives|companion set|roadblock set"),
    (
        "line_item_creative_association",
        "line item creative association|creative association|lica|licas|attached creative|creative assignment|assigned creative|creatives attached|creatives assigned|creative attached|creative assigned|creatives linked|creatives run|creatives running|creatives trafficked|creatives serving",
    ),
    (
        "availability_forecast",
        "availability forecast|avails forecast|avails|available impressions|available inventory|inventory forecast|forecast of availability|inventory available|impressions available|impressions are available|impressions free|inventory free|can we still sell|could we sell|can we sell|available to sell|how much inventory|inventory is free|inventory is available|inventory is left|inventory left|inventory do we have left|left to sell|still sellable|sell through forecast",
    ),
    (
        "delivery_forecast",
        "delivery forecast|forecast of delivery|forecast delivery|forecast the delivery|will deliver|deliver in full|delivers in full|reach its goal|reach their goal|deliver fully|under deliver|underdeliver|underdelivering|deliver its goal|hit its goal|finish on time",
    ),
    ("traffic_data", "traffic data|traffic forecast|traffic history|historical traffic|past and expected traffic"),
    ("targeting_preset", "targeting preset|preset|saved targeting|targeting template"),
    ("label", "label|inventory label|ad exclusion label|frequency label|exclusion label|competitive label"),
    (
        "private_auction_deal",
        "private auction deal|pa deal|deal|auction deal|pmp deal|programmatic deal|deal id|preferred deal",
    ),
    (
        "private_auction",
        "private auction|invitation only auction|invite only auction|closed auction|private marketplace|pmp",
    ),
    ("programmatic_buyer", "programmatic buyer|buyer|buyer account|dsp|dsps|trading desk"),
    (
        "custom_targeting_key",
        "targeting key|custom targeting key|key value|key values|key value key|kv key|kv|kvs|key|freeform key|predefined key|custom key|key value pair",
    ),
    ("custom_targeting_value", "targeting value|custom targeting value|value|kv value"),
    (
        "audience_segment",
        "audience segment|segment|audience|audiences|remarketing list|first party segment|third party segment|user list|first party audience",
    ),
    (
        "entity_signals_mapping",
        "entity signal mapping|entity signals mapping|signal mapping|signals mapping|publisher provided signal|pps|signal",
    ),
    ("taxonomy_category", "taxonomy category|iab category|taxonomy|iab taxonomy|content taxonomy"),
    (
        "geo_target",
        "geo target|geo id|geo code|geo targeting|geo target id|location target|geo location id|location id|region id|voivodeship",
    ),
    ("bandwidth_group", "bandwidth group|connection speed|bandwidth|connection type"),
    ("browser_language", "browser language|language of the browser|language target"),
    ("browser", "browser|browser list|browser version"),
    ("device_capability", "device capability|capability|device feature"),
    ("device_category", "device category|device type|device class|tablet category|tablet|kind of device"),
    (
        "device_manufacturer",
        "device manufacturer|manufacturer|handset maker|phone maker|phone brand|device brand|device maker|handset manufacturer|phone manufacturer",
    ),
    ("mobile_carrier", "mobile carrier|carrier|mobile operator|network operator|cell carrier|telco"),
    ("mobile_device", "mobile device|phone model|device model|handset model|model|handset|galaxy model"),
    (
        "mobile_device_submodel",
        "submodel|device submodel|mobile device submodel|variant of device|device variant|sub model",
    ),
    ("operating_system", "operating system|os|oses"),
    (
        "operating_system_version",
        "operating system version|os version|android version|ios version|version of android|version of ios",
    ),
    ("ad_break", "ad break|break|adbreak|commercial break|midroll|mid roll|ad pod"),
    ("live_stream", "live stream|live stream event|live event|livestream|stream|event|asset key|custom asset key"),
    ("content", "video content|video|content|content item|video content item|videos|clip"),
    (
        "content_bundle",
        "content bundle|bundle|group of video|groups of video content|group of video content|video group|video bundle",
    ),
    ("content_label", "content label|content rating label|rating label|maturity label"),
    ("cms_metadata_key", "cms metadata key|metadata key|cms key"),
    ("cms_metadata_value", "cms metadata value|metadata value|cms value|cms metadata"),
    ("report", "saved report|report|report object|report definition|gam report"),
    ("report_run", "report run|run of report"),
    ("report_row", "row|result row|rows|report result|report row"),
    ("operation", "operation|long running operation|background operation|lro"),
    ("campaign", "house campaign|cross promo campaign|campaign|house ad|cross promo|cross promotion campaign"),
];
