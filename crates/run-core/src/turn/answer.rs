//! Verifier and synthesizer: which answers are allowed, and how a run ends.

use adagent_contract::{EventBody, RunStatus};

use super::Advance;
use crate::{Call, CallState, Draft, Node, Once, Round, StepError, Stop, Verdict, When};

impl Advance<'_, '_> {
    /// Takes the answer that the model wrote. The verifier checks it against the calls; without any call, it must contain no number. Talk
    /// and documentation need no check.
    pub(crate) fn drafted(&mut self, draft: Draft) -> Result<(), StepError> {
        if draft.text.trim().is_empty() && draft.artifacts.is_empty() {
            return self.again(
                "You wrote no answer. Answer the question, or say what is missing.",
                When::Incomplete,
                &Stop::Empty,
            );
        }
        self.turn.draft = Some(draft);
        if self.turn.is_talk() {
            self.go(When::NothingToVerify)?;
            return self.synthesize();
        }
        self.go(When::AnswerWritten)
    }

    pub(crate) fn verified(&mut self, verdict: Verdict) -> Result<(), StepError> {
        match verdict {
            Verdict::Complete => self.accept(),
            Verdict::Incomplete { guidance, blocking } => {
                if self.turn.rewrites >= self.turn.ledger.limits.rewrites && !blocking {
                    return self.accept();
                }
                self.drop_draft();
                let stop = Stop::Unverified(guidance.clone());
                self.again(&guidance, When::Incomplete, &stop)
            }
            Verdict::Reroute { .. } if self.turn.backflow.reroute == Once::Done => self.accept(),
            Verdict::Reroute { why } => {
                self.drop_draft();
                self.turn.backflow.reroute = Once::Done;
                self.turn.rounds.push(Round::Guidance { content: why.clone() });
                self.step.emit(EventBody::Agent { agent: "router".into(), task: Some(why) });
                self.go(When::NeedsReroute)
            }
            Verdict::RefreshEntities if self.turn.backflow.entity_refresh == Once::Done => self.accept(),
            Verdict::RefreshEntities => {
                self.drop_draft();
                self.turn.backflow.entity_refresh = Once::Needed;
                self.go(When::NeedsEntityRefresh)
            }
        }
    }

    fn accept(&mut self) -> Result<(), StepError> {
        self.go(When::Complete)?;
        self.synthesize()
    }

    fn drop_draft(&mut self) {
        if let Some(draft) = self.turn.draft.take() {
            self.turn.rounds.push(Round::Assistant { text: draft.text, calls: Vec::new() });
        }
    }

    fn again(&mut self, guidance: &str, when: When, otherwise: &Stop) -> Result<(), StepError> {
        if self.turn.rewrites >= self.turn.ledger.limits.rewrites {
            return self.stop(otherwise);
        }
        self.turn.rewrites += 1;
        self.turn.rounds.push(Round::Guidance { content: guidance.into() });
        self.step.emit(EventBody::Agent { agent: "verifier".into(), task: Some(guidance.into()) });
        self.enter_specialist(when)
    }

    pub(crate) fn synthesize(&mut self) -> Result<(), StepError> {
        let draft = self.turn.draft.take().unwrap_or_default();
        let rest = draft.text.get(draft.streamed..).unwrap_or(&draft.text).to_owned();
        self.step.emit(EventBody::Content { content: rest, is_final: true });
        self.step.emit(EventBody::Result {
            content: draft.text.clone(),
            artifacts: draft.artifacts,
            follow_ups: draft.follow_ups,
            method: draft.method.clone(),
            covers: draft.covers,
        });
        self.go(When::Answered)?;
        // Keep the method with the answer, so that later turns of the chat count in the same way.
        let kept = adagent_contract::with_method(&draft.text, &draft.method);
        self.finish(RunStatus::Completed, Some(kept));
        Ok(())
    }

    /// Ends the run with an explanation, its results so far, and what people can do.
    pub(crate) fn stop(&mut self, stop: &Stop) -> Result<(), StepError> {
        if self.turn.ledger.is_sending() {
            // Never abandon a write that is on its way.
            return Ok(());
        }
        if self.turn.node != Node::Synthesizer {
            self.go(When::Stopped)?;
        }
        self.turn.draft = None;
        self.turn.ledger.close(self.step, "The run ended before this call.")?;
        let text = stop.explain();
        self.step.emit(EventBody::Error {
            code: stop.code().into(),
            content: text.clone(),
            retryable: stop.is_retryable(),
            developer_override_available: stop.allows_override().then_some(true),
        });
        let found: Vec<_> =
            self.turn.ledger.calls.iter().filter(|call| call.state == CallState::Succeeded).map(partial_line).collect();
        if !found.is_empty() {
            let content = format!("{text}\n\nWhat I have so far:\n\n{}", found.join("\n"));
            self.step.emit(EventBody::Result {
                content,
                artifacts: Vec::new(),
                follow_ups: Vec::new(),
                method: Vec::new(),
                covers: None,
            });
        }
        let status = if matches!(stop, Stop::Model { .. } | Stop::Broke { .. }) {
            RunStatus::Failed
        } else {
            RunStatus::Stopped
        };
        self.finish(status, Some(text));
        Ok(())
    }
}

fn partial_line(call: &Call) -> String {
    format!("- `{}`: {}", call.name, call.summary.as_deref().unwrap_or("done"))
}
