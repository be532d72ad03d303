//! Runs, for the viewer.

use adagent_contract::{
    CheckpointComparison, CheckpointDetail, CheckpointView, Page, RunEvent, RunRow, RunView, TurnView,
};
use adagent_domain::{CheckpointId, RunId, ToolCallId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// Everything that the run page draws at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPage {
    pub run: RunView,
    pub events: Vec<RunEvent>,
    /// The oldest checkpoint comes first.
    pub checkpoints: Vec<CheckpointView>,
}

/// A checkpoint, and what changed in it since another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointPair {
    pub now: CheckpointDetail,
    pub since: CheckpointComparison,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "run-page", client = super::DeskClient)]
pub async fn read_run(id: RunId) -> Result<RunPage, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let run = service.run(&actor, id).await.map_err(server::fail)?;
    let events = service.all_events(&actor, id).await.map_err(server::fail)?;
    let checkpoints = service.checkpoints(&actor, id).await.map_err(server::fail)?;
    Ok(RunPage { run, events, checkpoints })
}

/// Returns a turn with full reports. The page of a chat leaves the reports out.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "turn", client = super::DeskClient)]
pub async fn read_turn(id: RunId) -> Result<TurnView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.whole_turn(&actor, id).await.map_err(server::fail)
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "checkpoint", client = super::DeskClient)]
pub async fn read_checkpoint(
    run: RunId,
    id: CheckpointId,
    from: Option<CheckpointId>,
) -> Result<CheckpointPair, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let now = service.checkpoint(&actor, run, id).await.map_err(server::fail)?;
    let since = service.compare_checkpoints(&actor, run, id, from).await.map_err(server::fail)?;
    Ok(CheckpointPair { now, since })
}

/// Forks a run from a checkpoint and opens the new run. The fork continues the saved state as it is, with another message, or
/// with other arguments (JSON, as typed) of one call.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "fork", client = super::DeskClient)]
pub async fn fork_run(
    run: RunId,
    checkpoint: CheckpointId,
    message: Option<String>,
    tool_call_id: Option<ToolCallId>,
    args: Option<String>,
) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let args = match args.as_deref().map(serde_json::from_str) {
        None => None,
        Some(Ok(args)) => Some(args),
        Some(Err(error)) => {
            let detail =
                format!("The arguments are not valid JSON (line {}, column {}).", error.line(), error.column());
            return Err(server::refuse("/args", &detail));
        }
    };
    let request = adagent_contract::ForkRequest { message, tool_call_id, args };
    let forked = service.fork(&server::granted(&actor)?, run, checkpoint, request, None).await.map_err(server::fail)?;
    server::redirect(&format!("/runs/{forked}"));
    Ok(())
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "runs", client = super::DeskClient)]
pub async fn runs(show: String, text: String, cursor: Option<String>) -> Result<Page<RunRow>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    // If the filter in the address is mistyped, show every run instead of an error.
    let filter = adagent_contract::RunFilter::parse(&show).unwrap_or_default();
    let search = adagent_service::RunSearch { filter, text };
    service.find_runs(&actor, &search, cursor, Some(50)).await.map_err(server::fail)
}
