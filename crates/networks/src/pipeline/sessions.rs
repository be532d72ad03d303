//! Tokens and sessions that we get in exchange for a connection's keys. They stay in memory. Each connection and scheme has one exchange at
//! a time.
//!
//! They must never be stored or shown. A new version of a connection never gets the session of an earlier one.

use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::{ConnectionId, Timestamp};

use crate::{Credentials, sign::Session};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    connection: ConnectionId,
    version: i64,
    scheme: &'static str,
}

type Held = Arc<tokio::sync::Mutex<Option<Arc<Session>>>>;

struct Slot {
    held: Held,
}

impl Slot {
    /// Checks whether a caller waits for it, or it holds a session that is still valid.
    fn lives(&self, now: Timestamp) -> bool {
        self.held.try_lock().map_or(true, |held| held.as_ref().is_some_and(|session| now < session.good_until))
            || Arc::strong_count(&self.held) > 1
    }
}

#[derive(Default)]
pub struct Sessions {
    slots: Mutex<HashMap<Key, Slot>>,
}

impl Sessions {
    /// Returns the known session if it is still valid, or a new one. `refused` is a session that the network no longer accepts.
    pub async fn obtain<E>(
        &self,
        credentials: &Credentials,
        scheme: &'static str,
        now: Timestamp,
        refused: Option<&Arc<Session>>,
        exchange: impl Future<Output = Result<Session, E>>,
    ) -> Result<Arc<Session>, E> {
        let Some(connection) = credentials.connection else { return exchange.await.map(Arc::new) };
        let slot = self.slot(Key { connection, version: credentials.version, scheme }, now);
        // Callers that wait here get the session that the first one brought.
        let mut held = slot.lock().await;
        if let Some(session) = &*held
            && now < session.good_until
            && !refused.is_some_and(|refused| Arc::ptr_eq(refused, session))
        {
            return Ok(session.clone());
        }
        *held = None;
        let session = Arc::new(exchange.await?);
        *held = Some(session.clone());
        Ok(session)
    }

    /// Drops the sessions of a connection.
    pub fn forget(&self, connection: ConnectionId) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|key, _| key.connection != connection);
    }

    fn slot(&self, key: Key, now: Timestamp) -> Held {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if !slots.contains_key(&key) {
            // New sessions are rare, so this is a good time to drop the ended ones.
            slots.retain(|known, slot| {
                slot.lives(now) && (known.connection != key.connection || known.version >= key.version)
            });
        }
        slots.entry(key).or_insert_with(|| Slot { held: Held::default() }).held.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use adagent_domain::SequentialIds;
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::SecretFields;

    fn credentials(connection: Option<ConnectionId>, version: i64) -> Credentials {
        let base_url = "http://127.0.0.1:9/".parse().expect("valid");
        Credentials {
            fields: SecretFields::default(),
            base_url,
            sandbox: true,
            accounts: Vec::new(),
            connection,
            version,
            made: 1,
        }
    }

    struct Desk {
        sessions: Sessions,
        made: AtomicU32,
    }

    impl Desk {
        async fn get(&self, credentials: &Credentials, second: i64, refused: Option<&Arc<Session>>) -> Arc<Session> {
            let exchange = async {
                // Let the other callers queue up.
                tokio::task::yield_now().await;
                let n = self.made.fetch_add(1, Ordering::SeqCst) + 1;
                let values = [("token", format!("t{n}").into())].into_iter().collect();
                Ok::<_, ()>(Session { values, good_until: Timestamp::EPOCH.plus_seconds(second + 100) })
            };
            let now = Timestamp::EPOCH.plus_seconds(second);
            self.sessions.obtain(credentials, "s", now, refused, exchange).await.expect("given")
        }
    }

    fn desk() -> (Desk, ConnectionId) {
        let ids = SequentialIds::default();
        (Desk { sessions: Sessions::default(), made: AtomicU32::new(0) }, ConnectionId::new(&ids))
    }

    fn token(session: &Session) -> String {
        session.values.get("token").expect("a token").expose_secret().to_owned()
    }

    #[tokio::test]
    async fn many_at_once_make_one_exchange() {
        let (desk, id) = desk();
        let credentials = credentials(Some(id), 1);
        let all = futures::future::join_all((0..8).map(|_| desk.get(&credentials, 0, None))).await;
        assert!(all.iter().all(|session| token(session) == "t1"));
        assert_eq!(desk.made.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn an_ended_or_refused_one_is_replaced_once() {
        let (desk, id) = desk();
        let credentials = credentials(Some(id), 1);
        let first = desk.get(&credentials, 0, None).await;
        assert_eq!(token(&*desk.get(&credentials, 99, None).await), "t1");
        assert_eq!(token(&*desk.get(&credentials, 99, Some(&first)).await), "t2");
        assert_eq!(token(&*desk.get(&credentials, 99, Some(&first)).await), "t2", "somebody else renewed it already");
        assert_eq!(token(&*desk.get(&credentials, 300, None).await), "t3");
    }

    #[tokio::test]
    async fn another_version_and_a_connection_in_the_making_share_nothing() {
        let (desk, id) = desk();
        desk.get(&credentials(Some(id), 1), 0, None).await;
        assert_eq!(token(&*desk.get(&credentials(Some(id), 2), 0, None).await), "t2");
        assert_eq!(desk.sessions.slots.lock().expect("free").len(), 1, "the old version is forgotten");
        assert_eq!(token(&*desk.get(&credentials(None, 0), 0, None).await), "t3");
        assert_eq!(token(&*desk.get(&credentials(None, 0), 0, None).await), "t4");
    }
    fn ids_of_another() -> ConnectionId {
        let ids = SequentialIds::default();
        ConnectionId::new(&ids);
        ConnectionId::new(&ids)
    }

    #[tokio::test]
    async fn what_is_forgotten_or_has_ended_is_not_kept() {
        let (desk, id) = desk();
        let credentials = credentials(Some(id), 1);
        let other = ids_of_another();
        let kept = || desk.sessions.slots.lock().expect("free").len();
        desk.get(&credentials, 0, None).await;
        desk.sessions.forget(other);
        assert_eq!(kept(), 1);
        desk.sessions.forget(id);
        assert_eq!(kept(), 0);
        assert_eq!(token(&*desk.get(&credentials, 1, None).await), "t2");
        desk.get(&Credentials { connection: Some(other), ..credentials.clone() }, 500, None).await;
        assert_eq!(kept(), 1, "the first has ended");
    }
}
