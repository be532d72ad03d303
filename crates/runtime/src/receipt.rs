//! A request that may come twice: what it was answered is kept in the very transaction that did it. Must not know HTTP.

use adagent_domain::{Actor, Timestamp};
use adagent_store::{EngineUnit, IdempotentAnswer, StoreError};
use serde::Serialize;

/// The key of a request with the digest of what it asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub key: String,
    pub request_digest: String,
}

impl Receipt {
    /// `false` when another request with this key was faster: then nothing of this one may be committed.
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
