//! Sends spans to a collector: OTLP over HTTP with protobuf, in batches, from its own thread.
//!
//! The queue has a limit: if the collector is slow or gone, spans are dropped and the work continues.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::Handle;
use tracing::Level;

use crate::{TelemetryError, runs::RunIds};

/// The longest time that one batch may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that we read; a collector's answer is a few bytes.
const MOST_BYTES: usize = 64 * 1024;

/// Where spans go.
#[derive(Debug, Clone)]
pub struct Otlp {
    /// The base address of the collector, such as `http://127.0.0.1:4318`.
    pub endpoint: String,
    /// `name=value,name=value`, for collectors that require authentication.
    pub headers: Option<SecretString>,
    pub service: String,
    /// A name that tells this process apart from others.
    pub instance: String,
    pub version: &'static str,
    /// `INFO`, or `DEBUG` for database statements too.
    pub detail: Level,
}

/// Makes the provider. Call it within the runtime.
pub(crate) fn provider(otlp: &Otlp) -> Result<SdkTracerProvider, TelemetryError> {
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| TelemetryError::Otlp(error.to_string()))?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Sender { client, runtime: Handle::current() })
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(address(&otlp.endpoint))
        .with_headers(headers(otlp.headers.as_ref())?)
        .with_timeout(PATIENCE)
        .build()
        .map_err(|error| TelemetryError::Otlp(error.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(otlp.service.clone())
        .with_attributes([
            KeyValue::new("service.version", otlp.version),
            KeyValue::new("service.instance.id", otlp.instance.clone()),
        ])
        .build();
    Ok(SdkTracerProvider::builder()
        .with_id_generator(RunIds::default())
        .with_resource(resource)
        .with_batch_exporter(exporter)
        .build())
}

fn address(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    if base.ends_with("/v1/traces") { base.to_owned() } else { format!("{base}/v1/traces") }
}

fn headers(given: Option<&SecretString>) -> Result<HashMap<String, String>, TelemetryError> {
    let text = given.map(ExposeSecret::expose_secret).unwrap_or_default();
    text.split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or(TelemetryError::Headers)?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// Sends batches on our runtime, because they come from a thread without one.
#[derive(Debug)]
struct Sender {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let request = self.client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
        let answer = self.runtime.spawn(async move {
            let mut response = request.send().await?;
            let mut answer = Response::builder().status(response.status());
            if let Some(wait) = response.headers().get("retry-after") {
                answer = answer.header("retry-after", wait);
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if bytes.len() + chunk.len() > MOST_BYTES {
                    break;
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok::<_, HttpError>(answer.body(Bytes::from(bytes))?)
        });
        let answer = answer.await.map_err(HttpError::from).flatten();
        let outcome = if answer.as_ref().is_ok_and(|answer| answer.status().is_success()) { "ok" } else { "failed" };
        metrics::counter!("adagent_trace_exports_total", "outcome" => outcome).increment(1);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_once() {
        for given in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(address(given), "http://c:4318/v1/traces");
        }
    }

    #[test]
    fn headers_are_pairs_or_refused_without_being_repeated() {
        let read = |text: &str| headers(Some(&SecretString::from(text.to_owned())));
        let read_two = read("x-key=abc=1, x-team = desk,").expect("pairs");
        assert_eq!((read_two["x-key"].as_str(), read_two["x-team"].as_str()), ("abc=1", "desk"));
        let error = read("hunter2").expect_err("no pair").to_string();
        assert!(!error.contains("hunter2") && error.contains("name=value"), "{error}");
        assert!(headers(None).expect("none").is_empty());
    }
}
