//! Sessions of older clients: few at a time for each token, ended when idle. Any server can continue a session from its stored data.
//!
//! A session has no rights: every request in it brings its own token, and with another token it does not exist.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use adagent_domain::AccessTokenId;
use adagent_service::Service;
use async_trait::async_trait;
use futures::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        RestoreOutcome, ServerSseMessage, SessionId, SessionManager, SessionState, SessionStore, SessionStoreError,
        local::{LocalSessionManager, SessionConfig},
    },
};
use tokio::sync::Mutex;

/// How many sessions one token can have in one process. A further one ends the oldest, which its client can continue later.
pub(crate) const MOST: usize = 32;
const IDLE: Duration = Duration::from_mins(10);

/// The SDK's sessions in memory, with a limit.
pub(crate) struct Bounded {
    inner: LocalSessionManager,
    /// Oldest first. Sessions that ended by themselves are skipped.
    order: Mutex<VecDeque<SessionId>>,
}

impl Bounded {
    pub fn new() -> Self {
        let mut inner = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = Some(IDLE);
        inner.session_config = config;
        Self { inner, order: Mutex::default() }
    }

    async fn made(&self, id: &SessionId) {
        let ended = {
            let mut order = self.order.lock().await;
            order.push_back(id.clone());
            if order.len() > MOST { order.pop_front() } else { None }
        };
        if let Some(oldest) = ended
            && let Err(error) = self.inner.close_session(&oldest).await
        {
            tracing::debug!(%error, "a session could not be closed");
        }
    }
}

type Failed = <LocalSessionManager as SessionManager>::Error;

impl SessionManager for Bounded {
    type Error = Failed;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failed> {
        let (id, transport) = self.inner.create_session().await?;
        self.made(&id).await;
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failed> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failed> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failed> {
        self.order.lock().await.retain(|one| one != id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failed> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.inner.resume(id, last_event_id).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, Failed> {
        let outcome = self.inner.restore_session(id.clone()).await?;
        if matches!(outcome, RestoreOutcome::Restored(_)) {
            self.made(&id).await;
        }
        Ok(outcome)
    }
}

/// The longest data that begins a session, in bytes, that we store in the database.
const MAX_KEPT: usize = 16 * 1024;

/// The stored beginnings of one token's sessions.
pub(crate) struct Kept {
    pub service: Arc<Service>,
    pub token: AccessTokenId,
}

#[async_trait]
impl SessionStore for Kept {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        // Tasks store their notes in the same table; a note is not a session.
        if id.contains('/') {
            return Ok(None);
        }
        let Some(data) = self.service.program_session(self.token, id).await? else { return Ok(None) };
        Ok(Some(serde_json::from_str(&data)?))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let data = serde_json::to_string(state)?;
        // A client that sends more data than this can continue only with this server.
        if data.len() > MAX_KEPT {
            return Ok(());
        }
        Ok(self.service.keep_program_session(self.token, id, data).await?)
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        Ok(self.service.drop_program_session(self.token, id).await?)
    }
}
