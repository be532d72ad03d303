//! The graph: its nodes and the one table of edges. It must not decide anything; `machine` walks it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A node of the graph.
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

/// Why the run takes an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// A usable network can answer the question, or the question needs none.
    Servable,
    /// None of the networks that the question needs is usable, so the answer says what to connect.
    NothingUsable,
    EntitiesKnown,
    /// Calls still wait for their check after the entities were loaded again.
    CallsWaiting,
    ToolsBound,
    CallsProposed,
    /// The model wrote an answer that the verifier must check.
    AnswerWritten,
    /// The answer needs no check, such as a greeting or a question to the person.
    NothingToVerify,
    CallsSettled,
    /// A named entity is unknown, so we load the entities again before we tell the model.
    NeedsEntityRefresh,
    /// The model must read the results of its calls.
    ResultsToTell,
    Incomplete,
    /// The question needs other tools than the bound ones.
    NeedsReroute,
    Complete,
    /// The stop policy ended the run.
    Stopped,
    Answered,
}

/// From a node, for a reason, to a node.
pub type Edge = (Node, When, Node);

/// Every edge of the graph. A step that takes any other way fails.
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

/// Returns the node that the edge leads to. `None` if there is no such edge.
pub fn follow(from: Node, when: When) -> Option<Node> {
    EDGES.iter().find(|edge| edge.0 == from && edge.1 == when).map(|edge| edge.2)
}

/// Draws the table as Mermaid text, for documents and tests.
pub fn draw() -> String {
    let mut out = String::from("flowchart TD\n");
    for (from, when, to) in EDGES {
        let _ = writeln!(out, "  {} -- {when:?} --> {}", from.as_str(), to.as_str());
    }
    out
}
