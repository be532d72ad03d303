//! Keys of a waiting card: they lead to what answers it and never answer by themselves. Ids of the card's parts.

use adagent_domain::ApprovalId;
use leptos::ev::KeyboardEvent;

/// The card, which can take the focus.
pub fn card_id(approval: ApprovalId) -> String {
    format!("card-{approval}")
}

/// A button of the card: `approve`, `edit` or `deny`.
pub(super) fn button_id(approval: ApprovalId, which: &str) -> String {
    format!("card-{approval}-{which}")
}

/// Whether a key may be a shortcut: nobody is typing, nothing lies over the page, and no other part of the page took it.
pub fn is_shortcut(event: &KeyboardEvent) -> bool {
    let free = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.default_prevented();
    free && !crate::platform::is_typing(event) && !crate::platform::something_lies_over_the_page()
}

/// Leads into a card that is on the page: a to the button that approves, d to the reason, e opens the form. `false` when the key
/// says nothing to a card.
pub fn act_on_card(approval: ApprovalId, key: &str) -> bool {
    match key {
        "a" => crate::platform::focus(&button_id(approval, "approve")),
        "d" => crate::platform::press(&button_id(approval, "deny")),
        "e" => crate::platform::press(&button_id(approval, "edit")),
        _ => return false,
    }
    true
}
