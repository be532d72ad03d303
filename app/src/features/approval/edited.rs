//! Which cards of a turn hold edits that were not sent: nothing else may approve such a card.

use std::collections::BTreeSet;

use adagent_domain::ApprovalId;
use leptos::prelude::*;

use super::draft::Draft;

/// The cards of a turn whose form was edited.
#[derive(Clone, Copy)]
pub struct EditedCards(pub RwSignal<BTreeSet<ApprovalId>>);

/// Tells the turn, where the card stands in one.
pub(super) fn tell(card: ApprovalId, draft: Draft) {
    let Some(EditedCards(all)) = use_context::<EditedCards>() else { return };
    Effect::new(move |_| {
        let edited = draft.edited() > 0;
        all.update(|all| {
            if edited {
                all.insert(card);
            } else {
                all.remove(&card);
            }
        });
    });
}
