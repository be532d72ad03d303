//! The plan of a turn: its steps in order with their states, and one answer for all pending changes.

use adagent_contract::{ApprovalStatus, Plan, PlanStatus, PlanStep, PlanStepStatus, Risk, TurnView};
use adagent_domain::ApprovalId;
use leptos::prelude::*;

use crate::{
    features::approval::{EditedCards, card_id},
    ui::{Badge, BadgeTone, Button, ButtonKind, Glyph, Icon, Note, NoteTone, Spinner, format},
};

/// A step as it is drawn.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    number: usize,
    says: String,
    note: Option<String>,
    /// Whether the step made no change, and the note says why.
    unmade: bool,
    /// Whether a person edited the step before it was sent.
    edited: bool,
    status: PlanStepStatus,
    /// The card of the step while it is pending.
    card: Option<ApprovalId>,
}

fn rows(plan: &Plan, turn: &TurnView) -> Vec<Row> {
    let waiting = |step: &PlanStep| {
        let card = step.card(turn).filter(|card| card.status == ApprovalStatus::Pending);
        card.map(|card| card.approval_id)
    };
    let steps = plan.steps.iter().zip(plan.statuses(turn)).zip(1..);
    steps
        .map(|((step, status), number)| Row {
            number,
            says: step.says.clone(),
            note: step.note.clone(),
            unmade: step.unmade,
            edited: step.card(turn).is_some_and(|card| !card.edits.is_empty()),
            status,
            card: waiting(step),
        })
        .collect()
}

const fn word(status: PlanStepStatus) -> &'static str {
    match status {
        PlanStepStatus::Pending => "Not started",
        PlanStepStatus::AwaitingApproval => "Needs approval",
        PlanStepStatus::Approved => "Approved, waits its turn",
        PlanStepStatus::Running => "Running",
        PlanStepStatus::Completed => "Done",
        PlanStepStatus::Failed => "Failed",
        PlanStepStatus::Skipped => "Skipped",
        PlanStepStatus::NotRun => "Not done",
    }
}

fn mark(status: PlanStepStatus) -> AnyView {
    let glyph = match status {
        PlanStepStatus::Running => return view! { <Spinner style="color:var(--accent)"/> }.into_any(),
        PlanStepStatus::Pending | PlanStepStatus::Approved => Glyph::Clock,
        PlanStepStatus::AwaitingApproval => Glyph::Pencil,
        PlanStepStatus::Completed => Glyph::Check,
        PlanStepStatus::Failed => Glyph::CircleX,
        PlanStepStatus::Skipped | PlanStepStatus::NotRun => Glyph::Ban,
    };
    view! { <Icon glyph/> }.into_any()
}

/// Shows the state of the whole plan. A step that made no change did not fail, but the plan is not done either.
fn status_badge(status: PlanStatus, rows: &[Row]) -> AnyView {
    let left = rows.iter().filter(|row| row.unmade).count();
    let failed = rows
        .iter()
        .any(|row| row.status == PlanStepStatus::Failed || row.status == PlanStepStatus::NotRun && !row.unmade);
    match status {
        PlanStatus::Failed if left == rows.len() => {
            view! { <Badge tone=BadgeTone::Plain icon=Glyph::Info>"No change"</Badge> }.into_any()
        }
        PlanStatus::Failed if left > 0 && !failed => {
            view! { <Badge tone=BadgeTone::Wait icon=Glyph::Info>"Partly done"</Badge> }.into_any()
        }
        PlanStatus::AwaitingApproval => {
            view! { <Badge tone=BadgeTone::Wait icon=Glyph::Clock>"Needs approval"</Badge> }.into_any()
        }
        PlanStatus::Executing => view! { <Badge tone=BadgeTone::Accent>"Running"</Badge> }.into_any(),
        PlanStatus::Completed => view! { <Badge tone=BadgeTone::Good icon=Glyph::Check>"Done"</Badge> }.into_any(),
        PlanStatus::Failed => view! { <Badge tone=BadgeTone::Bad icon=Glyph::CircleX>"Stopped"</Badge> }.into_any(),
    }
}

/// Returns the changes that may be approved together: several, none of which is destructive.
fn together(plan: &Plan, turn: &TurnView) -> Vec<ApprovalId> {
    let waiting = plan.waiting(turn);
    let reversible = waiting.iter().all(|card| card.risk != Risk::Destructive);
    if reversible && waiting.len() > 1 { waiting.iter().map(|card| card.approval_id).collect() } else { Vec::new() }
}

#[component]
pub fn PlanCard(
    #[prop(into)] turn: Signal<TurnView>,
    /// Approves these changes. Without a callback, the plan only displays.
    #[prop(optional_no_strip)]
    on_approve: Option<Callback<Vec<ApprovalId>>>,
    sending: Signal<bool>,
) -> impl IntoView {
    let drawn = Memo::new(move |_| {
        turn.with(|turn| {
            turn.plan
                .as_ref()
                .filter(|plan| plan.steps.len() > 1)
                .map(|plan| (rows(plan, turn), plan.status(turn), together(plan, turn)))
        })
    });
    let all = Memo::new(move |_| drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.2.clone()).unwrap_or_default()));
    view! {
        {move || drawn.get().map(|(rows, status, _)| {
            let count = format::plural(rows.len(), "step", "steps");
            view! {
                <section class="part" data-node="step">
                    <article class="plan" aria-label="Plan">
                        <header>
                            <h3>{format!("Plan in {count}")}</h3>
                            {status_badge(status, &rows)}
                        </header>
                        <ol>{rows.into_iter().map(step).collect_view()}</ol>
                        {on_approve.map(|on_approve| view! { <ApproveAll all on_approve sending/> })}
                    </article>
                </section>
            }
        })}
    }
}

fn step(row: Row) -> impl IntoView {
    let Row { number, says, note, edited, status, card, .. } = row;
    let tone = match status {
        _ if note.is_some() => "plain",
        PlanStepStatus::Completed => "good",
        PlanStepStatus::Failed => "bad",
        PlanStepStatus::AwaitingApproval => "wait",
        _ => "plain",
    };
    let noted = note.is_some();
    view! {
        <li class="plan-step" data-tone=tone>
            <span class="num faint">{number}</span>
            <span class="says">
                {says}
                {note.map(|note| view! { <small class="hint">{note}</small> })}
                {edited.then(|| view! { <small class="hint">"You edited this step: its card says what was sent."</small> })}
            </span>
            <span class="where">
                {if noted { view! { <Icon glyph=Glyph::Info/> }.into_any() } else { mark(status) }}
                {match card {
                    _ if noted => view! { <span>"No change"</span> }.into_any(),
                    Some(card) => view! { <a href=format!("#{}", card_id(card))>{word(status)}</a> }.into_any(),
                    None => view! { <span>{word(status)}</span> }.into_any(),
                }}
            </span>
        </li>
    }
}

/// Approves all pending changes. The first press shows their cards; the second one approves them.
#[component]
fn ApproveAll(
    all: Memo<Vec<ApprovalId>>,
    on_approve: Callback<Vec<ApprovalId>>,
    sending: Signal<bool>,
) -> impl IntoView {
    let shown = RwSignal::new(Vec::new());
    let edited = use_context::<EditedCards>();
    let any_edited = Memo::new(move |_| {
        edited.is_some_and(|EditedCards(edited)| {
            all.with(|all| edited.with(|edited| all.iter().any(|id| edited.contains(id))))
        })
    });
    let sure = Memo::new(move |_| all.with(|all| shown.with(|shown| !all.is_empty() && all == shown)));
    let press = move |_| {
        let now = all.get_untracked();
        if sure.get_untracked() {
            shown.set(Vec::new());
            on_approve.run(now);
        } else {
            if let Some(first) = now.first() {
                crate::platform::scroll_into_view(&card_id(*first));
            }
            shown.set(now);
        }
    };
    view! {
        <Show when=move || !all.with(Vec::is_empty)>
            <footer>
                <Button
                    kind=ButtonKind::Primary icon=Glyph::Check busy=sending
                    disabled=Signal::derive(move || any_edited.get())
                    on:click=press
                >
                    {move || format!("Approve all {}", all.with(Vec::len))}
                </Button>
                <span class="faint" style="font-size:var(--t-xs)" aria-live="polite">
                    {move || if sure.get() {
                        "The cards below show what will be sent. Press again to approve all of it."
                    } else {
                        "Sent one after the other. If one fails, the rest is not sent."
                    }}
                </span>
            </footer>
            <Show when=move || any_edited.get()>
                <Note tone=NoteTone::Plain>"You edited a step. Approve or deny it on its own card first."</Note>
            </Show>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{EventBody, Preview, PreviewKind, RunEvent, UiHints, fold};
    use adagent_domain::{Network, RunId, SequentialIds, Source, Timestamp, ToolCallId};
    use serde_json::json;

    use super::*;

    /// Makes a plan with a pending card for each of these risks.
    fn waiting(risks: &[Risk]) -> (Plan, TurnView) {
        let ids = SequentialIds::default();
        let run = RunId::new(&ids);
        let calls: Vec<ToolCallId> = risks.iter().map(|_| ToolCallId::new(&ids)).collect();
        let step = |id: &ToolCallId| PlanStep {
            says: "Do it".into(),
            tool_call_id: Some(*id),
            calls: vec![*id],
            note: None,
            unmade: false,
        };
        let plan = Plan { goal: "All".into(), steps: calls.iter().map(step).collect() };
        let mut bodies = vec![EventBody::Plan { plan: plan.clone() }];
        for (call, risk) in calls.iter().zip(risks) {
            bodies.push(EventBody::ToolApprovalRequired {
                approval_id: ApprovalId::new(&ids),
                tool_call_id: *call,
                tool_name: "write".into(),
                source: Source::Network(Network::AdMob),
                title: "Do it".into(),
                tool_input: json!({}),
                parameter_schema: json!({}),
                ui_hints: Box::new(UiHints::default()),
                risk: *risk,
                warnings: Vec::new(),
                preview: Preview::new(PreviewKind::Update, Vec::new()),
                expires_at: None,
            });
        }
        let events: Vec<RunEvent> = bodies
            .into_iter()
            .zip(1..)
            .map(|(body, seq)| RunEvent { run_id: run, seq, at: Timestamp::EPOCH, body })
            .collect();
        (plan, fold(run, &events))
    }

    #[test]
    fn several_changes_are_approved_together_and_deletions_never() {
        for (risks, count) in [
            (vec![Risk::Write], 0),
            (vec![Risk::Write, Risk::Write], 2),
            (vec![Risk::Write, Risk::Destructive, Risk::Write], 0),
        ] {
            let (plan, turn) = waiting(&risks);
            assert_eq!(together(&plan, &turn).len(), count, "{risks:?}");
            assert_eq!(plan.status(&turn), PlanStatus::AwaitingApproval);
        }
    }

    #[test]
    fn two_steps_of_one_change_wait_once() {
        let (mut plan, turn) = waiting(&[Risk::Write, Risk::Write]);
        plan.steps.push(plan.steps[0].clone());
        assert_eq!(plan.waiting(&turn).len(), 2);
    }

    #[test]
    fn a_step_that_made_no_change_is_not_done() {
        let (mut plan, mut turn) = waiting(&[]);
        let step = |unmade: bool| PlanStep {
            says: "Do it".into(),
            tool_call_id: None,
            calls: Vec::new(),
            note: Some("AdMob can't do that.".into()),
            unmade,
        };
        turn.status = adagent_contract::RunStatus::Completed;
        turn.answered = true;
        plan.steps = vec![step(true), step(true)];
        assert_eq!(plan.statuses(&turn), [PlanStepStatus::NotRun; 2]);
        assert_eq!(plan.status(&turn), PlanStatus::Failed);
        // It holds nothing back.
        plan.steps = vec![step(true), PlanStep { note: None, ..step(false) }];
        assert_eq!(plan.statuses(&turn), [PlanStepStatus::NotRun, PlanStepStatus::Completed]);
    }
}
