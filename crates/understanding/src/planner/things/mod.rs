//! Lists, lookups and changes for whatever a network has, from the schemas of the bound operations. Most of it works for every network
//! without special code. This must never invent an ID, and never fill a field that the message doesn't mention.

mod amount;
mod details;
mod fill;
mod floor_of;
mod focus;
mod instance;
mod label;
mod list;
mod per_country;
mod said;
mod show;
mod steps;
mod thing;
mod tool;
mod waterfall;
mod words;
mod write;

pub(super) use list::next as list;
pub(super) use show::plural;
pub(super) use thing::things_of;
pub(super) use tool::{kind_of_param, network_of, snake};
pub(super) use write::next as write;
