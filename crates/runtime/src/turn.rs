//! How a turn does its work: reads the message, loads names, binds tools, asks the model, and checks its answer.

use std::sync::Arc;

use adagent_contract::ModelTier;
use adagent_domain::Timestamp;
use adagent_llm::{ModelReply, ModelRequest};
use adagent_run_core::{Call, Input, Ledger, Limits, Turn, TurnInput, TurnJob};
use adagent_store::Run;
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::Value as Json;

use crate::{
    claim::Claim,
    context::{Context, Material, turn_of},
    deps::RuntimeDeps,
    drive::DriveError,
    live::Vet,
    performer::{Heard, Performer, Scene},
    waits::networks,
    work::{self, Loaded, Unanswered},
};

/// What a turn works with. Each piece of work also gets the claim.
#[derive(Clone)]
pub(crate) struct TurnPerformer {
    turn: Arc<Material>,
}

pub(crate) enum TurnOutcome {
    /// With the names that this work loaded.
    Known(TurnInput, Loaded),
    Plain(TurnInput),
    Replied(Box<Result<ModelReply, Unanswered>>),
}

impl TurnPerformer {
    fn context(&self, claim: &Arc<Claim>) -> Context {
        Context { claim: Arc::clone(claim), turn: Arc::clone(&self.turn) }
    }
}

#[async_trait]
impl Performer for TurnPerformer {
    type Machine = Turn;
    type Outcome = TurnOutcome;

    fn begin(run: &Run, limits: Limits, now: Timestamp) -> Result<Turn, DriveError> {
        let page = format!("/chat/{}", turn_of(run)?.session);
        Ok(Turn::new(Ledger::new(page, limits, now)))
    }

    async fn load(deps: &RuntimeDeps, claim: &Claim) -> Result<Self, DriveError> {
        Ok(Self { turn: Arc::new(Material::load(deps, claim).await?) })
    }

    fn perform(&self, scene: Scene<Turn>, job: TurnJob) -> BoxFuture<'static, TurnOutcome> {
        let context = self.context(&scene.claim);
        Box::pin(async move {
            let Scene { deps, state, live, .. } = &scene;
            match job {
                TurnJob::Route => {
                    let (input, loaded) = work::route(deps, &context, state, live).await;
                    TurnOutcome::Known(input, loaded)
                }
                TurnJob::LoadEntities { refresh } => {
                    let (input, loaded) = work::load(deps, &context, refresh).await;
                    TurnOutcome::Known(input, loaded)
                }
                TurnJob::Retrieve => TurnOutcome::Plain(work::retrieve(deps, &context, state).await),
                TurnJob::AskModel => {
                    TurnOutcome::Replied(Box::new(work::ask_model(deps, &context, state, live.clone()).await))
                }
                TurnJob::Verify => TurnOutcome::Plain(work::verify(deps, &context, state).await),
            }
        })
    }

    fn conclude(&mut self, scene: &Scene<Turn>, outcome: TurnOutcome, heard: Heard<'_>) -> Input<TurnInput> {
        Input::Own(match outcome {
            TurnOutcome::Plain(input) => input,
            TurnOutcome::Replied(reply) => {
                work::replied(&scene.deps, &self.context(&scene.claim), &scene.state, *reply, heard.0)
            }
            TurnOutcome::Known(input, Loaded { entities, outside }) => {
                let turn = Arc::make_mut(&mut self.turn);
                (turn.entities, turn.outside) = (Some(entities), Arc::new(outside));
                input
            }
        })
    }

    fn waits_for(&self, scene: &Scene<Turn>, job: &TurnJob) -> String {
        match job {
            TurnJob::Route => "reading your question".into(),
            TurnJob::LoadEntities { .. } => {
                let usable = self.context(&scene.claim).usable();
                format!("waiting for {}: the lists of apps and ad units", networks(&usable))
            }
            TurnJob::Retrieve => "choosing what to ask the networks".into(),
            TurnJob::AskModel => match &scene.claim.settings.model {
                Some(model) => format!("waiting for the model {model}"),
                None => "working out what to do".into(),
            },
            TurnJob::Verify => "checking the answer".into(),
        }
    }

    /// A worker that takes over a run has no names yet, and the model must not have to load them again.
    fn first(&self, state: &Turn, job: &TurnJob) -> Option<TurnJob> {
        let unknown = *job == TurnJob::AskModel && self.turn.entities.is_none() && !state.is_talk();
        unknown.then_some(TurnJob::LoadEntities { refresh: false })
    }

    fn writes(job: &TurnJob) -> bool {
        *job == TurnJob::AskModel
    }

    fn vet(&self, scene: &Scene<Turn>) -> Option<Vet> {
        let state = Arc::clone(&scene.state);
        (!state.is_talk()).then(|| work::vetting(&scene.deps, self.context(&scene.claim), state))
    }

    /// The reply itself reports the text that comes with its calls.
    fn tells(input: &Input<TurnInput>, thought: &str) -> bool {
        matches!(input, Input::Own(TurnInput::Replied(reply)) if !reply.calls.is_empty() && reply.text.trim() == thought.trim())
    }

    /// Returns what the person asked for that is nowhere in the change, whichever model prepared the change.
    fn remarks(&self, scene: &Scene<Turn>, call: &Call, args: &Json) -> Vec<String> {
        if call.given {
            return Vec::new();
        }
        let (context, state) = (self.context(&scene.claim), &*scene.state);
        let request = ModelRequest {
            tier: ModelTier::Fast,
            system: String::new(),
            messages: context.messages(state),
            tools: Vec::new(),
            max_output_tokens: 0,
            planner: context.planner(state),
        };
        let left = scene.deps.understanding.unused(&request, &call.name, args);
        if left.is_empty() { Vec::new() } else { vec![format!("Not part of this change: {}", left.join(", "))] }
    }
}
