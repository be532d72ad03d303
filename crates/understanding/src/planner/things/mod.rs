//! Lists, look-ups and changes of whatever a network has, read from the schemas of the bound operations: no network needs code of its
//! own here. Must never make an id up, and never fill a field nobody spoke of.

mod amount;
mod details;
mod fill;
mod floor_of;
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
