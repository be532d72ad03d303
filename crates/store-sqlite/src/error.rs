//! Translates SQLite's errors into those of the port.

use adagent_store::StoreError;

/// The primary result code `SQLITE_BUSY`.
const BUSY: i32 = 5;
/// Primary result codes that mean "not now" or "not here": a retry, more space or the right file may help.
const UNAVAILABLE: [i32; 7] = [BUSY, 6, 8, 10, 13, 14, 26];

pub(crate) fn map_error(error: sqlx::Error) -> StoreError {
    match &error {
        sqlx::Error::Database(database) => {
            if database.is_unique_violation()
                && let Some((table, column)) = taken(database.message())
            {
                return StoreError::Taken { table, column };
            }
            if UNAVAILABLE.contains(&primary_code(database.as_ref())) {
                return StoreError::Unavailable(database.message().to_owned());
            }
            StoreError::Driver(Box::new(error))
        }
        sqlx::Error::PoolTimedOut => StoreError::Unavailable("no connection became free in time".to_owned()),
        sqlx::Error::PoolClosed => StoreError::Unavailable("the database was closed".to_owned()),
        sqlx::Error::WorkerCrashed => StoreError::Unavailable("the connection's thread ended".to_owned()),
        sqlx::Error::Io(io) => StoreError::Unavailable(io.to_string()),
        _ => StoreError::Driver(Box::new(error)),
    }
}

/// Checks whether another process holds the file.
pub(crate) fn is_locked(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(database) if primary_code(database.as_ref()) == BUSY)
}

/// Returns the primary code: the low byte of the extended code that the driver gives.
fn primary_code(database: &dyn sqlx::error::DatabaseError) -> i32 {
    database.code().and_then(|code| code.parse::<i32>().ok()).map_or(0, |code| code & 0xff)
}

/// Reads the table and columns from `UNIQUE constraint failed: connections.workspace_id, connections.network`. SQLite names columns, never
/// the constraint.
fn taken(message: &str) -> Option<(String, String)> {
    let (_, list) = message.split_once("constraint failed: ")?;
    let mut table = None;
    let mut columns = Vec::new();
    for item in list.split(", ") {
        let (name, column) = item.split_once('.')?;
        table.get_or_insert(name);
        columns.push(column);
    }
    Some((table?.to_owned(), columns.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violated_constraint_names_table_and_columns() {
        assert_eq!(
            taken("UNIQUE constraint failed: users.email_key"),
            Some(("users".to_owned(), "email_key".to_owned()))
        );
        assert_eq!(
            taken("UNIQUE constraint failed: connections.workspace_id, connections.network"),
            Some(("connections".to_owned(), "workspace_id,network".to_owned()))
        );
        assert_eq!(taken("UNIQUE constraint failed: index 'x'"), None);
    }
}
