//! Browser sessions in our own database, behind the port of `tower-sessions`.
//!
//! The row's key is the SHA-256 of the session ID, so a person who reads the database cannot take over a session.

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

/// The name of the cookie.
pub const SESSION_COOKIE: &str = "adagent_session";
/// A session ends this many days after its last use.
pub const SESSION_DAYS: i64 = 14;
/// How many IDs we try. Two IDs collide with a chance of one in 2¹²⁸; more than a few collisions in a row mean a broken generator.
const ATTEMPTS: usize = 4;

/// The key of a session's data under which it says who is signed in.
pub const SIGNED_IN: &str = "signed_in";

/// Who is signed in, since when, and from where. The session keeps it, and so does a row that its person can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    pub user: UserId,
    /// When the person last used the session, in seconds since 1970.
    pub touched: i64,
    /// When the person signed in, in seconds since 1970. Sessions stored before this field existed have 0, so they count as over.
    #[serde(default)]
    pub since: i64,
    /// The browser's own name.
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
    /// Makes the store. A session ends after `longest_days`, even if the person uses it every day.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, longest_days: u32) -> Self {
        Self { store, clock, longest_days }
    }

    fn row(&self, record: &Record) -> Result<HttpSession> {
        let data = serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))?;
        let unused = Timestamp::from_micros(record.expiry_date.unix_timestamp().saturating_mul(1_000_000));
        let expires_at = self.end_of(record)?.map_or(unused, |end| end.min(unused));
        Ok(HttpSession { id: key(&record.id), data, expires_at })
    }

    /// Returns when the session ends however often it is used. `None` if nobody is signed in.
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

/// The port's error holds only a text, so this prefix says that a later try may work.
const LATER: &str = "unavailable: ";

fn backend(error: StoreError) -> Error {
    match error {
        StoreError::Unavailable(why) => Error::Backend(format!("{LATER}{why}")),
        other => Error::Backend(other.to_string()),
    }
}

/// Checks whether we could not read or write a session because the database does not answer right now.
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

/// Notes whose session it is, so that the person can list and end it.
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
        // A session that ended meanwhile stays ended.
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
        // The stored expiry may be too late: the row may be older than the `longest_days` limit, or the limit may have been longer then.
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
