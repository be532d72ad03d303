//! Agents: who they are, what they may use, and how they were before.

mod form;
mod grid;
mod list;
mod page;
mod parts;
mod versions;
mod words;

pub use list::AgentsPage;
pub use page::AgentPage;
