//! Brings a database to this program's schema. The first process that starts does it, once.
//!
//! Each adapter compiles this file. It must not skip, reorder or repeat a migration, and nobody edits a migration after it was released.

use adagent_store::{StoreError, StoreResult};
use sqlx::Row as _;

use crate::{
    connection::Transaction,
    engine::map_error,
    run::{execute, fetch_all, sql},
};

/// One file of `migrations/<engine>/`.
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

const CREATE_META: &str = include_str!("../sql/schema/create.sql");

/// Runs the missing migrations. The adapter gives a transaction that excludes every other starting process, so nobody ever sees half a
/// migration.
pub(crate) async fn migrate(mut transaction: Transaction, migrations: &'static [Migration]) -> StoreResult<()> {
    execute(transaction.connection(), sql(CREATE_META)).await?;
    let rows = fetch_all(transaction.connection(), sql(include_str!("../sql/schema/list.sql"))).await?;
    let mut applied = Vec::with_capacity(rows.len());
    for row in &rows {
        let version: i64 = row.try_get("version").map_err(map_error)?;
        let name: String = row.try_get("name").map_err(map_error)?;
        applied.push((version, name));
    }
    for migration in pending(&applied, migrations)? {
        sqlx::raw_sql(migration.text).execute(&mut *transaction.connection()).await.map_err(|error| {
            StoreError::Schema(format!("migration {:04}_{} failed: {error}", migration.version, migration.name))
        })?;
        let query = sql(include_str!("../sql/schema/insert.sql")).bind(migration.version).bind(migration.name);
        execute(transaction.connection(), query).await?;
    }
    transaction.commit().await.map_err(map_error)
}

/// Returns the migrations still to apply, or why this program must not touch the database.
fn pending<'m>(applied: &[(i64, String)], known: &'m [Migration]) -> StoreResult<&'m [Migration]> {
    for (place, (version, name)) in applied.iter().enumerate() {
        match known.get(place) {
            Some(migration) if migration.version == *version && migration.name == name => {}
            Some(migration) => {
                return Err(StoreError::Schema(format!(
                    "the database was migrated by {version:04}_{name} where this program has {:04}_{}; \
                     it belongs to another program or branch, use another database",
                    migration.version, migration.name
                )));
            }
            None => {
                return Err(StoreError::Schema(format!(
                    "the database is at migration {version:04}_{name}, this program knows {} only; \
                     start the newer program that migrated it, or restore a backup from before",
                    known
                        .last()
                        .map_or_else(|| "none".to_owned(), |last| format!("up to {:04}_{}", last.version, last.name))
                )));
            }
        }
    }
    Ok(&known[applied.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Migration] =
        &[Migration { version: 1, name: "initial", text: "" }, Migration { version: 2, name: "more", text: "" }];

    #[test]
    fn applies_what_is_missing_and_nothing_else() {
        assert_eq!(pending(&[], KNOWN).expect("empty").len(), 2);
        let rest = pending(&[(1, "initial".into())], KNOWN).expect("older");
        assert_eq!(rest.iter().map(|m| m.version).collect::<Vec<_>>(), [2]);
        assert!(pending(&[(1, "initial".into()), (2, "more".into())], KNOWN).expect("current").is_empty());
    }

    #[test]
    fn a_newer_or_foreign_database_is_refused() {
        let newer = [(1, "initial".into()), (2, "more".into()), (3, "future".into())];
        let error = pending(&newer, KNOWN).err().expect("refused").to_string();
        assert!(error.contains("0003_future") && error.contains("0002_more"), "{error}");
        let error = pending(&[(1, "other".into())], KNOWN).err().expect("refused").to_string();
        assert!(error.contains("0001_other"), "{error}");
    }
}
