//! In which time zone a workspace counts its days.

use serde::{Deserialize, Serialize};

/// PUT `/api/settings/reporting`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportingSettings {
    /// An IANA name such as `America/New_York`; nothing: as the accounts count them.
    #[serde(default)]
    pub time_zone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportingView {
    pub settings: ReportingSettings,
    /// What holds now: the choice, else the zone of the account.
    pub time_zone: String,
    /// The day it is there.
    pub today: String,
}
