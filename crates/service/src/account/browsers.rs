//! The browsers in which a person is signed in, and ending their sessions.

use adagent_contract::BrowserSessionView;
use adagent_domain::{Actor, BrowserSessionId, Clock, UserId};
use adagent_store::{BrowserSession, Store, StoreError};
use serde_json::json;

use crate::{Service, ServiceError, ServiceResult, SessionHash};

/// In how many browsers one person can be signed in. One more ends the session that was used longest ago.
pub(super) const MOST: u32 = 50;
/// How many sessions we list. People who sign in at the same moment may have a few more than `MOST`.
pub(super) const LISTED: u32 = 2 * MOST;

/// Returns half of the row's key: enough to name the session, and not the value that anything is bound to.
fn public_id(session: &BrowserSession) -> Option<BrowserSessionId> {
    let half = session.id.get(..32)?;
    u128::from_str_radix(half, 16).ok().map(|bits| BrowserSessionId(uuid::Uuid::from_u128(bits)))
}

impl Service {
    /// Lists the sessions, last used first.
    pub async fn browser_sessions(
        &self,
        actor: &Actor,
        current: Option<&SessionHash>,
    ) -> ServiceResult<Vec<BrowserSessionView>> {
        let sessions = self.store.list_browser_sessions(actor.user, self.clock.now(), LISTED).await?;
        let view = |session: BrowserSession| {
            Some(BrowserSessionView {
                id: public_id(&session)?,
                current: current.is_some_and(|current| current.0 == session.id),
                created_at: session.created_at,
                last_seen_at: session.seen_at,
                agent: session.agent,
                address: session.address,
            })
        };
        Ok(sessions.into_iter().filter_map(view).collect())
    }

    /// Ends a session. Its next request finds the person signed out.
    pub async fn end_browser_session(&self, actor: &Actor, id: BrowserSessionId) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        let sessions = self.store.list_browser_sessions(user.id, self.clock.now(), LISTED).await?;
        let found = sessions.into_iter().find(|session| public_id(session) == Some(id));
        let found = found.ok_or(ServiceError::NotFound("session"))?;
        let mut work = self.store.begin().await?;
        if !work.end_browser_session(user.id, &found.id).await? {
            return Err(ServiceError::NotFound("session"));
        }
        self.audit_account(&mut *work, &user, "account.session_ended", json!({"session": id})).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    /// Ends all other sessions. Returns how many.
    pub async fn end_other_sessions(&self, actor: &Actor, current: Option<&SessionHash>) -> ServiceResult<u64> {
        let user = self.user(actor.user).await?;
        let mut work = self.store.begin().await?;
        let ended = work.end_other_sessions(user.id, current.map_or("", |current| current.0.as_str())).await?;
        self.audit_account(&mut *work, &user, "account.sessions_ended", json!({"sessions": ended})).await?;
        work.durable();
        work.commit().await?;
        Ok(ended)
    }
}

/// Checks whether a person is still signed in with a session, for work that continues long after its request.
pub(crate) async fn stands(
    store: &dyn Store,
    clock: &dyn Clock,
    user: UserId,
    session: &SessionHash,
) -> Result<bool, StoreError> {
    let sessions = store.list_browser_sessions(user, clock.now(), LISTED).await?;
    Ok(sessions.iter().any(|one| one.id == session.0))
}
