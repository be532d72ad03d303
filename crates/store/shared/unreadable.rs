//! Skips rows of runs that this program cannot read. The log names each one once, not at every poll.
//!
//! Each adapter compiles this file. It must not change such a row.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use adagent_store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::{columns::Columns, engine::Row};

/// How many rows we remember before we forget them all and name them again.
const REMEMBERED: usize = 1024;

static NAMED: Mutex<BTreeSet<Uuid>> = Mutex::new(BTreeSet::new());

/// Reads a row. `None` if a newer program wrote it or it is damaged. `key` is the column with the run's ID.
pub(crate) fn readable<T>(
    row: &Row,
    key: &'static str,
    read: impl FnOnce(&Row) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    match read(row) {
        Ok(read) => Ok(Some(read)),
        Err(error @ StoreError::Inconsistent { .. }) => {
            name_once(Columns::new("runs", row).uuid(key)?, &error);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn name_once(run: Uuid, error: &StoreError) {
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    if named.len() >= REMEMBERED {
        named.clear();
    }
    if named.insert(run) {
        tracing::warn!(%run, %error, "a run cannot be read: a newer program stored it, or it is damaged; it is left alone");
    }
}
