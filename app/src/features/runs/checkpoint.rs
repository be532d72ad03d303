//! One checkpoint of a run: what changed since another one, its contents, and the ways to fork the run from it.

use adagent_contract::{CheckpointView, EventBody, PreviewKind, RunEvent};
use adagent_domain::{CheckpointId, RunId, Timestamp, ToolCallId};
use leptos::prelude::*;
use leptos_router::{NavigateOptions, hooks::use_navigate};
use serde_json::Value as Json;

use super::{changes, fork::Again};
use crate::features::form::ActionForm;
use crate::{
    features::{
        api::{self, CheckpointPair, ForkRun},
        chat::node_name,
    },
    ui::{Diff, Glyph, Icon, JsonTree, TextAreaField, format},
};

/// How many rows of a comparison are shown at first. The first checkpoint, for example, has a long list of tools.
const ROWS: usize = 12;

/// Shows the card of the chosen checkpoint. Numbers count from one. `since` is the checkpoint to compare with; `None` means the
/// previous one.
#[component]
pub fn Checkpoint(
    run: RunId,
    checkpoints: Vec<CheckpointView>,
    #[prop(into)] events: StoredValue<Vec<RunEvent>>,
    start: Timestamp,
    number: usize,
    since: Option<usize>,
) -> impl IntoView {
    let count = checkpoints.len();
    let at = number.saturating_sub(1);
    let Some(view) = checkpoints.get(at).cloned() else { return ().into_any() };
    let since = since.filter(|since| (1..=count).contains(since) && *since != number);
    let from = since.and_then(|since| checkpoints.get(since - 1)).map(|from| from.id);
    let id = view.id;
    let pair = Resource::new(|| (), move |()| api::read_checkpoint(run, id, from));
    let after = view.created_at.as_micros() - start.as_micros();
    let step = |to: usize, glyph: Glyph, label: &'static str| {
        let there = (1..=count).contains(&to);
        view! {
            <a
                class="button ghost icon-only small" aria-label=label href=there.then(|| format!("?checkpoint={to}#state"))
                aria-disabled=(!there).then_some("true") role=(!there).then_some("link")
            >
                <Icon glyph small=true/>
            </a>
        }
    };
    view! {
        <section class="card" id="state" aria-labelledby="state-title">
            <div class="card-head">
                <h3 id="state-title">{title(&view, number)}</h3>
                <span class="faint num">{format::precise(after.max(0).unsigned_abs())}</span>
                {step(number.saturating_sub(1), Glyph::ArrowLeft, "Previous checkpoint")}
                {step(number + 1, Glyph::ArrowRight, "Next checkpoint")}
            </div>
            <div class="card-body"><Since checkpoints number since/></div>
            <Transition fallback=|| view! { <div class="card-body"><span class="skeleton" style="width:80%;height:90px"></span></div> }>
                {move || pair.get().map(|answer| match answer {
                    Ok(pair) => {
                        let open = events.with_value(|events| changeable(&pair.now.state, events));
                        let again = events.with_value(|events| Again::of(&pair.now.state, events));
                        view! {
                            <div class="card-body stack" style="padding-top:0">{contents(&pair)}</div>
                            <Forks run checkpoint=id open again/>
                        }
                        .into_any()
                    }
                    Err(error) => view! { <p class="card-body error-text" role="alert">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </section>
    }
    .into_any()
}

fn title(view: &CheckpointView, number: usize) -> String {
    let (node, _) = node_name(&view.node);
    match view.node.as_str() {
        "end" => format!("Checkpoint {number}, at the end"),
        _ => format!("Checkpoint {number}, before {}", node.to_lowercase()),
    }
}

/// Chooses the checkpoint to compare with. A form, so that it works without JavaScript; with JavaScript, choosing is enough.
#[component]
fn Since(checkpoints: Vec<CheckpointView>, number: usize, since: Option<usize>) -> impl IntoView {
    let navigate = use_navigate();
    let chosen = since.unwrap_or(number.saturating_sub(1));
    let options = checkpoints
        .iter()
        .zip(1..)
        .filter(|(_, other)| *other != number)
        .map(|(view, other)| (other, title(view, other)))
        .collect::<Vec<_>>();
    if options.is_empty() {
        return view! { <h4 class="label">"Starting state"</h4> }.into_any();
    }
    view! {
        <form method="get" class="row wrap between" action="#state">
            <h4 class="label"><label for="since">{if chosen == 0 { "Starting state" } else { "What changed since" }}</label></h4>
            <input type="hidden" name="checkpoint" value=number/>
            {crate::features::form::field()}
            <select
                class="select" id="since" name="from" style="width:auto;max-width:100%"
                on:change=move |event| {
                    let to = format!("?checkpoint={number}&from={}#state", event_target_value(&event));
                    navigate(&to, NavigateOptions { scroll: false, ..NavigateOptions::default() });
                }
            >
                {(chosen == 0).then(|| view! { <option value="" selected=true>"the start"</option> })}
                {options.into_iter().map(|(other, title)| view! {
                    <option value=other selected=other == chosen>{title}</option>
                }).collect_view()}
            </select>
            <noscript><button class="button small" type="submit">"Compare"</button></noscript>
        </form>
    }
    .into_any()
}

fn contents(pair: &CheckpointPair) -> impl IntoView + use<> {
    let mut rows = changes::rows(&pair.since.changes, &pair.now.state);
    let kind = if pair.since.from.is_none() { PreviewKind::Create } else { PreviewKind::Update };
    let more = rows.split_off(rows.len().min(ROWS));
    view! {
        {if rows.is_empty() {
            view! { <p class="quiet-text">"No changes."</p> }.into_any()
        } else {
            view! { <Diff rows kind/> }.into_any()
        }}
        {(!more.is_empty()).then(|| view! {
            <details class="steps">
                <summary><Icon glyph=Glyph::ChevronRight small=true class="chevron"/>{format::plural(more.len(), "more change", "more changes")}</summary>
                <Diff rows=more kind/>
            </details>
        })}
        <h4 class="label">"State"</h4>
        <JsonTree value=pair.now.state.clone() label="State as JSON"/>
    }
}

/// A call that may get other arguments in a fork, with its original arguments.
#[derive(Debug, Clone, PartialEq)]
struct Changeable {
    id: ToolCallId,
    name: String,
    args: Json,
}

/// Returns the last open call of a state, or else its last read. A change that was sent cannot be altered.
fn changeable(state: &Json, events: &[RunEvent]) -> Option<Changeable> {
    let calls = state.get("calls")?.as_array()?;
    let is = |call: &Json| call.pointer("/state/is").and_then(Json::as_str).map(str::to_owned).unwrap_or_default();
    let open = |call: &&Json| matches!(is(call).as_str(), "proposed" | "ready" | "waiting" | "approved");
    let read = |call: &&Json| call.get("read_only").and_then(Json::as_bool) == Some(true);
    // A call without a recorded event has no arguments to change.
    let with_args = |call: &Json| {
        let id: ToolCallId = call.get("id")?.as_str()?.parse().ok()?;
        let args = events.iter().rev().find_map(|event| match &event.body {
            EventBody::Tool { tool_call_id, params, .. } if *tool_call_id == id => Some(params.clone()),
            _ => None,
        })?;
        Some(Changeable { id, name: call.get("name")?.as_str()?.to_owned(), args })
    };
    let last = |wanted: &dyn Fn(&&Json) -> bool| calls.iter().rev().filter(|call| wanted(call)).find_map(with_args);
    last(&open).or_else(|| last(&read))
}

/// Shows the ways to fork from here. Forms that work without JavaScript.
#[component]
fn Forks(run: RunId, checkpoint: CheckpointId, open: Option<Changeable>, again: Again) -> impl IntoView {
    let fork = ServerAction::<ForkRun>::new();
    let busy = move || fork.pending().get().then_some("true");
    let start = open.as_ref().map(|open| serde_json::to_string_pretty(&open.args).unwrap_or_default());
    let (message, args) = (RwSignal::new(String::new()), RwSignal::new(start.unwrap_or_default()));
    let hidden = move || {
        view! {
            <input type="hidden" name="run" value=run.to_string()/>
            <input type="hidden" name="checkpoint" value=checkpoint.to_string()/>
        }
    };
    view! {
        <div class="card-foot forks" id="fork">
            <details class="steps">
                <summary><Icon glyph=Glyph::ChevronRight small=true class="chevron"/>"Fork from here"</summary>
                <ActionForm action=fork attr:class="stack">
                    {hidden()}
                    <p class="quiet-text">"This starts a new run from this checkpoint. "{again.in_words()}</p>
                    <div><button class="button" type="submit" aria-busy=busy><Icon glyph=Glyph::GitFork small=true/>"Start fork"</button></div>
                </ActionForm>
            </details>
            <details class="steps">
                <summary><Icon glyph=Glyph::ChevronRight small=true class="chevron"/>"Use a different message"</summary>
                <ActionForm action=fork attr:class="stack">
                    {hidden()}
                    <TextAreaField
                        id="fork-message" label="Message" name="message" value=message max_length=Some(20_000)
                        hint=Some("Asked in place of the original. Reports read before this checkpoint are reused.".to_owned())
                        on_input=Callback::new(move |typed| message.set(typed))
                    />
                    <div><button class="button" type="submit" aria-busy=busy>"Fork with this message"</button></div>
                </ActionForm>
            </details>
            {open.map(|open| {
                view! {
                    <details class="steps">
                        <summary><Icon glyph=Glyph::ChevronRight small=true class="chevron"/>"Use different arguments"</summary>
                        <ActionForm action=fork attr:class="stack">
                            {hidden()}
                            <input type="hidden" name="tool_call_id" value=open.id.to_string()/>
                            <TextAreaField
                                id="fork-args" label=format!("Arguments of {}", open.name) name="args" value=args
                                hint=Some("JSON. We check them as usual, and a change needs its own approval.".to_owned())
                                on_input=Callback::new(move |typed| args.set(typed))
                            />
                            <div><button class="button" type="submit" aria-busy=busy>"Fork with these arguments"</button></div>
                        </ActionForm>
                    </details>
                }
            })}
            {move || fork.value().get().and_then(Result::err).map(|error| {
                let said = error.0.errors.iter().map(|e| e.message.clone()).collect::<Vec<_>>().join(" ");
                let said = if said.is_empty() { error.0.detail } else { said };
                view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{said}</p> }
            })}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Ids as _, Network, SequentialIds};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_open_call_may_change_and_a_sent_change_never() {
        let ids = SequentialIds::default();
        let (read, write) = (ToolCallId(ids.next_uuid()), ToolCallId(ids.next_uuid()));
        let run_id = RunId::new(&ids);
        let event = |seq, tool_call_id, name: &str, read_only| RunEvent {
            run_id,
            seq,
            at: Timestamp::EPOCH,
            body: EventBody::Tool {
                tool_call_id,
                name: name.into(),
                source: Network::AdMob.into(),
                params: json!({"of": name}),
                read_only,
                approved: None,
            },
        };
        let events = [event(1, read, "list", true), event(2, write, "create", false)];
        let state = |write_is: &str| {
            json!({"calls": [
                {"id": read, "name": "list", "read_only": true, "state": {"is": "succeeded"}},
                {"id": write, "name": "create", "read_only": false, "state": {"is": write_is}},
            ]})
        };
        let named = |is: &str| changeable(&state(is), &events).map(|call| (call.name, call.args));
        assert_eq!(named("waiting"), Some(("create".into(), json!({"of": "create"}))));
        assert_eq!(named("succeeded"), Some(("list".into(), json!({"of": "list"}))));
        assert_eq!(named("sending").map(|call| call.0), Some("list".into()));
        assert_eq!(changeable(&json!({"calls": []}), &events), None);
    }
}
