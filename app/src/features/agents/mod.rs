//! Agents: their settings, what they may use, and their earlier versions.

mod form;
mod grid;
mod list;
mod page;
mod parts;
mod versions;
mod words;

pub use list::AgentsPage;
pub use page::AgentPage;
