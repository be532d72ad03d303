//! `/journal`: the entries by day, a search, and ways to ask about them. It consists of links and forms, so that it works without
//! JavaScript.

use adagent_contract::{AgentCount, DEFAULT_AGENT, JournalDay, JournalPage as Shown, PersonCount};
use adagent_domain::{Currency, Money};
use leptos::{ev::SubmitEvent, html, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_query_map},
};

use super::{
    asked::{self, JOURNAL},
    entry::Entry,
    side::Side,
};
use crate::{
    features::{
        api::{self, JournalAsked},
        desk::Topbar,
    },
    ui::{Empty, Glyph, Icon, Loading, Unread, format},
};

/// How runs end, by the words of the filter.
const ENDS: [(&str, &str); 5] = [
    ("", "Any outcome"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("stopped", "Stopped"),
    ("cancelled", "Canceled"),
];

#[component]
pub fn JournalPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| asked::of(&query.read()));
    let page = Resource::new(move || asked.get(), api::journal);
    view! {
        <Topbar title="Journal"/>
        <Transition fallback=|| view! { <div class="split"><main id="main" class="page" tabindex="-1"><Loading/></main></div> }>
            {move || Suspend::new(async move {
                let read = page.await;
                let asked = asked.get_untracked();
                match read {
                    Ok(read) => view! { <Whole read asked/> }.into_any(),
                    Err(error) => view! {
                        <div class="split">
                            <main id="main" class="page" tabindex="-1"><div class="page-in">
                                <Unread error again=Callback::new(move |()| page.refetch())/>
                                <p><a class="link" href=JOURNAL>"Show the whole journal"</a></p>
                            </div></main>
                        </div>
                    }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Whole(read: Shown, asked: JournalAsked) -> impl IntoView {
    let Shown { days, next_cursor, month, today } = read;
    let (agents, people) = (month.agents.clone(), month.people.clone());
    let older = next_cursor.map(|cursor| asked::address(&JournalAsked { cursor, ..asked.clone() }));
    let newest =
        (!asked.cursor.is_empty()).then(|| asked::address(&JournalAsked { cursor: String::new(), ..asked.clone() }));
    let list = if days.is_empty() {
        nothing(&asked).into_any()
    } else {
        let now = today.clone();
        days.into_iter().map(move |day| view! { <Day day today=now.clone()/> }).collect_view().into_any()
    };
    view! {
        <div class="split journal-split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow">
                        <h2>"Journal"</h2>
                        <p>"What was done, by which agent. Each entry is a run that ended, in its own words."</p>
                    </div></div>
                    <Ask/>
                    <Search asked=asked.clone() agents people/>
                    {list}
                    <nav class="row" aria-label="Pages of the list">
                        {newest.map(|there| view! { <a class="button small" href=there><Icon glyph=Glyph::ArrowLeft small=true/>"Newest"</a> })}
                        {older.map(|there| view! { <a class="button small" href=there>"Older"<Icon glyph=Glyph::ArrowRight small=true/></a> })}
                    </nav>
                </div>
            </main>
            <Side month asked today/>
        </div>
    }
}

/// Leads a question about the journal into a chat, which answers it from the journal alone.
#[component]
fn Ask() -> impl IntoView {
    view! {
        <form class="input-group ask-line" action="/chat" method="get" aria-label="Ask the journal">
            {crate::features::form::field()}
            <span class="affix"><Icon glyph=Glyph::MessageSquare/></span>
            <label class="unseen" for="ask-journal">"Ask the journal"</label>
            <input class="input" id="ask-journal" name="draft" value="What did you do today?" autocomplete="off" maxlength="500"/>
            <button class="button small" type="submit">"Ask in a chat"</button>
        </form>
    }
}

#[component]
fn Search(asked: JournalAsked, agents: Vec<AgentCount>, people: Vec<PersonCount>) -> impl IntoView {
    let navigate = use_navigate();
    let (agent, person, status) =
        (NodeRef::<html::Select>::new(), NodeRef::<html::Select>::new(), NodeRef::<html::Select>::new());
    let text = NodeRef::<html::Input>::new();
    let kept = StoredValue::new(asked.clone());
    let go = Callback::new(move |()| {
        let chosen =
            |select: NodeRef<html::Select>| select.get_untracked().map(|field| field.value()).unwrap_or_default();
        let JournalAsked { from, to, month, .. } = kept.get_value();
        let wanted = JournalAsked {
            agent: chosen(agent),
            person: chosen(person),
            status: chosen(status),
            from,
            to,
            q: text.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default(),
            month,
            cursor: String::new(),
        };
        navigate(&asked::address(&wanted), NavigateOptions::default());
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        go.run(());
    };
    let mut handles: Vec<(String, String)> = agents
        .into_iter()
        .filter_map(|one| one.agent)
        .filter(|one| one.handle != "deleted")
        .map(|one| (one.handle.clone(), one.name))
        .chain([(DEFAULT_AGENT.to_owned(), "Desk".to_owned())])
        .collect();
    // What the address asks for stays a choice, although nothing of it is in this month.
    if !asked.agent.is_empty() && !handles.iter().any(|(handle, _)| *handle == asked.agent) {
        handles.push((asked.agent.clone(), format!("@{}", asked.agent)));
    }
    handles.sort_by(|a, b| a.1.cmp(&b.1));
    let some_people = people.len() > 1 || !asked.person.is_empty();
    let narrowed = asked::is_narrowed(&asked);
    let day = match (asked.from.as_str(), asked.to.as_str()) {
        ("", "") => None,
        (from, to) if from == to => Some(format::weekday_date(from)),
        (from, to) => Some(format!("{} to {}", format::short_date(from), format::short_date(to))),
    };
    view! {
        <form class="row wrap journal-search" method="get" action=JOURNAL role="search" aria-label="Journal" on:submit=submit>
            {crate::features::form::field()}
            <input
                class="input" node_ref=text type="search" name="q" value=asked.q maxlength="200" autocomplete="off"
                placeholder="Search questions and answers" aria-label="Search questions and answers"
            />
            <select class="select" node_ref=agent name="agent" aria-label="Agent" on:change=move |_| go.run(())>
                <option value="" selected=asked.agent.is_empty()>"All agents"</option>
                {handles.into_iter().map(|(handle, name)| view! { <option value=handle.clone() selected=handle == asked.agent>{name}</option> }).collect_view()}
            </select>
            {some_people.then(|| view! {
                <select class="select" node_ref=person name="person" aria-label="Person" on:change=move |_| go.run(())>
                    <option value="" selected=asked.person.is_empty()>"Everyone"</option>
                    {people.into_iter().map(|one| view! { <option value=one.id.to_string() selected=one.id.to_string() == asked.person>{one.name}</option> }).collect_view()}
                </select>
            })}
            <select class="select" node_ref=status name="status" aria-label="Outcome" on:change=move |_| go.run(())>
                {ENDS.map(|(value, name)| view! { <option value=value selected=value == asked.status>{name}</option> }).collect_view()}
            </select>
            <input type="hidden" name="from" value=asked.from/>
            <input type="hidden" name="to" value=asked.to/>
            <input type="hidden" name="month" value=asked.month/>
            <button class="button" type="submit"><Icon glyph=Glyph::Search small=true/>"Search"</button>
            {day.map(|day| view! { <span class="badge outline">{day}</span> })}
            {narrowed.then(|| view! { <a class="button ghost" href=JOURNAL>"Clear"</a> })}
        </form>
    }
}

fn nothing(asked: &JournalAsked) -> impl IntoView {
    if asked::is_narrowed(asked) {
        return view! { <Empty glyph=Glyph::Search title="No matching entries" text="Try another day, agent or outcome, or other words."/> }
            .into_any();
    }
    view! {
        <Empty glyph=Glyph::Bot title="Nothing in the journal yet" text="Ask a question. When its run ends, the journal says what was done.">
            <a class="button primary" href="/chat">"New chat"</a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Day(day: JournalDay, today: String) -> impl IntoView {
    let JournalDay { day, lines } = day;
    let id = format!("day-{day}");
    let title =
        if day == today { format!("Today, {}", format::weekday_date(&day)) } else { format::weekday_date(&day) };
    let changes: usize = lines.iter().map(|line| line.entry.changes.len()).sum();
    let cost: i64 = lines.iter().map(|line| line.entry.cost_micros).sum();
    let mut figures = vec![format::plural(lines.len(), "entry", "entries")];
    if changes > 0 {
        figures.push(format::plural(changes, "change", "changes"));
    }
    if cost > 0 {
        figures.push(Money::new(Currency::USD, cost).display(4));
    }
    view! {
        <section class="journal-day" aria-labelledby=id.clone()>
            <h3 id=id.clone()>{title}<span>{figures.join(" · ")}</span></h3>
            <ol class="journal">{lines.into_iter().map(|line| view! { <Entry entry=line.entry time=line.time/> }).collect_view()}</ol>
        </section>
    }
}
