//! Turns and approvals in every state.

use adagent_contract::{ApprovalStatus, Problem, Rating, codes};
use leptos::prelude::*;

use super::{samples, spec};
use crate::features::{
    approval::ApprovalCard,
    chat::{ArtifactView, Entry, Turn, TurnCallbacks},
};

fn callbacks() -> TurnCallbacks {
    TurnCallbacks {
        on_approve_plan: None,
        on_answer: Some(Callback::new(|_| ())),
        on_follow_up: Some(Callback::new(|_| ())),
        on_retry: Some(Callback::new(|()| ())),
        on_edit: Some(Callback::new(|()| ())),
        on_save: Some(Callback::new(|()| ())),
        on_rate: Some(Callback::new(|_| ())),
        on_override: Some(Callback::new(|_| ())),
    }
}

pub fn all() -> impl IntoView {
    let card = |approval, problem: Option<Problem>| {
        view! {
            <div class="wide-cell"><ApprovalCard approval on_answer=Some(Callback::new(|_| ())) problem=Signal::stored(problem)/></div>
        }
    };
    let taken = Problem::new(409, codes::APPROVAL_ANSWERED, "Answered already", "Somebody else answered.");
    let wrong = Problem::new(422, codes::VALIDATION, "Check the fields", "One field is wrong.")
        .with_errors(vec![adagent_contract::FieldError::new("/body/displayName", "There is a group of this name.")]);
    view! {
        {spec("Turns", turns())}
        {spec("Approval, waiting", card(samples::create_group(1), None))}
        {spec("Approval, field error from the server", card(samples::create_group(2), Some(wrong)))}
        {spec("Approval, answered elsewhere", card(samples::update_line(3), Some(taken)))}
        {spec("Approval, destructive", card(samples::delete_group(4), None))}
        {spec("Approval, records", view! {
            {card(samples::answered(samples::update_line(5), ApprovalStatus::Approved), None)}
            {card(samples::answered(samples::delete_group(6), ApprovalStatus::Denied), None)}
            {card(samples::answered(samples::update_line(7), ApprovalStatus::Cancelled), None)}
            {card(samples::answered(samples::update_line(8), ApprovalStatus::Expired), None)}
        })}
        {spec("Approval, every kind of field", card(samples::every_field(9), None))}
        {spec("Artifacts", samples::artifacts().into_iter().enumerate().map(|(at, artifact)| view! {
            <div class="wide-cell"><ArtifactView id=format!("dev-a{at}") artifact covers=None/></div>
        }).collect_view())}
    }
}

fn turns() -> impl IntoView {
    let entries = samples::turns()
        .into_iter()
        .map(|(question, turn)| {
            let busy = !turn.status.is_final();
            let at = turn.started_at.unwrap_or(samples::NOW);
            view! {
                <Entry question author="Mara Kessler" at busy=busy>
                    <Turn turn=Signal::stored(turn) callbacks=callbacks() rating=Signal::stored(Some(Rating::Up))/>
                </Entry>
            }
        })
        .collect_view();
    view! { <div class="turns wide-cell" style="padding-block:0;margin:0">{entries}</div> }
}
