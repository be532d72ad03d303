//! A request that may come twice: the transaction that does it also stores its reply. This must not know HTTP.

use adagent_domain::{Actor, Timestamp};
use adagent_store::{EngineUnit, IdempotentAnswer, StoreError};
use serde::Serialize;

/// The key of a request, with a digest of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub key: String,
    pub request_digest: String,
}

impl Receipt {
    /// Stores the reply. Returns `false` if another request with this key was first. The caller must then commit nothing of this one.
    pub async fn keep<T: Serialize + Sync>(
        &self,
        work: &mut dyn EngineUnit,
        actor: &Actor,
        answer: &T,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let answer = serde_json::to_string(answer).map_err(|error| StoreError::Driver(Box::new(error)))?;
        let answer = IdempotentAnswer { request_digest: self.request_digest.clone(), answer };
        work.insert_idempotent(actor.workspace, actor.user, &self.key, &answer, at).await
    }
}
