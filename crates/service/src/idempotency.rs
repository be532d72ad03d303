//! Answers a repeated request with the same key and body as the first one, and refuses the key with another body.

use adagent_domain::Actor;
use adagent_runtime::Receipt;
use adagent_store::UnitOfWork;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use crate::{Service, ServiceError, ServiceResult};

const MAX_KEY: usize = 200;

/// A key and the digest of its request.
pub struct Keyed(Receipt);

impl Keyed {
    /// Returns `None` if the request has no key.
    pub fn new<T: Serialize>(key: Option<&str>, route: &str, body: &T) -> ServiceResult<Option<Self>> {
        let Some(key) = key else { return Ok(None) };
        if key.is_empty() || key.len() > MAX_KEY || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ServiceError::field(
                "/Idempotency-Key",
                format!("An idempotency key must have 1 to {MAX_KEY} visible ASCII characters."),
            ));
        }
        let body = serde_json::to_vec(body).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let digest = Sha256::new().chain_update(route).chain_update([0]).chain_update(body).finalize();
        Ok(Some(Self(Receipt { key: format!("{route} {key}"), request_digest: hex::encode(digest) })))
    }

    pub const fn receipt(&self) -> &Receipt {
        &self.0
    }
}

impl Service {
    /// Returns the answer to the first request with this key. `None` without a key or a first request.
    pub(crate) async fn answered_before<T: DeserializeOwned>(
        &self,
        actor: &Actor,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<T>> {
        let Some(Keyed(receipt)) = keyed else { return Ok(None) };
        let Some(first) = self.store.find_idempotent(actor.workspace, actor.user, &receipt.key).await? else {
            return Ok(None);
        };
        if first.request_digest != receipt.request_digest {
            return Err(ServiceError::IdempotencyMismatch);
        }
        serde_json::from_str(&first.answer).map(Some).map_err(|error| ServiceError::Internal(error.to_string()))
    }

    /// Returns the answer to the request with this key that committed first; it counts for both.
    pub(crate) async fn answered_first<T: DeserializeOwned>(&self, actor: &Actor, keyed: &Keyed) -> ServiceResult<T> {
        self.answered_before(actor, Some(keyed))
            .await?
            .ok_or_else(|| ServiceError::Internal("an idempotent answer vanished".into()))
    }

    /// Stores the answer in the same transaction as the action. Returns `false` if another request was faster.
    pub(crate) async fn keep_answer<T: Serialize + Sync>(
        &self,
        work: &mut dyn UnitOfWork,
        actor: &Actor,
        keyed: &Keyed,
        answer: &T,
    ) -> ServiceResult<bool> {
        Ok(keyed.0.keep(work, actor, answer, self.clock.now()).await?)
    }
}
