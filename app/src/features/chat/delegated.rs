//! The agents that a turn asked: what each one does, and the cards of the changes that it drafts.
//!
//! The turn's own answer contains what an agent answered; this part shows how the agent got there.

use std::collections::BTreeSet;

use adagent_contract::{
    AnswerRequest, ApprovalStatus, Delegation, Problem, RunStatus, StepState, StepView, TurnView, fold_into,
};
use adagent_domain::ApprovalId;
use leptos::{prelude::*, task::spawn_local};

use super::{Steps, client, plan::PlanCard};
use crate::{
    features::{
        approval::{EditedCards, MadeChanges},
        desk::Desk,
    },
    parts,
    ui::{AgentMark, Badge, BadgeTone, Glyph, Icon, Spinner},
};

/// A task, as the turn that gave it knows it.
#[derive(Debug, Clone, PartialEq)]
struct Task {
    to: Delegation,
    text: String,
    state: StepState,
}

fn tasks(turn: &TurnView) -> Vec<Task> {
    let task = |step: &StepView| match step {
        StepView::Tool { to: Some(to), params, state, .. } => {
            let text = params["task"].as_str().unwrap_or_default().to_owned();
            Some(Task { to: to.clone(), text, state: *state })
        }
        _ => None,
    };
    turn.steps.iter().filter_map(task).collect()
}

#[component]
pub fn Delegated(
    #[prop(into)] turn: Signal<TurnView>,
    /// The person who reads may open the runs of these agents.
    mine: bool,
    /// Approves the pending changes of a plan that an agent drafts.
    #[prop(optional_no_strip)]
    on_approve_plan: Option<Callback<Vec<ApprovalId>>>,
) -> impl IntoView {
    let tasks = Memo::new(move |_| turn.with(tasks));
    view! {
        <For
            each=move || tasks.get()
            key=|task| task.to.task_run_id
            children=move |task| {
                let run = task.to.task_run_id;
                let state = Memo::new(move |_| {
                    tasks.with(|tasks| tasks.iter().find(|one| one.to.task_run_id == run).map_or(StepState::Stopped, |one| one.state))
                });
                view! { <AskedAgent task state mine on_approve_plan/> }.into_any()
            }
        />
    }
}

fn badge(state: StepState, waits: bool) -> AnyView {
    match state {
        _ if waits => view! { <Badge tone=BadgeTone::Wait icon=Glyph::Clock>"Needs approval"</Badge> }.into_any(),
        StepState::Running | StepState::Waiting => {
            view! { <span class="row faint"><Spinner/>"Working"</span> }.into_any()
        }
        StepState::Ok => view! { <Badge tone=BadgeTone::Good icon=Glyph::Check>"Done"</Badge> }.into_any(),
        StepState::Stopped | StepState::Failed | StepState::Denied => {
            view! { <Badge icon=Glyph::Square>"Stopped"</Badge> }.into_any()
        }
    }
}

#[component]
fn AskedAgent(
    task: Task,
    state: Memo<StepState>,
    mine: bool,
    on_approve_plan: Option<Callback<Vec<ApprovalId>>>,
) -> impl IntoView {
    let Task { to, text, .. } = task;
    let run = to.task_run_id;
    let child = RwSignal::new(TurnView::new(run));
    let (sending, refused) = (RwSignal::new(false), RwSignal::new(None::<Problem>));
    let opened = RwSignal::new(false);
    let alive = StoredValue::new(true);
    on_cleanup(move || alive.set_value(false));
    let approvals = Memo::new(move |_| child.with(|turn| turn.approvals.clone()));
    provide_context(MadeChanges(approvals));
    provide_context(EditedCards(RwSignal::new(BTreeSet::new())));
    let desk = StoredValue::new(Desk::get());
    let begun = StoredValue::new(false);
    // A finished task is loaded only when the person opens it.
    Effect::new(move |_| {
        if !mine || begun.get_value() || !(opened.get() || state.get() == StepState::Running) {
            return;
        }
        begun.set_value(true);
        spawn_local(async move {
            let on_event = move |event: adagent_contract::RunEvent| {
                let lists = matches!(event.body.kind(), "done" | "tool_approval_required" | "tool_approval_answered");
                child.try_update(|turn| fold_into(turn, &event));
                if lists && let Some(desk) = desk.try_get_value() {
                    desk.refresh_activity();
                }
            };
            client::follow(run, 0, move || alive.try_get_value().unwrap_or(false), on_event, |_| {}).await;
        });
    });
    let on_answer = Callback::new(move |answer: AnswerRequest| {
        refused.set(None);
        sending.set(true);
        spawn_local(async move {
            if let Err(problem) = client::answer(&answer).await {
                refused.try_set(Some(problem));
            }
            sending.try_set(false);
            if let Some(desk) = desk.try_get_value() {
                desk.refresh_activity();
            }
        });
    });
    let read = Memo::new(move |_| child.with(|turn| turn.last_seq > 0));
    let waits = Memo::new(move |_| child.with(|turn| turn.status == RunStatus::AwaitingApproval));
    let over = Memo::new(move |_| child.with(|turn| turn.status.is_final()));
    // Stay open while there are cards, so that their records stay visible.
    let open = Memo::new(move |_| {
        approvals.with(|cards| !cards.is_empty()) || (!over.get() && state.get() == StepState::Running)
    });
    let stopped = Memo::new(move |_| child.with(|turn| turn.status == RunStatus::Cancelled));
    let shown = Memo::new(move |_| if stopped.get() { StepState::Stopped } else { state.get() });
    let agent = to.agent;
    let label = format!("@{}", agent.handle);
    view! {
        <section class="part" data-node=move || if waits.get() { "wait" } else { "step" }>
            <details class="delegated" open=move || open.get() on:toggle=move |_| opened.set(true)>
                <summary>
                    <Icon glyph=Glyph::ChevronRight small=true class="chevron"/>
                    <AgentMark name=agent.name.clone() color=agent.color/>
                    <b>{agent.name}</b>
                    <code>{label}</code>
                    <span class="truncate quiet-text grow">{text}</span>
                    {move || badge(shown.get(), waits.get())}
                </summary>
                <div class="delegated-body">
                    // Before anything of it was read, there is nothing to say.
                    <Show when=move || read.get()>
                        <Steps turn=child/>
                    </Show>
                    <Delegated turn=child mine on_approve_plan/>
                    <PlanCard turn=child on_approve=on_approve_plan sending=sending.into()/>
                    <For
                        each=move || approvals.get()
                        key=|approval| (approval.approval_id, approval.status as u8)
                        children=move |approval| {
                            let node = if approval.status == ApprovalStatus::Pending { "wait" } else { "done" };
                            view! {
                                <div class="part" data-node=node>
                                    {parts::approval_card(approval, Some(on_answer), sending.into(), refused.into(), None)}
                                </div>
                            }
                        }
                    />
                    {mine.then(|| view! {
                        <p class="faint"><a class="link" href=format!("/runs/{run}")>"View this agent's run"</a></p>
                    })}
                </div>
            </details>
        </section>
    }
}
