//! The agent as a pure machine: [`step`] takes a state and an input, gives the next state and the effects it asks for.
//!
//! No I/O, no clock, no async, no randomness: time and ids come in through [`Env`], so that a run can be replayed, cut at any
//! point and simulated a million times. Everything a run waits for can be read from its state alone ([`outstanding`]): a stored
//! state is all it takes to go on. States hold no secrets and no big results; those are named by call id.

// People and networks write what is read here: a position inside a character must not end anything.
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod act;
mod answer;
mod approve;
mod broke;
mod fault;
mod given;
mod graph;
mod io;
mod limits;
mod machine;
mod probe;
mod review;
mod route;
mod seed;
mod state;

pub use fault::{Fault, FaultKind, Issue};
pub use graph::{EDGES, Edge, Node, When, draw};
pub use io::{
    Answer, Ask, AskedModel, CallMark, CallRow, Checked, Effect, Found, Input, Proposed, Reply, Retrieval, Sketched,
    Stakes, Success, Unusable, UnusableWhy, Verdict, Work,
};
pub use limits::{Limits, Stop, duration};
pub use machine::{Env, StepError, outstanding, step};
pub use review::drift;
pub use seed::{ForkError, ForkWith, Sent, fork, given_call, override_call};
pub use state::{
    Backflow, Call, CallState, Denial, Doubt, Draft, Failures, Once, Route, STATE_VERSION, Spent, State, StateError,
    Turn,
};
