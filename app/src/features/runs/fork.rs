//! What a fork of a checkpoint would do again. Pure: takes a state and events, returns words.

use adagent_contract::{EventBody, RunEvent};
use adagent_domain::ToolCallId;
use serde_json::Value as Json;

use crate::ui::format;

/// Calls that a fork makes again, by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Again {
    pub reads: usize,
    /// Names of changes that are drafted again.
    pub changes: Vec<String>,
}

impl Again {
    /// Finds the calls whose results the state does not hold: calls that were still open, and calls that came later.
    pub fn of(state: &Json, events: &[RunEvent]) -> Self {
        let over = |id: &ToolCallId| {
            let calls = state.get("calls").and_then(Json::as_array)?;
            let call = calls.iter().find(|call| call.get("id").and_then(Json::as_str) == Some(&id.to_string()))?;
            let is = call.pointer("/state/is").and_then(Json::as_str)?;
            Some(matches!(is, "succeeded" | "failed" | "denied" | "sending" | "probing"))
        };
        let mut again = Self::default();
        for event in events {
            let EventBody::Tool { tool_call_id, name, read_only, .. } = &event.body else { continue };
            match (over(tool_call_id).unwrap_or(false), read_only) {
                (true, _) => {}
                (false, true) => again.reads += 1,
                (false, false) => again.changes.push(name.replace('_', " ")),
            }
        }
        again
    }

    pub fn in_words(&self) -> String {
        let reads = match self.reads {
            0 => "It uses the reports this run has already read.".to_owned(),
            many => format!(
                "It repeats up to {}.",
                format::plural(many, "request to the networks", "requests to the networks")
            ),
        };
        let changes = match self.changes.as_slice() {
            [] => String::new(),
            [one] => format!(" It drafts “{one}” again and asks for your approval."),
            many => format!(" It drafts {} changes again and asks for your approval.", many.len()),
        };
        format!("{reads}{changes} Changes that were already sent are never sent again.")
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Ids as _, Network, RunId, SequentialIds, Timestamp};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_state_does_not_hold_is_asked_again() {
        let ids = SequentialIds::default();
        let run_id = RunId::new(&ids);
        let calls = [0; 4].map(|_| ToolCallId(ids.next_uuid()));
        let event = |seq, tool_call_id, name: &str, read_only| RunEvent {
            run_id,
            seq,
            at: Timestamp::EPOCH,
            body: EventBody::Tool {
                tool_call_id,
                name: name.into(),
                source: Network::AdMob.into(),
                params: json!({}),
                read_only,
                approved: None,
            },
        };
        let events = [
            event(1, calls[0], "list_apps", true),
            event(2, calls[1], "report", true),
            event(3, calls[2], "create_group", false),
            event(4, calls[3], "sent_before", false),
        ];
        let state = json!({"calls": [
            {"id": calls[0], "state": {"is": "succeeded"}},
            {"id": calls[1], "state": {"is": "ready"}},
            {"id": calls[3], "state": {"is": "succeeded"}},
        ]});
        let again = Again::of(&state, &events);
        assert_eq!(again, Again { reads: 1, changes: vec!["create group".into()] });
        let words = again.in_words();
        assert!(words.contains("1 request to the networks.") && words.contains("“create group” again"), "{words}");
        assert!(Again::default().in_words().starts_with("It uses the reports"));
    }
}
