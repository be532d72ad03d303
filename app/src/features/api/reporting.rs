//! The reporting time zone of the workspace.

use adagent_contract::ReportingView;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// What holds, and what can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportingChoice {
    pub view: ReportingView,
    /// Names, each with what else it is found by.
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

/// An empty field counts days as the accounts do.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "set-reporting", client = super::DeskClient)]
pub async fn set_reporting(zone: String) -> Result<ReportingView, ApiError> {
    use super::who::server;
    let zone = Some(zone.trim().to_owned()).filter(|zone| !zone.is_empty());
    let settings = adagent_contract::ReportingSettings { time_zone: zone };
    let (service, actor) = server::actor().await?;
    service.set_reporting(&server::granted(&actor)?, settings).await.map_err(server::fail)
}
