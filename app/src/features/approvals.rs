//! The inbox: pending and answered approvals, with the same card as in the chat.

mod inbox;
mod selection;

pub use inbox::ApprovalsPage;
