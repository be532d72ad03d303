//! How one kind of run does its work. A kind has a machine in `run-core`, which decides, and a performer, which calls the ports.

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

/// What a piece of work gets. The work owns all of it, so that several pieces can run at the same time.
#[derive(Clone)]
pub struct Scene<M> {
    pub deps: Arc<RuntimeDeps>,
    pub claim: Arc<Claim>,
    pub state: Arc<M>,
    pub(crate) live: LiveSender,
}

/// The text of a model, as far as it was written and shown while the work ran.
pub struct Heard<'a>(pub(crate) &'a Written);

/// Performs one kind of run. The driver performs calls, in the same way for every kind.
#[async_trait]
pub trait Performer: Clone + Send + Sync + 'static {
    type Machine: Machine;
    /// The result of this kind's own work.
    type Outcome: Send + 'static;

    /// Returns the state in which a run begins if none is saved.
    fn begin(run: &Run, limits: Limits, now: Timestamp) -> Result<Self::Machine, DriveError>;

    /// Reads what this kind needs in addition to what every claim has.
    async fn load(deps: &RuntimeDeps, claim: &Claim) -> Result<Self, DriveError>;

    /// Performs this kind's own work.
    fn perform(
        &self,
        scene: Scene<Self::Machine>,
        job: <Self::Machine as Machine>::Job,
    ) -> BoxFuture<'static, Self::Outcome>;

    /// Turns an outcome into the machine's input. The performer may keep some of it for later work.
    fn conclude(
        &mut self,
        scene: &Scene<Self::Machine>,
        outcome: Self::Outcome,
        heard: Heard<'_>,
    ) -> Input<<Self::Machine as Machine>::Input>;

    /// Returns what this job waits for, in words that follow "Still".
    fn waits_for(&self, scene: &Scene<Self::Machine>, job: &<Self::Machine as Machine>::Job) -> String;

    /// Returns work that must come before this job. Only the performer keeps its result.
    fn first(
        &self,
        _state: &Self::Machine,
        _job: &<Self::Machine as Machine>::Job,
    ) -> Option<<Self::Machine as Machine>::Job> {
        None
    }

    /// Checks whether a model writes text for readers in this job. Only one such job runs at a time.
    fn writes(_job: &<Self::Machine as Machine>::Job) -> bool {
        false
    }

    /// Returns the check that a sentence must pass before the whole text is checked. `None`: every sentence may be shown.
    fn vet(&self, _scene: &Scene<Self::Machine>) -> Option<Vet> {
        None
    }

    /// Checks whether the input itself reports what the model thought.
    fn tells(_input: &Input<<Self::Machine as Machine>::Input>, _thought: &str) -> bool {
        false
    }

    /// Returns what else a person must know before approving this change.
    fn remarks(&self, _scene: &Scene<Self::Machine>, _call: &Call, _args: &Json) -> Vec<String> {
        Vec::new()
    }
}
