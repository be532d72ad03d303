//! Ages a database: copies one finished chat many times with SQL, whatever columns its tables have.

use adagent_store::Engine;
use anyhow::{Context as _, Result};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};

use crate::{engine::Desk, stores::Opened};

/// How many copies one statement makes.
const BATCH: u32 = 50_000;
/// Runs per chat. `PEOPLE` people share the chats.
const TURNS: u32 = 10;
const PEOPLE: u32 = 100;

/// A table to copy. `k` tells apart several rows of one run.
struct Table {
    name: &'static str,
    /// How to find the rows of the template.
    of: Of,
    kind: u32,
    k: &'static str,
}

enum Of {
    Session,
    Run,
    RunColumn,
}

const TABLES: [Table; 6] = [
    Table { name: "chat_sessions", of: Of::Session, kind: 2, k: "0" },
    Table { name: "runs", of: Of::Run, kind: 1, k: "0" },
    Table { name: "messages", of: Of::RunColumn, kind: 3, k: "0" },
    Table { name: "run_events", of: Of::RunColumn, kind: 0, k: "t.seq" },
    Table { name: "run_checkpoints", of: Of::RunColumn, kind: 4, k: "t.step" },
    Table { name: "tool_calls", of: Of::RunColumn, kind: 5, k: "1" },
];

/// Adds `runs` runs to the existing ones, spread over chats and people.
pub async fn fill(desk: &Desk, runs: u32) -> Result<()> {
    let chat = desk.chat().await?;
    let (run, _) = desk.ask(&chat).await?;
    let (session, run) = (hex(chat.id.0), hex(run.0));
    let mut sql = Sql::open(&desk.opened).await?;
    let columns = sql.columns().await?;
    let mut from = 1;
    while from <= runs {
        let to = runs.min(from + BATCH - 1);
        for (table, columns) in TABLES.iter().zip(&columns) {
            let statement = copy(desk.opened.engine, table, columns, (&session, &run), (from, to));
            sql.run(statement).await.with_context(|| format!("filling {}", table.name))?;
        }
        from = to + 1;
    }
    sql.settle().await
}

fn hex(id: uuid::Uuid) -> String {
    id.simple().to_string()
}

/// Returns the SQL for an ID of this kind, lower than every ID of the measured load.
fn id(engine: Engine, kind: u32, n: &str, k: &str) -> String {
    match engine {
        Engine::Sqlite => format!("unhex(printf('00%02x%012x%016x', {kind}, {n}, {k}))"),
        Engine::Postgres => format!(
            "('00' || lpad(to_hex({kind}), 2, '0') || lpad(to_hex(({n})::bigint), 12, '0') || lpad(to_hex(({k})::bigint), 16, '0'))::uuid"
        ),
    }
}

fn literal(engine: Engine, hex: &str) -> String {
    match engine {
        Engine::Sqlite => format!("x'{hex}'"),
        Engine::Postgres => format!("'{hex}'::uuid"),
    }
}

fn copy(engine: Engine, table: &Table, columns: &[String], template: (&str, &str), (from, to): (u32, u32)) -> String {
    let numbers = match engine {
        Engine::Sqlite => {
            format!(
                "(with recursive c(n) as (values ({from}) union all select n + 1 from c where n < {to}) select n from c) g"
            )
        }
        Engine::Postgres => format!("generate_series({from}, {to}) g (n)"),
    };
    let session = format!("(g.n - g.n % {TURNS})");
    let person = format!("((g.n / {TURNS}) % {PEOPLE})");
    let expressions = columns.iter().map(|column| match column.as_str() {
        "id" if matches!(table.of, Of::Session) => id(engine, table.kind, &session, "0"),
        "id" => id(engine, table.kind, "g.n", table.k),
        "run_id" => id(engine, 1, "g.n", "0"),
        "message_id" => id(engine, 3, "g.n", "0"),
        "session_id" => id(engine, 2, &session, "0"),
        // One of every `PEOPLE` belongs to the person of the measured load.
        "workspace_id" | "user_id" | "author_id" => {
            let kind = if column == "workspace_id" { 6 } else { 7 };
            format!("case when {person} = 0 then t.{column} else {} end", id(engine, kind, &person, "0"))
        }
        other => format!("t.{other}"),
    });
    let (session_id, run_id) = (literal(engine, template.0), literal(engine, template.1));
    let condition = match table.of {
        Of::Session => format!("t.id = {session_id} and (g.n % {TURNS} = 0 or g.n = 1)"),
        Of::Run => format!("t.id = {run_id}"),
        Of::RunColumn => format!("t.run_id = {run_id}"),
    };
    let expressions: Vec<String> = expressions.collect();
    format!(
        "insert into {} ({}) select {} from {numbers} cross join {} t where {condition}",
        table.name,
        columns.join(", "),
        expressions.join(", "),
        table.name,
    )
}

/// A connection without foreign key checks. The references are correct by construction, and checking them would take most of the time.
enum Sql {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

impl Sql {
    async fn open(opened: &Opened) -> Result<Self> {
        let mut sql = match opened.engine {
            Engine::Sqlite => Self::Sqlite(Box::new(SqliteConnection::connect(&opened.url).await?)),
            Engine::Postgres => Self::Postgres(Box::new(PgConnection::connect(&opened.url).await?)),
        };
        let free = match opened.engine {
            Engine::Sqlite => "pragma foreign_keys = off; pragma synchronous = off; pragma busy_timeout = 60000",
            Engine::Postgres => "set session_replication_role = replica; set synchronous_commit = off",
        };
        sql.run(free.into()).await?;
        Ok(sql)
    }

    async fn run(&mut self, statement: String) -> Result<()> {
        let statement = AssertSqlSafe(statement);
        match self {
            Self::Sqlite(connection) => {
                sqlx::raw_sql(statement).execute(&mut **connection).await?;
            }
            Self::Postgres(connection) => {
                sqlx::raw_sql(statement).execute(&mut **connection).await?;
            }
        }
        Ok(())
    }

    /// Returns the columns of each table in the current schema.
    async fn columns(&mut self) -> Result<Vec<Vec<String>>> {
        let mut all = Vec::new();
        for table in TABLES {
            let names: Vec<String> = match self {
                Self::Sqlite(connection) => {
                    let statement = AssertSqlSafe(format!("select name from pragma_table_info('{}')", table.name));
                    let rows = sqlx::query(statement).fetch_all(&mut **connection).await?;
                    rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?
                }
                Self::Postgres(connection) => {
                    let rows = sqlx::query(
                        "select column_name::text from information_schema.columns
                         where table_schema = current_schema() and table_name = $1 order by ordinal_position",
                    )
                    .bind(table.name)
                    .fetch_all(&mut **connection)
                    .await?;
                    rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?
                }
            };
            all.push(names);
        }
        Ok(all)
    }

    /// Does the upkeep that a database gets over time while it grows.
    async fn settle(mut self) -> Result<()> {
        self.run(match self {
            Self::Sqlite(_) => "pragma optimize; pragma wal_checkpoint(truncate)".into(),
            Self::Postgres(_) => "vacuum analyze".into(),
        })
        .await
    }
}
