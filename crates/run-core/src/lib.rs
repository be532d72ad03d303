//! Runs as pure machines: [`step`] takes a state and an input, gives the next state and the effects it asks for.
//!
//! No I/O, no clock, no async, no randomness: time and ids come in through [`Step`], so that a run can be replayed, cut at any
//! point and simulated a million times. Everything a run waits for can be read from its state alone
//! ([`Machine::outstanding`]): a stored state is all it takes to go on. States hold no secrets and no big results; those are
//! named by call id.
//!
//! A [`Ledger`] keeps what every kind of run has: calls, approvals, time, spending. [`Turn`] is the run that answers a message.

// People and networks write what is read here: a position inside a character must not end anything.
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
