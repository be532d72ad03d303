//! Understands what a person asked: router, slots, tool retrieval, entity linking, the verifier's rules and the local planner.
//!
//! This crate decides within microseconds from text and typed facts alone: no I/O, no clock, no model call.

// People write the texts that this crate reads, so an offset inside a character must not end a run.
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod accounts;
mod amounts;
mod chosen;
mod conditions;
mod context;
mod courtesy;
pub mod dates;
mod delegation;
mod derive;
mod desk;
mod evidence;
mod history;
pub mod link;
mod longest;
mod operations;
mod opinion;
mod orders;
mod outcome;
pub mod planner;
mod port;
pub mod retrieve;
pub mod route;
pub mod servers;
mod slots;
pub mod text;
mod title;
mod todos;
mod types;
mod unanswered;
mod understand;
mod unsure;
pub mod verify;
pub mod vocab;
mod weigh;
mod wish;

pub use link::{EntityMention, link_entities};
pub use longest::{MOST_READ, is_too_long, readable};
pub use port::LocalUnderstanding;
pub use retrieve::{RetrievableTool, ToolIndex, bundled_tools};
pub use types::{
    Act, Capability, Comparison, Doubt, Filter, FilterValue, Meant, Outcome, Part, Question, Slots, Understood,
};
pub use understand::{prepare, understand, understand_by_rules, understand_with};
pub use verify::{Figures, Grounds, Missing, ToolResult, Verdict, verify, verify_said};
