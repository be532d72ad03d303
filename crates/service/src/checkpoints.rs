//! Time travel: the saved states of a run.

use adagent_contract::{CheckpointDetail, CheckpointView};
use adagent_domain::{Actor, CheckpointId, RunId};

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Oldest first.
    pub async fn checkpoints(&self, actor: &Actor, run: RunId) -> ServiceResult<Vec<CheckpointView>> {
        self.find_run(actor, run).await?;
        let rows = self.store.list_checkpoints(run).await?;
        Ok(rows
            .into_iter()
            .map(|row| CheckpointView {
                id: row.id,
                step: row.step,
                seq: row.seq,
                node: row.node,
                created_at: row.created_at,
            })
            .collect())
    }

    /// One saved state.
    pub async fn checkpoint(&self, actor: &Actor, run: RunId, id: CheckpointId) -> ServiceResult<CheckpointDetail> {
        self.find_run(actor, run).await?;
        let row = self.store.find_checkpoint(run, id).await?.ok_or(ServiceError::NotFound("checkpoint"))?;
        let state = serde_json::from_str(&row.state)
            .map_err(|error| ServiceError::Internal(format!("state of checkpoint {id} cannot be read: {error}")))?;
        let checkpoint =
            CheckpointView { id: row.id, step: row.step, seq: row.seq, node: row.node, created_at: row.created_at };
        Ok(CheckpointDetail { checkpoint, state })
    }
}
