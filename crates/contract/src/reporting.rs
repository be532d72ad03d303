//! The time zone in which a workspace counts its days.

use serde::{Deserialize, Serialize};

/// The body of PUT `/api/settings/reporting`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportingSettings {
    /// An IANA name such as `America/New_York`. `None` means the accounts' own zone.
    #[serde(default)]
    pub time_zone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportingView {
    pub settings: ReportingSettings,
    /// The zone that applies now: the chosen one, otherwise that of the account.
    pub time_zone: String,
    /// The current day in that zone.
    pub today: String,
}
