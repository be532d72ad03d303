//! The list is on the left and the card on the right; on a phone, one replaces the other. The address names the open approval, so
//! a tap, a reload and a page without JavaScript show the same. Keyboard: `j` and `k` move, `a` focuses the button that approves,
//! `d` asks for a reason, `e` edits.

use adagent_contract::{
    AnswerRequest, ApprovalStatus, ApprovalView, ChangeState, Page, Problem, Risk, TurnApproval, came_too_late,
};
use adagent_domain::ApprovalId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::{use_navigate, use_query_map};

use super::selection::{Choice, Picked, Selection, Shown, beside, select};
use crate::{
    PageClock,
    features::{
        api,
        approval::{ASKED_AGAIN, Begin, MadeChanges, ReadChatAgain, UndoneChanges, act_on_card, is_shortcut},
        chat::client,
        desk::{Desk, Topbar},
    },
    parts,
    ui::{Empty, Glyph, Icon, Loading, SourceMark, Unread},
};

/// Returns what was posted to this page without JavaScript. Only the server that answers the post knows it.
fn given() -> Option<Begin> {
    #[cfg(feature = "ssr")]
    return use_context::<Begin>();
    #[cfg(not(feature = "ssr"))]
    None
}

#[component]
pub fn ApprovalsPage() -> impl IntoView {
    let desk = Desk::get();
    let query = use_query_map();
    let shown = Memo::new(move |_| Shown::parse(&query.read().get("show").unwrap_or_default()));
    let wanted = Memo::new(move |_| query.read().get("id").and_then(|id| id.parse::<ApprovalId>().ok()));
    // Approvals answered elsewhere show here too: an open page loads the list again on every event.
    let inbox = Resource::new(|| (), |()| api::approvals(None));
    desk.follow_waiting(inbox);
    let posted = Resource::new_blocking(|| (), |()| std::future::ready(given()));
    view! {
        <Topbar title="Approvals">
            <span class="row wide-only keys-only faint" style="font-size:var(--t-xs)">
                <kbd>"J"</kbd><kbd>"K"</kbd>" move "<kbd>"A"</kbd>" approve "<kbd>"D"</kbd>" deny "<kbd>"E"</kbd>" edit"
            </span>
        </Topbar>
        <div class="split">
            <main id="main" class="inbox" class:opened=move || wanted.get().is_some() tabindex="-1">
                <Transition fallback=|| view! { <section class="inbox-alone"><Loading/></section> }>
                    <Read inbox posted shown wanted/>
                </Transition>
            </main>
        </div>
    }
}

/// Draws the inbox once, so that text in a card stays when another approval comes or goes. It is inside the `Transition`, because
/// the server does not wait for resources that are read outside of it.
#[component]
fn Read(
    inbox: Resource<Result<Page<ApprovalView>, api::ApiError>>,
    posted: Resource<Option<Begin>>,
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
        // Use it once: the next look at the card starts from the card itself.
        let begin = posted.get()?;
        failed.get().map(|failed| match failed {
            None => view! { <Inbox items begin=StoredValue::new(begin) shown wanted/> }.into_any(),
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
    begin: StoredValue<Option<Begin>>,
    shown: Memo<Shown>,
    wanted: Memo<Option<ApprovalId>>,
) -> impl IntoView {
    let of = move |kind: Shown| {
        items.with(|items| items.iter().flatten().filter(|item| kind.has(item.status)).cloned().collect::<Vec<_>>())
    };
    let waiting = Memo::new(move |_| of(Shown::Waiting).len());
    let listed = move || of(shown.get());
    let selection = Memo::new(move |before: Option<&Selection>| {
        let choice = Choice { shown: shown.get(), wanted: wanted.get() };
        items.with(|items| select(before, choice, items.as_deref().unwrap_or_default()))
    });
    let picked = Memo::new(move |_| selection.with(|selection| selection.picked.clone()));
    let selected = Memo::new(move |_| picked.with(Picked::id));
    // Where to continue when the shown approval is gone.
    let next = Memo::new(move |_| listed().first().map(|item| item.id));
    act_by_keyboard(
        move || listed().into_iter().map(|item| item.id).collect(),
        move || selected.get_untracked(),
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
        <section class="inbox-detail" id="approval" aria-labelledby="selected" tabindex="-1">
            <h2 class="unseen" id="selected">"Selected approval"</h2>
            {move || wanted.get().map(|id| view! {
                <p class="inbox-back">
                    <a
                        class="button ghost small menu-button" href=format!("/approvals?show={}", shown.get().name())
                        on:click=move |_| crate::platform::on_next_frame(move || crate::platform::focus(&item_id(id)))
                    >
                        <Icon glyph=Glyph::ArrowLeft/>"All approvals"
                    </a>
                </p>
            })}
            {move || match picked.get() {
                Picked::Here(item) => view! { <Detail item begin/> }.into_any(),
                Picked::Gone(_, last) => view! { <Gone last shown next/> }.into_any(),
                Picked::Nothing => {
                    let (title, text) = shown.get().empty();
                    view! { <Empty glyph=Glyph::Inbox title text/> }.into_any()
                }
            }}
        </section>
    }
}

fn item_id(id: ApprovalId) -> String {
    format!("item-{id}")
}

#[component]
fn Item(item: ApprovalView, selected: Memo<Option<ApprovalId>>, shown: Memo<Shown>) -> impl IntoView {
    let clock = PageClock::get();
    let (id, asked) = (item.id, item.created_at);
    let name = shown.get_untracked().name();
    let badge = match (item.status, item.risk) {
        (ApprovalStatus::Approved, _) if item.asked_again => {
            view! { <span class="badge"><Icon glyph=Glyph::RefreshCw/>{ASKED_AGAIN}</span> }.into_any()
        }
        (ApprovalStatus::Approved, _) if item.undone => {
            view! { <span class="badge"><Icon glyph=Glyph::Undo2/>"Approved, undone later"</span> }.into_any()
        }
        (ApprovalStatus::Approved, _) => {
            view! { <span class="badge good"><Icon glyph=Glyph::Check/>"Approved"</span> }.into_any()
        }
        (ApprovalStatus::Denied, _) => view! { <span class="badge"><Icon glyph=Glyph::Ban/>"Denied"</span> }.into_any(),
        (ApprovalStatus::Expired, _) => {
            view! { <span class="badge"><Icon glyph=Glyph::Clock/>"Expired"</span> }.into_any()
        }
        (ApprovalStatus::Cancelled, _) => {
            let word = if came_too_late(item.status, item.reason.as_deref()) { "Nothing sent" } else { "Canceled" };
            view! { <span class="badge"><Icon glyph=Glyph::X/>{word}</span> }.into_any()
        }
        (ApprovalStatus::Pending, Risk::Write) => {
            view! { <span class="badge"><Icon glyph=Glyph::Pencil/>"Change"</span> }.into_any()
        }
        (ApprovalStatus::Pending, Risk::Destructive) => {
            view! { <span class="badge bad"><Icon glyph=Glyph::Trash2/>"Destructive"</span> }.into_any()
        }
    };
    let title = item.title_now().to_owned();
    let by = match item.asked_by {
        Some(name) if item.status == ApprovalStatus::Pending => Some(format!("{name} asks")),
        _ => item.answered_by.filter(|_| item.status != ApprovalStatus::Expired),
    };
    view! {
        <li>
            <a
                class="inbox-item" id=item_id(id) href=format!("/approvals?show={name}&id={id}")
                aria-current=move || (selected.get() == Some(id)).then_some("true")
                on:click=|_| crate::platform::on_next_frame(|| crate::platform::focus("approval"))
            >
                <SourceMark source=item.source/>
                <b>{title}</b>
                <time datetime=asked.to_string()>{move || clock.age(asked)}</time>
                <p>{badge}<span class="truncate">{by}</span></p>
            </a>
        </li>
    }
}

#[component]
fn Detail(item: ApprovalView, begin: StoredValue<Option<Begin>>) -> impl IntoView {
    let id = item.id;
    let mut mine = None;
    begin.update_value(|begin| mine = begin.take_if(|begin| begin.approval == id));
    let desk = Desk::get();
    let refused = RwSignal::new(None::<Problem>);
    let sending = RwSignal::new(false);
    let asked_by = item.asked_by.clone();
    let chat = item.session_id.map_or_else(|| format!("/runs/{}", item.run_id), |chat| format!("/chat/{chat}"));
    let approval = TurnApproval::from(item);
    offer_the_way_back(&approval);
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
        <p class="quiet-text" style="margin-bottom:12px">
            {match asked_by {
                Some(name) => view! { "Asked by "{name}"." }.into_any(),
                None => view! { "Asked in "<a class="link" href=chat>"this chat"</a> }.into_any(),
            }}
        </p>
        {parts::approval_card(approval, Some(answer), sending.into(), refused.into(), mine)}
    }
}

/// Offers an undo as the chat does: once the page knows that the network made the change and that the change still holds.
fn offer_the_way_back(approval: &TurnApproval) {
    if approval.status != ApprovalStatus::Approved || !approval.preview.can_go_back() {
        return;
    }
    let (desk, id) = (Desk::get(), approval.approval_id);
    let state = RwSignal::new(ChangeState::NotMade);
    let read = move || {
        spawn_local(async move {
            // On an error, offer nothing: the chat has the same button.
            if let Ok(now) = api::read_change_state(id).await {
                state.try_set(now);
            }
        });
    };
    Effect::new(move |_| read());
    let made = TurnApproval { made: true, ..approval.clone() };
    provide_context(MadeChanges(Memo::new(move |_| {
        if state.get() == ChangeState::NotMade { Vec::new() } else { vec![made.clone()] }
    })));
    provide_context(UndoneChanges(Memo::new(
        move |_| {
            if state.get() == ChangeState::Undone { vec![id] } else { Vec::new() }
        },
    )));
    provide_context(ReadChatAgain(Callback::new(move |()| {
        desk.refresh_activity();
        read();
    })));
}

/// Says that the shown approval is no longer in this list. No other one takes its place, because the person may be about to
/// answer. The page shows the approval's current record, which offers no answer. If it still reads as pending, we do not know
/// what became of it.
#[component]
fn Gone(last: Option<ApprovalView>, shown: Memo<Shown>, next: Memo<Option<ApprovalId>>) -> impl IntoView {
    let text = Picked::farewell(last.as_ref(), shown.get_untracked());
    let answered = last.filter(|item| item.status != ApprovalStatus::Pending).map(TurnApproval::from);
    view! {
        <div class="note" role="status">
            <Icon glyph=Glyph::Inbox/>
            <p class="grow">{text}</p>
            {move || next.get().map(|id| view! {
                <a class="button small" href=format!("/approvals?show={}&id={id}", shown.get_untracked().name())>"Show the next one"</a>
            })}
        </div>
        {answered.map(|approval| parts::approval_card(approval, None, Signal::default(), Signal::default(), None))}
    }
}

/// Handles the keys: `j` and `k` select the next and the previous item; `a`, `d` and `e` move into the shown card. No single key
/// sends anything.
fn act_by_keyboard(
    ids: impl Fn() -> Vec<ApprovalId> + 'static,
    selected: impl Fn() -> Option<ApprovalId> + 'static,
    shown: Memo<Shown>,
) {
    let navigate = use_navigate();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if !is_shortcut(&event) {
            return;
        }
        let step: isize = match event.key().as_str() {
            "j" => 1,
            "k" => -1,
            key => {
                if selected().is_some_and(|id| act_on_card(id, key)) {
                    event.prevent_default();
                }
                return;
            }
        };
        let Some(id) = beside(&ids(), selected(), step) else { return };
        let name = shown.get_untracked().name();
        navigate(
            &format!("/approvals?show={name}&id={id}"),
            leptos_router::NavigateOptions { scroll: false, ..Default::default() },
        );
    });
    on_cleanup(move || handle.remove());
}
