//! The reporting time zone of the workspace.

use adagent_contract::ReportingView;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The current time zone, and the zones to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportingChoice {
    pub view: ReportingView,
    /// Zone names, each with other words that a search finds it by.
    pub zones: Vec<(String, String)>,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "reporting", client = super::DeskClient)]
pub async fn reporting() -> Result<ReportingChoice, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let view = service.reporting(&actor).await.map_err(server::fail)?;
    let zones = service.time_zones().into_iter().map(|zone| (zone.clone(), adagent_service::spoken_zone(&zone)));
    Ok(ReportingChoice { view, zones: zones.collect() })
}

/// Sets the reporting time zone. An empty field means that each account counts days in its own zone.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "set-reporting", client = super::DeskClient)]
pub async fn set_reporting(zone: String) -> Result<ReportingView, ApiError> {
    use super::who::server;
    let zone = Some(zone.trim().to_owned()).filter(|zone| !zone.is_empty());
    let settings = adagent_contract::ReportingSettings { time_zone: zone };
    let (service, actor) = server::actor().await?;
    service.set_reporting(&server::granted(&actor)?, settings).await.map_err(server::fail)
}
