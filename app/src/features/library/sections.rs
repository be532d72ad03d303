//! The tabs for the parts of the library, above each of its pages.

use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Todos,
    Documents,
}

#[component]
pub fn Sections(part: Part) -> impl IntoView {
    const ALL: [(Part, &str, &str); 2] =
        [(Part::Todos, "/library", "To-dos"), (Part::Documents, "/library/documents", "Documents")];
    let tab = |(one, href, label): (Part, &'static str, &'static str)| {
        view! { <a class="tab" href=href aria-current=(one == part).then_some("page")>{label}</a> }
    };
    view! { <nav class="tabs" aria-label="Library">{ALL.into_iter().map(tab).collect_view()}</nav> }
}
