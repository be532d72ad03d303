//! The inbox: what waits for a person, and what was answered, with the same card as in the thread.

mod inbox;
mod selection;

pub use inbox::ApprovalsPage;
