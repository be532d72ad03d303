//! What long work says while it runs: text of a model as it is written, progress of a call.

use adagent_contract::{EventBody, Progress};
use adagent_domain::ToolCallId;
use adagent_llm::{Delta, TextSink};
use adagent_networks::ProgressSink;
use async_trait::async_trait;
use tokio::sync::mpsc;

#[derive(Debug)]
pub(crate) enum Live {
    Text(String),
    Thinking(String),
    /// The model is asked again; what it wrote before does not count.
    Restart,
    Progress(Box<EventBody>),
}

#[derive(Clone)]
pub(crate) struct LiveSender(pub mpsc::UnboundedSender<Live>);

impl LiveSender {
    pub fn say(&self, live: Live) {
        // Nobody listens once the work was dropped; then nobody needs to know.
        let _ = self.0.send(live);
    }
}

#[async_trait]
impl TextSink for LiveSender {
    async fn push(&mut self, delta: Delta) {
        self.say(match delta {
            Delta::Text(text) => Live::Text(text),
            Delta::Thinking(text) => Live::Thinking(text),
        });
    }
}

/// Names the call whose progress it tells.
pub(crate) struct CallProgress {
    pub sender: LiveSender,
    pub call: ToolCallId,
    pub tool: String,
}

#[async_trait]
impl ProgressSink for CallProgress {
    async fn progress(&mut self, message: &str, progress: Option<Progress>) {
        self.sender.say(Live::Progress(Box::new(EventBody::ToolExecuting {
            tool_call_id: self.call,
            tool_name: self.tool.clone(),
            message: message.into(),
            progress,
        })));
    }
}

/// Text that is being written, against what readers have seen of it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    text: String,
    seen: String,
    pub thinking: String,
}

impl Written {
    /// `seen` was streamed by a worker before this one.
    pub fn after(seen: String) -> Self {
        Self { seen, ..Self::default() }
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn restart(&mut self) {
        self.text.clear();
    }

    /// The next piece to show; nothing while an earlier reader's text is only being repeated.
    pub fn unseen(&mut self) -> Option<String> {
        if self.text.len() <= self.seen.len() && self.seen.starts_with(&self.text) {
            return None;
        }
        let piece = match self.text.strip_prefix(self.seen.as_str()) {
            Some(rest) => rest.to_owned(),
            // It writes something else this time: begin a new paragraph.
            None => format!("\n\n{}", self.text),
        };
        self.seen.clone_from(&self.text);
        Some(piece)
    }

    /// How many bytes of the whole text readers have seen.
    pub fn seen_of(&self, whole: &str) -> usize {
        if whole.starts_with(&self.seen) { self.seen.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_stream_goes_on_where_readers_were() {
        let mut written = Written::after("You ear".into());
        written.push("You");
        assert_eq!(written.unseen(), None);
        written.push(" earned $1.");
        assert_eq!(written.unseen().as_deref(), Some("ned $1."));
        assert_eq!(written.unseen(), None);
        assert_eq!(written.seen_of("You earned $1. Fine."), 14);
    }

    #[test]
    fn another_text_begins_a_new_paragraph() {
        let mut written = Written::after("You ear".into());
        written.push("Revenue");
        assert_eq!(written.unseen().as_deref(), Some("\n\nRevenue"));
        assert_eq!(written.seen_of("Something else"), 0);
    }
}
