//! Word lists: what people call networks, metrics, things and actions. Only data, no decisions.

pub mod countries;
pub mod dimensions;
pub mod languages;
pub mod metrics;
pub mod networks;
pub mod nouns;
pub mod phrases;
pub mod spelling;
mod times;
pub mod verbs;
