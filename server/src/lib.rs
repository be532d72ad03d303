//! Wiring: configuration in, a running server out. The only place that knows every crate; no rule of the product lives here.
//!
//! A library beside `main`, so that tests start the very same server.

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
pub use running::{Running, start};
