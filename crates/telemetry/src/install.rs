//! Installs log lines, spans and metrics for this process.

use std::{sync::Arc, time::Duration};

use adagent_domain::Clock;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, Layer as _, filter::FilterExt as _, filter::filter_fn, layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    Lines, Otlp, exposition, otlp,
    runs::{After, Before},
};

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person at a terminal.
    Text,
    Json,
}

/// The settings from `main`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A filter of `tracing-subscriber`.
    pub filter: String,
    pub format: Format,
    /// Without it, no spans leave the process.
    pub otlp: Option<Otlp>,
}

/// Why telemetry could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error("configuration: `log.filter`: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    #[error("configuration: `telemetry.otlp_headers`: expected name=value pairs, separated by commas")]
    Headers,
    #[error("configuration: `telemetry.otlp_endpoint`: {0}")]
    Otlp(String),
    #[error("logging is in place already")]
    Installed(#[from] tracing_subscriber::util::TryInitError),
}

/// Keep this until the end of the program, and then call [`Telemetry::shutdown`].
pub struct Telemetry {
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Sends the queued spans, and waits no longer than `patience`. It blocks, so do not call it in a task.
    pub fn shutdown(self, patience: Duration) {
        if let Some(provider) = self.provider
            && let Err(error) = provider.shutdown_with_timeout(patience)
        {
            tracing::warn!(%error, "the last spans did not reach the collector");
        }
    }
}

/// Checks whether a span leaves the process: only our own spans, at the configured detail. Libraries make many, and events may
/// contain anything.
fn exported(metadata: &Metadata<'_>, detail: Level) -> bool {
    metadata.is_span() && metadata.target().starts_with("adagent") && *metadata.level() <= detail
}

/// Checks whether a span gives its IDs to log lines, whatever the filter for lines says.
fn names_lines(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target().starts_with("adagent") && *metadata.level() <= Level::INFO
}

/// Installs telemetry. Call it once per process, within the runtime.
pub fn install(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Telemetry, TelemetryError> {
    exposition::recorder();
    // The MCP library logs its clients' names and data. We do not log that unless the filter asks for it.
    let quiet = if settings.filter.contains("rmcp") { "" } else { ",rmcp=warn" };
    let filter = EnvFilter::try_new(format!("{}{quiet}", settings.filter))?;
    let lines = Lines::new(settings.format, clock, std::io::stderr).with_filter(filter.or(filter_fn(names_lines)));
    let provider = settings.otlp.as_ref().map(otlp::provider).transpose()?;
    let spans = provider.as_ref().zip(settings.otlp.as_ref()).map(|(provider, otlp)| {
        let tracer = provider.tracer("adagentai");
        let detail = otlp.detail;
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer.clone())
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(move |metadata| exported(metadata, detail)));
        Before.and_then(layer).and_then(After { tracer })
    });
    tracing_subscriber::registry().with(lines).with(spans).try_init()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let what = panic.payload_as_str().unwrap_or("something that is no text");
        metrics::counter!("adagent_panics_total", "place" => file(panic.location())).increment(1);
        tracing::error!(place, what, "panic");
    }));
    Ok(Telemetry { provider })
}

/// Returns the source file of a panic, starting at its crate: a limited set of values, the same on every machine.
fn file(place: Option<&std::panic::Location<'_>>) -> String {
    let file = place.map_or("unknown", std::panic::Location::file).replace('\\', "/");
    match file.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/')) {
        Some((_, library)) => library.to_owned(),
        None => file,
    }
}
