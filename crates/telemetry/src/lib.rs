//! What an administrator sees of a running server: log lines, spans, metrics.
//!
//! The other crates only report what happens, through the facades `tracing` and `metrics`. This crate decides where it goes: one line per
//! event on standard error, spans to an OTLP collector, numbers for Prometheus. `main` installs it once. It must never block the work that
//! it observes, never hold a rule of the product, and never let out a secret or the content of a chat.

mod exposition;
mod install;
mod join;
mod lines;
mod otlp;
mod process;
mod runs;
mod scrub;
mod table;

pub use exposition::{page, recorder, upkeep};
pub use install::{Format, Settings, Telemetry, TelemetryError, install};
pub use join::join;
pub use lines::Lines;
pub use otlp::Otlp;
pub use scrub::scrub;
pub use table::{Kind, METRICS, Metric};
