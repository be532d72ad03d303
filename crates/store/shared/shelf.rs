//! Keeps connections between two statements. The pool tests each connection that it gets back, which costs a round trip. A connection whose
//! last statement ended normally needs no test, so the next caller takes it from this shelf at once.
//!
//! Each adapter compiles this file against its engine. It must not know any statement.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sqlx::{Error, Pool, pool::PoolConnection};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

use crate::engine::{Db, RESTED, lives};

/// How long the return of a connection to the pool may take before we close it: the pool first pings it.
const RETURN: Duration = Duration::from_secs(5);
/// After this time a connection goes through the pool again, which knows its greatest age.
const AWAY: Duration = Duration::from_mins(1);

/// A pool, with those of its connections that are free right now.
pub(crate) struct Shelf {
    pool: Pool<Db>,
    /// One permit for each connection that may be open. Callers wait here in the order in which they came.
    places: Arc<Semaphore>,
    size: u32,
    patience: Duration,
    /// `None` after the shelf was closed.
    free: Mutex<Option<Vec<Free>>>,
}

struct Free {
    connection: PoolConnection<Db>,
    /// When it left the pool.
    left: Instant,
    since: Instant,
}

/// Where to give a connection back.
pub(crate) struct Place {
    shelf: Arc<Shelf>,
    left: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Shelf {
    pub(crate) fn new(pool: Pool<Db>, size: u32, patience: Duration) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(size as usize));
        Arc::new(Self { pool, places, size, patience, free: Mutex::new(Some(Vec::new())) })
    }

    fn free(&self) -> MutexGuard<'_, Option<Vec<Free>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn take(self: &Arc<Self>) -> Result<(PoolConnection<Db>, Place), Error> {
        let permit = timeout(self.patience, Arc::clone(&self.places).acquire_owned()).await;
        let permit = permit.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)?;
        let place = |left| Place { shelf: Arc::clone(self), left, _permit: permit };
        let kept = self.free().as_mut().ok_or(Error::PoolClosed)?.pop();
        if let Some(Free { mut connection, left, since }) = kept {
            if since.elapsed() <= RESTED || lives(&mut connection).await {
                return Ok((connection, place(left)));
            }
            connection.close_on_drop();
        }
        Ok((self.pool.acquire().await?, place(Instant::now())))
    }

    /// Counts the connections: in use, idle, and the maximum.
    pub(crate) fn counts(&self) -> adagent_store::Pool {
        let in_use = self.size.saturating_sub(u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX));
        adagent_store::Pool { in_use, idle: self.pool.size().saturating_sub(in_use), max: self.size }
    }

    /// Waits for running statements and closes all connections.
    pub(crate) async fn close(&self) {
        let free = self.free().take();
        self.places.close();
        for free in free.into_iter().flatten() {
            give_back(free.connection);
        }
        self.pool.close().await;
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // This also works if no runtime is left to return them to the pool.
        for free in self.free().take().into_iter().flatten() {
            drop(free.connection.detach());
        }
    }
}

impl Place {
    /// Puts a connection on the shelf. Its last statement must have ended normally.
    pub(crate) fn put(&self, connection: PoolConnection<Db>) {
        let now = Instant::now();
        let old = now.duration_since(self.left) > AWAY;
        match self.shelf.free().as_mut() {
            Some(free) if !old => free.push(Free { connection, left: self.left, since: now }),
            _ => give_back(connection),
        }
    }
}

/// Returns a connection to the pool within a time limit. If the server is silent, the pool itself would wait as long as the kernel does,
/// and nobody could use the connection's place meanwhile.
fn give_back(mut connection: PoolConnection<Db>) {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(timeout(RETURN, connection.return_to_pool()));
    }
}
