//! The engine in a simulated world: the real driver and the real machine, with a simulated store, network, model, clock, people and several
//! processes. One seed decides everything that happens, so the same seed always gives the same history.
//!
//! It is only for tests and the soak: no crate of the product may depend on this one. The driver must not know that it is simulated, so
//! only what can happen to a real process may happen here.

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
