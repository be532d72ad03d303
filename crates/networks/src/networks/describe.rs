//! What an operation's answer is about, in a line and a table. Pure.

use adagent_contract::{Artifact, EntityItem, EntityKind};
use serde_json::Value as Json;

use crate::{ToolInfo, entities, normalise};

/// What an operation's answer consists of.
pub(crate) fn entity_kind(tool: &ToolInfo) -> Option<EntityKind> {
    Some(match tool.name.as_str() {
        "admob_get_account" | "admob_list_accounts" => EntityKind::Account,
        "admob_list_apps" | "admob_create_app" => EntityKind::App,
        "admob_list_ad_units" | "admob_create_ad_unit" => EntityKind::AdUnit,
        "admob_list_ad_sources" => EntityKind::AdSource,
        "admob_list_ad_source_adapters" => EntityKind::AdSourceAdapter,
        "admob_list_ad_unit_mappings" | "admob_create_ad_unit_mapping" => EntityKind::AdUnitMapping,
        "admob_list_mediation_groups" | "admob_create_mediation_group" | "admob_update_mediation_group" => {
            EntityKind::MediationGroup
        }
        _ => return None,
    })
}

pub(super) fn list(
    tool: &ToolInfo,
    kind: Option<EntityKind>,
    args: &Json,
    result: &Json,
) -> (String, Option<Artifact>) {
    let raw = result["items"].as_array().map_or(&[][..], Vec::as_slice);
    let found = entities::Found { account: args["account_id"].as_str(), parent: None };
    let items: Vec<EntityItem> =
        kind.map(|kind| raw.iter().filter_map(|raw| entities::item(kind, raw, found)).collect()).unwrap_or_default();
    let more = if result["truncated"] == true { " (there are more)" } else { "" };
    let summary = format!("{}{more}", normalise::counted(kind, raw.len()));
    let title = tool.title.trim_start_matches("List ");
    let title = title.get(..1).map(|first| first.to_uppercase() + &title[1..]).unwrap_or_default();
    let artifact =
        kind.map(|_| normalise::list_table(&title, tool.network.display_name().to_owned(), &items, raw.len() as u64));
    (summary, artifact)
}
