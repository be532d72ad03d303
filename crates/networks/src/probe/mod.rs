//! After a write whose outcome is unknown: does the network look as if it had happened? Looks only, never sends again.
//!
//! What is certain: that something did not happen, when the whole list lacks it; that it did, when exactly one equal object is
//! there that was not just before this process sent it, or when the network allows only one such object. All else cannot be told.

mod judge;

use std::sync::Arc;

use adagent_contract::EntityKind;
use adagent_domain::{ToolCallId, WorkspaceId};
use serde_json::{Value as Json, json};

pub use judge::Baseline;

use crate::{ProbeOutcome, ToolError, ToolInfo, networks::Networks};

/// An object that was to be created, and what there is of its kind.
#[derive(Debug)]
pub struct Look {
    kind: EntityKind,
    wanted: Json,
    items: Vec<Json>,
    /// Read to the end.
    whole: bool,
}

impl Look {
    fn equal(&self) -> impl Iterator<Item = &Json> {
        self.items.iter().filter(|raw| judge::holds(raw, &self.wanted))
    }
}

impl Networks {
    /// Before a create is sent: what looks like it already. Best effort, because it only makes a later answer more certain.
    pub(crate) async fn remember(&self, workspace: WorkspaceId, call: ToolCallId, tool: &ToolInfo, args: &Json) {
        match self.looks(workspace, tool, args).await {
            Ok(Some(looks)) => {
                if let Some(baseline) = judge::baseline(&looks) {
                    self.baselines().insert(call, Arc::new(baseline)).await;
                }
            }
            Ok(None) => {}
            Err(error) => tracing::debug!(tool = %tool.name, %error, "what is there already could not be read"),
        }
    }

    pub(crate) async fn look_for(
        &self,
        workspace: WorkspaceId,
        call: ToolCallId,
        tool: &ToolInfo,
        args: &Json,
    ) -> Result<ProbeOutcome, ToolError> {
        if let Some(looks) = self.looks(workspace, tool, args).await? {
            let baseline = self.baselines().get(&call).await;
            return Ok(judge::created(&looks, baseline.as_deref()));
        }
        match tool.name.as_str() {
            "admob_update_mediation_group" => {
                let Some(group) = self.group(workspace, args).await? else { return Ok(gone()) };
                Ok(judge::updated(&group, args))
            }
            "admob_create_mediation_ab_experiment" | "admob_stop_mediation_ab_experiment" => {
                let Some(group) = self.group(workspace, args).await? else { return Ok(gone()) };
                Ok(judge::experiment(&group, tool.name == "admob_create_mediation_ab_experiment"))
            }
            _ => Ok(ProbeOutcome::CannotTell {
                why: format!("there is no way to look for the outcome of {}", tool.title),
            }),
        }
    }

    /// Of each object the arguments create, what there is of its kind; `None` for what creates none.
    async fn looks(
        &self,
        workspace: WorkspaceId,
        tool: &ToolInfo,
        args: &Json,
    ) -> Result<Option<Vec<Look>>, ToolError> {
        let account = &args["account_id"];
        let of_unit = |unit: &Json| json!({"account_id": account, "ad_unit_id": unit});
        let of_account = json!({"account_id": account});
        let (kind, list, place) = match tool.name.as_str() {
            "admob_create_app" => (EntityKind::App, "admob_list_apps", of_account),
            "admob_create_ad_unit" => (EntityKind::AdUnit, "admob_list_ad_units", of_account),
            "admob_create_mediation_group" => (EntityKind::MediationGroup, "admob_list_mediation_groups", of_account),
            "admob_create_ad_unit_mapping" => {
                (EntityKind::AdUnitMapping, "admob_list_ad_unit_mappings", of_unit(&args["ad_unit_id"]))
            }
            "admob_batch_create_ad_unit_mappings" => {
                let mut looks = Vec::new();
                for request in args["body"]["requests"].as_array().into_iter().flatten() {
                    let parent = request["parent"].as_str().unwrap_or_default();
                    let unit = of_unit(&parent.rsplit('/').next().unwrap_or_default().into());
                    let wanted = &request["adUnitMapping"];
                    let kind = EntityKind::AdUnitMapping;
                    looks.push(self.look(workspace, kind, "admob_list_ad_unit_mappings", &unit, wanted).await?);
                }
                return Ok(Some(looks));
            }
            _ => return Ok(None),
        };
        Ok(Some(vec![self.look(workspace, kind, list, &place, &args["body"]).await?]))
    }

    async fn look(
        &self,
        workspace: WorkspaceId,
        kind: EntityKind,
        list: &str,
        place: &Json,
        wanted: &Json,
    ) -> Result<Look, ToolError> {
        let (items, whole) = self.listed(workspace, list, place).await?;
        Ok(Look { kind, wanted: wanted.clone(), items, whole })
    }

    async fn group(&self, workspace: WorkspaceId, args: &Json) -> Result<Option<Json>, ToolError> {
        let groups =
            self.list(workspace, "admob_list_mediation_groups", &json!({"account_id": args["account_id"]})).await?;
        Ok(groups.into_iter().find(|group| group["mediationGroupId"] == args["mediation_group_id"]))
    }
}

fn gone() -> ProbeOutcome {
    ProbeOutcome::CannotTell { why: "the mediation group is not among those the network lists".into() }
}
