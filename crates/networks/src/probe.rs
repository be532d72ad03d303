//! After a write whose outcome is unknown: does the network look as if it had happened? Looks only, never sends again.

use adagent_contract::EntityKind;
use adagent_domain::WorkspaceId;
use serde_json::{Value as Json, json};

use crate::{ProbeOutcome, ToolError, ToolInfo, networks::Networks, normalise};

impl Networks {
    pub(crate) async fn look_for(
        &self,
        workspace: WorkspaceId,
        tool: &ToolInfo,
        args: &Json,
    ) -> Result<ProbeOutcome, ToolError> {
        let account = json!({"account_id": args["account_id"]});
        let body = &args["body"];
        match tool.name.as_str() {
            "admob_create_app" => {
                let apps = self.list(workspace, "admob_list_apps", &account).await?;
                Ok(created(EntityKind::App, &apps, body))
            }
            "admob_create_ad_unit" => {
                let units = self.list(workspace, "admob_list_ad_units", &account).await?;
                Ok(created(EntityKind::AdUnit, &units, body))
            }
            "admob_create_mediation_group" => {
                let groups = self.list(workspace, "admob_list_mediation_groups", &account).await?;
                Ok(created(EntityKind::MediationGroup, &groups, body))
            }
            "admob_create_ad_unit_mapping" => {
                let of_unit = json!({"account_id": args["account_id"], "ad_unit_id": args["ad_unit_id"]});
                let mappings = self.list(workspace, "admob_list_ad_unit_mappings", &of_unit).await?;
                Ok(created(EntityKind::AdUnitMapping, &mappings, body))
            }
            "admob_batch_create_ad_unit_mappings" => self.batch(workspace, args).await,
            "admob_update_mediation_group" => {
                let Some(group) = self.group(workspace, args).await? else { return Ok(gone()) };
                Ok(updated(&group, args))
            }
            "admob_create_mediation_ab_experiment" | "admob_stop_mediation_ab_experiment" => {
                let Some(group) = self.group(workspace, args).await? else { return Ok(gone()) };
                Ok(experiment(&group, tool.name == "admob_create_mediation_ab_experiment"))
            }
            _ => Ok(ProbeOutcome::CannotTell {
                why: format!("there is no way to look for the outcome of {}", tool.title),
            }),
        }
    }

    async fn group(&self, workspace: WorkspaceId, args: &Json) -> Result<Option<Json>, ToolError> {
        let groups =
            self.list(workspace, "admob_list_mediation_groups", &json!({"account_id": args["account_id"]})).await?;
        Ok(groups.into_iter().find(|group| group["mediationGroupId"] == args["mediation_group_id"]))
    }

    async fn batch(&self, workspace: WorkspaceId, args: &Json) -> Result<ProbeOutcome, ToolError> {
        let requests = args["body"]["requests"].as_array().map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for request in requests {
            let unit = request["parent"].as_str().and_then(|parent| parent.rsplit('/').next()).unwrap_or_default();
            let of_unit = json!({"account_id": args["account_id"], "ad_unit_id": unit});
            let mappings = self.list(workspace, "admob_list_ad_unit_mappings", &of_unit).await?;
            found.extend(mappings.into_iter().find(|raw| holds(raw, &request["adUnitMapping"])));
        }
        Ok(match (found.len(), requests.len()) {
            (0, _) => ProbeOutcome::DidNotHappen { looked_at: "the mappings of the named ad units".into() },
            (some, all) if some == all => ProbeOutcome::Happened {
                summary: format!("{} are there", normalise::counted(Some(EntityKind::AdUnitMapping), all)),
                result: normalise::object(Some(EntityKind::AdUnitMapping), &json!({"adUnitMappings": found})),
            },
            (some, all) => ProbeOutcome::CannotTell { why: format!("{some} of {all} mappings are there") },
        })
    }
}

fn gone() -> ProbeOutcome {
    ProbeOutcome::CannotTell { why: "the mediation group is not listed any more".into() }
}

fn created(kind: EntityKind, existing: &[Json], wanted: &Json) -> ProbeOutcome {
    let mut matching = existing.iter().filter(|raw| holds(raw, wanted));
    let noun = crate::grounding::noun(kind);
    match (matching.next(), matching.count()) {
        (None, _) => ProbeOutcome::DidNotHappen {
            looked_at: format!("{} of the account", normalise::counted(Some(kind), existing.len())),
        },
        (Some(one), 0) => ProbeOutcome::Happened {
            summary: format!("The {noun} is there"),
            result: normalise::object(Some(kind), one),
        },
        (Some(_), more) => ProbeOutcome::CannotTell { why: format!("{} {noun}s look exactly like it", more + 1) },
    }
}

fn updated(group: &Json, args: &Json) -> ProbeOutcome {
    // Targeting lists are replaced as a whole, so they must be equal, not only contained.
    let units = |value: &Json| {
        let mut ids: Vec<String> = value["targeting"]["adUnitIds"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect();
        ids.sort();
        ids
    };
    let body = &args["body"];
    let same_units = body.pointer("/targeting/adUnitIds").is_none() || units(group) == units(body);
    if same_units && holds(group, body) {
        let name = group["displayName"].as_str().unwrap_or("the group").to_owned();
        return ProbeOutcome::Happened {
            summary: format!("{name} has the new values"),
            result: normalise::object(Some(EntityKind::MediationGroup), group),
        };
    }
    ProbeOutcome::DidNotHappen { looked_at: "the mediation group, which differs from what was sent".into() }
}

fn experiment(group: &Json, started: bool) -> ProbeOutcome {
    let running = match group["mediationAbExperimentState"].as_str() {
        Some("RUNNING") => true,
        Some("NOT_RUNNING") => false,
        _ => return ProbeOutcome::CannotTell { why: "the group does not say whether an A/B test runs".into() },
    };
    let state = if running { "an A/B test is running" } else { "no A/B test is running" };
    if running == started {
        return ProbeOutcome::Happened {
            summary: format!("On this group {state}"),
            result: normalise::object(Some(EntityKind::MediationGroup), group),
        };
    }
    ProbeOutcome::DidNotHappen { looked_at: format!("the mediation group: {state}") }
}

/// Whether `actual` has every field of `wanted`. Order of lists does not matter; new lines match whatever id they got; numbers
/// in quotes equal numbers; a removed line must be absent or removed.
fn holds(actual: &Json, wanted: &Json) -> bool {
    match wanted {
        Json::Object(fields) => fields.iter().all(|(name, wanted)| match name.as_str() {
            "mediationGroupLines" => lines_hold(&actual[name.as_str()], wanted),
            // A placeholder id, and a price that bidding lines ignore.
            "id" if wanted.as_str().is_some_and(|id| id.starts_with('-')) => true,
            "cpmMicros" if fields.get("cpmMode").is_some_and(|mode| mode == "LIVE") => true,
            _ => holds(&actual[name.as_str()], wanted),
        }),
        Json::Array(items) => {
            let actual = actual.as_array().map_or(&[][..], Vec::as_slice);
            items.iter().all(|item| actual.iter().any(|other| holds(other, item)))
        }
        leaf => plain(actual) == plain(leaf),
    }
}

fn lines_hold(actual: &Json, wanted: &Json) -> bool {
    let none = serde_json::Map::new();
    let actual = actual.as_object().unwrap_or(&none);
    let mut taken: Vec<&String> = Vec::new();
    wanted.as_object().into_iter().flatten().all(|(key, line)| {
        if !key.starts_with('-') {
            return match actual.get(key) {
                None => line["state"] == "REMOVED",
                Some(there) => there["state"] == line["state"] && line["state"] == "REMOVED" || holds(there, line),
            };
        }
        let found = actual.iter().find(|(id, there)| !taken.contains(id) && holds(there, line));
        taken.extend(found.map(|(id, _)| id));
        found.is_some()
    })
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_the_network_adds_do_not_matter_and_missing_ones_do() {
        let actual =
            json!({"displayName": "G", "state": "ENABLED", "targeting": {"adUnitIds": ["b", "a"], "format": "BANNER"}});
        assert!(holds(&actual, &json!({"displayName": "G", "targeting": {"adUnitIds": ["a", "b"]}})));
        assert!(!holds(&actual, &json!({"displayName": "H"})));
        assert!(!holds(&actual, &json!({"displayName": "G", "other": "x"})));
        assert!(holds(&json!({"n": "10"}), &json!({"n": 10})));
    }

    #[test]
    fn new_lines_match_whatever_id_they_got_but_each_once() {
        let actual =
            json!({"mediationGroupLines": {"77": {"adSourceId": "1", "cpmMode": "LIVE", "cpmMicros": "10000"}}});
        let one = json!({"-1": {"id": "-1", "adSourceId": "1", "cpmMode": "LIVE", "cpmMicros": "5"}});
        assert!(holds(&actual, &json!({"mediationGroupLines": one})));
        let two = json!({"-1": {"adSourceId": "1"}, "-2": {"adSourceId": "1"}});
        assert!(!holds(&actual, &json!({"mediationGroupLines": two})));
        assert!(holds(&actual, &json!({"mediationGroupLines": {"5": {"state": "REMOVED"}}})));
    }

    #[test]
    fn two_equal_objects_cannot_be_told_apart() {
        let app = json!({"appId": "x", "platform": "IOS"});
        let wanted = json!({"platform": "IOS"});
        assert!(matches!(created(EntityKind::App, std::slice::from_ref(&app), &wanted), ProbeOutcome::Happened { .. }));
        assert!(matches!(created(EntityKind::App, &[app.clone(), app], &wanted), ProbeOutcome::CannotTell { .. }));
        assert!(matches!(created(EntityKind::App, &[], &wanted), ProbeOutcome::DidNotHappen { .. }));
    }

    #[test]
    fn an_update_of_ad_units_must_be_equal() {
        let group = json!({"displayName": "G", "targeting": {"adUnitIds": ["a", "b"]}});
        let args = |ids: &[&str]| json!({"body": {"targeting": {"adUnitIds": ids}}});
        assert!(matches!(updated(&group, &args(&["b", "a"])), ProbeOutcome::Happened { .. }));
        assert!(matches!(updated(&group, &args(&["a"])), ProbeOutcome::DidNotHappen { .. }));
    }
}
