//! What long work reports while it runs: a model's text as it is written, and the progress of a call.

use adagent_contract::{EventBody, Progress};
use adagent_domain::{Cut as _, Timestamp, ToolCallId};
use adagent_llm::{Delta, TextSink};
use adagent_store::Reserved;
use adagent_tools::ProgressSink;
use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use crate::stake::Stake;

#[derive(Debug)]
pub(crate) enum Live {
    Text(String),
    Thinking(String),
    /// The run asks the model again, and what the model wrote before does not count.
    Restart,
    /// The cost of the question from now on, even if nobody waits for the answer.
    Stake(Box<Stake>),
    /// This many bytes of the answer arrived.
    Heard(u64),
    Progress(Box<EventBody>),
    /// A question to a model waits until its cost is reserved.
    Reserve(Box<Wanted>),
}

/// What a question to a model can cost at most. The watcher of the work makes the reservation, because the work may pause at any await and
/// must not hold a transaction then.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub answer: oneshot::Sender<Reserved>,
}

#[derive(Clone)]
pub(crate) struct LiveSender(pub mpsc::UnboundedSender<Live>);

impl LiveSender {
    pub fn say(&self, live: Live) {
        // After the work was dropped, nobody listens, and nobody needs to know.
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

/// What the running work has reported so far.
pub(crate) struct Hearing {
    pub live: mpsc::UnboundedReceiver<Live>,
    pub written: Written,
    /// The cost of the question to a model that is now open.
    pub stake: Stake,
}

impl Hearing {
    pub fn new(written: Written) -> (LiveSender, Self) {
        let (sender, live) = mpsc::unbounded_channel();
        (LiveSender(sender), Self { live, written, stake: Stake::default() })
    }

    /// Makes a receiver for work that reports nothing.
    pub fn nothing() -> Self {
        Self::new(Written::default()).1
    }

    /// Reads what is still in the channel and shows none of it, because the result contains it anyway.
    pub fn drain(&mut self) {
        let mut ignored = Vec::new();
        while let Ok(said) = self.live.try_recv() {
            self.take(said, &mut ignored);
        }
    }

    pub fn take(&mut self, said: Live, progress: &mut Vec<EventBody>) {
        match said {
            Live::Text(text) => self.written.push(&text),
            Live::Thinking(text) => self.written.thinking.push_str(&text),
            Live::Restart => self.written.restart(),
            Live::Progress(event) => progress.push(*event),
            Live::Stake(told) => self.stake = *told,
            Live::Heard(bytes) => {
                self.stake.hear(bytes);
            }
            // The work ended before anybody looked. Dropping the request answers it.
            Live::Reserve(_) => {}
        }
    }
}

/// Reports the progress of one call.
pub(crate) struct CallProgress {
    pub sender: LiveSender,
    pub call: ToolCallId,
    pub tool: String,
    /// How long the call may wait for its network. A read may wait as long as its run may work. A change that is about to be sent does not
    /// wait.
    pub until: Option<Timestamp>,
}

#[async_trait]
impl ProgressSink for CallProgress {
    fn waits_until(&self) -> Option<Timestamp> {
        self.until
    }

    async fn progress(&mut self, message: &str, progress: Option<Progress>) {
        self.sender.say(Live::Progress(Box::new(EventBody::ToolExecuting {
            tool_call_id: self.call,
            tool_name: self.tool.clone(),
            message: message.into(),
            progress,
        })));
    }
}

/// Checks whether a piece of text may be shown before the whole text is checked.
pub(crate) type Vet = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Text that a model is writing, and what readers have seen of it.
#[derive(Default)]
pub(crate) struct Written {
    text: String,
    seen: String,
    pub thinking: String,
    vet: Option<Vet>,
    /// Bytes of whole sentences that passed the check.
    passed: usize,
    /// Whether a sentence failed the check. If so, we show no more before the whole text is checked.
    held: bool,
}

impl Written {
    /// Makes an empty text. An earlier worker has already streamed `seen`.
    pub fn after(seen: String) -> Self {
        Self { seen, ..Self::default() }
    }

    /// Shows numbers only in whole sentences that pass this check. Words without digits need no check.
    pub fn vetted(self, vet: Vet) -> Self {
        Self { vet: Some(vet), ..self }
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn restart(&mut self) {
        self.text.clear();
        self.thinking.clear();
        (self.passed, self.held) = (0, false);
    }

    /// Returns how many bytes of the text may be shown now.
    fn showable(&mut self) -> usize {
        let Some(vet) = &self.vet else { return self.text.len() };
        while !self.held
            && let Some(length) = sentence(self.text.cut(self.passed..))
        {
            let end = self.passed + length;
            if vet(self.text.cut(self.passed..end)) {
                self.passed = end;
            } else {
                self.held = true;
            }
        }
        self.passed + plain(self.text.cut(self.passed..))
    }

    /// Returns the next piece to show. `None` while the model only repeats what readers have seen.
    pub fn unseen(&mut self) -> Option<String> {
        let end = self.showable();
        let text = self.text.cut(..end);
        if text.len() <= self.seen.len() && self.seen.starts_with(text) {
            return None;
        }
        let piece = match text.strip_prefix(self.seen.as_str()) {
            Some(rest) => rest.to_owned(),
            // The model writes something else this time, so begin a new paragraph.
            None => format!("\n\n{text}"),
        };
        text.clone_into(&mut self.seen);
        Some(piece)
    }

    /// Returns how many bytes of the whole text readers have seen.
    pub fn seen_of(&self, whole: &str) -> usize {
        if whole.starts_with(&self.seen) { self.seen.len() } else { 0 }
    }
}

/// Returns the length of the first whole sentence or line, in bytes. `None` while the model still writes it.
fn sentence(text: &str) -> Option<usize> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == '\n' || (c.is_whitespace() && matches!(before, '.' | '!' | '?')) {
            return Some(at + c.len_utf8());
        }
        before = c;
    }
    None
}

/// Returns the length of the whole words before the first word with a digit, in bytes.
fn plain(text: &str) -> usize {
    let digit = text.find(char::is_numeric).unwrap_or(text.len());
    text.cut(..digit).char_indices().rev().find(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_only_in_whole_sentences_that_pass() {
        let mut written = Written::default().vetted(Box::new(|text| !text.contains("999")));
        written.push("Here it is. You earned $1.");
        assert_eq!(written.unseen().as_deref(), Some("Here it is. You earned "));
        written.push("50 yesterday.\nBefore that $999 came in. The end. ");
        assert_eq!(written.unseen().as_deref(), Some("$1.50 yesterday.\nBefore that "));
        written.push("More. ");
        assert_eq!(written.unseen(), None, "nothing after a sentence that did not pass");
        written.restart();
        written.push("Here it is. You earned $1.50 yesterday.\nFine. ");
        assert_eq!(
            written.unseen().as_deref(),
            Some("\n\nHere it is. You earned $1.50 yesterday.\nFine. "),
            "it wrote something else this time"
        );
    }

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
