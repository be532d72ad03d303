//! One run: figures, timeline, every event, tokens and cost.

use adagent_contract::{EventBody, RunEvent, RunView};
use adagent_domain::{Money, RunId};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    list::StatusBadge,
    timeline::{self, Kind},
};
use crate::{
    LocalTime,
    features::{
        api::{self, RunPage},
        desk::Topbar,
    },
    shell::NotFoundPage,
    ui::{Glyph, Icon, JsonTree, format},
};

#[component]
pub fn RunViewerPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").and_then(|text| text.parse::<RunId>().ok()));
    let page = Resource::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => api::read_run(id).await.map(Some),
                None => Ok(None),
            }
        },
    );
    view! {
        <Suspense fallback=|| view! { <Topbar title="Run"/> }>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(Some(page)) => view! { <Viewer page/> }.into_any(),
                    Ok(None) => view! { <NotFoundPage/> }.into_any(),
                    Err(error) if error.is_not_found() => view! { <NotFoundPage/> }.into_any(),
                    Err(error) => view! {
                        <Topbar title="Run"/>
                        <main id="main" class="page" tabindex="-1"><p class="error-text" role="alert">{error.0.detail}</p></main>
                    }.into_any(),
                }
            })}
        </Suspense>
    }
}

#[component]
fn Viewer(page: RunPage) -> impl IntoView {
    let RunPage { run, events } = page;
    let short: String = run.id.to_string().chars().take(8).collect();
    let chat = format!("/chat/{}", run.session_id);
    let status = run.status;
    view! {
        <Topbar title=format!("Run {short}")>
            <StatusBadge status/>
            <a class="button small ghost" href=chat><Icon glyph=Glyph::MessageSquare/>"Open chat"</a>
        </Topbar>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <div class="page-head">
                        <div class="grow">
                            <h2>{run.question.clone()}</h2>
                            <p>"Asked "<LocalTime at=run.created_at/>". Answered by "{run.model.clone()}"."</p>
                        </div>
                    </div>
                    <Figures run=run.clone() events=events.clone()/>
                    <Timeline events=events.clone()/>
                    <div class="run-grid">
                        <Events events/>
                        <Usage run/>
                    </div>
                </div>
            </main>
        </div>
    }
}

#[component]
fn Figures(run: RunView, events: Vec<RunEvent>) -> impl IntoView {
    let bars = timeline::bars(&events);
    let waited: i64 = bars.iter().filter(|bar| bar.kind == Kind::Human).map(|bar| bar.took).sum();
    let worked = (timeline::total(&events) - waited).max(0).unsigned_abs();
    let tools = bars.iter().filter(|bar| matches!(bar.kind, Kind::Tool | Kind::ToolFailed)).count();
    let failed = bars.iter().filter(|bar| bar.kind == Kind::ToolFailed).count();
    let nodes = bars.iter().filter(|bar| bar.kind == Kind::Node).count();
    let waited_note = if waited > 0 {
        format!("plus {} waiting for a person", format::duration(waited.unsigned_abs()))
    } else {
        "no wait".to_owned()
    };
    let tokens = i64::try_from(run.usage.input_tokens + run.usage.output_tokens).unwrap_or(i64::MAX);
    let cost = Money::new(adagent_domain::Currency::USD, run.usage.cost_micros).display(4);
    view! {
        <dl class="kpis">
            <Figure name="Duration" value=format::duration(worked) note=waited_note/>
            <Figure name="Nodes" value=nodes.to_string() note="visited in order".to_owned()/>
            <Figure name="Tool calls" value=tools.to_string() note=if failed == 0 { "none failed".to_owned() } else { format!("{failed} failed") }/>
            <Figure
                name="Tokens" value=format::count(tokens)
                note=format!("{} in, {} out", run.usage.input_tokens, run.usage.output_tokens)
            />
            <Figure name="Cost" value=cost note=run.model/>
        </dl>
    }
}

#[component]
fn Figure(name: &'static str, value: String, note: String) -> impl IntoView {
    view! {
        <div class="kpi"><dt>{name}</dt><dd style="margin:0"><div class="kpi-value">{value}</div><div class="kpi-note">{note}</div></dd></div>
    }
}

#[component]
fn Timeline(events: Vec<RunEvent>) -> impl IntoView {
    #[expect(clippy::cast_precision_loss, reason = "positions on a screen")]
    let total = timeline::total(&events) as f64;
    let rows = timeline::bars(&events);
    view! {
        <section class="section" aria-labelledby="timeline">
            <div class="section-head"><h3 id="timeline">"Timeline"</h3></div>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Timeline of nodes">
                <div class="gantt">
                    {rows.into_iter().map(|bar| {
                        #[expect(clippy::cast_precision_loss, reason = "positions on a screen")]
                        let (x, w) = (bar.from as f64 / total * 100.0, (bar.took as f64 / total * 100.0).max(0.4));
                        let (row, span) = match bar.kind {
                            Kind::Node => ("gantt-row", "span"),
                            Kind::Tool => ("gantt-row sub", "span tool"),
                            Kind::ToolFailed => ("gantt-row sub", "span error"),
                            Kind::Human => ("gantt-row", "span human"),
                        };
                        view! {
                            <div class=row>
                                <span><span class="truncate">{bar.label}</span></span>
                                <div><span class=span style=format!("--x:{x:.2}%;--w:{w:.2}%")></span></div>
                                <span>{format::duration(bar.took.unsigned_abs())}</span>
                            </div>
                        }
                    }).collect_view()}
                </div>
            </div>
        </section>
    }
}

#[component]
fn Events(events: Vec<RunEvent>) -> impl IntoView {
    let start = events.first().map(|event| event.at);
    let count = events.len();
    view! {
        <section class="card" aria-labelledby="events">
            <div class="card-head"><h3 id="events">"Events"</h3><span class="faint num">{count}</span></div>
            <ol>
                {events.into_iter().map(|event| {
                    let after = start.map_or(0, |start| event.at.millis_since(start)).unsigned_abs();
                    let gist = gist(&event.body);
                    let json = serde_json::to_value(&event.body).unwrap_or_default();
                    view! {
                        <li>
                            <details>
                                <summary class="event">
                                    <span>{event.seq}</span>
                                    <time>{format::duration(after)}</time>
                                    <span class="truncate"><span class="mono">{event.body.kind()}</span>" "<span class="quiet-text">{gist}</span></span>
                                </summary>
                                <JsonTree value=json label=format!("Event {}", event.seq)/>
                            </details>
                        </li>
                    }
                }).collect_view()}
            </ol>
        </section>
    }
}

/// The few words that tell one event from another in a list.
fn gist(body: &EventBody) -> String {
    match body {
        EventBody::RunStarted { model, .. } | EventBody::Usage { model, .. } => model.clone(),
        EventBody::Routing { service, capability, .. } => format!("{service}, {capability}"),
        EventBody::Agent { agent, .. } => agent.clone(),
        EventBody::Status { label } => label.clone(),
        EventBody::Thinking { content }
        | EventBody::Content { content, .. }
        | EventBody::Result { content, .. }
        | EventBody::Error { content, .. } => content.chars().take(80).collect(),
        EventBody::Tool { name, .. } => name.clone(),
        EventBody::ToolExecuting { message, .. } | EventBody::ActionRequired { message, .. } => message.clone(),
        EventBody::ToolResult { summary, .. } => summary.clone(),
        EventBody::ToolApprovalRequired { title, .. } => title.clone(),
        EventBody::ToolApprovalAnswered { by, .. } => by.clone(),
        EventBody::ToolDenied { reason, .. } => reason.clone(),
        EventBody::Done { status } => status.as_str().to_owned(),
    }
}

#[component]
fn Usage(run: RunView) -> impl IntoView {
    let cost = Money::new(adagent_domain::Currency::USD, run.usage.cost_micros).display(4);
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="Tokens and cost">
            <table class="table">
                <caption class="unseen">"Tokens and cost"</caption>
                <thead>
                    <tr><th scope="col">"Model"</th><th scope="col" class="n">"In"</th><th scope="col" class="n">"Out"</th><th scope="col" class="n">"Cost"</th></tr>
                </thead>
                <tbody>
                    <tr>
                        <th scope="row">{run.model}</th>
                        <td class="n">{run.usage.input_tokens}</td>
                        <td class="n">{run.usage.output_tokens}</td>
                        <td class="n">{cost}</td>
                    </tr>
                </tbody>
            </table>
        </div>
    }
}
