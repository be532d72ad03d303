//! List on the left, card on the right; on a phone one after the other. Keyboard: j and k move, a approves, d denies, e edits.

use adagent_contract::{AnswerRequest, ApprovalStatus, ApprovalView, Page, Problem, Risk, TurnApproval};
use adagent_domain::ApprovalId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::{
    PageClock,
    features::{
        api,
        approval::ApprovalCard,
        chat::client,
        desk::{Desk, Topbar},
    },
    ui::{Empty, Glyph, Icon, Loading, NetworkMark, Unread, format},
};

/// Which part of the inbox is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Waiting,
    Answered,
    Expired,
}

impl Shown {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Waiting, "waiting", "Waiting"),
        (Self::Answered, "answered", "Answered"),
        (Self::Expired, "expired", "Expired"),
    ];

    fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|(_, name, _)| *name == text).map_or(Self::Waiting, |(shown, ..)| shown)
    }

    /// What stands where nothing is.
    const fn empty(self) -> (&'static str, &'static str) {
        match self {
            Self::Waiting => (
                "Nothing waits for you",
                "When the agent prepares a change, it waits here until somebody approves exactly what will be sent.",
            ),
            Self::Answered => {
                ("Nothing answered yet", "What was approved or denied is kept here, with who did it and when.")
            }
            Self::Expired => (
                "Nothing expired",
                "A change that nobody answers in time, or that a newer message overtakes, is listed here. It is never sent.",
            ),
        }
    }

    const fn has(self, status: ApprovalStatus) -> bool {
        match self {
            Self::Waiting => matches!(status, ApprovalStatus::Pending),
            Self::Answered => matches!(status, ApprovalStatus::Approved | ApprovalStatus::Denied),
            Self::Expired => matches!(status, ApprovalStatus::Expired | ApprovalStatus::Cancelled),
        }
    }
}

#[component]
pub fn ApprovalsPage() -> impl IntoView {
    let desk = Desk::get();
    let query = use_query_map();
    let shown = Memo::new(move |_| Shown::parse(&query.read().get("show").unwrap_or_default()));
    let wanted = Memo::new(move |_| query.read().get("id").and_then(|id| id.parse::<ApprovalId>().ok()));
    // Answered elsewhere shows here too: the count in the rail is read again on every event of an open page.
    let inbox = Resource::new(|| (), |()| api::approvals(None));
    desk.follow_waiting(inbox);
    view! {
        <Topbar title="Approvals">
            <span class="row wide-only faint" style="font-size:var(--t-xs)">
                <kbd>"J"</kbd><kbd>"K"</kbd>" move "<kbd>"A"</kbd>" approve "<kbd>"D"</kbd>" deny "<kbd>"E"</kbd>" edit"
            </span>
        </Topbar>
        <div class="split">
            <main id="main" class="inbox" tabindex="-1">
                <Transition fallback=|| view! { <section class="inbox-alone"><Loading/></section> }>
                    <Read inbox shown wanted/>
                </Transition>
            </main>
        </div>
    }
}

/// Drawn once: what somebody types into a card stays when another approval comes or goes. Inside the boundary, because what is
/// read outside of it the server does not wait for.
#[component]
fn Read(
    inbox: Resource<Result<Page<ApprovalView>, api::ApiError>>,
    shown: Memo<Shown>,
    wanted: Memo<Option<ApprovalId>>,
) -> impl IntoView {
    let items = Memo::new(move |before: Option<&Option<Vec<ApprovalView>>>| {
        let read = inbox.get().and_then(Result::ok).map(|page| page.items);
        read.or_else(|| before.cloned().flatten())
    });
    let failed = Memo::new(move |_| {
        let error = inbox.get()?.err();
        Some(error.filter(|_| items.with(Option::is_none)))
    });
    move || {
        failed.get().map(|failed| match failed {
            None => view! { <Inbox items shown wanted/> }.into_any(),
            Some(error) => view! {
                <section class="inbox-alone">
                    <Unread error again=Callback::new(move |()| inbox.refetch())/>
                </section>
            }
            .into_any(),
        })
    }
}

#[component]
fn Inbox(
    items: Memo<Option<Vec<ApprovalView>>>,
    shown: Memo<Shown>,
    wanted: Memo<Option<ApprovalId>>,
) -> impl IntoView {
    let of = move |kind: Shown| {
        items.with(|items| items.iter().flatten().filter(|item| kind.has(item.status)).cloned().collect::<Vec<_>>())
    };
    let waiting = Memo::new(move |_| of(Shown::Waiting).len());
    let listed = move || of(shown.get());
    let selected = Memo::new(move |_| {
        let listed = listed();
        wanted
            .get()
            .and_then(|id| listed.iter().find(|item| item.id == id).cloned())
            .or_else(|| listed.first().cloned())
    });
    move_by_keyboard(
        move || listed().into_iter().map(|item| item.id).collect(),
        move || selected.get_untracked().map(|item| item.id),
        shown,
    );
    view! {
        <section class="inbox-list" aria-label="Approvals">
            <nav class="tabs" aria-label="Filter">
                {Shown::ALL.into_iter().map(|(kind, name, label)| view! {
                    <a class="tab" href=format!("/approvals?show={name}") aria-current=move || (shown.get() == kind).then_some("page")>
                        {label}
                        {move || (kind == Shown::Waiting && waiting.get() > 0).then(|| view! { " "<span class="count wait">{waiting.get()}</span> })}
                    </a>
                }).collect_view()}
            </nav>
            <ul>{move || listed().into_iter().map(|item| view! { <Item item selected shown/> }).collect_view()}</ul>
        </section>
        <section class="inbox-detail" id="approval" aria-labelledby="selected">
            <h2 class="unseen" id="selected">"Selected approval"</h2>
            {move || if let Some(item) = selected.get() {
                view! { <Detail item/> }.into_any()
            } else {
                let (title, text) = shown.get().empty();
                view! { <Empty glyph=Glyph::Inbox title text/> }.into_any()
            }}
        </section>
    }
}

#[component]
fn Item(item: ApprovalView, selected: Memo<Option<ApprovalView>>, shown: Memo<Shown>) -> impl IntoView {
    let clock = PageClock::get();
    let (id, asked) = (item.id, item.created_at);
    let name =
        Shown::ALL.into_iter().find(|(kind, ..)| *kind == shown.get_untracked()).map_or("waiting", |(_, name, _)| name);
    let badge = match (item.status, item.risk) {
        (ApprovalStatus::Approved, _) => {
            view! { <span class="badge good"><Icon glyph=Glyph::Check/>"Approved"</span> }.into_any()
        }
        (ApprovalStatus::Denied, _) => view! { <span class="badge"><Icon glyph=Glyph::Ban/>"Denied"</span> }.into_any(),
        (ApprovalStatus::Expired, _) => {
            view! { <span class="badge"><Icon glyph=Glyph::Clock/>"Expired"</span> }.into_any()
        }
        (ApprovalStatus::Cancelled, _) => {
            view! { <span class="badge"><Icon glyph=Glyph::X/>"Cancelled"</span> }.into_any()
        }
        (ApprovalStatus::Pending, Risk::Write) => {
            view! { <span class="badge"><Icon glyph=Glyph::Pencil/>"Write"</span> }.into_any()
        }
        (ApprovalStatus::Pending, Risk::Destructive) => {
            view! { <span class="badge bad"><Icon glyph=Glyph::Trash2/>"Destructive"</span> }.into_any()
        }
    };
    view! {
        <li>
            <a
                class="inbox-item" href=format!("/approvals?show={name}&id={id}#approval")
                aria-current=move || selected.get().is_some_and(|s| s.id == id).then_some("true")
            >
                <NetworkMark network=item.network/>
                <b>{item.title}</b>
                <time datetime=asked.to_string()>{move || format::age(asked, clock.now())}</time>
                <p>{badge}<span class="truncate">{item.answered_by}</span></p>
            </a>
        </li>
    }
}

#[component]
fn Detail(item: ApprovalView) -> impl IntoView {
    let desk = Desk::get();
    let refused = RwSignal::new(None::<Problem>);
    let sending = RwSignal::new(false);
    let chat = format!("/chat/{}", item.session_id);
    let approval = TurnApproval::from(item);
    let answer = Callback::new(move |request: AnswerRequest| {
        refused.set(None);
        sending.set(true);
        spawn_local(async move {
            if let Err(problem) = client::answer(&request).await {
                refused.try_set(Some(problem));
            }
            sending.try_set(false);
            desk.refresh_activity();
        });
    });
    view! {
        <div class="row between" style="margin-bottom:12px">
            <a class="button ghost small menu-button" href="#main"><Icon glyph=Glyph::ArrowLeft/>"All approvals"</a>
            <span class="quiet-text">"Asked in "<a class="link" href=chat>"this chat"</a></span>
        </div>
        <ApprovalCard approval on_answer=Some(answer) sending problem=refused/>
    }
}

/// j and k select the next and the previous item.
fn move_by_keyboard(
    ids: impl Fn() -> Vec<ApprovalId> + 'static,
    selected: impl Fn() -> Option<ApprovalId> + 'static,
    shown: Memo<Shown>,
) {
    let navigate = use_navigate();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if crate::platform::is_typing(&event) || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let step: isize = match event.key().as_str() {
            "j" => 1,
            "k" => -1,
            _ => return,
        };
        let ids = ids();
        let at = selected().and_then(|id| ids.iter().position(|other| *other == id)).unwrap_or(0);
        let Some(id) = at.checked_add_signed(step).and_then(|next| ids.get(next)) else { return };
        let name = Shown::ALL
            .into_iter()
            .find(|(kind, ..)| *kind == shown.get_untracked())
            .map_or("waiting", |(_, name, _)| name);
        navigate(
            &format!("/approvals?show={name}&id={id}"),
            leptos_router::NavigateOptions { scroll: false, ..Default::default() },
        );
    });
    on_cleanup(move || handle.remove());
}
