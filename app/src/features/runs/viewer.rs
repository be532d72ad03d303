//! One run: figures, timeline, saved states, every event, tokens and cost.

use adagent_contract::{EventBody, RunEvent, RunView};
use adagent_domain::{Money, RunId};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    checkpoint::Checkpoint,
    list::StatusBadge,
    timeline::{self, Kind},
    timeline_view::Timeline,
};
use crate::{
    LocalTime, PageClock,
    features::{
        api::{self, RunPage},
        chat::model_name,
        desk::Topbar,
    },
    shell::NotFoundPage,
    ui::{Glyph, Icon, JsonTree, format},
};

/// How often a run that goes on is read again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(2);

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
    // A run that goes on is followed by reading it again; one that is over never is.
    Effect::new(move |_| {
        let goes_on = matches!(page.get(), Some(Ok(Some(page))) if !page.run.status.is_final());
        if goes_on && let Ok(handle) = set_timeout_with_handle(move || page.refetch(), AGAIN) {
            on_cleanup(move || handle.clear());
        }
    });
    // What did not change is not drawn anew: what somebody opened in it stays open.
    let shown = Memo::new(move |_| page.get());
    view! {
        <Transition fallback=|| view! { <Topbar title="Run"/> }>
            {move || shown.get().map(|answer| match answer {
                Ok(Some(page)) => view! { <Viewer page/> }.into_any(),
                Ok(None) => view! { <NotFoundPage/> }.into_any(),
                Err(error) if error.is_not_found() => view! { <NotFoundPage/> }.into_any(),
                Err(error) => view! {
                    <Topbar title="Run"/>
                    <main id="main" class="page" tabindex="-1"><p class="error-text" role="alert">{error.0.detail}</p></main>
                }.into_any(),
            })}
        </Transition>
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
    // Without a choice the last state is shown: where the run is, or ended.
    let chosen = Memo::new(move |_| {
        let asked = query.read().get("checkpoint").and_then(|text| text.parse::<usize>().ok());
        asked.filter(|number| (1..=count).contains(number)).or((count > 0).then_some(count))
    });
    let saved = checkpoints.clone();
    let until = (!status.is_final()).then(|| PageClock::get().now_untracked());
    let rows = timeline::rows(&events, &checkpoints, until);
    view! {
        <Topbar title=format!("Run {short}") badge=move || view! { <StatusBadge status/> }.into_any()>
            <a class="button small ghost wide-only" href=chat_too><Icon glyph=Glyph::MessageSquare small=true/>"Open chat"</a>
        </Topbar>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <div class="page-head">
                        <div class="grow">
                            <h2>{run.question.clone()}</h2>
                            <p>"Asked "<LocalTime at=run.created_at/>" in "<a class="link" href=chat>"this chat"</a>". "{model_name(&run.model)}" planned and answered."</p>
                        </div>
                    </div>
                    <Figures run=run.clone() events=events.clone() rows=rows.clone()/>
                    <Timeline events=events.clone() checkpoints rows chosen/>
                    <div class="run-grid">
                        {move || chosen.get().map(|number| view! { <Checkpoint run=id checkpoints=saved.clone() start number/> })}
                        <div class="stack" style="gap:20px">
                            <Events events/>
                            <Usage run/>
                        </div>
                    </div>
                </div>
            </main>
        </div>
    }
}

#[component]
fn Figures(run: RunView, events: Vec<RunEvent>, rows: Vec<timeline::Row>) -> impl IntoView {
    let spans =
        |kinds: &[Kind]| rows.iter().flat_map(|row| &row.spans).filter(|span| kinds.contains(&span.kind)).count();
    let waited: i64 = timeline::waits(&rows).into_iter().map(|(from, to)| to - from).sum();
    let worked = (timeline::total(&events, &rows) - waited).max(0).unsigned_abs();
    let (tools, failed) = (spans(&[Kind::Tool, Kind::ToolFailed]), spans(&[Kind::ToolFailed]));
    let kinds = rows.iter().filter(|row| row.kind == Kind::Node).count();
    let waited_note = if waited > 0 {
        format!("plus {} waiting for a person", format::duration(waited.unsigned_abs()))
    } else {
        "nobody was waited for".to_owned()
    };
    let tokens = i64::try_from(run.usage.input_tokens + run.usage.output_tokens).unwrap_or(i64::MAX);
    let cost = Money::new(adagent_domain::Currency::USD, run.usage.cost_micros).display(4);
    view! {
        <dl class="kpis">
            <Figure name="Duration" value=format::duration(worked) note=waited_note/>
            <Figure name="Nodes" value=spans(&[Kind::Node]).to_string() note=format::plural(kinds, "kind", "kinds")/>
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
    // "15.2 s": the unit is smaller than the figure.
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
                        <th scope="row">{model_name(&run.model)}</th>
                        <td class="n">{run.usage.input_tokens}</td>
                        <td class="n">{run.usage.output_tokens}</td>
                        <td class="n">{cost}</td>
                    </tr>
                </tbody>
            </table>
        </div>
    }
}
