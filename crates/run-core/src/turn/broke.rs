//! Defects in our own code. If a step breaks, we try it once more. If it breaks again, the run ends and says so.

use adagent_contract::EventBody;

use super::Advance;
use crate::StepError;

impl Advance<'_, '_> {
    pub(crate) fn broke(&mut self, name: String) -> Result<(), StepError> {
        let label = format!("Something went wrong on our end while {}. Trying once more.", doing(&name));
        if let Some(stop) = self.turn.ledger.broke(name) {
            return self.stop(&stop);
        }
        self.step.emit(EventBody::Status { label });
        Ok(())
    }
}

/// Returns what we do in a step, in words for people.
pub(crate) fn doing(step: &str) -> &'static str {
    match step {
        "route" => "reading your question",
        "load_entities" => "looking up your apps and ad units",
        "retrieve" => "choosing what to ask the networks",
        "ask_model" => "working out what to do",
        "check" => "checking what to ask the networks",
        "read" => "reading from the networks",
        "sketch" => "preparing the change for approval",
        "send" => "getting the change ready to send",
        "verify" => "checking the answer",
        _ => "working on this",
    }
}
