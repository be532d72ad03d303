//! Brings committed pages to the disk for the writes that need it (see `EngineUnit::durable`).
//!
//! With `synchronous = NORMAL`, SQLite leaves the write-ahead log to the operating system at a commit. If the process is killed, no commit
//! is lost. If the power fails, the last commits may be lost, but no commit is torn. A durable commit gives the writer back and then syncs
//! the log file itself, so other writers can continue. Commits that arrive during a sync share the next one. SQLite keeps its locks on the
//! database and `-shm` files, so opening the log a second time does not drop a lock.

use std::{
    fs::File,
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use adagent_store::{StoreError, StoreResult};
use tokio::sync::Mutex;

#[derive(Clone)]
pub(crate) struct WalSync(Arc<Shared>);

struct Shared {
    log: PathBuf,
    /// How many durable commits have asked for a sync. Each commit takes its own count as its ticket.
    committed: AtomicU64,
    /// The last ticket that a finished sync covers.
    synced: Mutex<u64>,
}

impl WalSync {
    pub(crate) fn new(log: PathBuf) -> Self {
        Self(Arc::new(Shared { log, committed: AtomicU64::new(0), synced: Mutex::new(0) }))
    }

    /// Returns after everything committed before the call is on the disk.
    pub(crate) async fn sync(&self) -> StoreResult<()> {
        let ticket = self.0.committed.fetch_add(1, Ordering::SeqCst) + 1;
        let mut synced = self.0.synced.lock().await;
        if *synced >= ticket {
            return Ok(());
        }
        let covers = self.0.committed.load(Ordering::SeqCst);
        let log = self.0.log.clone();
        tokio::task::spawn_blocking(move || sync_file(&log))
            .await
            .map_err(|error| StoreError::Driver(Box::new(error)))?
            .map_err(|error| {
                StoreError::Unavailable(format!("could not sync {} to disk: {error}", self.0.log.display()))
            })?;
        *synced = covers;
        Ok(())
    }
}

fn sync_file(log: &std::path::Path) -> io::Result<()> {
    match File::open(log) {
        Ok(file) => file.sync_data(),
        // If the log is gone, SQLite has folded it into the database and synced that.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn many_at_once_all_return_and_are_covered() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("x.db-wal");
        std::fs::write(&log, b"frames").expect("written");
        let sync = WalSync::new(log);
        let all = (0..50).map(|_| {
            let sync = sync.clone();
            tokio::spawn(async move { sync.sync().await })
        });
        for one in all.collect::<Vec<_>>() {
            one.await.expect("no panic").expect("synced");
        }
        assert_eq!(*sync.0.synced.lock().await, 50);
    }

    #[tokio::test]
    async fn a_folded_log_is_no_error_and_an_unreadable_one_is() {
        let folder = tempfile::tempdir().expect("a folder");
        WalSync::new(folder.path().join("none")).sync().await.expect("nothing to do");
        std::fs::write(folder.path().join("file"), b"").expect("written");
        let error = WalSync::new(folder.path().join("file/none")).sync().await.expect_err("not a folder");
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    }
}
