//! The journal: what agents did, by day.

mod asked;
mod entry;
mod page;
mod side;

pub use entry::Entry;
pub use page::JournalPage;
