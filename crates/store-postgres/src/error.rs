//! Translates PostgreSQL's errors into those of the port.

use adagent_store::StoreError;

pub(crate) fn map_error(error: sqlx::Error) -> StoreError {
    match &error {
        sqlx::Error::Database(database) => {
            if database.is_unique_violation()
                && let Some((table, column)) = taken(database.table(), database.constraint())
            {
                return StoreError::Taken { table, column };
            }
            if database.code().is_some_and(|code| may_work_later(&code)) {
                return StoreError::Unavailable(database.message().to_owned());
            }
            StoreError::Driver(Box::new(error))
        }
        sqlx::Error::PoolTimedOut => StoreError::Unavailable("no connection became free in time".to_owned()),
        sqlx::Error::PoolClosed => StoreError::Unavailable("the database was closed".to_owned()),
        sqlx::Error::WorkerCrashed => StoreError::Unavailable("the connection's task ended".to_owned()),
        sqlx::Error::Io(io) => StoreError::Unavailable(io.to_string()),
        sqlx::Error::Tls(tls) => StoreError::Unavailable(tls.to_string()),
        _ => StoreError::Driver(Box::new(error)),
    }
}

/// Checks whether a later try may work: connection trouble, no resources, a shutdown, a missing database, a wrong password, or the victim
/// of a serialization conflict or a deadlock.
fn may_work_later(code: &str) -> bool {
    let class = code.get(..2).unwrap_or_default();
    matches!(class, "08" | "28" | "3D" | "53" | "57" | "58") || matches!(code, "40001" | "40P01" | "55P03" | "25P03")
}

/// Reads the table and columns from a constraint's name. Ours are named `<table>__<column>…`, such as `connections__workspace_id__network`,
/// so that we need not parse a message.
fn taken(table: Option<&str>, constraint: Option<&str>) -> Option<(String, String)> {
    let (table, constraint) = (table?, constraint?);
    let column = match constraint.strip_prefix(table) {
        Some("_pkey") => "id".to_owned(),
        Some(columns) => columns.strip_prefix("__")?.replace("__", ","),
        None => return None,
    };
    Some((table.to_owned(), column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violated_constraint_names_table_and_columns() {
        let taken =
            |table, constraint| taken(Some(table), Some(constraint)).map(|(table, column)| format!("{table}.{column}"));
        assert_eq!(taken("users", "users__email_key").as_deref(), Some("users.email_key"));
        assert_eq!(
            taken("connections", "connections__workspace_id__network").as_deref(),
            Some("connections.workspace_id,network")
        );
        assert_eq!(taken("runs", "runs_pkey").as_deref(), Some("runs.id"));
        assert_eq!(taken("runs", "foreign"), None);
    }

    #[test]
    fn a_server_that_goes_down_is_not_a_bug() {
        assert!(may_work_later("57P01") && may_work_later("08006") && may_work_later("40P01"));
        assert!(!may_work_later("23503") && !may_work_later("42601") && !may_work_later(""));
    }
}
