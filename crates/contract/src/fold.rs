//! Turns events into the view of a chat. The browser, the server's render, the run viewer and the tests all use this one function, so that
//! a live run and a replayed one look the same.

use adagent_domain::{Network, RunId, Source, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{
    ActionKind, ApprovalStatus, ApprovalView, Artifact, ChangeRow, Covers, DecidedBy, EventBody, ModelTier, Path,
    Preview, Progress, Risk, RunEvent, RunStatus, UiHints, UsageView,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoutingView {
    pub at: Timestamp,
    pub service: String,
    pub capability: String,
    pub path: Path,
    pub confidence: f64,
    pub decided_by: DecidedBy,
    pub model_tier: ModelTier,
    pub thinking: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Running,
    Waiting,
    Ok,
    Failed,
    /// Somebody stopped the run while this step was open. The step did not fail.
    Stopped,
    Denied,
}

/// A line in the list of steps: a tool call, or a note of the agent.
#[expect(
    clippy::large_enum_variant,
    reason = "most steps are tool calls; boxing them would cost more than the notes waste"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepView {
    Agent {
        at: Timestamp,
        agent: String,
        task: Option<String>,
    },
    Thinking {
        at: Timestamp,
        content: String,
    },
    Tool {
        at: Timestamp,
        tool_call_id: ToolCallId,
        name: String,
        #[serde(flatten)]
        source: Source,
        params: Json,
        read_only: bool,
        state: StepState,
        message: Option<String>,
        progress: Option<Progress>,
        summary: Option<String>,
        result: Option<Json>,
        artifact: Option<Artifact>,
        duration_ms: Option<u64>,
        cached: bool,
        /// When the call succeeded, failed or was denied.
        done_at: Option<Timestamp>,
        /// If the call asks another agent: that agent, and the run in which it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<crate::Delegation>,
    },
}

/// An approval within a turn: either it is pending, or this is the record of its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnApproval {
    pub approval_id: adagent_domain::ApprovalId,
    pub tool_call_id: ToolCallId,
    pub tool_name: String,
    #[serde(flatten)]
    pub source: Source,
    pub title: String,
    pub tool_input: Json,
    pub parameter_schema: Json,
    pub ui_hints: UiHints,
    pub risk: Risk,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub asked_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub status: ApprovalStatus,
    pub answered_at: Option<Timestamp>,
    pub answered_by: Option<String>,
    pub edits: Vec<ChangeRow>,
    pub edited_args: Option<Json>,
    pub reason: Option<String>,
    /// Whether the change was made. Always false in the inbox, which does not know.
    pub made: bool,
    /// Whether it was approved, and a newer card asks about the same call again.
    #[serde(default)]
    pub asked_again: bool,
}

impl From<ApprovalView> for TurnApproval {
    /// Converts an approval of the inbox, so that the inbox draws the same card as the chat.
    fn from(view: ApprovalView) -> Self {
        let edits = view.edited_args.as_ref().map(|args| crate::edits(&view.tool_input, args, &view.ui_hints));
        let (title, preview) = view.sent.map_or((view.title, view.preview), |sent| (sent.title, sent.preview));
        Self {
            edits: edits.unwrap_or_default(),
            approval_id: view.id,
            tool_call_id: view.tool_call_id,
            tool_name: view.tool_name,
            source: view.source,
            title,
            tool_input: view.tool_input,
            parameter_schema: view.parameter_schema,
            ui_hints: view.ui_hints,
            risk: view.risk,
            warnings: view.warnings,
            preview,
            asked_at: view.created_at,
            expires_at: view.expires_at,
            status: view.status,
            answered_at: view.answered_at,
            answered_by: view.answered_by,
            edited_args: view.edited_args,
            reason: view.reason,
            made: false,
            asked_again: view.asked_again,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionView {
    pub action: ActionKind,
    /// `None` if any network would do.
    pub network: Option<Network>,
    pub message: String,
    pub deep_link: Option<String>,
}

/// Why a run ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopView {
    pub code: String,
    pub content: String,
    pub retryable: bool,
    pub developer_override_available: bool,
}

/// One assistant turn, as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnView {
    pub run_id: RunId,
    pub status: RunStatus,
    /// Sequence number of the last event in this view. Readers continue after it.
    pub last_seq: u64,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub model: String,
    /// The agent that answers. `None`: the workspace's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<crate::AgentRef>,
    /// What the run does now.
    pub label: Option<String>,
    pub routing: Option<RoutingView>,
    pub steps: Vec<StepView>,
    /// If the message wants several things: the steps in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<crate::Plan>,
    pub approvals: Vec<TurnApproval>,
    pub actions: Vec<ActionView>,
    /// Markdown. It grows while the model writes the answer; at the end, the whole answer replaces it.
    pub answer: String,
    pub answered: bool,
    pub artifacts: Vec<Artifact>,
    /// How the numbers were counted. Pages show it folded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Option<UsageView>,
    /// How often the run asked the model.
    pub rounds: u32,
    pub stops: Vec<StopView>,
}

impl TurnView {
    pub fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            status: RunStatus::Queued,
            last_seq: 0,
            started_at: None,
            finished_at: None,
            model: String::new(),
            agent: None,
            label: None,
            routing: None,
            steps: Vec::new(),
            plan: None,
            approvals: Vec::new(),
            actions: Vec::new(),
            answer: String::new(),
            answered: false,
            artifacts: Vec::new(),
            method: Vec::new(),
            covers: None,
            follow_ups: Vec::new(),
            usage: None,
            rounds: 0,
            stops: Vec::new(),
        }
    }

    /// Returns how long the turn took from its start to its end, or to `now` if it still runs.
    pub fn elapsed_ms(&self, now: Timestamp) -> Option<i64> {
        let from = self.started_at?;
        Some(self.finished_at.unwrap_or(now).millis_since(from).max(0))
    }

    /// Returns the part of the elapsed time in which the run waited for no person. The limits count this time.
    pub fn worked_ms(&self, now: Timestamp) -> Option<i64> {
        let until = self.finished_at.unwrap_or(now);
        let mut waits: Vec<(Timestamp, Timestamp)> =
            self.approvals.iter().map(|a| (a.asked_at, a.answered_at.unwrap_or(until))).collect();
        waits.sort_unstable();
        let (mut waited, mut seen) = (0, None::<Timestamp>);
        for (from, to) in waits {
            let from = seen.map_or(from, |seen| seen.max(from));
            waited += to.millis_since(from).max(0);
            seen = Some(seen.map_or(to, |seen| seen.max(to)));
        }
        self.elapsed_ms(now).map(|elapsed| (elapsed - waited).max(0))
    }

    /// The runs of agents that were asked and have not ended.
    pub fn open_tasks(&self) -> impl Iterator<Item = RunId> {
        self.steps.iter().filter_map(|step| match step {
            StepView::Tool { to: Some(to), done_at: None, .. } => Some(to.task_run_id),
            _ => None,
        })
    }

    /// The runs of all agents that were asked.
    pub fn tasks(&self) -> impl Iterator<Item = RunId> {
        self.steps.iter().filter_map(|step| match step {
            StepView::Tool { to: Some(to), .. } => Some(to.task_run_id),
            _ => None,
        })
    }

    pub fn waiting_approval(&self) -> Option<&TurnApproval> {
        self.approvals.iter().find(|a| a.status == ApprovalStatus::Pending)
    }

    /// Returns the step of a call.
    pub fn tool(&self, wanted: ToolCallId) -> Option<&StepView> {
        self.steps
            .iter()
            .rev()
            .find(|step| matches!(step, StepView::Tool { tool_call_id, .. } if *tool_call_id == wanted))
    }

    /// The run works again, unless a card still waits for a person.
    fn go_on(&mut self) {
        if self.waiting_approval().is_none() && self.status == RunStatus::AwaitingApproval {
            self.status = RunStatus::Running;
        }
    }

    fn tool_mut(&mut self, wanted: ToolCallId) -> Option<&mut StepView> {
        self.steps
            .iter_mut()
            .rev()
            .find(|step| matches!(step, StepView::Tool { tool_call_id, .. } if *tool_call_id == wanted))
    }
}

/// Folds a run's events from the beginning.
pub fn fold<'a>(run_id: RunId, events: impl IntoIterator<Item = &'a RunEvent>) -> TurnView {
    let mut view = TurnView::new(run_id);
    for event in events {
        fold_into(&mut view, event);
    }
    view
}

/// Adds one more event to the view. An event that the view already has (a replay after a reconnect) changes nothing.
pub fn fold_into(view: &mut TurnView, event: &RunEvent) {
    if event.seq <= view.last_seq {
        return;
    }
    view.last_seq = event.seq;
    apply(view, event);
}

/// Puts the source's name in front of a text for the status line, which shows without its step: `Building report, 80%` →
/// `AdMob: building report, 80%`.
fn of_source(source: Source, text: &str) -> String {
    let name = source.display_name();
    let mut rest = text.chars();
    match rest.next() {
        Some(first) if !text.contains(name) => format!("{name}: {}{}", first.to_lowercase(), rest.as_str()),
        _ => text.to_owned(),
    }
}

#[expect(clippy::too_many_lines, reason = "one arm per event type; splitting it would hide the list")]
fn apply(view: &mut TurnView, event: &RunEvent) {
    let at = event.at;
    match &event.body {
        EventBody::RunStarted { model, agent, .. } => {
            view.status = RunStatus::Running;
            view.started_at = Some(at);
            view.model.clone_from(model);
            view.agent = agent.as_deref().cloned();
        }
        EventBody::Routing { service, capability, path, confidence, decided_by, model_tier, thinking } => {
            view.routing = Some(RoutingView {
                at,
                service: service.clone(),
                capability: capability.clone(),
                path: *path,
                confidence: *confidence,
                decided_by: *decided_by,
                model_tier: *model_tier,
                thinking: thinking.clone(),
            });
        }
        // Every node reports that it works, which only the time axis needs. The view shows a node only if it has a task.
        EventBody::Agent { agent, task: None } => view.rounds += u32::from(agent == "specialist"),
        EventBody::Agent { agent, task } => {
            view.steps.push(StepView::Agent { at, agent: agent.clone(), task: task.clone() });
        }
        EventBody::AgentsWait => {
            view.status = RunStatus::AwaitingApproval;
            view.label = None;
        }
        EventBody::Status { label } => view.label = Some(label.clone()),
        EventBody::Thinking { content } => view.steps.push(StepView::Thinking { at, content: content.clone() }),
        EventBody::Plan { plan } => view.plan = Some(plan.clone()),
        EventBody::Tool { tool_call_id, name, source, params, read_only, approved } => {
            let state = if *read_only || approved == &Some(true) { StepState::Running } else { StepState::Waiting };
            let step = StepView::Tool {
                at,
                tool_call_id: *tool_call_id,
                name: name.clone(),
                source: *source,
                params: params.clone(),
                read_only: *read_only,
                state,
                message: None,
                progress: None,
                summary: None,
                result: None,
                artifact: None,
                duration_ms: None,
                cached: false,
                done_at: None,
                to: None,
            };
            match view.tool_mut(*tool_call_id) {
                Some(existing) => *existing = step,
                None => view.steps.push(step),
            }
        }
        EventBody::ToolExecuting { tool_call_id, message: text, progress: done, .. } => {
            let mut label = text.clone();
            if let Some(StepView::Tool { source, message, progress, state, .. }) = view.tool_mut(*tool_call_id) {
                label = of_source(*source, text);
                *message = Some(text.clone());
                *progress = *done;
                *state = StepState::Running;
            }
            view.label = Some(label);
        }
        EventBody::Delegated { tool_call_id, to: asked } => {
            if let Some(StepView::Tool { to, .. }) = view.tool_mut(*tool_call_id) {
                *to = Some(asked.clone());
            }
        }
        EventBody::ToolResult {
            tool_call_id,
            ok,
            summary: text,
            result: json,
            artifact: drawn,
            duration_ms: took,
            cached: hit,
            ..
        } => {
            if let Some(StepView::Tool { state, summary, result, artifact, duration_ms, cached, done_at, .. }) =
                view.tool_mut(*tool_call_id)
            {
                *done_at = Some(at);
                let stopped = json.pointer("/error/code").and_then(Json::as_str) == Some("CANCELLED");
                *state = match (ok, stopped) {
                    (true, _) => StepState::Ok,
                    (false, true) => StepState::Stopped,
                    (false, false) => StepState::Failed,
                };
                *summary = Some(text.clone());
                *result = Some(json.clone());
                artifact.clone_from(drawn);
                *duration_ms = Some(*took);
                *cached = *hit;
            }
            view.go_on();
            // A call may have several cards. The newest describes what we sent.
            if let Some(approval) = view.approvals.iter_mut().rfind(|approval| approval.tool_call_id == *tool_call_id) {
                approval.made = *ok;
            }
        }
        EventBody::ToolApprovalRequired {
            approval_id,
            tool_call_id,
            tool_name,
            source,
            title,
            tool_input,
            parameter_schema,
            ui_hints,
            risk,
            warnings,
            preview,
            expires_at,
        } => {
            view.status = RunStatus::AwaitingApproval;
            view.label = None;
            for earlier in view.approvals.iter_mut().filter(|earlier| earlier.tool_call_id == *tool_call_id) {
                earlier.asked_again = earlier.status == ApprovalStatus::Approved;
            }
            view.approvals.push(TurnApproval {
                approval_id: *approval_id,
                tool_call_id: *tool_call_id,
                tool_name: tool_name.clone(),
                source: *source,
                title: title.clone(),
                tool_input: tool_input.clone(),
                parameter_schema: parameter_schema.clone(),
                ui_hints: (**ui_hints).clone(),
                risk: *risk,
                warnings: warnings.clone(),
                preview: preview.clone(),
                asked_at: at,
                expires_at: *expires_at,
                status: ApprovalStatus::Pending,
                answered_at: None,
                answered_by: None,
                edits: Vec::new(),
                edited_args: None,
                reason: None,
                made: false,
                asked_again: false,
            });
        }
        EventBody::ToolApprovalAnswered { approval_id, status, by, edits, edited_args, sent, reason, .. } => {
            if let Some(approval) = view.approvals.iter_mut().find(|a| a.approval_id == *approval_id) {
                approval.status = *status;
                approval.answered_at = Some(at);
                approval.answered_by = Some(by.clone());
                approval.edits.clone_from(edits);
                approval.edited_args.clone_from(edited_args);
                if let Some(sent) = sent {
                    approval.title.clone_from(&sent.title);
                    approval.preview.clone_from(&sent.preview);
                }
                approval.reason.clone_from(reason);
            }
            view.go_on();
        }
        EventBody::ToolDenied { tool_call_id, reason: why, unknown, .. } => {
            if let Some(StepView::Tool { state, summary, done_at, .. }) = view.tool_mut(*tool_call_id) {
                *done_at = Some(at);
                *state = if *unknown { StepState::Failed } else { StepState::Denied };
                *summary = Some(why.clone());
            }
        }
        EventBody::ActionRequired { action, network, message, deep_link } => view.actions.push(ActionView {
            action: *action,
            network: *network,
            message: message.clone(),
            deep_link: deep_link.clone(),
        }),
        EventBody::Content { content, .. } => view.answer.push_str(content),
        EventBody::Result { content, artifacts, follow_ups, method, covers } => {
            view.answer.clone_from(content);
            view.answered = true;
            view.artifacts.clone_from(artifacts);
            view.follow_ups.clone_from(follow_ups);
            view.method.clone_from(method);
            view.covers.clone_from(covers);
        }
        EventBody::Usage { model, input_tokens, output_tokens, cost_micros, estimated, .. } => {
            let usage = view.usage.get_or_insert_with(UsageView::default);
            usage.model.clone_from(model);
            usage.input_tokens += input_tokens;
            usage.output_tokens += output_tokens;
            usage.cost_micros += cost_micros;
            usage.estimated |= estimated;
        }
        EventBody::Error { code, content, retryable, developer_override_available } => view.stops.push(StopView {
            code: code.clone(),
            content: content.clone(),
            retryable: *retryable,
            developer_override_available: developer_override_available.unwrap_or(false),
        }),
        EventBody::Done { status } => {
            view.status = *status;
            view.finished_at = Some(at);
            view.label = None;
        }
        EventBody::Unknown => {}
    }
}
