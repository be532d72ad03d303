//! Tests of the gateway against the sandbox over real HTTP.

mod card;
mod faults;
mod grounding;
mod nine;
mod operations;
mod several;
mod sketches;
mod support;
