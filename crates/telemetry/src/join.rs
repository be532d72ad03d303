//! Continues the trace that a request names (W3C Trace Context).

use opentelemetry::{
    Context, SpanId, TraceFlags, TraceId,
    trace::{SpanContext, TraceContextExt as _, TraceState},
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Puts a span that has not begun below the one that `traceparent` names. An invalid value changes nothing. We ignore the caller's sampling
/// flag, so that nobody can hide their requests with it.
pub fn join(span: &Span, traceparent: &str) {
    let Some((trace, parent)) = named(traceparent) else { return };
    let caller = SpanContext::new(trace, parent, TraceFlags::SAMPLED, true, TraceState::default());
    if let Err(error) = span.set_parent(Context::new().with_remote_span_context(caller)) {
        tracing::debug!(%error, "a request goes on in a trace of its own");
    }
}

/// Reads `00-<trace>-<span>-<flags>` in lower-case hexadecimal digits. Later versions may have more after it.
fn named(traceparent: &str) -> Option<(TraceId, SpanId)> {
    let mut parts = traceparent.trim().split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let digits = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let fits = digits(version, 2) && digits(trace, 32) && digits(span, 16) && digits(flags, 2);
    if !fits || version == "ff" || (version == "00" && parts.next().is_some()) {
        return None;
    }
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    (trace != TraceId::INVALID && span != SpanId::INVALID).then_some((trace, span))
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
    use tracing::info_span;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn a_span_hangs_below_its_callers_also_when_the_caller_keeps_none() {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            for flags in ["01", "00"] {
                let span = info_span!("request");
                join(&span, &format!("00-{TRACE}-{PARENT}-{flags}"));
                span.in_scope(|| info_span!("inner").in_scope(|| ()));
            }
            let own = info_span!("own");
            join(&own, "00-nonsense");
            own.in_scope(|| ());
        });
        let spans = exporter.get_finished_spans().expect("exported");
        let joined: Vec<_> = spans.iter().filter(|span| span.name != "own").collect();
        assert_eq!(joined.len(), 4);
        assert!(joined.iter().all(|span| span.span_context.trace_id().to_string() == TRACE));
        for request in joined.iter().filter(|span| span.name == "request") {
            assert_eq!(request.parent_span_id.to_string(), PARENT);
        }
        let own = spans.iter().find(|span| span.name == "own").expect("one of its own");
        assert_ne!(own.span_context.trace_id().to_string(), TRACE);
    }

    #[test]
    fn what_names_no_span_is_none() {
        assert!(named(&format!("00-{TRACE}-{PARENT}-01")).is_some());
        assert!(named(&format!("01-{TRACE}-{PARENT}-01-more")).is_some(), "of a later version");
        for other in [
            String::new(),
            "00".into(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
        ] {
            assert!(named(&other).is_none(), "{other}");
        }
    }
}
