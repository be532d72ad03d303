//! After a write whose outcome is unknown, finds out whether the network made the change. It only reads and never sends the write again.
//!
//! A write certainly failed if the whole list lacks the entity. A create certainly succeeded if exactly one equal entity exists that the
//! baseline lacks (we store the baseline just before we send the call), or if the network allows only one such entity. In all other cases
//! we cannot tell.

mod any;
mod judge;

use std::sync::Arc;

use adagent_contract::EntityKind;
use adagent_domain::Network;
use serde_json::{Value as Json, json};

pub use judge::Baseline;

use crate::{Operation, Via, adapters::admob, catalogue::NetworkFacts, networks::Networks};
use adagent_tools::{ProbeOutcome, ToolError};

/// An entity that was to be created, and the existing entities of its kind.
#[derive(Debug)]
pub struct Look {
    facts: Arc<NetworkFacts>,
    kind: EntityKind,
    wanted: Json,
    items: Vec<Json>,
    /// Whether the list was read to its end.
    whole: bool,
}

impl Look {
    fn equal(&self) -> impl Iterator<Item = &Json> {
        self.items.iter().filter(|raw| judge::holds(raw, &self.wanted))
    }
}

impl Networks {
    /// Returns the entities that already look like the new one, before a create. `None` if we cannot know, or if it does not matter.
    pub(crate) async fn before(&self, via: Via, tool: &Operation, args: &Json) -> Result<Option<Baseline>, ToolError> {
        if tool.network != Network::AdMob {
            return self.before_any(via, tool, args).await;
        }
        if tool.name == "admob_update_mediation_group" && admob::adds_lines(args) {
            let group = self.group(via, args).await?;
            let lines = |group: Json| {
                group["mediationGroupLines"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()
            };
            return Ok(group.map(|group| vec![lines(group)]));
        }
        Ok(self.looks(via, tool, args).await?.and_then(|looks| judge::baseline(&looks)))
    }

    pub(crate) async fn look_for(
        &self,
        via: Via,
        tool: &Operation,
        args: &Json,
        baseline: Option<&Baseline>,
    ) -> Result<ProbeOutcome, ToolError> {
        if tool.network != Network::AdMob {
            return self.look_for_any(via, tool, args, baseline).await;
        }
        if let Some(looks) = self.looks(via, tool, args).await? {
            return Ok(judge::created(&looks, baseline));
        }
        match tool.name.as_str() {
            "admob_update_mediation_group" => {
                let Some(group) = self.group(via, args).await? else { return Ok(gone()) };
                Ok(judge::updated(&group, args, baseline.and_then(|lists| lists.first()).map(Vec::as_slice)))
            }
            "admob_create_mediation_ab_experiment" | "admob_stop_mediation_ab_experiment" => {
                let Some(group) = self.group(via, args).await? else { return Ok(gone()) };
                Ok(judge::experiment(&group, tool.name == "admob_create_mediation_ab_experiment"))
            }
            _ => Ok(ProbeOutcome::CannotTell {
                why: format!("we have no way to look up the result of “{}”", tool.title),
            }),
        }
    }

    /// Lists the existing entities for each one that the arguments create; `None` if they create none.
    async fn looks(&self, via: Via, tool: &Operation, args: &Json) -> Result<Option<Vec<Look>>, ToolError> {
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
                    looks.push(self.look(via, kind, "admob_list_ad_unit_mappings", &unit, wanted).await?);
                }
                return Ok(Some(looks));
            }
            _ => return Ok(None),
        };
        Ok(Some(vec![self.look(via, kind, list, &place, &args["body"]).await?]))
    }

    async fn look(
        &self,
        via: Via,
        kind: EntityKind,
        list: &str,
        place: &Json,
        wanted: &Json,
    ) -> Result<Look, ToolError> {
        let (items, whole) = self.listed(via, list, place).await?;
        let facts = self.facts(Network::AdMob)?;
        Ok(Look { facts, kind, wanted: wanted.clone(), items, whole })
    }

    async fn group(&self, via: Via, args: &Json) -> Result<Option<Json>, ToolError> {
        let groups = self.list(via, "admob_list_mediation_groups", &json!({"account_id": args["account_id"]})).await?;
        Ok(groups.into_iter().find(|group| group["mediationGroupId"] == args["mediation_group_id"]))
    }
}

fn gone() -> ProbeOutcome {
    ProbeOutcome::CannotTell { why: "AdMob doesn't list the mediation group".into() }
}
