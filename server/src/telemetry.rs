//! Log lines, spans and metrics, as configured.

use std::{sync::Arc, time::Duration};

use adagent_config::{Config, Detail, LogFormat};
use adagent_domain::Ids as _;
use adagent_telemetry::{Format, Otlp, Settings, Telemetry};
use anyhow::Result;

use crate::{SystemClock, SystemIds};

/// How long sending the last spans may take at shutdown.
const FLUSH: Duration = Duration::from_secs(5);

/// Installs telemetry. `main` calls this once, inside the runtime.
pub fn install(config: &Config) -> Result<Telemetry> {
    let otlp = config.telemetry.otlp_endpoint.as_ref().map(|endpoint| Otlp {
        endpoint: endpoint.to_string(),
        headers: config.telemetry.otlp_headers.clone(),
        service: config.telemetry.service_name.clone(),
        instance: SystemIds.next_uuid().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        detail: match config.telemetry.detail {
            Detail::Info => tracing::Level::INFO,
            Detail::Debug => tracing::Level::DEBUG,
        },
    });
    let format = match config.log.format {
        LogFormat::Text => Format::Text,
        LogFormat::Json => Format::Json,
    };
    let settings = Settings { filter: config.log.filter.clone(), format, otlp };
    Ok(adagent_telemetry::install(&settings, Arc::new(SystemClock))?)
}

/// Sends the last spans. An unreachable collector costs a few seconds.
pub async fn flush(telemetry: Telemetry) {
    // The shutdown blocks while it sends on this runtime.
    let _ = tokio::task::spawn_blocking(move || telemetry.shutdown(FLUSH)).await;
}
