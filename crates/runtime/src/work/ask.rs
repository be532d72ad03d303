//! Asks a model, hosted or local, within the limits, and tries again a few times if that may help. Every question to a model goes through
//! here, so that none is sent before its cost is reserved.

use std::{borrow::Cow, time::Duration};

use adagent_contract::EventBody;
use adagent_llm::{Delta, Model, ModelError, ModelMessage, ModelReply, ModelRequest, TextSink, Usage};
use adagent_run_core::{AskedModel, Spent, Stop, Turn, duration};
use adagent_store::Reserved;
use async_trait::async_trait;
use tokio::sync::oneshot;

use crate::{
    context::Context,
    deps::RuntimeDeps,
    live::{Live, LiveSender, Wanted},
    stake::Stake,
    telemetry,
};

/// The longest wait between attempts that the provider did not ask for.
const MAX_BACKOFF: Duration = Duration::from_secs(20);

/// Why there is no reply, and what the question still cost.
pub(crate) struct Unanswered {
    pub stop: Stop,
    pub asked: Option<AskedModel>,
}

pub(crate) struct Asking<'a> {
    pub deps: &'a RuntimeDeps,
    pub context: &'a Context,
    pub state: &'a Turn,
    pub sender: &'a LiveSender,
}

pub(crate) fn spent(usage: Usage) -> Spent {
    Spent {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_micros: usage.cost_micros,
        estimated: usage.estimated,
    }
}

/// Passes text on, and reports to the watcher what the question may cost.
struct Listening<'a> {
    sink: &'a mut dyn TextSink,
    sender: &'a LiveSender,
    stake: Stake,
}

impl Listening<'_> {
    fn hear(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        if self.stake.hear(bytes) {
            self.sender.say(Live::Heard(bytes));
        }
    }

    fn tell(&self) {
        self.sender.say(Live::Stake(Box::new(self.stake.clone())));
    }

    /// Reports that no question is open. The result itself reports its cost.
    fn over(&self) {
        self.sender.say(Live::Stake(Box::default()));
    }

    fn unanswered(&self, stop: Stop) -> Unanswered {
        Unanswered { stop, asked: self.stake.lost() }
    }
}

#[async_trait]
impl TextSink for Listening<'_> {
    async fn push(&mut self, delta: Delta) {
        let (Delta::Text(text) | Delta::Thinking(text)) = &delta;
        self.hear(text.len());
        self.sink.push(delta).await;
    }

    fn unshown(&mut self, bytes: u64) {
        self.hear(usize::try_from(bytes).unwrap_or(usize::MAX));
        self.sink.unshown(bytes);
    }

    fn wasted(&mut self, usage: Usage) {
        telemetry::used(self.stake.model(), &spent(usage));
        self.stake.waste(usage);
        self.tell();
    }
}

impl Asking<'_> {
    /// Asks the model. The reply's usage covers all attempts. The text of a failed attempt does not count: `Restart` is sent before the
    /// next one.
    pub async fn ask(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        sink: &mut dyn TextSink,
    ) -> Result<ModelReply, Unanswered> {
        let mut listening = Listening { sink, sender: self.sender, stake: Stake::of(model.id()) };
        let done = self.attempts(model, request, &mut listening).await;
        listening.over();
        done
    }

    /// Does the same, but waits for this long at most.
    pub async fn ask_within(
        &self,
        patience: Duration,
        model: &dyn Model,
        request: &ModelRequest,
        sink: &mut dyn TextSink,
    ) -> Result<ModelReply, Unanswered> {
        let mut listening = Listening { sink, sender: self.sender, stake: Stake::of(model.id()) };
        let done = tokio::time::timeout(patience, self.attempts(model, request, &mut listening)).await;
        let done = done.unwrap_or_else(|_| {
            let Listening { stake, .. } = &listening;
            telemetry::used(stake.model(), &spent(stake.under_way()));
            Err(listening.unanswered(Stop::Model { message: "it gave no answer in time".into(), retryable: true }))
        });
        listening.over();
        done
    }

    async fn attempts(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        listening: &mut Listening<'_>,
    ) -> Result<ModelReply, Unanswered> {
        let mut request = Cow::Borrowed(request);
        let mut attempt = 0;
        loop {
            if let Some(stop) = self.ceiling(model, &request, listening).await {
                return Err(listening.unanswered(stop));
            }
            let error = match telemetry::complete(self.deps, self.context, model, &request, listening).await {
                Ok(mut reply) => {
                    reply.usage = reply.usage.plus(listening.stake.wasted());
                    return Ok(reply);
                }
                Err(error) => error,
            };
            // The sink has already reported the attempt's cost. An attempt that the provider refused at once cost nothing.
            listening.stake.waste(Usage::default());
            listening.tell();
            if !error.is_retryable() || attempt >= self.deps.config.model_retries {
                return Err(listening.unanswered(given_up(&error)));
            }
            attempt += 1;
            let wait = match self.wait(&error, attempt) {
                Ok(wait) => wait,
                Err(stop) => return Err(listening.unanswered(stop)),
            };
            tracing::info!(run = %self.context.claim.run.id, model = model.id(), attempt, %error, "asking the model again");
            self.sender.say(Live::Restart);
            self.say(match error.retry_after_ms() {
                Some(_) => format!("The model provider asked us to wait {}", duration(whole_ms(wait))),
                None => "The model didn't answer. Asking it again".into(),
            });
            tokio::time::sleep(wait).await;
            if error.retry_after_ms().is_some() {
                self.say("Asking the model again".into());
            }
            if let ModelError::Malformed(why) = error {
                // The same question would most likely get the same reply.
                let content = format!("Your last reply could not be used: {why}. Reply again.");
                request.to_mut().messages.push(ModelMessage::Guidance { content });
            }
        }
    }

    fn say(&self, label: String) {
        self.sender.say(Live::Progress(Box::new(EventBody::Status { label })));
    }

    /// Returns the limit that this request could exceed. If there is none, reserves the cost of the request.
    async fn ceiling(&self, model: &dyn Model, request: &ModelRequest, listening: &mut Listening<'_>) -> Option<Stop> {
        let wasted = listening.stake.wasted();
        let quote = model.quote(request);
        if quote.is_free() {
            return None;
        }
        let tokens = quote.input_tokens.saturating_add(quote.output_tokens);
        let used = self.state.ledger.used();
        let used = Spent {
            input_tokens: used.input_tokens.saturating_add(wasted.input_tokens),
            output_tokens: used.output_tokens.saturating_add(wasted.output_tokens),
            cost_micros: used.cost_micros.saturating_add(wasted.cost_micros),
            ..used
        };
        if let Some(stop) = self.state.ledger.limits.ceiling(&used, tokens, quote.cost_micros) {
            return Some(stop);
        }
        let (answer, answered) = oneshot::channel();
        self.sender.say(Live::Reserve(Box::new(Wanted {
            model: model.id().to_owned(),
            // The costs of failed attempts are recorded with the reply. Until then, reserve them too.
            input_tokens: quote.input_tokens.saturating_add(wasted.input_tokens),
            output_tokens: quote.output_tokens.saturating_add(wasted.output_tokens),
            cost_micros: quote.cost_micros.saturating_add(wasted.cost_micros),
            answer,
        })));
        let refusal = match set_aside(answered).await {
            Ok(reserved) => self.deps.config.budget.refusal(reserved, quote.cost_micros, self.deps.clock.now()),
            Err(stop) => Some(stop),
        };
        if refusal.is_none() {
            // Report the cost before the request leaves.
            listening.stake.ask(quote);
            listening.tell();
        }
        refusal
    }

    /// Returns how long to wait before the next attempt. The wait doubles each time and grows by up to half at random, so that many runs do
    /// not return at once. It is never shorter than the provider asks for. Returns a stop if the provider asks for more than a run waits.
    fn wait(&self, error: &ModelError, attempt: u32) -> Result<Duration, Stop> {
        let Self { deps, state, .. } = self;
        let base = deps.config.model_backoff * 2_u32.saturating_pow(attempt - 1);
        let chance = u32::from(deps.ids.next_uuid().as_bytes()[15]);
        let jittered = (base + base * chance / 512).min(MAX_BACKOFF);
        let Some(wait_ms) = error.retry_after_ms() else { return Ok(jittered) };
        let left = state.ledger.deadline.millis_since(deps.clock.now()).max(0).unsigned_abs();
        if wait_ms > whole_ms(deps.config.model_longest_wait) || wait_ms >= left {
            return Err(Stop::Busy { wait_ms });
        }
        Ok(Duration::from_millis(wait_ms).max(jittered))
    }
}

/// Waits for the reservation. The watcher of this work answers, or drops the work together with the question. Without an answer, nothing is
/// reserved and the question must not be sent.
async fn set_aside(answered: oneshot::Receiver<Reserved>) -> Result<Reserved, Stop> {
    let unasked = |_| Stop::Model { message: "nobody could set its cost aside".into(), retryable: true };
    answered.await.map_err(unasked)
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn given_up(error: &ModelError) -> Stop {
    Stop::Model { message: error.to_string(), retryable: error.is_retryable() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_that_nobody_set_the_cost_aside_for_does_not_go_out() {
        let (answer, answered) = oneshot::channel();
        drop(answer);
        let stop = set_aside(answered).await.expect_err("nobody answered");
        assert_eq!(stop.code(), "model_unavailable");
        let (answer, answered) = oneshot::channel();
        answer.send(Reserved::Granted).expect("it waits");
        assert_eq!(set_aside(answered).await.expect("answered"), Reserved::Granted);
    }
}
