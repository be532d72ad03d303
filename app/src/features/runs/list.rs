//! Every run of this person, newest first, searched by outcome and question. The address holds the search, so that it works
//! without JavaScript and can be shared.

use adagent_contract::{RunFilter, RunRow};
use leptos::{ev::SubmitEvent, html, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate, hooks::use_query_map};

use super::outcome::{OutcomeBadge, filter_label};
use crate::{
    LocalTime,
    features::{
        api,
        desk::{Topbar, encode},
    },
    ui::{Empty, Glyph, Icon, Loading, Unread, format},
};

/// The search in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Asked {
    show: String,
    text: String,
    cursor: Option<String>,
}

impl Asked {
    fn is_narrowed(&self) -> bool {
        !self.show.is_empty() || !self.text.is_empty()
    }

    /// Returns the address of this search, from the newest run on.
    fn address(&self) -> String {
        let given = [("show", &self.show), ("q", &self.text)];
        let query: Vec<String> = given
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| format!("{key}={}", encode(value)))
            .collect();
        if query.is_empty() { "/runs".to_owned() } else { format!("/runs?{}", query.join("&")) }
    }

    fn address_after(&self, cursor: &str) -> String {
        let address = self.address();
        let mark = if address.contains('?') { '&' } else { '?' };
        format!("{address}{mark}cursor={}", encode(cursor))
    }
}

#[component]
pub fn RunsPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        let given = |name: &str| query.read().get(name).unwrap_or_default();
        let show = given("show");
        let show = if RunFilter::parse(&show).is_some() { show } else { String::new() };
        Asked { show, text: given("q"), cursor: Some(given("cursor")).filter(|cursor| !cursor.is_empty()) }
    });
    let runs = Resource::new(move || asked.get(), |Asked { show, text, cursor }| api::runs(show, text, cursor));
    view! {
        <Topbar title="Runs"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <div class="page-head"><div class="grow"><h2>"Runs"</h2><p>"Each run is the work for one message, newest first. Open one to see every step."</p></div></div>
                    {move || view! { <Search asked=asked.get()/> }}
                    <Transition fallback=|| view! { <Loading/> }>
                        {move || Suspend::new(async move {
                            let asked = asked.get_untracked();
                            match runs.await {
                                Ok(page) if page.items.is_empty() && page.next_cursor.is_none() && asked.is_narrowed() => view! {
                                    <Empty glyph=Glyph::Search title="No matching runs" text="Try another outcome or other words."/>
                                    <Pages asked next=None/>
                                }.into_any(),
                                Ok(page) if page.items.is_empty() && page.next_cursor.is_none() && asked.cursor.is_none() => view! {
                                    <Empty glyph=Glyph::Activity title="No runs yet" text="Ask a question, and its run appears here."/>
                                }.into_any(),
                                Ok(page) => view! {
                                    <Table items=page.items/>
                                    <Pages asked next=page.next_cursor/>
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

/// Shows the search form. It works without JavaScript; with it, the page stays.
#[component]
fn Search(asked: Asked) -> impl IntoView {
    let navigate = use_navigate();
    let (show, text) = (NodeRef::<html::Select>::new(), NodeRef::<html::Input>::new());
    let go = Callback::new(move |()| {
        let (Some(show), Some(text)) = (show.get_untracked(), text.get_untracked()) else { return };
        let wanted = Asked { show: show.value(), text: text.value().trim().to_owned(), cursor: None };
        navigate(&wanted.address(), NavigateOptions::default());
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        go.run(());
    };
    let narrowed = asked.is_narrowed();
    view! {
        <form class="row wrap" method="get" action="/runs" role="search" aria-label="Runs" on:submit=submit style="margin-block-end:var(--s-4)">
            {crate::features::form::field()}
            <input
                class="input" node_ref=text type="search" name="q" value=asked.text maxlength="200" autocomplete="off"
                placeholder="Search questions" aria-label="Search questions" style="width:auto;flex:1 1 220px"
            />
            <select class="select" node_ref=show name="show" aria-label="Outcome" style="width:auto" on:change=move |_| go.run(())>
                {RunFilter::ALL.into_iter().map(|(name, filter)| view! {
                    <option value=name selected=name == asked.show>{filter_label(filter)}</option>
                }).collect_view()}
            </select>
            <button class="button" type="submit"><Icon glyph=Glyph::Search small=true/>"Search"</button>
            {narrowed.then(|| view! { <a class="button ghost" href="/runs">"Clear"</a> })}
        </form>
    }
}

/// Links to older runs, and back to the newest. They are links, so that every page of the list has an address.
#[component]
fn Pages(asked: Asked, next: Option<String>) -> impl IntoView {
    let (newest, later) = (asked.address(), asked.cursor.is_some());
    view! {
        <nav class="row" aria-label="Pages of the list">
            {later.then(|| view! { <a class="button small" href=newest><Icon glyph=Glyph::ArrowLeft small=true/>"Newest"</a> })}
            {next.map(|cursor| view! {
                <a class="button small" href=asked.address_after(&cursor)>"Older"<Icon glyph=Glyph::ArrowRight small=true/></a>
            })}
        </nav>
    }
}

#[component]
fn Table(items: Vec<RunRow>) -> impl IntoView {
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="Runs">
            <table class="table runs">
                <caption class="unseen">"Runs, newest first"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Question"</th>
                        <th scope="col">"Outcome"</th>
                        <th scope="col">"Model"</th>
                        <th scope="col" class="n">"Took"</th>
                        <th scope="col" class="n">"Asked"</th>
                    </tr>
                </thead>
                <tbody>
                    {items.into_iter().map(|RunRow { run, facts }| {
                        let took = run.started_at.zip(run.finished_at).map(|(from, to)| to.millis_since(from).unsigned_abs());
                        view! {
                            <tr>
                                <th scope="row" class="wrap"><a class="link" href=format!("/runs/{}", run.id)>{run.question}</a></th>
                                <td><OutcomeBadge status=run.status facts/></td>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_holds_the_search_and_its_pages() {
        let asked = Asked { show: "change".into(), text: "a&b".into(), cursor: None };
        assert_eq!(asked.address(), "/runs?show=change&q=a%26b");
        assert_eq!(asked.address_after("x"), "/runs?show=change&q=a%26b&cursor=x");
        assert_eq!(Asked::default().address_after("x"), "/runs?cursor=x");
    }
}
