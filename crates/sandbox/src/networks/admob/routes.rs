//! Finds operations by path, as Google's discovery document names them.

use axum::http::Method;

use crate::networks::Kind::{Read, Token, Write};
use crate::networks::admob::tokens::SCOPES;
use crate::networks::{Kind, Operation as Row, op};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    ListAccounts,
    GetAccount,
    ListApps,
    CreateApp,
    ListAdUnits,
    CreateAdUnit,
    ListAdSources,
    ListAdapters,
    ListMappings,
    CreateMapping,
    BatchCreateMappings,
    ListGroups,
    CreateGroup,
    UpdateGroup,
    CreateExperiment,
    StopExperiment,
    NetworkReport,
    MediationReport,
    CampaignReport,
}

/// The operations that a fault can hit: in the order of [`Operation`], then the sign-in.
pub static OPERATIONS: [Row; 22] = [
    named(Read, "admob_list_accounts"),
    named(Read, "admob_get_account"),
    named(Read, "admob_list_apps"),
    named(Write, "admob_create_app"),
    named(Read, "admob_list_ad_units"),
    named(Write, "admob_create_ad_unit"),
    named(Read, "admob_list_ad_sources"),
    named(Read, "admob_list_ad_source_adapters"),
    named(Read, "admob_list_ad_unit_mappings"),
    named(Write, "admob_create_ad_unit_mapping"),
    named(Write, "admob_batch_create_ad_unit_mappings"),
    named(Read, "admob_list_mediation_groups"),
    named(Write, "admob_create_mediation_group"),
    named(Write, "admob_update_mediation_group"),
    named(Write, "admob_create_mediation_ab_experiment"),
    named(Write, "admob_stop_mediation_ab_experiment"),
    named(Read, "admob_generate_network_report"),
    named(Read, "admob_generate_mediation_report"),
    named(Read, "admob_generate_campaign_report"),
    named(Token, "oauth_authorize"),
    named(Token, "oauth_token"),
    named(Token, "oauth_revoke"),
];

/// Makes a row without a template, because [`find`] finds the paths.
const fn named(kind: Kind, name: &'static str) -> Row {
    op(kind, name, "", "", "")
}

const READ: &[&str] = &[SCOPES[0]];
const READ_OR_REPORT: &[&str] = &[SCOPES[0], SCOPES[1]];
const WRITE: &[&str] = &[SCOPES[2]];

impl Operation {
    pub fn row(self) -> &'static Row {
        &OPERATIONS[self as usize]
    }

    /// Returns the tool name in the catalog.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the scopes; the caller needs any one of them.
    pub fn scopes(self) -> &'static [&'static str] {
        match self {
            Self::ListAccounts
            | Self::GetAccount
            | Self::ListAdSources
            | Self::NetworkReport
            | Self::MediationReport
            | Self::CampaignReport => READ_OR_REPORT,
            Self::ListApps | Self::ListAdUnits | Self::ListAdapters | Self::ListMappings | Self::ListGroups => READ,
            Self::CreateApp
            | Self::CreateAdUnit
            | Self::CreateMapping
            | Self::BatchCreateMappings
            | Self::CreateGroup
            | Self::UpdateGroup
            | Self::CreateExperiment
            | Self::StopExperiment => WRITE,
        }
    }

    fn in_v1(self) -> bool {
        matches!(
            self,
            Self::ListAccounts
                | Self::GetAccount
                | Self::ListApps
                | Self::ListAdUnits
                | Self::NetworkReport
                | Self::MediationReport
        )
    }
}

/// An operation with the IDs in its path.
#[derive(Debug, PartialEq)]
pub struct Call {
    pub operation: Operation,
    pub account: String,
    /// An ad source, ad unit or mediation group.
    pub parent: String,
}

/// Finds the operation of a path such as `/v1beta/accounts/pub-1/apps`.
pub fn find(method: &Method, path: &str) -> Option<Call> {
    use Operation as O;
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (version, parts) = parts.split_first()?;
    if parts.first() != Some(&"accounts") {
        return None;
    }
    let (get, post) = (method == Method::GET, method == Method::POST);
    let (operation, parent) = match parts[1..] {
        [] if get => (O::ListAccounts, ""),
        [_] if get => (O::GetAccount, ""),
        [_, "apps"] if get => (O::ListApps, ""),
        [_, "apps"] if post => (O::CreateApp, ""),
        [_, "adUnits"] if get => (O::ListAdUnits, ""),
        [_, "adUnits"] if post => (O::CreateAdUnit, ""),
        [_, "adSources"] if get => (O::ListAdSources, ""),
        [_, "adSources", source, "adapters"] if get => (O::ListAdapters, source),
        [_, "adUnits", unit, "adUnitMappings"] if get => (O::ListMappings, unit),
        [_, "adUnits", unit, "adUnitMappings"] if post => (O::CreateMapping, unit),
        [_, "adUnitMappings:batchCreate"] if post => (O::BatchCreateMappings, ""),
        [_, "mediationGroups"] if get => (O::ListGroups, ""),
        [_, "mediationGroups"] if post => (O::CreateGroup, ""),
        [_, "mediationGroups", group] if method == Method::PATCH => (O::UpdateGroup, group),
        [_, "mediationGroups", group, "mediationAbExperiments"] if post => (O::CreateExperiment, group),
        [_, "mediationGroups", group, "mediationAbExperiments:stop"] if post => (O::StopExperiment, group),
        [_, "networkReport:generate"] if post => (O::NetworkReport, ""),
        [_, "mediationReport:generate"] if post => (O::MediationReport, ""),
        [_, "campaignReport:generate"] if post => (O::CampaignReport, ""),
        _ => return None,
    };
    let fits = *version == "v1beta" || (*version == "v1" && operation.in_v1());
    let account = parts.get(1).copied().unwrap_or_default().to_owned();
    fits.then(|| Call { operation, account, parent: parent.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::Operation as O;
    use super::*;

    const ALL: [O; 19] = [
        O::ListAccounts,
        O::GetAccount,
        O::ListApps,
        O::CreateApp,
        O::ListAdUnits,
        O::CreateAdUnit,
        O::ListAdSources,
        O::ListAdapters,
        O::ListMappings,
        O::CreateMapping,
        O::BatchCreateMappings,
        O::ListGroups,
        O::CreateGroup,
        O::UpdateGroup,
        O::CreateExperiment,
        O::StopExperiment,
        O::NetworkReport,
        O::MediationReport,
        O::CampaignReport,
    ];

    #[test]
    fn names_follow_the_catalogue_and_v1_is_a_subset() {
        assert_eq!(Operation::CampaignReport.name(), "admob_generate_campaign_report");
        assert_eq!(Operation::UpdateGroup.name(), "admob_update_mediation_group");
        for row in OPERATIONS.iter().take(19) {
            let operation = ALL.iter().find(|it| it.name() == row.name).unwrap();
            assert_eq!(row.kind == Write, operation.scopes() == WRITE, "{}", row.name);
        }
        assert!(find(&Method::POST, "/v1/accounts/pub-1/networkReport:generate").is_some());
        assert!(find(&Method::POST, "/v1/accounts/pub-1/apps").is_none());
        assert!(find(&Method::DELETE, "/v1beta/accounts/pub-1/mediationGroups/1").is_none());
        let call = find(&Method::PATCH, "/v1beta/accounts/pub-1/mediationGroups/9").unwrap();
        assert_eq!((call.account.as_str(), call.parent.as_str()), ("pub-1", "9"));
    }
}
