//! A person answers an approval.

use adagent_contract::AnswerRequest;
use adagent_domain::{Actor, ChatSessionId, RunId};
use serde::{Deserialize, Serialize};

use crate::{Service, ServiceError, ServiceResult};

/// Which run goes on, and after which event readers go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub run_id: RunId,
    pub session_id: ChatSessionId,
    pub after: u64,
}

impl Service {
    /// First answer wins; the run goes on.
    pub async fn answer_approval(&self, actor: &Actor, request: AnswerRequest) -> ServiceResult<RunId> {
        Ok(self.answer_approval_once(actor, request, None).await?.run_id)
    }

    /// Answers once per idempotency key.
    pub async fn answer_approval_once(
        &self,
        actor: &Actor,
        request: AnswerRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<Answered> {
        let _ = idempotency_key;
        let approval = self.find_approval(actor, request.approval_id).await?;
        let _ = approval;
        Err(ServiceError::Unavailable("Answering comes with the engine."))
    }
}
