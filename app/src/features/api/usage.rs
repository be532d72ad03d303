//! What the workspace spent on hosted models today.

use adagent_contract::UsageToday;
use leptos::prelude::*;

use super::ApiError;

/// Returns today's usage; `None` if no hosted model is set up, because the local planner costs nothing.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "usage", client = super::DeskClient)]
pub async fn read_usage() -> Result<Option<UsageToday>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    if service.models().iter().all(|model| model == "local") {
        return Ok(None);
    }
    service.usage_today(&actor).await.map(Some).map_err(server::fail)
}
