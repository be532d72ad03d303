//! Cards and notes.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// Draws a box with a title. With the caller's ID, `title` also names the box for assistive technology.
#[component]
pub fn Card(
    #[prop(into)] id: String,
    #[prop(into)] title: String,
    #[prop(optional)] aside: Option<ViewFn>,
    #[prop(optional)] foot: Option<ViewFn>,
    children: Children,
) -> impl IntoView {
    let labelled_by = id.clone();
    view! {
        <section class="card" aria-labelledby=labelled_by>
            <div class="card-head">
                <h3 id=id>{title}</h3>
                {aside.map(|aside| aside.run())}
            </div>
            <div class="card-body">{children()}</div>
            {foot.map(|foot| view! { <div class="card-foot">{foot.run()}</div> })}
        </section>
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoteTone {
    #[default]
    Plain,
    Wait,
    Good,
    Bad,
}

/// Draws a highlighted sentence with the icon of its kind.
#[component]
pub fn Note(
    #[prop(optional)] tone: NoteTone,
    #[prop(optional, into)] icon: Option<Glyph>,
    children: Children,
) -> impl IntoView {
    let (class, own) = match tone {
        NoteTone::Plain => ("note", Glyph::Info),
        NoteTone::Wait => ("note wait", Glyph::TriangleAlert),
        NoteTone::Good => ("note good", Glyph::Check),
        NoteTone::Bad => ("note bad", Glyph::CircleAlert),
    };
    view! {
        <div class=class>
            <Icon glyph=icon.unwrap_or(own)/>
            <p>{children()}</p>
        </div>
    }
}
