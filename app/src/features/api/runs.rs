//! Runs, for the viewer.

use adagent_contract::{CheckpointDetail, CheckpointView, Page, RunEvent, RunView};
use adagent_domain::{CheckpointId, RunId};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// Everything the run viewer draws at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPage {
    pub run: RunView,
    pub events: Vec<RunEvent>,
    /// Oldest first.
    pub checkpoints: Vec<CheckpointView>,
}

/// A saved state and the one before it, so that what changed can be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointPair {
    pub now: CheckpointDetail,
    pub before: Option<CheckpointDetail>,
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "run-page")]
pub async fn read_run(id: RunId) -> Result<RunPage, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let run = service.run(&actor, id).await.map_err(server::fail)?;
    let events = service.all_events(&actor, id).await.map_err(server::fail)?;
    let checkpoints = service.checkpoints(&actor, id).await.map_err(server::fail)?;
    Ok(RunPage { run, events, checkpoints })
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "checkpoint")]
pub async fn read_checkpoint(
    run: RunId,
    id: CheckpointId,
    before: Option<CheckpointId>,
) -> Result<CheckpointPair, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let now = service.checkpoint(&actor, run, id).await.map_err(server::fail)?;
    let before = match before {
        Some(before) => Some(service.checkpoint(&actor, run, before).await.map_err(server::fail)?),
        None => None,
    };
    Ok(CheckpointPair { now, before })
}

/// Goes on from a saved state in a new run, and leads to it.
#[server(prefix = "/desk", endpoint = "fork")]
pub async fn fork_run(run: RunId, checkpoint: CheckpointId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let forked = service.fork(&actor, run, checkpoint).await.map_err(server::fail)?;
    leptos_axum::redirect(&format!("/runs/{forked}"));
    Ok(())
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "runs")]
pub async fn runs(cursor: Option<String>) -> Result<Page<RunView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.list_runs(&actor, cursor, Some(50)).await.map_err(server::fail)
}
