//! Which card this page answered last. The focus disappears with the card's buttons, so the page moves it to the card's record.

use std::cell::Cell;

use adagent_domain::ApprovalId;

thread_local! {
    static LAST: Cell<Option<ApprovalId>> = const { Cell::new(None) };
}

pub fn note(approval: ApprovalId) {
    LAST.set(Some(approval));
}

/// Checks whether this page answered this card last. Returns `true` only once per answer.
pub fn take(approval: ApprovalId) -> bool {
    let ours = LAST.get() == Some(approval);
    if ours {
        LAST.set(None);
    }
    ours
}
