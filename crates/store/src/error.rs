//! What can go wrong in a store.

/// The result of every repository method.
pub type StoreResult<T> = Result<T, StoreError>;

/// An error of the store, without engine details that callers would have to know.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique constraint failed; the adapter names the table and the column.
    #[error("{table}.{column} is already taken")]
    Taken { table: String, column: String },
    /// The lease was lost: another worker owns the run now, and nothing was written.
    #[error("the lease of epoch {epoch} was lost")]
    StaleEpoch { epoch: i64 },
    /// The checkpoint is not the next one of its run, and nothing was written. Either the checkpoint before it is not stored (the database
    /// lost its last commits while the worker lived on), or another one was stored first.
    #[error("state {step} does not follow the last one stored")]
    OutOfStep { step: i64 },
    /// A write changed a different number of rows than it must.
    #[error("{what}: expected to change {expected} row(s), changed {actual}")]
    RowsAffected { what: &'static str, expected: u64, actual: u64 },
    /// A row holds a value that no version of this program writes.
    #[error("inconsistent data in {table}.{column} of row {row}: {reason}")]
    Inconsistent { table: &'static str, column: &'static str, row: String, reason: String },
    /// The database is newer than this program, or older and cannot be migrated.
    #[error("schema: {0}")]
    Schema(String),
    /// The engine is busy, gone or full. A later try may work.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    #[error("database: {0}")]
    Driver(#[source] Box<dyn std::error::Error + Send + Sync>),
}
