//! Ad sources with the IDs that Google publishes for them, and their adapters.

use std::sync::LazyLock;

use serde_json::{Value, json};

pub const ADMOB_NETWORK: &str = "5450213213286189855";

pub struct AdSource {
    pub id: &'static str,
    pub title: &'static str,
    pub bidding: bool,
    pub formats: &'static [&'static str],
    /// The labels of the settings that a mapping must have.
    keys: &'static [&'static str],
    /// The eCPM relative to the average source.
    pub worth: f64,
    /// The milliseconds that an ad takes to load.
    pub latency_ms: u64,
}

const FULL: &[&str] = &["APP_OPEN", "BANNER", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];
const MOST: &[&str] = &["BANNER", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];
const PLAIN: &[&str] = &["BANNER", "INTERSTITIAL", "REWARDED"];
const VIDEO: &[&str] = &["INTERSTITIAL", "REWARDED"];

const fn s(
    id: &'static str,
    title: &'static str,
    bidding: bool,
    formats: &'static [&'static str],
    keys: &'static [&'static str],
    worth: f64,
    latency_ms: u64,
) -> AdSource {
    AdSource { id, title, bidding, formats, keys, worth, latency_ms }
}

/// The ad sources. The `AdMob` Network comes first; it both bids and serves at fixed prices.
pub const SOURCES: [AdSource; 22] = [
    s(ADMOB_NETWORK, "AdMob Network", true, FULL, &[], 1.0, 640),
    s("1063618907739174004", "AppLovin", false, MOST, &["SDK Key", "Zone ID"], 1.08, 910),
    s("1328079684332308356", "AppLovin (bidding)", true, MOST, &["SDK Key", "Zone ID"], 1.22, 720),
    s("4970775877303683148", "Unity Ads", false, PLAIN, &["Game ID", "Placement ID"], 0.95, 980),
    s("7069338991535737586", "Unity Ads (bidding)", true, PLAIN, &["Game ID", "Placement ID"], 1.1, 760),
    s("10568273599589928883", "Meta Audience Network", false, MOST, &["Placement ID"], 1.12, 830),
    s("11198165126854996598", "Meta Audience Network (bidding)", true, MOST, &["Placement ID"], 1.28, 690),
    s(
        "1953547073528090325",
        "Liftoff Monetize",
        false,
        FULL,
        &["Application ID", "Placement Reference ID"],
        0.97,
        1040,
    ),
    s(
        "4692500501762622185",
        "Liftoff Monetize (bidding)",
        true,
        FULL,
        &["Application ID", "Placement Reference ID"],
        1.09,
        790,
    ),
    s(
        "1357746574408896200",
        "Mintegral",
        false,
        FULL,
        &["App ID", "App Key", "Placement ID", "Ad Unit ID"],
        0.88,
        1010,
    ),
    s(
        "6250601289653372374",
        "Mintegral (bidding)",
        true,
        FULL,
        &["App ID", "App Key", "Placement ID", "Ad Unit ID"],
        1.02,
        800,
    ),
    s("4069896914521993236", "Pangle", false, FULL, &["App ID", "Ad Placement ID"], 0.9, 930),
    s("3525379893916449117", "Pangle (bidding)", true, FULL, &["App ID", "Ad Placement ID"], 1.05, 740),
    s("7681903010231960328", "InMobi", false, PLAIN, &["Account ID", "Placement ID"], 0.82, 990),
    s("8468954295581492586", "InMobi (SDK) (bidding)", true, PLAIN, &["Account ID", "Placement ID"], 0.93, 810),
    s("2179455223494392917", "DT Exchange", false, PLAIN, &["Application ID", "Spot ID"], 0.86, 1020),
    s("8189833498765234879", "DT Exchange (bidding)", true, PLAIN, &["Application ID", "Spot ID"], 0.98, 830),
    s("6925240245545091930", "ironSource Ads", false, VIDEO, &["App Key", "Instance ID"], 1.01, 1080),
    s("1643326773739866623", "ironSource Ads (bidding)", true, PLAIN, &["App Key", "Instance ID"], 1.14, 820),
    s("2873236629771172317", "Chartboost", false, PLAIN, &["App ID", "App Signature", "Ad Location"], 0.79, 1110),
    s("7505118203095108657", "maio", false, VIDEO, &["Media ID", "Zone ID"], 0.76, 970),
    s(
        "5208827440166355534",
        "i-mobile",
        false,
        &["BANNER", "INTERSTITIAL", "NATIVE"],
        &["Publisher ID", "Media ID", "Spot ID"],
        0.72,
        940,
    ),
];

pub fn source(id: &str) -> Option<&'static AdSource> {
    SOURCES.iter().find(|source| source.id == id)
}

pub fn source_json(account: &str, source: &AdSource) -> Value {
    json!({ "name": format!("accounts/{account}/adSources/{}", source.id), "adSourceId": source.id, "title": source.title })
}

/// The SDK of a source on one platform for one format.
pub struct Adapter {
    pub id: String,
    pub source: &'static AdSource,
    pub platform: &'static str,
    pub format: &'static str,
    /// The metadata ID and the label of each setting that a mapping must have.
    pub keys: Vec<(String, &'static str)>,
}

static ADAPTERS: LazyLock<Vec<Adapter>> = LazyLock::new(|| {
    let mut adapters = Vec::new();
    let mut key = 700;
    for source in SOURCES.iter().skip(1) {
        for platform in ["ANDROID", "IOS"] {
            for format in source.formats.iter().copied() {
                let keys = source.keys.iter().map(|label| {
                    key += 1;
                    (key.to_string(), *label)
                });
                let keys = keys.collect();
                adapters.push(Adapter { id: (500 + adapters.len()).to_string(), source, platform, format, keys });
            }
        }
    }
    adapters
});

pub fn adapters() -> &'static [Adapter] {
    &ADAPTERS
}

pub fn adapter(id: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().find(|adapter| adapter.id == id)
}

pub fn adapter_json(account: &str, adapter: &Adapter) -> Value {
    let keys: Vec<Value> = adapter
        .keys
        .iter()
        .map(|(id, label)| json!({ "adapterConfigMetadataId": id, "adapterConfigMetadataLabel": label, "isRequired": true }))
        .collect();
    let platform = if adapter.platform == "IOS" { "iOS" } else { "Android" };
    json!({
        "name": format!("accounts/{account}/adSources/{}/adapters/{}", adapter.source.id, adapter.id),
        "adapterId": adapter.id,
        "title": format!("{} {platform} {}", adapter.source.title, crate::world::apps::format_label(adapter.format)),
        "platform": adapter.platform,
        "formats": [adapter.format],
        "adapterConfigMetadata": keys,
    })
}
