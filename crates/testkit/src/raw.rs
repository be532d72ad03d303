//! A database as a thief would see it: every row of every table as text, the files byte by byte, and any statement.

use std::{fmt::Write as _, path::PathBuf};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};

/// The place of a database.
#[derive(Debug, Clone)]
pub enum RawDatabase {
    Sqlite(PathBuf),
    Postgres(String),
}

impl RawDatabase {
    /// Runs a test's statement and returns the database's answer.
    pub async fn execute(&self, statement: &str) -> Result<u64, String> {
        let statement = AssertSqlSafe(statement.to_owned());
        match self {
            Self::Sqlite(path) => {
                let mut connection = sqlite(path).await;
                let done = sqlx::raw_sql(statement).execute(&mut connection).await;
                done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
            }
            Self::Postgres(url) => {
                let mut connection = PgConnection::connect(url).await.expect("the database answers");
                let done = sqlx::raw_sql(statement).execute(&mut connection).await;
                done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
            }
        }
    }

    /// Returns every table with every row. Writes SQLite's IDs in the usual form.
    pub async fn dump(&self) -> String {
        let mut dump = String::new();
        match self {
            Self::Sqlite(path) => {
                let mut connection = sqlite(path).await;
                let tables =
                    sqlx::query("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'");
                for table in tables.fetch_all(&mut connection).await.expect("tables") {
                    let table: String = table.get(0);
                    let columns = sqlx::query(AssertSqlSafe(format!("select name from pragma_table_info('{table}')")));
                    let columns = columns.fetch_all(&mut connection).await.expect("columns");
                    let cells: Vec<String> = columns.iter().map(|row| cell(&row.get::<String, _>(0))).collect();
                    let rows = format!("select {} as line from {table}", cells.join(" || ' ' || "));
                    for row in sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut connection).await.expect("rows") {
                        let line: String = row.get("line");
                        writeln!(dump, "{table}: {line}").expect("a String takes everything");
                    }
                }
            }
            Self::Postgres(url) => {
                let mut connection = PgConnection::connect(url).await.expect("the database answers");
                let tables = "select tablename::text from pg_tables where schemaname = current_schema()";
                for table in sqlx::query(tables).fetch_all(&mut connection).await.expect("tables") {
                    let table: String = table.get(0);
                    let rows = format!("select to_jsonb(t)::text as line from {table} t");
                    for row in sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut connection).await.expect("rows") {
                        let line: String = row.get("line");
                        writeln!(dump, "{table}: {line}").expect("a String takes everything");
                    }
                }
            }
        }
        dump
    }

    /// Returns the bytes of SQLite's file and its log. Empty for PostgreSQL, whose files are not ours.
    pub fn files(&self) -> Vec<u8> {
        let Self::Sqlite(path) = self else { return Vec::new() };
        let mut all = Vec::new();
        for ending in ["", "-wal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            all.extend(std::fs::read(name).unwrap_or_default());
        }
        all
    }
}

async fn sqlite(path: &std::path::Path) -> SqliteConnection {
    let mut connection =
        SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.expect("the database is there");
    sqlx::raw_sql("pragma busy_timeout = 10000").execute(&mut connection).await.expect("patient");
    connection
}

/// Returns an expression that writes a blob of 16 bytes as an ID, and everything else as SQLite writes it.
fn cell(column: &str) -> String {
    let digits = format!("lower(hex(\"{column}\"))");
    let parts: Vec<String> = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
        .iter()
        .map(|(from, length)| format!("substr({digits}, {from}, {length})"))
        .collect();
    format!(
        "case when typeof(\"{column}\") = 'blob' then {} else coalesce(cast(\"{column}\" as text), '-') end",
        parts.join(" || '-' || ")
    )
}
