//! The side panel's texts about a turn: its events in order, the sources of the answer, and the limits.
//!
//! Pure: takes a `TurnView`, returns lines, and knows nothing that the turn does not hold.

use adagent_contract::{
    ApprovalStatus, Artifact, Path, RunLimits, RunStatus, StepState, StepView, TurnApproval, TurnView, came_too_late,
    words,
};
use adagent_domain::{Network, Timestamp, ToolCallId};

use super::summary;
use crate::ui::{Glyph, format};

/// One line of the panel's events.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Milliseconds after the start of the turn.
    pub after: u64,
    pub glyph: Glyph,
    pub text: String,
    /// Whether `text` is a technical name.
    pub mono: bool,
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// In progress.
    Live,
    /// Waits for a person.
    Wait,
    Bad,
}

impl Mark {
    fn plain(after: u64, glyph: Glyph, text: String) -> Self {
        Self { after, glyph, text, mono: false, tone: Tone::Plain }
    }
}

/// Returns what has happened so far, oldest first; what happens now comes last.
pub fn marks(turn: &TurnView) -> Vec<Mark> {
    let Some(start) = turn.started_at else { return Vec::new() };
    let after = |at: Timestamp| at.millis_since(start).max(0).unsigned_abs();
    let mut marks = vec![Mark::plain(0, Glyph::Play, "Run started".into())];
    let mut now = Vec::new();
    if let Some(routing) = &turn.routing {
        let path = match routing.path {
            Path::Reactive => "quick answer",
            Path::Workflow => "several steps",
        };
        let sure = summary::sure(routing.confidence);
        let text = format!("{}, {path}, {sure}", words(&routing.capability));
        marks.push(Mark::plain(after(routing.at), Glyph::Route, text));
    }
    for step in &turn.steps {
        match step {
            StepView::Agent { at, agent, task } => {
                let (name, glyph) = summary::agent_name(agent);
                let text = match task.as_deref().filter(|task| !task.is_empty()) {
                    Some(task) if agent == "specialist" => format!("{name} for {}", task.replace('_', " ")),
                    Some(task) => task.to_owned(),
                    None => name,
                };
                marks.push(Mark::plain(after(*at), glyph, text));
            }
            StepView::Thinking { at, content } => {
                marks.push(Mark::plain(after(*at), Glyph::MessageSquare, content.clone()));
            }
            StepView::Tool { at, name, source, state, summary, done_at, progress, message, .. } => {
                let called = Mark { mono: true, ..Mark::plain(after(*at), Glyph::Wrench, name.clone()) };
                marks.push(called);
                let said = |what: &str| match summary.as_deref().filter(|text| !text.is_empty()) {
                    Some(text) => format!("{} {what}, {}", source.display_name(), lowered(text)),
                    None => format!("{} {what}", source.display_name()),
                };
                let ended = done_at.map_or_else(|| after(*at), after);
                match state {
                    StepState::Ok => marks.push(Mark::plain(ended, Glyph::Check, said("answered"))),
                    StepState::Failed => {
                        let mark = Mark::plain(ended, Glyph::CircleX, said("failed"));
                        marks.push(Mark { tone: Tone::Bad, ..mark });
                    }
                    StepState::Stopped => marks.push(Mark::plain(ended, Glyph::Square, "Stopped".into())),
                    StepState::Denied => marks.push(Mark::plain(ended, Glyph::Ban, "Not sent".into())),
                    StepState::Running if !turn.status.is_final() => {
                        let text = match (progress, message) {
                            (Some(done), _) => format!("{} of {}", done.done, done.total),
                            (None, Some(message)) => message.clone(),
                            (None, None) => format!("Waiting for {}", source.display_name()),
                        };
                        now.push(Mark { tone: Tone::Live, ..Mark::plain(after(*at), Glyph::Loader, text) });
                    }
                    StepState::Running | StepState::Waiting => {}
                }
            }
        }
    }
    for approval in &turn.approvals {
        let asked = Mark::plain(after(approval.asked_at), Glyph::Inbox, "Asked for approval".into());
        match approval.answered_at {
            Some(at) => {
                marks.push(asked);
                marks.push(answered(approval, after(at)));
            }
            None => now.push(Mark { tone: Tone::Wait, text: "Pending approval".into(), ..asked }),
        }
    }
    if let (Some(at), true) = (turn.finished_at, turn.status.is_final()) {
        let (glyph, text, tone) = match turn.status {
            RunStatus::Cancelled => (Glyph::Square, "You stopped it", Tone::Plain),
            RunStatus::Failed => (Glyph::CircleX, "Failed", Tone::Bad),
            RunStatus::Stopped => (Glyph::Ban, "Stopped", Tone::Bad),
            _ => (Glyph::CircleCheck, "Completed", Tone::Plain),
        };
        now.push(Mark { tone, ..Mark::plain(after(at), glyph, text.into()) });
    }
    // Calls run in parallel, so order the marks by time, whichever call they belong to.
    marks.sort_by_key(|mark| mark.after);
    marks.extend(now);
    marks
}

fn answered(approval: &TurnApproval, after: u64) -> Mark {
    let by = approval.answered_by.as_deref().unwrap_or("someone");
    let (glyph, text) = match approval.status {
        ApprovalStatus::Approved if approval.edits.is_empty() => (Glyph::Check, format!("Approved by {by}")),
        ApprovalStatus::Approved => (Glyph::Check, format!("Approved with edits by {by}")),
        ApprovalStatus::Denied => (Glyph::Ban, format!("Denied by {by}")),
        ApprovalStatus::Expired => (Glyph::Clock, "Approval expired".into()),
        late if came_too_late(late, approval.reason.as_deref()) => {
            (Glyph::Ban, "Nothing sent: the values were already there".into())
        }
        ApprovalStatus::Cancelled | ApprovalStatus::Pending => (Glyph::Ban, "Approval canceled".into()),
    };
    Mark::plain(after, glyph, text)
}

/// A result that the answer uses: all calls of one tool together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The first of the calls.
    pub call: ToolCallId,
    pub source: adagent_domain::Source,
    pub name: String,
    pub calls: usize,
    rows: Option<u64>,
    said: String,
}

impl Source {
    /// Returns what the source holds, such as `41 rows` or `3 calls, 75 rows`, or the call's own summary.
    pub fn holds(&self) -> String {
        let rows = self.rows.map(|rows| format::plural(usize::try_from(rows).unwrap_or(usize::MAX), "row", "rows"));
        match (self.calls, rows) {
            (1, Some(rows)) => rows,
            (1, None) => self.said.clone(),
            (calls, Some(rows)) => format!("{calls} calls, {rows}"),
            (calls, None) => format!("{calls} calls"),
        }
    }
}

/// Returns what was read so far, in the order of the first calls.
pub fn sources(turn: &TurnView) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for step in &turn.steps {
        let StepView::Tool { tool_call_id, source: of, name, state: StepState::Ok, artifact, summary, .. } = step
        else {
            continue;
        };
        let rows = match artifact {
            Some(Artifact::Table { table, .. }) => Some(table.row_count),
            _ => None,
        };
        match sources.iter_mut().find(|source| source.source == *of && source.name == *name) {
            Some(source) => {
                source.calls += 1;
                source.rows = source.rows.zip(rows).map(|(one, other)| one + other);
            }
            None => sources.push(Source {
                call: *tool_call_id,
                source: *of,
                name: name.clone(),
                calls: 1,
                rows,
                said: summary.clone().unwrap_or_default(),
            }),
        }
    }
    sources
}

/// Returns which entities were found, in the loader's words.
pub fn entities(turn: &TurnView) -> Option<String> {
    turn.steps.iter().rev().find_map(|step| match step {
        StepView::Agent { agent, task, .. } if agent == "entity_loader" => task.clone().filter(|task| !task.is_empty()),
        _ => None,
    })
}

/// Returns the limits, such as `5 of 15 rounds, 0:06 of 5:00`.
pub fn limits(turn: &TurnView, limits: RunLimits, now: Timestamp) -> String {
    let worked = turn.worked_ms(now).unwrap_or(0);
    format!("{} of {} rounds, {} of {}", turn.rounds, limits.rounds, clock(worked), clock(limits.working_ms))
}

/// Formats minutes and seconds.
fn clock(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Lowercases the first letter of a sentence for use inside another one. Names and abbreviations keep their capitals.
fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() && !text.contains(". ") => {
            let known = Network::ALL.iter().any(|network| text.starts_with(network.display_name()));
            if known { text.to_owned() } else { first.to_lowercase().chain(chars).collect() }
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{EventBody, RunEvent, fold};
    use adagent_domain::{RunId, SequentialIds};
    use serde_json::json;

    use super::*;

    struct Story {
        ids: SequentialIds,
        run: RunId,
        events: Vec<RunEvent>,
    }

    impl Story {
        fn new() -> Self {
            let ids = SequentialIds::default();
            let run = RunId::new(&ids);
            let mut story = Self { ids, run, events: Vec::new() };
            let (session_id, message_id) =
                (adagent_domain::ChatSessionId::new(&story.ids), adagent_domain::MessageId::new(&story.ids));
            story.at(
                0,
                EventBody::RunStarted { session_id, message_id, model: "local".into(), settings: None, agent: None },
            );
            story
        }

        fn at(&mut self, millis: i64, body: EventBody) {
            let seq = self.events.len() as u64 + 1;
            self.events.push(RunEvent { run_id: self.run, seq, at: Timestamp::EPOCH.plus_millis(millis), body });
        }

        fn call(&mut self, millis: i64, name: &str) -> ToolCallId {
            let tool_call_id = ToolCallId::new(&self.ids);
            let source = adagent_domain::Source::Network(Network::AdMob);
            let params = json!({});
            self.at(
                millis,
                EventBody::Tool { tool_call_id, name: name.into(), source, params, read_only: true, approved: None },
            );
            tool_call_id
        }

        fn result(&mut self, millis: i64, tool_call_id: ToolCallId, ok: bool, summary: &str) {
            self.at(
                millis,
                EventBody::ToolResult {
                    tool_call_id,
                    name: "x".into(),
                    ok,
                    summary: summary.into(),
                    result: json!([]),
                    artifact: None,
                    duration_ms: 5,
                    cached: false,
                },
            );
        }

        fn turn(&self) -> TurnView {
            fold(self.run, &self.events)
        }
    }

    fn told(turn: &TurnView) -> Vec<(u64, String, Tone)> {
        marks(turn).into_iter().map(|mark| (mark.after, mark.text, mark.tone)).collect()
    }

    #[test]
    fn calls_side_by_side_stand_in_the_order_of_time_and_what_goes_on_comes_last() {
        let mut story = Story::new();
        let (slow, quick) = (story.call(100, "slow_report"), story.call(110, "quick_list"));
        story.result(300, quick, true, "4 apps");
        story.at(
            350,
            EventBody::ToolExecuting {
                tool_call_id: slow,
                tool_name: "slow_report".into(),
                message: "Reading".into(),
                progress: Some(adagent_contract::Progress { done: 3, total: 5 }),
            },
        );
        assert_eq!(
            told(&story.turn()),
            vec![
                (0, "Run started".into(), Tone::Plain),
                (100, "slow_report".into(), Tone::Plain),
                (110, "quick_list".into(), Tone::Plain),
                (300, "AdMob answered, 4 apps".into(), Tone::Plain),
                (100, "3 of 5".into(), Tone::Live),
            ]
        );
        story.result(900, slow, false, "The network answered 503.");
        story.at(950, EventBody::Done { status: RunStatus::Completed });
        let told = told(&story.turn());
        assert_eq!(told[4], (900, "AdMob failed, the network answered 503.".into(), Tone::Bad));
        assert_eq!(told[5], (950, "Completed".into(), Tone::Plain));
        assert_eq!(sources(&story.turn()).iter().map(Source::holds).collect::<Vec<_>>(), ["4 apps"]);
    }

    #[test]
    fn nothing_is_said_of_a_run_that_has_not_begun() {
        assert!(marks(&TurnView::new(RunId::new(&SequentialIds::default()))).is_empty());
    }

    #[test]
    fn a_run_that_was_cut_off_shows_nothing_as_going_on() {
        let mut story = Story::new();
        story.call(10, "slow_report");
        story.at(20, EventBody::Done { status: RunStatus::Cancelled });
        assert!(told(&story.turn()).iter().all(|(.., tone)| *tone != Tone::Live));
    }

    #[test]
    fn limits_count_rounds_and_work_but_not_a_persons_time() {
        let mut story = Story::new();
        for _ in 0..2 {
            story.at(5_000, EventBody::Agent { agent: "specialist".into(), task: None });
            // Two requests in one round still count as one round.
            for _ in 0..2 {
                let usage = EventBody::Usage {
                    model: "local".into(),
                    input_tokens: 1,
                    output_tokens: 1,
                    cost_micros: 0,
                    duration_ms: None,
                    estimated: false,
                };
                story.at(5_000, usage);
            }
        }
        let allowed = RunLimits { rounds: 15, working_ms: 300_000, cost_micros: 1, tokens: 1 };
        assert_eq!(limits(&story.turn(), allowed, Timestamp::EPOCH.plus_seconds(66)), "2 of 15 rounds, 1:06 of 5:00");
    }

    #[test]
    fn a_summary_goes_on_in_the_middle_of_a_sentence() {
        assert_eq!(lowered("Created the group."), "created the group.");
        assert_eq!(lowered("AdMob said no."), "AdMob said no.");
        assert_eq!(lowered("US, CA"), "US, CA");
    }
}
