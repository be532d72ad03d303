//! Native tools: what a run may read and change in this program itself, under the same rules as at an ad network.
//!
//! One file a tool. A change takes the call's id as its key: made twice, it is made once, and a look tells whether it happened.
//! Must not call anything outside, and must not read or change what is another person's.

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
