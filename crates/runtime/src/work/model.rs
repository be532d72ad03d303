//! Asks the model, reads its reply, and checks a written answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use adagent_contract::{ASK_AGENT, Artifact, EntityItem, ModelTier};
use adagent_domain::{Network, ToolCallId};
use adagent_llm::{
    Checked, CheckedCall, Judgment, LOCAL_MODEL, ModelReply, ModelRequest, PlannerContext, StopReason, ToolSpec, aside,
};
use adagent_run_core::{AskedModel, Call, CallState, Denial, Proposed, Reply, Stop, Turn, TurnInput, Verdict};
use adagent_tools::{ToolInfo, with_connection};
use serde_json::Value as Json;

use super::{
    ask::{Asking, Unanswered, spent},
    plan,
};
use crate::{
    context::Context,
    deps::RuntimeDeps,
    live::{LiveSender, Vet, Written},
};

/// The most characters of a refusal that people see.
const MOST_REFUSAL: usize = 600;

/// Makes the request for the model. With `all`, it includes tools that the agent lacks a grant for.
fn request(deps: &RuntimeDeps, context: &Context, state: &Turn, all: bool) -> ModelRequest {
    let instead = if all { instead(deps, context, state) } else { Vec::new() };
    let asks = if context.turn.colleagues.is_empty() { None } else { Some(ASK_AGENT.to_owned()) };
    let asks = asks.filter(|name| !state.tools.contains(name));
    let names = state.tools.iter().chain(&instead).chain(&asks);
    let bound = names.filter_map(|name| context.tool(deps, name));
    let granted = bound.filter(|tool| all || context.claim.grants.admits(&tool.name, tool.source, tool.access()));
    let tools = granted.map(|tool| ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: with_connection(&tool.input_schema, tool.source, &context.labels(tool.source)),
        read_only: tool.read_only,
    });
    ModelRequest {
        tier: state.route.as_ref().map_or(ModelTier::Fast, |route| route.tier),
        // The model writes its own prompt from the facts below.
        system: String::new(),
        messages: context.messages(state),
        tools: tools.collect(),
        max_output_tokens: deps.config.max_output_tokens,
        planner: PlannerContext { not_granted: not_granted(deps, context, state), ..context.planner(state) },
    }
}

/// Returns tools of the networks that a person named in the reason of a denial. Only the local planner gets them. Any other model may use
/// only the tools that are bound to the turn.
fn instead(deps: &RuntimeDeps, context: &Context, state: &Turn) -> Vec<String> {
    let denied = |call: &Call| match &call.state {
        CallState::Denied { reason, cause: Denial::Declined } => Some(reason.clone()),
        _ => None,
    };
    let Some(route) = &state.route else { return Vec::new() };
    let Some(reason) = state.ledger.calls.iter().rev().find_map(denied) else { return Vec::new() };
    let visible = super::route::visible(deps, context);
    let mut more = deps.understanding.retrieve_instead(&route.understood, &reason, &visible);
    more.retain(|name| !state.tools.contains(name));
    more
}

/// Returns the changes bound to this turn that the agent may not make, so that the planner refuses them before it asks about details.
fn not_granted(deps: &RuntimeDeps, context: &Context, state: &Turn) -> BTreeMap<String, String> {
    let grants = &context.claim.grants;
    let bound = state.tools.iter().filter_map(|name| context.tool(deps, name)).filter(|tool| !tool.read_only);
    let withheld = bound.filter(|tool| !grants.admits(&tool.name, tool.source, tool.access()));
    withheld.map(|tool| (tool.name.clone(), grants.refusal(&tool.name, tool.source, tool.access()))).collect()
}

pub(crate) async fn ask_model(
    deps: &RuntimeDeps,
    context: &Context,
    state: &Turn,
    mut sender: LiveSender,
) -> Result<ModelReply, Unanswered> {
    let tier = state.route.as_ref().map_or(ModelTier::Fast, |route| route.tier);
    let model = deps.models.model(tier, context.claim.settings.model.as_deref());
    // A hosted model gets only the tools that were granted. The local planner gets the others too, because its answer says what somebody
    // would have to grant.
    let local = model.id() == LOCAL_MODEL;
    let mut request = request(deps, context, state, local);
    if !local && request.tools.iter().any(|tool| !tool.read_only) {
        request.tools.push(plan::spec());
    }
    let asking = Asking { deps, context, state, sender: &sender.clone() };
    asking.ask(&*model, &request, &mut sender).await
}

/// Turns the reply into the machine's input: its calls get IDs, digests and their catalog entries.
pub(crate) fn replied(
    deps: &Arc<RuntimeDeps>,
    context: &Context,
    state: &Arc<Turn>,
    reply: Result<ModelReply, Unanswered>,
    written: &Written,
) -> TurnInput {
    let reply = match reply {
        Ok(reply) if reply.stop == StopReason::Refusal => return refused(deps, context, state, reply),
        Ok(reply) => plan::unfold(reply, |name| context.tool(deps, name).is_none_or(|tool| !tool.read_only)),
        Err(Unanswered { stop, asked }) => return TurnInput::ModelFailed { stop, asked },
    };
    let calls: Vec<_> = reply
        .calls
        .into_iter()
        .map(|call| {
            // A hosted model may use only the tools that it got: a tool that is not bound to this turn does not exist for it. Safe mode and
            // missing grants also keep tools from being bound. The check of the call refuses those, so that the person learns why. The
            // local planner is code of this program: it may name any operation to look things up. We check, look up and approve what it
            // proposes like everything else.
            let asks = call.name == ASK_AGENT && !context.turn.colleagues.is_empty();
            let bound = state.tools.contains(&call.name) || asks || reply.model == LOCAL_MODEL;
            let withheld = |tool: &ToolInfo| {
                context.claim.settings.safe_mode && !tool.read_only
                    || !context.claim.grants.admits(&tool.name, tool.source, tool.access())
            };
            let tool = context.tool(deps, &call.name).filter(|tool| bound || withheld(tool));
            // From here on, the call has the arguments that would be sent. We store, show, hash and approve these.
            let args = tool.as_ref().map_or(call.args.clone(), |tool| deps.tools.normalise_args(tool, &call.args));
            Proposed {
                id: ToolCallId::new(&*deps.ids),
                digest: tool.as_ref().map(|tool| deps.tools.digest(tool, &args)).unwrap_or_default(),
                tool: tool.map(|tool| (tool.source, tool.read_only)),
                name: call.name,
                args,
            }
        })
        .collect();
    // A hosted model's plan is always a new one. The local planner continues its own.
    let before = state.plan.as_ref().filter(|_| reply.model == LOCAL_MODEL);
    let plan = reply.plan.map(|draft| plan::steps_of(draft, before, &calls));
    // An answer that names the days of its numbers already has the artifacts that it needs. The reports it read contain more than it found.
    let lists = reply.artifacts.is_empty() && calls.is_empty() && reply.covers.is_none();
    let artifacts = if lists { context.last_artifacts(state) } else { reply.artifacts };
    let mut text = reply.text;
    let streamed = written.seen_of(&text);
    if reply.stop == StopReason::MaxTokens && calls.is_empty() {
        text.push_str("\n\n_The model's length limit cut this answer short._");
    }
    TurnInput::Replied(Box::new(Reply {
        text,
        calls,
        plan,
        artifacts,
        method: reply.method,
        covers: reply.covers,
        follow_ups: reply.follow_ups,
        usage: spent(reply.usage),
        model: reply.model,
        streamed,
    }))
}

/// Returns the stop for a refusal. Shows the model's own words only if they contain no number that no call returned.
fn refused(deps: &Arc<RuntimeDeps>, context: &Context, state: &Arc<Turn>, reply: ModelReply) -> TurnInput {
    let words: String = reply.text.chars().take(MOST_REFUSAL).collect();
    let vet = vetting(deps, context.clone(), Arc::clone(state));
    let words = if vet(&words) { words } else { String::new() };
    let asked = AskedModel { model: reply.model.clone(), usage: spent(reply.usage) };
    TurnInput::ModelFailed { stop: Stop::Refused { model: reply.model, words }, asked: Some(asked) }
}

/// The facts that an answer may use.
struct Basis {
    understood: Json,
    usable: Vec<Network>,
    /// Name, arguments and result of each call that worked.
    results: Vec<(String, Arc<Json>, Arc<Json>)>,
    said: Vec<String>,
    /// Known entities, and those that a strict selection leaves out.
    named: [Arc<Vec<EntityItem>>; 2],
}

impl Basis {
    /// Collects the facts. `None` if the state has no route.
    fn of(context: &Context, state: &Turn) -> Option<Self> {
        let worked = state.ledger.calls.iter().filter(|call| call.state == CallState::Succeeded);
        let results = worked.filter_map(|call| {
            let (args, result) = (context.claim.args.get(&call.id)?, &context.claim.results.get(&call.id)?.0);
            Some((call.name.clone(), Arc::clone(args), Arc::clone(result)))
        });
        Some(Self {
            understood: state.route.as_ref()?.understood.clone(),
            usable: context.usable(),
            results: results.collect(),
            said: context.said(state),
            named: [context.turn.entities.clone().unwrap_or_default(), Arc::clone(&context.turn.outside)],
        })
    }

    fn check<T>(&self, model: &str, answer: &str, artifacts: &[Artifact], check: impl FnOnce(&Checked<'_>) -> T) -> T {
        let Self { understood, usable, results, said, named: [known, outside] } = self;
        let results: Vec<_> = results.iter().map(|(name, args, result)| CheckedCall { name, args, result }).collect();
        check(&Checked {
            understood,
            usable,
            model,
            answer,
            artifacts,
            results: &results,
            said,
            named: &[known, outside],
        })
    }
}

fn verdict(judgment: Judgment) -> Verdict {
    match judgment {
        Judgment::Holds => Verdict::Complete,
        Judgment::Lacks { guidance, blocking } => Verdict::Incomplete { guidance, blocking },
        Judgment::Misrouted { why } => Verdict::Reroute { why },
        Judgment::StaleNames => Verdict::RefreshEntities,
    }
}

/// Checks a written answer. A long answer takes as long to check as a long question to read, so this too runs on another thread, and long
/// ones take turns.
pub(crate) async fn verify(deps: &RuntimeDeps, context: &Context, state: &Turn) -> TurnInput {
    let (Some(basis), Some(draft)) = (Basis::of(context, state), state.draft.clone()) else {
        return TurnInput::Verified(Verdict::Complete);
    };
    let said = adagent_contract::with_method(&draft.text, &draft.method);
    let understanding = Arc::clone(&deps.understanding);
    let bytes = said.len();
    let check = move || basis.check(&draft.model, &said, &draft.artifacts, |checked| understanding.verify(checked));
    TurnInput::Verified(verdict(aside(bytes, check).await))
}

/// Returns the check that a sentence must pass before the whole answer is checked. It collects its facts only when the first sentence
/// arrives.
pub(crate) fn vetting(deps: &RuntimeDeps, context: Context, state: Arc<Turn>) -> Vet {
    let (passes, facts) = (deps.understanding.figures(), OnceLock::new());
    Box::new(move |text| {
        let facts = facts.get_or_init(|| Some((Basis::of(&context, &state)?, context.last_artifacts(&state))));
        let Some((basis, artifacts)) = facts else { return true };
        basis.check("", "", artifacts, |checked| passes(checked, text))
    })
}
