//! Specialist and tool executor: the model's proposals, their checks, the reads, the writes on their way out.

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{ApprovalId, Network, ToolCallId};

use crate::{
    Call, CallMark, CallRow, CallState, Checked, Denial, Draft, Effect, Failures, Fault, FaultKind, Once, Proposed,
    Reply, StepError, Stop, Success, Turn, UnusableWhy, When, Work,
    machine::{Machine, outstanding},
};

impl Machine<'_> {
    pub(crate) fn replied(&mut self, reply: Reply) -> Result<(), StepError> {
        self.spend(reply.usage, reply.model.clone());
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
            self.emit(EventBody::Thinking { content: reply.text.clone() });
        }
        let mut ids = Vec::with_capacity(reply.calls.len());
        for (index, proposed) in reply.calls.into_iter().enumerate() {
            ids.push(proposed.id);
            self.propose(proposed, index);
        }
        self.state.turns.push(Turn::Assistant { text: reply.text, calls: ids });
        self.go(When::CallsProposed)?;
        self.settle()
    }

    fn propose(&mut self, proposed: Proposed, index: usize) {
        let refused = self.refuse(&proposed, index);
        let Some((network, read_only)) = proposed.tool else {
            let fault = Fault::new(
                FaultKind::UnknownTool,
                "UNKNOWN_TOOL",
                format!("There is no tool named {:?}.", proposed.name),
            )
            .with_guidance("Use one of the tools listed.");
            self.emit(EventBody::Thinking { content: fault.message.clone() });
            // Without a network there is no step to draw; the model is told all the same.
            self.state.calls.push(Call {
                id: proposed.id,
                name: proposed.name,
                network: Network::AdMob,
                read_only: true,
                digest: proposed.digest,
                state: CallState::Failed { fault },
                summary: None,
                found: None,
                uncertain: false,
                doubt: None,
                baseline: None,
                instead_of: None,
                given: false,
            });
            return;
        };
        self.emit(EventBody::Tool {
            tool_call_id: proposed.id,
            name: proposed.name.clone(),
            network,
            params: proposed.args.clone(),
            read_only,
            approved: None,
        });
        self.effects.push(Effect::InsertCall {
            id: proposed.id,
            name: proposed.name.clone(),
            args: proposed.args,
            digest: proposed.digest.clone(),
            read_only,
        });
        let id = proposed.id;
        self.state.calls.push(Call {
            id,
            name: proposed.name,
            network,
            read_only,
            digest: proposed.digest,
            state: CallState::Proposed,
            summary: None,
            found: None,
            uncertain: false,
            doubt: None,
            baseline: None,
            instead_of: None,
            given: false,
        });
        if let Some(fault) = refused {
            self.fail(id, fault);
        }
    }

    /// The same call twice, or one too many, or one that is not bound: told to the model, never made.
    fn refuse(&mut self, proposed: &Proposed, index: usize) -> Option<Fault> {
        if index >= self.env.limits.calls_per_turn {
            let message = format!("More than {} calls in one turn.", self.env.limits.calls_per_turn);
            return Some(
                Fault::new(FaultKind::Deterministic, "TOO_MANY_CALLS", message)
                    .with_guidance("Make fewer calls per turn."),
            );
        }
        let same = |call: &&Call| {
            call.name == proposed.name && (call.digest == proposed.digest || call.may_have_sent(&proposed.digest))
        };
        // Whatever came of the other attempts, one that may not be repeated is enough.
        let may_repeat = |call: &Call| match &call.state {
            _ if call.may_have_sent(&proposed.digest) => false,
            // What was refused as a repeat was never made.
            CallState::Failed { fault } => fault.kind.is_retryable() || fault.kind == FaultKind::Duplicate,
            _ => false,
        };
        let earlier = self.state.calls.iter().filter(same).find(|call| !may_repeat(call))?;
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

    pub(crate) fn checked(&mut self, checked: Vec<Checked>, asked: &[ToolCallId]) -> Result<(), StepError> {
        complete(asked, checked.iter().map(|(id, _)| *id))?;
        let ungrounded = checked.iter().any(|(_, r)| matches!(r, Err(fault) if fault.kind == FaultKind::Ungrounded));
        if ungrounded && self.state.backflow.entity_refresh == Once::NotYet {
            // It may be newer than what is cached: look once more before the model is told that it does not exist.
            self.state.backflow.entity_refresh = Once::Needed;
            return self.go(When::NeedsEntityRefresh);
        }
        for (id, outcome) in in_order(asked, checked) {
            match outcome {
                Ok(()) => {
                    let call = self.call_mut(id)?;
                    call.state = CallState::Ready;
                    if call.read_only {
                        let (tool_name, network) = (call.name.clone(), call.network);
                        self.emit(EventBody::ToolExecuting {
                            tool_call_id: id,
                            tool_name,
                            message: format!("Asking {}", network.display_name()),
                            progress: None,
                        });
                    }
                }
                Err(fault) => self.fail(id, fault),
            }
        }
        self.settle()
    }

    pub(crate) fn read(
        &mut self,
        results: Vec<(ToolCallId, Result<Success, Fault>)>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, results.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, results) {
            match outcome.and_then(|success| self.hold(success)) {
                Ok(success) => self.succeed(id, success, &[CallRow::Prepared])?,
                Err(fault) => self.fail(id, fault),
            }
        }
        self.settle()
    }

    /// A report that the run can hold beside those it read; what is too much is not kept.
    fn hold(&mut self, success: Success) -> Result<Success, Fault> {
        let rows = success.result["rows"].as_array().map_or(0, |rows| rows.len() as u64);
        let (all, most) = (self.state.rows.saturating_add(rows), self.env.limits.rows);
        if all > most {
            let message = format!(
                "This report has {rows} rows. Together with the other reports, that's over the limit of {most} for one answer."
            );
            let fault = Fault::new(FaultKind::Deterministic, "TOO_MANY_ROWS", message);
            return Err(fault.with_guidance("Ask for fewer days, or for fewer dimensions."));
        }
        self.state.rows = all;
        Ok(success)
    }

    /// Committed before the request leaves.
    pub(crate) fn sending(&mut self, id: ToolCallId, baseline: Option<serde_json::Value>) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let CallState::Approved { approval } = call.state else {
            return Err(StepError::UnknownCall(id));
        };
        call.state = CallState::Sending { approval };
        call.baseline = baseline;
        let (tool_name, network) = (call.name.clone(), call.network);
        self.effects.push(Effect::MoveCall { id, from: &[CallRow::Approved], to: CallMark::Sending, result: None });
        self.emit(EventBody::ToolExecuting {
            tool_call_id: id,
            tool_name,
            message: format!("Sending the change to {}", network.display_name()),
            progress: None,
        });
        Ok(())
    }

    pub(crate) fn sent(&mut self, id: ToolCallId, outcome: Result<Success, Fault>) -> Result<(), StepError> {
        let approval = self.sending_approval(id)?;
        match outcome {
            Ok(success) => self.succeed(id, success, &[CallRow::Sending])?,
            Err(fault) if fault.kind == FaultKind::UnknownOutcome => {
                let settles_at = self.settles_at();
                let call = self.call_mut(id)?;
                call.state = CallState::Probing { approval, settles_at: Some(settles_at), looked: false };
                let tool_name = call.name.clone();
                self.emit(EventBody::ToolExecuting {
                    tool_call_id: id,
                    tool_name,
                    message: "No clear reply. Checking whether the change went through".into(),
                    progress: None,
                });
            }
            Err(fault) => self.fail(id, fault),
        }
        self.settle()
    }

    fn sending_approval(&self, id: ToolCallId) -> Result<ApprovalId, StepError> {
        match self.state.call(id).map(|call| &call.state) {
            Some(CallState::Sending { approval }) => Ok(*approval),
            _ => Err(StepError::UnknownCall(id)),
        }
    }

    pub(crate) fn succeed(
        &mut self,
        id: ToolCallId,
        success: Success,
        from: &'static [CallRow],
    ) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let mut summary = success.summary;
        if call.uncertain {
            summary = format!(
                "{summary}. An earlier attempt may have gone through too, so this change may have been made twice. Check the network."
            );
        }
        call.state = CallState::Succeeded;
        call.summary = Some(summary.clone());
        call.uncertain = false;
        // A read's result is stored once, in its event; a write's also in its row, for the record of what the network said.
        let kept = (!call.read_only).then(|| success.result.clone());
        let name = call.name.clone();
        self.effects.push(Effect::MoveCall { id, from, to: CallMark::Succeeded, result: kept });
        self.emit(EventBody::ToolResult {
            tool_call_id: id,
            name,
            ok: true,
            summary,
            result: success.result,
            artifact: success.artifact,
            duration_ms: success.duration_ms,
            cached: success.cached,
        });
        Ok(())
    }

    /// What may have taken effect at an earlier attempt is not known, whatever this one met; never failed.
    pub(crate) fn fail(&mut self, id: ToolCallId, fault: Fault) {
        let (kind, why) = (fault.kind, UnusableWhy::of(fault.kind));
        let Ok(call) = self.call_mut(id) else { return };
        let (name, network, read_only) = (call.name.clone(), call.network, call.read_only);
        let doubt = call.doubt().map(str::to_owned);
        let fault = match &doubt {
            Some(doubt) => Fault {
                message: format!("{doubt} The next attempt failed: {}", fault.message),
                guidance: None,
                ..fault
            },
            None => fault,
        };
        let (result, summary) = (fault.to_json(), fault.message.clone());
        let forbidden = kind == FaultKind::OutOfContext && !read_only && doubt.is_none();
        let (state, to) = match doubt {
            Some(_) => (CallState::Unknown { why: summary.clone(), met: Some(kind) }, CallMark::Unknown),
            None => (CallState::Failed { fault }, CallMark::Failed),
        };
        call.state = state;
        self.effects.push(Effect::MoveCall {
            id,
            from: &[CallRow::Prepared, CallRow::Approved, CallRow::Sending],
            to,
            result: Some(result.clone()),
        });
        if forbidden {
            self.emit(EventBody::ToolDenied { tool_call_id: id, tool_name: name, reason: summary });
        } else {
            self.emit(EventBody::ToolResult {
                tool_call_id: id,
                name,
                ok: false,
                summary,
                result,
                artifact: None,
                duration_ms: 0,
                cached: false,
            });
        }
        if let Some(why) = why {
            self.ask_to_act(network, why);
        }
    }

    /// When every call of the turn is settled: the stop policy, then back to the model with the results.
    pub(crate) fn settle(&mut self) -> Result<(), StepError> {
        if !self.state.calls.iter().all(Call::is_settled) {
            if outstanding(&self.state) == Work::AwaitPeople && self.state.waiting_since.is_none() {
                self.state.waiting_since = Some(self.env.now);
                self.effects.push(Effect::Status(RunStatus::AwaitingApproval));
            }
            return Ok(());
        }
        self.go(When::CallsSettled)?;
        if let Some((network, why, change)) = self.lost_network() {
            return self.say_lost(network, why, change);
        }
        if self.is_given() {
            return self.tell_given();
        }
        let (mut retryable, mut deterministic) = (None, None);
        for fault in self.last_faults() {
            if fault.kind.is_retryable() {
                retryable = Some(fault.message.clone());
            } else {
                deterministic = Some(fault.message.clone());
            }
        }
        let failures = &mut self.state.failures;
        if retryable.is_none() && deterministic.is_none() {
            *failures = Failures::default();
        }
        failures.retryable += u32::from(retryable.is_some());
        failures.deterministic += u32::from(deterministic.is_some());
        let (failures, limits) = (*failures, self.env.limits);
        if let Some(last) = deterministic
            && failures.deterministic >= limits.deterministic
        {
            return self.stop(&Stop::Deterministic { times: failures.deterministic, last });
        }
        if let Some(last) = retryable
            && failures.retryable >= limits.retryable
        {
            return self.stop(&Stop::Retryable { times: failures.retryable, last });
        }
        if failures != Failures::default()
            && let Some(route) = &mut self.state.route
        {
            // The fast tier was unsure; the strong one gets the next try.
            route.tier = adagent_contract::ModelTier::Strong;
        }
        self.enter_specialist(When::ResultsToTell)
    }

    /// A network that cannot be used any more, when a write of the last turn met that, or nothing else came of the turn. No
    /// model can help then; a person can. The last says what became of the change, where there was one.
    fn lost_network(&self) -> Option<(Network, UnusableWhy, Option<&'static str>)> {
        let calls: Vec<_> = self.last_turn().iter().filter_map(|id| self.state.call(*id)).collect();
        let worked = calls.iter().any(|call| call.state == CallState::Succeeded);
        calls.iter().find_map(|call| {
            let (kind, change) = match &call.state {
                CallState::Failed { fault } => (fault.kind, "The change was not made."),
                CallState::Unknown { met, .. } => {
                    ((*met)?, "We don't know whether the change went through. Check the network.")
                }
                _ => return None,
            };
            let why = UnusableWhy::of(kind).filter(|_| !call.read_only || !worked)?;
            Some((call.network, why, (!call.read_only).then_some(change)))
        })
    }

    fn last_turn(&self) -> &[ToolCallId] {
        let calls = self.state.turns.iter().rev().find_map(|turn| match turn {
            Turn::Assistant { calls, .. } => Some(calls.as_slice()),
            Turn::Guidance { .. } => None,
        });
        calls.unwrap_or_default()
    }

    fn last_faults(&self) -> Vec<&Fault> {
        self.last_turn()
            .iter()
            .filter_map(|id| match &self.state.call(*id)?.state {
                CallState::Failed { fault } => Some(fault),
                _ => None,
            })
            .collect()
    }
}

/// Every call asked for got an answer, and no other did.
pub(crate) fn complete(asked: &[ToolCallId], got: impl Iterator<Item = ToolCallId>) -> Result<(), StepError> {
    let got: Vec<_> = got.collect();
    match asked.iter().find(|id| !got.contains(id)).or_else(|| got.iter().find(|id| !asked.contains(id))) {
        Some(odd) => Err(StepError::UnknownCall(*odd)),
        None => Ok(()),
    }
}

/// Answers in the order of the calls, however they came in.
pub(crate) fn in_order<T>(asked: &[ToolCallId], mut got: Vec<(ToolCallId, T)>) -> Vec<(ToolCallId, T)> {
    got.sort_by_key(|(id, _)| asked.iter().position(|a| a == id));
    got
}
