//! What every kind of run keeps: its calls and what became of them, what it spent, how long it may work.
//!
//! Everything about a call is decided here, for every kind of run alike: it is checked, read, or put to a person; it leaves
//! once; what became of it is found out. What follows from that is the machine's own.

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
    /// The page that what people are asked to do leads back to.
    pub page: String,
    /// As they were when the run began: a server with other limits does not change it.
    pub limits: Limits,
    pub started_at: Timestamp,
    pub deadline: Timestamp,
    #[serde(default)]
    pub spent: Spent,
    /// What the runs spent that it began.
    #[serde(default)]
    pub delegated: Spent,
    /// Rows of the reports that were read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u64,
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Networks for which a person was already asked to act.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Network>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Steps in which the desk itself broke; a second time in one of them ends the run.
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
    /// Until then a write may still take effect that was not there yet; nothing is held meanwhile.
    Until(Timestamp),
    /// Answers of people, the ends of runs that this one began, or both.
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

    /// What the calls wait for; nothing when all of them are settled.
    pub fn outstanding<J>(&self) -> Outstanding<J> {
        match self.waits() {
            Waits::Work(work) => Outstanding { now: vec![Work::Calls(work)], ..Outstanding::default() },
            Waits::Until(until) => Outstanding { until: Some(until), ..Outstanding::default() },
            Waits::Others { people, children } => Outstanding { people, children, ..Outstanding::default() },
            Waits::Nothing => Outstanding::default(),
        }
    }

    /// Checks first, then reads side by side; writes wait until the reads are in, so that they hold nobody up.
    pub(crate) fn waits(&self) -> Waits {
        let ids = |wanted: &dyn Fn(&Call) -> bool| -> Vec<ToolCallId> {
            self.calls.iter().filter(|call| wanted(call)).map(|call| call.id).collect()
        };
        let proposed = ids(&|call| call.state == CallState::Proposed);
        if !proposed.is_empty() {
            return Waits::Work(CallWork::Check(proposed));
        }
        // First of all, so that the others work while this run reads.
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

    /// Takes in what happened to calls.
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

    /// Whether all calls are settled. When only people can move them on, the run's row says so.
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

    /// A worker took over. A write that was being sent may or may not have left: look before anything else.
    pub fn resumed(&mut self, step: &mut Step<'_>, idle_ms: i64) {
        if self.waiting_since.is_none() {
            // Only work counts against the deadline; the time without a worker is nobody's. Waiting for people is added by
            // their answer.
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

    /// Whether a write is on its way out, or nobody knows yet what became of it: it is never abandoned.
    pub fn is_sending(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.state, CallState::Sending { .. } | CallState::Probing { .. }))
    }

    /// Books what asking a model cost.
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

    /// The ceiling that the run has reached.
    pub fn limit_reached(&self, now: Timestamp) -> Option<Stop> {
        if now > self.deadline { Some(Stop::Deadline) } else { self.limits.ceiling(&self.used(), 0, 0) }
    }

    /// What the ceilings count: the run's own spending, and that of the runs it began.
    pub const fn used(&self) -> Spent {
        self.spent.plus(self.delegated)
    }

    /// The desk broke in this step. Counted in the state, so that the next worker knows of the first time.
    pub fn broke(&mut self, step_name: String) -> Option<Stop> {
        if self.broke.contains(&step_name) {
            return Some(Stop::Broke { step: step_name });
        }
        self.broke.push(step_name);
        None
    }

    /// Nothing more will happen.
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

    /// Approvals a person has still to answer.
    pub fn waiting_approvals(&self) -> impl Iterator<Item = (ApprovalId, &Call)> {
        self.calls.iter().filter_map(|call| match call.state {
            CallState::Waiting { approval } => Some((approval, call)),
            _ => None,
        })
    }
}
