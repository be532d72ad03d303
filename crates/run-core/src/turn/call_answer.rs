//! The answer of a run that began with a call somebody gave: what became of that call. Nobody asked in words, so no model is asked
//! for words either.

use std::fmt::Write as _;

use super::Advance;
use crate::{Call, CallState, Denial, Draft, Fault, FaultKind, StepError, When, ledger::DECLINED};

impl Advance<'_, '_> {
    /// Whether the run began with a call: there is no question that was read.
    pub(crate) const fn is_given(&self) -> bool {
        self.turn.route.is_none()
    }

    /// Ends the run with the outcome of its calls, in their own words.
    pub(crate) fn tell_given(&mut self) -> Result<(), StepError> {
        let text = self.turn.ledger.calls.iter().map(outcome).collect::<Vec<_>>().join(" ");
        self.turn.draft = Some(Draft { text, ..Draft::default() });
        self.go(When::Complete)?;
        self.synthesize()
    }
}

/// What became of a call, as a sentence for people and programs.
fn outcome(call: &Call) -> String {
    match &call.state {
        CallState::Succeeded => sentence(call.summary.as_deref().unwrap_or("Done")),
        CallState::Failed { fault } => refused(call, fault),
        CallState::Denied { reason, cause: Denial::Declined } if reason == DECLINED => {
            "Denied. Nothing was sent.".into()
        }
        CallState::Denied { reason, cause: Denial::Declined } => {
            format!("Denied: {} Nothing was sent.", sentence(reason))
        }
        // The reason says so itself.
        CallState::Denied { reason, cause: Denial::AlreadyThere } => sentence(reason),
        CallState::Denied { reason, .. } => format!("{} Nothing was sent.", sentence(reason)),
        CallState::Unknown { why, .. } => format!("We don't know whether the change went through. {}", sentence(why)),
        CallState::Proposed
        | CallState::Ready
        | CallState::Waiting { .. }
        | CallState::Approved { .. }
        | CallState::Sending { .. }
        | CallState::Child { .. }
        | CallState::Probing { .. } => String::new(),
    }
}

/// In the words of who refused it.
fn refused(call: &Call, fault: &Fault) -> String {
    let source = call.source.display_name();
    let mut said = match fault.kind {
        FaultKind::Deterministic | FaultKind::Retryable if call.read_only => {
            format!("{source} couldn't be read: {}", sentence(&fault.message))
        }
        FaultKind::Deterministic | FaultKind::Retryable => {
            format!("{source} did not make the change: {}", sentence(&fault.message))
        }
        _ => format!("Nothing was sent: {}", sentence(&fault.message)),
    };
    for issue in &fault.issues {
        let _ = write!(said, " {}: {}", issue.pointer, sentence(&issue.message));
    }
    said
}

/// With a full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '。', '…']) { text.to_owned() } else { format!("{text}.") }
}
