//! Where a run's time went: bars on one axis, made from its events. Plain Rust; the viewer only draws it.

use adagent_contract::{EventBody, RunEvent};
use adagent_domain::Timestamp;

/// What kind of bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Node,
    Tool,
    ToolFailed,
    Human,
}

/// A row of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub label: String,
    pub kind: Kind,
    /// Milliseconds after the start of the run.
    pub from: i64,
    pub took: i64,
}

/// Nodes last until the next node takes over; tools and waits from their first to their last event.
pub fn bars(events: &[RunEvent]) -> Vec<Bar> {
    let Some(start) = events.first().map(|event| event.at) else { return Vec::new() };
    let end = events.last().map_or(start, |event| event.at);
    let mut bars: Vec<Bar> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let later = &events[index + 1..];
        let bar = |label: &str, kind, until: Timestamp| Bar {
            label: label.to_owned(),
            kind,
            from: event.at.millis_since(start),
            took: until.millis_since(event.at).max(0),
        };
        match &event.body {
            EventBody::Agent { agent, .. } => {
                let until = later
                    .iter()
                    .find(|e| {
                        matches!(
                            e.body,
                            EventBody::Agent { .. } | EventBody::ToolApprovalRequired { .. } | EventBody::Done { .. }
                        )
                    })
                    .map_or(end, |e| e.at);
                bars.push(bar(agent, Kind::Node, until));
            }
            EventBody::Tool { tool_call_id, name, read_only, approved, .. }
                if *read_only || *approved == Some(true) =>
            {
                let result = later.iter().find_map(|e| match &e.body {
                    EventBody::ToolResult { tool_call_id: id, ok, .. } if id == tool_call_id => Some((e.at, *ok)),
                    _ => None,
                });
                let (until, ok) = result.unwrap_or((end, true));
                bars.push(bar(name, if ok { Kind::Tool } else { Kind::ToolFailed }, until));
            }
            EventBody::ToolApprovalRequired { approval_id, .. } => {
                let until = later
                    .iter()
                    .find(|e| matches!(&e.body, EventBody::ToolApprovalAnswered { approval_id: id, .. } if id == approval_id))
                    .map_or(end, |e| e.at);
                bars.push(bar("Approval", Kind::Human, until));
            }
            _ => {}
        }
    }
    bars
}

/// Total length in milliseconds, at least one.
pub fn total(events: &[RunEvent]) -> i64 {
    match (events.first(), events.last()) {
        (Some(first), Some(last)) => last.at.millis_since(first.at).max(1),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adagent_contract::RunStatus;
    use adagent_domain::{Network, RunId, SequentialIds, ToolCallId};

    #[test]
    fn a_tool_lasts_until_its_result_and_a_node_until_the_next() {
        let ids = SequentialIds::default();
        let (run, call) = (RunId::new(&ids), ToolCallId::new(&ids));
        let bodies = [
            (0, EventBody::Agent { agent: "router".into(), task: None }),
            (10, EventBody::Agent { agent: "tool_executor".into(), task: None }),
            (
                20,
                EventBody::Tool {
                    tool_call_id: call,
                    name: "admob_list_apps".into(),
                    network: Network::AdMob,
                    params: serde_json::Value::Null,
                    read_only: true,
                    approved: None,
                },
            ),
            (
                70,
                EventBody::ToolResult {
                    tool_call_id: call,
                    name: "admob_list_apps".into(),
                    ok: false,
                    summary: String::new(),
                    result: serde_json::Value::Null,
                    artifact: None,
                    duration_ms: 50,
                    cached: false,
                },
            ),
            (100, EventBody::Done { status: RunStatus::Completed }),
        ];
        let events: Vec<RunEvent> = bodies
            .into_iter()
            .zip(1..)
            .map(|((at, body), seq)| RunEvent { run_id: run, seq, at: Timestamp::EPOCH.plus_millis(at), body })
            .collect();
        let drawn: Vec<(String, Kind, i64, i64)> =
            bars(&events).into_iter().map(|b| (b.label, b.kind, b.from, b.took)).collect();
        assert_eq!(
            drawn,
            vec![
                ("router".into(), Kind::Node, 0, 10),
                ("tool_executor".into(), Kind::Node, 10, 90),
                ("admob_list_apps".into(), Kind::ToolFailed, 20, 50),
            ]
        );
        assert_eq!(total(&events), 100);
        assert_eq!(bars(&[]), vec![]);
    }
}
