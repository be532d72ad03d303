//! What a card shows of a text: the beginning of a new text, or the changed lines of an edited one. It is short, because a person reads it
//! before approving the change.

use std::fmt::Write as _;

use adagent_contract::{ChangeRow, hunks};
use adagent_domain::Cut as _;

/// The most characters on one side of a row.
const MOST_SIDE: usize = 400;
/// The most lines on one side of a row.
const MOST_LINES: usize = 8;
/// The most places of a change that a card shows.
const MOST_PLACES: usize = 6;

pub(super) fn row(label: impl Into<String>, before: Option<String>, after: Option<String>) -> ChangeRow {
    ChangeRow { label: label.into(), before, after }
}

/// Returns the beginning of some lines, and how many more there are.
pub(super) fn beginning(lines: &[&str]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let rest = MOST_SIDE.saturating_sub(text.chars().count());
        if at == MOST_LINES || rest < 20 && at > 0 {
            let more = lines.len() - at;
            let _ = write!(text, "\n… {more} more line{}", if more == 1 { "" } else { "s" });
            break;
        }
        if at > 0 {
            text.push('\n');
        }
        let cut = line.cut(..rest);
        text.push_str(cut);
        if cut.len() < line.len() {
            text.push('…');
        }
    }
    text
}

fn side(lines: &[&str]) -> Option<String> {
    if lines.is_empty() {
        return None;
    }
    // A row without letters would look as if it were empty.
    let blank = lines.iter().all(|line| line.trim().is_empty());
    Some(if blank { "(blank line)".into() } else { beginning(lines) })
}

/// Returns the text before and after, with a row for each place that changes.
pub(super) fn changed(before: &str, after: &str) -> Vec<ChangeRow> {
    let all = hunks(before, after);
    let mut rows: Vec<ChangeRow> = all
        .iter()
        .take(MOST_PLACES)
        .map(|hunk| row(format!("Line {}", hunk.at), side(&hunk.before), side(&hunk.after)))
        .collect();
    if let Some(rest) = all.get(MOST_PLACES..).filter(|rest| !rest.is_empty()) {
        let lines = |count: usize| match count {
            0 => None,
            1 => Some("1 line".to_owned()),
            more => Some(format!("{more} lines")),
        };
        rows.push(row(
            format!("{} more places", rest.len()),
            lines(rest.iter().map(|hunk| hunk.before.len()).sum()),
            lines(rest.iter().map(|hunk| hunk.after.len()).sum()),
        ));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_by_its_lines() {
        let rows = changed("# Floors\nUS is $9.\n\nend", "# Floors\nUS is $14.\nDE is $4.\n\nend\nmore");
        assert_eq!(
            rows,
            [
                row("Line 2", Some("US is $9.".into()), Some("US is $14.\nDE is $4.".into())),
                row("Line 6", None, Some("more".into())),
            ]
        );
    }

    #[test]
    fn long_changes_are_cut_and_say_so() {
        let long = "x".repeat(1000);
        let rows = changed("", &format!("{long}\nb\nc"));
        let after = rows[0].after.as_deref().unwrap();
        assert!(after.starts_with("xxx") && after.ends_with("…\n… 2 more lines"), "{after}");
        let lines = |end: &str| (0..20).map(|n| format!("{n}{end}\nsame")).collect::<Vec<_>>().join("\n");
        let rows = changed(&lines(""), &lines("!"));
        assert_eq!(rows.len(), MOST_PLACES + 1);
        assert_eq!(rows[MOST_PLACES], row("14 more places", Some("14 lines".into()), Some("14 lines".into())));
        assert_eq!(changed("a\n\nb", "a\nb"), [row("Line 2", Some("(blank line)".into()), None)]);
    }
}
