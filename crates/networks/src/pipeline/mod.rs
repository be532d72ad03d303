//! Sending: rate limit, circuit breaker, attempts with retries, pages. What is sent was decided before it gets here.

pub mod breaker;
mod refusal;
mod request;
mod retry;
mod send;

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_contract::Progress;
use adagent_domain::{Clock, Network};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde_json::Value as Json;

use self::{
    breaker::{Breaker, BreakerPolicy},
    retry::{Attempt, Decision},
};
use crate::{
    Credentials, ProgressSink, ToolError, ToolErrorClass, adapters, catalogue::Operation, catalogue::PaginationKind,
    catalogue::ResultKind,
};

/// Bounds and waits of the pipeline; the defaults suit production, tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub connect_timeout: Duration,
    /// Of one attempt, from sending to the last byte.
    pub total_timeout: Duration,
    pub max_response_bytes: usize,
    pub max_report_rows: usize,
    pub max_pages: u32,
    pub max_items: usize,
    pub requests_per_second: NonZeroU32,
    pub breaker: BreakerPolicy,
    /// How long a read's answer is served again.
    pub read_cache: Duration,
    /// How long entities are kept.
    pub entity_cache: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(30),
            max_response_bytes: 32 * 1024 * 1024,
            max_report_rows: 100_000,
            max_pages: 50,
            max_items: 20_000,
            requests_per_second: NonZeroU32::new(25).unwrap_or(NonZeroU32::MIN),
            breaker: BreakerPolicy { failures: 5, open_millis: 15_000 },
            read_cache: Duration::from_secs(30),
            entity_cache: Duration::from_mins(5),
        }
    }
}

/// Gives numbers between 0 and 1, so that retries spread.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The client all outgoing calls use. It follows no redirect: credentials go where they were meant to go, or nowhere.
pub fn http_client(tuning: &Tuning) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .connect_timeout(tuning.connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("adagentai/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// A network's answer, pages joined.
#[derive(Debug)]
pub struct Reply {
    /// Lists: the items as an array; otherwise the body.
    pub body: Json,
    pub attempts: u32,
    pub truncated: bool,
    pub next_page_token: Option<String>,
}

/// Why there is no reply.
#[derive(Debug)]
pub enum SendError {
    /// 401: renew the credentials and try once more.
    Unauthorized,
    Failed(ToolError),
}

pub struct Transport {
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    tuning: Tuning,
    limiters: BTreeMap<Network, DefaultDirectRateLimiter>,
    breakers: Mutex<BTreeMap<Network, Breaker>>,
}

impl Transport {
    pub fn new(client: reqwest::Client, clock: Arc<dyn Clock>, jitter: Jitter, tuning: Tuning) -> Self {
        let quota = Quota::per_second(tuning.requests_per_second);
        let limiters = Network::ALL.into_iter().map(|network| (network, RateLimiter::direct(quota))).collect();
        Self { client, clock, jitter, tuning, limiters, breakers: Mutex::new(BTreeMap::new()) }
    }

    pub const fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Sends an operation, with its pages when it is a list.
    pub async fn call(
        &self,
        operation: &Operation,
        args: &Json,
        credentials: &Credentials,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let mut attempts = 0;
        let first = self.page(operation, args, credentials, None, &mut attempts, progress).await?;
        let pagination = operation
            .result
            .pagination
            .as_ref()
            .filter(|page| operation.result.kind == ResultKind::List && page.kind == PaginationKind::Token);
        let Some(pagination) = pagination else {
            return Ok(Reply { body: first, attempts, truncated: false, next_page_token: None });
        };
        // Who names a page or its size wants that page.
        let one_page = [Some(&pagination.request_param), pagination.page_size_param.as_ref()]
            .into_iter()
            .flatten()
            .any(|param| args.get(param).is_some());
        let path = operation.result.items_path.as_deref().unwrap_or_default();
        let mut page = first;
        let mut items = Vec::new();
        let mut pages = 1_u32;
        loop {
            let token = page[pagination.response_field.as_deref().unwrap_or_default()]
                .as_str()
                .filter(|token| !token.is_empty())
                .map(str::to_owned);
            if let Some(Json::Array(mut found)) = page.get_mut(path).map(Json::take) {
                items.append(&mut found);
            }
            let Some(token) = token else {
                return Ok(Reply { body: Json::Array(items), attempts, truncated: false, next_page_token: None });
            };
            if one_page || pages >= self.tuning.max_pages || items.len() >= self.tuning.max_items {
                return Ok(Reply { body: Json::Array(items), attempts, truncated: true, next_page_token: Some(token) });
            }
            progress.progress(&format!("{} so far, fetching more", items.len()), None).await;
            page = self
                .page(operation, args, credentials, Some((&pagination.request_param, &token)), &mut attempts, progress)
                .await?;
            pages += 1;
        }
    }

    async fn page(
        &self,
        operation: &Operation,
        args: &Json,
        credentials: &Credentials,
        token: Option<(&str, &str)>,
        attempts: &mut u32,
        progress: &mut dyn ProgressSink,
    ) -> Result<Json, SendError> {
        let tool = &operation.info;
        let Some((url, body)) = request::build(&operation.http, &credentials.base_url, args, token) else {
            return Err(SendError::Failed(ToolError::invalid(
                "The arguments do not fill the operation's path.",
                Vec::new(),
            )));
        };
        self.admit(tool.network).map_err(SendError::Failed)?;
        let bounds = send::Bounds { total: self.tuning.total_timeout, bytes: self.tuning.max_response_bytes };
        let may_repeat = adapters::may_repeat(tool, args);
        let mut attempt = 0;
        let mut maybe_applied = false;
        loop {
            attempt += 1;
            *attempts += 1;
            if let Some(limiter) = self.limiters.get(&tool.network) {
                limiter.until_ready().await;
            }
            let outcome =
                send::attempt(&self.client, &operation.http, url.clone(), body.as_ref(), credentials, bounds).await;
            let failure = match outcome {
                Ok(json) => {
                    self.record(tool.network, true);
                    return Ok(json);
                }
                Err(failure) => failure,
            };
            maybe_applied |= failure.may_have_applied();
            if (tool.read_only || !maybe_applied) && matches!(failure, Attempt::Unauthorized(_)) {
                self.record(tool.network, true);
                return Err(SendError::Unauthorized);
            }
            match retry::decide(tool, may_repeat, attempt, &failure, (self.jitter)()) {
                Decision::Retry { wait, why } => {
                    metrics::counter!("adagent_network_retries_total", "network" => tool.network.id()).increment(1);
                    tracing::debug!(tool = %tool.name, attempt, wait_ms = wait.as_millis(), %why, "trying again");
                    let message = format!("{why}; trying again in {:.1} s", wait.as_secs_f64());
                    let total = u64::from(retry::MAX_RETRIES) + 1;
                    progress.progress(&message, Some(Progress { done: u64::from(attempt), total })).await;
                    tokio::time::sleep(wait).await;
                }
                Decision::Fail(error) => {
                    let healthy = matches!(
                        failure,
                        Attempt::Refused(_)
                            | Attempt::RateLimited { .. }
                            | Attempt::Unauthorized(_)
                            | Attempt::TooLarge
                    );
                    self.record(tool.network, healthy);
                    let error = if maybe_applied { retry::unclear_after(tool, error) } else { error };
                    return Err(SendError::Failed(error));
                }
            }
        }
    }

    fn admit(&self, network: Network) -> Result<(), ToolError> {
        let now = self.clock.now();
        let policy = self.tuning.breaker;
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(network).or_insert_with(|| Breaker::new(policy));
        let admitted = breaker.admit(now);
        show(network, breaker);
        admitted.map_err(|wait| {
            let seconds = (wait + 999) / 1000;
            let name = network.display_name();
            let message =
                format!("{name} failed several times in a row and is left alone for {seconds} s; nothing was sent.");
            ToolError::new(ToolErrorClass::Retryable, "CIRCUIT_OPEN", message).guide("Try again then.")
        })
    }

    fn record(&self, network: Network, healthy: bool) {
        let now = self.clock.now();
        let policy = self.tuning.breaker;
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(network).or_insert_with(|| Breaker::new(policy));
        if healthy {
            breaker.succeeded();
        } else {
            breaker.failed(now);
        }
        show(network, breaker);
    }
}

fn show(network: Network, breaker: &Breaker) {
    metrics::gauge!("adagent_breaker_state", "network" => network.id()).set(f64::from(breaker.level()));
}
