//! Ask the model, take its reply in, check a written answer.

use std::{sync::OnceLock, time::Duration};

use adagent_contract::{Artifact, ModelTier};
use adagent_domain::{Network, ToolCallId};
use adagent_llm::{ModelError, ModelReply, ModelRequest, StopReason, ToolSpec};
use adagent_run_core::{CallState, Input, Proposed, Reply, Spent, State, Verdict};
use adagent_understanding::Understood;

use super::route::understood;
use crate::{
    Checked, CheckedCall,
    context::Context,
    deps::RuntimeDeps,
    live::{Live, LiveSender, Written},
};

/// The longest a provider may make us wait before the next attempt.
const MAX_WAIT: Duration = Duration::from_secs(20);

fn request(deps: &RuntimeDeps, context: &Context, state: &State) -> ModelRequest {
    let tools = state.tools.iter().filter_map(|name| deps.gateway.tool(name)).map(|tool| ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        read_only: tool.read_only,
    });
    ModelRequest {
        tier: state.route.as_ref().map_or(ModelTier::Fast, |route| route.tier),
        // The model renders what it needs of the facts below.
        system: String::new(),
        messages: context.messages(state),
        tools: tools.collect(),
        max_output_tokens: deps.config.max_output_tokens,
        planner: context.planner(state),
    }
}

/// A few attempts where another may help; whatever was written before does not count then.
pub(crate) async fn ask_model(
    deps: &RuntimeDeps,
    context: &Context,
    state: &State,
    mut sender: LiveSender,
) -> Result<ModelReply, ModelError> {
    let request = request(deps, context, state);
    let model = deps.models.model(request.tier, context.settings.model.as_deref());
    let mut attempt = 0;
    loop {
        let error = match model.complete(&request, &mut sender).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        if !error.is_retryable() || attempt >= deps.config.model_retries {
            return Err(error);
        }
        attempt += 1;
        tracing::info!(run = %context.run.id, model = model.id(), attempt, %error, "asking the model again");
        sender.say(Live::Restart);
        tokio::time::sleep(wait(deps, &error, attempt)).await;
    }
}

/// Doubles, with up to half of it again by chance, so that many runs do not come back at once.
fn wait(deps: &RuntimeDeps, error: &ModelError, attempt: u32) -> Duration {
    let base = deps.config.model_backoff * 2_u32.saturating_pow(attempt - 1);
    let chance = u32::from(deps.ids.next_uuid().as_bytes()[15]);
    let jittered = base + base * chance / 512;
    match error {
        ModelError::RateLimited { retry_after_ms: Some(ms) } => Duration::from_millis(*ms).max(jittered),
        _ => jittered,
    }
    .min(MAX_WAIT)
}

/// The reply as the machine takes it: calls with ids, digests and what the catalogue says.
pub(crate) fn replied(
    deps: &RuntimeDeps,
    context: &Context,
    state: &State,
    reply: Result<ModelReply, ModelError>,
    written: &Written,
) -> Input {
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => return Input::ModelFailed { message: error.to_string(), retryable: error.is_retryable() },
    };
    let calls: Vec<_> = reply
        .calls
        .into_iter()
        .map(|call| {
            let tool = deps.gateway.tool(&call.name);
            // From here on the call has the arguments that would be sent: they are kept, shown, hashed and approved.
            let args = tool.as_ref().map_or(call.args.clone(), |tool| deps.gateway.normalise_args(tool, &call.args));
            Proposed {
                id: ToolCallId::new(&*deps.ids),
                digest: tool.as_ref().map(|tool| deps.gateway.digest(tool, &args)).unwrap_or_default(),
                tool: tool.map(|tool| (tool.network, tool.read_only)),
                name: call.name,
                args,
            }
        })
        .collect();
    let artifacts =
        if reply.artifacts.is_empty() && calls.is_empty() { context.last_artifacts(state) } else { reply.artifacts };
    let mut text = reply.text;
    let streamed = written.seen_of(&text);
    if reply.stop == StopReason::MaxTokens && calls.is_empty() {
        text.push_str("\n\n_The answer was cut at the model's length limit._");
    }
    Input::Replied(Box::new(Reply {
        text,
        calls,
        artifacts,
        follow_ups: reply.follow_ups,
        usage: Spent {
            input_tokens: reply.usage.input_tokens,
            output_tokens: reply.usage.output_tokens,
            cost_micros: reply.usage.cost_micros,
        },
        model: reply.model,
        streamed,
    }))
}

/// What an answer may rest on.
struct Basis<'a> {
    understood: Understood,
    usable: Vec<Network>,
    results: Vec<CheckedCall<'a>>,
    said: Vec<String>,
}

impl<'a> Basis<'a> {
    /// `None` for a route that no longer reads.
    fn of(context: &'a Context, state: &'a State) -> Option<Self> {
        let worked = state.calls.iter().filter(|call| call.state == CallState::Succeeded);
        let results = worked.filter_map(|call| {
            let (args, result) = (context.args.get(&call.id)?, &context.results.get(&call.id)?.0);
            Some(CheckedCall { name: &call.name, args, result })
        });
        Some(Self {
            understood: understood(state)?,
            usable: context.usable(),
            results: results.collect(),
            said: context.said(state),
        })
    }

    fn checked<'b>(&'b self, model: &'b str, answer: &'b str, artifacts: &'b [Artifact]) -> Checked<'b> {
        let Self { understood, usable, results, said } = self;
        Checked { understood, usable, model, answer, artifacts, results, said }
    }
}

pub(crate) fn verify(deps: &RuntimeDeps, context: &Context, state: &State) -> Input {
    let (Some(basis), Some(draft)) = (Basis::of(context, state), &state.draft) else {
        return Input::Verified(Verdict::Complete);
    };
    Input::Verified(deps.understanding.verify(&basis.checked(&draft.model, &draft.text, &draft.artifacts)))
}

/// Whether a sentence may be shown before the whole answer is checked; builds what that needs only when a sentence comes.
pub(crate) fn vetting<'a>(
    deps: &'a RuntimeDeps,
    context: &'a Context,
    state: &'a State,
) -> impl Fn(&str) -> bool + Send + Sync + 'a {
    let figures = OnceLock::new();
    move |text| {
        let check = figures.get_or_init(|| {
            let basis = Basis::of(context, state)?;
            Some(deps.understanding.figures(&basis.checked("", "", &context.last_artifacts(state))))
        });
        check.as_ref().is_none_or(|passes| passes(text))
    }
}
