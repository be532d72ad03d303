//! The card while it waits: what will happen, the form, the warnings, and the three answers.

use adagent_contract::{AnswerRequest, ApprovalStatus, PreviewKind, Problem, Risk, TurnApproval, codes};
use adagent_domain::ApprovalId;
use leptos::prelude::*;

use super::{
    answered,
    draft::Draft,
    fields::Fields,
    keys::{act_on_card, button_id, card_id, is_shortcut},
    record::Record,
    wording,
};
use crate::{
    clock::PageClock,
    ui::{
        Badge, BadgeTone, Button, ButtonKind, Diff, Glyph, Icon, NetworkMark, Note, NoteTone, TextAreaField, TextField,
        format,
    },
};

/// The longest reason the server keeps.
const REASON: u64 = 500;

/// Draws a waiting approval as a form and an answered one as a record. Hands over an answer; never sends one itself.
#[component]
pub fn ApprovalCard(
    approval: TurnApproval,
    /// Without it the card only shows.
    #[prop(optional_no_strip)]
    on_answer: Option<Callback<AnswerRequest>>,
    #[prop(optional, into)] sending: Signal<bool>,
    #[prop(optional, into)] problem: Signal<Option<Problem>>,
) -> impl IntoView {
    if approval.status == ApprovalStatus::Pending {
        view! { <Waiting approval on_answer sending problem/> }.into_any()
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
) -> impl IntoView {
    let id = format!("ap-{}", approval.approval_id);
    let destructive = approval.risk == Risk::Destructive;
    let taken = Signal::derive(move || problem.get().is_some_and(|problem| problem.code == codes::APPROVAL_ANSWERED));
    let locked = Signal::derive(move || sending.get() || taken.get() || on_answer.is_none());
    let draft = Draft::new(&approval, locked, problem);
    let kind = approval.preview.kind;
    // The table says what will be sent; the form is there for whoever wants it otherwise.
    let editing = RwSignal::new(false);
    let denying = RwSignal::new(false);
    let typed_name = RwSignal::new(String::new());
    let confirm = approval.ui_hints.confirm_text.clone();
    let confirmed = {
        let confirm = confirm.clone();
        Signal::derive(move || confirm.as_ref().is_none_or(|text| typed_name.with(|typed| typed.trim() == text.trim())))
    };
    let has_form = approval.ui_hints.fields.iter().any(|hint| hint.widget != adagent_contract::Widget::Hidden);
    let approval_id = approval.approval_id;
    let answer = move |approved: bool, reason: Option<String>| {
        if let Some(on_answer) = on_answer {
            let edited_args = approved.then(|| draft.edited_args()).flatten();
            answered::note(approval_id);
            on_answer.run(AnswerRequest { approval_id, approved, edited_args, reason, remember: None });
        }
    };
    let approve = Callback::new(move |()| {
        if locked.get_untracked() || !confirmed.get_untracked() {
            return;
        }
        match draft.first_error() {
            // The field is shown and focused; nothing leaves.
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
    // With what was edited so far: the table is what will be sent, whether the form is open or not.
    let shown = Memo::new(move |_| changes.with_value(|changes| wording::now(changes, &draft.edits())));
    let labelled_by = id.clone();
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
            <Head id=id.clone() approval=approval.clone()/>
            <Show when=move || !shown.with(Vec::is_empty)>
                <div class="approval-part">
                    <h4>{wording::changes_heading(kind)}</h4>
                    {move || view! { <Diff rows=shown.get() kind/> }}
                </div>
            </Show>
            <Show when=move || has_form && editing.get()>
                <form class="approval-part" aria-label="Edit this change" on:submit=|event| event.prevent_default()>
                    <Fields draft/>
                    <EditedNote draft/>
                </form>
            </Show>
            <Problems draft problem taken/>
            {approval.warnings.into_iter().map(warning).collect_view()}
            {confirm.map(|text| view! { <ConfirmName id=id.clone() text typed=typed_name locked/> })}
            <Show
                when=move || denying.get()
                fallback=move || view! {
                    <Foot approval_id draft kind destructive has_form editing denying confirmed sending approve/>
                }
            >
                <DenyPart id=id.clone() denying sending on_deny=deny/>
            </Show>
        </article>
    }
}

/// Badges, network, expiry and the one sentence.
#[component]
fn Head(id: String, approval: TurnApproval) -> impl IntoView {
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
                    <NetworkMark network=approval.network size="small"/>
                    {approval.network.display_name()}
                </span>
                {move || expires.map(|at| match clock.left(at) {
                    Some(left) => view! { <span>{format!("Expires in {left}")}</span> },
                    None => view! { <span>{"Expired".to_owned()}</span> },
                })}
            </div>
            <h3 id=id>{approval.title}</h3>
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

/// How much was edited, with the way back.
#[component]
fn EditedNote(draft: Draft) -> impl IntoView {
    let edited = Memo::new(move |_| draft.edited());
    view! {
        <Show when=move || { edited.get() > 0 }>
            <p class="hint">
                {move || format!("{} edited · ", format::plural(edited.get(), "field", "fields"))}
                <button class="link" type="button" on:click=move |_| draft.undo()>"Revert"</button>
            </p>
        </Show>
    }
}

/// What the server said that stands beside no field.
#[component]
fn Problems(draft: Draft, problem: Signal<Option<Problem>>, taken: Signal<bool>) -> impl IntoView {
    let told = move || {
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
                    <Note tone=if taken.get() { NoteTone::Plain } else { NoteTone::Bad }>{text}</Note>
                </div>
            })}
        </div>
    }
}

/// A destructive change asks for the name of what goes.
#[component]
fn ConfirmName(id: String, text: String, typed: RwSignal<String>, locked: Signal<bool>) -> impl IntoView {
    view! {
        <form class="approval-part" on:submit=|event| event.prevent_default()>
            <TextField
                id=format!("{id}-confirm")
                label=format!("Type “{text}” to confirm")
                value=typed
                on_input=Callback::new(move |text| typed.set(text))
                autocomplete="off"
                hint=Some("You can approve once the name matches.".to_owned())
                disabled=locked
            />
        </form>
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
) -> impl IntoView {
    let edited = Memo::new(move |_| draft.edited());
    let off = Signal::derive(move || !confirmed.get() || (draft.locked.get() && !sending.get()));
    view! {
        <div class="approval-foot">
            <Button
                kind=if destructive { ButtonKind::Danger } else { ButtonKind::Primary }
                icon=if destructive { Glyph::Trash2 } else { Glyph::Check }
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
                disabled=draft.locked
                attr:id=button_id(approval_id, "deny")
                on:click=move |_| denying.set(true)
            >
                "Deny"
            </Button>
            <span class="push faint" style="font-size:var(--t-xs)">
                {move || match edited.get() {
                    0 => "Will be sent exactly as shown".to_owned(),
                    n => format!("{} edited · will be sent exactly as shown", format::plural(n, "field", "fields")),
                }}
            </span>
        </div>
    }
}

/// Why not; the reason is kept with the answer, and the assistant reads it.
#[component]
fn DenyPart(id: String, denying: RwSignal<bool>, sending: Signal<bool>, on_deny: Callback<String>) -> impl IntoView {
    let reason = RwSignal::new(String::new());
    let field = format!("{id}-reason");
    let focus = field.clone();
    Effect::new(move |_| crate::platform::focus(&focus));
    view! {
        <form
            class="approval-part"
            aria-label="Deny this change"
            on:submit=move |event| {
                event.prevent_default();
                on_deny.run(reason.get_untracked());
            }
        >
            <TextAreaField
                id=field
                label="Reason"
                optional=true
                max_length=Some(REASON)
                value=reason
                on_input=Callback::new(move |text| reason.set(text))
                hint=Some("The assistant reads it and may suggest something else.".to_owned())
                disabled=sending
            />
            <div class="row">
                <Button kind=ButtonKind::Danger submit=true icon=Glyph::Ban busy=sending>"Deny"</Button>
                <Button kind=ButtonKind::Ghost disabled=sending on:click=move |_| denying.set(false)>"Back"</Button>
            </div>
        </form>
    }
}
