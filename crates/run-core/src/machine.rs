//! `step` and `outstanding`: takes an input in, walks the graph until something outside has to happen.

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{Ids, Timestamp, ToolCallId};

use crate::{Call, CallState, Effect, Input, Limits, Node, Once, Spent, State, Stop, When, Work, graph::follow};

/// What a step may know besides state and input.
pub struct Env<'a> {
    pub now: Timestamp,
    pub ids: &'a dyn Ids,
    pub limits: &'a Limits,
}

/// The driver did something the state did not ask for: a defect, never a person's doing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("the run is over; nothing can be put in")]
    Over,
    #[error("{input} does not answer what is outstanding at {node}: {awaiting}")]
    Unexpected { input: &'static str, node: &'static str, awaiting: String },
    #[error("no call {0} in this run, or not in the state this needs")]
    UnknownCall(ToolCallId),
    #[error("the graph has no edge from {from} for {when}")]
    NoEdge { from: &'static str, when: String },
    #[error("the digest of call {0} is not the approved one")]
    WrongDigest(ToolCallId),
}

/// Takes one input. The last effect is always `Perform` with what is outstanding then.
pub fn step(state: State, input: Input, env: &Env<'_>) -> Result<(State, Vec<Effect>), StepError> {
    if state.outcome.is_some() {
        return Err(StepError::Over);
    }
    let mut machine = Machine { state, env, effects: Vec::new() };
    machine.take(input)?;
    let work = outstanding(&machine.state);
    machine.effects.push(Effect::Perform(work));
    Ok((machine.state, machine.effects))
}

/// What a run in this state waits for; all a worker needs to go on.
pub fn outstanding(state: &State) -> Work {
    match state.node {
        Node::Router => Work::Route,
        Node::EntityLoader => Work::LoadEntities { refresh: state.backflow.entity_refresh == Once::Needed },
        Node::ToolRetriever => Work::Retrieve,
        Node::Specialist => Work::AskModel,
        Node::ToolExecutor => calls_work(&state.calls),
        Node::Verifier => Work::Verify,
        Node::Synthesizer | Node::End => Work::Nothing,
    }
}

/// Checks first, then reads side by side; writes wait until the reads are in, so that they hold nobody up.
fn calls_work(calls: &[Call]) -> Work {
    let ids = |wanted: &dyn Fn(&Call) -> bool| -> Vec<ToolCallId> {
        calls.iter().filter(|call| wanted(call)).map(|call| call.id).collect()
    };
    let proposed = ids(&|call| call.state == CallState::Proposed);
    if !proposed.is_empty() {
        return Work::Check(proposed);
    }
    let reads = ids(&|call| call.state == CallState::Ready && call.read_only);
    if !reads.is_empty() {
        return Work::Read(reads);
    }
    if let Some(id) = ids(&|call| matches!(call.state, CallState::Sending { .. })).first() {
        return Work::Send(*id);
    }
    // Nothing further leaves, and nothing is stopped, before it is known what became of what left.
    for call in calls {
        match call.state {
            CallState::Probing { settles_at: Some(until), looked: true, .. } => {
                return Work::Settle { call: call.id, until };
            }
            CallState::Probing { .. } => return Work::Probe(call.id),
            _ => {}
        }
    }
    if let Some(id) = ids(&|call| matches!(call.state, CallState::Approved { .. })).first() {
        return Work::Send(*id);
    }
    let writes = ids(&|call| call.state == CallState::Ready);
    if !writes.is_empty() {
        return Work::Sketch(writes);
    }
    if calls.iter().any(|call| matches!(call.state, CallState::Waiting { .. })) {
        return Work::AwaitPeople;
    }
    Work::Nothing
}

pub(crate) struct Machine<'a> {
    pub state: State,
    pub env: &'a Env<'a>,
    pub effects: Vec<Effect>,
}

impl Machine<'_> {
    fn take(&mut self, input: Input) -> Result<(), StepError> {
        let awaiting = outstanding(&self.state);
        match (input, awaiting) {
            (Input::CancelRequested, _) => self.cancel(),
            (Input::Resumed { idle_ms }, _) => {
                self.resumed(idle_ms);
                Ok(())
            }
            (Input::DeadlineReached, _) => self.stop(&Stop::Deadline),
            // A panic is a failed step, wherever the run stands.
            (Input::Broke { step }, _) => self.broke(step),
            // What a worker before this one asked is booked wherever the run stands.
            (Input::Unheard(asked), _) => {
                self.spend(asked.usage, asked.model);
                Ok(())
            }
            (Input::Routed { route, thinking, unusable, asked }, Work::Route) => {
                if let Some(asked) = asked {
                    self.spend(asked.usage, asked.model);
                }
                self.routed(*route, thinking, &unusable)
            }
            (Input::EntitiesLoaded { problems }, Work::LoadEntities { .. }) => self.entities_loaded(problems),
            (Input::Retrieved(found), Work::Retrieve) => {
                self.state.tools = found.tools;
                self.enter_specialist(When::ToolsBound)
            }
            (Input::Replied(reply), Work::AskModel) => self.replied(*reply),
            (Input::ModelFailed { stop, asked }, Work::AskModel) => {
                if let Some(asked) = asked {
                    self.spend(asked.usage, asked.model);
                }
                self.stop(&stop)
            }
            (Input::Checked(checked), Work::Check(asked)) => self.checked(checked, &asked),
            (Input::Read(results), Work::Read(asked)) => self.read(results, &asked),
            (Input::Sketched(sketches), Work::Sketch(asked)) => self.sketched(sketches, &asked),
            (Input::Answered(answers), Work::AwaitPeople) => self.answered(answers),
            (Input::Reviewed { id, shown, now, edited }, Work::Send(wanted)) if id == wanted => {
                self.reviewed(id, (&shown, &now), edited.as_deref())
            }
            (Input::Sending(id, baseline), Work::Send(wanted)) if id == wanted => self.sending(id, baseline),
            (Input::Sent(id, outcome), Work::Send(wanted)) if id == wanted => self.sent(id, *outcome),
            (Input::Probed(id, found), Work::Probe(wanted)) if id == wanted => self.probed(id, *found),
            (Input::Settled(id), Work::Settle { call, until }) if id == call && self.env.now >= until => {
                self.settled(id)
            }
            (Input::Verified(verdict), Work::Verify) => self.verified(verdict),
            (other, awaiting) => Err(StepError::Unexpected {
                input: name(&other),
                node: self.state.node.as_str(),
                awaiting: format!("{awaiting:?}"),
            }),
        }
    }

    /// A worker took over. A write that was being sent may or may not have left: look before anything else.
    fn resumed(&mut self, idle_ms: i64) {
        if self.state.waiting_since.is_none() {
            // Only work counts against the deadline; the time without a worker is nobody's. Waiting for people is added by
            // their answer.
            self.state.deadline = self.state.deadline.plus_millis(idle_ms.max(0));
        }
        let mut probing = Vec::new();
        let settles_at = self.settles_at();
        for call in &mut self.state.calls {
            if let CallState::Sending { approval } = call.state {
                call.state = CallState::Probing { approval, settles_at: Some(settles_at), looked: false };
                probing.push((call.id, call.name.clone()));
            }
        }
        for (tool_call_id, tool_name) in probing {
            self.emit(EventBody::ToolExecuting {
                tool_call_id,
                tool_name,
                message: "Interrupted while sending. Checking whether the change went through".into(),
                progress: None,
            });
        }
    }

    pub(crate) fn emit(&mut self, event: EventBody) {
        self.effects.push(Effect::Emit(event));
    }

    pub(crate) fn go(&mut self, when: When) -> Result<(), StepError> {
        let from = self.state.node;
        self.state.node =
            follow(from, when).ok_or_else(|| StepError::NoEdge { from: from.as_str(), when: format!("{when:?}") })?;
        Ok(())
    }

    pub(crate) fn call_mut(&mut self, id: ToolCallId) -> Result<&mut Call, StepError> {
        self.state.calls.iter_mut().find(|call| call.id == id).ok_or(StepError::UnknownCall(id))
    }

    /// The next turn of the model, unless a limit says otherwise.
    pub(crate) fn enter_specialist(&mut self, when: When) -> Result<(), StepError> {
        if let Some(stop) = self.limit_reached() {
            return self.stop(&stop);
        }
        self.go(when)?;
        self.state.iterations += 1;
        let label = if self.state.calls.iter().any(Call::is_settled) { "Reading the results" } else { "Planning" };
        self.emit(EventBody::Status { label: label.into() });
        Ok(())
    }

    fn limit_reached(&self) -> Option<Stop> {
        let (state, limits) = (&self.state, self.env.limits);
        if state.iterations >= limits.iterations {
            return Some(Stop::Iterations(limits.iterations));
        }
        if self.env.now > state.deadline {
            return Some(Stop::Deadline);
        }
        limits.ceiling(&state.spent, 0, 0)
    }

    pub(crate) fn spend(&mut self, usage: Spent, model: String) {
        let spent = &mut self.state.spent;
        spent.input_tokens += usage.input_tokens;
        spent.output_tokens += usage.output_tokens;
        spent.cost_micros += usage.cost_micros;
        spent.estimated |= usage.estimated;
        self.effects.push(Effect::Spend(usage));
        self.emit(EventBody::Usage {
            model,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_micros: usage.cost_micros,
            duration_ms: None,
            estimated: usage.estimated,
        });
    }

    pub(crate) fn finish(&mut self, status: RunStatus, answer: Option<String>) {
        self.state.node = Node::End;
        self.state.outcome = Some(status);
        self.state.draft = None;
        self.emit(EventBody::Done { status });
        self.effects.push(Effect::Finish { status, answer });
    }
}

const fn name(input: &Input) -> &'static str {
    match input {
        Input::Resumed { .. } => "resumed",
        Input::Routed { .. } => "routed",
        Input::EntitiesLoaded { .. } => "entities_loaded",
        Input::Retrieved(_) => "retrieved",
        Input::Replied(_) => "replied",
        Input::ModelFailed { .. } => "model_failed",
        Input::Unheard(_) => "unheard",
        Input::Checked(_) => "checked",
        Input::Read(_) => "read",
        Input::Sketched(_) => "sketched",
        Input::Answered(_) => "answered",
        Input::Reviewed { .. } => "reviewed",
        Input::Sending(..) => "sending",
        Input::Sent(..) => "sent",
        Input::Probed(..) => "probed",
        Input::Settled(_) => "settled",
        Input::Verified(_) => "verified",
        Input::Broke { .. } => "broke",
        Input::CancelRequested => "cancel_requested",
        Input::DeadlineReached => "deadline_reached",
    }
}
