//! Where a run's time went: rows of bars on one axis, made from its saved states and its events. Plain Rust; the viewer
//! only draws it.

use adagent_contract::{CheckpointView, EventBody, RunEvent};
use adagent_domain::Timestamp;

/// What kind of bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Node,
    Tool,
    ToolFailed,
    Human,
}

/// A stretch of time, in milliseconds after the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub kind: Kind,
    pub from: i64,
    pub took: i64,
}

/// A row of the timeline: everything of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub kind: Kind,
    pub spans: Vec<Span>,
}

impl Row {
    pub fn took(&self) -> i64 {
        self.spans.iter().map(|span| span.took).sum()
    }
}

/// Rows in the order in which they first began. Nodes come from the saved states (one is saved after each node) and, where
/// there are none, from the events; tools and waits from their first to their last event. `until` is now for a run that goes
/// on: a wait that is not over lasts until then.
pub fn rows(events: &[RunEvent], saved: &[CheckpointView], until: Option<Timestamp>) -> Vec<Row> {
    let Some(start) = events.first().map(|event| event.at) else { return Vec::new() };
    let end = events.last().map_or(start, |event| event.at);
    let mut rows: Vec<Row> = Vec::new();
    if saved.len() > 1 {
        nodes_of_states(&mut rows, saved, start, end);
    } else {
        nodes_of_events(&mut rows, events, end);
    }
    for (index, event) in events.iter().enumerate() {
        let later = &events[index + 1..];
        let from = event.at.millis_since(start);
        match &event.body {
            EventBody::Tool { tool_call_id, name, read_only, approved, .. }
                if *read_only || *approved == Some(true) =>
            {
                let result = later.iter().find_map(|e| match &e.body {
                    EventBody::ToolResult { tool_call_id: id, ok, duration_ms, .. } if id == tool_call_id => {
                        Some((e.at.millis_since(start), *ok, *duration_ms))
                    }
                    _ => None,
                });
                // Events of one step are stored together; the call knows best how long it took.
                let (from, took, ok) = match result {
                    Some((at, ok, took)) => {
                        let took = i64::try_from(took).unwrap_or(i64::MAX).max(at - from);
                        ((at - took).max(0), took, ok)
                    }
                    None => (from, end.millis_since(event.at), true),
                };
                let kind = if ok { Kind::Tool } else { Kind::ToolFailed };
                put(&mut rows, name, Kind::Tool, Span { kind, from, took: took.max(0) });
            }
            EventBody::ToolApprovalRequired { approval_id, .. } => {
                let answered = later
                    .iter()
                    .find(|e| matches!(&e.body, EventBody::ToolApprovalAnswered { approval_id: id, .. } if id == approval_id))
                    .map_or(until.unwrap_or(end), |e| e.at);
                let took = answered.millis_since(event.at).max(0);
                put(&mut rows, "approval", Kind::Human, Span { kind: Kind::Human, from, took });
            }
            _ => {}
        }
    }
    rows.sort_by_key(|row| row.spans.iter().map(|span| span.from).min());
    rows
}

fn put(rows: &mut Vec<Row>, label: &str, kind: Kind, span: Span) {
    match rows.iter_mut().find(|row| row.label == label && row.kind == kind) {
        Some(row) => row.spans.push(span),
        None => rows.push(Row { label: label.to_owned(), kind, spans: vec![span] }),
    }
}

/// A state names the node that comes next: that node's time goes from it to the next state.
fn nodes_of_states(rows: &mut Vec<Row>, saved: &[CheckpointView], start: Timestamp, end: Timestamp) {
    let ends = saved.iter().skip(1).map(|next| next.created_at).chain([end]);
    for (state, until) in saved.iter().zip(ends) {
        if state.node == "end" {
            continue;
        }
        let from = state.created_at.millis_since(start).max(0);
        let took = until.millis_since(state.created_at).max(0);
        put(rows, &state.node, Kind::Node, Span { kind: Kind::Node, from, took });
    }
}

fn nodes_of_events(rows: &mut Vec<Row>, events: &[RunEvent], end: Timestamp) {
    let Some(start) = events.first().map(|event| event.at) else { return };
    for (index, event) in events.iter().enumerate() {
        let EventBody::Agent { agent, .. } = &event.body else { continue };
        let until = events[index + 1..]
            .iter()
            .find(|e| {
                matches!(
                    e.body,
                    EventBody::Agent { .. } | EventBody::ToolApprovalRequired { .. } | EventBody::Done { .. }
                )
            })
            .map_or(end, |e| e.at);
        let (from, took) = (event.at.millis_since(start), until.millis_since(event.at).max(0));
        put(rows, agent, Kind::Node, Span { kind: Kind::Node, from, took });
    }
}

/// When a person was waited for: from and to, in order.
pub fn waits(rows: &[Row]) -> Vec<(i64, i64)> {
    let mut waits: Vec<(i64, i64)> = Vec::new();
    let spans = rows.iter().filter(|row| row.kind == Kind::Human).flat_map(|row| &row.spans);
    let mut all: Vec<(i64, i64)> = spans.map(|span| (span.from, span.from + span.took)).collect();
    all.sort_unstable();
    for (from, to) in all {
        match waits.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => waits.push((from, to)),
        }
    }
    waits
}

/// Total length in milliseconds, at least one.
pub fn total(events: &[RunEvent], rows: &[Row]) -> i64 {
    let told = match (events.first(), events.last()) {
        (Some(first), Some(last)) => last.at.millis_since(first.at),
        _ => 0,
    };
    let drawn = rows.iter().flat_map(|row| &row.spans).map(|span| span.from + span.took).max();
    told.max(drawn.unwrap_or(0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use adagent_contract::RunStatus;
    use adagent_domain::{CheckpointId, Network, RunId, SequentialIds, ToolCallId};

    fn events(ids: &SequentialIds) -> Vec<RunEvent> {
        let (run, call) = (RunId::new(ids), ToolCallId::new(ids));
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
                    duration_ms: 55,
                    cached: false,
                },
            ),
            (100, EventBody::Done { status: RunStatus::Completed }),
        ];
        bodies
            .into_iter()
            .zip(1..)
            .map(|((at, body), seq)| RunEvent { run_id: run, seq, at: Timestamp::EPOCH.plus_millis(at), body })
            .collect()
    }

    type Drawn = (String, Kind, Vec<(i64, i64)>);

    fn drawn(rows: Vec<Row>) -> Vec<Drawn> {
        rows.into_iter()
            .map(|row| (row.label, row.kind, row.spans.iter().map(|span| (span.from, span.took)).collect()))
            .collect()
    }

    #[test]
    fn a_tool_takes_as_long_as_it_says_and_a_node_until_the_next() {
        let events = events(&SequentialIds::default());
        let rows = rows(&events, &[], None);
        assert_eq!(rows[2].spans[0].kind, Kind::ToolFailed);
        assert_eq!(
            drawn(rows),
            vec![
                ("router".into(), Kind::Node, vec![(0, 10)]),
                ("tool_executor".into(), Kind::Node, vec![(10, 90)]),
                ("admob_list_apps".into(), Kind::Tool, vec![(15, 55)]),
            ]
        );
        assert_eq!(total(&events, &[]), 100);
        assert_eq!(super::rows(&[], &[], None), vec![]);
    }

    #[test]
    fn a_node_that_comes_again_stays_in_its_row() {
        let ids = SequentialIds::default();
        let events = events(&ids);
        let saved: Vec<CheckpointView> =
            [("router", 0), ("specialist", 5), ("tool_executor", 20), ("specialist", 60), ("end", 90)]
                .into_iter()
                .zip(1..)
                .map(|((node, at), step)| CheckpointView {
                    id: CheckpointId::new(&ids),
                    step,
                    seq: 1,
                    node: node.into(),
                    created_at: Timestamp::EPOCH.plus_millis(at),
                })
                .collect();
        let nodes: Vec<_> =
            drawn(rows(&events, &saved, None)).into_iter().filter(|(_, kind, _)| *kind == Kind::Node).collect();
        assert_eq!(
            nodes,
            vec![
                ("router".into(), Kind::Node, vec![(0, 5)]),
                ("specialist".into(), Kind::Node, vec![(5, 15), (60, 30)]),
                ("tool_executor".into(), Kind::Node, vec![(20, 40)]),
            ]
        );
    }

    #[test]
    fn a_wait_that_is_not_over_lasts_until_now() {
        let ids = SequentialIds::default();
        let mut events = events(&ids);
        events[4].body = EventBody::ToolApprovalRequired {
            approval_id: adagent_domain::ApprovalId::new(&ids),
            tool_call_id: ToolCallId::new(&ids),
            tool_name: "admob_create_ad_unit".into(),
            network: Network::AdMob,
            title: String::new(),
            tool_input: serde_json::Value::Null,
            parameter_schema: serde_json::Value::Null,
            ui_hints: Box::default(),
            preview: adagent_contract::Preview { kind: adagent_contract::PreviewKind::Create, changes: vec![] },
            warnings: vec![],
            risk: adagent_contract::Risk::Write,
            expires_at: None,
        };
        let rows = rows(&events, &[], Some(Timestamp::EPOCH.plus_millis(900)));
        assert_eq!((waits(&rows), total(&events, &rows)), (vec![(100, 900)], 900));
    }

    #[test]
    fn waits_that_touch_are_one() {
        let span = |from, took| Span { kind: Kind::Human, from, took };
        let row =
            Row { label: "approval".into(), kind: Kind::Human, spans: vec![span(50, 10), span(0, 20), span(10, 15)] };
        assert_eq!(waits(&[row]), vec![(0, 25), (50, 60)]);
    }
}
