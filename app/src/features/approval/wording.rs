//! The texts of the card by kind and status. Pure.

use adagent_contract::{ApprovalStatus, ChangeRow, PreviewKind, Risk, came_too_late};

/// Returns the heading over the changes.
pub const fn changes_heading(kind: PreviewKind) -> &'static str {
    match kind {
        PreviewKind::Create => "What will be created",
        PreviewKind::Update => "What changes",
        PreviewKind::Delete => "What will be deleted",
        PreviewKind::Action => "What will happen",
    }
}

/// Returns the text of the button that approves.
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

/// The stamp of an approval that a newer card replaced: it must not read as if its change had been made.
pub const ASKED_AGAIN: &str = "Asked again";

/// Returns the word of the stamp.
pub fn stamp(status: ApprovalStatus, reason: Option<&str>, asked_again: bool) -> &'static str {
    match status {
        late if came_too_late(late, reason) => "Nothing sent",
        ApprovalStatus::Approved if asked_again => ASKED_AGAIN,
        ApprovalStatus::Pending => "Needs approval",
        ApprovalStatus::Approved => "Approved",
        ApprovalStatus::Denied => "Denied",
        ApprovalStatus::Cancelled => "Canceled",
        ApprovalStatus::Expired => "Expired",
    }
}

/// Returns what happened to a change that was not approved.
pub fn not_sent(status: ApprovalStatus, reason: Option<&str>) -> Option<&'static str> {
    match status {
        late if came_too_late(late, reason) => Some("The values were already there, so nothing was sent."),
        ApprovalStatus::Pending | ApprovalStatus::Approved => None,
        ApprovalStatus::Denied => Some("Nothing was sent."),
        ApprovalStatus::Cancelled => Some("Canceled before anyone answered. Nothing was sent."),
        ApprovalStatus::Expired => Some("No one answered in time. Nothing was sent."),
    }
}

/// A row of the record: the value that was sent, and the proposed value if somebody edited it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    pub row: ChangeRow,
    pub proposed: Option<String>,
}

/// Applies the edits to the proposed changes: what would be sent now.
pub fn now(changes: &[ChangeRow], edits: &[ChangeRow]) -> Vec<ChangeRow> {
    let inside = |change: &ChangeRow| edits.iter().find(|edit| is_only_one_inside(change, edit, changes, edits));
    let applied = |change: &ChangeRow| {
        let after = edits.iter().find_map(|edit| with_edit(change, edit));
        after.or_else(|| inside(change).map(|edit| edit.after.clone()))
    };
    let edited = changes.iter().map(|change| match applied(change) {
        Some(after) => ChangeRow { after, ..change.clone() },
        None => change.clone(),
    });
    let known = |edit: &ChangeRow| {
        let of =
            |change: &ChangeRow| with_edit(change, edit).is_some() || is_only_one_inside(change, edit, changes, edits);
        changes.iter().any(of)
    };
    edited.chain(edits.iter().filter(|edit| !known(edit)).cloned()).collect()
}

/// Checks whether the edit is to the field of this change, and no other edit and no other change could be meant. A field in a list of
/// objects has two names: the table names its row by a key ("Ad network settings: Ironsource network: CPM"), and the form by a number
/// (`Ad network settings 5 · Ad network settings IRONSOURCE_NETWORK · CPM`).
fn is_only_one_inside(change: &ChangeRow, edit: &ChangeRow, changes: &[ChangeRow], edits: &[ChangeRow]) -> bool {
    let of =
        |change: &ChangeRow, edit: &ChangeRow| change.after == edit.before && is_nested(&change.label, &edit.label);
    of(change, edit)
        && changes.iter().filter(|other| of(other, edit)).count() == 1
        && edits.iter().filter(|other| of(change, other)).count() == 1
}

/// Checks whether both labels name the same field in a list of objects.
fn is_nested(label: &str, edit: &str) -> bool {
    let (label, edit) = (label.to_lowercase(), edit.to_lowercase().replace('_', " "));
    let (Some((path, field)), Some((place, own))) = (label.rsplit_once(": "), edit.rsplit_once(" · ")) else {
        return false;
    };
    // The key of a row, such as the ID of a placement, is no word of the form.
    let is_key = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let named = |part: &str| {
        let words: Vec<&str> = part.split(' ').filter(|word| !is_key(word)).collect();
        place.contains(&words.join(" "))
    };
    field == own && path.split(": ").all(named)
}

/// Returns the value of a change after this edit; `None` if the edit is about something else. A line of a mediation group is one
/// row that begins with its name ("AppLovin at $14.00"), and the form uses that name as the label of the edit ("at $14.00").
#[expect(clippy::option_option, reason = "an edit may take a value away")]
fn with_edit(change: &ChangeRow, edit: &ChangeRow) -> Option<Option<String>> {
    if change.label == edit.label || is_part(change, edit) && change.after == edit.before {
        return Some(edit.after.clone());
    }
    let (proposed, was) = (change.after.as_deref()?, edit.before.as_deref()?);
    if proposed != line(&edit.label, was) {
        return None;
    }
    Some(edit.after.as_deref().map(|after| line(&edit.label, after)))
}

/// Checks whether both rows are about the same field: the form calls a field "Default", and the table calls it "CPM floor:
/// default".
fn is_part(change: &ChangeRow, edit: &ChangeRow) -> bool {
    change.label.rsplit_once(": ").is_some_and(|(_, own)| own.to_lowercase() == edit.label.to_lowercase())
}

/// Returns the text of a line as the table writes it.
fn line(name: &str, what: &str) -> String {
    match what.strip_prefix("bidding") {
        Some(rest) if name.to_lowercase().ends_with("(bidding)") => format!("{name}{rest}"),
        Some(rest) => format!("{name} (bidding{rest})"),
        None => format!("{name} {what}"),
    }
}

/// Returns the title of an edited card, with the edited values in place of the proposed ones. `None` if the title names no
/// proposed value exactly once.
pub fn title_now(title: &str, edits: &[ChangeRow]) -> Option<String> {
    let mut out = title.to_owned();
    let mut told = false;
    for edit in edits {
        let (Some(before), Some(after)) = (edit.before.as_deref(), edit.after.as_deref()) else { continue };
        let (old, new) = differing(before, after);
        // In "from $14.00 to $14.00", nothing says which amount is meant.
        let mut places = out.match_indices(old).filter(|(at, _)| stands_alone(&out, *at, old.len()));
        if let (Some((at, _)), None) = (places.next(), places.next()) {
            let end = at + old.len();
            out = format!("{}{new}{}", out.get(..at)?, out.get(end..)?);
            told = true;
        }
    }
    told.then_some(out)
}

/// Returns the parts in which two texts differ: for "at $14.00" and "at $13.50", "$14.00" and "$13.50".
fn differing<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let shared = |a: &mut dyn Iterator<Item = &'t str>, b: &mut dyn Iterator<Item = &'t str>| {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum::<usize>()
    };
    let start = shared(&mut before.split_inclusive(' '), &mut after.split_inclusive(' '));
    let (old, new) = (before.get(start..).unwrap_or(before), after.get(start..).unwrap_or(after));
    if old.is_empty() || new.is_empty() { (before, after) } else { (old, new) }
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let part_of = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '.' || c == ',');
    let after = text.get(at + length..).unwrap_or_default();
    let next = after.chars().next();
    // "$1" must not match inside "$1.50", but the period in "B." only ends a sentence.
    let goes_on = match next {
        Some('.' | ',') => after.chars().nth(1).is_some_and(char::is_alphanumeric),
        next => next.is_some_and(char::is_alphanumeric),
    };
    !part_of(text.get(..at).unwrap_or_default().chars().last()) && !goes_on
}

/// Returns the changes as they were sent, with the proposed value where somebody edited it. Edits without a row among the changes
/// follow.
pub fn record_rows(changes: &[ChangeRow], edits: &[ChangeRow]) -> Vec<RecordRow> {
    let is_of = |change: &ChangeRow, edit: &ChangeRow| {
        let worded = |what: &String| change.after.as_ref() == Some(&line(&edit.label, what));
        change.label == edit.label
            || (is_part(change, edit) || is_nested(&change.label, &edit.label)) && change.after == edit.after
            || edit.after.as_ref().is_some_and(worded)
    };
    let sent = changes.iter().map(|change| RecordRow {
        row: change.clone(),
        proposed: edits.iter().find(|edit| is_of(change, edit)).and_then(|edit| edit.before.clone()),
    });
    let shown =
        |edit: &&ChangeRow| changes.iter().any(|it| is_of(it, edit) || (it.after == edit.after && it.after.is_some()));
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
    fn an_edited_line_of_a_group_stays_one_row_and_the_title_follows() {
        let title = "Change AppLovin’s floor from $12.00 to $14.00 in “Rewarded”";
        let proposed = [row("Line", Some("AppLovin at $12.00"), Some("AppLovin at $14.00"))];
        let edits = [row("AppLovin", Some("at $14.00"), Some("at $13.50"))];
        let edited = now(&proposed, &edits);
        assert_eq!(edited, [row("Line", Some("AppLovin at $12.00"), Some("AppLovin at $13.50"))]);
        assert_eq!(
            title_now(title, &edits).as_deref(),
            Some("Change AppLovin’s floor from $12.00 to $13.50 in “Rewarded”")
        );
        // The record of the sent change also has one row.
        let rows = record_rows(&edited, &edits);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].proposed.as_deref(), Some("at $14.00"));
        // A removed line, a bidding line, and a line with another name.
        let bids = [row("New line", None, Some("Meta (bidding)"))];
        assert_eq!(now(&bids, &[row("Meta", Some("bidding"), None)]), [row("New line", None, None)]);
        let other = [row("AppLovin", Some("at $9.00"), Some("at $8.00"))];
        assert_eq!(now(&proposed, &other).len(), 2);
    }

    #[test]
    fn a_field_inside_another_stays_one_row() {
        let proposed = [row("CPM floor: default", None, Some("$8.00"))];
        let edits = [row("Default", Some("$8.00"), Some("$7.50"))];
        let edited = now(&proposed, &edits);
        assert_eq!(edited, [row("CPM floor: default", None, Some("$7.50"))]);
        let rows = record_rows(&edited, &edits);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].proposed.as_deref(), Some("$8.00"));
        // A field whose name ends the same way but has another value is a different row.
        let other = [row("Price: default", None, Some("$2.00"))];
        assert_eq!(now(&other, &edits).len(), 2);
    }

    #[test]
    fn a_field_in_a_list_of_objects_stays_one_row() {
        let label = "Ad network settings: Ironsource network: ad network ad units 9b5df8e19c69c60c: CPM";
        let form = "Ad network settings 5 · Ad network settings IRONSOURCE_NETWORK · Ad network ad units 1 · CPM";
        let proposed = [row(label, Some("$5.57"), Some("$6.20")), row("Account", Some("A"), Some("A"))];
        let edits = [row(form, Some("$6.20"), Some("$5.90"))];
        let edited = now(&proposed, &edits);
        assert_eq!(edited, [row(label, Some("$5.57"), Some("$5.90")), proposed[1].clone()]);
        let rows = record_rows(&edited, &edits);
        assert_eq!((rows.len(), rows[0].proposed.as_deref()), (2, Some("$6.20")));
        // Another network's field with the same value is a row of its own.
        let other = form.replace("IRONSOURCE", "UNITY");
        assert_eq!(now(&proposed, &[row(&other, Some("$6.20"), Some("$5.90"))]).len(), 3);
        // Two placements of one network with one price can't be told apart, so both rows show.
        let twin = [proposed[0].clone(), row(&label.replace("9b5d", "8a4c"), Some("$5.00"), Some("$6.20"))];
        assert_eq!(now(&twin, &edits).len(), 3);
    }

    #[test]
    fn a_title_follows_only_where_it_names_the_value_once() {
        let name = [row("Name", Some("Level end"), Some("Level start"))];
        assert_eq!(title_now("Create “Level end” in Words", &name).as_deref(), Some("Create “Level start” in Words"));
        assert_eq!(title_now("Rename “Level end” to “Level end”", &name), None);
        assert_eq!(title_now("Change 2 fields", &name), None);
        let price = [row("Price", Some("$1"), Some("$2"))];
        assert_eq!(title_now("Change the price to $1.50", &price), None);
    }

    #[test]
    fn only_what_was_not_approved_says_that_nothing_was_sent() {
        assert_eq!(not_sent(ApprovalStatus::Approved, None), None);
        assert!(not_sent(ApprovalStatus::Denied, None).is_some() && not_sent(ApprovalStatus::Expired, None).is_some());
        let late = (ApprovalStatus::Cancelled, Some(adagent_contract::NOTHING_TO_SEND));
        assert_eq!(stamp(late.0, late.1, false), "Nothing sent");
        assert_eq!(not_sent(late.0, late.1), Some("The values were already there, so nothing was sent."));
        assert_eq!(stamp(ApprovalStatus::Cancelled, Some("The run was stopped."), false), "Canceled");
        assert_eq!(stamp(ApprovalStatus::Approved, None, true), ASKED_AGAIN);
        assert_eq!(stamp(ApprovalStatus::Approved, None, false), "Approved");
    }
}
