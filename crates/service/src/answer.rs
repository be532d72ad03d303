//! A person answers an approval.

use adagent_contract::AnswerRequest;
use adagent_domain::{Actor, RunId};

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// First answer wins; the run goes on.
    pub async fn answer_approval(&self, actor: &Actor, request: AnswerRequest) -> ServiceResult<RunId> {
        let approval = self.find_approval(actor, request.approval_id).await?;
        let _ = approval;
        Err(ServiceError::Unavailable("Answering comes with the engine."))
    }
}
