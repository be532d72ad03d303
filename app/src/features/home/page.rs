//! Loads everything at once, draws it, and asks for new numbers if the answers are old.

use adagent_contract::{ApprovalStatus, ApprovalView, HomeView, ProviderView, RunRow};
use leptos::{prelude::*, task::spawn_local};
use serde::{Deserialize, Serialize};

use super::{
    figures::{Pinned, TopMovers, Week, Yesterday},
    saved::{SavedQuestions, SharedChats},
    trouble::{FailedRuns, TroubledConnections, Waiting},
};
use crate::{
    PageClock,
    features::{
        api::{self, ApiError, NetworkOverview, RefreshHome},
        chat::WithoutScript,
        desk::{Desk, Topbar},
        form::ActionForm,
    },
    ui::{Empty, Glyph, Icon, Loading, Unread},
};

/// How many failed runs are named; the list of runs has all.
const MOST_FAILED: usize = 3;
/// How long a page with pending answers waits between two looks, and how many times it looks at most.
const LOOK_MS: u64 = 1_500;
const MOST_LOOKS: u32 = 120;

/// What the home page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    home: HomeView,
    waiting: Vec<ApprovalView>,
    failed: Vec<RunRow>,
}

impl Seen {
    fn is_working(&self) -> bool {
        self.home.figures.iter().any(|figures| figures.working)
    }

    fn is_empty(&self) -> bool {
        self.home.figures.iter().all(|figures| figures.answer.is_none() && !figures.working)
    }
}

async fn read() -> Result<Seen, ApiError> {
    let (home, waiting, failed) = futures::join!(
        api::home(),
        api::approvals(Some(ApprovalStatus::Pending)),
        api::runs("failed".to_owned(), String::new(), None)
    );
    let failed = failed?.items.into_iter().take(MOST_FAILED).collect();
    Ok(Seen { home: home?, waiting: waiting?.items, failed })
}

/// Holds what was loaded after the page was drawn in `newer`, so that unchanged parts are not drawn again.
#[derive(Clone, Copy)]
pub struct Refresh {
    newer: RwSignal<Option<Seen>>,
}

impl Refresh {
    /// Loads until no answer is pending.
    pub fn look(self) {
        spawn_local(async move {
            for _ in 0..MOST_LOOKS {
                let Ok(seen) = read().await else { return };
                let working = seen.is_working();
                let Some(same) = self.newer.try_with_untracked(|newer| newer.as_ref() == Some(&seen)) else { return };
                if !same {
                    self.newer.try_set(Some(seen));
                }
                if !working {
                    return;
                }
                pause(LOOK_MS).await;
            }
        });
    }

    /// Loads after a change, and asks for new answers if a chat has newer numbers than this page.
    fn catch_up(self) {
        spawn_local(async move {
            match read().await {
                Ok(seen) if seen.home.stale => self.ask(),
                _ => self.look(),
            }
        });
    }

    /// Asks the questions that have no fresh answer, then loads.
    pub fn ask(self) {
        spawn_local(async move {
            if api::refresh_home(false).await.is_ok() {
                self.look();
            }
        });
    }
}

async fn pause(ms: u64) {
    let (done, wait) = futures::channel::oneshot::channel();
    set_timeout(
        move || {
            // By now, the person may be on another page.
            let _ = done.send(());
        },
        std::time::Duration::from_millis(ms),
    );
    let _ = wait.await;
}

#[component]
pub fn HomePage() -> impl IntoView {
    let desk = Desk::get();
    let read_first = Resource::new(|| (), |()| read());
    let refresh = Refresh { newer: RwSignal::new(None) };
    keep_fresh(&desk, read_first, refresh);
    let shown = move || {
        let newer = refresh.newer.get();
        Suspend::new(async move {
            let networks = desk.networks.await;
            let first = read_first.await;
            match (networks, newer.map_or(first, Ok)) {
                (Ok(overview), Ok(seen)) => view! { <Whole seen overview refresh/> }.into_any(),
                (Err(error), _) | (_, Err(error)) => {
                    view! { <Unread error again=Callback::new(move |()| read_first.refetch())/> }.into_any()
                }
            }
        })
    };
    view! {
        <Topbar title="Home"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in wide">
                    <Transition fallback=|| view! { <Loading/> }>{shown}</Transition>
                </div>
            </main>
        </div>
    }
}

/// Asks for stale answers once, when the page is shown, and loads changes by others as they happen.
fn keep_fresh(desk: &Desk, first: Resource<Result<Seen, ApiError>>, refresh: Refresh) {
    Effect::new(move |done: Option<bool>| {
        if done == Some(true) {
            return true;
        }
        let Some(Ok(seen)) = first.get() else { return false };
        if seen.home.stale {
            refresh.ask();
        } else if seen.is_working() {
            refresh.look();
        }
        true
    });
    let news_count = desk.news;
    Effect::new(move |before: Option<u64>| {
        let news = news_count.get();
        if before.is_some_and(|before| before != news) {
            refresh.catch_up();
        }
        news
    });
}

#[component]
fn Whole(seen: Seen, overview: NetworkOverview, refresh: Refresh) -> impl IntoView {
    let (networks, sandbox) = (overview.items, overview.sandbox);
    let Seen { home, waiting, failed } = seen.clone();
    let connected = networks.iter().any(ProviderView::works);
    let working = seen.is_working();
    let asked_at =
        home.figures.iter().filter_map(|figures| figures.answer.as_ref()).map(|answer| answer.asked_at).min();
    let of = |key: &str| home.figures.iter().find(|figures| figures.key == key).cloned();
    let (yesterday, week, apps, impressions) = (of("yesterday"), of("week"), of("apps"), of("impressions"));
    let pinned = home.figures.iter().filter(|figures| figures.saved.is_some()).cloned().collect::<Vec<_>>();
    view! {
        <div class="page-head">
            <div class="grow"><h2>"Home"</h2><p>"Your numbers, and what needs you."</p></div>
            {connected.then(|| view! { <Update asked_at working refresh/> })}
        </div>
        {working.then(|| view! { <WithoutScript/> })}
        {if !connected {
            let (text, button) = if sandbox {
                ("Connect a network, or look around with demo data first.", "Choose how to start")
            } else {
                ("Connect a network, and your numbers appear here.", "Connect a network")
            };
            view! {
                <Empty glyph=Glyph::ChartLine title="No numbers yet" text>
                    <a class="button primary" href="/chat">{button}</a>
                </Empty>
            }.into_any()
        } else if seen.is_empty() {
            view! {
                <div class="home-first"><Loading/></div>
                <noscript><p class="quiet-text">"Choose Update to fetch your numbers."</p></noscript>
            }.into_any()
        } else {
            view! {
                <div class="home">
                    <div class="home-main">
                        {yesterday.map(|figures| view! { <Yesterday figures/> })}
                        {week.map(|figures| view! { <Week figures/> })}
                        {apps.map(|apps| view! { <TopMovers apps impressions/> })}
                        {pinned.into_iter().map(|figures| view! { <Pinned figures/> }).collect_view()}
                    </div>
                    <div class="home-side">
                        <Waiting waiting/>
                        <TroubledConnections networks/>
                        <FailedRuns failed/>
                        <SavedQuestions saved=home.saved refresh/>
                        <SharedChats shared=home.shared/>
                    </div>
                </div>
            }.into_any()
        }}
    }
}

/// Shows when the oldest number was loaded, and a button to ask again. Works without JavaScript.
#[component]
fn Update(asked_at: Option<adagent_domain::Timestamp>, working: bool, refresh: Refresh) -> impl IntoView {
    let clock = PageClock::get();
    let update = ServerAction::<RefreshHome>::new();
    Effect::new(move |_| {
        if matches!(update.value().get(), Some(Ok(()))) {
            refresh.look();
        }
    });
    let busy = move || (working || update.pending().get()).then_some("true");
    view! {
        <ActionForm action=update>
            <input type="hidden" name="again" value="true"/>
            <div class="row">
                {asked_at.map(|at| view! {
                    <span class="faint" style="font-size:var(--t-xs)">"Updated "<time datetime=at.to_string()>{move || clock.age(at)}</time></span>
                })}
                <button class="button small" type="submit" aria-busy=busy><Icon glyph=Glyph::RefreshCw small=true/>"Update"</button>
            </div>
        </ActionForm>
    }
}
