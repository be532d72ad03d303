//! One saved state of a run: what changed in it, what it holds, and the way to go on from it.

use adagent_contract::{CheckpointView, PreviewKind};
use adagent_domain::{RunId, Timestamp};
use leptos::prelude::*;

use super::changes::changes;
use crate::{
    features::{
        api::{self, CheckpointPair, ForkRun},
        chat::node_name,
    },
    ui::{Diff, Glyph, Icon, JsonTree, format},
};

/// The card of the chosen state. `number` counts from one.
#[component]
pub fn Checkpoint(run: RunId, checkpoints: Vec<CheckpointView>, start: Timestamp, number: usize) -> impl IntoView {
    let count = checkpoints.len();
    let at = number.saturating_sub(1);
    let Some(view) = checkpoints.get(at).cloned() else { return ().into_any() };
    let before = at.checked_sub(1).and_then(|at| checkpoints.get(at)).map(|before| before.id);
    let id = view.id;
    let pair = Resource::new(|| (), move |()| api::read_checkpoint(run, id, before));
    let fork = ServerAction::<ForkRun>::new();
    let after = view.created_at.millis_since(start).max(0).unsigned_abs();
    let (node, _) = node_name(&view.node);
    let title = match view.node.as_str() {
        "end" => format!("Checkpoint {number}, at the end"),
        _ => format!("Checkpoint {number}, before {}", node.to_lowercase()),
    };
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
                <h3 id="state-title">{title}</h3>
                <span class="faint num">{format::duration(after)}</span>
                {step(number.saturating_sub(1), Glyph::ArrowLeft, "Checkpoint before")}
                {step(number + 1, Glyph::ArrowRight, "Next checkpoint")}
            </div>
            <div class="card-body stack">
                <Transition fallback=|| view! { <span class="skeleton" style="width:80%;height:90px"></span> }>
                    {move || pair.get().map(|answer| match answer {
                        Ok(pair) => contents(&pair).into_any(),
                        Err(error) => view! { <p class="error-text" role="alert">{error.0.detail}</p> }.into_any(),
                    })}
                </Transition>
            </div>
            <div class="card-foot">
                <ActionForm action=fork>
                    <input type="hidden" name="run" value=run.to_string()/>
                    <input type="hidden" name="checkpoint" value=id.to_string()/>
                    <button class="button" type="submit" aria-busy=move || fork.pending().get().then_some("true")>
                        <Icon glyph=Glyph::GitFork small=true/>
                        "Fork from here"
                    </button>
                </ActionForm>
                <span class="faint" style="font-size:var(--t-xs)">"A fork starts a new run and never repeats a write."</span>
                {move || fork.value().get().and_then(Result::err).map(|error| view! {
                    <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{error.0.detail}</p>
                })}
            </div>
        </section>
    }
    .into_any()
}

fn contents(pair: &CheckpointPair) -> impl IntoView + use<> {
    let rows = changes(pair.before.as_ref().map(|before| &before.state), &pair.now.state);
    let first = pair.before.is_none();
    let heading = if first { "What it began with" } else { "What changed in it" };
    view! {
        <h4 class="label">{heading}</h4>
        {if rows.is_empty() {
            view! { <p class="quiet-text">"Nothing but the time."</p> }.into_any()
        } else {
            let kind = if first { PreviewKind::Create } else { PreviewKind::Update };
            view! { <Diff rows kind/> }.into_any()
        }}
        <h4 class="label">"State"</h4>
        <JsonTree value=pair.now.state.clone() label="State as JSON"/>
    }
}
