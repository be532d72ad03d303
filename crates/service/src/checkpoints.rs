//! Time travel: the checkpoints of a run, and the differences between two of them.

use adagent_contract::{CheckpointComparison, CheckpointDetail, CheckpointView, diff};
use adagent_domain::{Actor, CheckpointId, RunId};
use adagent_store::CheckpointSummary;
use serde_json::Value as Json;

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Lists the checkpoints, oldest first.
    pub async fn checkpoints(&self, actor: &Actor, run: RunId) -> ServiceResult<Vec<CheckpointView>> {
        self.find_run(actor, run).await?;
        Ok(self.store.list_checkpoints(run).await?.into_iter().map(view).collect())
    }

    /// Returns one checkpoint.
    pub async fn checkpoint(&self, actor: &Actor, run: RunId, id: CheckpointId) -> ServiceResult<CheckpointDetail> {
        self.find_run(actor, run).await?;
        self.detail(run, id).await
    }

    /// Compares two checkpoints of a run. Without `from`, compares with the one before.
    pub async fn compare_checkpoints(
        &self,
        actor: &Actor,
        run: RunId,
        to: CheckpointId,
        from: Option<CheckpointId>,
    ) -> ServiceResult<CheckpointComparison> {
        self.find_run(actor, run).await?;
        let to = self.detail(run, to).await?;
        let from = if from.is_some() {
            from
        } else {
            let saved = self.store.list_checkpoints(run).await?;
            saved.into_iter().rfind(|saved| saved.step < to.checkpoint.step).map(|saved| saved.id)
        };
        let from = match from {
            Some(from) => Some(self.detail(run, from).await?),
            None => None,
        };
        let before = from.as_ref().map_or_else(|| serde_json::json!({}), |from| from.state.clone());
        let changes = diff(&before, &to.state);
        Ok(CheckpointComparison { from: from.map(|from| from.checkpoint), to: to.checkpoint, changes })
    }

    async fn detail(&self, run: RunId, id: CheckpointId) -> ServiceResult<CheckpointDetail> {
        let row = self.store.find_checkpoint(run, id).await?.ok_or(ServiceError::NotFound("checkpoint"))?;
        let state = serde_json::from_str(&row.state)
            .map_err(|error| ServiceError::Internal(format!("state of checkpoint {id} cannot be read: {error}")))?;
        let state = plain(state);
        let checkpoint =
            CheckpointView { id: row.id, step: row.step, seq: row.seq, node: row.node, created_at: row.created_at };
        Ok(CheckpointDetail { checkpoint, state })
    }
}

fn view(row: CheckpointSummary) -> CheckpointView {
    CheckpointView { id: row.id, step: row.step, seq: row.seq, node: row.node, created_at: row.created_at }
}

/// Returns the stored state as people read it: the ledger and the run's own fields in one object, without technical fields.
fn plain(mut stored: Json) -> Json {
    let mut state = stored["state"].take();
    if let Some(fields) = state.as_object_mut()
        && let Some(Json::Object(ledger)) = fields.remove("ledger")
    {
        fields.extend(ledger.into_iter().filter(|(name, _)| name != "limits" && name != "page"));
    }
    state
}
