//! The chats by day, with their state, and a search.

use adagent_contract::SessionView;
use adagent_domain::Timestamp;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::Desk;
use crate::{
    PageClock,
    ui::{Glyph, Icon, format, roving::Roving},
};

const NO_SCRIPT_SEARCH: &str = r#"<form role="search" action="/chat" method="get" style="padding:0 8px 6px"><input class="input" name="search" type="search" placeholder="Search chats" aria-label="Search chats">{workspace}</form>"#;

/// Builds the search form for the workspace of this page. The form is raw HTML, but the inserted ID has only letters, digits and
/// hyphens, so it cannot break out of its quotes.
fn search_form() -> String {
    let id = crate::platform::workspace_in_addresses()
        .filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    let field = id.map(|id| format!(r#"<input type="hidden" name="workspace" value="{id}">"#));
    NO_SCRIPT_SEARCH.replace("{workspace}", &field.unwrap_or_default())
}

/// Shows the list, most recently used chat first.
#[component]
pub fn SessionList() -> impl IntoView {
    let desk = Desk::get();
    let clock = PageClock::get();
    let location = use_location();
    let path = location.pathname;
    let searching = location.query.with_untracked(|query| query.get("search").is_some());
    // Keep the list unfolded when it is loaded again.
    let unfolded = RwSignal::new(searching);
    // The list is one stop of the Tab key; arrow keys move within it.
    let stops = Roving::begin();
    // The link that was the stop may be gone.
    Effect::new(move |_| {
        desk.sessions.track();
        stops.reset();
    });
    view! {
        <h2 class="rail-title" id="chats">"Chats"</h2>
        // With JavaScript, the palette searches. Without it, this field searches through the address.
        <noscript inner_html=search_form()></noscript>
        <div on:keydown=move |event| stops.key(&event, SHOWN, false)>
        <Transition fallback=|| view! { <p class="day"><span class="skeleton" style="width:70%"></span></p> }>
            {move || desk.sessions.get().map(|answer| match answer {
                Err(_) => view! {
                    <p class="day">
                        "We couldn't load your chats. "
                        <button class="link" type="button" on:click=move |_| desk.refresh_activity()>"Try again"</button>
                    </p>
                }.into_any(),
                Ok(page) if page.items.is_empty() => {
                    let text = if searching { "No matching chats" } else { "No chats yet" };
                    view! { <p class="day">{text}</p> }.into_any()
                }
                Ok(page) => {
                    let all: Vec<_> = page.items.iter().map(href_of).collect();
                    let home =
                        Memo::new(move |_| all.iter().find(|href| **href == path.get()).or(all.first()).cloned());
                    let (now, offset) = (clock.now_untracked(), clock.offset_minutes());
                    let (first, more) = first_ones(page.items, home.get_untracked().as_deref());
                    let days = move |items: Vec<SessionView>| {
                        by_day(items, now, offset)
                            .into_iter()
                            .map(|(day, items)| view! {
                                <h3 class="day" style="font-weight:inherit">{day}</h3>
                                <ul class="nav">
                                    {items.into_iter().map(|item| view! { <SessionItem item path stops home/> }).collect_view()}
                                </ul>
                            })
                            .collect_view()
                    };
                    view! {
                        {days(first)}
                        {(!more.is_empty()).then(|| view! {
                            <details class="steps rail-more" open=unfolded.get_untracked()>
                                <summary on:click=move |_| unfolded.update(|open| *open = !*open)><Icon glyph=Glyph::ChevronRight small=true class="chevron"/>{format!("Show {} more", more.len())}</summary>
                                {days(more)}
                            </details>
                        })}
                    }
                    .into_any()
                }
            })}
        </Transition>
        </div>
    }
}

#[component]
fn SessionItem(item: SessionView, path: Memo<String>, stops: Roving, home: Memo<Option<String>>) -> impl IntoView {
    let href = href_of(&item);
    let (own, entered) = (href.clone(), href.clone());
    let tabindex = stops.tabindex(href.clone(), move || home.with(|home| home.as_ref() == Some(&own)));
    let current = {
        let href = href.clone();
        move || (path.get() == href).then_some("page")
    };
    let state = if item.awaiting_approval {
        view! { <span class="net-state"><span class="unseen">"pending approval"</span><span class="dot wait"></span></span> }.into_any()
    } else if item.busy {
        view! { <span class="net-state"><span class="spinner" style="width:11px;height:11px"></span><span class="unseen">"running"</span></span> }.into_any()
    } else {
        ().into_any()
    };
    view! {
        <li><a class="nav-item" href=href aria-current=current tabindex=tabindex on:focus=move |_| stops.entered(&entered)><span class="truncate">{item.title}</span>{state}</a></li>
    }
}

fn href_of(item: &SessionView) -> String {
    format!("/chat/{}", item.id)
}

/// The links that arrow keys visit: those that are not folded away.
const SHOWN: &str = "a.nav-item:not(details:not([open]) *)";

/// How many chats show before *Show more*, so that networks and scope below stay visible.
const FIRST: usize = 10;

/// Splits the list into the first chats and the rest. The first part grows until it includes the open chat.
fn first_ones(mut items: Vec<SessionView>, open: Option<&str>) -> (Vec<SessionView>, Vec<SessionView>) {
    let open = items.iter().position(|item| open == Some(&href_of(item))).map_or(0, |at| at + 1);
    let first = FIRST.max(open);
    // If only one chat would be left over, show it: *Show more* would take as much space.
    let first = if items.len() <= first + 1 { items.len() } else { first };
    let rest = items.split_off(first);
    (items, rest)
}

/// Groups a list by day. The list must be ordered newest first.
fn by_day(items: Vec<SessionView>, now: Timestamp, offset_minutes: i32) -> Vec<(&'static str, Vec<SessionView>)> {
    let today = format::civil_of(now, offset_minutes).days();
    let mut groups: Vec<(&'static str, Vec<SessionView>)> = Vec::new();
    for item in items {
        let name = match today - format::civil_of(item.updated_at, offset_minutes).days() {
            ..=0 => "Today",
            1 => "Yesterday",
            2..=7 => "Last 7 days",
            8..=30 => "Last 30 days",
            _ => "Earlier",
        };
        match groups.last_mut() {
            Some((last, group)) if *last == name => group.push(item),
            _ => groups.push((name, vec![item])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use adagent_domain::{ChatSessionId, SequentialIds, WorkspaceId};

    fn session(at: &str) -> SessionView {
        let ids = SequentialIds::default();
        let at: Timestamp = at.parse().unwrap();
        SessionView {
            id: ChatSessionId::new(&ids),
            title: String::new(),
            workspace_id: WorkspaceId::new(&ids),
            chat_only: false,
            created_at: at,
            updated_at: at,
            busy: false,
            awaiting_approval: false,
            kept: false,
            shared: false,
            owner: None,
        }
    }

    #[test]
    fn a_long_list_shows_its_beginning_and_the_open_chat() {
        let ids = SequentialIds::default();
        let list = |count: usize| -> Vec<SessionView> {
            let one = || SessionView { id: ChatSessionId::new(&ids), ..session("2026-11-01T00:00:00Z") };
            (0..count).map(|_| one()).collect()
        };
        let parts = |items: Vec<SessionView>, open: Option<&str>| {
            let (first, rest) = first_ones(items, open);
            (first.len(), rest.len())
        };
        assert_eq!(parts(list(11), None), (11, 0));
        assert_eq!(parts(list(30), None), (10, 20));
        let long = list(30);
        let open = href_of(&long[19]);
        assert_eq!(parts(long, Some(&open)), (20, 10));
    }

    #[test]
    fn days_follow_the_readers_wall_clock() {
        let now = "2026-11-21T00:30:00Z".parse().unwrap();
        let items =
            || vec![session("2026-11-21T00:10:00Z"), session("2026-11-20T23:50:00Z"), session("2026-11-01T00:00:00Z")];
        let names = |offset| {
            by_day(items(), now, offset).into_iter().map(|(name, group)| (name, group.len())).collect::<Vec<_>>()
        };
        assert_eq!(names(0), vec![("Today", 1), ("Yesterday", 1), ("Last 30 days", 1)]);
        assert_eq!(names(-60), vec![("Today", 2), ("Last 30 days", 1)]);
    }
}
