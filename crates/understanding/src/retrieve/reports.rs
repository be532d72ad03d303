//! Scores which report tool answers a question about numbers.
//!
//! This module knows the report tools of the networks by name, because their texts don't say what each one counts.

use super::Shape;
use super::cue::Cue;
use crate::types::Capability;

impl Cue {
    #[expect(clippy::too_many_lines, reason = "one arm per report tool, read as a table")]
    pub(super) fn report(&self, entry: &Shape) -> f64 {
        let name = entry.name.as_str();
        let has = |words: &[&str]| self.reading.has(words);
        let text = self.text.as_str();
        let mut score = if entry.capability == Capability::Reporting { 6.0 } else { -6.0 };
        if self.write.is_none()
            && !entry.read_only
            && name != "admanager_create_report"
            && name != "dtexchange_create_report"
        {
            score -= 8.0;
        }
        score += match name {
            "admob_generate_mediation_report" => {
                if text.contains("network itself")
                    || has(&["rpm"]) && text.contains("network") && !has(&["mediation"])
                    || text.contains("admob network")
                {
                    -2.0
                } else {
                    9.0
                }
            }
            "admob_generate_network_report" => {
                if text.contains("network itself")
                    || text.contains("admob network")
                    || text.contains("own network")
                    || text.contains("network report")
                {
                    11.0
                } else {
                    2.0
                }
            }
            "admob_generate_campaign_report" => {
                if has(&["campaign", "house", "promo", "install"]) {
                    8.0
                } else {
                    -6.0
                }
            }
            "applovin_get_max_report" => {
                if text.contains("network alone") || has(&["publisher"]) {
                    0.0
                } else {
                    9.0
                }
            }
            "applovin_get_report" => {
                if text.contains("network alone") || has(&["publisher", "alone"]) {
                    9.0
                } else {
                    1.0
                }
            }
            "applovin_get_cohort_report" => {
                if has(&["ltv", "cohort", "installed", "install"]) && !text.contains("retention") { 7.0 } else { -5.0 }
            }
            "applovin_get_cohort_impressions_report" => {
                if has(&["cohort", "install", "installs"]) && has(&["impression"]) { 9.0 } else { -6.0 }
            }
            "applovin_get_cohort_sessions_report" => {
                if has(&["retention", "session", "retained"]) {
                    9.0
                } else {
                    -6.0
                }
            }
            "applovin_get_user_ad_revenue" | "unity_get_user_revenue" => {
                if self.split.iter().any(|dim| dim == "user")
                    || text.contains("per user")
                    || text.contains("user by user")
                    || text.contains("each user")
                    || text.contains("user level")
                {
                    9.0
                } else {
                    -5.0
                }
            }
            "unity_get_levelplay_report" => {
                if self.split.iter().any(|dim| dim == "user" || dim == "impression")
                    || text.contains("unity ads") && !text.contains("levelplay")
                {
                    0.0
                } else {
                    9.0
                }
            }
            "unity_get_monetization_stats" => {
                if text.contains("unity ads") {
                    9.5
                } else {
                    1.0
                }
            }
            "unity_get_impression_revenue" => {
                if self.split.iter().any(|dim| dim == "impression")
                    || text.contains("ilrd")
                    || text.contains("impression level")
                    || text.contains("impression-level")
                {
                    9.0
                } else {
                    -5.0
                }
            }
            "pangle_get_report" => {
                if has(&["old", "legacy", "older"]) {
                    0.0
                } else {
                    5.0
                }
            }
            "pangle_get_user_report" => {
                if has(&["old", "legacy", "older"]) && has(&["account", "user", "total"]) {
                    7.0
                } else {
                    -3.0
                }
            }
            "pangle_get_app_report" => {
                if has(&["old", "legacy", "older"]) && has(&["app"]) {
                    7.0
                } else {
                    -3.0
                }
            }
            "pangle_get_ad_slot_report" => {
                if has(&["old", "legacy", "older"]) && has(&["slot"]) {
                    7.0
                } else {
                    -3.0
                }
            }
            "dtexchange_create_report" => {
                if has(&["old", "legacy", "older"]) {
                    0.0
                } else {
                    9.0
                }
            }
            "dtexchange_get_performance_report" => {
                if has(&["old", "legacy", "older"]) {
                    9.0
                } else {
                    -2.0
                }
            }
            "admanager_create_report" => 6.0,
            "admanager_list_reports" | "admanager_run_report" => 3.0,
            _ => 0.0,
        };
        score
    }
}
