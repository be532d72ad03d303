//! Runs, for the viewer.

use adagent_contract::{Page, RunEvent, RunView};
use adagent_domain::RunId;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// Everything the run viewer draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPage {
    pub run: RunView,
    pub events: Vec<RunEvent>,
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "run-page")]
pub async fn read_run(id: RunId) -> Result<RunPage, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let run = service.run(&actor, id).await.map_err(server::fail)?;
    let events = service.all_events(&actor, id).await.map_err(server::fail)?;
    Ok(RunPage { run, events })
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "runs")]
pub async fn runs(cursor: Option<String>) -> Result<Page<RunView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.list_runs(&actor, cursor, Some(50)).await.map_err(server::fail)
}
