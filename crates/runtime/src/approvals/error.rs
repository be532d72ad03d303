//! Why we did not accept an answer.

use adagent_contract::{ApprovalStatus, FieldError};
use adagent_domain::Denied;
use adagent_store::StoreError;
use adagent_tools::ToolError;

/// Why we did not accept an answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("this approval doesn't exist")]
    NotFound,
    #[error("the approval was already answered")]
    AlreadyAnswered(ApprovalStatus),
    #[error("the approval expired before it was answered")]
    Expired,
    #[error("the run has ended, so the answer changes nothing")]
    RunOver,
    #[error("the run is stopping, so nothing more is sent")]
    Stopping,
    #[error(transparent)]
    Forbidden(#[from] Denied),
    #[error("the edited arguments cannot be sent")]
    Invalid(Vec<FieldError>),
    #[error("the network could not be asked about the arguments: {0}")]
    Network(#[source] ToolError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
