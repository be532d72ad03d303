//! The time axis of a run, made of its events.

use adagent_contract::{EventBody, RunEvent, StepTiming};
use adagent_domain::Timestamp;

/// Nodes last until the next one takes over; tool calls say themselves how long they took.
pub fn timings(events: &[RunEvent], now: Timestamp) -> Vec<StepTiming> {
    let mut steps: Vec<StepTiming> = Vec::new();
    let mut node: Option<usize> = None;
    let mut last = None;
    for event in events {
        last = Some(event);
        match &event.body {
            EventBody::Agent { agent, .. } => {
                close(&mut steps, node, event.at);
                node = Some(steps.len());
                steps.push(StepTiming {
                    name: agent.clone(),
                    kind: "node".into(),
                    started_at: event.at,
                    duration_ms: 0,
                    ok: true,
                });
            }
            EventBody::ToolResult { name, ok, duration_ms, .. } => {
                let back = i64::try_from(*duration_ms).unwrap_or(i64::MAX).saturating_neg();
                steps.push(StepTiming {
                    name: name.clone(),
                    kind: "tool".into(),
                    started_at: event.at.plus_millis(back),
                    duration_ms: *duration_ms,
                    ok: *ok,
                });
            }
            EventBody::Error { .. } => {
                if let Some(step) = node.and_then(|index| steps.get_mut(index)) {
                    step.ok = false;
                }
            }
            EventBody::Done { .. } => {
                close(&mut steps, node, event.at);
                node = None;
            }
            _ => {}
        }
    }
    // While a person is asked the clock of the node stands still.
    let until = match last.map(|event| (&event.body, event.at)) {
        Some((EventBody::ToolApprovalRequired { .. }, at)) => at,
        _ => now,
    };
    close(&mut steps, node, until);
    steps
}

fn close(steps: &mut [StepTiming], node: Option<usize>, at: Timestamp) {
    if let Some(step) = node.and_then(|index| steps.get_mut(index)) {
        step.duration_ms = u64::try_from(at.millis_since(step.started_at)).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::RunStatus;
    use adagent_domain::{Ids as _, RunId, SequentialIds, ToolCallId};

    use super::*;

    #[test]
    fn nodes_last_until_the_next_and_tools_as_long_as_they_say() {
        let ids = SequentialIds::default();
        let run_id = RunId::new(&ids);
        let bodies = [
            (0, EventBody::Agent { agent: "router".into(), task: None }),
            (5, EventBody::Agent { agent: "tool_executor".into(), task: None }),
            (
                40,
                EventBody::ToolResult {
                    tool_call_id: ToolCallId(ids.next_uuid()),
                    name: "admob_list_apps".into(),
                    ok: true,
                    summary: String::new(),
                    result: serde_json::Value::Null,
                    artifact: None,
                    duration_ms: 30,
                    cached: false,
                },
            ),
            (45, EventBody::Done { status: RunStatus::Completed }),
        ];
        let events: Vec<RunEvent> = (1..)
            .zip(bodies)
            .map(|(seq, (ms, body))| RunEvent { run_id, seq, at: Timestamp::EPOCH.plus_millis(ms), body })
            .collect();
        let got: Vec<(String, i64, u64)> = timings(&events, Timestamp::EPOCH.plus_millis(9_999))
            .into_iter()
            .map(|step| (step.name, step.started_at.millis_since(Timestamp::EPOCH), step.duration_ms))
            .collect();
        assert_eq!(
            got,
            [("router".to_owned(), 0, 5), ("tool_executor".to_owned(), 5, 40), ("admob_list_apps".to_owned(), 10, 30)]
        );
    }
}
