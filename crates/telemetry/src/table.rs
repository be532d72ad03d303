//! Every metric: name, kind, help text, labels. Each label has few values: never an ID, an address or a person's text.

/// What a metric counts, and for histograms, the bounds of the buckets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram(&'static [f64]),
}

/// A metric as an administrator reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    pub labels: &'static [&'static str],
}

/// Seconds of an answer over HTTP or from a network.
const QUICK: Kind = Kind::Histogram(&[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0]);
/// Seconds of a run or of a model's answer.
const SLOW: Kind = Kind::Histogram(&[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0]);

const fn counter(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Metric {
    Metric { name, kind: Kind::Counter, help, labels }
}

const fn gauge(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Metric {
    Metric { name, kind: Kind::Gauge, help, labels }
}

const fn seconds(name: &'static str, kind: Kind, help: &'static str, labels: &'static [&'static str]) -> Metric {
    Metric { name, kind, help, labels }
}

/// The table. A test fails if a program records a metric that is not listed here.
pub const METRICS: &[Metric] = &[
    gauge("adagent_build_info", "Always 1; says what runs.", &["version", "engine"]),
    // These are about the whole installation. They come from the database, so every server reports the same.
    gauge("adagent_runs_ready", "Runs that wait for a worker.", &[]),
    gauge("adagent_runs_oldest_ready_seconds", "How long the longest-waiting ready run waits.", &[]),
    gauge("adagent_approvals_pending", "Approvals that wait for a person.", &[]),
    // These are about this process.
    gauge("adagent_workers_busy", "Runs that this process advances just now.", &[]),
    gauge("adagent_workers", "Runs that this process may advance at a time.", &[]),
    counter("adagent_runs_finished_total", "Runs that ended, by final status.", &["status"]),
    counter("adagent_mails_total", "Attempts to send a mail, by outcome.", &["outcome"]),
    counter("adagent_revocations_total", "Attempts to take a consent back at its network, by outcome.", &["outcome"]),
    seconds(
        "adagent_run_duration_seconds",
        SLOW,
        "From question to end of a run; waiting for people is in it where approval is true.",
        &["status", "approval"],
    ),
    seconds(
        "adagent_run_queue_seconds",
        QUICK,
        "From a new run's creation to its first worker; waiting for its turn in the conversation is in it.",
        &[],
    ),
    seconds("adagent_node_duration_seconds", QUICK, "Time in one step of the graph.", &["node"]),
    counter("adagent_lease_takeovers_total", "Runs taken over from a worker that let its lease run out.", &[]),
    counter("adagent_stale_epochs_total", "Commits refused because another worker had taken the run over.", &[]),
    counter("adagent_panics_total", "Defects of the program, by the file they happened in.", &["place"]),
    counter("adagent_broken_steps_total", "Steps of runs that a defect broke.", &["step"]),
    counter("adagent_claim_errors_total", "Attempts to claim a run that the database refused.", &[]),
    counter("adagent_model_calls_total", "Questions to models.", &["provider", "model", "outcome"]),
    seconds("adagent_model_call_duration_seconds", SLOW, "Time of a model's whole answer.", &["provider", "model"]),
    counter("adagent_model_tokens_total", "Tokens, as providers count them.", &["provider", "model", "direction"]),
    counter("adagent_model_cost_micros_total", "Cost in millionths of a US dollar.", &["provider", "model"]),
    counter("adagent_tool_calls_total", "Calls of tools.", &["source", "kind", "outcome"]),
    seconds("adagent_tool_call_duration_seconds", QUICK, "Time of such a call, waits included.", &["source", "kind"]),
    counter("adagent_network_retries_total", "Attempts repeated after a failure.", &["network"]),
    gauge("adagent_breaker_state", "0 closed, 1 on trial, 2 open: the network is left alone.", &["network"]),
    counter("adagent_limit_refusals_total", "Requests refused by a rate limit of our own.", &["limit"]),
    counter("adagent_http_requests_total", "Answered requests.", &["method", "route", "status"]),
    seconds("adagent_http_request_duration_seconds", QUICK, "Until the head of the answer.", &["route"]),
    gauge("adagent_http_requests_in_flight", "Requests whose answer is not complete, event streams among them.", &[]),
    gauge("adagent_event_streams", "Open event streams.", &[]),
    gauge("adagent_database_up", "1 when the database answered this scrape.", &[]),
    gauge("adagent_database_connections", "Connections of the pool.", &["state"]),
    gauge("adagent_database_connections_max", "Connections the pool may have.", &[]),
    counter("adagent_database_errors_total", "Statements that failed.", &["kind"]),
    counter("adagent_trace_exports_total", "Batches of spans sent to the collector.", &["outcome"]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_follow_the_conventions() {
        let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            assert!(metric.name.starts_with("adagent_") && metric.help.ends_with('.'), "{}", metric.name);
            assert_eq!(metric.kind == Kind::Counter, metric.name.ends_with("_total"), "{}", metric.name);
            if let Kind::Histogram(buckets) = metric.kind {
                assert!(metric.name.ends_with("_seconds") && buckets.is_sorted(), "{}", metric.name);
            }
            assert!(metric.labels.iter().all(|label| *label != "id" && !label.ends_with("_id")), "{}", metric.name);
        }
    }

    const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yml");
    const OPERATIONS: &str = include_str!("../../../docs/operations.md");

    /// Returns our metric names in a text, as histograms and counters expose them.
    fn named(text: &str) -> BTreeSet<&str> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.filter(|word| word.starts_with("adagent_")).collect()
    }

    fn is_known(name: &str) -> bool {
        METRICS.iter().any(|metric| {
            let parts: &[&str] = match metric.kind {
                Kind::Histogram(_) => &["_bucket", "_sum", "_count", ""],
                _ => &[""],
            };
            parts.iter().any(|part| name.strip_suffix(part) == Some(metric.name))
        })
    }

    #[test]
    fn alerts_and_handbook_name_only_metrics_that_exist() {
        // Targets of log filters, and names of families, look like metrics.
        let others = ["adagent_runtime", "adagent_runs_"];
        for (file, text) in [("alerts.yml", ALERTS), ("operations.md", OPERATIONS)] {
            for name in named(text).into_iter().filter(|name| !others.contains(name)) {
                assert!(is_known(name), "{file}: {name}");
            }
        }
    }

    #[test]
    fn every_alert_is_explained_in_the_handbook() {
        let alerts = ALERTS.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
        for alert in alerts {
            assert!(OPERATIONS.contains(&format!("\n#### {alert}\n")), "{alert} has no section");
            let anchor = format!("docs/operations.md#{}\n", alert.to_ascii_lowercase());
            assert!(ALERTS.contains(&anchor), "{alert} has no runbook");
        }
    }
}
