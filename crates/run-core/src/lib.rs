//! Runs as pure machines: [`step`] takes a state and an input, and returns the next state and the effects that the driver must carry out.
//!
//! There is no I/O, no clock, no async and no randomness. Time and IDs come in through [`Step`], so that tests can replay a run, cut it at
//! any point and simulate it a million times. [`Machine::outstanding`] tells from the state alone what a run waits for, so a worker can
//! continue any stored state. States hold no secrets and no large results; they refer to results by call ID.
//!
//! A [`Ledger`] keeps what every kind of run has: calls, approvals, time and spending. [`Turn`] is the run that answers a message.

// This crate reads texts from people and networks. A position inside a character must not make it panic.
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod child;
mod effect;
mod fault;
mod ledger;
mod limits;
mod machine;
mod spent;
mod turn;

pub use child::{AgentTask, Child, ChildEnd, ChildWork};
pub use effect::{Ask, CallMark, CallRow, Effect};
pub use fault::{Fault, FaultKind, Issue};
pub use ledger::{
    Answer, Call, CallInput, CallState, CallWork, Checked, Denial, Doubt, Found, Ledger, Proposed, Sketched, Stakes,
    Success, Unusable, UnusableWhy, drift,
};
pub use limits::{Limits, Stop, duration};
pub use machine::{Input, Machine, Outstanding, StateError, Step, StepError, Work, from_text, step, to_text};
pub use spent::{AskedModel, Spent};
pub use turn::{
    Backflow, Draft, EDGES, Edge, Failures, ForkError, ForkWith, Node, Once, Reply, Retrieval, Round, Route, Sent,
    Turn, TurnInput, TurnJob, Verdict, When, draw, fork, given_call, override_call,
};
