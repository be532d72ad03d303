//! The time axis of a run, derived from its events: nodes, questions to the model, calls, waits.
//!
//! This module is pure. Every event carries its time, so the length of a bar is the duration of its step.

use adagent_domain::{ApprovalId, Timestamp, ToolCallId};

use crate::{EventBody, RunEvent, StepKind, StepTiming};

/// A step that has begun and not ended yet.
struct Open<T> {
    what: T,
    step: usize,
}

#[derive(Default)]
struct Axis {
    steps: Vec<StepTiming>,
    node: Option<usize>,
    /// The node that continues after a person has answered.
    paused: Option<String>,
    calls: Vec<Open<ToolCallId>>,
    questions: Vec<Open<ApprovalId>>,
}

impl Axis {
    fn open(&mut self, name: &str, kind: StepKind, at: Timestamp) -> usize {
        let (name, started_at) = (name.to_owned(), at);
        self.steps.push(StepTiming { name, kind, started_at, duration_ms: 0, duration_us: 0, ok: true });
        self.steps.len() - 1
    }

    fn close(&mut self, step: usize, at: Timestamp) {
        if let Some(step) = self.steps.get_mut(step) {
            let micros = at.as_micros() - step.started_at.as_micros();
            step.duration_us = u64::try_from(micros).unwrap_or(0);
            step.duration_ms = step.duration_us / 1000;
        }
    }

    fn close_node(&mut self, at: Timestamp) {
        if let Some(node) = self.node.take() {
            self.close(node, at);
        }
    }

    /// Adds a step of which we know the end and the duration.
    fn past(&mut self, name: &str, kind: StepKind, until: Timestamp, took_ms: u64) -> usize {
        let back = i64::try_from(took_ms).unwrap_or(i64::MAX).saturating_neg();
        let step = self.open(name, kind, until.plus_millis(back));
        self.close(step, until);
        step
    }

    fn take(&mut self, event: &RunEvent) {
        let at = event.at;
        match &event.body {
            // Without a task, a node starts. With a task, the event only informs readers.
            EventBody::Agent { agent, task: None } => {
                self.close_node(at);
                self.node = Some(self.open(agent, StepKind::Node, at));
            }
            EventBody::Usage { model, duration_ms: Some(took), .. } => {
                self.past(model, StepKind::Model, at, *took);
            }
            EventBody::Tool { tool_call_id, name, read_only, approved, .. }
                if *read_only || *approved == Some(true) =>
            {
                let step = self.open(name, StepKind::Tool, at);
                self.calls.push(Open { what: *tool_call_id, step });
            }
            EventBody::ToolResult { tool_call_id, name, ok, duration_ms, .. } => {
                let begun = self.calls.iter().position(|call| call.what == *tool_call_id);
                // The call itself knows best how long it took: it may have waited for its turn, or the cache may have answered it.
                let step = begun.map(|call| self.calls.swap_remove(call).step);
                if let Some(step) = step.and_then(|step| self.steps.get_mut(step)) {
                    let back = i64::try_from(*duration_ms).unwrap_or(i64::MAX).saturating_neg();
                    step.started_at = step.started_at.max(at.plus_millis(back));
                    let micros = at.as_micros() - step.started_at.as_micros();
                    step.duration_us = u64::try_from(micros).unwrap_or(0);
                    step.duration_ms = step.duration_us / 1000;
                    step.ok = *ok;
                } else {
                    let step = self.past(name, StepKind::Tool, at, *duration_ms);
                    self.steps[step].ok = *ok;
                }
            }
            EventBody::ToolApprovalRequired { approval_id, .. } => {
                if let Some(node) = self.node.and_then(|node| self.steps.get(node)) {
                    self.paused = Some(node.name.clone());
                }
                // The clock of the node stops while a person decides.
                self.close_node(at);
                let step = self.open("approval", StepKind::Person, at);
                self.questions.push(Open { what: *approval_id, step });
            }
            EventBody::ToolApprovalAnswered { approval_id, .. } => {
                if let Some(asked) = self.questions.iter().position(|question| question.what == *approval_id) {
                    let step = self.questions.swap_remove(asked).step;
                    self.close(step, at);
                }
                if self.questions.is_empty()
                    && let Some(node) = self.paused.take()
                {
                    self.node = Some(self.open(&node, StepKind::Node, at));
                }
            }
            EventBody::Error { .. } => {
                if let Some(step) = self.node.and_then(|node| self.steps.get_mut(node)) {
                    step.ok = false;
                }
            }
            EventBody::Done { .. } => self.end(at),
            _ => {}
        }
    }

    fn end(&mut self, at: Timestamp) {
        self.close_node(at);
        self.paused = None;
        let calls = std::mem::take(&mut self.calls).into_iter().map(|call| call.step);
        let questions = std::mem::take(&mut self.questions).into_iter().map(|question| question.step);
        for step in calls.chain(questions).collect::<Vec<_>>() {
            self.close(step, at);
        }
    }
}

/// Returns the steps in the order in which they began. Events up to `inherited` happened in the run that this one was forked from. Steps
/// that have not ended last until `now`.
pub fn timings(events: &[RunEvent], inherited: u64, now: Timestamp) -> Vec<StepTiming> {
    let mut axis = Axis::default();
    let queued = events.first().map(|first| axis.open("queued", StepKind::Queue, first.at));
    for event in events.iter().filter(|event| event.seq > inherited) {
        if let (Some(queued), EventBody::Agent { task: None, .. } | EventBody::Done { .. }) = (queued, &event.body)
            && axis.node.is_none()
            && axis.steps.len() == 1
        {
            axis.close(queued, event.at);
        }
        axis.take(event);
    }
    if axis.steps.len() == 1 && !matches!(events.last().map(|event| &event.body), Some(EventBody::Done { .. })) {
        axis.close(0, now);
    }
    axis.end(now);
    let mut steps = axis.steps;
    // Drop nodes and queue times that took no time.
    steps.retain(|step| step.duration_us > 0 || !matches!(step.kind, StepKind::Node | StepKind::Queue));
    steps.sort_by_key(|step| step.started_at);
    steps
}

#[cfg(test)]
mod tests {
    use adagent_domain::{ChatSessionId, Ids as _, MessageId, Network, RunId, SequentialIds, Source};
    use serde_json::Value as Json;

    use super::*;
    use crate::{ApprovalStatus, Preview, PreviewKind, Risk, RunStatus};

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
            let (session_id, message_id) = (ChatSessionId::new(&story.ids), MessageId::new(&story.ids));
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

        fn node(&mut self, millis: i64, agent: &str) {
            self.at(millis, EventBody::Agent { agent: agent.into(), task: None });
        }

        fn call(&mut self, millis: i64, name: &str, approved: Option<bool>) -> ToolCallId {
            let tool_call_id = ToolCallId(self.ids.next_uuid());
            let (name, source, read_only) = (name.to_owned(), Source::Network(Network::AdMob), approved.is_none());
            self.at(millis, EventBody::Tool { tool_call_id, name, source, params: Json::Null, read_only, approved });
            tool_call_id
        }

        fn result(&mut self, millis: i64, tool_call_id: ToolCallId, ok: bool, duration_ms: u64) {
            let (name, summary, result) = ("late".to_owned(), String::new(), Json::Null);
            let body = EventBody::ToolResult {
                tool_call_id,
                name,
                ok,
                summary,
                result,
                artifact: None,
                duration_ms,
                cached: false,
            };
            self.at(millis, body);
        }

        fn drawn(&self, inherited: u64, now: i64) -> Vec<(String, StepKind, i64, u64)> {
            timings(&self.events, inherited, Timestamp::EPOCH.plus_millis(now))
                .into_iter()
                .map(|step| (step.name, step.kind, step.started_at.millis_since(Timestamp::EPOCH), step.duration_ms))
                .collect()
        }
    }

    fn bar(name: &str, kind: StepKind, from: i64, took: u64) -> (String, StepKind, i64, u64) {
        (name.to_owned(), kind, from, took)
    }

    #[test]
    fn nodes_last_until_the_next_and_calls_as_long_as_they_say() {
        let mut story = Story::new();
        story.node(3, "router");
        story.at(3, EventBody::Agent { agent: "specialist".into(), task: Some("reporting".into()) });
        story.node(5, "tool_executor");
        let call = story.call(6, "admob_list_apps", None);
        story.result(40, call, false, 30);
        let usage = EventBody::Usage {
            model: "strong".into(),
            input_tokens: 1,
            output_tokens: 1,
            cost_micros: 1,
            duration_ms: Some(4),
            estimated: false,
        };
        story.at(44, usage);
        story.at(45, EventBody::Done { status: RunStatus::Completed });
        assert_eq!(
            story.drawn(0, 9_999),
            [
                bar("queued", StepKind::Queue, 0, 3),
                bar("router", StepKind::Node, 3, 2),
                bar("tool_executor", StepKind::Node, 5, 40),
                bar("admob_list_apps", StepKind::Tool, 10, 30),
                bar("strong", StepKind::Model, 40, 4),
            ]
        );
        assert!(
            !timings(&story.events, 0, Timestamp::EPOCH).iter().find(|step| step.kind == StepKind::Tool).unwrap().ok
        );
    }

    #[test]
    fn while_a_person_is_waited_for_no_node_works() {
        let mut story = Story::new();
        story.node(0, "tool_executor");
        let (approval_id, tool_call_id) = (ApprovalId(story.ids.next_uuid()), ToolCallId(story.ids.next_uuid()));
        let asked = EventBody::ToolApprovalRequired {
            approval_id,
            tool_call_id,
            tool_name: "admob_create_app".into(),
            source: Source::Network(Network::AdMob),
            title: String::new(),
            tool_input: Json::Null,
            parameter_schema: Json::Null,
            ui_hints: Box::default(),
            risk: Risk::Write,
            warnings: vec![],
            preview: Preview::new(PreviewKind::Create, vec![]),
            expires_at: None,
        };
        story.at(10, asked);
        assert_eq!(
            story.drawn(0, 500),
            [bar("tool_executor", StepKind::Node, 0, 10), bar("approval", StepKind::Person, 10, 490)],
            "it is still being waited for"
        );
        let answered = EventBody::ToolApprovalAnswered {
            approval_id,
            tool_call_id,
            status: ApprovalStatus::Approved,
            by: "Mara".into(),
            edited_args: None,
            edits: vec![],
            sent: None,
            reason: None,
        };
        story.at(1_000, answered);
        story.call(1_002, "admob_create_app", Some(true));
        assert_eq!(
            story.drawn(0, 1_050)[1..],
            [
                bar("approval", StepKind::Person, 10, 990),
                bar("tool_executor", StepKind::Node, 1_000, 50),
                bar("admob_create_app", StepKind::Tool, 1_002, 48),
            ]
        );
    }

    #[test]
    fn what_a_fork_took_over_is_not_drawn_again() {
        let mut story = Story::new();
        let call = story.call(0, "admob_list_apps", None);
        story.result(0, call, true, 8_000);
        story.node(7, "specialist");
        story.at(9, EventBody::Done { status: RunStatus::Completed });
        assert_eq!(story.drawn(3, 99), [bar("queued", StepKind::Queue, 0, 7), bar("specialist", StepKind::Node, 7, 2)]);
    }

    #[test]
    fn a_run_that_waits_for_a_worker_is_queued_until_now() {
        assert_eq!(Story::new().drawn(0, 700), [bar("queued", StepKind::Queue, 0, 700)]);
        assert!(timings(&[], 0, Timestamp::EPOCH).is_empty());
    }
}
