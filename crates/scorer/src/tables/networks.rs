//! Names and nicknames of the nine networks, and of other demand sources.

use adagent_domain::Network;

use super::Rows;

pub const NETWORKS: Rows<Network> = &[
    (Network::AdMob, "admob|ad mob|google admob|admobs|アドモブ|애드몹|адмоб"),
    (
        Network::AdManager,
        "admanager|ad manager|google ad manager|gam|adx|ad exchange|dfp|google admanager|gam360|ad server|our ad server",
    ),
    (Network::AppLovin, "applovin|app lovin|applovin max|max|axon|applovins|アップラビン|앱러빈|апловин"),
    (
        Network::Unity,
        "unity|unity ads|levelplay|level play|unity levelplay|unity level play|ironsource|iron source|is mediation|unityads|lp|lvlplay|유니티|ユニティ|юнити",
    ),
    (Network::Mintegral, "mintegral|mtg|mobvista|民特|민테그럴|минтеграл"),
    (Network::Liftoff, "liftoff|lift off|vungle|liftoff monetize|liftoff monetise|vungle liftoff|리프트오프"),
    (Network::InMobi, "inmobi|in mobi|인모비|инмоби"),
    (Network::Pangle, "pangle|pangle ads|tiktok pangle|bytedance pangle|穿山甲|팽글"),
    (
        Network::DtExchange,
        "dtexchange|dt exchange|dt|digital turbine|digital turbine exchange|fyber|fairbid|fair bid|dt fairbid|digitalturbine|dtx|inneractive|fyber fairbid|디티",
    ),
];

/// Demand sources inside mediation that aren't among the nine.
pub const OTHER_SOURCES: Rows<&'static str> = &[
    ("meta", "meta|facebook|fan|meta audience network|audience network"),
    ("chartboost", "chartboost"),
    ("moloco", "moloco"),
    ("bidmachine", "bidmachine"),
    ("mytarget", "mytarget"),
    ("yandex", "yandex"),
    ("smaato", "smaato"),
    ("tapjoy", "tapjoy"),
    ("adcolony", "adcolony"),
    ("verve", "verve"),
    ("amazon", "amazon|aps|amazon publisher services"),
    ("snap", "snap|snapchat"),
    ("ogury", "ogury"),
    ("bigo", "bigo"),
    ("pubmatic", "pubmatic"),
];
