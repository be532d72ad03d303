//! One run: numbers, timeline, checkpoints, every event, tokens and cost.

use adagent_contract::{EventBody, RunEvent, RunView, StepKind, StepTiming, UsageView};
use adagent_domain::{Money, RunId};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{checkpoint::Checkpoint, event_rows::Events, outcome::StatusBadge, timeline, timeline_view::Timeline};
use crate::{
    LocalTime,
    features::{
        api::{self, Missing, RunPage},
        chat::{WithoutScript, model_name},
        desk::{Elsewhere, Topbar},
    },
    shell::NotFoundPage,
    ui::{Glyph, Icon, Unread, format},
};

/// How often an unfinished run is loaded again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(2);

#[component]
pub fn RunViewerPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").and_then(|text| text.parse::<RunId>().ok()));
    let page = Resource::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => api::or_elsewhere(api::read_run(id).await, api::Sought::Run(id)).await.map(Some),
                None => Ok(None),
            }
        },
    );
    // Follow an unfinished run by loading it again; never load a finished one again.
    Effect::new(move |_| {
        let goes_on = matches!(page.get(), Some(Ok(Some(page))) if !page.run.status.is_final());
        if goes_on && let Ok(handle) = set_timeout_with_handle(move || page.refetch(), AGAIN) {
            on_cleanup(move || handle.clear());
        }
    });
    view! {
        <Transition fallback=|| view! { <Topbar title="Run"/> }>
            <Shown page/>
        </Transition>
    }
}

/// Draws unchanged parts only once, so that what the person opened stays open. It is inside the `Transition`, because the server
/// does not wait for resources that are read outside of it.
#[component]
fn Shown(page: Resource<Result<Option<RunPage>, Missing>>) -> impl IntoView {
    let shown = Memo::new(move |_| page.get());
    move || {
        shown.get().map(|answer| match answer {
            Ok(Some(page)) => view! { <Viewer page/> }.into_any(),
            Ok(None) => view! { <NotFoundPage/> }.into_any(),
            Err(missing) if missing.error.is_not_found() => view! { <Elsewhere missing what="run"/> }.into_any(),
            Err(Missing { error, .. }) => view! {
                <Topbar title="Run"/>
                <div class="split"><main id="main" class="page" tabindex="-1"><div class="page-in"><Unread error again=Callback::new(move |()| page.refetch())/></div></main></div>
            }
            .into_any(),
        })
    }
}

#[component]
fn Viewer(page: RunPage) -> impl IntoView {
    let RunPage { run, events, checkpoints } = page;
    let short: String = run.id.to_string().chars().take(8).collect();
    let chat = format!("/chat/{}", run.session_id);
    let chat_too = chat.clone();
    let (status, id, start) = (run.status, run.id, events.first().map_or(run.created_at, |event| event.at));
    let query = use_query_map();
    let count = checkpoints.len();
    let goes_on = !status.is_final();
    // By default, show the last checkpoint: the current state of the run, or its end.
    let chosen = Memo::new(move |_| {
        let asked = query.read().get("checkpoint").and_then(|text| text.parse::<usize>().ok());
        asked.filter(|number| (1..=count).contains(number)).or((count > 0).then_some(count))
    });
    let saved = checkpoints.clone();
    let since = Memo::new(move |_| query.read().get("from").and_then(|text| text.parse::<usize>().ok()));
    let rows = timeline::rows(&run.steps, start);
    let kept = StoredValue::new(events.clone());
    // The settings when the run began. Later changes are among its events.
    let context = events.iter().find_map(|event| match &event.body {
        EventBody::RunStarted { settings, .. } => settings.as_ref().map(|settings| settings.in_words()),
        _ => None,
    });
    view! {
        <Topbar title=format!("Run {short}") badge=move || view! { <StatusBadge status/> }.into_any()>
            {(count > 0).then(|| view! { <a class="button small ghost" href="#fork"><Icon glyph=Glyph::GitFork small=true/>"Fork"</a> })}
            <a class="button small ghost wide-only" href=chat_too><Icon glyph=Glyph::MessageSquare small=true/>"Open chat"</a>
        </Topbar>
        {goes_on.then(|| view! { <WithoutScript/> })}
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <div class="page-head">
                        <div class="grow">
                            <h2>{run.question.clone()}</h2>
                            <p>"Asked "<LocalTime at=run.created_at/>" in "<a class="link" href=chat>"this chat"</a>". "{model_name(&run.model)}" planned and answered."</p>
                            {context.map(|words| view! { <p class="faint">"Scope: "{words}</p> })}
                            <Family run=run.clone()/>
                        </div>
                    </div>
                    <Figures run=run.clone() rows=rows.clone()/>
                    <Timeline start checkpoints rows chosen/>
                    <div class="run-grid">
                        {move || chosen.get().map(|number| view! {
                            <Checkpoint run=id checkpoints=saved.clone() events=kept start number since=since.get()/>
                        })}
                        <div class="stack" style="gap:20px">
                            <Events events=events.clone()/>
                            <Usage run events/>
                        </div>
                    </div>
                </div>
            </main>
        </div>
    }
}

/// Shows the run that this one was forked from, and the forks of this one.
#[component]
fn Family(run: RunView) -> impl IntoView {
    let parent = run.parent.map(|parent| {
        let step = parent.step;
        match parent.question {
            Some(question) => view! {
                <p>
                    "Forked from checkpoint "{step}" of "
                    <a class="link" href=format!("/runs/{}?checkpoint={step}", parent.run_id)>{format!("“{}”", format::shorten(&question, 60))}</a>"."
                </p>
            }
            .into_any(),
            None => view! { <p>"Forked from checkpoint "{step}" of a run that is no longer kept."</p> }.into_any(),
        }
    });
    let forks = (!run.forks.is_empty()).then(|| {
        view! {
            <ul class="fork-list" aria-label="Forks of this run">
                {run.forks.into_iter().map(|fork| view! {
                    <li>
                        <Icon glyph=Glyph::GitFork small=true class="faint"/>
                        <span class="faint">"From checkpoint "{fork.step}</span>
                        <a class="link truncate" href=format!("/runs/{}", fork.run_id)>{fork.question}</a>
                        <StatusBadge status=fork.status/>
                    </li>
                }).collect_view()}
            </ul>
        }
    });
    view! { {parent}{forks} }
}

#[component]
fn Figures(run: RunView, rows: Vec<timeline::Row>) -> impl IntoView {
    let of = |kind: StepKind| run.steps.iter().filter(move |step: &&StepTiming| step.kind == kind);
    let waited: i64 = timeline::waits(&rows).into_iter().map(|(from, to)| to - from).sum();
    let queued: u64 = of(StepKind::Queue).map(|step| step.duration_us).sum();
    let worked = (timeline::total(&rows) - waited).max(0).unsigned_abs().saturating_sub(queued);
    let (tools, failed) = (of(StepKind::Tool).count(), of(StepKind::Tool).filter(|step| !step.ok).count());
    let nodes = of(StepKind::Node).count();
    let kinds = rows.iter().filter(|row| row.kind == StepKind::Node).count();
    let waited_note = if waited > 0 {
        format!("plus {} pending approval", format::precise(waited.unsigned_abs()))
    } else {
        "no time pending approval".to_owned()
    };
    let tokens = i64::try_from(run.usage.input_tokens + run.usage.output_tokens).unwrap_or(i64::MAX);
    let cost = Money::new(adagent_domain::Currency::USD, run.usage.cost_micros).display(4);
    view! {
        <dl class="kpis">
            <Figure name="Duration" value=format::precise(worked) note=waited_note/>
            <Figure name="Steps" value=nodes.to_string() note=format::plural(kinds, "kind", "kinds")/>
            <Figure name="Tool calls" value=tools.to_string() note=if failed == 0 { "none failed".to_owned() } else { format!("{failed} failed") }/>
            <Figure
                name="Tokens" value=format::count(tokens)
                note=format!("{} in, {} out", run.usage.input_tokens, run.usage.output_tokens)
            />
            <Figure name="Cost" value=cost note=model_name(&run.model)/>
        </dl>
    }
}

#[component]
fn Figure(name: &'static str, value: String, note: String) -> impl IntoView {
    // In "15.2 s", the unit is smaller than the number.
    let (figure, unit) = match value.rsplit_once(' ') {
        Some((figure, unit)) if unit.bytes().all(|b| b.is_ascii_lowercase()) => (figure.to_owned(), format!(" {unit}")),
        _ => (value, String::new()),
    };
    view! {
        <div class="kpi">
            <dt>{name}</dt>
            <dd style="margin:0">
                <div class="kpi-value">{figure}{(!unit.is_empty()).then(|| view! { <small>{unit}</small> })}</div>
                <div class="kpi-note">{note}</div>
            </dd>
        </div>
    }
}

/// Shows what each model used. The run's own numbers are the total.
#[component]
fn Usage(run: RunView, events: Vec<RunEvent>) -> impl IntoView {
    let rows = by_model(&events);
    let line = |name: String, usage: &UsageView| {
        let cost = Money::new(adagent_domain::Currency::USD, usage.cost_micros).display(4);
        // We estimated tokens that the provider did not report, and mark them as estimates.
        let about = if usage.estimated { "about " } else { "" };
        let count = |tokens: u64| format!("{about}{}", format::count(i64::try_from(tokens).unwrap_or(i64::MAX)));
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="n">{count(usage.input_tokens)}</td>
                <td class="n">{count(usage.output_tokens)}</td>
                <td class="n">{about}{cost}</td>
            </tr>
        }
    };
    let total = (rows.len() > 1).then(|| view! { <tfoot>{line("Total".into(), &run.usage)}</tfoot> });
    let rows = if rows.is_empty() { vec![UsageView { model: run.model.clone(), ..run.usage }] } else { rows };
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="Tokens and cost">
            <table class="table">
                <caption class="unseen">"Tokens and cost"</caption>
                <thead>
                    <tr><th scope="col">"Model"</th><th scope="col" class="n">"In"</th><th scope="col" class="n">"Out"</th><th scope="col" class="n">"Cost"</th></tr>
                </thead>
                <tbody>{rows.iter().map(|usage| line(model_name(&usage.model), usage)).collect_view()}</tbody>
                {total}
            </table>
        </div>
    }
}

/// Returns one row per model, in the order in which the run first used them.
fn by_model(events: &[RunEvent]) -> Vec<UsageView> {
    let mut rows: Vec<UsageView> = Vec::new();
    for event in events {
        let EventBody::Usage { model, input_tokens, output_tokens, cost_micros, estimated, .. } = &event.body else {
            continue;
        };
        let at = rows.iter().position(|row| row.model == *model).unwrap_or_else(|| {
            rows.push(UsageView { model: model.clone(), ..UsageView::default() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.input_tokens += input_tokens;
        row.output_tokens += output_tokens;
        row.cost_micros += cost_micros;
        row.estimated |= estimated;
    }
    rows
}
