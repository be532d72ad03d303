//! Which approval the inbox shows. The shown approval stays until the person chooses another one, whatever comes and goes in the
//! list. That way, nobody approves a card that slid into its place. Pure. Once something is shown, the order of the list alone
//! must never change it.

use adagent_contract::{ApprovalStatus, ApprovalView, came_too_late};
use adagent_domain::ApprovalId;

/// The part of the inbox that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Waiting,
    Answered,
    Expired,
}

impl Shown {
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Waiting, "waiting", "Pending"),
        (Self::Answered, "answered", "Answered"),
        (Self::Expired, "expired", "Expired"),
    ];

    pub fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|(_, name, _)| *name == text).map_or(Self::Waiting, |(shown, ..)| shown)
    }

    /// Returns the name in addresses.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self).map_or("waiting", |(_, name, _)| name)
    }

    /// Returns the texts for an empty list.
    pub const fn empty(self) -> (&'static str, &'static str) {
        match self {
            Self::Waiting => ("You're all caught up", "Changes drafted by the assistant appear here for approval."),
            Self::Answered => {
                ("Nothing answered yet", "Approved and denied changes are kept here, with who answered and when.")
            }
            Self::Expired => {
                ("Nothing expired", "Changes that expired or were canceled are listed here. They were never sent.")
            }
        }
    }

    pub const fn has(self, status: ApprovalStatus) -> bool {
        match self {
            Self::Waiting => matches!(status, ApprovalStatus::Pending),
            Self::Answered => matches!(status, ApprovalStatus::Approved | ApprovalStatus::Denied),
            Self::Expired => matches!(status, ApprovalStatus::Expired | ApprovalStatus::Cancelled),
        }
    }
}

/// What the person chose: which list, and which approval in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub shown: Shown,
    pub wanted: Option<ApprovalId>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Picked {
    /// Nothing was shown, and the list is empty.
    Nothing,
    Here(ApprovalView),
    /// The approval that was shown or asked for is not in this list. Holds its current state, or else its last known state.
    Gone(ApprovalId, Option<ApprovalView>),
}

impl Picked {
    pub fn id(&self) -> Option<ApprovalId> {
        match self {
            Self::Nothing => None,
            Self::Here(item) => Some(item.id),
            Self::Gone(id, _) => Some(*id),
        }
    }

    fn seen(&self) -> Option<&ApprovalView> {
        match self {
            Self::Nothing => None,
            Self::Here(item) => Some(item),
            Self::Gone(_, last) => last.as_ref(),
        }
    }

    /// Says why the approval is no longer shown.
    pub fn farewell(last: Option<&ApprovalView>, shown: Shown) -> String {
        let Some(item) = last else {
            return "This approval isn't in this list. It may have been deleted, or it belongs to another workspace."
                .to_owned();
        };
        let by = item.answered_by.as_deref().map(|name| format!(" by {name}")).unwrap_or_default();
        let title = item.title_now();
        let became = match item.status {
            ApprovalStatus::Approved => format!("was approved{by}"),
            ApprovalStatus::Denied => format!("was denied{by}"),
            ApprovalStatus::Expired => "expired".to_owned(),
            late if came_too_late(late, item.reason.as_deref()) => {
                "wasn't sent: the values were already there".to_owned()
            }
            ApprovalStatus::Cancelled => "was canceled".to_owned(),
            // It is not in the list that we read, so we do not know whether it is still pending.
            ApprovalStatus::Pending if shown == Shown::Waiting => "is no longer in this list".to_owned(),
            ApprovalStatus::Pending => "needs approval".to_owned(),
        };
        format!("“{title}” {became}.")
    }
}

/// What is shown, and the choice that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    choice: Choice,
    pub picked: Picked,
}

/// Continues from what was shown `before`. Only another choice by the person changes what is shown.
pub fn select(before: Option<&Selection>, choice: Choice, items: &[ApprovalView]) -> Selection {
    let held = before.filter(|before| before.choice == choice).map(|before| &before.picked);
    let listed = |item: &&ApprovalView| choice.shown.has(item.status);
    let picked = match held.and_then(Picked::id).or(choice.wanted) {
        Some(id) => match items.iter().find(|item| item.id == id) {
            Some(item) if choice.shown.has(item.status) => Picked::Here(item.clone()),
            now => Picked::Gone(id, now.or_else(|| held?.seen()).cloned()),
        },
        None => items.iter().find(listed).cloned().map_or(Picked::Nothing, Picked::Here),
    };
    Selection { choice, picked }
}

/// Returns the approval so many steps from the shown one. If the shown one is not in the list, returns the first.
pub fn beside(ids: &[ApprovalId], shown: Option<ApprovalId>, step: isize) -> Option<ApprovalId> {
    match shown.and_then(|id| ids.iter().position(|other| *other == id)) {
        Some(at) => at.checked_add_signed(step).and_then(|next| ids.get(next)).copied(),
        None => ids.first().copied(),
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Preview, PreviewKind, Risk, UiHints};
    use adagent_domain::{Network, Timestamp};
    use serde_json::json;

    use super::*;

    fn text(number: u8) -> String {
        format!("019aa5c4-9a3e-7000-8000-{number:012}")
    }

    fn id(number: u8) -> ApprovalId {
        text(number).parse().unwrap()
    }

    fn approval(number: u8, status: ApprovalStatus) -> ApprovalView {
        ApprovalView {
            asked_by: None,
            id: id(number),
            approval_id: id(number),
            run_id: text(0).parse().unwrap(),
            session_id: Some(text(0).parse().unwrap()),
            status,
            tool_call_id: text(0).parse().unwrap(),
            tool_name: "admob_create_mediation_group".to_owned(),
            source: Network::AdMob.into(),
            title: format!("Change {number}"),
            tool_input: json!({}),
            parameter_schema: json!({}),
            ui_hints: UiHints::default(),
            risk: Risk::Write,
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Create, Vec::new()),
            created_at: Timestamp::from_micros(0),
            expires_at: None,
            answered_at: None,
            answered_by: None,
            edited_args: None,
            sent: None,
            reason: None,
            undone: false,
            asked_again: false,
        }
    }

    fn waiting(number: u8) -> ApprovalView {
        approval(number, ApprovalStatus::Pending)
    }

    const FIRST: Choice = Choice { shown: Shown::Waiting, wanted: None };

    fn choose(number: u8) -> Choice {
        Choice { wanted: Some(id(number)), ..FIRST }
    }

    #[test]
    fn what_is_shown_stays_when_another_one_comes_before_it() {
        let first = select(None, FIRST, &[waiting(1)]);
        assert_eq!(first.picked, Picked::Here(waiting(1)));
        let then = select(Some(&first), FIRST, &[waiting(2), waiting(1)]);
        assert_eq!(then.picked, Picked::Here(waiting(1)));
        // Nothing was shown, so the first approval that comes is shown.
        let nothing = select(None, FIRST, &[]);
        assert_eq!(nothing.picked, Picked::Nothing);
        assert_eq!(select(Some(&nothing), FIRST, &[waiting(2)]).picked, Picked::Here(waiting(2)));
    }

    #[test]
    fn what_is_gone_is_said_and_nothing_takes_its_place() {
        let mut answered = approval(1, ApprovalStatus::Approved);
        answered.answered_by = Some("Ada".to_owned());
        for choice in [FIRST, choose(1)] {
            let shown = select(None, choice, &[waiting(1), waiting(2)]);
            let gone = select(Some(&shown), choice, &[answered.clone(), waiting(2)]);
            assert_eq!(gone.picked, Picked::Gone(id(1), Some(answered.clone())));
            // It stays gone however often the list is read, even when the list no longer returns it.
            let later = select(Some(&gone), choice, &[waiting(3), waiting(2)]);
            assert_eq!(later.picked, Picked::Gone(id(1), Some(answered.clone())));
            let next = select(Some(&later), choose(3), &[waiting(3), waiting(2)]);
            assert_eq!(next.picked, Picked::Here(waiting(3)));
        }
        assert_eq!(Picked::farewell(Some(&answered), Shown::Waiting), "“Change 1” was approved by Ada.");
    }

    #[test]
    fn an_address_of_what_is_answered_or_unknown_shows_nothing_else() {
        let answered = approval(1, ApprovalStatus::Denied);
        let items = [waiting(2), answered.clone()];
        assert_eq!(select(None, choose(1), &items).picked, Picked::Gone(id(1), Some(answered.clone())));
        assert_eq!(select(None, choose(9), &items).picked, Picked::Gone(id(9), None));
        let there = Choice { shown: Shown::Answered, ..choose(1) };
        assert_eq!(select(None, there, &items).picked, Picked::Here(answered));
    }

    #[test]
    fn another_list_and_another_wish_are_a_choice() {
        let items = [waiting(1), waiting(2), approval(3, ApprovalStatus::Expired)];
        let shown = select(None, choose(2), &items);
        assert_eq!(select(Some(&shown), FIRST, &items).picked.id(), Some(id(1)));
        let expired = Choice { shown: Shown::Expired, wanted: None };
        assert_eq!(select(Some(&shown), expired, &items).picked.id(), Some(id(3)));
    }

    #[test]
    fn keys_go_on_from_what_is_shown_and_begin_anew_when_it_is_gone() {
        let ids = [id(1), id(2), id(3)];
        assert_eq!(beside(&ids, Some(id(2)), 1), Some(id(3)));
        assert_eq!(beside(&ids, Some(id(2)), -1), Some(id(1)));
        assert_eq!((beside(&ids, Some(id(3)), 1), beside(&ids, Some(id(1)), -1)), (None, None));
        assert_eq!(beside(&ids, Some(id(9)), 1), Some(id(1)));
        assert_eq!(beside(&[], None, 1), None);
    }
}
