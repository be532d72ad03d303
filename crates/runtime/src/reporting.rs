//! The current day of a workspace, in the time zone that it chose or otherwise in its account's. Also finds the networks where it is still
//! an earlier day.

use std::collections::BTreeMap;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, Timestamp, WorkspaceId};
use adagent_llm::NetworkDay;
use adagent_store::StoreResult;

use crate::{context::Material, deps::RuntimeDeps};

/// The time zone of networks whose accounts name none.
const UTC: &str = "Etc/UTC";

/// A date, and the time zone that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportingDay {
    /// `2026-11-21`.
    pub date: String,
    /// An IANA name.
    pub zone: String,
}

pub async fn reporting_day(deps: &RuntimeDeps, workspace: WorkspaceId) -> StoreResult<ReportingDay> {
    if let Some(zone) = deps.store.find_time_zone(workspace).await?
        && let Ok(local) = deps.clock.now().to_jiff().in_tz(&zone)
    {
        return Ok(ReportingDay { date: local.date().to_string(), zone });
    }
    let (date, zone) = deps.gateway.today(workspace).await;
    Ok(ReportingDay { date, zone })
}

/// Returns the connected networks where it is still an earlier day than in the workspace, by the time zones of their accounts.
pub(crate) fn earlier_days(turn: &Material, connected: &[Network]) -> BTreeMap<Network, NetworkDay> {
    earlier(turn.now, &turn.today, connected, turn.entities.as_deref().map_or(&[], Vec::as_slice))
}

fn earlier(
    now: Timestamp,
    today: &str,
    connected: &[Network],
    entities: &[EntityItem],
) -> BTreeMap<Network, NetworkDay> {
    let day = |zone: &str| {
        let date = now.to_jiff().in_tz(zone).ok()?.date().to_string();
        Some(NetworkDay { date, zone: zone.to_owned() })
    };
    let of = |network: Network| {
        let accounts = entities.iter().filter(|item| item.network == network && item.kind == EntityKind::Account);
        let named = accounts.filter_map(|item| {
            let said = ["reportingTimeZone", "timeZone"].iter().find_map(|key| item.raw[*key].as_str());
            day(said?)
        });
        named.chain(if network.uses_oauth() { None } else { day(UTC) }).min_by(|a, b| a.date.cmp(&b.date))
    };
    let found = connected.iter().filter_map(|network| Some((*network, of(*network)?)));
    found.filter(|(_, day)| day.date.as_str() < today).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(network: Network, zone: &str) -> EntityItem {
        EntityItem {
            network,
            kind: EntityKind::Account,
            id: "1".into(),
            name: "1".into(),
            parent: None,
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: serde_json::json!({"reportingTimeZone": zone}).into(),
        }
    }

    #[test]
    fn a_day_that_is_over_for_the_workspace_runs_on_where_a_network_counts_behind_it() {
        let now = "2026-11-26T23:30:00Z".parse().unwrap();
        let networks = [Network::AdMob, Network::AdManager, Network::Unity];
        let accounts = [account(Network::AdMob, "Europe/Berlin"), account(Network::AdManager, "America/Los_Angeles")];
        let found = earlier(now, "2026-11-27", &networks, &accounts);
        let told: Vec<_> =
            found.iter().map(|(network, day)| (*network, day.date.as_str(), day.zone.as_str())).collect();
        let expected = [(Network::AdManager, "2026-11-26", "America/Los_Angeles"), (Network::Unity, "2026-11-26", UTC)];
        assert_eq!(told, expected);
        assert!(earlier(now, "2026-11-26", &networks[2..], &[]).is_empty());
    }
}
