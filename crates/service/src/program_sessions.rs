//! The data with which a program began an MCP session, stored so that any server of the installation can continue the session.
//!
//! It is stored in the table of browser sessions and expires like them. It belongs to one access token; with another token, it does not
//! exist.

use adagent_domain::{AccessTokenId, UserId};
use adagent_store::HttpSession;
use sha2::{Digest as _, Sha256};

use crate::{Service, ServiceResult};

/// After this time without a request, a program must begin a new session.
const KEPT_SECONDS: i64 = 24 * 60 * 60;

impl Service {
    /// Counts a session that a program of this person begins.
    pub fn admit_program_session(&self, user: UserId) -> ServiceResult<()> {
        self.limits.program_session(user)
    }

    pub async fn program_session(&self, token: AccessTokenId, id: &str) -> ServiceResult<Option<String>> {
        let found = self.store.find_http_session(&key(token, id), self.clock.now()).await?;
        Ok(found.map(|session| session.data))
    }

    pub async fn keep_program_session(&self, token: AccessTokenId, id: &str, data: String) -> ServiceResult<()> {
        let expires_at = self.clock.now().plus_seconds(KEPT_SECONDS);
        let mut work = self.store.begin().await?;
        work.save_http_session(&HttpSession { id: key(token, id), data, expires_at }).await?;
        Ok(work.commit().await?)
    }

    pub async fn drop_program_session(&self, token: AccessTokenId, id: &str) -> ServiceResult<()> {
        let mut work = self.store.begin().await?;
        work.delete_http_session(&key(token, id)).await?;
        Ok(work.commit().await?)
    }
}

/// Returns the key of a session's row. It never equals the hash of a browser's cookie, which has no prefix.
fn key(token: AccessTokenId, id: &str) -> String {
    format!("program:{}", hex::encode(Sha256::new().chain_update(token.0).chain_update(id).finalize()))
}
