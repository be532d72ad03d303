//! Calls that ask another agent. Each begins a run, and that run's answer is the result of the call.
//!
//! A call must never fail because that run failed: how the run ended is the result.

use adagent_contract::{ASK_AGENT, Artifact, Delegation, EventBody, RunStatus};
use adagent_domain::{MessageId, RunId, Source, ToolCallId};
use serde_json::json;

use super::{
    Call, CallState, Ledger, Success,
    act::{complete, in_order},
};
use crate::{AgentTask, CallRow, Child, ChildEnd, ChildWork, Effect, Fault, Step, StepError};

impl Call {
    /// Checks whether the call asks another agent.
    pub fn asks_agent(&self) -> bool {
        self.source == Source::Native && self.name == ASK_AGENT
    }
}

impl Ledger {
    pub(crate) fn begun(
        &mut self,
        step: &mut Step<'_>,
        begun: Vec<(ToolCallId, Result<Box<AgentTask>, Fault>)>,
        wanted: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(wanted, begun.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(wanted, begun) {
            match outcome {
                Ok(asked) => self.begin(step, id, asked)?,
                Err(fault) => self.fail(step, id, fault),
            }
        }
        Ok(())
    }

    fn begin(&mut self, step: &mut Step<'_>, id: ToolCallId, asked: Box<AgentTask>) -> Result<(), StepError> {
        let (run, message) = (RunId::new(step.ids), MessageId::new(step.ids));
        let agent = asked.mark.clone();
        let call = self.call_mut(id)?;
        call.state = CallState::Child { run, agent: agent.clone() };
        let tool_name = call.name.clone();
        let label = format!("@{} works on it", agent.handle);
        step.emit(EventBody::ToolExecuting { tool_call_id: id, tool_name, message: label, progress: None });
        step.emit(EventBody::Delegated { tool_call_id: id, to: Delegation { task_run_id: run, agent } });
        let does = ChildWork::Turn { message, asked };
        step.effects.push(Effect::Begin(Box::new(Child { run, path: id.to_string(), does })));
        Ok(())
    }

    /// Returns the runs that calls wait for.
    pub(crate) fn children(&self) -> Vec<RunId> {
        let run = |call: &Call| if let CallState::Child { run, .. } = call.state { Some(run) } else { None };
        self.calls.iter().filter_map(run).collect()
    }

    pub fn child_ended(&mut self, step: &mut Step<'_>, end: &ChildEnd) -> Result<(), StepError> {
        let asked = self.calls.iter().find_map(|call| match &call.state {
            CallState::Child { run, agent } if *run == end.run => Some((call.id, agent.clone())),
            _ => None,
        });
        let Some((id, agent)) = asked else {
            return Err(StepError::Unexpected {
                input: "child_ended".into(),
                place: "calls".into(),
                awaiting: format!("{:?}", self.waits()),
            });
        };
        self.wake(step);
        self.delegated = self.delegated.plus(end.spent);
        let summary = match end.status {
            RunStatus::Completed => format!("@{} answered", agent.handle),
            RunStatus::Cancelled => format!("@{} was stopped", agent.handle),
            _ => format!("@{} could not finish", agent.handle),
        };
        let artifact: Option<Artifact> = end.artifacts.first().cloned();
        let result = json!({
            "kind": "answer",
            "agent": agent.handle,
            "run_id": end.run,
            "status": end.status,
            "answer": end.answer,
            "method": end.method,
            "follow_ups": end.follow_ups,
            "artifacts": end.artifacts,
        });
        let success = Success { result, summary, artifact, cached: false, duration_ms: 0 };
        self.succeed(step, id, success, &[CallRow::Prepared])
    }

    /// Notes that the run waits until a person answers what the agents below it ask.
    pub fn children_wait(&mut self, step: &mut Step<'_>) {
        if self.waiting_since.is_none() {
            self.waiting_since = Some(step.now);
            step.effects.push(Effect::Status(RunStatus::AwaitingApproval));
            step.emit(EventBody::AgentsWait);
        }
    }

    /// Lets the run continue after it waited for people, whose time does not count as work.
    pub(crate) fn wake(&mut self, step: &mut Step<'_>) {
        if let Some(since) = self.waiting_since.take() {
            self.deadline = self.deadline.plus_millis(step.now.millis_since(since).max(0));
            step.effects.push(Effect::Status(RunStatus::Running));
        }
    }
}
