//! Stops a run, overrides a stop, continues from a checkpoint.

use adagent_contract::{ChangeState, FieldError, ForkRequest, OverrideRequest, codes};
use adagent_domain::{Actor, ApprovalId, CheckpointId, Granted, RunId, rights::Chat};
use adagent_runtime::ControlError;

use crate::{
    Service, ServiceError, ServiceResult,
    idempotency::Keyed,
    send::MAX_MESSAGE,
    validate::{self, Fields},
};

impl Service {
    /// Stops a run at the next safe point. A run that is over stays as it is.
    pub async fn cancel_run(&self, actor: &Actor, id: RunId) -> ServiceResult<()> {
        adagent_runtime::cancel(&self.runtime, actor, id).await.map_err(|error| refused(error, "run"))?;
        Ok(())
    }

    /// Begins a new run with corrected arguments after the stop policy ended one. A write then needs approval as usual.
    pub async fn override_run(
        &self,
        actor: &Granted<Chat>,
        id: RunId,
        request: OverrideRequest,
    ) -> ServiceResult<RunId> {
        self.override_run_once(actor, id, request, None).await
    }

    /// Overrides a stop, once per idempotency key.
    pub async fn override_run_once(
        &self,
        actor: &Granted<Chat>,
        id: RunId,
        request: OverrideRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<RunId> {
        let keyed = Keyed::new(idempotency_key, "runs.override", &(id, &request))?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        if !request.args.is_object() {
            return Err(ServiceError::field("/args", "Expected an object with the arguments of the call."));
        }
        self.may_begin(actor, id).await?;
        let receipt = keyed.as_ref().map(Keyed::receipt);
        let begun = adagent_runtime::override_run_once(&self.runtime, actor, id, request, receipt).await;
        self.begun(actor, begun, keyed.as_ref(), "run").await
    }

    /// Begins a new run from a checkpoint, perhaps with another message or other arguments. It does not repeat writes that already
    /// happened. Works once per idempotency key.
    pub async fn fork(
        &self,
        actor: &Granted<Chat>,
        id: RunId,
        checkpoint: CheckpointId,
        request: ForkRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<RunId> {
        let keyed = Keyed::new(idempotency_key, "runs.fork", &(id, checkpoint, &request))?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        let request = checked_fork(request)?;
        self.may_begin(actor, id).await?;
        let receipt = keyed.as_ref().map(Keyed::receipt);
        let begun = adagent_runtime::fork_run_with(&self.runtime, actor, id, checkpoint, &request, receipt).await;
        self.begun(actor, begun, keyed.as_ref(), "checkpoint").await
    }

    /// Begins a run that proposes to restore the values before a change. It needs approval like any other. Works once per idempotency key.
    pub async fn undo(
        &self,
        actor: &Granted<Chat>,
        id: ApprovalId,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<RunId> {
        let keyed = Keyed::new(idempotency_key, "approvals.undo", &id)?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        // A person who may answer for others may still undo only their own changes.
        let own = self.find_approval(actor, id).await?;
        let own = if own.user == actor.user { own.view } else { return Err(ServiceError::NotFound("approval")) };
        self.may_begin(actor, own.run_id).await?;
        let receipt = keyed.as_ref().map(Keyed::receipt);
        let begun = adagent_runtime::undo_once(&self.runtime, actor, id, receipt).await;
        self.begun(actor, begun, keyed.as_ref(), "approval").await
    }

    /// Returns the state of a change that can be undone.
    pub async fn change_state(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ChangeState> {
        let state = adagent_runtime::change_state(&self.runtime, actor, id).await;
        state.map_err(|error| refused(error, "approval"))
    }

    /// Checks the limits: one more run in the chat costs as much as a message, so the same limits apply.
    async fn may_begin(&self, actor: &Actor, beside: RunId) -> ServiceResult<()> {
        self.limits.chat(actor.user)?;
        let run = self.find_run(actor, beside).await?;
        let turn = run.turn().ok_or(ServiceError::NotFound("run"))?;
        self.has_room(actor, turn.session).await
    }

    async fn begun(
        &self,
        actor: &Actor,
        begun: Result<RunId, ControlError>,
        keyed: Option<&Keyed>,
        what: &'static str,
    ) -> ServiceResult<RunId> {
        match (begun, keyed) {
            (Err(ControlError::Repeated), Some(keyed)) => self.answered_first(actor, keyed).await,
            (begun, _) => begun.map_err(|error| refused(error, what)),
        }
    }
}

fn checked_fork(request: ForkRequest) -> ServiceResult<ForkRequest> {
    let ForkRequest { message, tool_call_id, args } = request;
    let mut fields = Fields::default();
    if message.is_some() && (args.is_some() || tool_call_id.is_some()) {
        fields.wrong("/args", "Send either a new message or new arguments, not both.");
    }
    if args.as_ref().is_some_and(|args| !args.is_object()) {
        fields.wrong("/args", "Expected an object with the arguments of the call.");
    }
    if args.is_none() && tool_call_id.is_some() && message.is_none() {
        fields.wrong("/args", "Send the new arguments for the call.");
    }
    let message = message.and_then(|text| fields.take("/message", validate::text(&text, "The message", MAX_MESSAGE)));
    fields.done()?;
    Ok(ForkRequest { message, tool_call_id, args })
}

pub(crate) fn refused(error: ControlError, what: &'static str) -> ServiceError {
    match error {
        ControlError::NotFound => ServiceError::NotFound(what),
        ControlError::Repeated => ServiceError::Internal("a repeated request without a key".into()),
        ControlError::AlreadyOpen => {
            ServiceError::Conflict { code: codes::CONFLICT, detail: "A run for this is still open.".into() }
        }
        ControlError::NotPossible(detail) => ServiceError::Conflict { code: codes::CONFLICT, detail },
        ControlError::Invalid(errors) => {
            ServiceError::Validation(errors.into_iter().map(|error| under_args(&error)).collect())
        }
        ControlError::State(error) => ServiceError::Internal(format!("a checkpoint can't be used: {error}")),
        ControlError::Store(error) => error.into(),
    }
}

/// Turns pointers into the arguments into pointers into the request.
fn under_args(error: &FieldError) -> FieldError {
    let known = ["/args", "/tool_call_id"].iter().any(|field| error.pointer.starts_with(field));
    let pointer = if known { error.pointer.clone() } else { format!("/args{}", error.pointer) };
    FieldError::new(pointer, error.message.clone())
}
