//! What the card says, by kind and status. Pure.

use adagent_contract::{ApprovalStatus, ChangeRow, PreviewKind, Risk};

/// The heading over the changes.
pub const fn changes_heading(kind: PreviewKind) -> &'static str {
    match kind {
        PreviewKind::Create => "What will be created",
        PreviewKind::Update => "What changes",
        PreviewKind::Delete => "What will be deleted",
        PreviewKind::Action => "What will happen",
    }
}

/// The word on the button that sends it.
pub const fn approve(kind: PreviewKind, edited: bool) -> &'static str {
    match (kind, edited) {
        (PreviewKind::Create, false) => "Approve and create",
        (PreviewKind::Delete, _) => "Approve and delete",
        (_, true) => "Approve with changes",
        (PreviewKind::Update | PreviewKind::Action, false) => "Approve",
    }
}

pub const fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Write => "Change",
        Risk::Destructive => "Destructive",
    }
}

/// The word of the stamp.
pub const fn stamp(status: ApprovalStatus) -> &'static str {
    match status {
        ApprovalStatus::Pending => "Needs approval",
        ApprovalStatus::Approved => "Approved",
        ApprovalStatus::Denied => "Denied",
        ApprovalStatus::Cancelled => "Canceled",
        ApprovalStatus::Expired => "Expired",
    }
}

/// What happened with a change nobody approved.
pub const fn not_sent(status: ApprovalStatus) -> Option<&'static str> {
    match status {
        ApprovalStatus::Pending | ApprovalStatus::Approved => None,
        ApprovalStatus::Denied => Some("Nothing was sent."),
        ApprovalStatus::Cancelled => Some("Canceled before anyone answered. Nothing was sent."),
        ApprovalStatus::Expired => Some("No one answered in time. Nothing was sent."),
    }
}

/// A row of the record: what was sent, and what had been proposed when somebody edited it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    pub row: ChangeRow,
    pub proposed: Option<String>,
}

/// What was proposed with what was edited so far: what would be sent now.
pub fn now(changes: &[ChangeRow], edits: &[ChangeRow]) -> Vec<ChangeRow> {
    let edit_of = |label: &str| edits.iter().find(|edit| edit.label == label);
    let edited = changes.iter().map(|change| match edit_of(&change.label) {
        Some(edit) => ChangeRow { after: edit.after.clone(), ..change.clone() },
        None => change.clone(),
    });
    let others = edits.iter().filter(|edit| !changes.iter().any(|change| change.label == edit.label));
    edited.chain(others.cloned()).collect()
}

/// The changes as they were sent, with what had been proposed where somebody edited it; edits that the changes do not show follow.
pub fn record_rows(changes: &[ChangeRow], edits: &[ChangeRow]) -> Vec<RecordRow> {
    let edit_of = |label: &str| edits.iter().find(|edit| edit.label == label);
    let sent = changes.iter().map(|change| RecordRow {
        row: change.clone(),
        proposed: edit_of(&change.label).and_then(|edit| edit.before.clone()),
    });
    let shown = |edit: &&ChangeRow| changes.iter().any(|it| it.label == edit.label || it.after == edit.after);
    let others = edits.iter().filter(|edit| !shown(edit)).map(|edit| RecordRow {
        row: ChangeRow { label: edit.label.clone(), before: None, after: edit.after.clone() },
        proposed: edit.before.clone(),
    });
    sent.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, before: Option<&str>, after: Option<&str>) -> ChangeRow {
        ChangeRow { label: label.into(), before: before.map(Into::into), after: after.map(Into::into) }
    }

    #[test]
    fn a_record_shows_what_was_sent_and_what_had_been_proposed() {
        let edits = [row("eCPM floor", Some("$9.00"), Some("$9.50")), row("Name", Some("A"), Some("B"))];
        let countries = row("Countries", Some("US"), Some("US"));
        let proposed = [row("eCPM floor", Some("$14.00"), Some("$9.00")), countries.clone()];
        let edited = now(&proposed, &edits);
        assert_eq!(edited, [row("eCPM floor", Some("$14.00"), Some("$9.50")), countries, edits[1].clone()]);
        let rows = record_rows(&edited[..2], &edits);
        assert_eq!(rows[0].row, row("eCPM floor", Some("$14.00"), Some("$9.50")));
        assert_eq!(rows[0].proposed.as_deref(), Some("$9.00"));
        assert_eq!(rows[1].proposed, None);
        assert_eq!(rows[2].row, row("Name", None, Some("B")));
        assert_eq!(rows[2].proposed.as_deref(), Some("A"));
    }

    #[test]
    fn only_what_was_not_approved_says_that_nothing_was_sent() {
        assert_eq!(not_sent(ApprovalStatus::Approved), None);
        assert!(not_sent(ApprovalStatus::Denied).is_some() && not_sent(ApprovalStatus::Expired).is_some());
    }
}
