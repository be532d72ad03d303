//! Getting a signed request across: the session it needs, the limits it keeps, the breaker, and attempts with their retries.
//!
//! Must never send a write again that may have been applied, unless the catalogue says it may be repeated.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use adagent_contract::Progress;
use adagent_domain::{Network, WorkspaceId};

use super::{
    Delivery, SendError, Transport, Work,
    breaker::Breaker,
    place,
    reply::{self, Content, Expected},
    retry::{self, Attempt, Decision, Subject},
    send, without_field,
};
use crate::{
    ProgressSink, ToolError, ToolErrorClass,
    sign::{Scheme, Session, Window},
};

impl Transport {
    /// The session a scheme needs: known, or got by an exchange that keeps the same rules as every call.
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
                Ok(out)
            };
            let delivery =
                Delivery { subject: work.reading(), may_repeat: true, scheme: "exchange", expected, make: &make };
            match self.deliver(work, &delivery, progress).await {
                Ok(Content::Json(reply)) => {
                    return scheme.session(&reply, self.clock.now()).ok_or_else(|| {
                        let message = format!("{} gave no usable token.", profile.network.display_name());
                        let error = ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message);
                        SendError::Failed(error.guide("Try again later; check the connection's keys if it stays so."))
                    });
                }
                Ok(_) => return Err(SendError::Unauthorized),
                Err(SendError::Failed(error)) if error.code == "NOT_FOUND" => last = Some(error),
                // Keys that are refused with a plain no are refused all the same.
                Err(SendError::Failed(error)) if matches!(error.code.as_str(), "INVALID_ARGUMENT" | "REFUSED") => {
                    return Err(SendError::Unauthorized);
                }
                Err(error) => return Err(error),
            }
        }
        Err(last.map_or(SendError::Unauthorized, SendError::Failed))
    }

    /// Limits, breaker, attempts with their retries.
    pub(super) async fn deliver(
        &self,
        work: &mut Work<'_>,
        delivery: &Delivery<'_>,
        progress: &mut dyn ProgressSink,
    ) -> Result<Content, SendError> {
        let (subject, network, conduct) = (&delivery.subject, work.profile.network, &work.profile.conduct);
        self.admit(network).map_err(SendError::Failed)?;
        let mut attempt = 0;
        let mut maybe_applied = false;
        loop {
            attempt += 1;
            work.attempts += 1;
            if let Some(limiter) = self.limiters.get(&network) {
                limiter.until_ready().await;
            }
            let own = work.profile.windows.iter().enumerate().filter(|(_, window)| {
                let all = window.schemes.is_empty() && delivery.scheme != "exchange";
                all || window.schemes.contains(&delivery.scheme)
            });
            let own: Vec<(usize, Window)> = own.map(|(index, window)| (index, *window)).collect();
            self.wait_for(network, work.workspace, &own, progress).await.map_err(SendError::Failed)?;
            let outgoing = (delivery.make)(self.moment()).map_err(SendError::Failed)?;
            let outcome = send::attempt(&self.client, &outgoing, self.bounds()).await;
            drop(outgoing);
            let failure = match outcome.and_then(|received| reply::read(conduct, delivery.expected, &received)) {
                Ok(content) => {
                    self.record(network, true);
                    return Ok(content);
                }
                Err(failure) => failure,
            };
            maybe_applied |= failure.may_have_applied();
            if (subject.read_only || !maybe_applied) && matches!(failure, Attempt::Unauthorized(_)) {
                self.record(network, true);
                return Err(SendError::Unauthorized);
            }
            if let Err(error) = self.retry(subject, delivery.may_repeat, attempt, &failure, progress).await {
                let healthy = matches!(
                    failure,
                    Attempt::Refused(_) | Attempt::RateLimited { .. } | Attempt::Unauthorized(_) | Attempt::TooLarge
                );
                self.record(network, healthy);
                let error = if maybe_applied { retry::unclear_after(subject, error) } else { error };
                return Err(SendError::Failed(error));
            }
        }
    }

    /// Waits before the next attempt, or says why there is none.
    pub(super) async fn retry(
        &self,
        subject: &Subject<'_>,
        may_repeat: bool,
        attempt: u32,
        failure: &Attempt,
        progress: &mut dyn ProgressSink,
    ) -> Result<(), ToolError> {
        let (wait, why) = match retry::decide(subject, may_repeat, attempt, failure, (self.jitter)()) {
            Decision::Retry { wait, why } => (wait, why),
            Decision::Fail(error) => return Err(error),
        };
        metrics::counter!("adagent_network_retries_total", "network" => subject.network.id()).increment(1);
        tracing::debug!(tool = %subject.name, attempt, wait_ms = wait.as_millis(), %why, "trying again");
        let message = format!("{why}; trying again in {:.1} s", wait.as_secs_f64());
        let total = u64::from(retry::MAX_RETRIES) + 1;
        progress.progress(&message, Some(Progress { done: u64::from(attempt), total })).await;
        tokio::time::sleep(wait).await;
        Ok(())
    }

    pub(super) async fn wait_for(
        &self,
        network: Network,
        workspace: Option<WorkspaceId>,
        windows: &[(usize, Window)],
        progress: &mut dyn ProgressSink,
    ) -> Result<(), ToolError> {
        let name = network.display_name();
        let patience = i64::try_from(self.tuning.limit_patience.as_millis()).unwrap_or(i64::MAX);
        match self.windows.take(network, workspace, windows, self.clock.now(), patience) {
            Ok(0) => Ok(()),
            Ok(wait) => {
                let wait = Duration::from_millis(wait.unsigned_abs());
                let message = format!("Waiting {:.1} s to stay within the limits of {name}", wait.as_secs_f64());
                progress.progress(&message, None).await;
                tokio::time::sleep(wait).await;
                Ok(())
            }
            Err(wait) => {
                let message = format!(
                    "Too many calls to {name} in a short time; there is room again in {} s. Nothing was sent.",
                    (wait + 999) / 1000
                );
                let error = ToolError::new(ToolErrorClass::Retryable, "RATE_LIMITED", message);
                Err(error.guide("Wait a little, or ask for less at once."))
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
