//! The engine in a world that is made up: the real driver and the real machine against a simulated store, network, model, clock,
//! people and several processes. One seed decides everything that happens; the same seed always gives the same history.
//!
//! For tests and the soak only: no crate of the product may depend on this one. Must not teach the driver anything: whatever it
//! finds is found by what an outside could do to a real process.

mod campaign;
mod chance;
mod model;
mod network;
mod panics;
mod people;
mod plan;
mod process;
mod shrink;
mod sim;
mod store;
mod world;

pub use campaign::{Campaign, Failure, Report, explain};
pub use plan::{
    Answer, CommitFate, Decision, Deed, Fault, Flow, ModelFate, Plan, Planted, Question, What, When, WireFate,
};
pub use process::Process;
pub use shrink::shrink;
pub use sim::Sim;
pub use store::SimStore;
pub use world::{Outcome, play};
