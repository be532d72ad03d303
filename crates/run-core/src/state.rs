//! The state of a run: typed, versioned, serialisable. Holds no secret and no big result; results are named by call id.

use adagent_contract::{Artifact, Covers, DecidedBy, ModelTier, Path, RunStatus};
use adagent_domain::{ApprovalId, ChatSessionId, Network, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Fault, FaultKind, Node};

/// What this program writes. An older version still loads; a newer one is refused.
pub const STATE_VERSION: u32 = 1;

/// A stored state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("the stored state has version {found}, this program knows up to {STATE_VERSION}; update the program")]
    Newer { found: u64 },
    #[error("the stored state is no run state: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// What the router said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    pub services: Vec<Network>,
    pub capability: String,
    pub path: Path,
    pub tier: ModelTier,
    pub confidence: f64,
    pub decided_by: DecidedBy,
    /// As the understanding said it; opaque here.
    #[serde(default)]
    pub understood: Json,
}

/// A turn of this run as the model is told it; tool results follow the calls they belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Turn {
    Assistant { text: String, calls: Vec<ToolCallId> },
    Guidance { content: String },
}

/// Why a write was not sent, so that nobody is told of a no that nobody said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Denial {
    /// A person said no.
    #[default]
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The run was stopped, or the question was overtaken.
    Cancelled,
    /// It belongs to the run this one was forked from.
    Forked,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CallState {
    /// To be checked against schema, context and known entities.
    Proposed,
    /// Checked. A read may run; a write is to be put to a person.
    Ready,
    Waiting {
        approval: ApprovalId,
    },
    /// A person approved exactly these arguments.
    Approved {
        approval: ApprovalId,
    },
    /// Committed before the request leaves.
    Sending {
        approval: ApprovalId,
    },
    /// Sent, outcome unknown: the network is asked whether it happened.
    Probing {
        approval: ApprovalId,
        /// A look that begins earlier and finds nothing says nothing: the request may still be on its way. `None`: it is late
        /// enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settles_at: Option<Timestamp>,
        /// Somebody looked too early and found nothing; the next look waits.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        looked: bool,
    },
    Succeeded,
    Failed {
        fault: Fault,
    },
    Denied {
        reason: String,
        #[serde(default)]
        cause: Denial,
    },
    /// Nobody could find out whether it happened, and nobody wanted it sent again.
    Unknown {
        why: String,
        /// What a later attempt met, when that is what ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<FaultKind>,
    },
}

/// Attempts that may have taken effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What happened at the last of them, for people.
    pub why: String,
    /// What was sent: a person may have edited the arguments in between.
    pub digests: Vec<String>,
}

/// A tool call of the run. Its arguments are in the call's row, its result in its event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: ToolCallId,
    pub name: String,
    pub network: Network,
    pub read_only: bool,
    pub digest: String,
    pub state: CallState,
    /// One line of the result, for partial answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What looking at the network said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// It may already have taken effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Which attempts nobody could find out about; kept for good, so that none of them is made again without a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// What the network had just before this write left, opaque here: kept until nobody asks whether it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Json>,
    /// The call of the run this one was forked from for which it stands, with other arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<ToolCallId>,
    /// Somebody gave it with its arguments: it answers no question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
}

impl Call {
    pub const fn is_settled(&self) -> bool {
        matches!(
            self.state,
            CallState::Succeeded | CallState::Failed { .. } | CallState::Denied { .. } | CallState::Unknown { .. }
        )
    }
}

/// Rounds in a row that failed; a round without failure sets both back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    pub retryable: u32,
    pub deterministic: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// Some of it is reckoned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Something that happens at most once in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Once {
    #[default]
    NotYet,
    Needed,
    Done,
}

/// Ways back in the graph (`needs_reroute`, `needs_entity_refresh`); each is taken at most once per run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backflow {
    pub reroute: Once,
    pub entity_refresh: Once,
}

/// An answer that is not given yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    #[serde(default)]
    pub follow_ups: Vec<String>,
    /// How the figures were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// Bytes of the text that readers have seen already.
    #[serde(default)]
    pub streamed: usize,
    /// Which model wrote it.
    #[serde(default)]
    pub model: String,
}

/// Everything a run needs to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub v: u32,
    pub session: ChatSessionId,
    pub node: Node,
    pub started_at: Timestamp,
    pub deadline: Timestamp,
    #[serde(default)]
    pub iterations: u32,
    #[serde(default)]
    pub failures: Failures,
    #[serde(default)]
    pub rewrites: u32,
    #[serde(default)]
    pub spent: Spent,
    /// Rows of the reports that were read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u64,
    #[serde(default)]
    pub backflow: Backflow,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// Names of the tools bound to the model.
    #[serde(default)]
    pub tools: Vec<String>,
    #[serde(default)]
    pub turns: Vec<Turn>,
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Networks for which a person was already asked to act.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Network>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Steps in which the desk itself broke; a second time in one of them ends the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broke: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunStatus>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

impl State {
    pub fn new(session: ChatSessionId, now: Timestamp, deadline_ms: i64) -> Self {
        Self {
            v: STATE_VERSION,
            session,
            node: Node::Router,
            started_at: now,
            deadline: now.plus_millis(deadline_ms),
            iterations: 0,
            failures: Failures::default(),
            rewrites: 0,
            spent: Spent::default(),
            rows: 0,
            backflow: Backflow::default(),
            route: None,
            tools: Vec::new(),
            turns: Vec::new(),
            calls: Vec::new(),
            actions: Vec::new(),
            draft: None,
            waiting_since: None,
            broke: Vec::new(),
            outcome: None,
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a state has only string keys")
    }

    /// Reads a stored state, of this version or an older one.
    pub fn load(text: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Version {
            v: u64,
        }
        let Version { v } = serde_json::from_str(text)?;
        if v > u64::from(STATE_VERSION) {
            return Err(StateError::Newer { found: v });
        }
        let mut state: Self = serde_json::from_str(text)?;
        state.v = STATE_VERSION;
        for call in state.calls.iter_mut().filter(|call| call.uncertain && call.doubt.is_none()) {
            // Older programs kept the doubt where the last finding is.
            let why = call.found.take().unwrap_or_else(|| "It may have taken effect.".into());
            call.doubt = Some(Doubt { why, digests: vec![call.digest.clone()] });
        }
        Ok(state)
    }

    /// Whether the question is talk or documentation and nothing was called: such an answer rests on no figures.
    pub fn is_talk(&self) -> bool {
        let talk = |route: &Route| matches!(route.capability.as_str(), "assistant" | "docs");
        self.calls.is_empty() && self.route.as_ref().is_some_and(talk)
    }

    pub fn call(&self, id: ToolCallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == id)
    }

    /// Approvals a person has still to answer.
    pub fn waiting_approvals(&self) -> impl Iterator<Item = (ApprovalId, &Call)> {
        self.calls.iter().filter_map(|call| match call.state {
            CallState::Waiting { approval } => Some((approval, call)),
            _ => None,
        })
    }
}
