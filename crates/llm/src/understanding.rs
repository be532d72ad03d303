//! The port to the understanding: what a question asks for, which tools it needs, and whether an answer is correct. `understanding` has the
//! local implementation.
//!
//! It decides only from texts and facts. It may run on a thread that must not block, so it must do no I/O.

use std::sync::Arc;

use adagent_contract::{Artifact, ConnectionName, EntityItem, HistoryEntry, Path};
use adagent_domain::Network;
use adagent_tools::ToolInfo;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Colleague, Entities, ModelRequest, OwnTool};

/// Everything the router may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    pub history: Vec<HistoryEntry>,
    pub connected: Vec<Network>,
    /// The connected networks that the context settings turn off.
    pub disabled: Vec<Network>,
    /// `2026-11-21`.
    pub today: String,
    /// Known entities, to find names in the text; may be empty.
    pub entities: Entities,
    /// Every connection by its label, because a network may have several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<ConnectionName>,
    /// The tools of the workspace's tool servers. A message that names one of them does not lead to a network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_tools: Vec<OwnTool>,
    /// The agents that this run may ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colleagues: Vec<Colleague>,
}

/// Which networks and tools a question needs, and how to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    pub services: Vec<Network>,
    /// `reporting`, `inventory` …, as the tools name it.
    pub capability: String,
    pub path: Path,
    /// From 0 to 1. Below the router's threshold we ask a hosted model, if one is configured.
    pub confidence: f64,
    /// The reason in a few words; may be empty.
    pub thinking: String,
    /// Whether no network is connected and any network could answer.
    pub connect_any: bool,
    /// What the understanding read from the question, in a form that the understanding can read again.
    pub understood: Json,
}

impl Routing {
    /// Makes a routing with full confidence and no further details.
    pub fn to(services: Vec<Network>, capability: &str) -> Self {
        Self {
            services,
            capability: capability.to_owned(),
            path: Path::Reactive,
            confidence: 1.0,
            thinking: String::new(),
            connect_any: false,
            understood: Json::Null,
        }
    }
}

/// A successful call that supports an answer.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'a> {
    pub name: &'a str,
    pub args: &'a Json,
    pub result: &'a Json,
}

/// A written answer and the facts that support it.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    /// From the question's [`Routing`].
    pub understood: &'a Json,
    /// The networks that the run could read.
    pub usable: &'a [Network],
    /// The model that wrote the answer.
    pub model: &'a str,
    pub answer: &'a str,
    pub artifacts: &'a [Artifact],
    pub results: &'a [CheckedCall<'a>],
    /// The messages of the chat. An answer may repeat their words.
    pub said: &'a [String],
    /// Entities whose names and IDs an answer may repeat, too.
    pub named: &'a [&'a [EntityItem]],
}

/// Checks that a sentence has no number that the facts do not contain.
pub type FigureCheck = Box<dyn Fn(&Checked<'_>, &str) -> bool + Send + Sync>;

/// Whether an answer is correct, and otherwise what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgment {
    Holds,
    /// With `blocking`, the answer must not be shown as it is.
    Lacks {
        guidance: String,
        blocking: bool,
    },
    /// The question was sent to the wrong place.
    Misrouted {
        why: String,
    },
    /// Names may have changed since they were loaded.
    StaleNames,
}

/// The understanding, as a run needs it.
pub trait Understanding: Send + Sync {
    fn route(&self, question: &Question) -> Routing;

    /// Checks whether a message may give a task to another agent. If not, nobody reads which agents there are.
    fn may_hand_on(&self, _text: &str) -> bool {
        true
    }

    /// Returns the question for a hosted model if this understanding is unsure. `None` if no model needs to be asked.
    fn second_opinion(&self, _question: &Question) -> Option<ModelRequest> {
        None
    }

    /// Merges the hosted model's reply into the routing. Returns the reason if the reply is unusable.
    fn merged(&self, _local: &Routing, _reply: &str) -> Result<Routing, String> {
        Err("nobody was asked".into())
    }

    /// Returns the names of the tools to bind, best first, from those that are visible.
    fn retrieve(&self, understood: &Json, visible: &[Arc<ToolInfo>]) -> Vec<String>;

    /// Returns tools of the networks that this reason names, after a person denied a change with it.
    fn retrieve_instead(&self, _understood: &Json, _reason: &str, _visible: &[Arc<ToolInfo>]) -> Vec<String> {
        Vec::new()
    }

    fn verify(&self, checked: &Checked<'_>) -> Judgment;

    /// Returns the check of numbers alone, for sentences of an answer that a model is still writing. It caches what it computes, because
    /// each sentence comes with the same facts.
    fn figures(&self) -> FigureCheck {
        Box::new(|_, _| true)
    }

    /// Returns the parts of the person's request that appear nowhere in the prepared change.
    fn unused(&self, _request: &ModelRequest, _tool: &str, _args: &Json) -> Vec<String> {
        Vec::new()
    }

    /// Returns the title of a chat that begins with this question. `None` if the question's own words say more.
    fn title(&self, _question: &str, _today: &str, _connected: &[Network]) -> Option<String> {
        None
    }

    /// Checks whether a message only gives the change that the message `wish` asked for a new amount: "make it $0.60 instead".
    fn corrects(&self, _wish: &str, _text: &str) -> bool {
        false
    }

    /// Checks whether a message only asks to undo the change before it.
    fn asks_undo(&self, _text: &str) -> bool {
        false
    }
}
