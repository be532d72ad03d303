//! The card of a pending approval: what will happen, the form, the warnings, and the three answers.

use adagent_contract::{AnswerRequest, ApprovalStatus, PreviewKind, Problem, Risk, TurnApproval, codes, source_name};
use adagent_domain::ApprovalId;
use leptos::prelude::*;

use super::{
    begin::{Begin, Open},
    draft::{Draft, Reload},
    edited,
    fields::Fields,
    keys::{act_on_card, button_id, card_id, is_shortcut},
    last_answer,
    plain::{self, Act},
    record::Record,
    wording,
};
use crate::{
    clock::PageClock,
    ui::{
        Badge, BadgeTone, Button, ButtonKind, Diff, Glyph, Icon, Note, NoteTone, SourceMark, TextAreaField, TextField,
        format,
    },
};

/// The longest reason the server keeps.
const REASON: u64 = 500;

/// Draws a pending approval as a form and an answered one as a record. Calls `on_answer` with an answer; never sends one itself.
#[component]
pub fn ApprovalCard(
    approval: TurnApproval,
    /// Without a callback, the card only displays.
    #[prop(optional_no_strip)]
    on_answer: Option<Callback<AnswerRequest>>,
    #[prop(optional, into)] sending: Signal<bool>,
    #[prop(optional, into)] problem: Signal<Option<Problem>>,
    /// The state that a browser without JavaScript posted.
    #[prop(optional_no_strip)]
    begin: Option<Begin>,
) -> impl IntoView {
    if approval.status == ApprovalStatus::Pending {
        view! { <Waiting approval on_answer sending problem begin/> }.into_any()
    } else {
        view! { <Record approval/> }.into_any()
    }
}

#[component]
fn Waiting(
    approval: TurnApproval,
    on_answer: Option<Callback<AnswerRequest>>,
    sending: Signal<bool>,
    problem: Signal<Option<Problem>>,
    begin: Option<Begin>,
) -> impl IntoView {
    let id = format!("ap-{}", approval.approval_id);
    // The problem of a posted form stays until the person answers on this page.
    let posted_problem = RwSignal::new(begin.as_ref().and_then(|begin| begin.problem.clone()));
    let problem = Signal::derive(move || problem.get().or_else(|| posted_problem.get()));
    let destructive = approval.risk == Risk::Destructive;
    let taken = Signal::derive(move || problem.get().is_some_and(|problem| problem.code == codes::APPROVAL_ANSWERED));
    let clock = PageClock::get();
    let expires = approval.expires_at;
    let over = Memo::new(move |_| expires.is_some_and(|at| clock.left(at).is_none()));
    let locked = Signal::derive(move || sending.get() || taken.get() || over.get() || on_answer.is_none());
    let draft = Draft::new(&approval, locked, problem, begin.as_ref());
    edited::tell(approval.approval_id, draft);
    let kind = approval.preview.kind;
    // The table says what will be sent; the form opens on request.
    let open = begin.as_ref().map_or(Open::Nothing, |begin| begin.open);
    let editing = RwSignal::new(open == Open::Form);
    let denying = RwSignal::new(open == Open::Reason);
    let typed_name = RwSignal::new(begin.as_ref().map(|begin| begin.confirm.clone()).unwrap_or_default());
    let reason = RwSignal::new(begin.as_ref().map(|begin| begin.reason.clone()).unwrap_or_default());
    let back = begin.map(|begin| begin.back);
    let confirm = approval.ui_hints.confirm_text.clone();
    let confirmed = {
        let confirm = confirm.clone();
        Signal::derive(move || confirm.as_ref().is_none_or(|text| typed_name.with(|typed| typed.trim() == text.trim())))
    };
    let has_form = !approval.ui_hints.fields.is_empty();
    let approval_id = approval.approval_id;
    let answer = move |approved: bool, reason: Option<String>| {
        if let Some(on_answer) = on_answer {
            let edited_args = approved.then(|| draft.edited_args()).flatten();
            last_answer::note(approval_id);
            posted_problem.set(None);
            on_answer.run(AnswerRequest { approval_id, approved, edited_args, reason, remember: None });
        }
    };
    // The buttons stay visible however long the card is. If a part was never on screen, the first click scrolls to it instead of
    // approving.
    let shown_first = RwSignal::new(false);
    let (end, foot) = (button_id(approval_id, "end"), button_id(approval_id, "foot"));
    let end_of_card = end.clone();
    let approve = Callback::new(move |()| {
        if locked.get_untracked() || !confirmed.get_untracked() {
            return;
        }
        if !shown_first.get_untracked() && crate::platform::lies_behind(&end, &foot) {
            shown_first.set(true);
            crate::platform::scroll_into_view(&end);
            return;
        }
        match draft.first_error() {
            // Show the field and focus it; send nothing.
            Some(error) => {
                editing.set(true);
                let target = draft.id(&error.pointer);
                request_animation_frame(move || crate::platform::focus(&target));
            }
            None => answer(true, None),
        }
    });
    let deny = Callback::new(move |reason: String| {
        if !locked.get_untracked() {
            let reason = reason.trim().to_owned();
            answer(false, (!reason.is_empty()).then_some(reason));
        }
    });
    let changes = StoredValue::new(approval.preview.changes.clone());
    // The table includes the edits so far: it shows what will be sent, whether the form is open or closed.
    let shown = Memo::new(move |_| changes.with_value(|changes| wording::now(changes, &draft.edits())));
    let labelled_by = id.clone();
    let form_id = format!("{id}-form");
    let shown_form = form_id.clone();
    Effect::new(move |before: Option<bool>| {
        let open = editing.get();
        if open && before == Some(false) {
            let form = shown_form.clone();
            crate::platform::on_next_frame(move || crate::platform::scroll_into_view(&form));
        }
        open
    });
    view! {
        <article
            class=if destructive { "approval waiting destructive" } else { "approval waiting" }
            id=card_id(approval_id) tabindex="-1" aria-labelledby=labelled_by
            on:keydown=move |event| {
                if is_shortcut(&event) && act_on_card(approval_id, &event.key()) {
                    event.prevent_default();
                }
            }
        >
            <Head id=id.clone() approval=approval.clone() draft/>
            <Show when=move || !shown.with(Vec::is_empty)>
                <div class="approval-part">
                    <h4>{wording::changes_heading(kind)}</h4>
                    {move || view! { <Diff rows=shown.get() kind/> }}
                </div>
            </Show>
            // One form holds every answer to the card. Without JavaScript, the buttons carry what they do; with JavaScript,
            // nothing is posted.
            <form
                method="post" action=crate::features::form::here(&posted_to(approval_id)) autocomplete="off"
                on:submit=|event| event.prevent_default()
            >
                <Carried approval_id draft back/>
                <Show when=move || has_form && editing.get()>
                    <div class="approval-part" id=form_id.clone() role="form" aria-label="Edit this change">
                        <Fields draft/>
                        <Reloading draft/>
                        <EditedNote draft/>
                    </div>
                </Show>
                <Problems draft problem taken over/>
                {approval.warnings.into_iter().map(warning).collect_view()}
                {confirm.map(|text| view! { <ConfirmName id=id.clone() text typed=typed_name locked/> })}
                <div id=end_of_card aria-hidden="true"></div>
                <Show
                    when=move || denying.get()
                    fallback=move || view! {
                        <Foot approval_id draft kind destructive has_form editing denying confirmed sending approve shown_first/>
                    }
                >
                    <DenyPart id=id.clone() reason denying sending on_deny=deny/>
                </Show>
            </form>
        </article>
    }
}

/// Returns where the form goes without JavaScript: to the inbox, which shows the card again if it is still pending.
fn posted_to(approval: ApprovalId) -> String {
    format!("/approvals?show=waiting&id={approval}")
}

/// Returns the chat that the page shows, so that the answer leads back to it. The inbox shows by itself what became of a card.
/// Only a page that the server rendered is ever posted.
fn chat_of_page() -> String {
    #[cfg(feature = "ssr")]
    let path = use_context::<axum::http::request::Parts>().map(|parts| parts.uri.path().to_owned());
    #[cfg(not(feature = "ssr"))]
    let path = None::<String>;
    path.filter(|path| path.starts_with("/chat/")).unwrap_or_default()
}

/// Adds what a posted form says besides its fields, and the button that Enter presses, which never answers the card.
#[component]
fn Carried(approval_id: ApprovalId, draft: Draft, back: Option<String>) -> impl IntoView {
    let back = back.unwrap_or_else(chat_of_page);
    let carried = draft.plain.then(|| {
        let args = draft.args.with_untracked(plain::carried);
        view! { <input type="hidden" name=plain::ARGS value=args/> }
    });
    view! {
        <button class="unseen" type="submit" name=plain::ACT value=Act::Show.value() tabindex="-1" aria-hidden="true">
            "Update"
        </button>
        <input type="hidden" name=plain::APPROVAL value=approval_id.to_string()/>
        <input type="hidden" name=plain::BACK value=back/>
        {carried}
    }
}

/// Says whether choices for another account or app are loading.
#[component]
fn Reloading(draft: Draft) -> impl IntoView {
    view! {
        <div aria-live="polite">
            {move || match draft.reload.get() {
                Reload::Idle => None,
                Reload::Loading => Some(view! { <p class="hint">"Loading choices…"</p> }.into_any()),
                Reload::Failed => Some(view! {
                    <p class="error-text">
                        <Icon glyph=Glyph::CircleAlert small=true/>
                        "We couldn't load the choices. "
                        <button class="link" type="button" on:click=move |_| draft.try_again()>"Try again"</button>
                    </p>
                }.into_any()),
            }}
        </div>
        {draft.plain.then(|| view! {
            <p class="hint plain-only">
                "Chose another account or app? "
                <button class="link" type="submit" name=plain::ACT value=Act::Show.value()>"Update the choices"</button>
            </p>
        })}
    }
}

/// Shows badges, network, expiry and the sentence that describes the change.
#[component]
fn Head(id: String, approval: TurnApproval, draft: Draft) -> impl IntoView {
    let edited = Memo::new(move |_| draft.edited() > 0);
    let title = approval.title.clone();
    let drafted = approval.title;
    let title_now = Memo::new(move |_| wording::title_now(&drafted, &draft.edits()));
    let clock = PageClock::get();
    let risk_glyph = if approval.risk == Risk::Destructive { Glyph::Trash2 } else { Glyph::Pencil };
    let risk_tone = if approval.risk == Risk::Destructive { BadgeTone::Bad } else { BadgeTone::Plain };
    let expires = approval.expires_at;
    view! {
        <div class="approval-head">
            <div class="meta">
                <Badge tone=BadgeTone::Wait icon=Glyph::Clock>"Needs approval"</Badge>
                <Badge tone=risk_tone icon=risk_glyph>{wording::risk(approval.risk)}</Badge>
                <span class="row" style="gap:6px">
                    <SourceMark source=approval.source size="small"/>
                    {source_name(approval.source, &approval.tool_name)}
                </span>
                {move || expires.map(|at| match clock.left(at) {
                    Some(left) => view! { <span>{format!("Expires in {left}")}</span> },
                    None => view! { <span>{"Expired".to_owned()}</span> },
                })}
            </div>
            <h3 id=id>{move || title_now.get().unwrap_or_else(|| title.clone())}</h3>
            <Show when=move || edited.get()>
                <p class="hint">{move || if title_now.with(Option::is_some) {
                    "You edited this change. It will be sent as shown."
                } else {
                    // If the title cannot be updated, it still names the draft.
                    "You edited this change. The title names the draft; the table shows what will be sent."
                }}</p>
            </Show>
        </div>
    }
}

fn warning(text: String) -> impl IntoView {
    view! {
        <div class="note wait" style="border-radius:0;padding-inline:16px">
            <Icon glyph=Glyph::TriangleAlert/>
            <p>{text}</p>
        </div>
    }
}

/// Shows how many fields were edited, with a button to undo the edits.
#[component]
fn EditedNote(draft: Draft) -> impl IntoView {
    let edited = Memo::new(move |_| draft.edited());
    view! {
        <Show when=move || { edited.get() > 0 }>
            <p class="hint">
                {move || format!("{} edited · ", format::plural(edited.get(), "field", "fields"))}
                <button class="link" type="submit" name=plain::ACT value=Act::Revert.value() on:click=move |_| draft.undo()>"Revert"</button>
                "."
            </p>
        </Show>
    }
}

/// Shows errors of the server that belong to no field.
#[component]
fn Problems(draft: Draft, problem: Signal<Option<Problem>>, taken: Signal<bool>, over: Memo<bool>) -> impl IntoView {
    let told = move || {
        if over.get() {
            return Some("This approval expired, so nothing was sent. Ask again to make the change.".to_owned());
        }
        if taken.get() {
            return Some("Already answered. This card will show the answer in a moment.".to_owned());
        }
        let problem = problem.get()?;
        let homeless = draft.homeless_errors();
        if problem.errors.is_empty() {
            Some(problem.detail)
        } else if homeless.is_empty() {
            Some("Not sent. Check the marked fields above.".to_owned())
        } else {
            Some(homeless.join(" "))
        }
    };
    view! {
        <div aria-live="polite">
            {move || told().map(|text| view! {
                <div class="approval-part">
                    <Note tone=if taken.get() || over.get() { NoteTone::Plain } else { NoteTone::Bad }>{text}</Note>
                </div>
            })}
        </div>
    }
}

/// Asks for the name of the thing that a destructive change removes.
#[component]
fn ConfirmName(id: String, text: String, typed: RwSignal<String>, locked: Signal<bool>) -> impl IntoView {
    view! {
        <div class="approval-part">
            <TextField
                id=format!("{id}-confirm")
                name=plain::CONFIRM
                label=format!("Type “{text}” to confirm")
                value=typed
                on_input=Callback::new(move |text| typed.set(text))
                autocomplete="off"
                hint=Some("You can approve once the name matches.".to_owned())
                disabled=locked
            />
        </div>
    }
}

#[component]
fn Foot(
    approval_id: ApprovalId,
    draft: Draft,
    kind: PreviewKind,
    destructive: bool,
    has_form: bool,
    editing: RwSignal<bool>,
    denying: RwSignal<bool>,
    confirmed: Signal<bool>,
    sending: Signal<bool>,
    approve: Callback<()>,
    shown_first: RwSignal<bool>,
) -> impl IntoView {
    let edited = Memo::new(move |_| draft.edited());
    // Without JavaScript, the server checks the typed name. The button must start enabled there, because nothing could enable it
    // later.
    let awake = RwSignal::new(false);
    Effect::new(move |_| awake.set(true));
    let off = Signal::derive(move || (awake.get() && !confirmed.get()) || (draft.locked.get() && !sending.get()));
    let sends = |act: &Act| Some((plain::ACT, act.value()));
    view! {
        <div class="approval-foot" id=button_id(approval_id, "foot")>
            <Button
                kind=if destructive { ButtonKind::Danger } else { ButtonKind::Primary }
                icon=if destructive { Glyph::Trash2 } else { Glyph::Check }
                sends=sends(&Act::Approve)
                disabled=off
                busy=sending
                attr:id=button_id(approval_id, "approve")
                on:click=move |_| approve.run(())
            >
                {move || wording::approve(kind, edited.get() > 0)}
            </Button>
            {has_form.then(|| view! {
                <Button
                    icon=Glyph::Pencil
                    sends=sends(if editing.get_untracked() { &Act::Close } else { &Act::Edit })
                    pressed=Signal::derive(move || Some(editing.get()))
                    disabled=draft.locked
                    attr:id=button_id(approval_id, "edit")
                    on:click=move |_| editing.update(|on| *on = !*on)
                >
                    "Edit"
                </Button>
            })}
            <Button
                kind=ButtonKind::Ghost
                sends=sends(&Act::AskWhy)
                disabled=draft.locked
                attr:id=button_id(approval_id, "deny")
                on:click=move |_| denying.set(true)
            >
                "Deny"
            </Button>
            <span class="push faint" style="font-size:var(--t-xs)" aria-live="polite">
                {move || match edited.get() {
                    _ if shown_first.get() => "This is what will be sent. Press again to approve.".to_owned(),
                    0 => "Will be sent exactly as shown".to_owned(),
                    n => format!("{} edited · will be sent exactly as shown", format::plural(n, "field", "fields")),
                }}
            </span>
        </div>
    }
}

/// Asks why. The reason is stored with the answer, and the assistant reads it.
#[component]
fn DenyPart(
    id: String,
    reason: RwSignal<String>,
    denying: RwSignal<bool>,
    sending: Signal<bool>,
    on_deny: Callback<String>,
) -> impl IntoView {
    let field = format!("{id}-reason");
    let focus = field.clone();
    Effect::new(move |_| crate::platform::focus(&focus));
    view! {
        <div class="approval-part" role="form" aria-label="Deny this change">
            <TextAreaField
                id=field
                name=plain::REASON
                label="Reason"
                optional=true
                max_length=Some(REASON)
                value=reason
                on_input=Callback::new(move |text| reason.set(text))
                hint=Some("The assistant reads it and may suggest something else.".to_owned())
                disabled=sending
            />
            <div class="row">
                <Button
                    kind=ButtonKind::Danger icon=Glyph::Ban busy=sending
                    sends=Some((plain::ACT, Act::Deny.value()))
                    on:click=move |_| on_deny.run(reason.get_untracked())
                >
                    "Deny"
                </Button>
                <Button
                    kind=ButtonKind::Ghost disabled=sending
                    sends=Some((plain::ACT, Act::Close.value()))
                    on:click=move |_| denying.set(false)
                >
                    "Back"
                </Button>
            </div>
        </div>
    }
}
