//! Seals everything again with the first key of the ring, while servers run.
//!
//! Uses small transactions, and replaces a row only if it still holds the text that we read: if a server refreshes tokens meanwhile, its
//! text stays and we check the row again. We store no progress, because texts that the first key sealed are skipped. So a rotation can stop
//! and start again at any time. This module must never write a plain text anywhere, nor put one into an error.

use std::collections::BTreeMap;

use adagent_identity::{Resealed, Vault, VaultError};
use adagent_store::{SealedColumn, SealedKey, SealedRow, Store, StoreResult};

/// How many rows one transaction replaces. On an engine with one writer, all others wait for it.
const STEP: u32 = 25;
/// How many rows one read returns if we only look at them.
const LOOK: u32 = 500;
/// How often we check a row again that others keep changing. A server with the old ring seals what they write.
const AGAIN: usize = 5;

/// What a rotation did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Rotation {
    pub resealed: u64,
    /// Texts that the first key had sealed already.
    pub current: u64,
    /// Rows that were deleted, or changed by others again and again, before we could replace them.
    pub missed: u64,
    /// Texts that no key of the ring opens: table, row, and why.
    pub closed: Vec<(&'static str, String, VaultError)>,
}

/// Counts the values whose key the ring does not have, by key. A server calls this at its start: it cannot open these values, and people
/// would otherwise find out one by one.
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

/// Seals the texts of every sealed column again with the first key of the ring.
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
        // Seal before the transaction begins, so that writers do not wait for it.
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

/// Returns the rows that still exist.
async fn as_they_are_now(store: &dyn Store, column: SealedColumn, keys: Vec<SealedKey>) -> StoreResult<Vec<SealedRow>> {
    let mut rows = Vec::new();
    for key in keys {
        rows.extend(store.find_sealed(column, &key).await?);
    }
    Ok(rows)
}
