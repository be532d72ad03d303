//! Translates the network's names into our column keys, and enum values into words for people.

use adagent_contract::{ColumnKind, words};

/// Returns key, label and kind of a dimension of any AdMob report.
pub fn dimension(wire: &str) -> (&'static str, &'static str, ColumnKind) {
    use ColumnKind::{Date, Entity, Text};
    match wire {
        "DATE" => ("date", "Date", Date),
        "WEEK" => ("week", "Week", Date),
        "MONTH" => ("month", "Month", Date),
        "APP" => ("app", "App", Entity),
        "AD_UNIT" => ("ad_unit", "Ad unit", Entity),
        "AD_SOURCE" => ("ad_source", "Ad source", Entity),
        "AD_SOURCE_INSTANCE" => ("instance", "Instance", Entity),
        "MEDIATION_GROUP" => ("mediation_group", "Mediation group", Entity),
        "COUNTRY" => ("country", "Country", Entity),
        "FORMAT" => ("format", "Format", Entity),
        "PLATFORM" | "PLACEMENT_PLATFORM" => ("platform", "Platform", Entity),
        "APP_VERSION_NAME" => ("app_version", "App version", Text),
        "MOBILE_OS_VERSION" => ("os_version", "OS version", Text),
        "GMA_SDK_VERSION" => ("sdk_version", "SDK version", Text),
        "SERVING_RESTRICTION" => ("restriction", "Serving restriction", Text),
        "AD_TYPE" => ("ad_type", "Ad type", Text),
        "CAMPAIGN_ID" => ("campaign", "Campaign", Entity),
        "CAMPAIGN_NAME" => ("campaign_name", "Campaign", Text),
        "AD_ID" => ("ad", "Ad", Entity),
        "AD_NAME" => ("ad_name", "Ad", Text),
        "PLACEMENT_ID" => ("placement", "Placement", Entity),
        "PLACEMENT_NAME" => ("placement_name", "Placement", Text),
        _ => ("other", "Other", Text),
    }
}

/// Returns key, label and kind of a metric.
pub fn metric(wire: &str) -> (&'static str, &'static str, ColumnKind) {
    use ColumnKind::{Count, Money, Number, Percent};
    match wire {
        "ESTIMATED_EARNINGS" => ("revenue", "Revenue", Money),
        "IMPRESSIONS" => ("impressions", "Impressions", Count),
        "AD_REQUESTS" => ("requests", "Requests", Count),
        "MATCHED_REQUESTS" => ("fills", "Matched requests", Count),
        "MATCH_RATE" => ("match_rate", "Match rate", Percent),
        "SHOW_RATE" => ("show_rate", "Show rate", Percent),
        "OBSERVED_ECPM" | "IMPRESSION_RPM" => ("ecpm", "eCPM", Money),
        "CLICKS" => ("clicks", "Clicks", Count),
        "IMPRESSION_CTR" | "CLICK_THROUGH_RATE" => ("ctr", "CTR", Percent),
        "INSTALLS" => ("installs", "Installs", Count),
        "ESTIMATED_COST" => ("cost", "Cost", Money),
        "AVERAGE_CPI" => ("cpi", "Cost per install", Money),
        "INTERACTIONS" => ("interactions", "Interactions", Count),
        "AD_LOAD_LATENCY" => ("latency", "Load latency (ms)", Number),
        _ => ("value", "Value", Number),
    }
}

/// Turns `IOS` into `iOS`.
pub fn platform_name(wire: &str) -> Option<&'static str> {
    match wire.to_ascii_uppercase().as_str() {
        "IOS" => Some("iOS"),
        "ANDROID" => Some("Android"),
        _ => None,
    }
}

/// Turns an enum value into words: `REWARDED_INTERSTITIAL` → `Rewarded interstitial`.
pub fn human(wire: &str) -> String {
    let known = match wire {
        "IOS" => "iOS",
        "ANDROID" => "Android",
        "LIVE" => "Bidding (real-time bid)",
        "MANUAL" => "Waterfall (fixed price)",
        "ANO" => "Optimized by the network",
        "VARIANT_CHOICE_A" => "Variant A (original)",
        "VARIANT_CHOICE_B" => "Variant B (the test)",
        "GOOGLE_PLAY_APP_STORE" => "Google Play",
        "AMAZON_APP_STORE" => "Amazon Appstore",
        "OPPO_APP_STORE" => "OPPO App Market",
        "SAMSUNG_APP_STORE" => "Samsung Galaxy Store",
        "VIVO_APP_STORE" => "vivo App Store",
        "XIAOMI_APP_STORE" => "Xiaomi GetApps",
        "RICH_MEDIA" => "Text, image and rich media",
        "ALL" => "All requests",
        "AVAILABLE" => "IDFA available",
        "NOT_AVAILABLE" => "IDFA not available",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let shouted = wire.chars().all(|c| !c.is_lowercase());
    words(&if shouted { wire.to_lowercase() } else { wire.to_owned() })
}

/// Returns the English name of a region where ad revenue is common; `None` for others, which keep their code.
pub fn region_name(code: &str) -> Option<&'static str> {
    Some(match code {
        "AE" => "United Arab Emirates",
        "AR" => "Argentina",
        "AT" => "Austria",
        "AU" => "Australia",
        "BE" => "Belgium",
        "BR" => "Brazil",
        "CA" => "Canada",
        "CH" => "Switzerland",
        "CL" => "Chile",
        "CN" => "China",
        "CO" => "Colombia",
        "CZ" => "Czechia",
        "DE" => "Germany",
        "DK" => "Denmark",
        "EG" => "Egypt",
        "ES" => "Spain",
        "FI" => "Finland",
        "FR" => "France",
        "GB" => "United Kingdom",
        "GR" => "Greece",
        "HK" => "Hong Kong",
        "HU" => "Hungary",
        "ID" => "Indonesia",
        "IE" => "Ireland",
        "IL" => "Israel",
        "IN" => "India",
        "IT" => "Italy",
        "JP" => "Japan",
        "KR" => "South Korea",
        "MX" => "Mexico",
        "MY" => "Malaysia",
        "NG" => "Nigeria",
        "NL" => "Netherlands",
        "NO" => "Norway",
        "NZ" => "New Zealand",
        "PH" => "Philippines",
        "PK" => "Pakistan",
        "PL" => "Poland",
        "PT" => "Portugal",
        "RO" => "Romania",
        "RU" => "Russia",
        "SA" => "Saudi Arabia",
        "SE" => "Sweden",
        "SG" => "Singapore",
        "TH" => "Thailand",
        "TR" => "Türkiye",
        "TW" => "Taiwan",
        "UA" => "Ukraine",
        "US" => "United States",
        "VN" => "Vietnam",
        "ZA" => "South Africa",
        _ => return None,
    })
}
