//! A second opinion on the route: if the understanding is unsure, we ask a hosted fast model for a small JSON answer.
//!
//! We use the answer only if it is valid. Otherwise, or without an answer in time, the first decision stays. The answer can choose which
//! networks to read, but never what may be sent.

use adagent_contract::ModelTier;
use adagent_llm::{Delta, LOCAL_MODEL, Question, Routing, TextSink};
use adagent_run_core::AskedModel;
use async_trait::async_trait;

use super::ask::{Asking, Unanswered, spent};

struct Unheard;

#[async_trait]
impl TextSink for Unheard {
    async fn push(&mut self, _: Delta) {}
}

/// Returns a hosted fast model's route, if the understanding is unsure and there is such a model. Also returns the cost, even if the answer
/// is useless.
pub(super) async fn opinion(
    asking: &Asking<'_>,
    question: &Question,
    local: &Routing,
) -> (Option<Routing>, Option<AskedModel>) {
    let Asking { deps, context, .. } = asking;
    if local.confidence >= deps.config.route_unsure_below {
        return (None, None);
    }
    let model = deps.models.model(ModelTier::Fast, context.claim.settings.model.as_deref());
    // The built-in planner knows no more than the understanding.
    if model.id() == LOCAL_MODEL {
        return (None, None);
    }
    let Some(request) = deps.understanding.second_opinion(question) else { return (None, None) };
    let mut unheard = Unheard;
    let reply = match asking.ask_within(deps.config.route_patience, &*model, &request, &mut unheard).await {
        Ok(reply) => reply,
        Err(Unanswered { stop, asked }) => {
            let why = stop.explain();
            tracing::info!(run = %context.claim.run.id, model = model.id(), why, "the route stays as it was understood");
            return (None, asked);
        }
    };
    let asked = AskedModel { model: reply.model, usage: spent(reply.usage) };
    match deps.understanding.merged(local, &reply.text) {
        Ok(routing) => (Some(routing), Some(asked)),
        Err(error) => {
            tracing::info!(run = %context.claim.run.id, model = model.id(), error, "the reply is of no use; the route stays as it was understood");
            (None, Some(asked))
        }
    }
}
