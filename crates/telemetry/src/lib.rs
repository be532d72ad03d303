//! What an operator sees of a running server: log lines, spans, metrics.
//!
//! The other crates only say what happens, through the facades `tracing` and `metrics`; here it is decided where that goes: one
//! line per event on standard error, spans to an OTLP collector, figures for Prometheus. Installed once, by `main`. Must never
//! block the work it watches, never hold a rule of the product, and never let a secret or the content of a conversation out.

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
