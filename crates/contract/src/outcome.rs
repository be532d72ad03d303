//! The outcome of a run, derived from its events. The status "completed" is not enough, because a run that answered nothing has it too.

use adagent_domain::ToolCallId;
use serde::{Deserialize, Serialize};

use crate::{EventBody, RunEvent, RunStatus, RunView, UNCHANGED};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// The run is queued, working, or waiting for an approval.
    Open,
    /// The run sent a change, and the network accepted it.
    Changed,
    /// The run was asked for a change, and sent nothing.
    NotSent,
    Answered,
    /// The run answered, but could not read or do something that it needed.
    Partly,
    /// The run asked the person a question instead of answering.
    Asked,
    /// The run ended without reading anything: small talk, or a request that it cannot do.
    NothingRead,
    Failed,
    Stopped,
    Cancelled,
}

/// What a list of runs shows about one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    pub outcome: RunOutcome,
    /// The run drafted a change, whether or not the change was sent.
    pub with_change: bool,
}

/// A row of the list of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    pub run: RunView,
    pub facts: RunFacts,
}

impl RunFacts {
    /// Derives the facts from the events. The run took over the events up to `inherited` from the run it was forked from, so they are not
    /// its own.
    pub fn of(status: RunStatus, events: &[RunEvent], inherited: u64) -> Self {
        let own: Vec<&EventBody> =
            events.iter().filter(|event| event.seq > inherited).map(|event| &event.body).collect();
        let writes: Vec<ToolCallId> = own.iter().filter_map(|body| write_of(body)).collect();
        let results = || own.iter().filter_map(|body| result_of(body));
        let with_change = !writes.is_empty();
        let sent = results().any(|(id, ok)| ok && writes.contains(&id));
        let outcome = match status {
            RunStatus::Queued | RunStatus::Running | RunStatus::AwaitingApproval => RunOutcome::Open,
            _ if sent => RunOutcome::Changed,
            RunStatus::Failed => RunOutcome::Failed,
            RunStatus::Stopped => RunOutcome::Stopped,
            RunStatus::Cancelled => RunOutcome::Cancelled,
            RunStatus::Completed if own.iter().any(|body| asks(body)) => RunOutcome::Asked,
            RunStatus::Completed if with_change || own.iter().any(|body| refuses(body)) => RunOutcome::NotSent,
            RunStatus::Completed if results().any(|(_, ok)| !ok) || own.iter().any(|body| leaves_out(body)) => {
                RunOutcome::Partly
            }
            // Data that a fork took over counts as read, too.
            RunStatus::Completed if events.iter().any(|event| result_of(&event.body).is_some()) => RunOutcome::Answered,
            RunStatus::Completed => RunOutcome::NothingRead,
        };
        Self { outcome, with_change }
    }
}

fn write_of(body: &EventBody) -> Option<ToolCallId> {
    match body {
        EventBody::Tool { tool_call_id, read_only: false, .. }
        | EventBody::ToolApprovalRequired { tool_call_id, .. } => Some(*tool_call_id),
        _ => None,
    }
}

fn result_of(body: &EventBody) -> Option<(ToolCallId, bool)> {
    match body {
        EventBody::ToolResult { tool_call_id, ok, .. } => Some((*tool_call_id, *ok)),
        _ => None,
    }
}

/// Checks whether an answer asks something back: its first paragraph ends with a question mark. An answer that only suggests a next
/// question does not.
fn asks(body: &EventBody) -> bool {
    match body {
        EventBody::ActionRequired { .. } => true,
        EventBody::Result { content, .. } => {
            // We say after a question that nothing was changed.
            let open = |text: &str| text.trim_end().trim_end_matches(UNCHANGED).trim_end().ends_with('?');
            content.split("\n\n").next().is_some_and(open) || content.trim_end().ends_with(UNCHANGED) && open(content)
        }
        _ => false,
    }
}

/// Checks whether a paragraph says why a change was not made. Advice has the same sentence in a paragraph of its own.
fn is_refusal(paragraph: &str) -> bool {
    let paragraph = paragraph.trim();
    paragraph.ends_with(UNCHANGED) && paragraph.len() > UNCHANGED.len()
}

/// Checks whether an answer only says why it made no change.
fn refuses(body: &EventBody) -> bool {
    match body {
        EventBody::Result { content, .. } => content.trim_end().rsplit("\n\n").next().is_some_and(is_refusal),
        _ => false,
    }
}

/// Checks whether an answer holds one part that made no change.
fn leaves_out(body: &EventBody) -> bool {
    match body {
        EventBody::Result { content, .. } => content.split("\n\n").any(is_refusal),
        _ => false,
    }
}

/// Which runs a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunFilter {
    #[default]
    All,
    WithChange,
    Only(RunOutcome),
}

impl RunFilter {
    /// Every filter with its name in an address.
    pub const ALL: [(&'static str, Self); 11] = [
        ("", Self::All),
        ("change", Self::WithChange),
        ("changed", Self::Only(RunOutcome::Changed)),
        ("not_sent", Self::Only(RunOutcome::NotSent)),
        ("answered", Self::Only(RunOutcome::Answered)),
        ("partly", Self::Only(RunOutcome::Partly)),
        ("asked", Self::Only(RunOutcome::Asked)),
        ("nothing_read", Self::Only(RunOutcome::NothingRead)),
        ("failed", Self::Only(RunOutcome::Failed)),
        ("stopped", Self::Only(RunOutcome::Stopped)),
        ("open", Self::Only(RunOutcome::Open)),
    ];

    /// Finds a filter by its name. `None` if no filter has this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, filter)| filter)
    }

    pub fn takes(self, facts: RunFacts) -> bool {
        match self {
            Self::All => true,
            Self::WithChange => facts.with_change,
            // Either a person or the stop policy can stop a run; one filter finds both.
            Self::Only(RunOutcome::Stopped) => matches!(facts.outcome, RunOutcome::Stopped | RunOutcome::Cancelled),
            Self::Only(outcome) => facts.outcome == outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Ids as _, Network, RunId, SequentialIds, Source, Timestamp};
    use serde_json::json;

    use super::*;

    struct Told {
        ids: SequentialIds,
        events: Vec<RunEvent>,
    }

    impl Told {
        fn new() -> Self {
            Self { ids: SequentialIds::default(), events: Vec::new() }
        }

        fn event(mut self, body: EventBody) -> Self {
            let seq = self.events.len() as u64 + 1;
            self.events.push(RunEvent { run_id: RunId::new(&self.ids), seq, at: Timestamp::EPOCH, body });
            self
        }

        fn call(self, read_only: bool, ok: Option<bool>) -> Self {
            let tool_call_id = ToolCallId(self.ids.next_uuid());
            let told = self.event(EventBody::Tool {
                tool_call_id,
                name: "call".into(),
                source: Source::Network(Network::AdMob),
                params: json!({}),
                read_only,
                approved: None,
            });
            let Some(ok) = ok else { return told };
            told.event(EventBody::ToolResult {
                tool_call_id,
                name: "call".into(),
                ok,
                summary: String::new(),
                result: json!({}),
                artifact: None,
                duration_ms: 1,
                cached: false,
            })
        }

        fn says(self, content: &str) -> Self {
            self.event(EventBody::Result {
                content: content.into(),
                artifacts: Vec::new(),
                follow_ups: Vec::new(),
                method: Vec::new(),
                covers: None,
            })
        }

        fn of(&self, status: RunStatus) -> (RunOutcome, bool) {
            let facts = RunFacts::of(status, &self.events, 0);
            (facts.outcome, facts.with_change)
        }
    }

    #[test]
    fn completed_runs_are_told_apart() {
        let done = |told: Told| told.of(RunStatus::Completed);
        let read = || Told::new().call(true, Some(true));
        assert_eq!(done(read().says("$5.00.\n\nAlso ask: and by app?")), (RunOutcome::Answered, false));
        assert_eq!(done(read().call(true, Some(false)).says("$5.00.")), (RunOutcome::Partly, false));
        assert_eq!(done(read().says("Which mediation group do you mean?\n\n- A\n- B")), (RunOutcome::Asked, false));
        assert_eq!(done(Told::new().says("I can't forecast.")), (RunOutcome::NothingRead, false));
        let refused = "**1. Pause A.** AdMob can't do that. Nothing has been changed.";
        assert_eq!(done(read().says(refused)), (RunOutcome::NotSent, false));
        assert_eq!(done(read().says(&format!("{refused}\n\n{refused}"))), (RunOutcome::NotSent, false));
        assert_eq!(done(read().says(&format!("{refused}\n\n**2. Revenue.** $5.00."))), (RunOutcome::Partly, false));
        assert_eq!(done(read().says("Floors:\n\nNothing has been changed.")), (RunOutcome::Answered, false));
        let asked = "Which line do you mean: A or B? Nothing has been changed.";
        assert_eq!(done(read().says(asked)), (RunOutcome::Asked, false));
        assert_eq!(done(read().says(&format!("One question first.\n\n{asked}"))), (RunOutcome::Asked, false));
        assert_eq!(done(read().call(false, Some(true)).says("Done.")), (RunOutcome::Changed, true));
        assert_eq!(done(read().call(false, None).says("Denied. Nothing was sent.")), (RunOutcome::NotSent, true));
    }

    #[test]
    fn a_change_that_was_sent_is_told_however_the_run_ended() {
        let sent = Told::new().call(false, Some(true));
        assert_eq!(sent.of(RunStatus::Failed), (RunOutcome::Changed, true));
        assert_eq!(sent.of(RunStatus::AwaitingApproval), (RunOutcome::Open, true));
        assert_eq!(Told::new().call(false, None).of(RunStatus::Cancelled), (RunOutcome::Cancelled, true));
        // The run that this one was forked from sent the change.
        let fork = sent.says("Done.");
        let facts = RunFacts::of(RunStatus::Completed, &fork.events, 2);
        assert_eq!(facts, RunFacts { outcome: RunOutcome::Answered, with_change: false });
    }

    #[test]
    fn filters_have_names_and_take_what_they_say() {
        for (name, filter) in RunFilter::ALL {
            assert_eq!(RunFilter::parse(name), Some(filter));
        }
        assert_eq!(RunFilter::parse("whatever"), None);
        let denied = RunFacts { outcome: RunOutcome::NotSent, with_change: true };
        assert!(RunFilter::All.takes(denied) && RunFilter::WithChange.takes(denied));
        assert!(!RunFilter::Only(RunOutcome::Changed).takes(denied));
        let stopped = RunFacts { outcome: RunOutcome::Cancelled, with_change: false };
        assert!(RunFilter::Only(RunOutcome::Stopped).takes(stopped) && !RunFilter::WithChange.takes(stopped));
    }
}
