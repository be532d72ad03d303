//! Wiring: turns a configuration into a running server. This is the only place that knows every crate; no business rule lives
//! here.
//!
//! It is a library next to `main`, so that tests start the very same server.

mod approval_form;
mod clock;
mod database;
mod keys;
pub mod mail;
mod maintenance;
mod mcp;
mod metrics;
mod models;
mod networks;
mod openid;
mod page_forms;
mod pages;
mod running;
mod sandbox;
mod serve;
pub mod telemetry;
mod tool_servers;
mod wiring;

pub use clock::{SystemClock, SystemIds};
pub use maintenance::{resend_mails, rotate_keys, verify_audit};
pub use pages::paths as page_paths;
pub use running::{Running, start, start_with};
