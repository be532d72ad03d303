//! The recorder behind the `metrics` facade, and the page that Prometheus reads.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use crate::{
    process,
    table::{Kind, METRICS},
};

static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts to record at the first call in a process. A program that already has its own recorder keeps it.
pub fn recorder() {
    HANDLE.get_or_init(|| install().inspect_err(|error| tracing::warn!(%error, "no metrics are recorded")).ok());
}

fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for metric in METRICS {
        if let Kind::Histogram(buckets) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
        }
    }
    let handle = builder.install_recorder()?;
    for metric in METRICS {
        match metric.kind {
            Kind::Counter => metrics::describe_counter!(metric.name, metric.help),
            Kind::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Kind::Histogram(_) => metrics::describe_histogram!(metric.name, metric.help),
        }
        // A counter that appears only with its first event shows no increase to an alert.
        if metric.kind == Kind::Counter && metric.labels.is_empty() {
            metrics::counter!(metric.name).absolute(0);
        }
    }
    // Do the same for the labels that alerts look at.
    for kind in ["read", "write"] {
        metrics::counter!("adagent_tool_calls_total", "source" => "admob", "kind" => kind, "outcome" => "unknown_outcome")
            .absolute(0);
    }
    for step in [
        "route",
        "load_entities",
        "retrieve",
        "ask_model",
        "check",
        "read",
        "sketch",
        "send",
        "probe",
        "verify",
        "between",
    ] {
        metrics::counter!("adagent_broken_steps_total", "step" => step).absolute(0);
    }
    Ok(handle)
}

/// Returns the page in text format 0.0.4.
pub fn page() -> String {
    let mut text = HANDLE.get().and_then(Option::as_ref).map(PrometheusHandle::render).unwrap_or_default();
    text.push_str(&process::exposition());
    text
}

/// Folds in what histograms have collected. Call it every few seconds, even if nobody reads the page.
pub fn upkeep() {
    if let Some(handle) = HANDLE.get().and_then(Option::as_ref) {
        handle.run_upkeep();
    }
}
