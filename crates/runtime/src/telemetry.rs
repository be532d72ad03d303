//! What administrators see of runs: spans for claims, steps, models and tools, named after OpenTelemetry's conventions, and the metrics
//! about them.
//!
//! This module watches and never decides. It reports only names, counts and times. It reports what people wrote and what networks answered
//! only if the administrator turned that on.

use std::time::Instant;

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, Timestamp};
use adagent_llm::{Model, ModelError, ModelReply, ModelRequest, TextSink};
use adagent_run_core::Spent;
use adagent_store::{ClaimedRun, Run};
use adagent_tools::{CallScope, ProgressSink, ToolError, ToolErrorClass, ToolInfo, ToolOutput, WriteTicket};
use metrics::{counter, gauge, histogram};
use serde_json::Value as Json;
use tracing::{Instrument as _, Span, field::Empty, info_span};

use crate::{Advanced, context::Context, deps::RuntimeDeps, work::spent};

/// Makes the span around one claim of a run. The process's telemetry puts it below the run's own span.
pub(crate) fn claim(claimed: &ClaimedRun, now: Timestamp) -> Span {
    let ClaimedRun { run, lease, taken_from, takeovers } = claimed;
    if let Some(from) = taken_from {
        counter!("adagent_lease_takeovers_total").increment(1);
        tracing::warn!(run = %run.id, from, epoch = lease.epoch, takeovers, "a run was taken over: its worker let the lease run out");
    }
    if run.started_at.is_none() {
        histogram!("adagent_run_queue_seconds").record(seconds(now.millis_since(run.created_at)));
    }
    info_span!(
        "run",
        otel.name = "advance",
        run_id = %run.id,
        gen_ai.conversation.id = %run.lane,
        adagent.workspace.id = %run.workspace,
        adagent.worker = lease.owner,
        adagent.epoch = lease.epoch,
        adagent.taken_over = taken_from.is_some(),
        adagent.left = Empty,
    )
}

/// Records how a claim ended.
pub(crate) fn left(span: &Span, advanced: Advanced) {
    let how = match advanced {
        Advanced::Ended(_) => "ended",
        Advanced::Waits(_) => "waits",
        Advanced::HandedBack(_) => "handed_back",
        Advanced::LetGo(_) => "let_go",
    };
    span.record("adagent.left", how);
}

pub(crate) fn stale_epoch() {
    counter!("adagent_stale_epochs_total").increment(1);
}

/// Counts and logs a broken step. This is a defect in our code, whatever happens to the run.
pub(crate) fn broke(step: &'static str) {
    counter!("adagent_broken_steps_total", "step" => step).increment(1);
    tracing::error!(step, "a step of a run broke");
}

pub(crate) fn claim_failed() {
    counter!("adagent_claim_errors_total").increment(1);
}

/// One busy place of a worker.
pub(crate) struct Busy;

impl Busy {
    pub fn new() -> Self {
        gauge!("adagent_workers_busy").increment(1.0);
        Self
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        gauge!("adagent_workers_busy").decrement(1.0);
    }
}

/// Reports that a run has ended. Only the worker that committed the end calls this, once. Telemetry makes the run's own span from it.
pub(crate) fn ended(run: &Run, status: RunStatus, spent: &Spent, asked_people: bool, now: Timestamp) {
    let duration_ms = now.millis_since(run.created_at).max(0);
    let approval = if asked_people { "true" } else { "false" };
    counter!("adagent_runs_finished_total", "status" => status.as_str()).increment(1);
    histogram!("adagent_run_duration_seconds", "status" => status.as_str(), "approval" => approval)
        .record(seconds(duration_ms));
    tracing::info!(
        name: "run_finished",
        run_id = %run.id,
        lane = %run.lane,
        status = status.as_str(),
        duration_ms,
        created_us = run.created_at.as_micros(),
        finished_us = now.as_micros(),
        claims = run.epoch,
        input_tokens = spent.input_tokens,
        output_tokens = spent.output_tokens,
        cost_micros = spent.cost_micros,
        "run finished"
    );
}

/// Returns what a run spent, from its row.
pub(crate) fn spent_of(run: &Run) -> Spent {
    Spent {
        input_tokens: run.input_tokens,
        output_tokens: run.output_tokens,
        cost_micros: run.cost_micros,
        ..Spent::default()
    }
}

/// Runs one step of the graph in its span.
pub(crate) async fn node<T>(name: &'static str, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let done = work.instrument(info_span!("node", otel.name = name, adagent.node = name)).await;
    histogram!("adagent_node_duration_seconds", "node" => name).record(started.elapsed());
    done
}

/// Returns the provider's name in OpenTelemetry's conventions, and the model.
fn provider_and_model(id: &str) -> (&str, &str) {
    match id.split_once('/') {
        Some(("gemini", model)) => ("gcp.gemini", model),
        Some(("xai", model)) => ("x_ai", model),
        Some(known) => known,
        None => ("adagent", id),
    }
}

fn error_type(error: &ModelError) -> &'static str {
    match error {
        ModelError::RateLimited { .. } => "rate_limited",
        ModelError::Unavailable { .. } => "unavailable",
        ModelError::Rejected(_) => "rejected",
        ModelError::Malformed(_) => "malformed",
    }
}

/// Counts what a question to a model used, even if it failed.
pub(crate) fn used(model: &str, usage: &Spent) {
    let (provider, name) = provider_and_model(model);
    let labels = [("provider", provider.to_owned()), ("model", name.to_owned())];
    for (direction, tokens) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
        counter!("adagent_model_tokens_total", "provider" => labels[0].1.clone(), "model" => labels[1].1.clone(), "direction" => direction)
            .increment(tokens);
    }
    counter!("adagent_model_cost_micros_total", &labels).increment(usage.cost_micros.max(0).unsigned_abs());
}

/// Asks a model once. The sink reports the cost of a failed question.
pub(crate) async fn complete(
    deps: &RuntimeDeps,
    context: &Context,
    model: &dyn Model,
    request: &ModelRequest,
    sink: &mut dyn TextSink,
) -> Result<ModelReply, ModelError> {
    let (provider, name) = provider_and_model(model.id());
    let span = info_span!(
        "model",
        otel.name = format!("chat {name}"),
        otel.kind = if provider == "adagent" { "internal" } else { "client" },
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = name,
        gen_ai.request.max_tokens = i64::from(request.max_output_tokens),
        gen_ai.request.stream = true,
        gen_ai.conversation.id = %context.claim.run.lane,
        gen_ai.response.model = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        adagent.cost_micros = Empty,
        adagent.stop = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
    );
    let started = Instant::now();
    let outcome = model.complete(request, sink).instrument(span.clone()).await;
    let labels = [("provider", provider.to_owned()), ("model", name.to_owned())];
    histogram!("adagent_model_call_duration_seconds", &labels).record(started.elapsed());
    let word = outcome.as_ref().map_or_else(error_type, |_| "ok");
    counter!("adagent_model_calls_total", "provider" => labels[0].1.clone(), "model" => labels[1].1.clone(), "outcome" => word)
        .increment(1);
    if let Ok(reply) = &outcome {
        let usage = reply.usage;
        span.record("gen_ai.response.model", provider_and_model(&reply.model).1);
        span.record("gen_ai.usage.input_tokens", whole(usage.input_tokens));
        span.record("gen_ai.usage.output_tokens", whole(usage.output_tokens));
        span.record("adagent.cost_micros", usage.cost_micros);
        span.record("adagent.stop", format!("{:?}", reply.stop));
        used(model.id(), &spent(usage));
    } else {
        span.record("otel.status_code", "ERROR");
        span.record("error.type", word);
    }
    if deps.config.capture_content {
        span.record("gen_ai.input.messages", serde_json::to_string(&request.messages).unwrap_or_default());
        if let Ok(reply) = &outcome {
            span.record("gen_ai.output.messages", reply.text.as_str());
        }
    }
    outcome
}

/// Makes one call of a tool.
pub(crate) async fn execute(
    deps: &RuntimeDeps,
    scope: &CallScope,
    conversation: Option<ChatSessionId>,
    tool: &ToolInfo,
    args: &Json,
    ticket: Option<&WriteTicket>,
    progress: &mut dyn ProgressSink,
) -> Result<ToolOutput, ToolError> {
    let span = info_span!(
        "tool",
        otel.name = format!("execute_tool {}", tool.name),
        otel.kind = "internal",
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool.name,
        gen_ai.tool.r#type = "function",
        gen_ai.tool.call.id = %scope.call,
        gen_ai.conversation.id = conversation.map(tracing::field::display),
        adagent.source = tool.source.id(),
        adagent.read_only = tool.read_only,
        adagent.attempts = Empty,
        adagent.cached = Empty,
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
    );
    let (source, kind) = (tool.source.id(), if tool.read_only { "read" } else { "write" });
    let started = Instant::now();
    let outcome = deps.tools.execute(scope, tool, args, ticket, progress).instrument(span.clone()).await;
    let word = match &outcome {
        Ok(output) => {
            span.record("adagent.attempts", i64::from(output.attempts));
            span.record("adagent.cached", output.cached);
            "ok"
        }
        Err(error) => {
            let word = class(error.class);
            span.record("otel.status_code", "ERROR");
            span.record("error.type", word);
            if error.class == ToolErrorClass::UnknownOutcome {
                // This line alerts administrators. Its span names the run.
                let tool = &tool.name;
                tracing::warn!(source, tool, call = %scope.call, "what became of a change is not known; it is looked at next");
            }
            word
        }
    };
    counter!("adagent_tool_calls_total", "source" => source, "kind" => kind, "outcome" => word).increment(1);
    histogram!("adagent_tool_call_duration_seconds", "source" => source, "kind" => kind).record(started.elapsed());
    if deps.config.capture_content {
        span.record("gen_ai.tool.call.arguments", args.to_string());
        if let Ok(output) = &outcome {
            span.record("gen_ai.tool.call.result", output.result.to_string());
        }
    }
    outcome
}

const fn class(class: ToolErrorClass) -> &'static str {
    match class {
        ToolErrorClass::Retryable => "retryable",
        ToolErrorClass::Deterministic => "deterministic",
        ToolErrorClass::Invalid => "invalid",
        ToolErrorClass::NotConnected => "not_connected",
        ToolErrorClass::Disabled => "disabled",
        ToolErrorClass::AuthFailed => "auth_failed",
        ToolErrorClass::OutOfContext => "out_of_context",
        ToolErrorClass::UnknownOutcome => "unknown_outcome",
    }
}

/// Returns a count as a signed number. Collectors know only signed numbers; others would arrive as text.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far below 2^52")]
fn seconds(millis: i64) -> f64 {
    millis.max(0) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_called_as_the_conventions_do() {
        assert_eq!(provider_and_model("anthropic/claude-haiku-4-5"), ("anthropic", "claude-haiku-4-5"));
        assert_eq!(provider_and_model("gemini/gemini-3-pro"), ("gcp.gemini", "gemini-3-pro"));
        assert_eq!(provider_and_model("local"), ("adagent", "local"));
    }
}
