//! Browser sessions in our own database, behind the port of `tower-sessions`.
//!
//! The row's key is the SHA-256 of the session id: who reads the database cannot take over a session.

use std::{fmt, sync::Arc};

use adagent_domain::{Clock, Timestamp, UserId};
use adagent_store::{BrowserSession, HttpSession, Store, StoreError, UnitOfWork};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tower_sessions::{
    SessionStore,
    session::{Id, Record},
    session_store::{Error, Result},
};

/// Name of the cookie.
pub const SESSION_COOKIE: &str = "adagent_session";
/// A session ends this long after it was last used.
pub const SESSION_DAYS: i64 = 14;
/// A colliding id is a one in 2¹²⁸ chance; more than a few in a row is a broken generator.
const ATTEMPTS: usize = 4;

/// Under which a session says who is signed in.
pub const SIGNED_IN: &str = "signed_in";

/// Who is signed in, since when, and from where: kept with the session, and beside it where its person can see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    pub user: UserId,
    /// Seconds since 1970.
    pub touched: i64,
    /// Seconds since 1970; sessions from before it was noted have none.
    #[serde(default)]
    pub since: i64,
    /// What the browser calls itself.
    #[serde(default)]
    pub agent: String,
    #[serde(default)]
    pub address: String,
}

/// `tower_sessions::SessionStore` over a [`Store`].
#[derive(Clone)]
pub struct DbSessionStore {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl DbSessionStore {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }
}

impl fmt::Debug for DbSessionStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DbSessionStore")
    }
}

/// The port has room for a text only; what may work later keeps a mark in it.
const LATER: &str = "unavailable: ";

fn backend(error: StoreError) -> Error {
    match error {
        StoreError::Unavailable(why) => Error::Backend(format!("{LATER}{why}")),
        other => Error::Backend(other.to_string()),
    }
}

/// Whether a session could not be read or written because the database does not answer just now.
pub fn is_unavailable(error: &tower_sessions::session::Error) -> bool {
    matches!(error, tower_sessions::session::Error::Store(Error::Backend(text)) if text.starts_with(LATER))
}

fn key(id: &Id) -> String {
    hex::encode(Sha256::digest(id.to_string()))
}

fn row(record: &Record) -> Result<HttpSession> {
    let data = serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))?;
    let expires_at = Timestamp::from_micros(record.expiry_date.unix_timestamp().saturating_mul(1_000_000));
    Ok(HttpSession { id: key(&record.id), data, expires_at })
}

/// Notes whose session it is, so that it can be listed and ended.
async fn own(work: &mut dyn UnitOfWork, record: &Record) -> Result<()> {
    let Some(value) = record.data.get(SIGNED_IN) else { return Ok(()) };
    let signed_in: SignedIn =
        serde_json::from_value(value.clone()).map_err(|error| Error::Decode(error.to_string()))?;
    let at = |seconds: i64| Timestamp::from_micros(seconds.saturating_mul(1_000_000));
    let SignedIn { user, touched, since, agent, address } = signed_in;
    let since = if since == 0 { touched } else { since };
    let session =
        BrowserSession { id: key(&record.id), user, created_at: at(since), seen_at: at(touched), agent, address };
    work.own_http_session(&session).await.map_err(backend)
}

#[async_trait]
impl SessionStore for DbSessionStore {
    async fn create(&self, record: &mut Record) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let mut work = self.store.begin().await.map_err(backend)?;
            if work.insert_http_session(&row(record)?).await.map_err(backend)? {
                own(&mut *work, record).await?;
                return work.commit().await.map_err(backend);
            }
            record.id = Id::default();
        }
        Err(Error::Backend("no free session id".into()))
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let mut work = self.store.begin().await.map_err(backend)?;
        // One that was ended meanwhile stays ended.
        if work.renew_http_session(&row(record)?).await.map_err(backend)? {
            own(&mut *work, record).await?;
        }
        work.commit().await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = self.store.find_http_session(&key(id), self.clock.now()).await.map_err(backend)?;
        let Some(found) = found else { return Ok(None) };
        let data = serde_json::from_str(&found.data).map_err(|error| Error::Decode(error.to_string()))?;
        let expiry_date = time::OffsetDateTime::from_unix_timestamp(found.expires_at.as_seconds())
            .map_err(|error| Error::Decode(error.to_string()))?;
        Ok(Some(Record { id: *id, data, expiry_date }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        let mut work = self.store.begin().await.map_err(backend)?;
        work.delete_http_session(&key(id)).await.map_err(backend)?;
        work.commit().await.map_err(backend)
    }
}
