//! Which cards of a turn hold edits that were not sent. No other button may approve such a card.

use std::collections::BTreeSet;

use adagent_domain::ApprovalId;
use leptos::prelude::*;

use super::draft::Draft;

/// The cards of a turn whose form was edited.
#[derive(Clone, Copy)]
pub struct EditedCards(pub RwSignal<BTreeSet<ApprovalId>>);

/// Tells the turn about the card's edits, if the card is part of a turn.
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
