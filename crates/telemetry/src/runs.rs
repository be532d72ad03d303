//! A run is one trace, whichever processes worked on it and however long people took in between.
//!
//! The trace's ID is the run's ID without hyphens, so that a person who has a run's ID can find its trace. Each claim of a run is a span
//! below a root. We write the root once, when the run is over, with the times from the run's row.

use std::{
    cell::{Cell, RefCell},
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use opentelemetry::{
    Context as OtelContext, ContextGuard, KeyValue, SpanId, TraceFlags, TraceId,
    trace::{Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, TraceState, Tracer as _},
};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SdkTracer};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};
use uuid::Uuid;

/// The name of the span around one claim.
const CLAIM: &str = "run";
/// The name of the event that says a run is over.
const FINISHED: &str = "run_finished";

thread_local! {
    /// The parent for the claim's span that is being made.
    static PARENT: RefCell<Option<ContextGuard>> = const { RefCell::new(None) };
    /// The IDs for the root that is being made. The generator may ask for them in any order; they are removed afterwards.
    static NEXT: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) };
}

fn ids(run: Uuid) -> (TraceId, SpanId) {
    let bytes = run.into_bytes();
    let mut low = [0; 8];
    low.copy_from_slice(&bytes[8..]);
    // A version 7 ID has its variant bits there, so neither part is all zero.
    (TraceId::from_bytes(bytes), SpanId::from_bytes(low))
}

/// Generates random IDs, except for the roots of runs.
#[derive(Debug, Default)]
pub(crate) struct RunIds {
    random: RandomIdGenerator,
}

impl IdGenerator for RunIds {
    fn new_trace_id(&self) -> TraceId {
        NEXT.get().map_or_else(|| self.random.new_trace_id(), |(trace, _)| trace)
    }

    fn new_span_id(&self) -> SpanId {
        NEXT.get().map_or_else(|| self.random.new_span_id(), |(_, span)| span)
    }
}

fn ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("adagent")
}

/// Runs before the layer that makes spans: puts a claim below the root of its run.
pub(crate) struct Before;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Before {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if attributes.metadata().name() != CLAIM || !ours(attributes.metadata()) {
            return;
        }
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let Some((trace, span)) = fields.run.map(ids) else { return };
        let root = SpanContext::new(trace, span, TraceFlags::SAMPLED, true, TraceState::default());
        PARENT.set(Some(OtelContext::new().with_remote_span_context(root).attach()));
    }
}

/// Runs after that layer: removes the parent, which was only for that one span. Writes the root when the run is over.
pub(crate) struct After {
    pub tracer: SdkTracer,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for After {
    fn on_new_span(&self, _: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        PARENT.take();
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().name() != FINISHED || !ours(event.metadata()) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Some(run) = fields.run else { return };
        let failed = fields.others.iter().any(|known| known.key.as_str() == STATUS && known.value.as_str() == "failed");
        let mut attributes = fields.others;
        attributes.extend([
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.provider.name", "adagent"),
            KeyValue::new("gen_ai.agent.name", "adagentai"),
            KeyValue::new("adagent.run.id", run.to_string()),
        ]);
        let builder = SpanBuilder::from_name("invoke_agent adagentai")
            .with_kind(SpanKind::Internal)
            .with_start_time(instant(fields.created))
            .with_attributes(attributes);
        NEXT.set(Some(ids(run)));
        let mut root = self.tracer.build_with_context(builder, &OtelContext::new());
        NEXT.take();
        if failed {
            root.set_status(Status::error("the run failed"));
        }
        root.end_with_timestamp(instant(fields.finished));
    }
}

fn instant(micros: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(micros.max(0).unsigned_abs())
}

const STATUS: &str = "adagent.run.status";

/// Returns the name of an attribute at the collector. The event's other fields go only into the log line.
fn attribute(field: &str) -> Option<&'static str> {
    Some(match field {
        "status" => STATUS,
        "lane" => "gen_ai.conversation.id",
        "input_tokens" => "gen_ai.usage.input_tokens",
        "output_tokens" => "gen_ai.usage.output_tokens",
        "cost_micros" => "adagent.cost_micros",
        "claims" => "adagent.run.claims",
        _ => return None,
    })
}

#[derive(Default)]
struct Fields {
    run: Option<Uuid>,
    created: i64,
    finished: i64,
    others: Vec<KeyValue>,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "run_id" {
            self.run = value.parse().ok();
        } else if let Some(name) = attribute(field.name()) {
            self.others.push(KeyValue::new(name, value.to_owned()));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        match field.name() {
            "created_us" => self.created = value,
            "finished_us" => self.finished = value,
            other => {
                if let Some(name) = attribute(other) {
                    self.others.push(KeyValue::new(name, value));
                }
            }
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
    use tracing::{info, info_span};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn claims_of_a_run_hang_below_its_root_and_other_spans_do_not() {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder()
            .with_id_generator(RunIds::default())
            .with_simple_exporter(exporter.clone())
            .build();
        let tracer = provider.tracer("test");
        let layer = tracing_opentelemetry::layer().with_tracer(tracer.clone());
        let subscriber =
            tracing_subscriber::registry().with(Before.and_then(layer).and_then(After { tracer: tracer.clone() }));
        let run = "019aa000-0000-7000-8000-00000000002a";
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..2 {
                let claim = info_span!(target: "adagent_runtime", "run", run_id = run);
                claim.in_scope(|| info_span!(target: "adagent_runtime", "node").in_scope(|| ()));
            }
            info!(
                name: "run_finished", target: "adagent_runtime", run_id = run, status = "completed",
                created_us = 1_000_000, finished_us = 5_000_000, "run finished"
            );
            info_span!(target: "adagent_http", "request").in_scope(|| ());
        });
        let spans = exporter.get_finished_spans().expect("exported");
        let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
        let [root] = named("invoke_agent adagentai")[..] else { panic!("one root in {spans:?}") };
        assert_eq!(root.span_context.trace_id().to_string(), run.replace('-', ""));
        assert_eq!(root.parent_span_id, SpanId::INVALID);
        assert_eq!(root.end_time.duration_since(root.start_time).ok(), Some(Duration::from_secs(4)));
        assert_eq!(named("run").len(), 2);
        for (claim, node) in named("run").into_iter().zip(named("node")) {
            assert_eq!(claim.parent_span_id, root.span_context.span_id());
            assert_eq!(claim.span_context.trace_id(), root.span_context.trace_id());
            assert_eq!(node.span_context.trace_id(), root.span_context.trace_id());
        }
        let [request] = named("request")[..] else { panic!("one request") };
        assert_ne!(request.span_context.trace_id(), root.span_context.trace_id());
        assert_eq!(request.parent_span_id, SpanId::INVALID);
    }
}
