//! The answer of a run that began with a ready-made call: the outcome of that call. Nobody asked a question, so we ask no model to write an
//! answer.

use std::fmt::Write as _;

use super::Advance;
use crate::{Call, CallState, Denial, Draft, Fault, FaultKind, StepError, When, ledger::DECLINED};

impl Advance<'_, '_> {
    /// Checks whether the run began with a call, so that it read no question.
    pub(crate) const fn is_given(&self) -> bool {
        self.turn.route.is_none()
    }

    /// Ends the run. The outcomes of its calls are the answer.
    pub(crate) fn tell_given(&mut self) -> Result<(), StepError> {
        let text = self.turn.ledger.calls.iter().map(outcome).collect::<Vec<_>>().join(" ");
        self.turn.draft = Some(Draft { text, ..Draft::default() });
        self.go(When::Complete)?;
        self.synthesize()
    }
}

/// Returns the outcome of a call, as a sentence for people and programs.
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
        // The reason already says that nothing was sent.
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

/// Returns why a call failed, and says whether the network or this program refused it.
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

/// Returns the text with a period at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '。', '…']) { text.to_owned() } else { format!("{text}.") }
}
