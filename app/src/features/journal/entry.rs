//! One entry: who did what when, with ways to its chat and its run.

use adagent_contract::{JournalEntry, RunStatus};
use adagent_domain::{Currency, Money};
use leptos::prelude::*;

use crate::{
    clock::PageClock,
    ui::{AgentMark, Badge, BadgeTone, Glyph, Icon, format},
};

fn badge(status: RunStatus) -> Option<AnyView> {
    Some(match status {
        RunStatus::Failed => view! { <Badge tone=BadgeTone::Bad icon=Glyph::CircleX>"Failed"</Badge> }.into_any(),
        RunStatus::Stopped => view! { <Badge tone=BadgeTone::Bad icon=Glyph::Ban>"Stopped"</Badge> }.into_any(),
        RunStatus::Cancelled => view! { <Badge icon=Glyph::Ban>"Canceled"</Badge> }.into_any(),
        _ => return None,
    })
}

/// Says who asked, if it was not the reader in a chat.
fn asker(entry: &JournalEntry) -> Option<String> {
    let by = entry.by.as_ref().map(|name| format!("asked by {name}"));
    match (entry.scheduled, entry.delegated, by) {
        (true, ..) => Some("on schedule".to_owned()),
        (_, true, None) => Some("asked by another agent".to_owned()),
        (_, true, Some(by)) => Some(format!("{by}, through another agent")),
        (_, _, by) => by,
    }
}

#[component]
pub fn Entry(
    entry: JournalEntry,
    /// The time of day. Without it, the entry says how long ago it was.
    #[prop(optional, into)]
    time: Option<String>,
) -> impl IntoView {
    let clock = PageClock::get();
    let (name, color) =
        entry.agent.as_ref().map_or_else(|| ("Desk".to_owned(), 0), |one| (one.name.clone(), one.color));
    let asker = asker(&entry);
    let JournalEntry { run, session, by, status, question, summary, changes, cost_micros, took_ms, at, .. } = entry;
    let cost = (cost_micros > 0).then(|| Money::new(Currency::USD, cost_micros).display(4));
    let took = format::duration(u64::try_from(took_ms).unwrap_or(0));
    let short = format::shorten(&question, 60);
    let chat = session.map(|session| {
        view! { <a href=format!("/chat/{session}")>"Chat"<span class="unseen">{format!(" of “{short}”")}</span></a> }
    });
    let short = format::shorten(&question, 60);
    let own_run = by.is_none().then(|| {
        view! { <a href=format!("/runs/{run}")>"Run"<span class="unseen">{format!(" of “{short}”")}</span></a> }
    });
    view! {
        <li>
            <time datetime=at.to_string()>{match time {
                Some(time) => time.into_any(),
                None => (move || clock.ago(at)).into_any(),
            }}</time>
            <span class="halo"><AgentMark name=name.clone() color size="small"/></span>
            <div class="did">
                <header>
                    <b>{name}</b>
                    {asker.map(|text| view! { <span class="small-print">{text}</span> })}
                    {badge(status)}
                </header>
                <p class="asked-for">{format!("“{question}”")}</p>
                {(!summary.is_empty()).then(|| view! { <p>{summary}</p> })}
                {(!changes.is_empty()).then(|| view! {
                    <ul class="outputs" aria-label="Changes made">
                        {changes.into_iter().map(|title| view! { <li class="output"><Icon glyph=Glyph::Check/><span class="truncate">{title}</span></li> }).collect_view()}
                    </ul>
                })}
                <div class="bits">
                    <span>{took}</span>
                    {cost.map(|cost| view! { <span>{cost}</span> })}
                    {chat}
                    {own_run}
                </div>
            </div>
        </li>
    }
}
