//! A page that saw every event live, one that joined in the middle, and one that received some events twice must show the same.

use adagent_contract::{
    ApprovalStatus, EventBody, Preview, PreviewKind, Risk, RunEvent, RunStatus, StepState, StepView, TurnView, UiHints,
    fold, fold_into,
};
use adagent_domain::{
    ApprovalId, ChatSessionId, MessageId, Network, RunId, SequentialIds, Source, Timestamp, ToolCallId,
};
use proptest::prelude::*;
use serde_json::json;

struct Story {
    run: RunId,
    events: Vec<RunEvent>,
}

/// Returns a run that reads, asks for a write, gets the approval, and answers.
fn story() -> Story {
    let ids = SequentialIds::default();
    let run = RunId::new(&ids);
    let (read, write, approval) = (ToolCallId::new(&ids), ToolCallId::new(&ids), ApprovalId::new(&ids));
    let tool = |id, name: &str, read_only, approved| EventBody::Tool {
        tool_call_id: id,
        name: name.into(),
        source: Source::Network(Network::AdMob),
        params: json!({"account_id": "pub-1"}),
        read_only,
        approved,
    };
    let result = |id, name: &str| EventBody::ToolResult {
        tool_call_id: id,
        name: name.into(),
        ok: true,
        summary: "1 row".into(),
        result: json!([1]),
        artifact: None,
        duration_ms: 12,
        cached: false,
    };
    let bodies = vec![
        EventBody::RunStarted {
            session_id: ChatSessionId::new(&ids),
            message_id: MessageId::new(&ids),
            model: "local".into(),
            settings: None,
            agent: None,
        },
        EventBody::Status { label: "Planning".into() },
        tool(read, "admob_list_apps", true, None),
        result(read, "admob_list_apps"),
        tool(write, "admob_create_app", false, None),
        EventBody::ToolApprovalRequired {
            approval_id: approval,
            tool_call_id: write,
            tool_name: "admob_create_app".into(),
            source: Source::Network(Network::AdMob),
            title: "Create app".into(),
            tool_input: json!({}),
            parameter_schema: json!({}),
            ui_hints: Box::new(UiHints::default()),
            risk: Risk::Write,
            warnings: vec![],
            preview: Preview::new(PreviewKind::Create, vec![]),
            expires_at: None,
        },
        EventBody::ToolApprovalAnswered {
            approval_id: approval,
            tool_call_id: write,
            status: ApprovalStatus::Approved,
            by: "Mara".into(),
            edited_args: None,
            edits: vec![],
            sent: None,
            reason: None,
        },
        tool(write, "admob_create_app", false, Some(true)),
        result(write, "admob_create_app"),
        EventBody::Content { content: "Done, ".into(), is_final: false },
        EventBody::Content { content: "it is there.".into(), is_final: true },
        EventBody::Result {
            content: "Done, it is there.".into(),
            artifacts: vec![],
            follow_ups: vec!["List apps".into()],
            method: vec!["Counted once.".into()],
            covers: None,
        },
        EventBody::Done { status: RunStatus::Completed },
    ];
    let events = bodies
        .into_iter()
        .zip(1..)
        .map(|(body, seq)| RunEvent {
            run_id: run,
            seq,
            at: Timestamp::from_micros(1_000_000 + i64::try_from(seq).unwrap_or(0) * 1000),
            body,
        })
        .collect();
    Story { run, events }
}

#[test]
fn the_whole_story_ends_as_people_expect() {
    let Story { run, events } = story();
    let view = fold(run, &events);
    assert_eq!((view.status, view.last_seq, view.answered), (RunStatus::Completed, 13, true));
    assert_eq!(view.answer, "Done, it is there.");
    assert_eq!(view.method, ["Counted once."]);
    assert_eq!(view.approvals[0].status, ApprovalStatus::Approved);
    let states: Vec<StepState> = view
        .steps
        .iter()
        .filter_map(|step| match step {
            StepView::Tool { state, .. } => Some(*state),
            _ => None,
        })
        .collect();
    assert_eq!(states, vec![StepState::Ok, StepState::Ok]);
}

#[test]
fn while_a_person_is_waited_for_the_turn_says_so() {
    let Story { run, events } = story();
    let view = fold(run, &events[..6]);
    assert_eq!(view.status, RunStatus::AwaitingApproval);
    assert_eq!(view.waiting_approval().map(|a| a.title.as_str()), Some("Create app"));
    assert_eq!(fold(run, &events[..7]).status, RunStatus::Running);
}

#[test]
fn every_event_keeps_its_place_on_the_wire() {
    for event in story().events {
        let text = serde_json::to_string(&event).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["type"], event.body.kind());
        assert_eq!(serde_json::from_str::<RunEvent>(&text).unwrap(), event);
    }
}

proptest! {
    #[test]
    fn coming_back_anywhere_and_seeing_things_twice_changes_nothing(cut in 0_usize..14, again in 0_usize..14) {
        let Story { run, events } = story();
        let cut = cut.min(events.len());
        let mut view: TurnView = fold(run, &events[..cut]);
        // The stored view goes to the page as JSON, and the page continues from it.
        view = serde_json::from_str(&serde_json::to_string(&view).unwrap()).unwrap();
        for event in &events[cut.saturating_sub(again)..] {
            fold_into(&mut view, event);
        }
        prop_assert_eq!(view, fold(run, &events));
    }
}

#[test]
fn an_edited_approval_is_told_as_it_was_sent() {
    let Story { run, mut events } = story();
    for event in &mut events {
        if let EventBody::ToolApprovalAnswered { sent, .. } = &mut event.body {
            let preview = Preview::new(PreviewKind::Create, vec![]);
            *sent = Some(Box::new(adagent_contract::SentChange { title: "Create app “Daily”".into(), preview }));
        }
    }
    assert_eq!(fold(run, &events[..6]).approvals[0].title, "Create app", "as it was asked");
    assert_eq!(fold(run, &events).approvals[0].title, "Create app “Daily”");
}

#[test]
fn the_status_line_names_the_network_once() {
    let Story { run, .. } = story();
    let ids = SequentialIds::default();
    let (one, other) = (ToolCallId::new(&ids), ToolCallId::new(&ids));
    let tool = |id, network| EventBody::Tool {
        tool_call_id: id,
        name: "report".into(),
        source: Source::Network(network),
        params: json!({}),
        read_only: true,
        approved: None,
    };
    let says = |id, message: &str| EventBody::ToolExecuting {
        tool_call_id: id,
        tool_name: "report".into(),
        message: message.into(),
        progress: None,
    };
    let after = |last: EventBody| {
        let bodies = [tool(one, Network::AdManager), tool(other, Network::Unity), last];
        let events: Vec<RunEvent> =
            (1..).zip(bodies).map(|(seq, body)| RunEvent { run_id: run, seq, at: Timestamp::EPOCH, body }).collect();
        fold(run, &events).label
    };
    assert_eq!(after(says(one, "Building report, 80%")).as_deref(), Some("Google Ad Manager: building report, 80%"));
    assert_eq!(after(says(other, "Asking Unity")).as_deref(), Some("Asking Unity"));
}

#[test]
fn an_event_of_a_newer_program_is_passed_over() {
    let run_id = RunId::new(&SequentialIds::default());
    let read = |text: &str| {
        let text = text.replace("RUN", &run_id.to_string());
        serde_json::from_str::<RunEvent>(&text).unwrap()
    };
    let newer = read(
        r#"{"run_id":"RUN","seq":1,"at":"2026-11-25T10:00:00Z","type":"branch_taken","case":2,"steps":[{"key":"low"}]}"#,
    );
    assert_eq!(newer.body, EventBody::Unknown);
    let done = read(r#"{"run_id":"RUN","seq":2,"at":"2026-11-25T10:00:01Z","type":"done","status":"completed"}"#);
    let view = fold(run_id, [&newer, &done]);
    assert_eq!((view.status, view.last_seq), (RunStatus::Completed, 2));
}

#[test]
fn a_call_that_was_stopped_did_not_fail() {
    let ids = SequentialIds::default();
    let (run, id) = (RunId::new(&ids), ToolCallId::new(&ids));
    let state = |code: &str| {
        let name = String::from("admob_list_apps");
        let called = EventBody::Tool {
            tool_call_id: id,
            name: name.clone(),
            source: Source::Network(Network::AdMob),
            params: json!({}),
            read_only: true,
            approved: None,
        };
        let over = EventBody::ToolResult {
            tool_call_id: id,
            name,
            ok: false,
            summary: "Over.".into(),
            result: json!({"error": {"code": code}}),
            artifact: None,
            duration_ms: 1,
            cached: false,
        };
        let events: Vec<RunEvent> = [called, over]
            .into_iter()
            .zip(1..)
            .map(|(body, seq)| RunEvent { run_id: run, seq, at: Timestamp::EPOCH, body })
            .collect();
        match fold(run, &events).steps.pop() {
            Some(StepView::Tool { state, .. }) => state,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(state("CANCELLED"), StepState::Stopped);
    assert_eq!(state("TIMEOUT"), StepState::Failed);
}

#[test]
fn an_event_that_names_another_run_keeps_both_apart() {
    let ids = SequentialIds::default();
    let (run_id, below) = (RunId::new(&ids), RunId::new(&ids));
    let agent = adagent_contract::AgentRef { handle: "reporter".into(), name: "Reporter".into(), color: 1 };
    let to = adagent_contract::Delegation { task_run_id: below, agent };
    let body = EventBody::Delegated { tool_call_id: ToolCallId::new(&ids), to };
    let event = RunEvent { run_id, seq: 1, at: Timestamp::EPOCH, body };
    let read: RunEvent = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
    assert_eq!(read, event);
}
