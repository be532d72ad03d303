//! An answered approval: it stays in its place and shows who answered, when, and what was edited.

use adagent_contract::{ApprovalStatus, PreviewKind, TurnApproval, came_too_late};
use leptos::prelude::*;

use super::{
    keys::card_id,
    last_answer,
    undo::UndoOnceMade,
    wording::{self, RecordRow},
};
use crate::{
    clock::LocalTime,
    ui::{BadgeTone, Glyph, Icon, SourceMark, Stamp, format::MISSING},
};

#[component]
pub fn Record(approval: TurnApproval) -> impl IntoView {
    let id = format!("ap-{}", approval.approval_id);
    let again = approval.asked_again;
    let (tone, glyph) = match approval.status {
        ApprovalStatus::Approved if again => (BadgeTone::Plain, Glyph::RefreshCw),
        ApprovalStatus::Approved => (BadgeTone::Good, Glyph::Check),
        ApprovalStatus::Expired => (BadgeTone::Plain, Glyph::Timer),
        ApprovalStatus::Cancelled => (BadgeTone::Plain, Glyph::X),
        _ => (BadgeTone::Plain, Glyph::Ban),
    };
    let edited = !approval.edits.is_empty() || approval.edited_args.is_some();
    let late = came_too_late(approval.status, approval.reason.as_deref());
    let stamp = wording::stamp(approval.status, approval.reason.as_deref(), again);
    let tail = match wording::not_sent(approval.status, approval.reason.as_deref()) {
        Some(tail) => Some(tail),
        None if again => Some("A newer card asked for it again."),
        None if edited => Some("Edited before sending."),
        None => None,
    };
    let rows = (approval.status == ApprovalStatus::Approved && !again)
        .then(|| wording::record_rows(&approval.preview.changes, &approval.edits))
        .filter(|rows| !rows.is_empty());
    // A created thing has no previous values.
    let made = approval.preview.kind == PreviewKind::Create
        && rows.as_ref().is_some_and(|rows| rows.iter().all(|row| row.row.before.is_none()));
    let undoable = approval.preview.can_go_back() && !again;
    // An expired approval has no person to name, and its reason would repeat the sentence. The reason would also repeat it when
    // nothing was left to send.
    let expired = approval.status == ApprovalStatus::Expired;
    let who = approval.answered_by.filter(|_| !expired);
    let reason = approval.reason.filter(|_| !expired && !late);
    let labelled_by = id.clone();
    let own = card_id(approval.approval_id);
    let (focused, answered_here) = (own.clone(), approval.approval_id);
    Effect::new(move |_| {
        if last_answer::take(answered_here) {
            let focused = focused.clone();
            crate::platform::on_next_frame(move || crate::platform::focus(&focused));
        }
    });
    view! {
        <article class="approval" id=own tabindex="-1" aria-labelledby=labelled_by>
            <div class="record">
                <SourceMark source=approval.source/>
                <div>
                    <h3 id=id style="font-size:var(--t-sm)">{approval.title}</h3>
                    <p class="faint" style="font-size:var(--t-xs)">
                        {who.map(|who| format!("{who}, "))}
                        {approval.answered_at.map(|at| view! { <LocalTime at/>"." })}
                        {tail.map(|tail| format!(" {tail}"))}
                    </p>
                </div>
                <Stamp tone icon=glyph>{stamp}</Stamp>
            </div>
            {reason.map(|reason| view! {
                <div class="approval-part" style="padding-block:12px"><p>"Reason: " {reason}</p></div>
            })}
            {rows.map(|rows| view! {
                <div class="approval-part" style="padding-block:12px">
                    <dl class=if made { "diff create" } else { "diff" }>
                        {rows.into_iter().map(|it| row(it, made)).collect_view()}
                    </dl>
                </div>
            })}
            {undoable.then(|| view! { <UndoOnceMade approval=answered_here/> })}
        </article>
    }
}

fn row(RecordRow { row, proposed }: RecordRow, made: bool) -> impl IntoView {
    let same = row.after.is_some() && row.before == row.after;
    let now = match row.after {
        None => view! { <dd class="now gone">"removed"</dd> }.into_any(),
        Some(_) if same => view! { <dd class="now same">"unchanged"</dd> }.into_any(),
        Some(after) => view! {
            <dd class="now">
                <ins>{after}</ins>
                {proposed.map(|proposed| view! { " " <span class="faint" style="font-weight:420">{format!("proposed {proposed}")}</span> })}
            </dd>
        }
        .into_any(),
    };
    let was = match row.before {
        Some(before) if !same => view! { <del>{before}</del> }.into_any(),
        Some(before) => before.into_any(),
        None => MISSING.into_any(),
    };
    view! {
        <div>
            <dt>{row.label}</dt>
            {(!made).then(|| view! {
                <dd class="was">{was}</dd>
                <dd class="arrow"><Icon glyph=Glyph::ArrowRight small=true/></dd>
            })}
            {now}
        </div>
    }
}
