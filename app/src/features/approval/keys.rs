//! Keyboard keys of a pending card: they move to what answers it and never answer by themselves. Also the IDs of the card's
//! parts.

use adagent_domain::ApprovalId;
use leptos::ev::KeyboardEvent;

/// Returns the ID of the card, which can take the focus.
pub fn card_id(approval: ApprovalId) -> String {
    format!("card-{approval}")
}

/// Returns the ID of a button on the card: `approve`, `edit` or `deny`.
pub(super) fn button_id(approval: ApprovalId, which: &str) -> String {
    format!("card-{approval}-{which}")
}

/// Checks whether a key may act as a shortcut: nobody is typing, nothing covers the page, and no other part of the page handled
/// the key.
pub fn is_shortcut(event: &KeyboardEvent) -> bool {
    let free = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.default_prevented();
    free && !crate::platform::is_typing(event) && !crate::platform::something_lies_over_the_page()
}

/// Moves into a card on the page: `a` focuses the button that approves, `d` opens the reason, `e` opens the form. Returns `false`
/// if the key means nothing to a card.
pub fn act_on_card(approval: ApprovalId, key: &str) -> bool {
    match key {
        "a" => crate::platform::focus(&button_id(approval, "approve")),
        "d" => crate::platform::press(&button_id(approval, "deny")),
        "e" => crate::platform::press(&button_id(approval, "edit")),
        _ => return false,
    }
    true
}
