//! The gallery: every component in every state, drawn from invented data. Development only.

mod controls;
mod data;
mod marks;
mod samples;
mod work;

use leptos::prelude::*;
use leptos_meta::Title;

pub use samples::NOW;

use crate::{shell::SkipLink, theme::ThemeSwitch};

/// Draws the page at `/dev/ui`.
#[component]
pub fn DevUiPage() -> impl IntoView {
    view! {
        <Title text="Components"/>
        <SkipLink/>
        <div class="stage">
            <header class="topbar"><h1 class="truncate">"Components"</h1></header>
            <div class="notices"></div>
            <div class="split">
                <main id="main" class="page" tabindex="-1">
                    <div class="page-in wide" style="gap:0">
                        <div class="page-head" style="padding-bottom:20px">
                            <div class="grow">
                                <h2>"Components"</h2>
                                <p>"Every component in every state, drawn from the same tokens. Development only."</p>
                            </div>
                            <ThemeSwitch labelled=true/>
                        </div>
                        {marks::colours()}
                        {marks::icons()}
                        {controls::all()}
                        {marks::all()}
                        {data::all()}
                        {work::all()}
                    </div>
                </main>
            </div>
        </div>
    }
}

/// Draws one row of the gallery.
fn spec(title: &'static str, shelf: impl IntoView) -> impl IntoView {
    view! {
        <section class="spec" aria-label=title>
            <h3>{title}</h3>
            <div class="shelf">{shelf}</div>
        </section>
    }
}

/// Draws a specimen with its name.
fn cell(name: &'static str, specimen: impl IntoView) -> impl IntoView {
    view! { <div class="cell">{specimen}<small>{name}</small></div> }
}
