//! Objects as `AdMob` shows them in the API, and as the sandbox stores them. Holds no rules.

#![expect(clippy::struct_field_names, reason = "the names are Google's")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    pub name: String,
    pub app_id: String,
    pub platform: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual_app_info: Option<ManualAppInfo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_app_info: Option<LinkedAppInfo>,
    pub app_approval_state: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManualAppInfo {
    pub display_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkedAppInfo {
    pub app_store_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub android_app_stores: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdUnit {
    pub name: String,
    pub ad_unit_id: String,
    pub app_id: String,
    pub display_name: String,
    pub ad_format: String,
    pub ad_types: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward_settings: Option<RewardSettings>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RewardSettings {
    pub unit_amount: String,
    pub unit_type: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdUnitMapping {
    pub name: String,
    pub adapter_id: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub ad_unit_configurations: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediationGroup {
    pub name: String,
    pub mediation_group_id: String,
    pub display_name: String,
    pub targeting: Targeting,
    pub state: String,
    pub mediation_group_lines: BTreeMap<String, Line>,
    pub mediation_ab_experiment_state: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targeting {
    pub platform: String,
    pub format: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ad_unit_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targeted_region_codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded_region_codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idfa_targeting: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub id: String,
    pub display_name: String,
    pub ad_source_id: String,
    pub cpm_mode: String,
    pub cpm_micros: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ad_unit_mappings: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment_variant: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentLine {
    pub mediation_group_line: Line,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Experiment {
    pub name: String,
    pub experiment_id: String,
    pub mediation_group_id: String,
    pub display_name: String,
    pub state: String,
    pub start_time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    pub treatment_traffic_percentage: String,
    pub treatment_mediation_lines: Vec<ExperimentLine>,
    pub control_mediation_lines: Vec<ExperimentLine>,
    pub variant_leader: String,
}

/// Returns the publisher ID in a resource name such as `accounts/pub-1/apps/2`.
pub fn account_of(name: &str) -> &str {
    name.split('/').nth(1).unwrap_or_default()
}
