//! Looks whether a write that was sent took effect. This must never trust a look while the request may still be on its way, and never
//! forget an attempt whose outcome we could not find out.

use adagent_contract::EventBody;
use adagent_domain::{Timestamp, ToolCallId};

use super::{Call, CallState, Doubt, Found, Ledger, Success};
use crate::{CallMark, CallRow, Effect, Step, StepError, duration};

impl Call {
    /// Returns why the call may already have taken effect, if we could not find out whether it did.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_ref().filter(|_| self.uncertain).map(|doubt| doubt.why.as_str())
    }

    /// Checks whether arguments with this digest may have taken effect in an attempt whose outcome we could not find out.
    pub fn may_have_sent(&self, digest: &str) -> bool {
        self.doubt.as_ref().is_some_and(|doubt| doubt.digests.iter().any(|sent| sent == digest))
    }

    /// Returns what we know about earlier attempts.
    pub fn earlier(&self) -> Option<String> {
        match (&self.doubt, &self.found) {
            (Some(doubt), Some(found)) => Some(format!("{} {found}", doubt.why)),
            (Some(doubt), None) => Some(doubt.why.clone()),
            (None, found) => found.clone(),
        }
    }
}

impl Ledger {
    /// Returns when a request that may still be on its way can no longer take effect. No request leaves after `now`. We do not count from
    /// `sending`, because queues and repeats may have let the request leave long after that.
    pub(crate) fn settles_at(&self, now: Timestamp) -> Timestamp {
        now.plus_millis(self.limits.settle_ms.max(0))
    }

    /// Plans a later look if the request may still be on its way, because it is then too early to call the change not made or to ask a
    /// person to send it again. Returns whether it planned one.
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

    /// Ends the wait of calls whose time has come. What the next look finds is final.
    pub fn due(&mut self, now: Timestamp) {
        for call in &mut self.calls {
            if let CallState::Probing { settles_at: settles_at @ Some(_), looked: looked @ true, .. } = &mut call.state
                && settles_at.is_some_and(|until| until <= now)
            {
                (*settles_at, *looked) = (None, false);
            }
        }
    }

    /// Records what a look found. Only a clear "it happened" settles the call. Otherwise a person decides, and the card says what we found.
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
                // That the last attempt changed nothing says nothing about an earlier attempt whose outcome we could not find out.
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
