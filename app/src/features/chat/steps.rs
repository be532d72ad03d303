//! The steps of a turn: one line while it runs, a summary when it is done, everything when opened.

use adagent_contract::{Artifact, StepState, StepView, TurnView};
use adagent_domain::RunId;
use leptos::prelude::*;
use serde_json::Value as Json;

use super::summary;
use crate::{
    clock::PageClock,
    ui::{Badge, DataTable, Glyph, Icon, JsonTree, Note, NoteTone, Progress, Spinner, format},
};

/// Rows of a result that are shown within a step.
const ROWS: usize = 8;

/// The steps as a part of the thread; nothing while there is nothing to say.
#[component]
pub fn Steps(#[prop(into)] turn: Signal<TurnView>) -> impl IntoView {
    let running = Memo::new(move |_| turn.with(|turn| !turn.status.is_final() && turn.waiting_approval().is_none()));
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

/// How long the work took. Where a person was asked, the time between says nothing about that.
fn took(turn: &TurnView) -> Option<String> {
    if !turn.approvals.is_empty() {
        return None;
    }
    let (from, to) = turn.started_at.zip(turn.finished_at)?;
    u64::try_from(to.millis_since(from)).ok().map(format::duration)
}

/// What it does now, and for how long already.
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
    // A step is drawn again when it changed; the others stay, with what was opened in them.
    let steps = Memo::new(move |_| {
        turn.with(|turn| {
            turn.steps.iter().cloned().enumerate().map(|(at, step)| ((at, version(&step)), step)).collect::<Vec<_>>()
        })
    });
    view! {
        <div class="step-list">
            {move || routing.get().map(|routing| line(Glyph::Route, "Routing".into(), summary::routing_line(&routing)))}
            <For each=move || steps.get() key=|(key, _)| *key children=move |(_, step)| draw(step, run)/>
        </div>
    }
}

/// What makes a step look different.
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

/// A call with its parameters, result and errors.
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
    view! {
        <details class="step" id=format!("call-{tool_call_id}")>
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
                {outcome(&name, artifact, result, cached, run)}
            </div>
        </details>
    }
    .into_any()
}

/// How big a result is that was left with its run because it is long and its turn an older one.
fn omitted(result: &Json) -> Option<u64> {
    let fields = result.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("omitted_bytes")?.as_u64()
}

fn outcome(name: &str, artifact: Option<Artifact>, result: Option<Json>, cached: bool, run: RunId) -> AnyView {
    let label = format!("Result of {name}");
    let table = match artifact {
        Some(Artifact::Table { mut table, .. }) => {
            let all = table.row_count;
            table.rows.truncate(ROWS);
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
    // Without a table the tree is the result; beside a table it is one press away.
    let tree = result.map(|result| {
        if let Some(bytes) = omitted(&result) {
            return view! {
                <p class="faint" style="font-size:var(--t-xs)">
                    {format!("Result not loaded ({} KB). ", format::count(i64::try_from(bytes.div_ceil(1024)).unwrap_or(i64::MAX)))}
                    <a class="link" href=format!("/runs/{run}")>"Open the run"</a>
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::omitted;

    #[test]
    fn only_a_result_that_was_left_out_counts_as_left_out() {
        assert_eq!(omitted(&json!({ "omitted_bytes": 20_480 })), Some(20_480));
        assert_eq!(omitted(&json!({ "omitted_bytes": 1, "rows": [] })), None);
        assert_eq!(omitted(&json!({ "rows": [] })), None);
    }
}
