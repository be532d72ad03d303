//! Old and new values, one row per field.

use adagent_contract::{ChangeRow, PreviewKind};
use leptos::prelude::*;

use super::{Glyph, Icon, format::MISSING};

/// The right side of a row: a new value, a removed value, or no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    New,
    Gone,
    Same,
}

fn after(row: &ChangeRow) -> After {
    match (&row.before, &row.after) {
        (_, None) => After::Gone,
        (Some(before), Some(after)) if before == after => After::Same,
        _ => After::New,
    }
}

/// Draws the list of changes. `kind` selects the word for removed values. A new object has no left side.
#[component]
pub fn Diff(rows: Vec<ChangeRow>, #[prop(default = PreviewKind::Update)] kind: PreviewKind) -> impl IntoView {
    if matches!(kind, PreviewKind::Create | PreviewKind::Action)
        && rows.iter().all(|row| row.before.is_none() || row.before == row.after)
    {
        let rows = rows
            .into_iter()
            .map(|row| view! { <div><dt>{row.label}</dt><dd class="now">{row.after}</dd></div> })
            .collect_view();
        return view! { <dl class="diff create">{rows}</dl> }.into_any();
    }
    let gone = if kind == PreviewKind::Delete { "deleted" } else { "removed" };
    let rows = rows
        .into_iter()
        .map(|row| {
            let side = after(&row);
            let was = row.before.unwrap_or_else(|| MISSING.to_owned());
            let now = match side {
                After::New => view! { <dd class="now"><ins>{row.after}</ins></dd> }.into_any(),
                After::Gone => view! { <dd class="now gone">{gone}</dd> }.into_any(),
                After::Same => view! { <dd class="now same">"unchanged"</dd> }.into_any(),
            };
            view! {
                <div>
                    <dt>{row.label}</dt>
                    <dd class="was">{was}</dd>
                    <dd class="arrow"><Icon glyph=Glyph::ArrowRight small=true/></dd>
                    {now}
                </div>
            }
        })
        .collect_view();
    view! { <dl class="diff">{rows}</dl> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_side_says_what_happens_to_the_left() {
        let row = |before: Option<&str>, after: Option<&str>| ChangeRow {
            label: "x".into(),
            before: before.map(Into::into),
            after: after.map(Into::into),
        };
        assert_eq!(after(&row(Some("a"), Some("b"))), After::New);
        assert_eq!(after(&row(None, Some("b"))), After::New);
        assert_eq!(after(&row(Some("a"), None)), After::Gone);
        assert_eq!(after(&row(Some("a"), Some("a"))), After::Same);
    }
}
