//! What needs the person: approvals, broken connections, failed runs.

use adagent_contract::{ApprovalView, NetworkState, ProviderKind, ProviderView, RunRow};
use leptos::prelude::*;

use crate::{
    LocalTime, PageClock,
    ui::{Glyph, Icon, SourceMark},
};

/// How many approvals are named; the inbox has all.
const MOST_WAITING: usize = 4;

#[component]
pub fn Waiting(waiting: Vec<ApprovalView>) -> impl IntoView {
    let clock = PageClock::get();
    let none = waiting.is_empty();
    let row = move |item: ApprovalView| {
        let asked = item.created_at;
        view! {
            <li>
                <a class="inbox-item" href=format!("/approvals?id={}#approval", item.id)>
                    <SourceMark source=item.source/>
                    <b>{item.title}</b>
                    <time datetime=asked.to_string()>{move || clock.age(asked)}</time>
                </a>
            </li>
        }
    };
    view! {
        <section class="section" aria-labelledby="home-waiting">
            <div class="section-head">
                <h3 id="home-waiting">"Pending your approval"</h3>
                {(!none).then(|| view! { <a class="link push" href="/approvals">"All approvals"</a> })}
            </div>
            {if none {
                view! { <p class="quiet-text">"Nothing is pending."</p> }.into_any()
            } else {
                view! { <ul class="card">{waiting.into_iter().take(MOST_WAITING).map(row).collect_view()}</ul> }.into_any()
            }}
        </section>
    }
}

/// Says what is wrong with a connection in a few words; `None` if it works or was turned off on purpose.
fn trouble(connection: &ProviderView) -> Option<&'static str> {
    match connection.state {
        NetworkState::AuthFailed if connection.kind == ProviderKind::Oauth => Some("Sign-in expired"),
        NetworkState::AuthFailed => Some("Keys rejected"),
        NetworkState::ChooseAccount => Some("Choose an account"),
        NetworkState::Connected if connection.paused.is_some() => Some("Paused after several errors"),
        _ => None,
    }
}

/// Lists the broken connections; empty if all work.
#[component]
pub fn TroubledConnections(networks: Vec<ProviderView>) -> impl IntoView {
    let troubled: Vec<_> = networks
        .iter()
        .flat_map(|network| {
            network.connections.iter().filter_map(move |each| Some((network.network, each, trouble(each)?)))
        })
        .map(|(network, each, why)| (network, each.label.clone().filter(|_| each.label.is_some()), why))
        .collect();
    (!troubled.is_empty()).then(|| {
        view! {
            <section class="section" aria-labelledby="home-trouble">
                <div class="section-head"><h3 id="home-trouble">"Connections to fix"</h3></div>
                <ul class="card">
                    {troubled.into_iter().map(|(network, label, why)| view! {
                        <li>
                            <a class="inbox-item" href=format!("/settings/networks#{}", network.id())>
                                <SourceMark source=network/>
                                <b>{network.display_name()}{label.map(|label| format!(" ({label})"))}</b>
                                <p><span class="badge bad"><Icon glyph=Glyph::TriangleAlert/>{why}</span></p>
                            </a>
                        </li>
                    }).collect_view()}
                </ul>
            </section>
        }
    })
}

/// Lists the newest failed runs; empty if there are none.
#[component]
pub fn FailedRuns(failed: Vec<RunRow>) -> impl IntoView {
    (!failed.is_empty()).then(|| {
        view! {
            <section class="section" aria-labelledby="home-failed">
                <div class="section-head">
                    <h3 id="home-failed">"Failed runs"</h3>
                    <a class="link push" href="/runs?show=failed">"All failed runs"</a>
                </div>
                <ul class="card">
                    {failed.into_iter().map(|RunRow { run, .. }| view! {
                        <li>
                            <a class="inbox-item" href=format!("/runs/{}", run.id)>
                                <Icon glyph=Glyph::CircleX/>
                                <b>{run.question}</b>
                                <LocalTime at=run.created_at/>
                            </a>
                        </li>
                    }).collect_view()}
                </ul>
            </section>
        }
    })
}
