//! The gateway against the sandbox over real HTTP.

mod faults;
mod grounding;
mod nine;
mod operations;
mod sketches;
mod support;
