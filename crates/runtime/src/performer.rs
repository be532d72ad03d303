//! How work of one kind of run is done. A kind is a machine of `run-core`, which decides, and a performer, which asks ports.

use std::sync::Arc;

use adagent_domain::Timestamp;
use adagent_run_core::{Call, Input, Limits, Machine};
use adagent_store::Run;
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::Value as Json;

use crate::{
    claim::Claim,
    deps::RuntimeDeps,
    drive::DriveError,
    live::{LiveSender, Vet, Written},
};

/// What a piece of work is given; it owns all of it, so that several go on side by side.
#[derive(Clone)]
pub struct Scene<M> {
    pub deps: Arc<RuntimeDeps>,
    pub claim: Arc<Claim>,
    pub state: Arc<M>,
    pub(crate) live: LiveSender,
}

/// Text of a model, as far as it was written and shown while the work went on.
pub struct Heard<'a>(pub(crate) &'a Written);

/// Performs one kind of run. Calls are performed by the driver, for every kind alike.
#[async_trait]
pub trait Performer: Clone + Send + Sync + 'static {
    type Machine: Machine;
    /// What work of its own comes to.
    type Outcome: Send + 'static;

    /// The state in which a run begins that has none saved.
    fn begin(run: &Run, limits: Limits, now: Timestamp) -> Result<Self::Machine, DriveError>;

    /// Reads what a claim needs besides what every kind has.
    async fn load(deps: &RuntimeDeps, claim: &Claim) -> Result<Self, DriveError>;

    /// Work of this kind's own.
    fn perform(
        &self,
        scene: Scene<Self::Machine>,
        job: <Self::Machine as Machine>::Job,
    ) -> BoxFuture<'static, Self::Outcome>;

    /// What the machine is told of an outcome; the performer may keep some of it for later work.
    fn conclude(
        &mut self,
        scene: &Scene<Self::Machine>,
        outcome: Self::Outcome,
        heard: Heard<'_>,
    ) -> Input<<Self::Machine as Machine>::Input>;

    /// What this job waits for, as it follows "Still".
    fn waits_for(&self, scene: &Scene<Self::Machine>, job: &<Self::Machine as Machine>::Job) -> String;

    /// Work that comes before this job and of which only the performer keeps anything.
    fn first(
        &self,
        _state: &Self::Machine,
        _job: &<Self::Machine as Machine>::Job,
    ) -> Option<<Self::Machine as Machine>::Job> {
        None
    }

    /// Whether a model writes text in this job that readers see; one such job goes on at a time.
    fn writes(_job: &<Self::Machine as Machine>::Job) -> bool {
        false
    }

    /// Which sentences of that text may be shown before the whole is checked; `None`: all of them.
    fn vet(&self, _scene: &Scene<Self::Machine>) -> Option<Vet> {
        None
    }

    /// Whether the input itself tells what the model thought.
    fn tells(_input: &Input<<Self::Machine as Machine>::Input>, _thought: &str) -> bool {
        false
    }

    /// What a person who approves this change must know besides.
    fn remarks(&self, _scene: &Scene<Self::Machine>, _call: &Call, _args: &Json) -> Vec<String> {
        Vec::new()
    }
}
