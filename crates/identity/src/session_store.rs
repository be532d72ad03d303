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
    /// Seconds since 1970. Sessions from before it was noted have none: they are over.
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
    longest_days: u32,
}

impl DbSessionStore {
    /// A session that is used every day ends after `longest_days` all the same.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, longest_days: u32) -> Self {
        Self { store, clock, longest_days }
    }

    fn row(&self, record: &Record) -> Result<HttpSession> {
        let data = serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))?;
        let unused = Timestamp::from_micros(record.expiry_date.unix_timestamp().saturating_mul(1_000_000));
        let expires_at = self.end_of(record)?.map_or(unused, |end| end.min(unused));
        Ok(HttpSession { id: key(&record.id), data, expires_at })
    }

    /// When it ends whatever is done with it; one that nobody signed in with has no such end.
    fn end_of(&self, record: &Record) -> Result<Option<Timestamp>> {
        let longest = i64::from(self.longest_days) * 24 * 60 * 60;
        Ok(signed_in(record)?.map(|signed_in| seconds(signed_in.since).plus_seconds(longest)))
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

fn seconds(since_1970: i64) -> Timestamp {
    Timestamp::from_micros(since_1970.saturating_mul(1_000_000))
}

fn signed_in(record: &Record) -> Result<Option<SignedIn>> {
    let value = record.data.get(SIGNED_IN).cloned();
    value.map(serde_json::from_value).transpose().map_err(|error| Error::Decode(error.to_string()))
}

/// Notes whose session it is, so that it can be listed and ended.
async fn own(work: &mut dyn UnitOfWork, record: &Record) -> Result<()> {
    let Some(SignedIn { user, touched, since, agent, address }) = signed_in(record)? else { return Ok(()) };
    let (created_at, seen_at) = (seconds(since), seconds(touched));
    let session = BrowserSession { id: key(&record.id), user, created_at, seen_at, agent, address };
    work.own_http_session(&session).await.map_err(backend)
}

#[async_trait]
impl SessionStore for DbSessionStore {
    async fn create(&self, record: &mut Record) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let mut work = self.store.begin().await.map_err(backend)?;
            if work.insert_http_session(&self.row(record)?).await.map_err(backend)? {
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
        if work.renew_http_session(&self.row(record)?).await.map_err(backend)? {
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
        let record = Record { id: *id, data, expiry_date };
        // Kept before an end was set, or while it was a later one.
        if self.end_of(&record)?.is_some_and(|end| end <= self.clock.now()) {
            self.delete(id).await?;
            return Ok(None);
        }
        Ok(Some(record))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        let mut work = self.store.begin().await.map_err(backend)?;
        work.delete_http_session(&key(id)).await.map_err(backend)?;
        work.commit().await.map_err(backend)
    }
}
