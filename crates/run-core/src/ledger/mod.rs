//! What every kind of run keeps: its calls and their outcomes, what it spent, and how long it may work.
//!
//! The ledger decides everything about a call, in the same way for every kind of run. It has each call checked, then read or put to a
//! person. It sends a write once, and finds out whether the write took effect. The machine decides what follows from that.

mod act;
mod ask;
mod call;
mod children;
mod input;
mod need;
mod order;
mod probe;
mod review;

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{ApprovalId, Network, RunId, Timestamp, ToolCallId};
pub(crate) use ask::DECLINED;
pub use call::{Call, CallState, Denial, Doubt};
pub use input::{Answer, CallInput, CallWork, Checked, Found, Proposed, Sketched, Stakes, Success};
pub(crate) use need::{CONNECT_ANY, what_to_do};
pub use need::{Unusable, UnusableWhy};
pub use review::drift;
use serde::{Deserialize, Serialize};

use crate::{Effect, Limits, Outstanding, Spent, Step, StepError, Stop, Work};

/// What every kind of run keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The page that the cards of needed actions link back to.
    pub page: String,
    /// The limits at the time the run began. If a server gets other limits later, they do not change this run.
    pub limits: Limits,
    pub started_at: Timestamp,
    pub deadline: Timestamp,
    #[serde(default)]
    pub spent: Spent,
    /// The spending of the runs that it began.
    #[serde(default)]
    pub delegated: Spent,
    /// Rows of all reports that the run has read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u64,
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Networks that we already asked a person to connect or enable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Network>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Steps in which our own code broke. If it breaks in one of them again, the run ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broke: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunStatus>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

/// What the calls of a run wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waits {
    Work(CallWork),
    /// Waits until this time, because a write may still take effect that no look has found yet. The run holds no worker meanwhile.
    Until(Timestamp),
    /// People's answers, the ends of runs that this one began, or both.
    Others {
        people: bool,
        children: Vec<RunId>,
    },
    Nothing,
}

impl Ledger {
    pub fn new(page: String, limits: Limits, now: Timestamp) -> Self {
        Self {
            page,
            started_at: now,
            deadline: now.plus_millis(limits.deadline_ms),
            limits,
            spent: Spent::default(),
            delegated: Spent::default(),
            rows: 0,
            calls: Vec::new(),
            actions: Vec::new(),
            waiting_since: None,
            broke: Vec::new(),
            outcome: None,
        }
    }

    /// Returns what the calls wait for: nothing once all of them are settled.
    pub fn outstanding<J>(&self) -> Outstanding<J> {
        match self.waits() {
            Waits::Work(work) => Outstanding { now: vec![Work::Calls(work)], ..Outstanding::default() },
            Waits::Until(until) => Outstanding { until: Some(until), ..Outstanding::default() },
            Waits::Others { people, children } => Outstanding { people, children, ..Outstanding::default() },
            Waits::Nothing => Outstanding::default(),
        }
    }

    /// Returns what the calls wait for. Checks come first, then reads at the same time. Writes wait until the reads are done, so that
    /// approvals do not delay a read.
    pub(crate) fn waits(&self) -> Waits {
        let ids = |wanted: &dyn Fn(&Call) -> bool| -> Vec<ToolCallId> {
            self.calls.iter().filter(|call| wanted(call)).map(|call| call.id).collect()
        };
        let proposed = ids(&|call| call.state == CallState::Proposed);
        if !proposed.is_empty() {
            return Waits::Work(CallWork::Check(proposed));
        }
        // Ask agents before the reads, so that they work while this run reads.
        let asks = ids(&|call| call.state == CallState::Ready && call.asks_agent());
        if !asks.is_empty() {
            return Waits::Work(CallWork::Begin(asks));
        }
        let reads = ids(&|call| call.state == CallState::Ready && call.read_only);
        if !reads.is_empty() {
            return Waits::Work(CallWork::Read(reads));
        }
        if let Some(id) = ids(&|call| matches!(call.state, CallState::Sending { .. })).first() {
            return Waits::Work(CallWork::Send(*id));
        }
        // While the outcome of a sent change is unknown, the run sends nothing else and does not stop.
        for call in &self.calls {
            match call.state {
                CallState::Probing { settles_at: Some(until), looked: true, .. } => return Waits::Until(until),
                CallState::Probing { .. } => return Waits::Work(CallWork::Probe(call.id)),
                _ => {}
            }
        }
        let free = |call: &Call| matches!(call.state, CallState::Approved { .. }) && !self.is_held(call);
        if let Some(id) = ids(&free).first() {
            return Waits::Work(CallWork::Send(*id));
        }
        let writes = ids(&|call| call.state == CallState::Ready);
        if !writes.is_empty() {
            return Waits::Work(CallWork::Sketch(writes));
        }
        let people = self.waiting_approvals().next().is_some();
        let children = self.children();
        if people || !children.is_empty() { Waits::Others { people, children } } else { Waits::Nothing }
    }

    /// Records what happened to calls.
    pub fn take(&mut self, input: CallInput, step: &mut Step<'_>) -> Result<(), StepError> {
        let waits = self.waits();
        match (input, waits) {
            (CallInput::Checked(checked), Waits::Work(CallWork::Check(asked))) => self.checked(step, checked, &asked),
            (CallInput::Read(results), Waits::Work(CallWork::Read(asked))) => self.read(step, results, &asked),
            (CallInput::Sketched(sketches), Waits::Work(CallWork::Sketch(asked))) => {
                self.sketched(step, sketches, &asked)
            }
            (CallInput::Begun(begun), Waits::Work(CallWork::Begin(asked))) => self.begun(step, begun, &asked),
            (CallInput::Answered(answers), Waits::Others { people: true, .. }) => self.answered(step, answers),
            (CallInput::Reviewed { id, shown, now, edited }, Waits::Work(CallWork::Send(wanted))) if id == wanted => {
                self.reviewed(step, id, (&shown, &now), edited.as_deref())
            }
            (CallInput::Sending(id, baseline), Waits::Work(CallWork::Send(wanted))) if id == wanted => {
                self.sending(step, id, baseline)
            }
            (CallInput::Sent(id, outcome), Waits::Work(CallWork::Send(wanted))) if id == wanted => {
                self.sent(step, id, *outcome)
            }
            (CallInput::Probed(id, found), Waits::Work(CallWork::Probe(wanted))) if id == wanted => {
                self.probed(step, id, *found)
            }
            (other, waits) => Err(StepError::Unexpected {
                input: other.name().into(),
                place: "calls".into(),
                awaiting: format!("{waits:?}"),
            }),
        }
    }

    /// Checks whether all calls are settled. If only people can move them on, shows that in the run's row.
    pub fn is_settled(&mut self, step: &mut Step<'_>) -> bool {
        if self.calls.iter().all(Call::is_settled) {
            return true;
        }
        if matches!(self.waits(), Waits::Others { people: true, .. }) && self.waiting_since.is_none() {
            self.waiting_since = Some(step.now);
            step.effects.push(Effect::Status(RunStatus::AwaitingApproval));
        }
        false
    }

    /// Notes that a new worker took over. A write that was being sent may have left, so the run looks at the network before anything else.
    pub fn resumed(&mut self, step: &mut Step<'_>, idle_ms: i64) {
        if self.waiting_since.is_none() {
            // Only work counts against the deadline. Nobody worked without a worker, so add that time. A person's answer adds the time that
            // the run waited for it.
            self.deadline = self.deadline.plus_millis(idle_ms.max(0));
        }
        let settles_at = self.settles_at(step.now);
        for call in &mut self.calls {
            if let CallState::Sending { approval } = call.state {
                call.state = CallState::Probing { approval, settles_at: Some(settles_at), looked: false };
                step.emit(EventBody::ToolExecuting {
                    tool_call_id: call.id,
                    tool_name: call.name.clone(),
                    message: "Interrupted while sending. Checking whether the change went through".into(),
                    progress: None,
                });
            }
        }
    }

    /// Checks whether a write is on its way or its outcome is not known yet. The run never abandons such a write.
    pub fn is_sending(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.state, CallState::Sending { .. } | CallState::Probing { .. }))
    }

    /// Records the cost of a question to a model.
    pub fn spend(&mut self, step: &mut Step<'_>, usage: Spent, model: String) {
        let spent = &mut self.spent;
        spent.input_tokens += usage.input_tokens;
        spent.output_tokens += usage.output_tokens;
        spent.cost_micros += usage.cost_micros;
        spent.estimated |= usage.estimated;
        step.effects.push(Effect::Spend(usage));
        step.emit(EventBody::Usage {
            model,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_micros: usage.cost_micros,
            duration_ms: None,
            estimated: usage.estimated,
        });
    }

    /// Returns the limit that the run has reached.
    pub fn limit_reached(&self, now: Timestamp) -> Option<Stop> {
        if now > self.deadline { Some(Stop::Deadline) } else { self.limits.ceiling(&self.used(), 0, 0) }
    }

    /// Returns what the limits count: the run's own spending and that of the runs it began.
    pub const fn used(&self) -> Spent {
        self.spent.plus(self.delegated)
    }

    /// Notes that our code broke in this step. The state keeps this, so that a later worker knows about it. Returns a stop the second time.
    pub fn broke(&mut self, step_name: String) -> Option<Stop> {
        if self.broke.contains(&step_name) {
            return Some(Stop::Broke { step: step_name });
        }
        self.broke.push(step_name);
        None
    }

    /// Ends the run.
    pub fn finish(&mut self, step: &mut Step<'_>, status: RunStatus, answer: Option<String>) {
        self.outcome = Some(status);
        step.emit(EventBody::Done { status });
        step.effects.push(Effect::Finish { status, answer });
    }

    pub fn call(&self, id: ToolCallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == id)
    }

    pub(crate) fn call_mut(&mut self, id: ToolCallId) -> Result<&mut Call, StepError> {
        self.calls.iter_mut().find(|call| call.id == id).ok_or(StepError::UnknownCall(id))
    }

    /// Returns the approvals that wait for a person's answer.
    pub fn waiting_approvals(&self) -> impl Iterator<Item = (ApprovalId, &Call)> {
        self.calls.iter().filter_map(|call| match call.state {
            CallState::Waiting { approval } => Some((approval, call)),
            _ => None,
        })
    }
}
