//! In which time zone a workspace counts its days.

use adagent_contract::{ReportingSettings, ReportingView};
use adagent_domain::{Actor, Granted, rights::ManageConnections};
use adagent_runtime::reporting_day;
use serde_json::json;

use crate::{Service, ServiceResult, validate::Fields};

impl Service {
    pub async fn reporting(&self, actor: &Actor) -> ServiceResult<ReportingView> {
        let chosen = self.store.find_time_zone(actor.workspace).await?;
        let day = reporting_day(&self.runtime, actor.workspace).await?;
        Ok(ReportingView { settings: ReportingSettings { time_zone: chosen }, time_zone: day.zone, today: day.date })
    }

    /// Holds from the next question on; answers that were given keep their days.
    pub async fn set_reporting(
        &self,
        actor: &Granted<ManageConnections>,
        settings: ReportingSettings,
    ) -> ServiceResult<ReportingView> {
        let mut fields = Fields::default();
        let given = settings.time_zone.as_deref().map(str::trim).filter(|zone| !zone.is_empty());
        let zone = given.and_then(known);
        if given.is_some() && zone.is_none() {
            fields.wrong("/time_zone", "Choose a time zone from the list, such as America/New_York.");
        }
        fields.done()?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        work.put_time_zone(actor.workspace, zone.as_deref(), self.clock.now()).await?;
        let detail = json!({"time_zone": zone});
        self.audit(&mut *work, actor, "reporting.changed", actor.workspace, detail).await?;
        work.commit().await?;
        self.reporting(actor).await
    }

    /// What can be chosen, by name.
    pub fn time_zones(&self) -> Vec<String> {
        let mut names: Vec<String> = jiff::tz::db()
            .available()
            .map(|name| name.to_string())
            .filter(|name| name == "UTC" || name.contains('/') && !OTHER_NAMES.iter().any(|old| name.starts_with(old)))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Older names of zones, and zones named by an offset whose sign reads the wrong way round.
const OTHER_NAMES: [&str; 7] = ["Etc/", "US/", "SystemV/", "Brazil/", "Canada/", "Chile/", "Mexico/"];

/// The zone's own spelling.
fn known(name: &str) -> Option<String> {
    let zone = jiff::tz::TimeZone::get(name).ok()?;
    zone.iana_name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_known_by_their_iana_names_in_any_case() {
        assert_eq!(known("america/new_york").as_deref(), Some("America/New_York"));
        assert_eq!(known("UTC").as_deref(), Some("UTC"));
        assert_eq!(known("Mars/Olympus"), None);
        assert_eq!(known("../../etc/passwd"), None);
    }
}
