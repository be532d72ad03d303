//! Delivers a signed request: gets its session, keeps the limits, asks the breaker, and makes attempts with retries.
//!
//! This module must never send a write again that may have been applied, unless the catalog says that it may be repeated.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError},
    time::Duration,
};

use adagent_contract::Progress;
use adagent_domain::Network;

use super::{
    Delivery, Line, SendError, Transport, Work,
    breaker::Breaker,
    place,
    reply::{self, Content, Expected},
    retry::{self, Attempt, Decision, Subject},
    send,
    windows::Owner,
    without_field,
};
use crate::sign::{Scheme, Session, Window};
use adagent_tools::{ProgressSink, ToolError, ToolErrorClass};

/// A wait at least this long tells the person when it ends.
const LONG_WAIT: Duration = Duration::from_secs(5);
/// How often it tells them.
const SAID_EVERY: Duration = Duration::from_secs(15);

/// The scheme name for a request that exchanges keys for a session.
const EXCHANGE: &str = "exchange";

impl Transport {
    /// Returns the session that a scheme needs: the known one, or a new one from an exchange that follows the same rules as every call.
    pub(super) async fn session(
        &self,
        work: &mut Work<'_>,
        name: &'static str,
        scheme: &'static dyn Scheme,
        refused: Option<&Arc<Session>>,
        progress: &mut dyn ProgressSink,
    ) -> Result<Option<Arc<Session>>, SendError> {
        let (profile, credentials) = (work.profile, work.credentials);
        let missing = |missing| SendError::Failed(without_field(profile.network, missing));
        let asked = scheme.exchanges(&credentials.fields).map_err(missing)?;
        if asked.is_empty() {
            return Ok(None);
        }
        let now = self.clock.now();
        let kept = work.session.take();
        let good = |kept: &(&str, Arc<Session>)| refused.is_none() && kept.0 == name && now < kept.1.good_until;
        if let Some((_, session)) = kept.filter(good) {
            work.session = Some((name, session.clone()));
            return Ok(Some(session));
        }
        let exchange = self.exchange(work, scheme, asked.len(), progress);
        let session = self.sessions.obtain(credentials, name, now, refused, exchange).await?;
        work.session = Some((name, session.clone()));
        Ok(Some(session))
    }

    async fn exchange(
        &self,
        work: &mut Work<'_>,
        scheme: &'static dyn Scheme,
        addresses: usize,
        progress: &mut dyn ProgressSink,
    ) -> Result<Session, SendError> {
        let (profile, credentials) = (work.profile, work.credentials);
        let expected = Expected { read_only: true, csv: false };
        let mut last = None;
        for index in 0..addresses {
            let make = |_| {
                let asked =
                    scheme.exchanges(&credentials.fields).map_err(|field| without_field(profile.network, field))?;
                let mut out = asked.into_iter().nth(index).ok_or_else(|| ToolError::auth_failed(profile.network))?;
                out.url = place::located(profile, credentials, &out.url);
                out.note_added(&[]);
                Ok(out)
            };
            let delivery =
                Delivery { subject: work.reading(), may_repeat: true, scheme: EXCHANGE, expected, make: &make };
            match self.deliver(work, &delivery, progress).await {
                Ok(Content::Json(reply)) => {
                    return scheme.session(&reply, self.clock.now()).ok_or_else(|| {
                        let message = format!("{} didn't return a valid token.", profile.network.display_name());
                        let error = ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message);
                        SendError::Failed(
                            error.guide("Try again later; if it keeps happening, check the connection's keys."),
                        )
                    });
                }
                Ok(_) => return Err(SendError::Unauthorized),
                Err(SendError::Failed(error)) if error.code == "NOT_FOUND" => last = Some(error),
                // A network may refuse keys with a plain error instead of a 401.
                Err(SendError::Failed(error)) if matches!(error.code.as_str(), "INVALID_ARGUMENT" | "REFUSED") => {
                    return Err(SendError::Unauthorized);
                }
                Err(error) => return Err(error),
            }
        }
        Err(last.map_or(SendError::Unauthorized, SendError::Failed))
    }

    /// Checks limits and breaker, then makes attempts with retries.
    pub(super) async fn deliver(
        &self,
        work: &mut Work<'_>,
        delivery: &Delivery<'_>,
        progress: &mut dyn ProgressSink,
    ) -> Result<Content, SendError> {
        let (subject, network, conduct) = (&delivery.subject, work.profile.network, &work.profile.conduct);
        let line = work.line();
        self.admit(line).map_err(SendError::Failed)?;
        let mut attempt = 0;
        let mut maybe_applied = false;
        // Whether the last attempt showed that the network is healthy; `None` before the first attempt.
        let mut healthy = None;
        loop {
            let stop = |error: ToolError, healthy| {
                self.settle(line, healthy);
                SendError::Failed(if maybe_applied { retry::unclear_after(subject, error) } else { error })
            };
            attempt += 1;
            // An exchange is preparation, not an attempt at the operation.
            work.attempts += u32::from(delivery.scheme != EXCHANGE);
            self.unhurried(network).await;
            let own = work.profile.windows.iter().enumerate().filter(|(_, window)| {
                let all = window.schemes.is_empty() && delivery.scheme != EXCHANGE;
                all || window.schemes.contains(&delivery.scheme)
            });
            let own: Vec<(usize, Window)> = own.map(|(index, window)| (index, *window)).collect();
            let owner = self.windows.owner(work.credentials);
            if let Err(wait) = self.wait_for(network, owner, &own, progress).await {
                return Err(stop(crowded(network, wait, attempt == 1), healthy));
            }
            let outgoing = (delivery.make)(self.moment()).map_err(|error| stop(error, healthy))?;
            let outcome = send::attempt(&self.client, &outgoing, self.bounds(work)).await;
            let read = outcome.and_then(|received| {
                work.took(received.body.len());
                reply::read(conduct, delivery.expected, &received)
            });
            let failure = match read {
                Ok(content) => {
                    self.settle(line, Some(true));
                    return Ok(content);
                }
                Err(failure) => failure.without(&work.secrets(Some(&outgoing))),
            };
            drop(outgoing);
            maybe_applied |= failure.may_have_applied();
            healthy = failure.healthy();
            if (subject.read_only || !maybe_applied) && matches!(failure, Attempt::Unauthorized(_)) {
                self.settle(line, healthy);
                return Err(SendError::Unauthorized);
            }
            if let Err(error) = self.retry(subject, delivery.may_repeat, attempt, &failure, progress).await {
                self.settle(line, healthy);
                let error = if maybe_applied { retry::unclear_after(subject, error) } else { error };
                return Err(SendError::Failed(error));
            }
        }
    }

    /// Waits for room in the limit on requests that this program sends to a network.
    pub(super) async fn unhurried(&self, network: Network) {
        if let Some(limiter) = self.limiters.get(&network) {
            limiter.until_ready().await;
        }
    }

    /// Waits before the next attempt, or returns why there is none.
    pub(super) async fn retry(
        &self,
        subject: &Subject<'_>,
        may_repeat: bool,
        attempt: u32,
        failure: &Attempt,
        progress: &mut dyn ProgressSink,
    ) -> Result<(), ToolError> {
        let patience = self.patience(progress);
        let (wait, why) = match retry::decide(subject, may_repeat, attempt, failure, (self.jitter)(), patience) {
            Decision::Retry { wait, why } => (wait, why),
            Decision::Fail(error) => return Err(error),
        };
        metrics::counter!("adagent_network_retries_total", "network" => subject.network.id()).increment(1);
        tracing::debug!(tool = %subject.name, attempt, wait_ms = wait.as_millis(), %why, "trying again");
        let total = u64::from(retry::MAX_RETRIES) + 1;
        let of = Some(Progress { done: u64::from(attempt), total });
        if wait >= LONG_WAIT {
            self.wait_aloud(wait, &format!("{why}. Trying again"), of, progress).await;
            return Ok(());
        }
        let message = format!("{why}. Trying again in {:.1} seconds", wait.as_secs_f64());
        progress.progress(&message, of).await;
        tokio::time::sleep(wait).await;
        Ok(())
    }

    /// Returns how long the caller can wait: until the deadline of the run, or at least `limit_patience`.
    fn patience(&self, progress: &dyn ProgressSink) -> Duration {
        let until = progress.waits_until().map(|until| until.millis_since(self.clock.now()).max(0).unsigned_abs());
        until.map_or(self.tuning.limit_patience, Duration::from_millis).max(self.tuning.limit_patience)
    }

    /// Waits, and reports the reason and the end of the wait again and again, because a page that does not change looks broken.
    async fn wait_aloud(&self, wait: Duration, why: &str, of: Option<Progress>, progress: &mut dyn ProgressSink) {
        let until = self.clock.now().plus_millis(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        let mut left = wait;
        while !left.is_zero() {
            let message = format!("{why} in {}, at {}", retry::in_words(left), retry::time_of_day(until));
            progress.progress(&message, of).await;
            let now = left.min(SAID_EVERY);
            tokio::time::sleep(now).await;
            left -= now;
        }
    }

    /// Waits for room in these windows. If that would take too long, returns the wait in milliseconds as the error.
    pub(super) async fn wait_for(
        &self,
        network: Network,
        owner: Owner,
        windows: &[(usize, Window)],
        progress: &mut dyn ProgressSink,
    ) -> Result<(), i64> {
        let patience = i64::try_from(self.patience(progress).as_millis()).unwrap_or(i64::MAX);
        let wait = self.windows.take(network, owner, windows, self.clock.now(), patience)?;
        if wait > 0 {
            let wait = Duration::from_millis(wait.unsigned_abs());
            let name = network.display_name();
            if wait >= LONG_WAIT {
                let why = format!("{name} takes no more requests for now. Going on");
                self.wait_aloud(wait, &why, None, progress).await;
                return Ok(());
            }
            let message = format!("Waiting {:.1} seconds to stay within {name}'s limits", wait.as_secs_f64());
            progress.progress(&message, None).await;
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    pub(super) fn admit(&self, line: Line) -> Result<(), ToolError> {
        let now = self.clock.now();
        let policy = self.tuning.breaker;
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let admitted = breakers.entry(line).or_insert_with(|| Breaker::new(policy)).admit(now);
        show(line.0, &breakers);
        admitted.map_err(|wait| {
            let seconds = (wait + 999) / 1000;
            let name = line.0.display_name();
            let message = format!(
                "{name} failed several times in a row, so we paused it for {seconds} seconds. Nothing was sent."
            );
            ToolError::new(ToolErrorClass::Retryable, "CIRCUIT_OPEN", message).guide("Try again after that.")
        })
    }

    /// Records how an admitted call ended: well, badly, or without any information about the network's health.
    fn settle(&self, line: Line, healthy: Option<bool>) {
        let now = self.clock.now();
        let policy = self.tuning.breaker;
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(line).or_insert_with(|| Breaker::new(policy));
        match healthy {
            Some(true) => breaker.succeeded(),
            Some(false) => breaker.failed(now),
            None => breaker.unused(now),
        }
        // A healthy breaker is the same as an unused one, so drop it; otherwise they pile up as connections come and go.
        if healthy == Some(true) {
            breakers.remove(&line);
        }
        show(line.0, &breakers);
    }
}

/// Returns the error for a limit without room for a while. `first`: no attempt was sent before.
pub(super) fn crowded(network: Network, wait: i64, first: bool) -> ToolError {
    let nothing = if first { " Nothing was sent." } else { "" };
    let message = format!(
        "{} takes no more requests for now. Ask again in {}.{nothing}",
        network.display_name(),
        retry::in_words(Duration::from_millis(wait.unsigned_abs()))
    );
    ToolError::new(ToolErrorClass::Retryable, "RATE_LIMITED", message).guide("Wait a bit, or ask for less at once.")
}

fn show(network: Network, breakers: &BTreeMap<Line, Breaker>) {
    let all = breakers.iter().filter(|((of, ..), _)| *of == network).map(|(_, breaker)| breaker);
    let level = all.map(Breaker::level).max().unwrap_or_default();
    metrics::gauge!("adagent_breaker_state", "network" => network.id()).set(f64::from(level));
}
