//! Writes one line per event: JSON for machines, or words for a person at a terminal.
//!
//! Every line contains its request and run, from the spans around it. Values go through [`scrub`]; a field with the name of a secret is
//! never written with its value.

use std::{
    fmt::{self, Write as _},
    io::Write as _,
    sync::Arc,
};

use adagent_domain::Clock;
use serde_json::{Map, Value};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, fmt::MakeWriter, layer::Context, registry::LookupSpan};

use crate::{
    Format,
    scrub::{is_secret, scrub},
};

/// The longest text of one field; the rest is cut.
const MOST: usize = 4_000;
/// The span fields that every line below the span repeats.
const KNOWN: [&str; 2] = ["request_id", "run_id"];

/// The layer that writes lines.
pub struct Lines<W> {
    format: Format,
    clock: Arc<dyn Clock>,
    writer: W,
}

impl<W> Lines<W> {
    pub fn new(format: Format, clock: Arc<dyn Clock>, writer: W) -> Self {
        Self { format, clock, writer }
    }
}

/// The values of [`KNOWN`] that a span has.
#[derive(Default)]
struct Known([Option<String>; KNOWN.len()]);

impl Visit for Known {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if let Some(place) = KNOWN.iter().position(|name| *name == field.name()) {
            self.0[place] = Some(format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if let Some(place) = KNOWN.iter().position(|name| *name == field.name()) {
            self.0[place] = Some(value.to_owned());
        }
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    /// The target that events of the `log` crate carry.
    target: Option<String>,
    others: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        // Our own events name the run `run`, and spans name it `run_id`. In lines it is always `run_id`.
        let name = if field.name() == "run" { "run_id" } else { field.name() };
        if !name.starts_with("log.") {
            let value = if is_secret(name) { Value::from("[redacted]") } else { value };
            self.others.insert(name.to_owned(), value);
        }
    }

    fn text(&mut self, field: &Field, text: &str) {
        let end = text.char_indices().nth(MOST).map_or(text.len(), |(at, _)| at);
        let text = scrub(&text[..end]).into_owned();
        match field.name() {
            "message" => self.message = text,
            "log.target" => self.target = Some(text),
            _ => self.put(field, Value::from(text)),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::from(value));
    }
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut known = Known::default();
        attributes.record(&mut known);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(known);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(known) = span.extensions_mut().get_mut::<Known>()
        {
            values.record(known);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(Known(known)) = span.extensions().get::<Known>() {
                for (name, value) in KNOWN.iter().zip(known) {
                    if let Some(value) = value
                        && !fields.others.contains_key(*name)
                    {
                        fields.others.insert((*name).to_owned(), Value::from(scrub(value)));
                    }
                }
            }
        }
        let metadata = event.metadata();
        let target = fields.target.take().unwrap_or_else(|| metadata.target().to_owned());
        let line = match self.format {
            Format::Json => self.json(*metadata.level(), &target, fields),
            Format::Text => self.words(*metadata.level(), &target, &fields),
        };
        // Write it in one piece, so that lines of threads and processes do not mix. Ignore a failure, because there is nowhere to
        // report it.
        let _ = self.writer.make_writer_for(metadata).write_all(line.as_bytes());
    }
}

impl<W> Lines<W> {
    fn json(&self, level: tracing::Level, target: &str, fields: Fields) -> String {
        let mut line = Map::new();
        line.insert("at".into(), self.clock.now().to_string().into());
        line.insert("level".into(), level.as_str().to_ascii_lowercase().into());
        line.insert("target".into(), target.into());
        line.insert("message".into(), fields.message.into());
        for (name, value) in fields.others {
            line.entry(name).or_insert(value);
        }
        let mut text = Value::Object(line).to_string();
        text.push('\n');
        text
    }

    fn words(&self, level: tracing::Level, target: &str, fields: &Fields) -> String {
        let mut text = format!("{} {level:>5} {target}: {}", self.clock.now(), one_line(&fields.message));
        for (name, value) in &fields.others {
            text.push(' ');
            text.push_str(name);
            text.push('=');
            match value {
                Value::String(value) if value.is_empty() || value.contains(needs_quotes) => {
                    text.push_str(&quoted(value));
                }
                Value::String(value) => text.push_str(value),
                other => text.push_str(&other.to_string()),
            }
        }
        text.push('\n');
        text
    }
}

/// Checks whether a character needs quotes around its text. A terminal obeys control characters, so none may appear unquoted.
fn needs_quotes(c: char) -> bool {
    matches!(c, ' ' | '"') || c.is_control()
}

/// Returns the text as JSON. Also escapes DEL and the C1 controls, which JSON does not escape.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in Value::from(text).to_string().chars() {
        if c.is_control() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Keeps a text on one line, whatever it contains.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use adagent_domain::Timestamp;
    use tracing::{info, info_span, warn};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Paper {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).expect("text")
        }
    }

    struct Noon;

    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            "2026-11-22T12:00:00Z".parse().expect("an instant")
        }
    }

    fn written(format: Format, work: impl FnOnce()) -> String {
        let paper = Paper::default();
        let for_layer = paper.clone();
        let lines = Lines::new(format, Arc::new(Noon), move || for_layer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
        paper.text()
    }

    #[test]
    fn every_line_names_the_request_and_the_run_around_it() {
        let text = written(Format::Json, || {
            let request = info_span!("request", request_id = "req-1", run_id = tracing::field::Empty);
            let _in = request.enter();
            info!("before");
            request.record("run_id", "run-7");
            let node = info_span!("node", node = "read");
            let _deeper = node.enter();
            warn!(attempt = 2, "again");
        });
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((&lines[0]["request_id"], &lines[0]["run_id"]), (&Value::from("req-1"), &Value::Null));
        assert_eq!((&lines[1]["request_id"], &lines[1]["run_id"]), (&Value::from("req-1"), &Value::from("run-7")));
        assert_eq!((&lines[1]["level"], &lines[1]["attempt"]), (&Value::from("warn"), &Value::from(2)));
        assert_eq!(lines[1]["at"], "2026-11-22T12:00:00Z");
    }

    #[test]
    fn secrets_and_line_breaks_do_not_get_through() {
        for format in [Format::Json, Format::Text] {
            let text = written(format, || {
                info!(password = "hunter2", error = "postgres://u:hunter2@db/x", run = "r1", "one\nINFO forged: two");
            });
            assert!(!text.contains("hunter2"), "{text}");
            assert_eq!(text.lines().count(), 1, "{text}");
            assert!(text.contains("run_id") && text.contains("r1"));
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for bare in ["\u{1b}[2J", "\u{7}", "a\tb", "\u{7f}", "\u{9b}31m"] {
            let text = written(Format::Text, || info!(route = bare, "request{bare} finished"));
            assert!(!text.trim_end_matches('\n').contains(char::is_control), "{text:?}");
        }
        let text = written(Format::Text, || info!(route = "\u{1b}[2J\u{9b}", "gone"));
        assert!(text.ends_with("gone route=\"\\u001b[2J\\u009b\"\n"), "{text:?}");
    }

    #[test]
    fn words_are_quoted_only_where_they_must_be() {
        let text = written(Format::Text, || info!(route = "/chat/stream", why = "two words", "request finished"));
        assert!(text.ends_with("request finished route=/chat/stream why=\"two words\"\n"), "{text}");
    }
}
