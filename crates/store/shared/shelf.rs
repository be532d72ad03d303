//! Connections between two statements. The pool below tests each connection that is given back, which is one more message to the
//! other side; one whose last statement was seen to its end needs no test, and the next caller takes it from here at once.
//!
//! Compiled into each adapter against its engine; must not know any statement.

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

/// A connection goes back to the pool within this time, or is closed: the pool asks it whether it still lives.
const RETURN: Duration = Duration::from_secs(5);
/// After this time a connection goes through the pool again, which knows how old one may become.
const AWAY: Duration = Duration::from_mins(1);

/// A pool with its connections that are free just now.
pub(crate) struct Shelf {
    pool: Pool<Db>,
    /// One for each connection that may be open. Callers wait here, first come, first served.
    places: Arc<Semaphore>,
    size: u32,
    patience: Duration,
    /// `None` once it is closed.
    free: Mutex<Option<Vec<Free>>>,
}

struct Free {
    connection: PoolConnection<Db>,
    /// When it left the pool.
    left: Instant,
    since: Instant,
}

/// Where a connection is given back.
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

    /// Connections in use, free, and at most.
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
        // Also where no runtime is left that could give them back.
        for free in self.free().take().into_iter().flatten() {
            drop(free.connection.detach());
        }
    }
}

impl Place {
    /// `connection`: one whose last statement was seen to its end.
    pub(crate) fn put(&self, connection: PoolConnection<Db>) {
        let now = Instant::now();
        let old = now.duration_since(self.left) > AWAY;
        match self.shelf.free().as_mut() {
            Some(free) if !old => free.push(Free { connection, left: self.left, since: now }),
            _ => give_back(connection),
        }
    }
}

/// The pool itself would wait for a silent server for as long as the kernel does, and miss the place meanwhile.
fn give_back(mut connection: PoolConnection<Db>) {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(timeout(RETURN, connection.return_to_pool()));
    }
}
