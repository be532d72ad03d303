//! Native tools: what a run may read and change in this program itself, under the same rules as at an ad network.
//!
//! Each tool has one file. A change takes the call's ID as its key, so that a repeated call makes it once, and `probe` can tell whether it
//! happened. A tool must not call anything outside this program, and must not read or change what belongs to another person.

mod ask_agent;
mod changes;
mod desk;
mod documents;
mod journal;
mod members;
mod provider;
mod saved;
mod table;
mod todos;
mod tool;

pub use provider::Natives;
