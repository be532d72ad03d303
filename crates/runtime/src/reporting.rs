//! Which day it is for a workspace: in the time zone it chose, else in its account's.

use adagent_domain::WorkspaceId;
use adagent_store::StoreResult;

use crate::deps::RuntimeDeps;

/// A civil date and the zone it is read in.
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
