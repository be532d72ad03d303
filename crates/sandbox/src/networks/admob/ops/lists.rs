//! Lists and lookups.

use serde_json::{Value, json};

use super::Objects;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::filter;
use crate::networks::admob::paging::Page;
use crate::networks::admob::routes::Operation;
use crate::networks::admob::wire::{MediationGroup, account_of};
use crate::world::{accounts, sources};

pub fn answer(objects: &Objects, context: &Context) -> Result<Value, ApiError> {
    let account = context.call.account.as_str();
    let parent = context.call.parent.as_str();
    let text = context.query("filter").unwrap_or_default();
    let page = Page {
        size: context.query("pageSize"),
        token: context.query("pageToken"),
        bound_to: [context.call.operation.name(), account, parent, text, &context.caller.email].join("|"),
    };
    match context.call.operation {
        Operation::ListAccounts => {
            let ids = accounts::identity(&context.caller.email).map_or(&[][..], |identity| identity.accounts);
            let items: Vec<Value> = ids.iter().map(|id| accounts::account(id)).collect();
            page.cut("account", &items)
        }
        Operation::GetAccount => Ok(accounts::account(account)),
        Operation::ListApps => {
            let items: Vec<_> = objects.apps.iter().filter(|app| account_of(&app.name) == account).collect();
            page.cut("apps", &items)
        }
        Operation::ListAdUnits => {
            let items: Vec<_> = objects.ad_units.iter().filter(|unit| account_of(&unit.name) == account).collect();
            page.cut("adUnits", &items)
        }
        Operation::ListAdSources => {
            let items: Vec<Value> =
                sources::SOURCES.iter().map(|source| sources::source_json(account, source)).collect();
            page.cut("adSources", &items)
        }
        Operation::ListAdapters => {
            let source = sources::source(parent)
                .ok_or_else(|| ApiError::not_found(format!("Ad source {parent} was not found.")))?;
            let adapters = sources::adapters().iter().filter(|adapter| adapter.source.id == source.id);
            let items: Vec<Value> = adapters.map(|adapter| sources::adapter_json(account, adapter)).collect();
            page.cut("adapters", &items)
        }
        Operation::ListMappings => {
            let unit = format!("accounts/{account}/adUnits/{parent}");
            if !objects.ad_units.iter().any(|it| it.name == unit) {
                return Err(ApiError::not_found(format!("Ad unit {unit} was not found.")));
            }
            let clauses = filter::parse(text, &["DISPLAY_NAME"], &[])?;
            let prefix = format!("{unit}/");
            let items: Vec<_> = objects
                .mappings
                .iter()
                .filter(|it| it.name.starts_with(&prefix))
                .filter(|it| clauses.iter().all(|clause| clause.any(it.display_name.as_deref().unwrap_or_default())))
                .collect();
            page.cut("adUnitMappings", &items)
        }
        Operation::ListGroups => {
            let clauses = filter::parse(
                text,
                &["MEDIATION_GROUP_ID", "DISPLAY_NAME", "STATE", "PLATFORM", "FORMAT"],
                &["AD_SOURCE_IDS", "AD_UNIT_IDS", "APP_IDS", "TARGETED_REGION_CODES"],
            )?;
            let items: Vec<_> = objects
                .groups
                .iter()
                .filter(|group| account_of(&group.name) == account)
                .filter(|group| clauses.iter().all(|clause| fits(objects, group, clause)))
                .collect();
            page.cut("mediationGroups", &items)
        }
        _ => Ok(json!({})),
    }
}

fn fits(objects: &Objects, group: &MediationGroup, clause: &filter::Clause) -> bool {
    match clause.field.as_str() {
        "MEDIATION_GROUP_ID" => clause.any(&group.mediation_group_id),
        "DISPLAY_NAME" => clause.any(&group.display_name),
        "STATE" => clause.any(&group.state),
        "PLATFORM" => clause.any(&group.targeting.platform),
        "FORMAT" => clause.any(&group.targeting.format),
        "AD_SOURCE_IDS" => group.mediation_group_lines.values().any(|line| clause.any(&line.ad_source_id)),
        "AD_UNIT_IDS" => group.targeting.ad_unit_ids.iter().any(|id| clause.any(id)),
        "APP_IDS" => {
            group.targeting.ad_unit_ids.iter().filter_map(|id| objects.ad_unit(id)).any(|unit| clause.any(&unit.app_id))
        }
        _ => group.targeting.targeted_region_codes.iter().any(|code| clause.any(code)),
    }
}
