//! Which card was answered from this page last, so that the focus, which goes with the card's buttons, goes on to its record.

use std::cell::Cell;

use adagent_domain::ApprovalId;

thread_local! {
    static LAST: Cell<Option<ApprovalId>> = const { Cell::new(None) };
}

pub fn note(approval: ApprovalId) {
    LAST.set(Some(approval));
}

/// Whether it was this one; says so once.
pub fn take(approval: ApprovalId) -> bool {
    let ours = LAST.get() == Some(approval);
    if ours {
        LAST.set(None);
    }
    ours
}
