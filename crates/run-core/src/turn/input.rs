//! Inputs that only a turn takes, and the work that leads to them.

use adagent_contract::{Artifact, Covers, Plan};
use adagent_domain::Network;

use crate::{AskedModel, CallInput, Fault, Input, Proposed, Route, Spent, Stop, Unusable};

/// The tools chosen for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retrieval {
    pub tools: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Proposed>,
    /// The plan whose steps these calls belong to. Its changes are sent one after the other, in the order of the steps.
    pub plan: Option<Plan>,
    pub artifacts: Vec<Artifact>,
    pub method: Vec<String>,
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Spent,
    pub model: String,
    /// Bytes of `text` that are already stored as `content` events.
    pub streamed: usize,
}

/// What the verifier's rules say about a written answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Complete,
    /// With `blocking`, no answer is better than this one, for example because it has a number that no call returned.
    Incomplete {
        guidance: String,
        blocking: bool,
    },
    Reroute {
        why: String,
    },
    RefreshEntities,
}

/// What happened to a turn outside the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnInput {
    /// `asked`: the model that we asked because the rules were unsure, whatever it answered.
    Routed {
        route: Box<Route>,
        thinking: Option<String>,
        unusable: Vec<Unusable>,
        asked: Option<AskedModel>,
    },
    /// `problems`: the networks whose entities we could not load, with the reason.
    EntitiesLoaded {
        problems: Vec<(Network, Fault)>,
    },
    Retrieved(Retrieval),
    Replied(Box<Reply>),
    /// We did not ask the model, or its reply was useless: why, and what the question cost anyway.
    ModelFailed {
        stop: Stop,
        asked: Option<AskedModel>,
    },
    Verified(Verdict),
}

impl TurnInput {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Routed { .. } => "routed",
            Self::EntitiesLoaded { .. } => "entities_loaded",
            Self::Retrieved(_) => "retrieved",
            Self::Replied(_) => "replied",
            Self::ModelFailed { .. } => "model_failed",
            Self::Verified(_) => "verified",
        }
    }
}

impl From<TurnInput> for Input<TurnInput> {
    fn from(input: TurnInput) -> Self {
        Self::Own(input)
    }
}

impl From<CallInput> for Input<TurnInput> {
    fn from(input: CallInput) -> Self {
        Self::Call(input)
    }
}

/// Work that only a turn has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnJob {
    Route,
    LoadEntities { refresh: bool },
    Retrieve,
    AskModel,
    Verify,
}
