//! What can be measured and broken down: the words of the slots, AdMob's names for them, and how to compute a number from sums.

use adagent_contract::{ColumnKind, Tone, Value};
use adagent_domain::{Currency, Money};

use super::merge::Sums;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::planner) enum Metric {
    Revenue,
    Ecpm,
    Impressions,
    Clicks,
    Ctr,
    Requests,
    Fills,
    MatchRate,
    ShowRate,
    Latency,
    Installs,
    Cost,
    Cpi,
    Interactions,
    Views,
    Completes,
}

/// One of AdMob's three reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::planner) enum Source {
    Mediation,
    Network,
    Campaign,
}

impl Source {
    pub const fn tool(self) -> &'static str {
        match self {
            Self::Mediation => "admob_generate_mediation_report",
            Self::Network => "admob_generate_network_report",
            Self::Campaign => "admob_generate_campaign_report",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Mediation => "AdMob",
            Self::Network => "AdMob Network",
            Self::Campaign => "AdMob house campaigns",
        }
    }
}

impl Metric {
    /// Like [`Self::parse`], and also knows metrics that only other networks report.
    pub fn parse_any(slot: &str) -> Option<Self> {
        match slot {
            "views" | "starts" => Some(Self::Views),
            "completes" | "completions" => Some(Self::Completes),
            _ => Self::parse(slot),
        }
    }

    /// Reads a word of the slots. AdMob calls the fill rate match rate.
    pub fn parse(slot: &str) -> Option<Self> {
        Some(match slot {
            "revenue" => Self::Revenue,
            "ecpm" => Self::Ecpm,
            "impressions" => Self::Impressions,
            "clicks" => Self::Clicks,
            "ctr" => Self::Ctr,
            "requests" => Self::Requests,
            "fills" => Self::Fills,
            "match_rate" | "fill_rate" => Self::MatchRate,
            "show_rate" => Self::ShowRate,
            "latency" => Self::Latency,
            "installs" => Self::Installs,
            "cost" => Self::Cost,
            "cpi" => Self::Cpi,
            "interactions" => Self::Interactions,
            _ => return None,
        })
    }

    pub const fn key(self) -> &'static str {
        match self {
            Self::Revenue => "revenue",
            Self::Ecpm => "ecpm",
            Self::Impressions => "impressions",
            Self::Clicks => "clicks",
            Self::Ctr => "ctr",
            Self::Requests => "requests",
            Self::Fills => "fills",
            Self::MatchRate => "match_rate",
            Self::ShowRate => "show_rate",
            Self::Latency => "latency",
            Self::Installs => "installs",
            Self::Cost => "cost",
            Self::Cpi => "cpi",
            Self::Interactions => "interactions",
            Self::Views => "views",
            Self::Completes => "completions",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Revenue => "Revenue",
            Self::Ecpm => "eCPM",
            Self::Impressions => "Impressions",
            Self::Clicks => "Clicks",
            Self::Ctr => "CTR",
            Self::Requests => "Requests",
            Self::Fills => "Matched requests",
            Self::MatchRate => "Match rate",
            Self::ShowRate => "Show rate",
            Self::Latency => "Latency",
            Self::Installs => "Installs",
            Self::Cost => "Cost",
            Self::Cpi => "Cost per install",
            Self::Interactions => "Interactions",
            Self::Views => "Views",
            Self::Completes => "Completed views",
        }
    }

    /// Returns the word for running text.
    pub fn word(self) -> String {
        match self {
            Self::Ecpm | Self::Ctr => self.label().to_owned(),
            _ => self.label().to_lowercase(),
        }
    }

    pub const fn kind(self) -> ColumnKind {
        match self {
            Self::Revenue | Self::Ecpm | Self::Cost | Self::Cpi => ColumnKind::Money,
            Self::Impressions
            | Self::Clicks
            | Self::Requests
            | Self::Fills
            | Self::Installs
            | Self::Interactions
            | Self::Views
            | Self::Completes => ColumnKind::Count,
            Self::Ctr | Self::MatchRate | Self::ShowRate => ColumnKind::Percent,
            Self::Latency => ColumnKind::Number,
        }
    }

    /// Returns what AdMob calls this metric in a report of this source. `None` if the report doesn't have it. `None` if the report doesn't have the metric.
    pub const fn wire(self, source: Source) -> Option<&'static str> {
        Some(match (self, source) {
            (Self::Impressions, _) => "IMPRESSIONS",
            (Self::Clicks, _) => "CLICKS",
            (Self::Ctr, Source::Campaign) => "CLICK_THROUGH_RATE",
            (Self::Installs, Source::Campaign) => "INSTALLS",
            (Self::Cost, Source::Campaign) => "ESTIMATED_COST",
            (Self::Cpi, Source::Campaign) => "AVERAGE_CPI",
            (Self::Interactions, Source::Campaign) => "INTERACTIONS",
            (_, Source::Campaign) => return None,
            (Self::Revenue, _) => "ESTIMATED_EARNINGS",
            (Self::Ctr, _) => "IMPRESSION_CTR",
            (Self::Requests, _) => "AD_REQUESTS",
            (Self::Fills, _) => "MATCHED_REQUESTS",
            (Self::MatchRate, _) => "MATCH_RATE",
            (Self::Ecpm, Source::Mediation) => "OBSERVED_ECPM",
            (Self::Ecpm, Source::Network) => "IMPRESSION_RPM",
            (Self::ShowRate, Source::Network) => "SHOW_RATE",
            (Self::Latency, Source::Mediation) => "AD_LOAD_LATENCY",
            _ => return None,
        })
    }

    /// Returns the sums that this metric is computed from.
    pub const fn base(self) -> &'static [Self] {
        match self {
            Self::Ecpm => &[Self::Revenue, Self::Impressions],
            Self::Ctr => &[Self::Clicks, Self::Impressions],
            Self::MatchRate => &[Self::Fills, Self::Requests],
            Self::ShowRate => &[Self::Impressions, Self::Fills],
            Self::Cpi => &[Self::Cost, Self::Installs],
            Self::Latency => &[Self::Latency, Self::Fills],
            Self::Revenue => &[Self::Revenue],
            Self::Impressions => &[Self::Impressions],
            Self::Clicks => &[Self::Clicks],
            Self::Requests => &[Self::Requests],
            Self::Fills => &[Self::Fills],
            Self::Installs => &[Self::Installs],
            Self::Cost => &[Self::Cost],
            Self::Interactions => &[Self::Interactions],
            Self::Views => &[Self::Views],
            Self::Completes => &[Self::Completes],
        }
    }

    /// Checks whether a mediation report counts this metric once for every demand source that was tried.
    pub fn counts_attempts(self) -> bool {
        self.base().iter().any(|base| matches!(base, Self::Requests | Self::Fills))
    }

    /// Checks whether the parts add up to the whole.
    pub const fn adds_up(self) -> bool {
        !matches!(self, Self::Ecpm | Self::Ctr | Self::MatchRate | Self::ShowRate | Self::Latency | Self::Cpi)
    }

    pub const fn is_rate(self) -> bool {
        matches!(self, Self::Ctr | Self::MatchRate | Self::ShowRate)
    }

    /// Returns whether a change is good or bad news.
    pub fn tone(self, change: f64) -> Tone {
        if change.abs() < 0.05 {
            return Tone::Neutral;
        }
        match self {
            Self::Requests | Self::Interactions => Tone::Neutral,
            Self::Latency | Self::Cost | Self::Cpi => {
                if change > 0.0 {
                    Tone::Bad
                } else {
                    Tone::Good
                }
            }
            _ => {
                if change > 0.0 {
                    Tone::Good
                } else {
                    Tone::Bad
                }
            }
        }
    }

    /// Returns the value per part for `parts` equal parts (days or rows), rounded half up.
    pub fn divided_by(self, sums: &Sums, parts: i32, currency: Currency) -> Value {
        let parts = i128::from(parts);
        match self.of(sums, currency) {
            Value::Money { money } => divided(Some(i128::from(money.micros)), Some(parts))
                .and_then(|micros| i64::try_from(micros).ok())
                .map_or(Value::Missing, |micros| Value::Money { money: Money::new(currency, micros) }),
            Value::Count { value } => divided(Some(i128::from(value)), Some(parts))
                .and_then(|count| i64::try_from(count).ok())
                .map_or(Value::Missing, |value| Value::Count { value }),
            _ => Value::Missing,
        }
    }

    /// Computes the value from sums.
    pub fn of(self, sums: &Sums, currency: Currency) -> Value {
        let money = |micros: i128| {
            i64::try_from(micros).map_or(Value::Missing, |micros| Value::Money { money: Money::new(currency, micros) })
        };
        let count = |value: i128| i64::try_from(value).map_or(Value::Missing, |value| Value::Count { value });
        match self {
            Self::Revenue => sums.revenue.map_or(Value::Missing, money),
            Self::Cost => sums.cost.map_or(Value::Missing, money),
            Self::Impressions => sums.impressions.map_or(Value::Missing, count),
            Self::Clicks => sums.clicks.map_or(Value::Missing, count),
            Self::Requests => sums.requests.map_or(Value::Missing, count),
            Self::Fills => sums.fills.map_or(Value::Missing, count),
            Self::Installs => sums.installs.map_or(Value::Missing, count),
            Self::Interactions => sums.interactions.map_or(Value::Missing, count),
            Self::Views => sums.views.map_or(Value::Missing, count),
            Self::Completes => sums.completes.map_or(Value::Missing, count),
            Self::Ecpm => divided(sums.revenue.map(|r| r * 1000), sums.impressions).map_or(Value::Missing, money),
            Self::Cpi => divided(sums.cost, sums.installs).map_or(Value::Missing, money),
            Self::MatchRate => percent(sums.fills, sums.requests),
            Self::ShowRate => percent(sums.impressions, sums.fills),
            Self::Ctr => percent(sums.clicks, sums.impressions),
            Self::Latency => sums.latency().map_or(Value::Missing, |value| Value::Number { value }),
        }
    }
}

/// Divides, and rounds half up (away from zero).
fn divided(numerator: Option<i128>, denominator: Option<i128>) -> Option<i128> {
    let (n, d) = (numerator?, denominator?);
    if d <= 0 {
        return None;
    }
    let half = d / 2;
    // An odd denominator has no exact half. Half rounded down still works, because the remainder is an integer.
    let (whole, rest) = (n.abs() / d, n.abs() % d);
    let up = if d % 2 == 0 { rest >= half } else { rest > half };
    Some((whole + i128::from(up)) * n.signum())
}

#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
fn percent(part: Option<i128>, whole: Option<i128>) -> Value {
    match (part, whole) {
        (Some(part), Some(whole)) if whole > 0 => Value::Percent { value: part as f64 * 100.0 / whole as f64 },
        _ => Value::Missing,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::planner) enum Dim {
    Date,
    Week,
    Month,
    Quarter,
    App,
    AdUnit,
    AdSource,
    Instance,
    MediationGroup,
    Country,
    Format,
    Platform,
    AppVersion,
    OsVersion,
    SdkVersion,
    Campaign,
    /// Which of several networks. No report has this column.
    Network,
    /// Which of several connections. No report has this column.
    Account,
}

impl Dim {
    pub fn parse(slot: &str) -> Option<Self> {
        Some(match slot {
            "date" => Self::Date,
            "week" => Self::Week,
            "month" => Self::Month,
            "quarter" => Self::Quarter,
            "app" => Self::App,
            "ad_unit" | "placement" => Self::AdUnit,
            "ad_source" => Self::AdSource,
            "instance" => Self::Instance,
            "mediation_group" => Self::MediationGroup,
            "country" => Self::Country,
            "format" => Self::Format,
            "platform" => Self::Platform,
            "app_version" => Self::AppVersion,
            "os_version" => Self::OsVersion,
            "sdk_version" => Self::SdkVersion,
            "campaign" => Self::Campaign,
            _ => return None,
        })
    }

    /// Like [`Self::parse`], and also knows what only questions about several networks have.
    pub fn parse_any(slot: &str) -> Option<Self> {
        match slot {
            "network" => Some(Self::Network),
            "account" => Some(Self::Account),
            _ => Self::parse(slot),
        }
    }

    /// Returns the report column that this dimension is read from. We add up quarters from months, and weeks from days.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Date | Self::Week => "date",
            Self::Month | Self::Quarter => "month",
            Self::App => "app",
            Self::AdUnit => "ad_unit",
            Self::AdSource => "ad_source",
            Self::Instance => "instance",
            Self::MediationGroup => "mediation_group",
            Self::Country => "country",
            Self::Format => "format",
            Self::Platform => "platform",
            Self::AppVersion => "app_version",
            Self::OsVersion => "os_version",
            Self::SdkVersion => "sdk_version",
            Self::Campaign => "campaign",
            Self::Network => "network",
            Self::Account => "account",
        }
    }

    pub const fn key(self) -> &'static str {
        match self {
            Self::Quarter => "quarter",
            Self::Week => "week",
            _ => self.column(),
        }
    }

    pub const fn wire(self, source: Source) -> Option<&'static [&'static str]> {
        Some(match (self, source) {
            // AdMob's weeks start on Sunday, ours on Monday, so we add them up from days.
            (Self::Date | Self::Week, _) => &["DATE"],
            (Self::Country, _) => &["COUNTRY"],
            (Self::Format, _) => &["FORMAT"],
            (Self::Campaign, Source::Campaign) => &["CAMPAIGN_ID", "CAMPAIGN_NAME"],
            (Self::Platform, Source::Campaign) => &["PLACEMENT_PLATFORM"],
            (_, Source::Campaign)
            | (Self::Campaign | Self::Network | Self::Account, _)
            | (Self::AdSource | Self::Instance | Self::MediationGroup, Source::Network) => return None,
            (Self::Month | Self::Quarter, _) => &["MONTH"],
            (Self::App, _) => &["APP"],
            (Self::AdUnit, _) => &["AD_UNIT"],
            (Self::Platform, _) => &["PLATFORM"],
            (Self::AppVersion, _) => &["APP_VERSION_NAME"],
            (Self::OsVersion, _) => &["MOBILE_OS_VERSION"],
            (Self::SdkVersion, _) => &["GMA_SDK_VERSION"],
            (Self::AdSource, Source::Mediation) => &["AD_SOURCE"],
            (Self::Instance, Source::Mediation) => &["AD_SOURCE_INSTANCE"],
            (Self::MediationGroup, Source::Mediation) => &["MEDIATION_GROUP"],
        })
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Date => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Quarter => "Quarter",
            Self::App => "App",
            Self::AdUnit => "Ad unit",
            Self::AdSource => "Ad source",
            Self::Instance => "Ad source instance",
            Self::MediationGroup => "Mediation group",
            Self::Country => "Country",
            Self::Format => "Format",
            Self::Platform => "Platform",
            Self::AppVersion => "App version",
            Self::OsVersion => "OS version",
            Self::SdkVersion => "SDK version",
            Self::Campaign => "Campaign",
            Self::Network => "Network",
            Self::Account => "Account",
        }
    }

    pub fn word(self) -> String {
        match self {
            Self::OsVersion => "OS version".to_owned(),
            Self::SdkVersion => "SDK version".to_owned(),
            _ => self.label().to_lowercase(),
        }
    }

    pub fn plural(self) -> String {
        match self {
            Self::Country => "countries".to_owned(),
            _ => format!("{}s", self.word()),
        }
    }

    pub const fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::Week | Self::Month | Self::Quarter)
    }
}
