//! A question and everything the assistant did about it, in the order in which people read it.
//!
//! It draws only a `TurnView`, so a stored turn and a live one cannot look different.

use std::collections::BTreeSet;

use adagent_contract::{
    ActionKind, ActionView, AnswerRequest, ApprovalStatus, Problem, Rating, RunStatus, StopView, TurnView,
};
use adagent_domain::{ApprovalId, Network, RunId, Timestamp};
use leptos::prelude::*;

use super::{ArtifactView, Steps, correct::Correct, delegated::Delegated, plan::PlanCard};
use crate::{
    clock::LocalTime,
    features::{
        approval::{EditedCards, MadeChanges},
        desk::Desk,
        networks::TurnOn,
    },
    markdown::{Figures, Markdown, SourceTurn},
    parts,
    ui::{
        AgentMark, Avatar, Button, ButtonKind, ButtonSize, CopyButton, Glyph, Icon, IconButton, Note, NoteTone,
        TextAreaField, format,
    },
};

/// How many characters of a comment the server stores.
const LONGEST_COMMENT: u64 = 2_000;

/// What a person can do with a turn. An action without a callback is not offered.
#[derive(Clone, Copy, Default)]
pub struct TurnCallbacks {
    pub on_answer: Option<Callback<AnswerRequest>>,
    /// Approves the pending changes of the plan.
    pub on_approve_plan: Option<Callback<Vec<ApprovalId>>>,
    pub on_follow_up: Option<Callback<String>>,
    pub on_retry: Option<Callback<()>>,
    pub on_edit: Option<Callback<()>>,
    /// Saves the question, to ask it again from the home page.
    pub on_save: Option<Callback<()>>,
    /// Rates the answer, with a comment if the person writes one.
    pub on_rate: Option<Callback<(Rating, Option<String>)>>,
    /// Runs the failed call with corrected arguments, after a stop that a retry cannot fix.
    pub on_override: Option<Callback<RunId>>,
}

/// Draws the frame of a turn: who asked what, and when.
#[component]
pub fn Entry(
    /// The target of skip links, and of the focus after an action.
    #[prop(optional, into)]
    id: Option<String>,
    #[prop(into)] question: String,
    #[prop(into)] author: String,
    at: Timestamp,
    /// Whether the turn is still in progress.
    #[prop(optional, into)]
    busy: Signal<bool>,
    children: Children,
) -> impl IntoView {
    view! {
        <article class="entry" id=id tabindex="-1" aria-busy=move || busy.get().then_some("true")>
            <div class="ask">
                <Avatar name=author/>
                <h2>{question}</h2>
                <LocalTime at/>
            </div>
            {children()}
        </article>
    }
}

/// Draws the assistant's part: steps, approvals, answer, artifacts, errors, actions, follow-ups.
#[component]
pub fn Turn(
    #[prop(into)] turn: Signal<TurnView>,
    #[prop(optional)] callbacks: TurnCallbacks,
    #[prop(optional, into)] rating: Signal<Option<Rating>>,
    /// Whether an answer to an approval is being sent.
    #[prop(optional, into)]
    sending: Signal<bool>,
    /// Why the server refused the last answer: errors of fields, or that somebody else answered first.
    #[prop(optional, into)]
    problem: Signal<Option<Problem>>,
) -> impl IntoView {
    let figures = Memo::new(move |_| turn.with(Figures::of));
    let answer = Memo::new(move |_| turn.with(|turn| turn.answer.clone()));
    let writing =
        Memo::new(move |_| turn.with(|turn| !turn.answered && !turn.status.is_final() && !turn.answer.is_empty()));
    // Cards are keyed by ID and state, so a pending card keeps its typed text while the turn continues.
    let approvals = Memo::new(move |_| turn.with(|turn| turn.approvals.clone()));
    provide_context(MadeChanges(approvals));
    provide_context(EditedCards(RwSignal::new(BTreeSet::new())));
    let artifacts = Memo::new(move |_| turn.with(|turn| turn.artifacts.clone()));
    let covers = Memo::new(move |_| turn.with(|turn| turn.covers.clone()));
    let method = Memo::new(move |_| turn.with(|turn| turn.method.clone()));
    let actions = Memo::new(move |_| turn.with(|turn| turn.actions.clone()));
    let stops = Memo::new(move |_| turn.with(|turn| turn.stops.clone()));
    let run_id = turn.with_untracked(|turn| turn.run_id);
    provide_context(SourceTurn(turn));
    let agent = Memo::new(move |_| turn.with(|turn| turn.agent.clone()));
    view! {
        {move || agent.get().map(|agent| view! {
            <p class="answered-by">
                <AgentMark name=agent.name.clone() color=agent.color/>
                <b>{agent.name}</b>
                <code>{format!("@{}", agent.handle)}</code>
            </p>
        })}
        <Steps turn/>
        <Delegated turn mine=callbacks.on_answer.is_some() on_approve_plan=callbacks.on_approve_plan/>
        <PlanCard turn on_approve=callbacks.on_approve_plan sending/>
        <For
            each=move || approvals.get()
            key=|approval| (approval.approval_id, approval.status as u8)
            children=move |approval| {
                let node = if approval.status == ApprovalStatus::Pending { "wait" } else { "done" };
                view! {
                    <div class="part" data-node=node>
                        {parts::approval_card(approval, callbacks.on_answer, sending, problem, None)}
                    </div>
                }
            }
        />
        <Show when=move || !answer.with(String::is_empty)>
            <div class="part prose" data-node="answer" aria-live=move || writing.get().then_some("polite")>
                <Markdown text=answer figures=figures writing=writing/>
            </div>
        </Show>
        {move || actions.get().into_iter().map(|action| call_to_action(action, answer)).collect_view()}
        <For
            each=move || artifacts.get().into_iter().enumerate()
            key=|(at, artifact)| (*at, artifact.title().to_owned())
            children=move |(at, artifact)| view! {
                <div class="part">
                    <ArtifactView id=format!("a-{run_id}-{at}") artifact covers=covers.get_untracked()/>
                </div>
            }
        />
        <Show when=move || !method.with(Vec::is_empty)>
            <div class="part">
                <details class="method">
                    <summary>"How this was counted"</summary>
                    <ul>{move || method.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
                </details>
            </div>
        </Show>
        {move || stops.get().into_iter().map(|stop| stopped(stop, callbacks, turn)).collect_view()}
        <Show when=move || turn.with(|turn| turn.status == RunStatus::Cancelled)>
            <div class="part"><Note icon=Glyph::Square>"You stopped this run. Finished steps are kept."</Note></div>
        </Show>
        <Show when=move || turn.with(|turn| turn.status.is_final())>
            <ActionRow turn callbacks rating/>
            <FollowUps turn callbacks/>
        </Show>
    }
}

/// Offers to connect or turn on a network. It is in the answer, never in the steps.
fn call_to_action(action: ActionView, answer: Memo<String>) -> impl IntoView {
    let name = action.network.map_or("a network", Network::display_name);
    let connect = action.network.map_or_else(String::new, |network| format!("?connect={}", network.id()));
    let href = action.deep_link.clone().unwrap_or_else(|| format!("/settings/networks{connect}"));
    let way = href.clone();
    let button = match (action.action, action.network) {
        (ActionKind::EnableNetwork, Some(network)) => {
            let back = href.split_once("return=").map(|(_, path)| path.to_owned()).unwrap_or_default();
            view! { <TurnOn network back/> }.into_any()
        }
        _ => view! {
            <a class="button primary" href=href>
                {format!("Connect {name}")}
                <Icon glyph=Glyph::ArrowRight small=true/>
            </a>
        }
        .into_any(),
    };
    // If the answer contains the sentence, do not repeat it.
    let message = action.message;
    let said = move || (!answer.with(|answer| answer.contains(&message))).then(|| message.clone());
    view! {
        <div class="part stack">
            {move || said().map(|message| view! { <div class="prose"><p>{message}</p></div> })}
            <div on:click=move |_| super::going_on::leave(&way)>{button}</div>
        </div>
    }
}

/// Says why the turn ended without an answer, and what the person can do.
fn stopped(stop: StopView, callbacks: TurnCallbacks, turn: Signal<TurnView>) -> impl IntoView {
    let run_id = turn.with_untracked(|turn| turn.run_id);
    let retry = callbacks.on_retry.map(|on_retry| {
        view! {
            <Button icon=Glyph::RefreshCw on:click=move |_| on_retry.run(())>"Ask again"</Button>
        }
    });
    let correct = callbacks
        .on_override
        .filter(|_| stop.developer_override_available)
        .map(|on_started| view! { <Correct turn on_started/> });
    view! {
        <div class="part stack">
            <Note tone=NoteTone::Bad>{stop.content}</Note>
            <div class="row wrap">
                {retry}
                {correct}
                <a class="button ghost" href=format!("/runs/{run_id}")>"View run"</a>
            </div>
        </div>
    }
}

#[component]
fn ActionRow(turn: Signal<TurnView>, callbacks: TurnCallbacks, rating: Signal<Option<Rating>>) -> impl IntoView {
    let run_id = turn.with_untracked(|turn| turn.run_id);
    let answer = Signal::derive(move || turn.with(|turn| turn.answer.clone()));
    let used = Memo::new(move |_| turn.with(used));
    // Whether the person may now say what was wrong.
    let asking = RwSignal::new(false);
    let thumb = move |which: Rating, glyph, label: &'static str| {
        callbacks.on_rate.map(|on_rate| {
            view! {
                <IconButton
                    glyph
                    label
                    pressed=Signal::derive(move || Some(rating.get() == Some(which)))
                    on:click=move |_| {
                        on_rate.run((which, None));
                        asking.set(which == Rating::Down);
                    }
                />
            }
        })
    };
    view! {
        <div class="part">
            <div class="actions" role="group" aria-label="Answer actions">
                <Show when=move || turn.with(|turn| !turn.answer.is_empty())>
                    <CopyButton text=answer label="Copy" worded=true/>
                </Show>
                {callbacks.on_retry.map(|on_retry| view! {
                    <Button kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::RefreshCw on:click=move |_| on_retry.run(())>
                        "Retry"
                    </Button>
                })}
                {callbacks.on_edit.map(|on_edit| view! {
                    <Button
                        kind=ButtonKind::Ghost
                        size=ButtonSize::Small
                        icon=Glyph::Pencil
                        class="wide-only"
                        on:click=move |_| on_edit.run(())
                    >
                        "Edit"
                    </Button>
                })}
                {callbacks.on_save.map(|on_save| view! {
                    <Button kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::Bookmark on:click=move |_| on_save.run(())>
                        "Save"
                    </Button>
                })}
                {thumb(Rating::Up, Glyph::ThumbsUp, "Good answer")}
                {thumb(Rating::Down, Glyph::ThumbsDown, "Bad answer")}
                <a class="button ghost small" href=format!("/runs/{run_id}")>
                    <Icon glyph=Glyph::Activity small=true/>
                    "View run"
                </a>
                <span class="faint push wide-only" style="font-size:var(--t-2xs)">{move || used.get()}</span>
            </div>
            {callbacks.on_rate.map(|on_rate| view! { <WhatWasWrong run_id asking on_rate/> })}
        </div>
    }
}

/// Says where a comment goes.
fn who_reads() -> &'static str {
    let here = use_context::<Desk>().and_then(Desk::here);
    match here {
        Some(here) if here.personal => "You find it again in Settings › Team.",
        _ => "Owners and admins of this workspace can read your comment.",
    }
}

/// Asks what was wrong with a bad answer; the comment is optional.
#[component]
fn WhatWasWrong(run_id: RunId, asking: RwSignal<bool>, on_rate: Callback<(Rating, Option<String>)>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let id = format!("wrong-{run_id}");
    let (field, form) = (id.clone(), format!("{id}-form"));
    let shown = form.clone();
    Effect::new(move |_| {
        if asking.get() {
            let field = field.clone();
            let form = shown.clone();
            crate::platform::on_next_frame(move || {
                crate::platform::focus(&field);
                // Otherwise only the field might show above the composer.
                crate::platform::scroll_into_view(&form);
            });
        }
    });
    let close = move || {
        asking.set(false);
        text.set(String::new());
        // The pressed button is gone with the form.
        crate::platform::focus("ask");
    };
    view! {
        <Show when=move || asking.get()>
            <form
                class="stack wrong" id=form.clone()
                on:submit=move |event| {
                    event.prevent_default();
                    let said = text.get_untracked().trim().to_owned();
                    if !said.is_empty() {
                        on_rate.run((Rating::Down, Some(said)));
                    }
                    close();
                }
            >
                <TextAreaField
                    id=id.clone()
                    label="What was wrong?"
                    optional=true
                    hint=Some(who_reads().to_owned())
                    max_length=Some(LONGEST_COMMENT)
                    value=text
                    on_input=Callback::new(move |typed| text.set(typed))
                />
                <div class="row">
                    <Button submit=true size=ButtonSize::Small>"Send"</Button>
                    <Button kind=ButtonKind::Ghost size=ButtonSize::Small on:click=move |_| close()>"Not now"</Button>
                </div>
            </form>
        </Show>
    }
}

/// Describes what the turn used, such as `Built-in assistant · 3 requests · $0.00`.
fn used(turn: &TurnView) -> String {
    let calls = turn.steps.iter().filter(|step| matches!(step, adagent_contract::StepView::Tool { .. })).count();
    let model = super::model_name(&turn.model);
    let cost = turn.usage.as_ref().map_or(0, |usage| usage.cost_micros);
    // A model's cost is small, so show four decimals, but two for zero.
    let money = adagent_domain::Money::new(adagent_domain::Currency::USD, cost);
    let cost = money.display(if cost == 0 { 2 } else { 4 });
    format!("{model} · {} · {cost}", format::plural(calls, "request", "requests"))
}

#[component]
fn FollowUps(turn: Signal<TurnView>, callbacks: TurnCallbacks) -> impl IntoView {
    let chips = Memo::new(move |_| turn.with(|turn| turn.follow_ups.clone()));
    view! {
        <Show when=move || callbacks.on_follow_up.is_some() && !chips.with(Vec::is_empty)>
            <div class="part">
                <h3 class="unseen">"Follow up"</h3>
                <div class="follow-ups">
                    {move || chips.get().into_iter().map(|text| {
                        let asked = text.clone();
                        view! {
                            <button
                                class="chip"
                                type="button"
                                on:click=move |_| {
                                    if let Some(on_follow_up) = callbacks.on_follow_up {
                                        on_follow_up.run(asked.clone());
                                    }
                                }
                            >
                                <Icon glyph=Glyph::CornerDownRight small=true/>
                                {text}
                            </button>
                        }
                    }).collect_view()}
                </div>
            </div>
        </Show>
    }
}
