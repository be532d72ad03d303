//! Seals everything again with the first key of the ring, while servers work.
//!
//! Small transactions, each row replaced only if it still holds what was read: whoever refreshes tokens meanwhile wins, and the row
//! is looked at again. Nothing is kept about how far it came: what the first key sealed is passed over, so it may be stopped and
//! begun again at any time. Must never write a plain text anywhere, nor name one in an error.

use std::collections::BTreeMap;

use adagent_identity::{Resealed, Vault, VaultError};
use adagent_store::{SealedColumn, SealedKey, SealedRow, Store, StoreResult};

/// Rows of one transaction: where one writes at a time, all others wait for it.
const STEP: u32 = 25;
/// Rows that are only looked at, at a time.
const LOOK: u32 = 500;
/// How often a row that others keep writing is looked at again. What they write is sealed by a server with the ring of before.
const AGAIN: usize = 5;

/// What a rotation did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Rotation {
    pub resealed: u64,
    /// The first key had sealed them already.
    pub current: u64,
    /// Gone or written again by others before their turn came, again and again.
    pub missed: u64,
    /// No key of the ring opens them: table, row, and why.
    pub closed: Vec<(&'static str, String, VaultError)>,
}

/// How many values each key sealed that the ring does not have. For a server that starts: what those keys sealed is closed to it, and
/// people would find out one by one.
pub async fn missing_keys(store: &dyn Store, vault: &Vault) -> StoreResult<BTreeMap<String, u64>> {
    let mut missing = BTreeMap::new();
    for column in SealedColumn::ALL {
        let mut after: Option<SealedKey> = None;
        loop {
            let rows = store.list_sealed(column, after.as_ref(), LOOK).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.key.clone());
            for id in rows.iter().filter_map(|row| vault.missing_key(&row.sealed)) {
                *missing.entry(id).or_default() += 1;
            }
        }
    }
    Ok(missing)
}

/// Walks over every sealed column.
pub async fn rotate_keys(store: &dyn Store, vault: &Vault) -> StoreResult<Rotation> {
    let mut rotation = Rotation::default();
    for column in SealedColumn::ALL {
        let mut after: Option<SealedKey> = None;
        loop {
            let rows = store.list_sealed(column, after.as_ref(), STEP).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.key.clone());
            step(store, vault, column, rows, &mut rotation).await?;
        }
    }
    Ok(rotation)
}

async fn step(
    store: &dyn Store,
    vault: &Vault,
    column: SealedColumn,
    mut rows: Vec<SealedRow>,
    rotation: &mut Rotation,
) -> StoreResult<()> {
    for _ in 0..AGAIN {
        // Sealed before the transaction begins: it costs time that writers should not wait.
        let anew = resealed(vault, column, &rows, rotation);
        if anew.is_empty() {
            return Ok(());
        }
        let mut work = store.begin().await?;
        let mut lost = Vec::new();
        for (row, sealed) in anew {
            if work.reseal(column, &row, &sealed).await? {
                rotation.resealed += 1;
            } else {
                lost.push(row.key);
            }
        }
        work.durable();
        work.commit().await?;
        rows = as_they_are_now(store, column, lost).await?;
    }
    rotation.missed += u64::try_from(rows.len()).unwrap_or(u64::MAX);
    Ok(())
}

fn resealed(
    vault: &Vault,
    column: SealedColumn,
    rows: &[SealedRow],
    rotation: &mut Rotation,
) -> Vec<(SealedRow, String)> {
    let mut anew = Vec::new();
    for row in rows {
        match vault.reseal(&row.sealed, &row.key.to_string()) {
            Ok(Resealed::Current) => rotation.current += 1,
            Ok(Resealed::Anew(sealed)) => anew.push((row.clone(), sealed)),
            Err(error) => rotation.closed.push((column.place().0, row.key.to_string(), error)),
        }
    }
    anew
}

/// Those that are still there.
async fn as_they_are_now(store: &dyn Store, column: SealedColumn, keys: Vec<SealedKey>) -> StoreResult<Vec<SealedRow>> {
    let mut rows = Vec::new();
    for key in keys {
        rows.extend(store.find_sealed(column, &key).await?);
    }
    Ok(rows)
}
