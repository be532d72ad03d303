//! The port to the understanding: what a question asks for, which tools it needs, whether an answer holds. The local one is in
//! `understanding`.
//!
//! It decides from text and facts alone, and is called where a thread may be held: it must do no I/O.

use std::sync::Arc;

use adagent_contract::{Artifact, ConnectionName, EntityItem, HistoryEntry, Path};
use adagent_domain::Network;
use adagent_tools::ToolInfo;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Colleague, Entities, ModelRequest, OwnTool};

/// Everything the router may look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    pub history: Vec<HistoryEntry>,
    pub connected: Vec<Network>,
    /// Subset of `connected`: switched off in the context settings.
    pub disabled: Vec<Network>,
    /// `2026-11-21`.
    pub today: String,
    /// Known entities, for names in the text; may be empty.
    pub entities: Entities,
    /// Every connection by name: a network may have several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<ConnectionName>,
    /// Tools of the workspace's tool servers: a message that names one leads to no network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_tools: Vec<OwnTool>,
    /// Agents that may be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colleagues: Vec<Colleague>,
}

/// Where a question leads.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    pub services: Vec<Network>,
    /// `reporting`, `inventory` … as the tools have it.
    pub capability: String,
    pub path: Path,
    /// 0–1; below the router's threshold a hosted model is asked, where one is configured.
    pub confidence: f64,
    /// Why, in a few words; may be empty.
    pub thinking: String,
    /// Nothing is connected, and any network would do.
    pub connect_any: bool,
    /// All that was understood, as the understanding itself reads it again.
    pub understood: Json,
}

impl Routing {
    /// One certain look, with nothing more to know of it.
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

/// A call that worked, as an answer may rest on it.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'a> {
    pub name: &'a str,
    pub args: &'a Json,
    pub result: &'a Json,
}

/// A written answer and what it rests on.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    /// Of the question's [`Routing`].
    pub understood: &'a Json,
    /// Networks that could be read at all.
    pub usable: &'a [Network],
    /// Which model wrote it.
    pub model: &'a str,
    pub answer: &'a str,
    pub artifacts: &'a [Artifact],
    pub results: &'a [CheckedCall<'a>],
    /// The conversation. An answer may repeat its words.
    pub said: &'a [String],
    /// Things whose names and ids may be repeated, too.
    pub named: &'a [&'a [EntityItem]],
}

/// Whether a sentence has no figure that the facts do not have.
pub type FigureCheck = Box<dyn Fn(&Checked<'_>, &str) -> bool + Send + Sync>;

/// Whether an answer holds, and what to do when it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgment {
    Holds,
    /// `blocking`: it must not be shown as it is.
    Lacks {
        guidance: String,
        blocking: bool,
    },
    /// The question was led to the wrong place.
    Misrouted {
        why: String,
    },
    /// Names may have changed since they were loaded.
    StaleNames,
}

/// Understanding, as a run needs it.
pub trait Understanding: Send + Sync {
    fn route(&self, question: &Question) -> Routing;

    /// What a hosted model is asked where this is unsure; nothing where nobody is to be asked.
    fn second_opinion(&self, _question: &Question) -> Option<ModelRequest> {
        None
    }

    /// The routing with what that model said; why not, where its reply is of no use.
    fn merged(&self, _local: &Routing, _reply: &str) -> Result<Routing, String> {
        Err("nobody was asked".into())
    }

    /// Names of the tools to bind, best first, out of those that are visible.
    fn retrieve(&self, understood: &Json, visible: &[Arc<ToolInfo>]) -> Vec<String>;

    /// The same for a change that a person denied with this reason: the tools of the networks that it names instead.
    fn retrieve_instead(&self, _understood: &Json, _reason: &str, _visible: &[Arc<ToolInfo>]) -> Vec<String> {
        Vec::new()
    }

    fn verify(&self, checked: &Checked<'_>) -> Judgment;

    /// The check of figures alone, for sentences of an answer that is still being written. It keeps what it finds out: each
    /// sentence comes with the same facts.
    fn figures(&self) -> FigureCheck {
        Box::new(|_, _| true)
    }

    /// What was said with a wish and stands nowhere in the change that was prepared for it.
    fn unused(&self, _request: &ModelRequest, _tool: &str, _args: &Json) -> Vec<String> {
        Vec::new()
    }

    /// What a chat is called that begins with this question; nothing where its own words say more.
    fn title(&self, _question: &str, _today: &str, _connected: &[Network]) -> Option<String> {
        None
    }

    /// Whether a message asks to take back the change before it, and nothing else.
    fn asks_undo(&self, _text: &str) -> bool {
        false
    }
}
