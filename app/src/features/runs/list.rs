//! Every run of this person, newest first.

use adagent_contract::{RunStatus, RunView};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    LocalTime,
    features::{
        api,
        desk::{Topbar, encode},
    },
    ui::{Empty, Glyph, Icon, Loading, Unread, format},
};

#[component]
pub fn RunsPage() -> impl IntoView {
    let query = use_query_map();
    let cursor = Memo::new(move |_| query.read().get("cursor").filter(|cursor| !cursor.is_empty()));
    let runs = Resource::new(move || cursor.get(), api::runs);
    view! {
        <Topbar title="Runs"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <div class="page-head"><div class="grow"><h2>"Runs"</h2><p>"What the agent did, newest first. Open one to see every event."</p></div></div>
                    <Transition fallback=|| view! { <Loading/> }>
                        {move || Suspend::new(async move {
                            match runs.await {
                                Ok(page) if page.items.is_empty() && cursor.get_untracked().is_none() => view! {
                                    <Empty glyph=Glyph::Activity title="No run yet" text="Ask something; the run that answers it is listed here."/>
                                }.into_any(),
                                Ok(page) => view! {
                                    <Table items=page.items/>
                                    <Pages later=cursor.get_untracked().is_some() next=page.next_cursor/>
                                }.into_any(),
                                Err(error) => view! { <Unread error again=Callback::new(move |()| runs.refetch())/> }.into_any(),
                            }
                        })}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

/// The way to older runs, and back to the newest. Links, so that a page of the list has an address.
#[component]
fn Pages(later: bool, next: Option<String>) -> impl IntoView {
    view! {
        <nav class="row" aria-label="Pages of the list">
            {later.then(|| view! { <a class="button small" href="/runs"><Icon glyph=Glyph::ArrowLeft small=true/>"Newest"</a> })}
            {next.map(|cursor| view! {
                <a class="button small" href=format!("/runs?cursor={}", encode(&cursor))>"Older"<Icon glyph=Glyph::ArrowRight small=true/></a>
            })}
        </nav>
    }
}

#[component]
fn Table(items: Vec<RunView>) -> impl IntoView {
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="Runs">
            <table class="table runs">
                <caption class="unseen">"Runs, newest first"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Question"</th>
                        <th scope="col">"Status"</th>
                        <th scope="col">"Model"</th>
                        <th scope="col" class="n">"Took"</th>
                        <th scope="col" class="n">"Asked"</th>
                    </tr>
                </thead>
                <tbody>
                    {items.into_iter().map(|run| {
                        let took = run.started_at.zip(run.finished_at).map(|(from, to)| to.millis_since(from).unsigned_abs());
                        view! {
                            <tr>
                                <th scope="row" class="wrap"><a class="link" href=format!("/runs/{}", run.id)>{run.question}</a></th>
                                <td><StatusBadge status=run.status/></td>
                                <td class="nowrap">{crate::features::chat::model_name(&run.model)}</td>
                                <td class="n">{took.map_or_else(|| "–".to_owned(), format::duration)}</td>
                                <td class="n"><LocalTime at=run.created_at/></td>
                            </tr>
                        }
                    }).collect_view()}
                </tbody>
            </table>
        </div>
    }
}

/// A run's status in a word and a colour.
#[component]
pub fn StatusBadge(status: RunStatus) -> impl IntoView {
    let (class, glyph, text) = match status {
        RunStatus::Queued => ("badge", Glyph::Clock, "Queued"),
        RunStatus::Running => ("badge accent", Glyph::Play, "Running"),
        RunStatus::AwaitingApproval => ("badge wait", Glyph::Clock, "Waits for approval"),
        RunStatus::Completed => ("badge good", Glyph::Check, "Completed"),
        RunStatus::Failed => ("badge bad", Glyph::CircleX, "Failed"),
        RunStatus::Stopped => ("badge bad", Glyph::Ban, "Stopped"),
        RunStatus::Cancelled => ("badge", Glyph::Ban, "Cancelled"),
    };
    view! { <span class=class><Icon glyph/>{text}</span> }
}
