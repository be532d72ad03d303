//! What the tests of all crates share: a private PostgreSQL, stores opened on both engines, a fixed clock and predictable IDs.
//!
//! For tests only: nothing that ships may depend on it.

pub mod postgres;
#[cfg(feature = "stores")]
pub mod proxy;
#[cfg(feature = "stores")]
mod raw;
#[cfg(feature = "stores")]
mod stores;

#[cfg(feature = "stores")]
pub use {
    adagent_domain::{ManualClock as TestClock, SequentialIds as TestIds},
    adagent_store::conformance::fixtures,
    proxy::{FaultProxy, Mode},
    raw::RawDatabase,
    stores::{
        HeldSqlite, TestStore, clock, ids, postgres_store, postgres_url, postgres_url_as_ordinary_user, sqlite_store,
        stores,
    },
};
