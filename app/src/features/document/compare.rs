//! Shows what changed since a version, line by line. Pure, except for its view.

use adagent_contract::{DocumentVersionView, DocumentView, Line, line_diff};
use leptos::prelude::*;

/// How many unchanged lines are shown before and after a change.
const AROUND: usize = 2;

/// A line of the comparison, or the number of unchanged lines that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Same(String),
    Gone(String),
    New(String),
    Skipped(usize),
}

fn shown(before: &str, after: &str) -> Vec<Shown> {
    let lines = line_diff(before, after);
    let changed: Vec<bool> = lines.iter().map(|line| !matches!(line, Line::Same(_))).collect();
    let near = |at: usize| {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(changed.len()));
        changed[from..to].contains(&true)
    };
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Gone(text) => all.push(Shown::Gone((*text).to_owned())),
            Line::New(text) => all.push(Shown::New((*text).to_owned())),
            Line::Same(text) if near(at) => all.push(Shown::Same((*text).to_owned())),
            Line::Same(_) => match all.last_mut() {
                Some(Shown::Skipped(count)) => *count += 1,
                _ => all.push(Shown::Skipped(1)),
            },
        }
    }
    all
}

#[component]
pub fn Compare(document: DocumentView, compared: DocumentVersionView) -> impl IntoView {
    let (from, to) = (compared.number, document.version);
    let text = |text: Option<String>| text.unwrap_or_default();
    let lines = shown(&text(compared.text), &text(document.text));
    let same = !lines.iter().any(|line| matches!(line, Shown::Gone(_) | Shown::New(_)));
    let row = |(label, before, after): (&'static str, String, String)| {
        (before != after).then(|| view! { <p class="quiet-text">{format!("{label}: “{before}” is now “{after}”")}</p> })
    };
    let heads = [("Title", compared.title, document.title), ("Folder", compared.folder, document.folder)];
    let line = |line: Shown| match line {
        Shown::Same(text) => view! { <p class="line">{text}</p> }.into_any(),
        Shown::Gone(text) => {
            view! { <p class="line gone"><span class="unseen">"Removed: "</span><del>{text}</del></p> }.into_any()
        }
        Shown::New(text) => {
            view! { <p class="line new"><span class="unseen">"Added: "</span><ins>{text}</ins></p> }.into_any()
        }
        Shown::Skipped(1) => view! { <p class="line skipped">"1 line is the same"</p> }.into_any(),
        Shown::Skipped(count) => {
            view! { <p class="line skipped">{format!("{count} lines are the same")}</p> }.into_any()
        }
    };
    view! {
        <section class="section" aria-labelledby="compared">
            <h3 id="compared">{format!("From version {from} to version {to}")}</h3>
            {heads.into_iter().map(row).collect_view()}
            {if same {
                view! { <p class="quiet-text">"The text is the same."</p> }.into_any()
            } else {
                view! { <div class="card doc-compare">{lines.into_iter().map(line).collect_view()}</div> }.into_any()
            }}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_far_from_a_change_are_left_out() {
        let before = "1\n2\n3\n4\n5\n6\n7";
        let after = "1\n2\n3\n4\nfive\n6\n7";
        let same = |text: &str| Shown::Same(text.into());
        assert_eq!(
            shown(before, after),
            [
                Shown::Skipped(2),
                same("3"),
                same("4"),
                Shown::Gone("5".into()),
                Shown::New("five".into()),
                same("6"),
                same("7"),
            ]
        );
        assert_eq!(shown("a\nb", "a\nb"), [Shown::Skipped(2)]);
    }
}
