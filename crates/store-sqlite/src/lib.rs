//! The store on SQLite: one file, one writer, several readers.
//!
//! This crate compiles everything that both engines share from `crates/store/shared`, and adds only the differences: opening, the writer,
//! syncing, wakes within the process, names of errors. It must not hold a statement that PostgreSQL would accept too.

mod engine;
mod error;
mod open;
mod sync;

#[path = "../../store/shared/accounts.rs"]
mod accounts;
#[path = "../../store/shared/agents.rs"]
mod agents;
#[path = "../../store/shared/approvals.rs"]
mod approvals;
#[path = "../../store/shared/audit.rs"]
mod audit;
#[path = "../../store/shared/chats.rs"]
mod chats;
#[path = "../../store/shared/columns.rs"]
mod columns;
#[path = "../../store/shared/connection.rs"]
mod connection;
#[path = "../../store/shared/connections.rs"]
mod connections;
#[path = "../../store/shared/documents.rs"]
mod documents;
#[path = "../../store/shared/export.rs"]
mod export;
#[path = "../../store/shared/history.rs"]
mod history;
#[path = "../../store/shared/home.rs"]
mod home;
#[path = "../../store/shared/journal.rs"]
mod journal;
#[path = "../../store/shared/mail.rs"]
mod mail;
#[path = "../../store/shared/migrate.rs"]
mod migrate;
#[path = "../../store/shared/misc.rs"]
mod misc;
#[path = "../../store/shared/organizations.rs"]
mod organizations;
#[path = "../../store/shared/privacy.rs"]
mod privacy;
#[path = "../../store/shared/queue.rs"]
mod queue;
#[path = "../../store/shared/revocations.rs"]
mod revocations;
#[path = "../../store/shared/run.rs"]
mod run;
#[path = "../../store/shared/run_reads.rs"]
mod run_reads;
#[path = "../../store/shared/run_writes.rs"]
mod run_writes;
#[path = "../../store/shared/saved.rs"]
mod saved;
#[path = "../../store/shared/sealed.rs"]
mod sealed;
#[path = "../../store/shared/shelf.rs"]
mod shelf;
#[path = "../../store/shared/sign_in.rs"]
mod sign_in;
#[path = "../../store/shared/todos.rs"]
mod todos;
#[path = "../../store/shared/tokens.rs"]
mod tokens;
#[path = "../../store/shared/tool_servers.rs"]
mod tool_servers;
#[path = "../../store/shared/unit.rs"]
mod unit;
#[path = "../../store/shared/unreadable.rs"]
mod unreadable;
#[path = "../../store/shared/usage.rs"]
mod usage;

pub use engine::SqliteStore;
pub use open::open;
