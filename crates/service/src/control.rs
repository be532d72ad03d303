//! Stopping a run, overriding a stop, forking from a saved state.

use adagent_contract::OverrideRequest;
use adagent_domain::{Actor, CheckpointId, RunId};

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Stops at the next safe point.
    pub async fn cancel_run(&self, actor: &Actor, id: RunId) -> ServiceResult<()> {
        self.find_run(actor, id).await?;
        Err(ServiceError::Unavailable("Stopping comes with the engine."))
    }

    /// Corrected arguments after a deterministic stop.
    pub async fn override_run(&self, actor: &Actor, id: RunId, request: OverrideRequest) -> ServiceResult<RunId> {
        let _ = request;
        self.find_run(actor, id).await?;
        Err(ServiceError::Unavailable("Overriding comes with the engine."))
    }

    /// A new run that goes on from a saved state; writes that happened are not repeated.
    pub async fn fork(&self, actor: &Actor, id: RunId, checkpoint: CheckpointId) -> ServiceResult<RunId> {
        let _ = checkpoint;
        self.find_run(actor, id).await?;
        Err(ServiceError::Unavailable("Forking comes with the engine."))
    }
}
