//! Records a person's answer to an approval.

use adagent_contract::{AnswerRequest, ApprovalStatus, codes};
use adagent_domain::{ApprovalId, ChatSessionId, Granted, RunId, rights::ApproveWrites};
use adagent_runtime::{AnswerError, Choices};
use adagent_tools::ToolError;
use serde::{Deserialize, Serialize};

use crate::{
    Service, ServiceError, ServiceResult,
    idempotency::Keyed,
    validate::{self, Fields},
};

const MAX_REASON: usize = 1000;

/// Which run continues, and the event after which readers continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub run_id: RunId,
    /// `None` if the run does not answer a message.
    pub session_id: Option<ChatSessionId>,
    /// `None` for another person's run, which only they can read.
    pub after: Option<u64>,
}

impl Service {
    /// Records the answer. The first answer counts, and the run continues.
    pub async fn answer_approval(
        &self,
        actor: &Granted<ApproveWrites>,
        request: AnswerRequest,
    ) -> ServiceResult<RunId> {
        Ok(self.answer_approval_once(actor, request, None).await?.run_id)
    }

    /// Records an answer once per idempotency key.
    pub async fn answer_approval_once(
        &self,
        actor: &Granted<ApproveWrites>,
        mut request: AnswerRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<Answered> {
        let keyed = Keyed::new(idempotency_key, "approvals.answer", &request)?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        check(&mut request)?;
        let record = self.find_approval(actor, request.approval_id).await?;
        let (run_id, own) = (record.view.run_id, record.user == actor.user);
        // Read this before the answer, so that readers also get the answer's event. Another person's run is theirs alone to read.
        let after = if own { Some(self.find_run(actor, run_id).await?.last_seq) } else { None };
        let session_id = record.view.session_id.filter(|_| own);
        let answered = Answered { run_id, session_id, after };
        let by_name = self.name_of(actor.user).await?;
        let told = serde_json::to_value(answered).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let kept = keyed.as_ref().map(|keyed| (keyed.receipt(), &told));
        // This call commits the decision, the event, the audit log entry and the key together.
        match adagent_runtime::answer_once(&self.runtime, actor, &by_name, request, kept).await {
            Ok(_) => Ok(answered),
            // If the same request came twice at once, the faster one answers for both.
            Err(error) => match self.answered_before(actor, keyed.as_ref()).await? {
                Some(first) => Ok(first),
                None => Err(refused(error)),
            },
        }
    }
}

impl Service {
    /// Returns the choices that the form of a pending approval offers for these arguments.
    pub async fn form_choices(
        &self,
        actor: &Granted<ApproveWrites>,
        approval: ApprovalId,
        args: &serde_json::Value,
    ) -> ServiceResult<Choices> {
        adagent_runtime::form_choices(&self.runtime, actor, approval, args).await.map_err(refused)
    }
}

fn check(request: &mut AnswerRequest) -> ServiceResult<()> {
    let mut fields = Fields::default();
    if let Some(reason) = request.reason.take().filter(|reason| !reason.trim().is_empty()) {
        request.reason = fields.take("/reason", validate::text(&reason, "The reason", MAX_REASON));
    }
    if request.edited_args.as_ref().is_some_and(|args| !args.is_object()) {
        fields.wrong("/edited_args", "Expected an object with the arguments of the call.");
    }
    fields.done()
}

fn refused(error: AnswerError) -> ServiceError {
    match error {
        AnswerError::NotFound => ServiceError::NotFound("approval"),
        AnswerError::Forbidden(denied) => denied.into(),
        AnswerError::AlreadyAnswered(status) => already(status),
        AnswerError::Expired => already(ApprovalStatus::Expired),
        AnswerError::RunOver => conflict("This run has ended. Ask again to make the change."),
        AnswerError::Stopping => {
            conflict("This run is being stopped, so nothing more is sent. Ask again to make the change.")
        }
        AnswerError::Invalid(errors) => ServiceError::Validation(errors),
        AnswerError::Network(error) => network(&error),
        AnswerError::Store(error) => error.into(),
    }
}

fn conflict(detail: &str) -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail: detail.into() }
}

fn already(status: ApprovalStatus) -> ServiceError {
    let what = match status {
        ApprovalStatus::Approved => "approved",
        ApprovalStatus::Denied => "denied",
        ApprovalStatus::Cancelled => "canceled",
        ApprovalStatus::Expired => "expired",
        ApprovalStatus::Pending => "answered by someone else",
    };
    ServiceError::Conflict {
        code: codes::APPROVAL_ANSWERED,
        detail: format!(
            "This approval was already {what}; the first answer counts. To change something else, ask again."
        ),
    }
}

/// Returns the error for edited arguments that we could not check with the network. No answer was recorded, so the person can try again.
fn network(error: &ToolError) -> ServiceError {
    tracing::warn!(code = error.code, message = error.message, "edited arguments could not be checked");
    ServiceError::Unavailable("We couldn't check your edits with the network. Nothing was sent; try again in a moment.")
}
