//! The outside contract over real HTTP, against the very server people start, on both engines.

mod bad_input;
mod harness;
mod journey;
mod safety;
