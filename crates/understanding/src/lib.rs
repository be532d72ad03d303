//! Understanding what was asked: router, slots, tool retrieval, entity linking, the verifier's rules, the local planner.
//!
//! Decides in microseconds, from text and typed facts alone: no I/O, no clock, no model call in here.

mod types;

pub use types::{
    Capability, Comparison, Filter, FilterValue, Outcome, Question, Slots, Understood,
};
