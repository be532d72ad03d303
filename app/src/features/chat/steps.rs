//! The steps of a turn: one line while it runs, a summary when it is done, and all details when opened.

use adagent_contract::{Artifact, CallResult, RunStatus, STEP_ROWS, StepState, StepView, TurnView, omitted};
use adagent_domain::{RunId, ToolCallId};
use leptos::{prelude::*, task::spawn_local};

use super::summary;
use crate::{
    clock::PageClock,
    features::api::{self, ApiError},
    ui::{Badge, DataTable, Glyph, Icon, JsonTree, Note, NoteTone, Progress, Spinner, format},
};

/// Shows the steps inside the thread; nothing if there are none.
#[component]
pub fn Steps(#[prop(into)] turn: Signal<TurnView>) -> impl IntoView {
    let running =
        Memo::new(move |_| turn.with(|turn| !turn.status.is_final() && turn.status != RunStatus::AwaitingApproval));
    let any = Memo::new(move |_| turn.with(|turn| summary::step_count(turn) > 0));
    view! {
        <Show when=move || running.get() || any.get()>
            <div class="part" data-node=move || if running.get() { "live" } else { "step" }>
                <Show when=move || running.get()>
                    <LiveLine turn/>
                </Show>
                <Show when=move || any.get()>
                    <details class="steps" style=move || running.get().then_some("margin-top:8px")>
                        <summary>
                            <Icon glyph=Glyph::ChevronRight small=true class="chevron"/>
                            <span>
                                {move || turn.with(|turn| if running.get() {
                                    format!("{} done", format::plural(summary::done_count(turn), "step", "steps"))
                                } else {
                                    summary::headline(turn)
                                })}
                            </span>
                            {move || (!running.get()).then(|| turn.with(took)).flatten().map(|took| {
                                view! { <span class="faint num">{took}</span> }
                            })}
                        </summary>
                        <StepList turn/>
                    </details>
                </Show>
            </div>
        </Show>
    }
}

/// Returns how long the work took. `None` if a person was asked, because then the time includes their wait.
fn took(turn: &TurnView) -> Option<String> {
    if !turn.approvals.is_empty() {
        return None;
    }
    let (from, to) = turn.started_at.zip(turn.finished_at)?;
    u64::try_from(to.millis_since(from)).ok().map(format::duration)
}

/// Shows what the run does now, and for how long.
#[component]
fn LiveLine(turn: Signal<TurnView>) -> impl IntoView {
    let clock = PageClock::get();
    let label = Memo::new(move |_| turn.with(summary::live_label));
    let progress = Memo::new(move |_| turn.with(summary::live_progress));
    let started = Memo::new(move |_| turn.with(|turn| turn.started_at));
    let elapsed = move || {
        let millis = clock.now().millis_since(started.get()?);
        u64::try_from(millis).ok().map(format::duration)
    };
    view! {
        <div class="live" role="status">
            <Spinner/>
            <span class="truncate">{move || label.get()}</span>
            <span class="faint push nowrap" aria-hidden="true">{elapsed}</span>
        </div>
        {move || progress.get().map(|progress| view! {
            <div style="margin-top:6px">
                <Progress label="Progress" done=progress.done total=progress.total/>
            </div>
        })}
    }
}

#[component]
fn StepList(turn: Signal<TurnView>) -> impl IntoView {
    let run = turn.with_untracked(|turn| turn.run_id);
    let routing = Memo::new(move |_| turn.with(|turn| turn.routing.clone()));
    // Draw a step again only when it changed; the others keep what the person opened in them.
    let steps = Memo::new(move |_| {
        turn.with(|turn| {
            turn.steps.iter().cloned().enumerate().map(|(at, step)| ((at, version(&step)), step)).collect::<Vec<_>>()
        })
    });
    view! {
        <div class="step-list">
            {move || routing.get().map(|routing| line(Glyph::Route, "Understanding the question".into(), summary::routing_line(&routing)))}
            <For each=move || steps.get() key=|(key, _)| *key children=move |(_, step)| draw(step, run)/>
        </div>
    }
}

/// Returns a value that changes whenever the step looks different.
fn version(step: &StepView) -> (u8, u64) {
    match step {
        StepView::Tool { state, progress, duration_ms, .. } => {
            let state = match state {
                StepState::Running => 1,
                StepState::Waiting => 2,
                StepState::Ok => 3,
                StepState::Failed => 4,
                StepState::Stopped => 6,
                StepState::Denied => 5,
            };
            (state, progress.map_or(0, |p| p.done) + duration_ms.unwrap_or(0))
        }
        _ => (0, 0),
    }
}

fn line(glyph: Glyph, name: String, text: String) -> AnyView {
    view! {
        <div class="step">
            <div class="step-line">
                <Icon glyph/>
                <span class="name">{name}</span>
                <span class="truncate quiet-text">{text}</span>
            </div>
        </div>
    }
    .into_any()
}

fn draw(step: StepView, run: RunId) -> AnyView {
    match step {
        StepView::Agent { agent, task, .. } => {
            let (name, glyph) = summary::agent_name(&agent);
            line(glyph, name, task.unwrap_or_default())
        }
        StepView::Thinking { content, .. } => line(Glyph::MessageSquare, "Thinking".into(), content),
        tool @ StepView::Tool { .. } => view! { <ToolStep step=tool run/> }.into_any(),
    }
}

fn state_icon(state: StepState) -> AnyView {
    match state {
        StepState::Running => view! { <Spinner style="color:var(--accent)"/> }.into_any(),
        StepState::Waiting => view! { <Icon glyph=Glyph::Clock/> }.into_any(),
        StepState::Ok => view! { <Icon glyph=Glyph::Wrench/> }.into_any(),
        StepState::Failed => view! { <Icon glyph=Glyph::CircleX class="bad"/> }.into_any(),
        StepState::Stopped => view! { <Icon glyph=Glyph::Square/> }.into_any(),
        StepState::Denied => view! { <Icon glyph=Glyph::Ban/> }.into_any(),
    }
}

/// Shows a call with its parameters, result and errors.
#[component]
fn ToolStep(step: StepView, run: RunId) -> impl IntoView {
    let StepView::Tool {
        tool_call_id,
        name,
        params,
        state,
        message,
        summary: said,
        result,
        artifact,
        duration_ms,
        cached,
        ..
    } = step
    else {
        return ().into_any();
    };
    let unseen_state = match state {
        StepState::Running => "running",
        StepState::Waiting => "pending approval",
        StepState::Ok => "done",
        StepState::Failed => "failed",
        StepState::Stopped => "stopped",
        StepState::Denied => "denied",
    };
    let text = said.clone().or(message).unwrap_or_default();
    let failed = (state == StepState::Failed).then(|| said.clone().unwrap_or_else(|| "The request failed.".into()));
    let denied = (state == StepState::Denied).then(|| said.unwrap_or_else(|| "Denied. Nothing was sent.".into()));
    let params = summary::params(&params);
    let opened = RwSignal::new(false);
    let found = CallResult { result, artifact };
    view! {
        <details class="step" id=format!("call-{tool_call_id}") on:toggle=move |_| opened.set(true)>
            <summary class="step-line">
                {state_icon(state)}
                <span class="mono name truncate">{name.clone()}</span>
                <span class="unseen">{unseen_state}</span>
                <span class="truncate quiet-text wide-only">{text}</span>
                {cached.then(|| view! { <Badge>"cached"</Badge> })}
                <span class="took">{duration_ms.map(format::duration)}</span>
                <Icon glyph=Glyph::ChevronRight small=true class="chevron"/>
            </summary>
            <div class="step-body">
                {(!params.is_empty()).then(|| view! {
                    <dl class="params">
                        {params.into_iter().map(|(key, value)| view! { <dt>{key}</dt><dd>{value}</dd> }).collect_view()}
                    </dl>
                })}
                {failed.map(|text| view! { <Note tone=NoteTone::Bad>{text}</Note> })}
                {denied.map(|text| view! { <Note icon=Glyph::Ban>{text}</Note> })}
                <Outcome name found cached run call=tool_call_id opened/>
            </div>
        </details>
    }
    .into_any()
}

/// Shows the result of a call. It is drawn only when its step is opened, because a report's tree is larger than the page around
/// it. For a long result, the page holds only the size, and this loads the result.
#[component]
fn Outcome(
    name: String,
    found: CallResult,
    cached: bool,
    run: RunId,
    call: ToolCallId,
    opened: RwSignal<bool>,
) -> impl IntoView {
    let has_result = found.result.as_ref().is_some_and(|result| !result.is_null()) || found.artifact.is_some();
    let missing = found.result.as_ref().and_then(omitted).is_some();
    let found = StoredValue::new(found);
    let fetched = RwSignal::new(None::<Result<CallResult, ApiError>>);
    Effect::new(move |_| {
        if opened.get() && missing && fetched.with_untracked(Option::is_none) {
            spawn_local(async move {
                fetched.try_set(Some(api::read_step(run, call).await));
            });
        }
    });
    let name = StoredValue::new(name);
    let drawn = move || {
        if !opened.get() {
            // What a page without JavaScript shows when the step is opened.
            return view! { <p class="faint" style="font-size:var(--t-xs)"><RunLink run/></p> }.into_any();
        }
        match fetched.get() {
            _ if !missing => outcome(&name.get_value(), found.get_value(), cached, run),
            None => view! { <p class="faint row" style="font-size:var(--t-xs)"><Spinner/>"Loading the result…"</p> }
                .into_any(),
            Some(Ok(whole)) => outcome(&name.get_value(), whole, cached, run),
            Some(Err(error)) => view! { <Note tone=NoteTone::Bad>{error.0.detail.clone()}</Note> }.into_any(),
        }
    };
    has_result.then_some(drawn)
}

#[component]
fn RunLink(run: RunId) -> impl IntoView {
    view! { <a class="link" href=format!("/runs/{run}")>"Open the run"</a> }
}

fn outcome(name: &str, found: CallResult, cached: bool, run: RunId) -> AnyView {
    let CallResult { result, artifact } = found;
    let label = format!("Result of {name}");
    let table = match artifact {
        Some(Artifact::Table { mut table, .. }) => {
            let all = table.row_count;
            table.rows.truncate(STEP_ROWS);
            let shown = table.rows.len() as u64;
            let rows = format::plural(usize::try_from(all).unwrap_or(usize::MAX), "row", "rows");
            let counted = if shown < all { format!("{rows}, {shown} shown") } else { rows };
            let sort = RwSignal::new(crate::ui::sorting::initial(&table));
            Some((counted, view! { <DataTable table label=label.clone() sort small=true/> }))
        }
        _ => None,
    };
    let (counted, table) = table.unzip();
    let result = result.filter(|result| !result.is_null());
    let cached = if cached { "cached" } else { "not cached" };
    // Without a table, the tree is the result. With a table, the tree is one press away.
    let tree = result.map(|result| {
        if let Some(bytes) = omitted(&result) {
            return view! {
                <p class="faint" style="font-size:var(--t-xs)">
                    {format!("Result not loaded ({} KB). ", format::count(i64::try_from(bytes.div_ceil(1024)).unwrap_or(i64::MAX)))}
                    <RunLink run/>
                </p>
            }
            .into_any();
        }
        let tree = view! { <JsonTree value=result label/> };
        if counted.is_some() {
            view! {
                <details class="steps">
                    <summary>
                        <Icon glyph=Glyph::FileJson small=true/>
                        "JSON"
                    </summary>
                    {tree}
                </details>
            }
            .into_any()
        } else {
            tree.into_any()
        }
    });
    view! {
        {table}
        {counted.map(|counted| view! {
            <div class="row wrap faint" style="font-size:var(--t-xs)">
                <span>{counted}</span>
                <span>"·"</span>
                <span>{cached}</span>
            </div>
        })}
        {tree}
    }
    .into_any()
}
