//! The month with its days, and how much each agent and person did in it.

use std::collections::BTreeMap;

use adagent_contract::{AgentCount, DEFAULT_AGENT, JournalSummary, PersonCount};
use leptos::prelude::*;

use super::asked;
use crate::{
    features::api::JournalAsked,
    ui::{AgentMark, Avatar, Glyph, Icon, format, format::Civil},
};

/// Days of the week as the calendar begins them.
const WEEK: [(&str, &str); 7] = [
    ("Su", "Sunday"),
    ("Mo", "Monday"),
    ("Tu", "Tuesday"),
    ("We", "Wednesday"),
    ("Th", "Thursday"),
    ("Fr", "Friday"),
    ("Sa", "Saturday"),
];

fn month_of(day: Civil) -> String {
    format!("{:04}-{:02}", day.year, day.month)
}

#[component]
pub fn Side(month: JournalSummary, asked: JournalAsked, today: String) -> impl IntoView {
    let (Some(first), Some(last)) = (Civil::parse(&month.from), Civil::parse(&month.to)) else {
        return ().into_any();
    };
    let with_month = |day: Civil| asked::address(&JournalAsked { month: month_of(day), ..asked.clone() });
    let (before, after) = (Civil::from_days(first.days() - 1), Civil::from_days(last.days() + 1));
    let later = Civil::parse(&today).is_some_and(|today| after.days() <= today.days());
    let title = format!("{} {}", first.month_name(), first.year);
    let named = |day: Civil| format!("{} {}", day.month_name(), day.year);
    view! {
        <aside class="side journal-side" aria-label="Days, agents and people">
            <div class="side-head">
                <h2>{title}</h2>
                <span class="push row" style="gap:0">
                    <a class="button ghost icon-only small" href=with_month(before) aria-label=named(before)><Icon glyph=Glyph::ArrowLeft/></a>
                    {later.then(|| view! {
                        <a class="button ghost icon-only small" href=with_month(after) aria-label=named(after)><Icon glyph=Glyph::ArrowRight/></a>
                    })}
                </span>
            </div>
            <div class="side-body">
                <Month month=month.clone() first last asked=asked.clone() today/>
                <Agents agents=month.agents asked=asked.clone()/>
                <People people=month.people asked/>
                {(!month.complete).then(|| view! { <p class="small-print">"This month has more entries than we count here."</p> })}
                <p class="small-print">{format!("Times are in {}. An entry stays as long as its chat.", format::zone(&month.time_zone))}</p>
            </div>
        </aside>
    }
    .into_any()
}

#[component]
fn Month(month: JournalSummary, first: Civil, last: Civil, asked: JournalAsked, today: String) -> impl IntoView {
    let counts: BTreeMap<String, _> = month.days.into_iter().map(|one| (one.day, one.count)).collect();
    let most = counts.values().map(|count| count.entries).max().unwrap_or(1).max(1);
    // 1970-01-01 was a Thursday.
    let blank = (first.days() + 4).rem_euclid(7);
    let days = (first.days()..=last.days()).map(|number| {
        let day = Civil::from_days(number);
        let text = format!("{}-{:02}", month_of(day), day.day);
        let current = (text == today).then_some("date");
        let Some(count) = counts.get(&text) else {
            return view! { <b aria-current=current>{day.day}</b> }.into_any();
        };
        let entries = usize::try_from(count.entries).unwrap_or(0);
        let bad = count.failed > 0;
        let failed = if bad { ", with failures" } else { "" };
        let said = format!(" {}, {}{failed}", day.month_name(), format::plural(entries, "entry", "entries"));
        view! {
            <a
                href=asked::of_day(&asked, &text) style=format!("--v:{}", 6 + 24 * count.entries / most)
                class:bad-day=bad aria-current=current
            >
                {day.day}<span class="unseen">{said}</span>
            </a>
        }
        .into_any()
    });
    view! {
        <div class="month">
            {WEEK.map(|(short, name)| view! { <span><abbr title=name>{short}</abbr></span> }).collect_view()}
            {(0..blank).map(|_| view! { <i></i> }).collect_view()}
            {days.collect_view()}
        </div>
    }
}

#[component]
fn Agents(agents: Vec<AgentCount>, asked: JournalAsked) -> impl IntoView {
    let most = agents.iter().map(|one| one.count.entries).max().unwrap_or(1).max(1);
    let rows = agents.iter().map(|one| {
        let (handle, name, color) = one.agent.as_ref().map_or_else(
            || (DEFAULT_AGENT.to_owned(), "Desk".to_owned(), 0),
            |agent| (agent.handle.clone(), agent.name.clone(), agent.color),
        );
        let there = asked::address(&JournalAsked { agent: handle, cursor: String::new(), ..asked.clone() });
        view! {
            <li>
                <a class="named" href=there><AgentMark name=name.clone() color size="small"/><span class="truncate">{name}</span></a>
                <data value=one.count.entries>{one.count.entries}</data>
                <span class="bar" style=format!("--v:{}%", 100 * one.count.entries / most)></span>
            </li>
        }
    });
    let rows = rows.collect_view();
    (!agents.is_empty()).then(|| view! { <section><h3>"By agent"</h3><ul class="tally">{rows}</ul></section> })
}

#[component]
fn People(people: Vec<PersonCount>, asked: JournalAsked) -> impl IntoView {
    // Of a journal that shows one person, the list says nothing.
    (people.len() > 1).then(|| {
        let rows = people.into_iter().map(|one| {
            let there =
                asked::address(&JournalAsked { person: one.id.to_string(), cursor: String::new(), ..asked.clone() });
            view! {
                <li>
                    <a class="named" href=there><Avatar name=one.name.clone()/><span class="truncate">{one.name}</span></a>
                    <data value=one.count.entries>{one.count.entries}</data>
                </li>
            }
        });
        view! { <section><h3>"By person"</h3><ul class="tally">{rows.collect_view()}</ul></section> }
    })
}
