//! Stopping a run, overriding a stop, going on from a saved state.

use adagent_contract::{FieldError, OverrideRequest, codes};
use adagent_domain::{Actor, CheckpointId, Permission, RunId};
use adagent_runtime::ControlError;

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Stops at the next safe point. A run that is over stays as it is.
    pub async fn cancel_run(&self, actor: &Actor, id: RunId) -> ServiceResult<()> {
        adagent_runtime::cancel(&self.runtime, actor, id).await.map_err(|error| refused(error, "run"))?;
        Ok(())
    }

    /// Corrected arguments after a deterministic stop; the approval of a write follows as usual, in a new run.
    pub async fn override_run(&self, actor: &Actor, id: RunId, request: OverrideRequest) -> ServiceResult<RunId> {
        Self::require(actor, Permission::Chat, "override a stop")?;
        if !request.args.is_object() {
            return Err(ServiceError::field("/args", "Expected an object with the arguments of the call."));
        }
        adagent_runtime::override_run(&self.runtime, actor, id, request).await.map_err(|error| refused(error, "run"))
    }

    /// A new run that goes on from a saved state; writes that happened are not repeated.
    pub async fn fork(&self, actor: &Actor, id: RunId, checkpoint: CheckpointId) -> ServiceResult<RunId> {
        Self::require(actor, Permission::Chat, "fork a run")?;
        self.find_run(actor, id).await?;
        adagent_runtime::fork_run(&self.runtime, actor, id, checkpoint)
            .await
            .map_err(|error| refused(error, "checkpoint"))
    }
}

fn refused(error: ControlError, what: &'static str) -> ServiceError {
    match error {
        ControlError::NotFound => ServiceError::NotFound(what),
        ControlError::NotPossible(detail) => ServiceError::Conflict { code: codes::CONFLICT, detail },
        ControlError::Invalid(errors) => {
            ServiceError::Validation(errors.into_iter().map(|error| under_args(&error)).collect())
        }
        ControlError::State(error) => ServiceError::Internal(format!("a saved state cannot be used: {error}")),
        ControlError::Store(error) => error.into(),
    }
}

/// Pointers into the arguments become pointers into the request.
fn under_args(error: &FieldError) -> FieldError {
    let pointer =
        if error.pointer.starts_with("/args") { error.pointer.clone() } else { format!("/args{}", error.pointer) };
    FieldError::new(pointer, error.message.clone())
}
