//! Before an approved change is sent, checks whether the network still has the values that the approval showed as "before". It only
//! decides, and must not look anything up.

use adagent_contract::{ChangeRow, EventBody, NOTHING_TO_SEND, Preview, Risk};
use adagent_domain::ToolCallId;

use super::{CallState, Denial, Ledger, Stakes};
use crate::{CallMark, CallRow, Effect, Step, StepError};

impl Ledger {
    /// Compares the values that the approval showed with the values now, and what it said about the change with what we would say about the
    /// edited one. If either differs, we send nothing and ask again, and the new card shows what is new.
    pub(crate) fn reviewed(
        &mut self,
        step: &mut Step<'_>,
        id: ToolCallId,
        (shown, now): (&Preview, &Preview),
        edited: Option<&(Stakes, Stakes)>,
    ) -> Result<(), StepError> {
        let sends = edited.map_or(now, |(_, now)| &now.preview);
        if sends.changes_nothing() && !shown.changes_nothing() {
            let CallState::Approved { .. } = self.call_mut(id)?.state else { return Err(StepError::UnknownCall(id)) };
            // Do not ask a person about a change that would change nothing.
            return self.deny(step, id, NOTHING_TO_SEND.into(), Denial::AlreadyThere);
        }
        let drift = drift(shown, now).map(|drift| {
            format!("The current values changed at the network after you approved this, so nothing was sent. {drift}")
        });
        let raised = edited.and_then(|(shown, now)| raised(shown, now));
        let message = match (&drift, &raised) {
            (None, None) => return Ok(()),
            (Some(_), _) => "The current values changed after approval. Asking you again",
            (None, Some(_)) => "Your edits go beyond what the card showed. Asking you again",
        };
        let call = self.call_mut(id)?;
        let CallState::Approved { .. } = call.state else { return Err(StepError::UnknownCall(id)) };
        call.state = CallState::Ready;
        call.found = Some([drift, raised].into_iter().flatten().collect::<Vec<_>>().join(" "));
        let tool_name = call.name.clone();
        step.effects.push(Effect::MoveCall { id, from: &[CallRow::Approved], to: CallMark::Prepared, result: None });
        step.emit(EventBody::ToolExecuting { tool_call_id: id, tool_name, message: message.into(), progress: None });
        Ok(())
    }
}

/// Returns why a person must look at the edited arguments again. `None` if the card already showed all of it. The new card lists the
/// warnings.
fn raised(shown: &Stakes, now: &Stakes) -> Option<String> {
    let riskier = now.risk == Risk::Destructive && shown.risk != Risk::Destructive;
    let warned = now.warnings.iter().any(|warning| !shown.warnings.contains(warning));
    let known = |row: &ChangeRow| {
        shown.preview.changes.iter().any(|was| (&was.label, &was.before) == (&row.label, &row.before))
    };
    let replaces = now.preview.changes.iter().any(|row| row.before.is_some() && !known(row));
    let why = match (riskier, warned, replaces) {
        (false, false, false) => return None,
        (true, ..) => "your edits remove more than the last card showed",
        (_, true, _) => "your edits bring new warnings",
        (_, _, true) => "your edits replace values that the last card didn't show",
    };
    Some(format!("Nothing was sent yet: {why}. Review the card and approve it again."))
}

/// Returns what changed between two looks at the values that a change would replace. `None` if nothing did. A creation replaces no value.
pub fn drift(shown: &Preview, now: &Preview) -> Option<String> {
    let mut labels: Vec<&str> = Vec::new();
    for row in shown.changes.iter().chain(&now.changes).filter(|row| row.before.is_some()) {
        if !labels.contains(&row.label.as_str()) {
            labels.push(&row.label);
        }
    }
    let told: Vec<String> = labels
        .into_iter()
        .filter_map(|label| {
            let (was, is) = (before(shown, label), before(now, label));
            match (was.is_empty(), is.is_empty()) {
                _ if was == is => None,
                (false, true) => Some(format!("{label}: was {}, and is now empty.", quoted(&was))),
                (true, _) => Some(format!("{label}: is now {}.", quoted(&is))),
                _ => Some(format!("{label}: was {}, is now {}.", quoted(&was), quoted(&is))),
            }
        })
        .collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Returns the values of all rows with this label, sorted, because a preview may list them in any order.
fn before<'a>(preview: &'a Preview, label: &str) -> Vec<&'a str> {
    let rows = preview.changes.iter().filter(|row| row.label == label);
    let mut values: Vec<&str> = rows.filter_map(|row| row.before.as_deref()).collect();
    values.sort_unstable();
    values
}

fn quoted(values: &[&str]) -> String {
    values.iter().map(|value| format!("“{value}”")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use adagent_contract::{ChangeRow, PreviewKind};

    use super::*;

    fn preview(rows: &[(&str, Option<&str>, &str)]) -> Preview {
        let row = |(label, before, after): &(&str, Option<&str>, &str)| ChangeRow {
            label: (*label).into(),
            before: before.map(Into::into),
            after: Some((*after).into()),
        };
        Preview::new(PreviewKind::Update, rows.iter().map(row).collect())
    }

    #[test]
    fn edits_are_shown_again_only_when_there_is_more_to_know() {
        let stakes = |risk, warnings: &[&str]| Stakes {
            risk,
            warnings: warnings.iter().map(ToString::to_string).collect(),
            preview: preview(&[("Line", Some("x"), "y")]),
        };
        let shown = stakes(Risk::Write, &["Live.", "Named twice."]);
        assert_eq!(raised(&shown, &shown), None);
        assert_eq!(raised(&shown, &stakes(Risk::Write, &["Live."])), None, "less to know is known");
        assert!(raised(&shown, &stakes(Risk::Write, &["Live.", "Removes 4 lines."])).is_some());
        assert!(raised(&shown, &stakes(Risk::Destructive, &["Live."])).is_some());
        assert_eq!(raised(&stakes(Risk::Destructive, &["Live."]), &stakes(Risk::Write, &["Live."])), None);
    }

    #[test]
    fn edits_that_replace_something_else_are_shown_again() {
        let stakes = |rows: &[(&str, Option<&str>, &str)]| Stakes {
            risk: Risk::Write,
            warnings: Vec::new(),
            preview: preview(rows),
        };
        let shown = stakes(&[("New line", None, "Unity"), ("Line", Some("x at $2"), "x at $3")]);
        assert_eq!(
            raised(&shown, &stakes(&[("Line", Some("x at $2"), "x at $4")])),
            None,
            "the same with another price"
        );
        assert_eq!(raised(&shown, &stakes(&[("New line", None, "InMobi"), ("New line", None, "Unity")])), None);
        let other = raised(&shown, &stakes(&[("New line", None, "Unity"), ("Line", Some("y"), "y (paused)")]));
        assert!(other.is_some_and(|why| why.contains("didn't show")));
    }

    #[test]
    fn only_what_was_there_before_counts() {
        let shown = preview(&[("Name", Some("A"), "B"), ("New line", None, "Unity"), ("Line", Some("x"), "y")]);
        assert_eq!(drift(&shown, &shown), None);
        let later = preview(&[("Line", Some("x"), "z"), ("Name", Some("A"), "B"), ("New line", None, "Unity Ads")]);
        assert_eq!(drift(&shown, &later), None, "order, and what the change makes, are the same question");
        assert_eq!(drift(&preview(&[("Name", None, "A")]), &preview(&[("Name", None, "B")])), None);
    }

    #[test]
    fn every_difference_is_told() {
        let shown = preview(&[("Name", Some("A"), "B"), ("Line", Some("x"), "y"), ("Line", Some("v"), "w")]);
        let now = preview(&[("Line", Some("v"), "w"), ("Line", Some("q"), "y"), ("State", Some("On"), "Off")]);
        assert_eq!(
            drift(&shown, &now).as_deref(),
            Some("Name: was “A”, and is now empty. Line: was “v”, “x”, is now “q”, “v”. State: is now “On”.")
        );
    }
}
