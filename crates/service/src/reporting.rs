//! The time zone in which a workspace counts its days.

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

    /// Sets the time zone. It applies from the next question on; earlier answers keep their days.
    pub async fn set_reporting(
        &self,
        actor: &Granted<ManageConnections>,
        settings: ReportingSettings,
    ) -> ServiceResult<ReportingView> {
        let mut fields = Fields::default();
        let given = settings.time_zone.as_deref().map(str::trim).filter(|zone| !zone.is_empty());
        let zone = given.and_then(known);
        if given.is_some() && zone.is_none() {
            fields.wrong("/time_zone", "Enter a city or a time zone, such as New York, Pacific or UTC.");
        }
        fields.done()?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        work.put_time_zone(actor.workspace, zone.as_deref(), self.clock.now()).await?;
        let detail = json!({"time_zone": zone});
        self.audit(&mut *work, actor, "reporting.changed", actor.workspace, detail).await?;
        work.commit().await?;
        self.reporting(actor).await
    }

    /// Lists the time zones to choose from, by name.
    pub fn time_zones(&self) -> Vec<String> {
        zones()
    }
}

/// Older names of zones, and zones named by an offset whose sign reads the wrong way around.
const OTHER_NAMES: [&str; 7] = ["Etc/", "US/", "SystemV/", "Brazil/", "Canada/", "Chile/", "Mexico/"];

/// People's names for zones that are officially named after a city.
const SPOKEN: [(&str, &str); 9] = [
    ("Pacific time, PT, PST, PDT", "America/Los_Angeles"),
    ("Mountain time, MT, MST, MDT", "America/Denver"),
    ("Central time, CT, CST, CDT", "America/Chicago"),
    ("Eastern time, ET, EST, EDT", "America/New_York"),
    ("Central European time, CET, CEST", "Europe/Berlin"),
    ("UK time, BST", "Europe/London"),
    ("India time, IST", "Asia/Kolkata"),
    ("China time, Beijing", "Asia/Shanghai"),
    ("Japan time, JST", "Asia/Tokyo"),
];

/// Returns the words that find a zone besides its name: `New York (Eastern time, ET, EST, EDT)`.
#[must_use]
pub fn spoken_zone(name: &str) -> String {
    let city = name.rsplit('/').next().unwrap_or(name).replace('_', " ");
    match SPOKEN.iter().find(|(_, zone)| *zone == name) {
        Some((spoken, _)) => format!("{city} ({spoken})"),
        None => city,
    }
}

/// Finds the official name of a zone from its name, its city, or people's name for it.
fn known(text: &str) -> Option<String> {
    let by_name = |name: &str| jiff::tz::TimeZone::get(name).ok()?.iana_name().map(str::to_owned);
    let said = text.to_lowercase();
    let means = |spoken: &str| {
        spoken.split(", ").map(str::to_lowercase).any(|one| one == said || one.strip_suffix(" time") == Some(&said))
    };
    let city = said.replace(' ', "_");
    SPOKEN
        .iter()
        .find(|(spoken, _)| means(spoken))
        .map(|(_, zone)| (*zone).to_owned())
        .or_else(|| by_name(text))
        .or_else(|| zones().into_iter().find(|zone| zone.to_lowercase().rsplit('/').next() == Some(&city)))
}

fn zones() -> Vec<String> {
    let mut names: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .filter(|name| name == "UTC" || name.contains('/') && !OTHER_NAMES.iter().any(|old| name.starts_with(old)))
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_known_by_their_iana_names_in_any_case() {
        assert_eq!(known("america/new_york").as_deref(), Some("America/New_York"));
        assert_eq!(known("UTC").as_deref(), Some("UTC"));
        assert_eq!(known("Mars/Olympus"), None);
        assert_eq!(known(""), None);
        assert_eq!(known("../../etc/passwd"), None);
    }

    #[test]
    fn zones_are_known_by_their_cities_and_by_what_people_call_them() {
        for (said, zone) in [
            ("new york", "America/New_York"),
            ("Pacific", "America/Los_Angeles"),
            ("pacific time", "America/Los_Angeles"),
            ("EST", "America/New_York"),
            ("berlin", "Europe/Berlin"),
            ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ] {
            assert_eq!(known(said).as_deref(), Some(zone), "{said}");
        }
        assert_eq!(spoken_zone("America/New_York"), "New York (Eastern time, ET, EST, EDT)");
        for (_, zone) in SPOKEN {
            assert!(zones().iter().any(|known| known == zone), "{zone}");
        }
    }
}
