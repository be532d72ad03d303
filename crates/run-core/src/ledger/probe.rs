//! Looking whether a write that left took effect. Never takes a look for an answer while the request may still be on its way,
//! and never forgets an attempt nobody could find out about.

use adagent_contract::EventBody;
use adagent_domain::{Timestamp, ToolCallId};

use super::{Call, CallState, Doubt, Found, Ledger, Success};
use crate::{CallMark, CallRow, Effect, Step, StepError, duration};

impl Call {
    /// Why it may already have taken effect, if nobody could find out whether it did.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_ref().filter(|_| self.uncertain).map(|doubt| doubt.why.as_str())
    }

    /// Whether arguments of this digest may have taken effect without anybody having seen it.
    pub fn may_have_sent(&self, digest: &str) -> bool {
        self.doubt.as_ref().is_some_and(|doubt| doubt.digests.iter().any(|sent| sent == digest))
    }

    /// What is known of attempts before.
    pub fn earlier(&self) -> Option<String> {
        match (&self.doubt, &self.found) {
            (Some(doubt), Some(found)) => Some(format!("{} {found}", doubt.why)),
            (Some(doubt), None) => Some(doubt.why.clone()),
            (None, found) => found.clone(),
        }
    }
}

impl Ledger {
    /// From now on nothing leaves any more; a request that is on its way has until then to take effect. Not counted from
    /// `sending`: queues and repeats let a request leave long after that.
    pub(crate) fn settles_at(&self, now: Timestamp) -> Timestamp {
        now.plus_millis(self.limits.settle_ms.max(0))
    }

    /// Too early to say that it did not happen, or to ask whether it should be sent again: the next look waits until it can.
    fn look_again(&mut self, step: &mut Step<'_>, id: ToolCallId) -> Result<bool, StepError> {
        let now = step.now;
        let call = self.call_mut(id)?;
        let CallState::Probing { settles_at: Some(until), looked, .. } = &mut call.state else { return Ok(false) };
        *looked = true;
        let left = duration(until.millis_since(now).max(1).unsigned_abs());
        let (tool_name, source) = (call.name.clone(), call.source);
        step.emit(EventBody::ToolExecuting {
            tool_call_id: id,
            tool_name,
            message: format!(
                "The change isn't visible yet. We'll check once more in {left}; by then, {} has either made it or dropped it",
                source.display_name()
            ),
            progress: None,
        });
        Ok(true)
    }

    /// The time that was waited for has come: whatever the next look finds is how it is.
    pub fn due(&mut self, now: Timestamp) {
        for call in &mut self.calls {
            if let CallState::Probing { settles_at: settles_at @ Some(_), looked: looked @ true, .. } = &mut call.state
                && settles_at.is_some_and(|until| until <= now)
            {
                (*settles_at, *looked) = (None, false);
            }
        }
    }

    /// Only a clear "it happened" settles the call; anything else is a person's to decide, who is told what was found.
    pub(crate) fn probed(&mut self, step: &mut Step<'_>, id: ToolCallId, found: Found) -> Result<(), StepError> {
        match found {
            Found::Happened { result, summary } => {
                let summary = format!("{summary} (confirmed at the network after sending was interrupted)");
                let success = Success { result, summary, artifact: None, cached: false, duration_ms: 0 };
                self.succeed(step, id, success, &[CallRow::Sending])?;
                return Ok(());
            }
            Found::DidNotHappen { .. } | Found::CannotTell { .. } if self.look_again(step, id)? => return Ok(()),
            Found::DidNotHappen { looked_at } => {
                let call = self.call_mut(id)?;
                // A later attempt that was not there says nothing about an earlier one that nobody could find out about.
                call.found = Some(if call.uncertain {
                    format!(
                        "The last attempt was interrupted too. We checked {looked_at}, and that attempt changed nothing."
                    )
                } else {
                    format!(
                        "Sending was interrupted. We checked {looked_at}, and the change isn't there. Approve to send it now."
                    )
                });
            }
            Found::CannotTell { why } => {
                let call = self.call_mut(id)?;
                let why = format!(
                    "Sending was interrupted, and we couldn't find out whether the change went through: {}.",
                    why.trim_end_matches('.')
                );
                let mut digests = call.doubt.take().map(|doubt| doubt.digests).unwrap_or_default();
                if !digests.contains(&call.digest) {
                    digests.push(call.digest.clone());
                }
                call.doubt = Some(Doubt { why, digests });
                (call.uncertain, call.found) = (true, None);
            }
        }
        self.call_mut(id)?.state = CallState::Ready;
        step.effects.push(Effect::MoveCall { id, from: &[CallRow::Sending], to: CallMark::Prepared, result: None });
        Ok(())
    }
}
