//! What operators and people ask of a store beside the engine's work: none of it is simulated.

use adagent_store::{SealedColumn, SealedKey, SealedReads, SealedRow, SealedWrites, StoreResult};
use async_trait::async_trait;

use super::{SimStore, Unit, writes::not_simulated};

#[async_trait]
impl SealedReads for SimStore {
    async fn list_sealed(&self, _: SealedColumn, _: Option<&SealedKey>, _: u32) -> StoreResult<Vec<SealedRow>> {
        not_simulated()
    }

    async fn find_sealed(&self, _: SealedColumn, _: &SealedKey) -> StoreResult<Option<SealedRow>> {
        not_simulated()
    }
}

#[async_trait]
impl SealedWrites for Unit {
    async fn reseal(&mut self, _: SealedColumn, _: &SealedRow, _: &str) -> StoreResult<bool> {
        not_simulated()
    }
}
