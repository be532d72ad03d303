//! A turn: the run that answers one message of a chat, in seven nodes.

mod answer;
mod broke;
mod call_answer;
mod graph;
mod input;
mod route;
mod seed;
mod settle;
mod specialist;
mod state;

use adagent_contract::{EventBody, RunStatus};
pub(crate) use broke::doing;
use graph::follow;
pub use graph::{EDGES, Edge, Node, When, draw};
pub use input::{Reply, Retrieval, TurnInput, TurnJob, Verdict};
pub use seed::{ForkError, ForkWith, Sent, fork, given_call, override_call};
pub use state::{Backflow, Draft, Failures, Once, Round, Route, Turn};

use crate::{Call, CallInput, Checked, FaultKind, Input, Ledger, Machine, Outstanding, Step, StepError, Stop, Work};

impl Machine for Turn {
    type Input = TurnInput;
    type Job = TurnJob;

    const KIND: &'static str = "turn";
    const VERSION: u32 = 1;

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn place(&self) -> &'static str {
        self.node.as_str()
    }

    fn outstanding(&self) -> Outstanding<TurnJob> {
        let refresh = self.backflow.entity_refresh == Once::Needed;
        match self.node {
            Node::Router => Outstanding::own(TurnJob::Route),
            Node::EntityLoader => Outstanding::own(TurnJob::LoadEntities { refresh }),
            Node::ToolRetriever => Outstanding::own(TurnJob::Retrieve),
            Node::Specialist => Outstanding::own(TurnJob::AskModel),
            Node::ToolExecutor => self.ledger.outstanding(),
            Node::Verifier => Outstanding::own(TurnJob::Verify),
            Node::Synthesizer | Node::End => Outstanding::default(),
        }
    }

    fn take(&mut self, input: Input<TurnInput>, step: &mut Step<'_>) -> Result<(), StepError> {
        Advance { turn: self, step }.take(input)
    }

    fn is_worth_saving(input: &Input<TurnInput>) -> bool {
        match input {
            Input::Call(input) => input.is_worth_saving(),
            Input::Own(TurnInput::Replied(reply)) => !reply.calls.is_empty(),
            Input::Own(TurnInput::Routed { asked, .. }) => asked.is_some(),
            Input::Due | Input::Broke { .. } | Input::ChildEnded(_) | Input::ChildrenWait => true,
            _ => false,
        }
    }

    fn name_of(job: &TurnJob) -> &'static str {
        match job {
            TurnJob::Route => "route",
            TurnJob::LoadEntities { .. } => "load_entities",
            TurnJob::Retrieve => "retrieve",
            TurnJob::AskModel => "ask_model",
            TurnJob::Verify => "verify",
        }
    }
}

/// One step of an open turn.
pub(crate) struct Advance<'a, 'b> {
    pub turn: &'a mut Turn,
    pub step: &'a mut Step<'b>,
}

impl Advance<'_, '_> {
    fn take(&mut self, input: Input<TurnInput>) -> Result<(), StepError> {
        match input {
            Input::CancelRequested => self.cancel(),
            Input::Resumed { idle_ms } => {
                self.turn.ledger.resumed(self.step, idle_ms);
                Ok(())
            }
            Input::DeadlineReached => self.stop(&Stop::Deadline),
            // A panic counts as a failed step, at whatever node the run is.
            Input::Broke { step } => self.broke(step),
            // Record the cost of a question that an earlier worker asked, at whatever node the run is.
            Input::Unheard(asked) => {
                self.turn.ledger.spend(self.step, asked.usage, asked.model);
                Ok(())
            }
            Input::Call(CallInput::Checked(checked)) if self.turn.node == Node::ToolExecutor => self.checked(checked),
            Input::Call(input) if self.turn.node == Node::ToolExecutor => {
                self.turn.ledger.take(input, self.step)?;
                self.settle()
            }
            Input::Due if self.turn.outstanding().until.is_some_and(|until| self.step.now >= until) => {
                self.turn.ledger.due(self.step.now);
                Ok(())
            }
            Input::Own(input) => self.own(input),
            Input::Call(input) => Err(StepError::unexpected(self.turn, input.name())),
            Input::Due => Err(StepError::unexpected(self.turn, "due")),
            Input::ChildEnded(end) if self.turn.node == Node::ToolExecutor => {
                self.turn.ledger.child_ended(self.step, &end)?;
                self.settle()
            }
            Input::ChildEnded(_) => Err(StepError::unexpected(self.turn, "child_ended")),
            Input::ChildrenWait => {
                self.turn.ledger.children_wait(self.step);
                Ok(())
            }
        }
    }

    fn own(&mut self, input: TurnInput) -> Result<(), StepError> {
        let awaited = match self.turn.outstanding().now.pop() {
            Some(Work::Own(job)) => Some(job),
            _ => None,
        };
        match (input, awaited) {
            (TurnInput::Routed { route, thinking, unusable, asked }, Some(TurnJob::Route)) => {
                if let Some(asked) = asked {
                    self.turn.ledger.spend(self.step, asked.usage, asked.model);
                }
                self.routed(*route, thinking, &unusable)
            }
            (TurnInput::EntitiesLoaded { problems }, Some(TurnJob::LoadEntities { .. })) => {
                self.entities_loaded(problems)
            }
            (TurnInput::Retrieved(found), Some(TurnJob::Retrieve)) => {
                self.turn.tools = found.tools;
                self.enter_specialist(When::ToolsBound)
            }
            (TurnInput::Replied(reply), Some(TurnJob::AskModel)) => self.replied(*reply),
            (TurnInput::ModelFailed { stop, asked }, Some(TurnJob::AskModel)) => {
                if let Some(asked) = asked {
                    self.turn.ledger.spend(self.step, asked.usage, asked.model);
                }
                self.stop(&stop)
            }
            (TurnInput::Verified(verdict), Some(TurnJob::Verify)) => self.verified(verdict),
            (other, _) => Err(StepError::unexpected(self.turn, other.name())),
        }
    }

    /// Takes the results of the checks. An unknown name may be newer than our cache, so we look it up once more before we tell the model
    /// that it does not exist.
    fn checked(&mut self, checked: Vec<Checked>) -> Result<(), StepError> {
        let ungrounded = checked.iter().any(|(_, r)| matches!(r, Err(fault) if fault.kind == FaultKind::Ungrounded));
        if ungrounded && self.turn.backflow.entity_refresh == Once::NotYet {
            self.turn.ledger.answers_all(&checked)?;
            self.turn.backflow.entity_refresh = Once::Needed;
            return self.go(When::NeedsEntityRefresh);
        }
        self.turn.ledger.take(CallInput::Checked(checked), self.step)?;
        self.settle()
    }

    /// Stops the run at a safe point: sends nothing that still waits. If a write is on its way, the run finds out its outcome first.
    fn cancel(&mut self) -> Result<(), StepError> {
        if self.turn.ledger.is_sending() {
            return Ok(());
        }
        self.turn.ledger.close(self.step, "The run was stopped.")?;
        self.finish(RunStatus::Cancelled, None);
        Ok(())
    }

    pub(crate) fn go(&mut self, when: When) -> Result<(), StepError> {
        let from = self.turn.node;
        self.turn.node =
            follow(from, when).ok_or_else(|| StepError::NoEdge { from: from.as_str(), when: format!("{when:?}") })?;
        Ok(())
    }

    /// Begins the next round of the model, unless the run has reached a limit.
    pub(crate) fn enter_specialist(&mut self, when: When) -> Result<(), StepError> {
        if let Some(stop) = self.limit_reached() {
            return self.stop(&stop);
        }
        self.go(when)?;
        self.turn.iterations += 1;
        let label =
            if self.turn.ledger.calls.iter().any(Call::is_settled) { "Reading the results" } else { "Planning" };
        self.step.emit(EventBody::Status { label: label.into() });
        Ok(())
    }

    fn limit_reached(&self) -> Option<Stop> {
        let most = self.turn.ledger.limits.iterations;
        if self.turn.iterations >= most {
            return Some(Stop::Iterations(most));
        }
        self.turn.ledger.limit_reached(self.step.now)
    }

    pub(crate) fn finish(&mut self, status: RunStatus, answer: Option<String>) {
        self.turn.node = Node::End;
        self.turn.draft = None;
        self.turn.ledger.finish(self.step, status, answer);
    }
}
