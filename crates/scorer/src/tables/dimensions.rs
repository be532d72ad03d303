//! Dimensions of reports and the words for them.

use super::Rows;

pub const DIMENSIONS: Rows<&'static str> = &[
    ("date", "date|day|calendar day|days"),
    ("week", "week|weeks|calendar week"),
    ("month", "month|months|calendar month"),
    ("quarter", "quarter|quarters"),
    ("hour", "hour|hours"),
    ("network", "network|ad network|partner|monetisation partner|monetization partner|provider|mediation partner"),
    (
        "ad_source",
        "ad source|source|demand source|adsource|mediated ad source|mediated source|mediated network|bidder|demand partner|demand network|mediation source|mediation network|ad source network",
    ),
    ("instance", "instance|line instance|ad source instance|network instance|fairbid instance"),
    ("mediation_group", "mediation group|group"),
    ("app", "app|application|game|title|apps|bundle|package"),
    ("ad_unit", "ad unit|adunit|unit|slot|ad slot|inventory unit|tag"),
    ("placement", "placement|zone|ad placement|spot"),
    ("country", "country|geo|region|territory|market|nation|countries|geography|location"),
    ("format", "format|ad format|ad type|adformat|creative type|type of ad|ad kind|kind of ad"),
    ("platform", "platform|os|device os|operating system|mobile os|mobile platform"),
    ("app_version", "app version|version of the app|application version|build|release version|app build"),
    ("os_version", "os version|operating system version|android version|ios version|mobile os version"),
    ("sdk_version", "sdk version|gma sdk version|sdk|version of the sdk|sdk release"),
    ("device_category", "device category|device type|device class|device"),
    ("line_item", "line item|lineitem"),
    ("order", "order"),
    ("advertiser", "advertiser|client|buyer"),
    ("campaign", "campaign|house campaign|cross promo campaign"),
    ("cohort_day", "cohort day|days since install|day since install|cohort"),
    ("user", "user"),
    ("impression", "impression level"),
];

/// Words that split a report by time without naming a dimension.
pub const TIME_WORDS: Rows<&'static str> = &[
    (
        "date",
        "daily|day by day|per day|by day|a day|each day|every day|day wise|daywise|daybyday|by date|per date|each date|day over day trend|day to day",
    ),
    ("week", "weekly|week by week|per week|by week|a week|each week|every week|weekwise"),
    ("month", "monthly|month by month|per month|by month|a month|each month|every month|monthwise"),
    ("quarter", "quarterly|quarter by quarter|per quarter|by quarter|each quarter|every quarter"),
    ("hour", "hourly|hour by hour|per hour|by hour|each hour|every hour"),
];

/// Ad formats as filter values.
pub const FORMATS: Rows<&'static str> = &[
    ("banner", "banner|banners|banner ad|adaptive banner|anchored banner|leaderboard"),
    (
        "interstitial",
        "interstitial|inter|inters|interstitial ad|fullscreen ad|full screen ad|full screen|fullscreen|popup|popups|pop up|pop ups|pop up ad|popup ad",
    ),
    (
        "rewarded",
        "rewarded|rewarded video|rewarded ad|rv|reward video|reward ad|rewards|incentivised video|incentivized video|rewared",
    ),
    ("rewarded_interstitial", "rewarded interstitial|rewarded inter"),
    ("native", "native|native ad|native advanced|natives"),
    ("app_open", "app open|app open ad|appopen|splash|splash ad|app opening ad|open ad"),
    ("mrec", "mrec|medium rectangle|mrecs|300x250|mpu"),
];

pub const PLATFORMS: Rows<&'static str> = &[
    ("ios", "ios|iphone|ipad|iphones|apple|apple device|iphone os"),
    ("android", "android|google play|play store|androids"),
];
