//! The earlier versions of a document: who wrote what, and a button to restore each one.

use adagent_contract::{DocumentVersionView, DocumentView};
use leptos::prelude::*;

use crate::{
    features::{api::RestoreVersion, form::ActionForm, library::Written},
    ui::{Glyph, Icon},
};

#[component]
pub fn Versions(
    document: DocumentView,
    versions: Vec<DocumentVersionView>,
    restore: ServerAction<RestoreVersion>,
    open: bool,
) -> impl IntoView {
    let count = versions.len();
    let oldest = versions.last().map_or(0, |version| version.number);
    // Pair each version with the one before it, to say what each save did to the title and the folder.
    let before: Vec<Option<DocumentVersionView>> = versions.iter().skip(1).cloned().map(Some).chain([None]).collect();
    let rows = versions.into_iter().zip(before).map(move |(one, before)| {
        view! { <Row document=document.clone() one before oldest restore/> }
    });
    view! {
        <section class="section" aria-labelledby="versions">
            <details class="agent-versions" open=open>
                <summary>
                    <Icon glyph=Glyph::ChevronRight small=true/>
                    <h3 id="versions">"Versions"</h3>
                    <span class="count">{count}</span>
                </summary>
                <ul class="card">{rows.collect_view()}</ul>
            </details>
        </section>
    }
}

fn what(one: &DocumentVersionView, before: Option<&DocumentVersionView>) -> String {
    match before {
        None if one.number == 1 => "Created".to_owned(),
        None => "The oldest version we keep".to_owned(),
        Some(before) if before.title != one.title => format!("Renamed to “{}”", one.title),
        Some(before) if before.folder != one.folder => format!("Moved to {}", one.folder),
        Some(_) => "Text changed".to_owned(),
    }
}

#[component]
fn Row(
    document: DocumentView,
    one: DocumentVersionView,
    before: Option<DocumentVersionView>,
    oldest: i64,
    restore: ServerAction<RestoreVersion>,
) -> impl IntoView {
    let (id, number, current) = (document.id, one.number, one.number == document.version);
    let what = what(&one, before.as_ref());
    let run = one.written.run;
    let is_kept = document.trashed_at.is_none() && oldest > 0;
    view! {
        <li class="agent-version">
            <b>{format!("Version {number}")}</b>
            <div class="grow">
                <p>{what}</p>
                <p class="facts">
                    <Written written=one.written/>
                    {run.map(|run| view! { <span><a class="link" href=format!("/runs/{run}")>"Open its run"</a></span> })}
                </p>
            </div>
            {if current {
                view! { <span class="badge">"Current"</span> }.into_any()
            } else {
                view! {
                    <div class="row">
                        <a class="button ghost small" href=format!("/library/documents/{id}?compare={number}")>"Compare"<span class="unseen">{format!(" version {number}")}</span></a>
                        {is_kept.then(|| view! {
                            <ActionForm action=restore>
                                <input type="hidden" name="id" value=id.to_string()/>
                                <input type="hidden" name="number" value=number.to_string()/>
                                <button class="button small" type="submit"><Icon glyph=Glyph::Undo2 small=true/>"Restore"<span class="unseen">{format!(" version {number}")}</span></button>
                            </ActionForm>
                        })}
                    </div>
                }.into_any()
            }}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::WrittenView;
    use adagent_domain::Timestamp;

    use super::*;

    #[test]
    fn a_version_says_what_it_did() {
        let version = |number, title: &str, folder: &str| DocumentVersionView {
            number,
            title: title.into(),
            folder: folder.into(),
            size: 0,
            written: WrittenView { by: "ada".into(), agent: None, run: None, at: Timestamp::EPOCH },
            text: None,
        };
        let first = version(1, "A", "/");
        assert_eq!(what(&first, None), "Created");
        assert_eq!(what(&version(2, "B", "/"), Some(&first)), "Renamed to “B”");
        assert_eq!(what(&version(2, "A", "/x"), Some(&first)), "Moved to /x");
        assert_eq!(what(&version(2, "A", "/"), Some(&first)), "Text changed");
        assert_eq!(what(&version(7, "A", "/"), None), "The oldest version we keep");
    }
}
