//! What only a turn takes in, and the work that leads to it.

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
    /// The steps these calls are of. Its changes leave one after the other, in the order of the steps.
    pub plan: Option<Plan>,
    pub artifacts: Vec<Artifact>,
    pub method: Vec<String>,
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Spent,
    pub model: String,
    /// Bytes of `text` that were already stored as `content` events.
    pub streamed: usize,
}

/// What the verifier's rules say about a written answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Complete,
    /// `blocking`: rather no answer than this one (a figure nobody returned).
    Incomplete {
        guidance: String,
        blocking: bool,
    },
    Reroute {
        why: String,
    },
    RefreshEntities,
}

/// What happened outside to a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnInput {
    /// `asked`: the model that was asked because the rules were unsure, whatever came of it.
    Routed {
        route: Box<Route>,
        thinking: Option<String>,
        unusable: Vec<Unusable>,
        asked: Option<AskedModel>,
    },
    /// Networks whose entities could not be loaded come with the reason.
    EntitiesLoaded {
        problems: Vec<(Network, Fault)>,
    },
    Retrieved(Retrieval),
    Replied(Box<Reply>),
    /// The model was not asked, or gave nothing of use: why, and what asking it cost all the same.
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
