//! The graph: its nodes and the one table of edges. Must not decide anything; `machine` walks it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A station of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    Router,
    EntityLoader,
    ToolRetriever,
    Specialist,
    ToolExecutor,
    Verifier,
    Synthesizer,
    End,
}

impl Node {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Router => "router",
            Self::EntityLoader => "entity_loader",
            Self::ToolRetriever => "tool_retriever",
            Self::Specialist => "specialist",
            Self::ToolExecutor => "tool_executor",
            Self::Verifier => "verifier",
            Self::Synthesizer => "synthesizer",
            Self::End => "end",
        }
    }
}

/// Why an edge is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// A network that can serve the question is usable, or none is needed.
    Servable,
    /// No network asked for is usable: say what to connect.
    NothingUsable,
    EntitiesKnown,
    /// Backflow came from calls that are still to be checked.
    CallsWaiting,
    ToolsBound,
    CallsProposed,
    /// The answer is written and rests on calls.
    AnswerWritten,
    /// The answer rests on no call: a greeting, a question back.
    NothingToVerify,
    CallsSettled,
    /// A named entity is unknown: look at the network again before telling the model.
    NeedsEntityRefresh,
    /// The results are to be told, or the answer lacks something.
    ResultsToTell,
    Incomplete,
    /// The question belongs to other tools than those bound.
    NeedsReroute,
    Complete,
    /// The stop policy ended the run.
    Stopped,
    Answered,
}

/// From, why, to.
pub type Edge = (Node, When, Node);

/// Every way through the graph. A transition that is not listed is refused.
pub const EDGES: &[Edge] = &[
    (Node::Router, When::Servable, Node::EntityLoader),
    (Node::Router, When::NothingUsable, Node::Synthesizer),
    (Node::EntityLoader, When::EntitiesKnown, Node::ToolRetriever),
    (Node::EntityLoader, When::CallsWaiting, Node::ToolExecutor),
    (Node::ToolRetriever, When::ToolsBound, Node::Specialist),
    (Node::Specialist, When::CallsProposed, Node::ToolExecutor),
    (Node::Specialist, When::AnswerWritten, Node::Verifier),
    (Node::Specialist, When::NothingToVerify, Node::Synthesizer),
    (Node::Specialist, When::Incomplete, Node::Specialist),
    (Node::ToolExecutor, When::CallsSettled, Node::Verifier),
    (Node::ToolExecutor, When::NeedsEntityRefresh, Node::EntityLoader),
    (Node::Verifier, When::ResultsToTell, Node::Specialist),
    (Node::Verifier, When::Incomplete, Node::Specialist),
    (Node::Verifier, When::NeedsReroute, Node::Router),
    (Node::Verifier, When::NeedsEntityRefresh, Node::EntityLoader),
    (Node::Verifier, When::Complete, Node::Synthesizer),
    (Node::Verifier, When::Stopped, Node::Synthesizer),
    (Node::Router, When::Stopped, Node::Synthesizer),
    (Node::EntityLoader, When::Stopped, Node::Synthesizer),
    (Node::ToolRetriever, When::Stopped, Node::Synthesizer),
    (Node::Specialist, When::Stopped, Node::Synthesizer),
    (Node::ToolExecutor, When::Stopped, Node::Synthesizer),
    (Node::Synthesizer, When::Answered, Node::End),
];

/// Where the edge leads, if there is one.
pub fn follow(from: Node, when: When) -> Option<Node> {
    EDGES.iter().find(|edge| edge.0 == from && edge.1 == when).map(|edge| edge.2)
}

/// The table as Mermaid text, for documents and tests.
pub fn draw() -> String {
    let mut out = String::from("flowchart TD\n");
    for (from, when, to) in EDGES {
        let _ = writeln!(out, "  {} -- {when:?} --> {}", from.as_str(), to.as_str());
    }
    out
}
