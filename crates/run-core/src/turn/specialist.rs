//! Specialist: what the model wrote, and which calls it proposes.

use adagent_contract::EventBody;

use super::Advance;
use crate::{Call, CallState, Denial, Draft, Fault, FaultKind, Proposed, Reply, Round, StepError, When};

impl Advance<'_, '_> {
    pub(crate) fn replied(&mut self, reply: Reply) -> Result<(), StepError> {
        self.turn.ledger.spend(self.step, reply.usage, reply.model.clone());
        let planned = reply.plan.is_some();
        // An answer may come with the plan too: it says why steps without a call made no change.
        if let Some(plan) = reply.plan
            && self.turn.plan.as_ref() != Some(&plan)
        {
            self.step.emit(EventBody::Plan { plan: plan.clone() });
            self.turn.plan = Some(plan);
        }
        if reply.calls.is_empty() {
            let draft = Draft {
                text: reply.text,
                artifacts: reply.artifacts,
                method: reply.method,
                covers: reply.covers,
                follow_ups: reply.follow_ups,
                streamed: reply.streamed,
                model: reply.model,
            };
            return self.drafted(draft);
        }
        if !reply.text.trim().is_empty() {
            self.step.emit(EventBody::Thinking { content: reply.text.clone() });
        }
        let mut ids = Vec::with_capacity(reply.calls.len());
        for (index, proposed) in reply.calls.into_iter().enumerate() {
            ids.push(proposed.id);
            let refused = self.refuse(&proposed, index);
            self.turn.ledger.propose(self.step, proposed, refused);
        }
        self.turn.rounds.push(Round::Assistant { text: reply.text, calls: ids });
        if planned {
            self.put_in_order()?;
        }
        self.go(When::CallsProposed)?;
        self.settle()
    }

    /// Puts each change of the plan after the one before it.
    fn put_in_order(&mut self) -> Result<(), StepError> {
        let steps = self.turn.plan.iter().flat_map(|plan| &plan.steps).filter_map(|step| step.tool_call_id);
        let mut changes: Vec<_> = Vec::new();
        for id in steps.filter(|id| self.turn.call(*id).is_some_and(|call| !call.read_only)) {
            if !changes.contains(&id) {
                changes.push(id);
            }
        }
        for pair in changes.windows(2) {
            self.turn.ledger.put_after(pair[1], pair[0])?;
        }
        Ok(())
    }

    /// Refuses a repeated call and a call beyond the limit per round. The model gets the reason, and the call is not made.
    fn refuse(&mut self, proposed: &Proposed, index: usize) -> Option<Fault> {
        if index >= self.turn.ledger.limits.calls_per_turn {
            let message = format!("More than {} calls in one turn.", self.turn.ledger.limits.calls_per_turn);
            return Some(
                Fault::new(FaultKind::Deterministic, "TOO_MANY_CALLS", message)
                    .with_guidance("Make fewer calls per turn."),
            );
        }
        let same = |call: &&Call| {
            call.name == proposed.name && (call.digest == proposed.digest || call.may_have_sent(&proposed.digest))
        };
        // One attempt that must not be repeated is enough, whatever the outcome of the others.
        let may_repeat = |call: &Call| match &call.state {
            _ if call.may_have_sent(&proposed.digest) => false,
            // A call that we refused as a repeat was never made.
            CallState::Failed { fault } => fault.kind.is_retryable() || fault.kind == FaultKind::Duplicate,
            _ => false,
        };
        let earlier = self.turn.ledger.calls.iter().filter(same).find(|call| !may_repeat(call))?;
        let unknown = |why: &str| format!("We don't know whether this exact change went through: {why}");
        let message = match &earlier.state {
            CallState::Unknown { why, .. } => unknown(why),
            state
                if earlier.digest != proposed.digest
                    || matches!(state, CallState::Failed { .. }) && earlier.uncertain =>
            {
                unknown(&earlier.earlier().unwrap_or_default())
            }
            CallState::Succeeded => "This exact request was already made. Its result is in an earlier step.".to_owned(),
            CallState::Denied { reason, cause: Denial::Declined } => {
                format!("This exact change was already declined: {reason}")
            }
            CallState::Denied { reason, .. } => {
                format!("This exact change was already proposed, and not sent: {reason}")
            }
            CallState::Failed { fault } => format!("This exact call already failed: {}", fault.message),
            _ => "This exact request is already in progress.".to_owned(),
        };
        Some(
            Fault::new(FaultKind::Duplicate, "DUPLICATE_CALL", message)
                .with_guidance("Use what is known, or change the arguments."),
        )
    }
}
